//! The CPU twin of the Lin-Kernighan search.

use rayon::prelude::*;

use super::{BREADTH, DEPTH, NARROW_BREADTH, NARROW_DEPTH, Params, STEPS};
use crate::aco::config::Chains;
use crate::backend::{Twin, TwinCall};
use crate::kernels::array_tour::{ArrayTour, Ground, Span, Whole};
use crate::kernels::distances::{MATRIX, NEAREST, THOUSANDTHS, UP};
use crate::kernels::queue::Queue;
use crate::kernels::state::{PROGRESS_WORDS, Progress, State};

/// The twins for chains that are narrow or not, for each kind of distances.
pub(super) fn all<const NARROW: bool>() -> [Twin; 4] {
    [twin::<MATRIX, NARROW>, twin::<NEAREST, NARROW>, twin::<UP, NARROW>, twin::<THOUSANDTHS, NARROW>]
}

fn twin<const FROM: u8, const NARROW: bool>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([neighbours, distances, state, links], [progress, _, tours]) = call.buffers();
    let links: &[[u32; 2]] = bytemuck::cast_slice(links);
    let state = State::from_words(state);
    let cities = params.cities as usize;
    let tours = &mut tours[range.start * cities..range.end * cities];
    let progress: &mut [Progress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    tours.par_chunks_mut(cities).zip(progress).for_each(|(tour, progress)| {
        let ground = Whole::<FROM>::new(neighbours, distances, cities, 2 * params.pairs as usize);
        let chains = if NARROW { Chains::Narrow } else { Chains::Wide };
        let mut search = Search::new(ArrayTour::new(ground, tour), chains, params.long);
        for city in 0..params.cities {
            if state.iteration == 0 || !search.tour.lies_between(city, links[city as usize]) {
                search.queue.enqueue(city);
            }
        }
        (progress.rounds, progress.moves) = search.improve(params.max_looks, params.max_steps);
        progress.search_done = state.iteration + 1;
    });
}

/// A step of a chain: the edge (tip, to) is added, (to, end) removed, and the path between `tip` and `end` reversed.
#[derive(Clone, Copy, Default)]
struct Step {
    tip: u32,
    to: u32,
    end: u32,
    /// What the step could still gain, before the tour is closed: orders alternatives, the greater first.
    value: u32,
    /// The neighbour's rank, which breaks ties.
    rank: u32,
    /// What was reversed.
    span: Span,
}

/// The twin of `shaders/tsp/chain.wgsl`.
pub(in crate::kernels) struct Search<'a, G> {
    pub tour: ArrayTour<'a, G>,
    pub queue: Queue,
    /// Alternatives at the first depths, and the greatest depth.
    breadth: [u32; 3],
    depth: usize,
    /// Positions up to which a path is not long.
    long: u32,
    chain: [Step; DEPTH],
    /// Steps made, those taken back included.
    pub steps: u32,
    /// What the last chain has gained, and the spans it has reversed.
    pub gain: u32,
    pub spans: Vec<Span>,
}

impl<'a, G: Ground> Search<'a, G> {
    pub fn new(tour: ArrayTour<'a, G>, chains: Chains, long: u32) -> Self {
        let (breadth, depth) = match chains {
            Chains::Wide => (BREADTH, DEPTH),
            Chains::Narrow => (NARROW_BREADTH, NARROW_DEPTH),
        };
        let (queue, chain) = (Queue::new(tour.cities.len()), [Step::default(); DEPTH]);
        Self { tour, queue, breadth, depth, long, chain, steps: 0, gain: 0, spans: Vec::with_capacity(DEPTH) }
    }

    /// Empties the queue; returns the cities looked at and the steps made.
    fn improve(&mut self, max_looks: u32, max_steps: u32) -> (u32, u32) {
        let mut looks = 0;
        while looks < max_looks && self.steps < max_steps {
            let Some(city) = self.queue.dequeue() else { break };
            looks += 1;
            self.look(city);
        }
        (looks, self.steps)
    }

    /// Looks for a chain from a city in either direction; whether one was found.
    pub fn look(&mut self, city: u32) -> bool {
        self.improve_city(city, true) || self.improve_city(city, false)
    }

