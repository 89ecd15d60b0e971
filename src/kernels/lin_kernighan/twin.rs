//! The CPU twin of the Lin-Kernighan search.

use rayon::prelude::*;

use super::directed::Exchange;
use super::{BREADTH, DEPTH, MOST, NARROW_BREADTH, NARROW_DEPTH, Params, STEPS, SearchProgress};
use crate::algorithm::choices::Breadth;
use crate::backend::{Clock, Twin, TwinCall};
use crate::kernels::shared::array_tour::{ArrayTour, Ground, Span, Whole};
use crate::kernels::shared::distances::{Distances, MATRIX, SOURCES, twins};
use crate::kernels::shared::progress::{PROGRESS_WORDS, search_of};
use crate::kernels::shared::queue::Queue;
use crate::kernels::shared::state::State;

/// Cities looked at between two looks at the clock.
pub(in crate::kernels) const LOOK_EVERY: u32 = 16;

/// The twins for chains that are narrow or not, for each kind of distances.
pub(super) fn all<const NARROW: bool>() -> [Twin; SOURCES] {
    twins!(FROM => twin::<FROM, NARROW>)
}

/// The twin for asymmetric instances made symmetric.
pub(super) fn directed(breadth: Breadth) -> Twin {
    match breadth {
        Breadth::Wide => search::<MATRIX, false, true, Exchange>,
        Breadth::Narrow => search::<MATRIX, true, true, Exchange>,
    }
}

fn twin<const FROM: u8, const NARROW: bool>(call: &mut TwinCall<'_>) {
    match call.params::<Params>().paired {
        0 => search::<FROM, NARROW, false, Step>(call),
        _ => search::<FROM, NARROW, true, Step>(call),
    }
}

fn search<const FROM: u8, const NARROW: bool, const PAIRED: bool, S: Move>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([neighbours, distances, state, links], [progress, _, tours]) = call.buffers();
    let links: &[[u32; 2]] = bytemuck::cast_slice(links);
    let state = State::from_words(state);
    let cities = params.cities as usize;
    let distances = Distances::<FROM>::new(call, distances, cities);
    let tours = &mut tours[range.start * cities..range.end * cities];
    let progress = progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS].par_chunks_mut(PROGRESS_WORDS);
    let clock = call.clock();
    tours.par_chunks_mut(cities).zip(progress).enumerate().for_each(|(index, (tour, progress))| {
        let work = |kept: &mut Option<Kept>| {
            let ground =
                Whole::<FROM, PAIRED>::new(neighbours, distances, 2 * params.pairs as usize).with_pairs(params.paired);
            let chains = if NARROW { Breadth::Narrow } else { Breadth::Wide };
            let mut search = Search::<_, S>::new(ArrayTour::new(ground, tour), chains, params.long);
            let mut looks = 0;
            if let Some(kept) = kept.take() {
                (search.queue, search.steps, looks) = (kept.queue, kept.steps, kept.looks);
            } else {
                for city in 0..params.cities {
                    if state.iteration == 0 || !search.tour.lies_between(city, links[city as usize]) {
                        search.queue.enqueue(city);
                    }
                }
            }
            if !search.improve(&mut looks, params.max_looks, params.max_steps, clock) {
                *kept = Some(Kept { queue: search.queue, steps: search.steps, looks });
                return false;
            }
            let progress: &mut SearchProgress = search_of(progress);
            (progress.looks, progress.steps) = (looks, search.steps);
            progress.done = state.iteration + 1;
            true
        };
        clock.unit((range.start + index) as u32, || None, work);
    });
}

/// What a search keeps beside the tour when its call is interrupted.
struct Kept {
    queue: Queue,
    steps: u32,
    looks: u32,
}

/// A step of a chain: the edge (tip, to) is added, (to, end) removed, and the path between `tip` and `end` reversed.
#[derive(Clone, Copy, Default)]
pub(in crate::kernels) struct Step {
    pub tip: u32,
    pub to: u32,
    pub end: u32,
    /// How far `end` lies behind the chain's city, along the tour that the steps before leave: all up to it is reversed.
    pub flip: u32,
    /// What the step could still gain, before the tour is closed: orders alternatives, the greater first.
    pub value: u32,
}

/// Where what lies at `place` lies when all up to `flip` is reversed; the same takes it back.
#[inline]
pub(super) fn reflected(place: u32, flip: u32) -> u32 {
    if place <= flip { flip + 1 - place } else { place }
}

/// How far position `at` lies behind `origin` in the direction `forward`, in a tour of so many cities.
#[inline(always)]
pub(super) fn place_behind(origin: u32, at: u32, forward: bool, cities: u32) -> u32 {
    let (near, far) = if forward { (origin, at) } else { (at, origin) };
    if far < near { far + cities - near } else { far - near }
}

