//! Children of a population of assignments: twin of `shaders/qap/crossover.wgsl`.

use rayon::prelude::*;

use crate::algorithm::fixed::mul_high;
use crate::algorithm::memetic::MemeticParams;
use crate::algorithm::random::{FIRST_CITY, Stream};
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::qap::matrices::{self, Matrices, successors};
use crate::kernels::shared::progress::{ConstructProgress, PROGRESS_WORDS};
use crate::kernels::shared::state::{State, join};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::{block, constant};

/// The kernel's name.
pub const NAME: &str = "crossover";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub seed: [u32; 2],
        pub facilities: u32,
        pub filled: u32,
        pub ants: u32,
        pub exchanges: u32,
        pub few: u32,
        pub more: u32,
        pub matrix_words: u32,
        pub padding: [u32; 3],
    }
}

/// Bytes of workgroup memory.
pub fn workgroup_bytes(plan: &ConstructPlan) -> u32 {
    4 * 6 * plan.cities as u32
}

/// The facilities that are not empty.
fn filled(plan: &ConstructPlan) -> usize {
    plan.cities - plan.system.assignment.map_or(0, |search| search.empty)
}

/// Loop turns of the invocation that makes a child: in the order of the kernel, exchanges last.
pub fn turns(plan: &ConstructPlan, memetic: &MemeticParams) -> u64 {
    let n = plan.cities as u64;
    let filled = filled(plan);
    let exchanges = memetic.exchanges(filled) + MemeticParams::more(filled);
    4 * n + 2 * n + 5 * n + u64::from(exchanges) + 3 * n.div_ceil(plan.sweep_lanes.into())
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, memetic: &MemeticParams, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let (n, filled) = (plan.cities, filled(plan));
    let params = Params {
        seed: [plan.seed as u32, (plan.seed >> 32) as u32],
        facilities: n as u32,
        filled: filled as u32,
        ants: plan.ants() as u32,
        exchanges: memetic.exchanges(filled),
        few: MemeticParams::few(filled),
        more: MemeticParams::more(filled),
        matrix_words: matrices::length_of(plan) as u32,
        padding: [0; 3],
    };
    let search = plan.system.assignment;
    let [asymmetric, alike] = [search.is_some_and(|it| it.asymmetric), search.is_some_and(|it| it.alike)];
    let mut flags = Vec::new();
    flags.extend(asymmetric.then_some("ASYMMETRIC"));
    flags.extend(alike.then_some("ALIKE"));
    Ok(KernelSpec {
        name: NAME,
        source: compose("qap/crossover", &flags)?,
        constants: vec![("LANES", plan.sweep_lanes), ("PLACES", n as u32)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Matrices), Access::Read),
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Units), Access::Read),
            (buffers.get(Buffer::Progress), Access::Write),
            (buffers.get(Buffer::Tours), Access::Write),
        ],
        workgroup_bytes: workgroup_bytes(plan),
        units_per_workgroup: 1,
        twin: match asymmetric {
            true => twin::<true>,
            false => twin::<false>,
        },
    })
}

fn twin<const ASYMMETRIC: bool>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([matrices, state, units], [progress, tours]) = call.buffers();
    let iteration = State::from_words(state).iteration;
    let n = params.facilities as usize;
    let (ants, words) = (params.ants as usize, params.matrix_words as usize);
    let alike: Vec<[Vec<u32>; 2]> = (range.start / ants..range.end.div_ceil(ants))
        .map(|problem| {
            let classes = Matrices::new(&matrices[problem * words..][..words], n, ASYMMETRIC).classes();
            let next = successors(&classes);
            [classes, next]
        })
        .collect();
    let progress = progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS].par_chunks_mut(PROGRESS_WORDS);
    let tours = tours[range.start * n..range.end * n].par_chunks_mut(n);
    tours.zip(progress).enumerate().for_each(|(index, (child, progress))| {
        let (problem, own) = ((range.start + index) / ants, ((range.start + index) % ants) as u32);
        let stream = Stream::new(join(params.seed), iteration, own);
        let drawn = mul_high(stream.word(FIRST_CITY), params.ants - 1);
        let mate = drawn + u32::from(drawn >= own);
        if iteration == 0 {
            child.copy_from_slice(&shuffled(n, stream));
        } else {
            let [mine, theirs] = [own, mate].map(|number| &units[(problem * ants + number as usize) * n..][..n]);
            let [classes, next] = &alike[problem - range.start / ants];
            let theirs = aligned(mine, theirs, classes, next);
            let differing = cross(mine, &theirs, stream, child);
            exchange(&params, stream, differing, child);
        }
        let tag = iteration + 1;
        *ConstructProgress::of_mut(progress) = ConstructProgress { begun: tag, done: tag, step: n as u32 };
    });
}

