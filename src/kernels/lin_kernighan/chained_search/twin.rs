//! The CPU twin of the search of whole tours.

use rayon::prelude::*;

use super::{FIRST_STEPS, HEAD_WORDS, Head, Params};
use crate::algorithm::choices::Breadth;
use crate::algorithm::random::Stream;
use crate::backend::TwinCall;
use crate::kernels::lin_kernighan::chained::{Chained, Effort, Journey};
use crate::kernels::lin_kernighan::twin::Search;
use crate::kernels::shared::array_tour::{ArrayTour, Whole};
use crate::kernels::shared::distances::{Distances, MATRIX};
use crate::kernels::shared::progress::{ConstructProgress, PROGRESS_WORDS, SearchTags};
use crate::kernels::shared::queue::Queue;
use crate::kernels::shared::state::{State, join, split};

pub(super) fn twin<const FROM: u8>(call: &mut TwinCall<'_>) {
    match call.params::<Params>().paired {
        0 => search::<FROM, false>(call),
        _ => search::<FROM, true>(call),
    }
}

/// What a search keeps when its call is interrupted.
struct Kept {
    queue: Queue,
    steps: u32,
    journey: Journey,
}

fn search<const FROM: u8, const PAIRED: bool>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, heads, neighbours, distances], [progress, tours, costs, _]) = call.buffers();
    let heads: &[Head] = bytemuck::cast_slice(&heads[..heads.len() / HEAD_WORDS * HEAD_WORDS]);
    let neighbours: &[[u32; 2]] = bytemuck::cast_slice(neighbours);
    let state = State::from_words(state);
    let (room, walks) = (params.cities as usize, params.walks as usize);
    let ranks = 2 * params.pairs as usize;
    let tours = tours[range.start * room..range.end * room].par_chunks_mut(room);
    let progress = progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS].par_chunks_mut(PROGRESS_WORDS);
    let costs: &mut [[u32; 2]] = bytemuck::cast_slice_mut(&mut costs[range.start * 2..range.end * 2]);
    let (clock, call) = (call.clock(), &*call);
    tours.zip(progress).zip(costs).enumerate().for_each(|(index, ((tour, progress), cost))| {
        let walk = range.start + index;
        let head = &heads[walk / walks];
        let (first, cities) = (head.first as usize, head.cities as usize);
        if cities == 0 {
            return;
        }
        let more = if state.iteration == 0 { FIRST_STEPS * head.cities } else { 0 };
        let effort =
            Effort { steps: head.steps + more, kick_length: head.kick_length, rebuild_length: head.rebuild_length };
        let stream = Stream::new(join(head.seed), state.iteration, (walk % walks) as u32);
        let tour = &mut tour[..cities];
        let work = |kept: &mut Option<Kept>| {
            let own = if FROM == MATRIX { distances } else { &distances[2 * first..2 * (first + cities)] };
            let rows = bytemuck::cast_slice(&neighbours[first * ranks..(first + cities) * ranks]);
            let ground = Whole::<FROM, PAIRED>::new(rows, Distances::new(call, own, cities), ranks);
            let Kept { queue, steps, journey } = kept.take().unwrap_or_else(|| {
                let mut queue = Queue::new(cities);
                if state.iteration == 0 {
                    tour.iter().for_each(|&city| queue.enqueue(city));
                }
                Kept { queue, steps: 0, journey: Journey::default() }
            });
            // No path is too long.
            let array = ArrayTour::new(ground.with_pairs(params.paired), tour);
            let mut search = Search::new(array, Breadth::Wide, u32::MAX);
            (search.queue, search.steps) = (queue, steps);
            let mut chained = Chained { search, journey };
            if !chained.run(&effort, stream, |_| {}, clock) {
                let Chained { search: Search { queue, steps, .. }, journey } = chained;
                *kept = Some(Kept { queue, steps, journey });
                return false;
            }
            *cost = split(join(*cost) - u64::from(chained.journey.gain));
            ConstructProgress::of_mut(progress).done = state.iteration + 1;
            SearchTags::of_mut(progress).done = state.iteration + 1;
            true
        };
        clock.unit(walk as u32, || None, work);
    });
}
