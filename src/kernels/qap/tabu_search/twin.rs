//! The CPU twin of the search of assignments. What it keeps in tables is in `tables`.

use std::sync::Arc;

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;

use crate::algorithm::fixed::mul_high;
use crate::algorithm::random::Stream;
use crate::backend::{Clock, TwinCall};
use crate::kernels::qap::tabu_search::tables::{Entries, Tables};
use crate::kernels::qap::tabu_search::{Params, SearchProgress};
use crate::kernels::shared::progress::{PROGRESS_WORDS, search_of};
use crate::kernels::shared::state::{State, join, split};
use crate::wgsl::constant;

/// Sets the streams of searches apart from those of construction.
const SEARCHING: u32 = constant!("qap/tabu_search", "SEARCHING");

/// Entries of tables between two looks at the clock.
const LOOK_EVERY: usize = 1 << 18;
/// Facilities whose part tables get before that, at least: of large ones a stack stays in the cache meanwhile.
const MADE_TOGETHER: usize = 64;

/// What a search keeps when its call is interrupted.
struct Kept {
    tables: Tables,
    found: Found,
}

/// How a search has gone; costs above that of the constructed assignment.
#[derive(Default)]
struct Found {
    rounds: u32,
    moves: u32,
    present: i64,
    least: i64,
}

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
    let level = Level::new();
    let clock = call.clock();
    let (ants, words) = (params.ants as usize, params.matrix_words as usize);
    let first = range.start / ants;
    let problems = matrices.par_chunks(words).skip(first).take(range.end.div_ceil(ants) - first);
    let entries: Arc<Vec<Entries>> =
        clock.shared(|| problems.map(|matrices| Entries::new(matrices, n, ASYMMETRIC)).collect());
    let progress = progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS].par_chunks_mut(PROGRESS_WORDS);
    let tours = tours[range.start * n..range.end * n].par_chunks_mut(n);
    tours.zip(progress).enumerate().for_each(|(index, (best, progress))| {
        let progress: &mut SearchProgress = search_of(progress);
        if progress.done == tag {
            return;
        }
        let ant = range.start + index;
        let stream = Stream::new(seed, state.iteration, (ant % ants) as u32 ^ SEARCHING);
        let entries = &entries[ant / ants - first];
        let work = |kept: &mut Option<Kept>| {
            let kept = kept.get_or_insert_with(|| Kept {
                tables: Tables::new(best, entries, params.filled as usize),
                found: Found::default(),
            });
            let search = Search::<TABU, ASYMMETRIC> { params: &params, entries, stream, clock };
            if !dispatch!(level, simd => search.run(simd, kept, best)) {
                return false;
            }
            let found = &kept.found;
            progress.begun = tag;
            progress.done = tag;
            progress.iterations = found.rounds;
            progress.moves = found.moves;
            [progress.present_low, progress.present_high] = split(found.present as u64);
            [progress.least_low, progress.least_high] = split(found.least as u64);
            true
        };
        clock.unit(ant as u32, || None, work);
    });
}

/// What stays while an assignment is searched.
struct Search<'a, const TABU: bool, const ASYMMETRIC: bool> {
    params: &'a Params,
    entries: &'a Entries,
    stream: Stream,
    clock: Clock<'a>,
}

impl<const TABU: bool, const ASYMMETRIC: bool> Search<'_, TABU, ASYMMETRIC> {
    /// Searches on, and keeps the best assignment; whether the search has ended.
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, kept: &mut Kept, best: &mut [u32]) -> bool {
        let Kept { tables, found } = kept;
        let n = best.len();
        let looks = (LOOK_EVERY / (n * n)).max(1);
        while !tables.begin::<S, ASYMMETRIC>(simd, self.entries, looks.max(MADE_TOGETHER)) {
            if self.clock.is_up() {
                return false;
            }
        }
        let mut passed = 0;
        while found.rounds < self.params.iterations {
            passed += 1;
            if passed > looks {
                passed = 1;
                if self.clock.is_up() {
                    return false;
                }
            }
            let iteration = found.rounds;
            found.rounds += 1;
            // Visited or not, what leads to less than the least cost so far is allowed.
            let aspiration = i32::try_from(found.least - found.present).unwrap_or(i32::MIN);
            let Some((change, [r, s])) = tables.pass::<S, TABU, ASYMMETRIC>(simd, iteration as i32, aspiration) else {
                tables.forget_vectors();
                continue;
            };
            if !TABU && change >= 0 {
                break;
            }
            found.present += i64::from(change);
            found.moves += 1;
            if TABU {
                // r comes before s: it is not empty.
                tables.mark_tabu(self.entries, r, self.tabu_until(iteration, 2 * iteration));
                if s < self.params.filled as usize {
                    tables.mark_tabu(self.entries, s, self.tabu_until(iteration, 2 * iteration + 1));
                }
            }
            tables.exchange::<S, ASYMMETRIC>(simd, self.entries, r, s);
            if TABU {
                tables.bar(simd, self.entries, r);
                tables.bar(simd, self.entries, s);
            }
            if found.present < found.least {
                found.least = found.present;
                best.copy_from_slice(tables.places());
            }
        }
        true
    }

    /// The first iteration in which a facility that moves may go back: later by the tenure times the cube of a uniform deviate.
    fn tabu_until(&self, iteration: u32, counter: u32) -> i32 {
        let word = self.stream.word(counter);
        (iteration + 1 + mul_high(mul_high(mul_high(word, word), word), self.params.tenure)) as i32
    }
}
