//! The CPU twin of the search of assignments.
//!
//! It keeps the change of cost of every pair u < v in rows, so that one pass over contiguous numbers shifts all changes by what
//! an exchange does to them (equation 5 of Tsutsui and Fujimoto 2011 as a difference of products) and finds the least one. The
//! 2n − 3 pairs that the equation does not hold for come from the table of products, which is kept beside the changes by one
//! multiplication an entry; they are set before the pass to what it turns into the right values.
#![allow(unsafe_code, reason = "the same code for processors with AVX2")]

use rayon::prelude::*;

use crate::algorithm::fixed::mul_high;
use crate::algorithm::random::Stream;
use crate::backend::{Clock, TwinCall};
use crate::kernels::qap::delta_table::{NEVER, add_products, corner};
use crate::kernels::qap::matrices::{
    DISTANCE_CORNERS, DISTANCES_BACK, DISTANCES_THERE, FLOW_CORNERS, FLOWS_BACK, FLOWS_THERE, Matrices, PLACING,
};
use crate::kernels::qap::tabu_search::{Params, SearchProgress};
use crate::kernels::shared::progress::{PROGRESS_WORDS, search_of};
use crate::kernels::shared::state::{State, join, split};
use crate::wgsl::constant;

/// Sets the streams of searches apart from those of construction.
const SEARCHING: u32 = constant!("qap/tabu_search", "SEARCHING");
/// The change that stands for an exchange that is not allowed.
const NONE: i32 = i32::MAX;

/// What is known while an assignment is searched; rows are `n` apart.
struct Search<'a, const TABU: bool, const ASYMMETRIC: bool> {
    matrices: Matrices<'a>,
    n: usize,
    /// The first of the facilities that may stand for each.
    classes: &'a [u32],
    /// The location of each facility.
    places: &'a mut [u32],
    /// For u < v what their exchange adds to the cost.
    changes: &'a mut [i32],
    /// The table of products.
    products: &'a mut [i32],
    /// facilities × locations: the first iteration in which a facility, or one like it, may go back to a location.
    tabu: &'a mut [i32],
    /// For u < v the first iteration in which their exchange is not tabu.
    barred: &'a mut [i32],
    /// By the last exchange: flows from one less those from the other facility, and distances likewise.
    x: &'a mut [i32],
    y: &'a mut [i32],
    x_back: &'a mut [i32],
    y_back: &'a mut [i32],
    /// Distances from the new location of one facility less those from its old one, by location.
    toward: &'a mut [i32],
    toward_back: &'a mut [i32],
}

/// What a search keeps when its call is interrupted.
struct Kept {
    places: Vec<u32>,
    square: [Vec<i32>; 4],
    vectors: [Vec<i32>; 6],
    /// Facilities whose part the table of products has; one more when all changes are there, too.
    tables: usize,
    found: Found,
}

impl Kept {
    fn new(places: &[u32]) -> Self {
        let n = places.len();
        let (square, vectors) = ([0; 4].map(|_| vec![0; n * n]), [0; 6].map(|_| vec![0; n]));
        Self { places: places.to_vec(), square, vectors, tables: 0, found: Found::default() }
    }
}

/// Entries of tables between two looks at the clock.
const LOOK_EVERY: usize = 1 << 18;

