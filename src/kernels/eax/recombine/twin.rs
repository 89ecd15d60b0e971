//! The CPU twin of edge assembly crossover.

use std::iter;

use rayon::prelude::*;

use crate::algorithm::fixed::mul_high;
use crate::algorithm::random::Stream;
use crate::backend::TwinCall;
use crate::kernels::eax::WalkProgress;
use crate::kernels::eax::recombine::inputs::{Ground, Tour};
use crate::kernels::eax::recombine::sub_tours::Parts;
use crate::kernels::eax::recombine::{CUTS, GROWTHS, KEPT_HEAD, Params, WALK, kept_words};
use crate::kernels::shared::distances::Distances;
use crate::kernels::shared::progress::PROGRESS_WORDS;
use crate::kernels::shared::state::{State, join};
use crate::wgsl::constant;

/// Sets the stream that pairs individuals apart from those of individuals.
const PAIRING: u32 = constant!("eax/recombine", "PAIRING");

pub(in crate::kernels) fn twin<const FROM: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, tours, positions, neighbours, distances, trails], [progress, offspring]) = call.buffers();
    let state = State::from_words(state);
    let (cities, individuals) = (params.cities as usize, params.individuals as usize);
    let ground = Ground::<FROM> {
        cities,
        individuals,
        ranks: params.neighbours as usize,
        pitch: 4 * params.pairs as usize,
        neighbours,
        distances: Distances::new(call, distances, cities),
        trails,
        paired: params.paired,
    };
    let seed = join(params.seed);
    let shift = 1 + mul_high(Stream::new(seed, state.iteration, PAIRING).word(0), params.individuals - 1) as usize;
    let tour = |individual: usize| {
        let range = individual * cities..(individual + 1) * cities;
        Tour { cities: &tours[range.clone()], positions: &positions[range] }
    };
    let words = kept_words(cities);
    let walks = params.walks as usize;
    let kept = offspring[range.start * words..range.end * words].par_chunks_mut(walks * words);
    let progress: &mut [WalkProgress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    let memory = || (Parts::new(cities), Walk::new([tour(0); 2]));
    let clock = call.clock();
    let of_ants = kept.zip(progress.par_chunks_mut(walks)).enumerate();
    of_ants.for_each_init(memory, |(sub_tours, walk), (index, (kept, progress))| {
        let individual = range.start / walks + index;
        // An interrupted call leaves whole walks to be made.
        let work = |made: &mut usize| {
            let counted = individual < individuals;
            walk.take_sides([tour(individual), tour(if counted { (individual + shift) % individuals } else { shift })]);
            for (number, (kept, progress)) in kept.chunks_mut(words).zip(progress).enumerate().skip(*made) {
                let stream = Stream::new(seed, state.iteration, (individual * walks + number) as u32);
                let grows = number >= walks - params.block_walks as usize;
                make_children((sub_tours, walk), &ground, &params, stream, (grows, counted), (kept, progress));
                progress.construct_done = state.iteration + 1;
                progress.search_done = state.iteration + 1;
                *made = number + 1;
                if *made < walks && clock.is_up() {
                    return false;
                }
            }
            true
        };
        clock.unit(individual as u32, || 0, work);
    });
}