/// The other parent, facilities that are alike having exchanged their locations so that as many as can be stand where the first has them.
fn aligned(mine: &[u32], theirs: &[u32], classes: &[u32], next: &[u32]) -> Vec<u32> {
    let facility_at = |places: &[u32]| {
        let mut at = vec![0; places.len()];
        (0..).zip(places).for_each(|(facility, &location)| at[location as usize] = facility);
        at
    };
    let [at_mine, at_theirs]: [Vec<usize>; 2] = [facility_at(mine), facility_at(theirs)];
    let is_shared = |location: u32| classes[at_mine[location as usize]] == classes[at_theirs[location as usize]];
    let mut givers: Vec<u32> = (0..mine.len() as u32).collect();
    let place = |(&location, &class): (&u32, &u32)| {
        if is_shared(location) {
            return location;
        }
        let mut giver = givers[class as usize];
        while is_shared(theirs[giver as usize]) {
            giver = next[giver as usize];
        }
        givers[class as usize] = next[giver as usize];
        theirs[giver as usize]
    };
    mine.iter().zip(classes).map(place).collect()
}

/// The location of a facility that has none yet.
const NONE: u32 = constant!("qap/crossover", "NONE");

/// Numbers from 0 on in a random order.
fn shuffled(n: usize, stream: Stream) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    for i in (1..n as u32).rev() {
        order.swap(i as usize, mul_high(stream.word(i), i + 1) as usize);
    }
    order
}

/// Makes the child of both parents, before its exchanges; in how many facilities they differ.
fn cross(mine: &[u32], theirs: &[u32], stream: Stream, child: &mut [u32]) -> u32 {
    let n = child.len();
    let order = shuffled(n, stream);
    let mut taken = vec![false; n];
    let mut differing = 0;
    for ((place, &mine), &theirs) in child.iter_mut().zip(mine).zip(theirs) {
        let shared = mine == theirs;
        *place = if shared { mine } else { NONE };
        differing += u32::from(!shared);
        taken[mine as usize] |= shared;
    }
    for &u in &order {
        if child[u as usize] == NONE {
            let mut both = [mine[u as usize], theirs[u as usize]];
            if stream.word(n as u32 + u) < 1 << 31 {
                both.reverse();
            }
            if let Some(&location) = both.iter().find(|location| !taken[**location as usize]) {
                child[u as usize] = location;
                taken[location as usize] = true;
            }
        }
    }
    let mut free: Vec<u32> = (0..n as u32).filter(|&location| !taken[location as usize]).collect();
    for (&u, i) in order.iter().zip(0..) {
        if child[u as usize] == NONE {
            let drawn = mul_high(stream.word(2 * n as u32 + i), free.len() as u32);
            child[u as usize] = free.swap_remove(drawn as usize);
        }
    }
    differing
}

/// Exchanges pairs of facilities drawn at random, of which one at least is not empty.
fn exchange(params: &Params, stream: Stream, differing: u32, child: &mut [u32]) {
    let n = params.facilities;
    let drawn = mul_high(stream.word(3 * n), params.exchanges + 1);
    let count = drawn + if differing <= params.few { params.more } else { 0 };
    for i in 0..count {
        let [u, v] = [(1, params.filled), (2, n)].map(|(word, of)| mul_high(stream.word(3 * n + word + 2 * i), of));
        child.swap(u as usize, v as usize);
    }
}