/// The twin, for tabu search or 2-opt.
pub(in crate::kernels) fn twin<const TABU: bool, const ASYMMETRIC: bool>(call: &mut TwinCall<'_>) {
    let mut params: Params = call.params();
    let range = call.range();
    let ([matrices, state], [progress, tours]) = call.buffers();
    let state = State::from_words(state);
    let tag = state.iteration + 1;
    params.iterations = params.iterations_of(state.iteration);
    let seed = join(params.seed);
    let n = params.facilities as usize;
    let matrices = Matrices::new(matrices, n);
    let classes = matrices.classes(ASYMMETRIC);
    let progress = progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS].par_chunks_mut(PROGRESS_WORDS);
    let tours = tours[range.start * n..range.end * n].par_chunks_mut(n);
    let clock = call.clock();
    tours.zip(progress).enumerate().for_each(|(index, (best, progress))| {
        let progress: &mut SearchProgress = search_of(progress);
        if progress.done == tag {
            return;
        }
        let ant = (range.start + index) as u32;
        let stream = Stream::new(seed, state.iteration, ant ^ SEARCHING);
        let work = |kept: &mut Option<Kept>| {
            let kept = kept.get_or_insert_with(|| Kept::new(best));
            let [changes, products, tabu, barred] = &mut kept.square;
            let [x, y, x_back, y_back, toward, toward_back] = &mut kept.vectors;
            let mut search = Search::<TABU, ASYMMETRIC> {
                matrices,
                n,
                classes: &classes,
                places: &mut kept.places,
                changes,
                products,
                tabu,
                barred,
                x,
                y,
                x_back,
                y_back,
                toward,
                toward_back,
            };
            let found = &mut kept.found;
            if kept.tables == 0 {
                search.bar_alike(params.filled as usize);
            }
            if !search.begin(&mut kept.tables, clock) || !search.run(&params, stream, (best, found), clock) {
                return false;
            }
            progress.begun = tag;
            progress.done = tag;
            progress.iterations = found.rounds;
            progress.moves = found.moves;
            [progress.present_low, progress.present_high] = split(found.present as u64);
            [progress.least_low, progress.least_high] = split(found.least as u64);
            true
        };
        clock.unit(ant, || None, work);
    });
}

/// How a search has gone; costs above that of the constructed assignment.
#[derive(Default)]
struct Found {
    rounds: u32,
    moves: u32,
    present: i64,
    least: i64,
}