/// Where a chain begins: the edge from `city` to the next one in the direction `forward` is removed.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Start {
    pub city: u32,
    pub forward: bool,
}

/// How a step of a chain changes the tour.
pub(in crate::kernels) trait Move: Copy + Default {
    /// The greatest depth of chains, and the alternatives at the first depths.
    fn limits(chains: Breadth) -> (usize, [usize; 3]);

    /// The step as all kinds have it.
    fn step(&self) -> &Step;

    /// Where the city that lies at `place` behind the chain's city would lie with this step.
    fn forth(&self, place: u32) -> u32;

    /// Where the city lies that would lie at `place` with this step.
    fn back(&self, place: u32) -> u32;

    /// Finds the most promising steps from `tip`, at most `breadth`, for the chain's next depth; `open` is what the chain has gained so
    /// far with its closing edge left out.
    fn find<G: Ground>(
        search: &mut Search<'_, G, Self>,
        start: Start,
        tip: u32,
        open: u32,
        depth: usize,
        breadth: usize,
    );

    /// Makes the step, with the tour in the direction `forward` from the chain's city; its cities wait.
    fn make<G: Ground>(self, search: &mut Search<'_, G, Self>, start: &mut Start);
}

impl Move for Step {
    fn limits(chains: Breadth) -> (usize, [usize; 3]) {
        match chains {
            Breadth::Wide => (DEPTH, BREADTH),
            Breadth::Narrow => (NARROW_DEPTH, NARROW_BREADTH),
        }
    }

    #[inline]
    fn step(&self) -> &Step {
        self
    }

    #[inline]
    fn forth(&self, place: u32) -> u32 {
        reflected(place, self.flip)
    }

    #[inline]
    fn back(&self, place: u32) -> u32 {
        reflected(place, self.flip)
    }

    #[inline]
    fn find<G: Ground>(
        search: &mut Search<'_, G, Self>,
        Start { city, forward }: Start,
        tip: u32,
        open: u32,
        depth: usize,
        breadth: usize,
    ) {
        let (steps, count) = &mut search.offers[depth.min(BREADTH.len())];
        let chain = &search.chain[..depth];
        let cities = search.tour.cities.len() as u32;
        let origin = search.tour.position[city as usize];
        // How far cities lie behind the chain's city without its steps.
        let place_of = |position: &[u32], city: u32| place_behind(origin, position[city as usize], forward, cities);
        let tip_place = place_of(&search.tour.position, tip);
        *count = 0;
        for rank in 0..search.tour.ground.ranks() {
            let Some([to, apart]) = search.tour.ground.near(tip, rank) else { continue };
            if apart >= open {
                break;
            }
            if to == city {
                continue;
            }
            // The edge to one who was beside the tip, and is not, has been removed.
            let place = place_of(&search.tour.position, to);
            if place.abs_diff(tip_place) == 1 {
                continue;
            }
            let flip = chain.iter().fold(place, |place, step| step.forth(place)) - 1;
            let end_place = chain.iter().rev().fold(flip, |place, step| step.back(place));
            let at = if forward { origin + end_place } else { origin + cities - end_place };
            let end = search.tour.cities[if at >= cities { at - cities } else { at } as usize];
            // Who are beside each other with the steps and not without them have an edge that the chain has added.
            if end == tip || place.abs_diff(end_place) != 1 || search.tour.ground.is_fixed(to, end) {
                continue;
            }
            let value = (open - apart).saturating_add(search.tour.distance(to, end));
            if flip.min(cities - flip) > search.long && value <= search.tour.distance(end, city) {
                continue;
            }
            offer((steps, count), breadth, Step { tip, to, end, flip, value });
        }
    }

    #[inline]
    fn make<G: Ground>(self, search: &mut Search<'_, G, Self>, start: &mut Start) {
        let Self { tip, to, end, .. } = self;
        let span = search.turn(start, tip, end);
        search.spans.push(span);
        [tip, to, end].into_iter().for_each(|city| search.queue.enqueue(city));
    }
}

/// The twin of `shaders/lin_kernighan/moves.wgsl`.
pub(in crate::kernels) struct Search<'a, G, S = Step> {
    pub tour: ArrayTour<'a, G>,
    pub queue: Queue,
    /// Alternatives at the first depths, and the greatest depth.
    breadth: [usize; 3],
    depth: usize,
    /// Positions up to which a path is not long.
    pub(super) long: u32,
    pub(super) chain: [S; DEPTH],
    /// The most promising steps at each of the first depths and at the present one behind them, and how many there are.
    pub(super) offers: [([S; MOST], usize); BREADTH.len() + 1],
    /// Steps made, those taken back included.
    pub steps: u32,
    /// What the last chain has gained, and the spans it has reversed.
    pub gain: u32,
    pub spans: Vec<Span>,
}

