//! The CPU twin of ants that assemble tours.

use rayon::prelude::*;

use super::parts::{Ground, Parts, Tour};
use super::{CUTS, KEPT_HEAD, Params, kept_words};
use crate::aco::fixed::mul_high;
use crate::aco::random::Stream;
use crate::backend::TwinCall;
use crate::kernels::distances::Distances;
use crate::kernels::state::{PROGRESS_WORDS, Progress, State};

/// Sets the stream that pairs ants apart from those of ants.
const PAIRING: u32 = u32::MAX - 2;

pub(super) fn twin<const FROM: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, tours, positions, neighbours, distances, trails], [progress, assemblies]) = call.buffers();
    let state = State::from_words(state);
    let (cities, ants) = (params.cities as usize, params.ants as usize);
    let ground = Ground::<FROM> {
        cities,
        ants,
        ranks: params.neighbours as usize,
        pitch: 4 * params.pairs as usize,
        neighbours,
        distances: Distances { words: distances, cities },
        trails,
    };
    let seed = u64::from(params.seed[0]) | u64::from(params.seed[1]) << 32;
    let shift = 1 + mul_high(Stream::new(seed, state.iteration, PAIRING).word(0), params.ants - 1) as usize;
    let tour = |ant: usize| {
        let range = ant * cities..(ant + 1) * cities;
        Tour { cities: &tours[range.clone()], positions: &positions[range] }
    };
    let words = kept_words(cities);
    let walks = params.walks as usize;
    let kept = assemblies[range.start * words..range.end * words].par_chunks_mut(walks * words);
    let progress: &mut [Progress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    kept.zip(progress.par_chunks_mut(walks)).enumerate().for_each(|(index, (kept, progress))| {
        let ant = range.start / walks + index;
        let sides = [tour(ant), tour((ant + shift) % ants)];
        let open = open_edges(sides);
        let mut parts = Parts::new(cities);
        for (number, (kept, progress)) in kept.chunks_mut(words).zip(progress).enumerate() {
            let stream = Stream::new(seed, state.iteration, (ant * walks + number) as u32);
            let mut walk = Walk::new(sides, open.clone());
            // Anything that gains is better than no gain at a loss.
            kept[..KEPT_HEAD].copy_from_slice(&[0, 1, 0, 0]);
            let (mut attempts, mut gained) = (0, 0);
            while attempts < params.attempts && gained < params.gains {
                let Some(cycle) = walk.cycle(stream) else { break };
                if cycle.len() > 2 * CUTS {
                    continue;
                }
                attempts += 1;
                parts.exchange(&ground, walk.sides[0], &cycle);
                if !parts.join_all(&ground, walk.sides[0]) {
                    continue;
                }
                gained += 1;
                if is_better(parts.gain, parts.lost(), [kept[0], kept[1]]) {
                    let mut count = 0;
                    for path in parts.told() {
                        kept[KEPT_HEAD + 4 * count..KEPT_HEAD + 4 * count + 4].copy_from_slice(&path);
                        count += 1;
                    }
                    kept[..3].copy_from_slice(&[parts.gain, parts.lost(), count as u32]);
                }
            }
            (progress.rounds, progress.queued, progress.moves) = (attempts, gained, walk.drawn);
            progress.construct_done = state.iteration + 1;
            progress.search_done = state.iteration + 1;
        }
    });
}

/// Whether an attempt is better than another: it gains more for each bit of entropy lost, or more where none is.
pub(in crate::kernels) fn is_better(gain: u32, loss: u32, [best_gain, best_loss]: [u32; 2]) -> bool {
    match (loss, best_loss) {
        (0, 0) => gain > best_gain,
        _ => u64::from(gain) * u64::from(best_loss) > u64::from(best_gain) * u64::from(loss),
    }
}

/// The edges of each tour that the other has not, by the position before them.
fn open_edges(sides: [Tour<'_>; 2]) -> [Vec<bool>; 2] {
    let open = |mine: Tour<'_>, other: Tour<'_>| {
        let place = |position: usize| other.position(mine.cities[position]);
        let differs = |position: usize| {
            let (a, b) = (place(position), place(mine.turned(position + 1)));
            other.turned(a + 1) != b && other.turned(b + 1) != a
        };
        (0..mine.cities.len()).map(differs).collect()
    };
    [open(sides[0], sides[1]), open(sides[1], sides[0])]
}

/// A walk along edges that the ant's own tour and the other's have alone, of both by turns.
struct Walk<'a> {
    sides: [Tour<'a>; 2],
    /// Edges of each tour that are open: the other has them not, and no walk has taken them; by the position before them.
    open: [Vec<bool>; 2],
    walked: Vec<u32>,
    /// For each city its even and its odd place on the walk, counted from 1; 0: it is not there.
    marks: Vec<[u32; 2]>,
    drawn: u32,
}

impl<'a> Walk<'a> {
    fn new(sides: [Tour<'a>; 2], open: [Vec<bool>; 2]) -> Self {
        let n = sides[0].cities.len();
        Self { sides, open, walked: Vec::new(), marks: vec![[0; 2]; n], drawn: 0 }
    }

    /// Begins at either end of the open edge of the own tour that comes next from a random position on; `false` without any.
    fn begin(&mut self, stream: Stream) -> bool {
        let own = self.sides[0];
        let n = own.cities.len();
        let word = stream.word(self.drawn);
        let first = mul_high(word, n as u32) as usize;
        let Some(at) = (first..n).chain(0..first).find(|&position| self.open[0][position]) else { return false };
        let city = own.cities[if word & 1 == 1 { own.turned(at + 1) } else { at }];
        self.walked.push(city);
        self.marks[city as usize][0] = 1;
        self.drawn += 1;
        true
    }

    /// Walks on until a cycle closes, which begins with an edge of the own tour; `None` when no edge is open any more.
    fn cycle(&mut self, stream: Stream) -> Option<Vec<u32>> {
        if self.walked.is_empty() && !self.begin(stream) {
            return None;
        }
        loop {
            let place = self.walked.len() - 1;
            let side = self.sides[place % 2];
            let position = side.position(self.walked[place]);
            let before = side.before(position);
            let open = &mut self.open[place % 2];
            let forward = if open[position] && open[before] {
                self.drawn += 1;
                stream.word(self.drawn - 1) & 1 == 1
            } else {
                open[position]
            };
            open[if forward { position } else { before }] = false;
            let city = side.cities[if forward { side.turned(position + 1) } else { before }];
            let mark = self.marks[city as usize][(place + 1) % 2];
            if mark == 0 {
                self.walked.push(city);
                self.marks[city as usize][(place + 1) % 2] = self.walked.len() as u32;
                continue;
            }
            let begin = mark as usize - 1;
            let mut cycle = self.walked[begin..].to_vec();
            cycle.rotate_left(begin % 2);
            for (place, &city) in self.walked.iter().enumerate().skip(begin + 1) {
                self.marks[city as usize][place % 2] = 0;
            }
            // A walk that is back where it began ends there.
            if begin == 0 {
                self.marks[self.walked[0] as usize][0] = 0;
                self.walked.clear();
            } else {
                self.walked.truncate(begin + 1);
            }
            return Some(cycle);
        }
    }
}