/// The children of a walk; the best one is kept. What entropy loses is not `counted` where parent A is not of the population.
fn make_children<const FROM: u8>(
    (sub_tours, walk): (&mut Parts, &mut Walk<'_>),
    ground: &Ground<'_, FROM>,
    params: &Params,
    stream: Stream,
    (grows, counted): (bool, bool),
    (kept, progress): (&mut [u32], &mut WalkProgress),
) {
    walk.set_out();
    // Anything that gains is better than no gain at a loss.
    kept[..KEPT_HEAD].copy_from_slice(&[0, 1, 0, 0]);
    let (mut children, mut gained) = (0, 0);
    while children < params.children && gained < params.accept_after {
        let Some(exchanged) = walk.exchange(ground, sub_tours, stream, grows) else { break };
        // Longer cycles are no children, but where they grow.
        children += u32::from(exchanged || grows);
        if !exchanged {
            continue;
        }
        if !sub_tours.join_all(ground, walk.sides[0]) {
            continue;
        }
        gained += 1;
        let lost = if counted { sub_tours.lost() } else { 0 };
        if is_better(sub_tours.gain, lost, [kept[0], kept[1]]) {
            let mut count = 0;
            for path in sub_tours.told() {
                kept[KEPT_HEAD + 4 * count..KEPT_HEAD + 4 * count + 4].copy_from_slice(&path);
                count += 1;
            }
            kept[..3].copy_from_slice(&[sub_tours.gain, lost, count as u32]);
        }
    }
    (progress.children, progress.gained, progress.drawn) = (children, gained, walk.drawn);
}

/// Whether a child is better than another: it gains more for each bit of entropy lost, or more where none is.
pub(in crate::kernels) fn is_better(gain: u32, loss: u32, [best_gain, best_loss]: [u32; 2]) -> bool {
    match (loss, best_loss) {
        (0, 0) => gain > best_gain,
        _ => u64::from(gain) * u64::from(best_loss) > u64::from(best_gain) * u64::from(loss),
    }
}

/// A walk along edges that only one of both parents has, of A and of B in turn.
struct Walk<'a> {
    sides: [Tour<'a>; 2],
    /// Whether edges of each tour are open, by the position before them: the other has them not, and the walk has not taken them. `None`
    /// before anybody asked.
    open: [Vec<Option<bool>>; 2],
    /// Edges that the walk has taken: the tour and the position before them.
    taken: Vec<(usize, usize)>,
    walked: Vec<u32>,
    /// For each city its even and its odd place on the walk, counted from 1; 0: it is not there.
    marks: Vec<[u32; 2]>,
    drawn: u32,
}

impl<'a> Walk<'a> {
    fn new(sides: [Tour<'a>; 2]) -> Self {
        let n = sides[0].cities.len();
        let open = [vec![None; n], vec![None; n]];
        Self { sides, open, taken: Vec::new(), walked: Vec::new(), marks: vec![[0; 2]; n], drawn: 0 }
    }

    /// Walks are along edges of these tours from now on.
    fn take_sides(&mut self, sides: [Tour<'a>; 2]) {
        self.sides = sides;
        self.taken.clear();
        self.open.iter_mut().for_each(|open| open.fill(None));
    }

    /// Begins another walk.
    fn set_out(&mut self) {
        self.go_back(0, 0);
        self.taken.drain(..).for_each(|(side, position)| self.open[side][position] = Some(true));
        self.drawn = 0;
    }

    #[inline]
    fn is_open(&mut self, side: usize, position: usize) -> bool {
        let (mine, other) = (self.sides[side], self.sides[1 - side]);
        *self.open[side][position].get_or_insert_with(|| {
            let [a, b] = [position, mine.turned(position + 1)].map(|at| other.position(mine.cities[at]));
            let apart = a.abs_diff(b);
            (apart != 1) & (apart != mine.cities.len() - 1)
        })
    }

    /// Begins at either end of an open edge of the own tour: the first of those `within`, or of all, from a random position on; `false`
    /// without any.
    fn begin(&mut self, stream: Stream, within: Option<impl Iterator<Item = usize>>) -> bool {
        let own = self.sides[0];
        let n = own.cities.len();
        let word = stream.word(self.drawn);
        let first = mul_high(word, n as u32) as usize;
        let mut is_open = |position: &usize| self.is_open(0, *position);
        let found = match within {
            Some(within) => within.filter(is_open).min_by_key(|&position| own.turned(position + n - first)),
            None => (first..n).find(&mut is_open).or_else(|| (0..first).find(is_open)),
        };
        let Some(at) = found else { return false };
        let city = own.cities[if word & 1 == 1 { own.turned(at + 1) } else { at }];
        self.walked.push(city);
        self.marks[city as usize][0] = 1;
        self.drawn += 1;
        true
    }

    /// Walks on until a cycle closes, for so many edges at most; where on the walk it begins.
    fn trace(&mut self, stream: Stream, most: u32) -> Option<usize> {
        for _ in 0..most {
            let place = self.walked.len() - 1;
            let side = self.sides[place % 2];
            let position = side.position(self.walked[place]);
            let before = side.before(position);
            let forth = self.is_open(place % 2, position);
            let forward = if forth && self.is_open(place % 2, before) {
                self.drawn += 1;
                stream.word(self.drawn - 1) & 1 == 1
            } else {
                forth
            };
            let edge = if forward { position } else { before };
            self.open[place % 2][edge] = Some(false);
            self.taken.push((place % 2, edge));
            let city = side.cities[if forward { side.turned(position + 1) } else { before }];
            let mark = &mut self.marks[city as usize][(place + 1) % 2];
            if *mark != 0 {
                return Some(*mark as usize - 1);
            }
            self.walked.push(city);
            *mark = self.walked.len() as u32;
        }
        None
    }

    /// The cycle that begins at a place of the walk, from an edge of the own tour on.
    fn cycle(&self, begin: usize) -> Vec<u32> {
        let mut cycle = self.walked[begin..].to_vec();
        cycle.rotate_left(begin % 2);
        cycle
    }

    /// Goes back to the walk's first `kept` cities; its first edges, `opened` of them, are open again.
    fn go_back(&mut self, kept: usize, opened: usize) {
        for (place, cities) in self.walked.windows(2).take(opened).enumerate() {
            let side = self.sides[place % 2];
            let [a, b] = [0, 1].map(|end| side.position(cities[end]));
            self.open[place % 2][if side.turned(a + 1) == b { a } else { b }] = Some(true);
        }
        for (place, &city) in self.walked.iter().enumerate().skip(kept) {
            self.marks[city as usize][place % 2] = 0;
        }
        self.walked.truncate(kept);
    }

    /// Exchanges the edges of a cycle, or, of one that `grows`, of more; `false` where it is too long or does not close soon enough,
    /// `None` when no edge is open any more.
    fn exchange<const FROM: u8>(
        &mut self,
        ground: &Ground<'_, FROM>,
        sub_tours: &mut Parts,
        stream: Stream,
        grows: bool,
    ) -> Option<bool> {
        if self.walked.is_empty() && !self.begin(stream, None::<iter::Empty<usize>>) {
            return None;
        }
        sub_tours.begin();
        if grows {
            return Some(self.block(ground, sub_tours, stream));
        }
        // An edge is left wherever a walk comes to, until it closes a cycle.
        let begin = self.trace(stream, u32::MAX)?;
        let cycle = self.cycle(begin);
        // A walk that is back where it began ends there.
        self.go_back(if begin == 0 { 0 } else { begin + 1 }, 0);
        if cycle.len() > 2 * CUTS {
            return Some(false);
        }
        sub_tours.add(ground, self.sides[0], &cycle);
        sub_tours.divide(self.sides[0]);
        Some(true)
    }

    /// The cycle of a walk that has begun, as far as there is room for it beside so many edges, and ends the walk.
    fn whole(&mut self, stream: Stream, exchanged: usize) -> Option<Vec<u32>> {
        let Some(begin) = self.trace(stream, WALK) else {
            self.go_back(0, usize::MAX);
            return None;
        };
        let cycle = self.cycle(begin);
        self.go_back(0, begin);
        (exchanged + cycle.len() / 2 <= CUTS).then_some(cycle)
    }

    /// Exchanges the edges of a cycle and, while there are several sub-tours, of cycles that begin in the smallest one, unless there are more
    /// sub-tours then.
    fn block<const FROM: u8>(&mut self, ground: &Ground<'_, FROM>, sub_tours: &mut Parts, stream: Stream) -> bool {
        let own = self.sides[0];
        let Some(cycle) = self.whole(stream, 0) else { return false };
        sub_tours.add(ground, own, &cycle);
        sub_tours.divide(own);
        for _ in 0..GROWTHS {
            if sub_tours.sub_tours() == 1 {
                break;
            }
            let Some(within) = sub_tours.smallest_part() else { break };
            if !self.begin(stream, Some(within)) {
                break;
            }
            let before = (sub_tours.exchanged(), sub_tours.sub_tours());
            let Some(cycle) = self.whole(stream, before.0.0) else { continue };
            sub_tours.add(ground, own, &cycle);
            sub_tours.divide(own);
            if sub_tours.sub_tours() > before.1 {
                sub_tours.back_to(before.0);
                sub_tours.divide(own);
            }
        }
        true
    }
}