impl<'a, G: Ground, S: Move> Search<'a, G, S> {
    pub fn new(tour: ArrayTour<'a, G>, chains: Breadth, long: u32) -> Self {
        let (depth, breadth) = S::limits(chains);
        let (queue, chain) = (Queue::new(tour.cities.len()), [S::default(); DEPTH]);
        let (offers, spans) = (Default::default(), Vec::with_capacity(DEPTH));
        Self { tour, queue, breadth, depth, long, chain, offers, steps: 0, gain: 0, spans }
    }

    /// Empties the queue, and counts the cities looked at; whether the search has ended.
    fn improve(&mut self, looks: &mut u32, max_looks: u32, max_steps: u32, clock: Clock<'_>) -> bool {
        while *looks < max_looks && self.steps < max_steps {
            let Some(city) = self.queue.dequeue() else { break };
            *looks += 1;
            self.look(city);
            if looks.is_multiple_of(LOOK_EVERY) && clock.is_up() {
                return false;
            }
        }
        true
    }

    /// Looks for a chain from a city in either direction; whether one was found.
    pub fn look(&mut self, city: u32) -> bool {
        self.improve_city(city, true) || self.improve_city(city, false)
    }

    /// Looks for a chain of steps that begins with the removal of the edge from `city` to the next one, and gains.
    ///
    /// The path from `tip` on, which follows `city` in the direction `forward`, is joined to the city by its closing edge only;
    /// `open` is what the chain has gained with that edge left out. Nothing is reversed before a chain is kept.
    fn improve_city(&mut self, city: u32, forward: bool) -> bool {
        let start = self.tour.step_from(city, forward);
        if self.tour.ground.is_fixed(city, start) {
            return false;
        }
        let whole = self.tour.distance(city, start);
        let (mut depth, mut tip, mut open) = (0, start, whole);
        let (mut best, mut best_depth) = (0, 0);
        let mut tried = [0; DEPTH];
        let last_step = self.steps + STEPS;
        loop {
            let breadth = self.breadth.get(depth).copied().unwrap_or(1);
            let mut step = None;
            if depth < self.depth && tried[depth] < breadth && self.steps < last_step {
                if tried[depth] == 0 {
                    S::find(self, Start { city, forward }, tip, open, depth, breadth);
                }
                let (steps, count) = &self.offers[depth.min(BREADTH.len())];
                step = steps[..*count].get(tried[depth]).copied();
            }
            if let Some(step) = step {
                self.steps += 1;
                tried[depth] += 1;
                self.chain[depth] = step;
                depth += 1;
                if depth < DEPTH {
                    tried[depth] = 0;
                }
                let Step { end, value, .. } = *step.step();
                (tip, open) = (end, value);
                let closing = self.tour.distance(tip, city);
                if open > closing && open - closing > best {
                    (best, best_depth) = (open - closing, depth);
                }
                if open > best {
                    continue;
                }
            }
            // No further. With a gain the chain is kept up to where that is greatest; else its last step gives way.
            if best > 0 || depth == 0 {
                break;
            }
            depth -= 1;
            (tip, open) = match depth {
                0 => (start, whole),
                _ => (self.chain[depth - 1].step().end, self.chain[depth - 1].step().value),
            };
        }
        if best > 0 {
            self.gain = best;
            self.keep_steps(best_depth, city, forward);
        }
        best > 0
    }

    /// Makes the first steps of a chain, and lets their cities wait.
    fn keep_steps(&mut self, count: usize, city: u32, forward: bool) {
        self.spans.clear();
        self.queue.enqueue(city);
        let mut start = Start { city, forward };
        for at in 0..count {
            self.chain[at].make(self, &mut start);
        }
    }

    /// Reverses the path that leads in the chain's direction from one city to another, which then follows the chain's city.
    pub(super) fn turn(&mut self, start: &mut Start, from: u32, to: u32) -> Span {
        let (first, last) = if start.forward { (from, to) } else { (to, from) };
        let span = self.tour.reverse(first, last);
        start.forward = self.tour.step_from(start.city, true) == to;
        span
    }
}

/// Puts a step among the most promising ones; of equal steps the nearer neighbour's is first.
pub(super) fn offer<S: Move>((steps, count): (&mut [S; MOST], &mut usize), breadth: usize, step: S) {
    let mut at = *count;
    while at > 0 && steps[at - 1].step().value < step.step().value {
        at -= 1;
    }
    if at < breadth {
        *count = breadth.min(*count + 1);
        steps.copy_within(at..*count - 1, at + 1);
        steps[at] = step;
    }
}