impl<const TABU: bool, const ASYMMETRIC: bool> Search<'_, TABU, ASYMMETRIC> {
    /// Searches on, and keeps the best assignment; whether the search has ended.
    fn run(&mut self, params: &Params, stream: Stream, kept: (&mut [u32], &mut Found), clock: Clock<'_>) -> bool {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just said that it has these instructions.
            return unsafe { self.run_avx2(params, stream, kept, clock) };
        }
        self.run_here(params, stream, kept, clock)
    }

    /// The same code, compiled for processors with AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn run_avx2(&mut self, params: &Params, stream: Stream, kept: (&mut [u32], &mut Found), clock: Clock<'_>) -> bool {
        self.run_here(params, stream, kept, clock)
    }

    #[inline(always)]
    fn run_here(
        &mut self,
        params: &Params,
        stream: Stream,
        (best, found): (&mut [u32], &mut Found),
        clock: Clock<'_>,
    ) -> bool {
        let (mut passed, looks) = (0, (LOOK_EVERY / (self.n * self.n)).max(1));
        while found.rounds < params.iterations {
            passed += 1;
            if passed > looks {
                passed = 1;
                if clock.is_up() {
                    return false;
                }
            }
            let iteration = found.rounds;
            found.rounds += 1;
            // Visited or not, what leads to less than the least cost so far is allowed.
            let aspiration = i32::try_from(found.least - found.present).unwrap_or(i32::MIN);
            let Some((change, r, s)) = self.pass(iteration as i32, aspiration) else {
                self.forget_vectors();
                continue;
            };
            if !TABU && change >= 0 {
                break;
            }
            found.present += i64::from(change);
            found.moves += 1;
            let [at_r, at_s] = [self.places[r], self.places[s]];
            self.exchange(r, s);
            if TABU {
                let until = |counter: u32| {
                    let word = stream.word(counter);
                    iteration + 1 + mul_high(mul_high(mul_high(word, word), word), params.tenure)
                };
                self.tabu[self.class(r) * self.n + at_r as usize] = until(2 * iteration) as i32;
                // r comes before s: it is not empty.
                if s < params.filled as usize {
                    self.tabu[self.class(s) * self.n + at_s as usize] = until(2 * iteration + 1) as i32;
                }
                self.bar(r);
                self.bar(s);
            }
            if found.present < found.least {
                found.least = found.present;
                best.copy_from_slice(self.places);
            }
        }
        true
    }

    fn class(&self, facility: usize) -> usize {
        self.classes[facility] as usize
    }

    /// Empty facilities, those from `filled` on, may go back nowhere; two of them, or two others that are alike, are never exchanged.
    fn bar_alike(&mut self, filled: usize) {
        let n = self.n;
        self.tabu[filled * n..].fill(NEVER as i32);
        for (u, row) in self.barred.chunks_exact_mut(n).enumerate() {
            let alike = |v: usize| u.min(v) >= filled || self.classes[u] == self.classes[v];
            row.iter_mut().enumerate().filter(|(v, _)| alike(*v)).for_each(|(_, until)| *until = NEVER as i32);
        }
    }

    /// The tables of the constructed assignment, of which `made` facilities' parts are there; whether all are.
    fn begin(&mut self, made: &mut usize, clock: Clock<'_>) -> bool {
        let n = self.n;
        let each = (LOOK_EVERY / (n * n)).max(1);
        if *made == 0 {
            for (u, row) in self.products.chunks_exact_mut(n).enumerate() {
                row.copy_from_slice(self.matrices.row(PLACING, u));
            }
        }
        while *made < n {
            let facilities = *made..n.min(*made + each);
            *made = facilities.end;
            add_products(&self.matrices, self.places, ASYMMETRIC, facilities, n, self.products);
            if clock.is_up() {
                return false;
            }
        }
        if *made > n {
            return true;
        }
        *made += 1;
        for u in 0..n {
            for v in u + 1..n {
                let m = |a: usize, b: usize| self.products[a * n + self.places[b] as usize];
                let sum = m(u, v).wrapping_add(m(v, u)).wrapping_sub(m(u, u)).wrapping_sub(m(v, v));
                self.changes[u * n + v] = sum.wrapping_add(corner(&self.matrices, self.places, u, v));
            }
        }
        true
    }

    /// Without an exchange the next pass shifts nothing.
    fn forget_vectors(&mut self) {
        for vector in [&mut self.x, &mut self.y, &mut self.x_back, &mut self.y_back] {
            vector.fill(0);
        }
    }

    /// Shifts all changes by the last exchange; the allowed exchange of least change, the lowest pair on a tie.
    #[inline(always)]
    fn pass(&mut self, iteration: i32, aspiration: i32) -> Option<(i32, usize, usize)> {
        let n = self.n;
        // Bitwise, for a vector of changes takes no branches.
        let open = |change: i32, barred: i32| !TABU | (change < aspiration) | (barred <= iteration);
        let (mut least, mut row) = (NONE, 0);
        for u in 0..n - 1 {
            let rest = u * n + u + 1..(u + 1) * n;
            let low = shift_row::<ASYMMETRIC>(
                &mut self.changes[rest.clone()],
                &self.barred[rest],
                [self.x[u], self.y[u], self.x_back[u], self.y_back[u]],
                [&self.x[u + 1..n], &self.y[u + 1..n], &self.x_back[u + 1..n], &self.y_back[u + 1..n]],
                open,
            );
            if low < least {
                (least, row) = (low, u);
            }
        }
        if least == NONE {
            return None;
        }
        let rest = row * n + row + 1..(row + 1) * n;
        let mut pairs = self.changes[rest.clone()].iter().zip(&self.barred[rest]);
        let place = pairs.position(|(&change, &barred)| change == least && open(change, barred))?;
        Some((least, row, row + 1 + place))
    }

    /// Exchanges the locations of two facilities, keeps the table of products, and sets the changes of their pairs.
    #[inline(always)]
    fn exchange(&mut self, r: usize, s: usize) {
        let n = self.n;
        let at = [self.places[r], self.places[s]];
        self.places.swap(r, s);
        set_vectors(
            &self.matrices,
            [FLOWS_THERE, DISTANCES_THERE],
            [r, s],
            at,
            self.places,
            [self.x, self.y, self.toward],
        );
        if ASYMMETRIC {
            let vectors = [&mut *self.x_back, &mut *self.y_back, &mut *self.toward_back];
            set_vectors(&self.matrices, [FLOWS_BACK, DISTANCES_BACK], [r, s], at, self.places, vectors);
        }
        for (u, row) in self.products.chunks_exact_mut(n).enumerate() {
            add_product(row, self.x[u], self.toward);
            if ASYMMETRIC {
                add_product(row, self.x_back[u], self.toward_back);
            }
        }
        self.set_changes(r);
        self.set_changes(s);
    }

    /// Sets the changes of all pairs with `moved` to what the next pass turns into the right ones.
    #[inline(always)]
    fn set_changes(&mut self, moved: usize) {
        let n = self.n;
        let flow_corners = self.matrices.row(FLOW_CORNERS, moved);
        let distance_corners = self.matrices.row(DISTANCE_CORNERS, self.places[moved] as usize);
        let m = |a: usize, b: usize| self.products[a * n + self.places[b] as usize];
        for v in 0..n {
            let corner = flow_corners[v].wrapping_mul(distance_corners[self.places[v] as usize]);
            let sum = m(moved, v).wrapping_add(m(v, moved)).wrapping_sub(m(moved, moved)).wrapping_sub(m(v, v));
            let between = |x: &[i32], y: &[i32]| x[moved].wrapping_sub(x[v]).wrapping_mul(y[moved].wrapping_sub(y[v]));
            let mut change = sum.wrapping_add(corner).wrapping_add(between(self.x, self.y));
            if ASYMMETRIC {
                change = change.wrapping_add(between(self.x_back, self.y_back));
            }
            // On the diagonal nobody reads.
            self.changes[moved.min(v) * n + moved.max(v)] = change;
        }
    }

    /// Notes from when on the exchanges of `moved` are not tabu.
    #[inline(always)]
    fn bar(&mut self, moved: usize) {
        let n = self.n;
        let (at, class) = (self.places[moved] as usize, self.class(moved));
        for v in 0..n {
            let forth = self.tabu[class * n + self.places[v] as usize];
            let back = self.tabu[self.class(v) * n + at];
            let until = if self.class(v) == class { NEVER as i32 } else { forth.min(back) };
            self.barred[moved.min(v) * n + moved.max(v)] = until;
        }
    }
}

