//! Chained Lin-Kernighan search of one tour (Martin, Otto and Felten 1991; Applegate, Cook and Rohe 2003): the twin of
//! `shaders/lin_kernighan/chained.wgsl` with its kicks, for the twins of kernels that include it.

use super::ruin_and_recreate::{REBUILD_WORDS, REBUILDS, rebuild, restore};
use super::twin::{LOOK_EVERY, Search};
use super::{DEPTH, STEPS, Turns};
use crate::algorithm::fixed::mul_high;
use crate::algorithm::random::Stream;
use crate::backend::Clock;
use crate::kernels::shared::array_tour::{Ground, Span};
use crate::wgsl::{block, constant};

/// Reversals that can be taken back.
pub(in crate::kernels) const JOURNAL: usize = constant!("lin_kernighan/journal", "JOURNAL") as usize;

/// What a kick counts for, in steps.
pub(in crate::kernels) const KICK_STEPS: u32 = constant!("lin_kernighan/chained", "KICK_STEPS");

block! {
    /// How far a search has come; `shaders/lin_kernighan/chained_progress.wgsl` documents the fields.
    pub struct ChainedProgress {
        pub padding: u32,
        pub construct_done: u32,
        pub journalled: u32,
        pub search_begun: u32,
        pub search_done: u32,
        pub gain: u32,
        pub kicks: u32,
        pub steps: u32,
        pub head: u32,
        pub cost: u32,
        pub kicked: u32,
        pub waiting: u32,
        pub padding_behind: [u32; 4],
    }
}

/// What the kernels that search so have room for, and what a search may take.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Room {
    pub cities: usize,
    /// Cities that arrays are declared for, as many or more.
    pub array_cities: usize,
    /// Neighbours of a city.
    pub neighbours: usize,
    /// Cities that a kick ruins and rebuilds at most.
    pub rebuild_length: u32,
    /// Invocations of a workgroup, and lanes of a subgroup, where the best step is found inside subgroups first.
    pub lanes: u32,
    pub subgroup: Option<u32>,
}

impl Room {
    /// Words of workgroup memory beside those of the tour and of where its cities lie.
    pub fn words(&self) -> u32 {
        let (n, near) = (self.array_cities as u32, self.neighbours as u32);
        let offers = 24 * near + 3 * near.next_multiple_of(4);
        let minima = self.subgroup.map_or(3, |size| 4 * self.lanes / size);
        let rest = 2 * JOURNAL as u32 + 4 * DEPTH as u32 + self.lanes + 8;
        n.div_ceil(2) + n.div_ceil(32) + offers + minima + rest
    }

    /// A shader's flags, where `roomy` that hold the tour in words.
    pub fn flags(&self, roomy: bool) -> impl Iterator<Item = &'static str> {
        let one_sweep = self.lanes as usize >= 2 * self.neighbours;
        let flags = [(self.subgroup.is_some(), "SUBGROUPS"), (one_sweep, "ONE_SWEEP"), (roomy, "TOUR_IN_WORDS")];
        flags.into_iter().filter_map(|(set, flag)| set.then_some(flag))
    }

    /// Its constants.
    pub fn constants(&self) -> Vec<(&'static str, u32)> {
        let n = self.array_cities as u32;
        let mut constants = vec![
            ("LANES", self.lanes),
            ("WORDS", n.div_ceil(32)),
            ("CITIES", n),
            ("HALF", n.div_ceil(2)),
            ("STEPS", STEPS),
            ("NEAR", self.neighbours as u32),
        ];
        constants.extend(self.subgroup.map(|size| ("SUBGROUP", size)));
        constants
    }

    fn turns(&self) -> Turns {
        Turns::new(self.cities, self.neighbours, self.lanes, 1)
    }

    /// Loop turns that a dispatch has to hold at least: those in beginning and ending it, in a kick that rebuilds, in what a journal takes
    /// back, and in the longest look.
    pub fn longest_look(&self) -> u32 {
        let (n, lanes, near) = (self.cities as u64, u64::from(self.lanes), self.neighbours as u64);
        let ends = n.div_ceil(lanes) * 9 + 4 * n.div_ceil(32) + 2 * n + JOURNAL as u64 + lanes + 18;
        let sweeps = (n + lanes) / lanes * 8 + 4 * n.div_ceil(32) + 9;
        let rebuild = u64::from(self.rebuild_length) * (3 * near + 20) + sweeps;
        let Turns { reversal, longest, .. } = self.turns();
        u32::try_from(ends + rebuild + (JOURNAL as u64 + 4) * (reversal + 1) + longest + 1).unwrap_or(u32::MAX)
    }

    /// Loop turns of a search of so many steps.
    pub fn turns_of(&self, steps: u64) -> u64 {
        let Turns { reversal, step, look, .. } = self.turns();
        // What is kept may be taken back, each reversal in a turn of its own. A kick counts for some steps; one that rebuilds takes less for each
        // of its cities than a step.
        (steps + 2 * u64::from(STEPS)) * (step + reversal + 1 + look)
    }
}

/// How long a tour is searched, and how it is kicked.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Effort {
    /// Steps of a search: a city looked at is one, each move tried another, a kick four.
    pub steps: u32,
    /// The most cities of a stretch that a kick moves.
    pub kick_length: u32,
    /// Cities that a kick ruins and rebuilds; 0: none does.
    pub rebuild_length: u32,
}

