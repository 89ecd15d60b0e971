//! The matrices of an assignment problem as kernels read them: the Rust side of `shaders/qap/matrices.wgsl`.

use crate::instance::qap::Instance;
use crate::kernels::plan::ConstructPlan;
use crate::wgsl::constant;

/// Matrices in the buffer; two more where neither flows nor distances are symmetric.
pub const MATRICES: usize = FLOWS_BACK;

/// The place in the buffer of the flows.
pub const FLOWS: usize = constant!("qap/matrices", "FLOWS") as usize;
/// Of the distances.
pub const DISTANCES: usize = constant!("qap/matrices", "DISTANCES") as usize;
/// Of the flows there, or of both directions together.
pub const FLOWS_THERE: usize = constant!("qap/matrices", "FLOWS_THERE") as usize;
/// Of the distances there, or of both directions together.
pub const DISTANCES_THERE: usize = constant!("qap/matrices", "DISTANCES_THERE") as usize;
/// Of the corners of the flows.
pub const FLOW_CORNERS: usize = constant!("qap/matrices", "FLOW_CORNERS") as usize;
/// Of the corners of the distances.
pub const DISTANCE_CORNERS: usize = constant!("qap/matrices", "DISTANCE_CORNERS") as usize;
/// Of what each facility costs at each location by itself.
pub const PLACING: usize = constant!("qap/matrices", "PLACING") as usize;
/// Of the flows back, where neither matrix is symmetric.
pub const FLOWS_BACK: usize = constant!("qap/matrices", "FLOWS_BACK") as usize;
/// Of the distances back.
pub const DISTANCES_BACK: usize = constant!("qap/matrices", "DISTANCES_BACK") as usize;

/// Words of a problem in the buffer; none where solutions are no assignments.
pub fn length_of(plan: &ConstructPlan) -> usize {
    let n = plan.cities;
    plan.system.assignment.map_or(0, |search| count(search.asymmetric) * n * n + if search.alike { 2 * n } else { 0 })
}

fn count(asymmetric: bool) -> usize {
    if asymmetric { MATRICES + 2 } else { MATRICES }
}

/// A problem's words in the buffer. Entries are 32-bit numbers that wrap: what is made of them is exact wherever it fits in 32 bits.
pub fn words(instance: &Instance) -> Vec<u32> {
    let n = instance.len();
    let (flows, distances) = (instance.flows(), instance.distances());
    let each =
        |of: &dyn Fn(usize, usize) -> u32| -> Vec<u32> { (0..n * n).map(|index| of(index / n, index % n)).collect() };
    let turned = |matrix: &[u32]| each(&|i, j| matrix[j * n + i]);
    let both = |matrix: &[u32]| each(&|i, j| matrix[i * n + j].wrapping_add(matrix[j * n + i]));
    let corners = |matrix: &[u32]| {
        each(&|i, j| {
            let at = |a: usize, b: usize| matrix[a * n + b];
            at(i, i).wrapping_add(at(j, j)).wrapping_sub(at(i, j)).wrapping_sub(at(j, i))
        })
    };
    let mut words = [flows.to_vec(), distances.to_vec()].concat();
    let back = match (instance.is_symmetric(flows), instance.is_symmetric(distances)) {
        (true, _) => {
            words.extend([flows.to_vec(), both(distances)].concat());
            None
        }
        (_, true) => {
            words.extend([both(flows), distances.to_vec()].concat());
            None
        }
        _ => {
            words.extend([flows, distances].concat());
            Some([turned(flows), turned(distances)].concat())
        }
    };
    words.extend([corners(flows), corners(distances)].concat());
    match instance.placing_costs() {
        Some(costs) => words.extend(costs),
        None => words.extend(std::iter::repeat_n(0, n * n)),
    }
    words.extend(back.unwrap_or_default());
    if let Some(classes) = instance.classes() {
        words.extend(classes.iter().copied().chain(successors(&classes)));
    }
    words
}

/// For each facility the next of its class; of the last one as many as there are facilities.
pub fn successors(classes: &[u32]) -> Vec<u32> {
    let (n, mut last) = (classes.len() as u32, vec![classes.len() as u32; classes.len()]);
    let mut next = vec![n; classes.len()];
    for (facility, &class) in (0..n).zip(classes) {
        if let Some(before) = next.get_mut(last[class as usize] as usize) {
            *before = facility;
        }
        last[class as usize] = facility;
    }
    next
}

/// A view of a problem's words in the buffer, entries signed.
#[derive(Clone, Copy)]
pub struct Matrices<'a> {
    words: &'a [i32],
    n: usize,
    /// Whether they have entries for the way back.
    pub asymmetric: bool,
}

impl<'a> Matrices<'a> {
    /// A view of `words` as [`words`] makes them for `n` facilities, of which only those that are `asymmetric` have entries for the way back.
    pub fn new(words: &'a [u32], n: usize, asymmetric: bool) -> Self {
        Self { words: bytemuck::cast_slice(words), n, asymmetric }
    }

    /// The first of the facilities that may stand for each, behind the matrices; each facility itself where no two are alike.
    pub fn classes(&self) -> Vec<u32> {
        let behind = count(self.asymmetric) * self.n * self.n;
        match self.words.get(behind..behind + self.n) {
            Some(classes) => bytemuck::cast_slice(classes).to_vec(),
            None => (0..self.n as u32).collect(),
        }
    }

    /// A row of a matrix.
    #[inline(always)]
    pub fn row(&self, matrix: usize, row: usize) -> &'a [i32] {
        &self.words[(matrix * self.n + row) * self.n..][..self.n]
    }
}