    /// Looks for a chain of steps that begins with the removal of the edge from `city` to the next one, and gains.
    ///
    /// The path from `tip` on, which follows `city` in the direction `forward`, hangs on the city by its closing edge alone;
    /// `open` is what the chain has gained with that edge left out.
    fn improve_city(&mut self, city: u32, mut forward: bool) -> bool {
        let mut depth = 0;
        let mut tip = self.tour.step_from(city, forward);
        if self.tour.ground.is_fixed(city, tip) {
            return false;
        }
        let mut open = self.tour.distance(city, tip);
        let (mut best, mut best_depth) = (0, 0);
        let mut tried = [0; DEPTH];
        let last_step = self.steps + STEPS;
        loop {
            let breadth = self.breadth.get(depth).copied().unwrap_or(1);
            let step = match depth < self.depth && tried[depth] < breadth && self.steps < last_step {
                true => self.next_step(city, forward, tip, open, depth, tried[depth] > 0),
                false => None,
            };
            if let Some(mut step) = step {
                step.span = self.turn(forward, step.tip, step.end);
                self.steps += 1;
                tried[depth] += 1;
                self.chain[depth] = step;
                depth += 1;
                if depth < DEPTH {
                    tried[depth] = 0;
                }
                (tip, open) = (step.end, step.value);
                forward = self.tour.step_from(city, true) == tip;
                let closing = self.tour.distance(tip, city);
                if open > closing && open - closing > best {
                    (best, best_depth) = (open - closing, depth);
                }
                if open > best {
                    continue;
                }
            }
            // No further. With a gain the chain is kept up to where that is greatest; else its last step gives way.
            if best == 0 && depth == 0 {
                return false;
            }
            let keep = if best > 0 { best_depth } else { depth - 1 };
            while depth > keep {
                depth -= 1;
                let step = self.chain[depth];
                self.turn(forward, step.end, step.tip);
                tip = step.tip;
                forward = self.tour.step_from(city, true) == tip;
            }
            if best > 0 {
                self.gain = best;
                self.spans.clear();
                self.spans.extend(self.chain[..keep].iter().map(|step| step.span));
                self.queue.enqueue(city);
                for at in 0..keep {
                    let Step { tip, to, end, .. } = self.chain[at];
                    self.queue.enqueue(tip);
                    self.queue.enqueue(to);
                    self.queue.enqueue(end);
                }
                return true;
            }
            open = if depth == 0 { self.tour.distance(city, tip) } else { self.chain[depth - 1].value };
        }
    }

    /// The most promising step from `tip`; with `again` the most promising of those behind the one taken last at this depth.
    fn next_step(&self, city: u32, forward: bool, tip: u32, open: u32, depth: usize, again: bool) -> Option<Step> {
        let mut best: Option<Step> = None;
        for rank in 0..self.tour.ground.ranks() {
            let Some([to, apart]) = self.tour.ground.near(tip, rank) else { continue };
            if apart >= open {
                break;
            }
            let end = self.tour.step_from(to, !forward);
            let added = |step: &Step| (step.tip, step.to) == (end, to) || (step.tip, step.to) == (to, end);
            if to == city || end == tip || self.tour.ground.is_fixed(to, end) || self.chain[..depth].iter().any(added) {
                continue;
            }
            let value = (open - apart).saturating_add(self.tour.distance(to, end));
            if self.tour.apart(tip, to) > self.long && value <= self.tour.distance(end, city) {
                continue;
            }
            let step = Step { tip, to, end, value, rank: rank as u32, span: Span::default() };
            let before = |a: &Step, b: &Step| a.value > b.value || (a.value == b.value && a.rank < b.rank);
            let untried = !again || before(&self.chain[depth], &step);
            if untried && best.as_ref().is_none_or(|best| before(&step, best)) {
                best = Some(step);
            }
        }
        best
    }

    /// Reverses the path that leads in the direction `forward` from one city to another.
    fn turn(&mut self, forward: bool, start: u32, end: u32) -> Span {
        let (first, last) = if forward { (start, end) } else { (end, start) };
        self.tour.reverse(first, last)
    }
}