/// A tour under search.
pub(in crate::kernels) struct Chained<'a, G> {
    pub search: Search<'a, G>,
    pub journey: Journey,
}

/// How far a search has come.
#[derive(Default)]
pub(in crate::kernels) struct Journey {
    /// What the tour has gained up to the last kick.
    pub gain: u32,
    kicks: u32,
    /// What the tour has grown by since, wrapping.
    cost: u32,
    /// Whether there was a kick that changed the tour.
    kicked: bool,
    /// What was reversed since.
    journal: Vec<Span>,
    /// The tour before the last kick, where that has rebuilt a stretch.
    saved: Option<Vec<u32>>,
}

impl<G: Ground> Chained<'_, G> {
    /// Searches on; whether the search has ended. What `left` gets are the cities that there were no steps left to look at before the first
    /// kick.
    pub fn run(&mut self, effort: &Effort, stream: Stream, mut left: impl FnMut(u32), clock: Clock<'_>) -> bool {
        let mut turns = 0u32;
        loop {
            turns += 1;
            if turns.is_multiple_of(LOOK_EVERY) && clock.is_up() {
                return false;
            }
            let Journey { kicked, saved, journal, .. } = &self.journey;
            let full = *kicked && saved.is_none() && journal.len() + DEPTH > JOURNAL;
            let out = full || self.search.steps >= effort.steps;
            let next = if out { None } else { self.search.queue.dequeue() };
            if let Some(city) = next {
                self.search.steps += 1;
                if self.search.look(city) {
                    self.journey.cost = self.journey.cost.wrapping_sub(self.search.gain);
                    if self.journey.kicked {
                        self.journey.journal.extend(&self.search.spans);
                    }
                }
                continue;
            }
            while let Some(city) = self.search.queue.dequeue() {
                if self.journey.kicks == 0 {
                    left(city);
                }
            }
            let fell = self.journey.cost >= 1 << 31;
            if self.journey.kicked && !fell {
                match self.journey.saved.take() {
                    Some(saved) => restore(&mut self.search.tour, &saved),
                    None => self.take_back(),
                }
            }
            if fell {
                self.journey.gain = self.journey.gain.wrapping_sub(self.journey.cost);
            }
            if self.search.steps >= effort.steps {
                return true;
            }
            self.journey.journal.clear();
            let kicks = self.journey.kicks;
            let chance = stream.turned().word(kicks.wrapping_mul(REBUILD_WORDS).wrapping_add(REBUILD_WORDS - 1));
            let kick = if effort.rebuild_length > 0 && chance.is_multiple_of(REBUILDS) {
                self.search.steps += effort.rebuild_length / 2;
                self.rebuild(effort, stream.turned(), kicks)
            } else {
                self.journey.saved = None;
                self.kick(effort, stream, kicks)
            };
            (self.journey.kicked, self.journey.cost) = (kick.is_some(), kick.unwrap_or(0));
            self.journey.kicks += 1;
            self.search.steps += KICK_STEPS;
        }
    }

    /// Takes back everything in the journal.
    fn take_back(&mut self) {
        while let Some(span) = self.journey.journal.pop() {
            self.search.tour.reverse_span(span);
        }
    }

    /// Rebuilds a stretch; what that adds to the tour's length, wrapping.
    fn rebuild(&mut self, effort: &Effort, stream: Stream, number: u32) -> Option<u32> {
        let (cost, saved) = rebuild(&mut self.search, effort.rebuild_length as usize, stream, number)?;
        self.journey.saved = Some(saved);
        Some(cost)
    }

    /// Exchanges the first and the last of three stretches; what that adds to the tour's length, wrapping.
    fn kick(&mut self, effort: &Effort, stream: Stream, number: u32) -> Option<u32> {
        let count = self.search.tour.cities.len();
        let draw = |i: u32, range: u32| mul_high(stream.word(4 * number + i), range) as usize;
        let first = draw(0, count as u32);
        let [a, b, c] = [1, 2, 3].map(|i| 1 + draw(i, effort.kick_length));
        let ring = |at: usize| if at >= count { at - count } else { at };
        let tour = &mut self.search.tour;
        let at = |position: usize| tour.cities[ring(position)];
        let [before, a_first, a_last, b_first] = [at(first + count - 1), at(first), at(first + a - 1), at(first + a)];
        let [b_last, c_first, c_last, behind] =
            [at(first + a + b - 1), at(first + a + b), at(first + a + b + c - 1), at(first + a + b + c)];
        let gone = [(before, a_first), (a_last, b_first), (b_last, c_first), (c_last, behind)];
        let made = [(before, c_first), (c_last, b_first), (b_last, a_first), (a_last, behind)];
        if gone.iter().any(|&(u, v)| tour.ground.is_fixed(u, v)) {
            return None;
        }
        let sum =
            |edges: [(u32, u32); 4]| edges.iter().fold(0u32, |sum, &(u, v)| sum.wrapping_add(tour.distance(u, v)));
        let cost = sum(made).wrapping_sub(sum(gone));
        for (first, length) in [(first, a + b + c), (first, c), (ring(first + c), b), (ring(first + c + b), a)] {
            let span = Span { first, length };
            tour.reverse_span(span);
            self.journey.journal.push(span);
        }
        for city in [before, a_first, a_last, b_first, b_last, c_first, c_last, behind] {
            self.search.queue.enqueue(city);
        }
        Some(cost)
    }
}