/// Shifts the changes of a facility's exchanges with those behind it, `here` and `behind` being the entries of the four vectors;
/// the least of those that are `open`.
#[inline(always)]
fn shift_row<const ASYMMETRIC: bool>(
    changes: &mut [i32],
    barred: &[i32],
    here: [i32; 4],
    behind: [&[i32]; 4],
    open: impl Fn(i32, i32) -> bool,
) -> i32 {
    let [x, y, x_back, y_back] = behind;
    let mut low = NONE;
    let there = changes.iter_mut().zip(barred).zip(x).zip(y);
    for ((((change, &barred), &x), &y), (&x_back, &y_back)) in there.zip(x_back.iter().zip(y_back)) {
        let mut shift = here[0].wrapping_sub(x).wrapping_mul(here[1].wrapping_sub(y));
        if ASYMMETRIC {
            shift = shift.wrapping_add(here[2].wrapping_sub(x_back).wrapping_mul(here[3].wrapping_sub(y_back)));
        }
        *change = change.wrapping_sub(shift);
        low = low.min(if open(*change, barred) { *change } else { NONE });
    }
    low
}

/// The vectors of an exchange of the `moved` facilities from `at`, `places` being those after it.
#[inline(always)]
fn set_vectors(
    matrices: &Matrices<'_>,
    [flows, distances]: [usize; 2],
    moved: [usize; 2],
    at: [u32; 2],
    places: &[u32],
    [x, y, toward]: [&mut [i32]; 3],
) {
    let [flows_r, flows_s] = moved.map(|row| matrices.row(flows, row));
    let [from_r, from_s] = at.map(|row| matrices.row(distances, row as usize));
    let difference = |(x, (r, s)): (&mut i32, (&i32, &i32))| *x = r.wrapping_sub(*s);
    x.iter_mut().zip(flows_r.iter().zip(flows_s)).for_each(difference);
    toward.iter_mut().zip(from_s.iter().zip(from_r)).for_each(difference);
    for (y, &place) in y.iter_mut().zip(places) {
        *y = toward[place as usize];
    }
}

/// row += x · y.
#[inline(always)]
fn add_product(row: &mut [i32], x: i32, y: &[i32]) {
    for (sum, &y) in row.iter_mut().zip(y) {
        *sum = sum.wrapping_add(x.wrapping_mul(y));
    }
}
