//! Windows of the tour that crossover takes one after the other: their sizes, and what runs on each.

use super::recipe::{CrossoverWindows, Phase, Recipe};
use super::system::System;
use super::tours::MOST_EAX_WINDOW;
use crate::algorithm::eax::Strategy;
use crate::algorithm::value::{Kind, Value};
use crate::instance::problem::Shape;

/// Windows of the tour that crossover takes one after the other, so many cities in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    pub cities: u32,
    /// How often they are halved, and their populations.
    pub halvings: u32,
    /// How often populations have grown.
    pub round: u32,
}

impl Phase {
    /// The same with a population that is halved so often.
    fn halved(mut self, times: u32) -> Self {
        let halved = |population: usize| (population >> times).max(population.min(2));
        if let Some(population) = self.system.population_mut() {
            *population = halved(*population);
        }
        self
    }

    fn builds_blocks(&self) -> bool {
        matches!(&self.system, System::Eax(eax) if eax.strategy == Strategy::Block2)
    }
}

impl Recipe {
    /// How crossover takes windows of the tour, where it does.
    pub(crate) fn of_windows(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let own = |windows: CrossoverWindows| {
            let CrossoverWindows { cities, at_a_time, halvings, doublings } = windows;
            [cities, at_a_time, halvings, doublings].map(|number| number.to_value())
        };
        let names = ["eax_window", "eax_windows", "eax_halvings", "eax_doublings"];
        self.windows.into_iter().flat_map(move |windows| names.into_iter().zip(own(windows)))
    }

    /// The shape of what phase `index` works on, for an instance of this shape: the instance, or a window of it.
    pub(crate) fn shape_of(&self, index: usize, shape: &Shape) -> Shape {
        match (self.windows, self.restart) {
            (Some(windows), Some(restart)) if index >= restart.from_phase => shape.of_window(windows.cities as usize),
            _ => *shape,
        }
    }

    /// Of a recipe whose crossover takes windows: which of them window `number` is, counted from 0. Windows of a pass cover all cities
    /// once; behind the first passes, whose windows are smaller, each two times that they have covered all cities are a round. So often as
    /// windows double, those of a round have twice the cities of the round before, up to all.
    pub(crate) fn window(&self, number: u32) -> Pass {
        let (cities, first, doublings) =
            self.windows.map_or((0, 0, 0), |windows| (windows.cities, windows.halvings, windows.doublings));
        let whole = cities.max(1);
        let mut before = 0;
        for halvings in (1..=first).rev() {
            let cities = (whole >> halvings).max(1);
            before += u32::try_from(self.size.div_ceil(cities as usize)).unwrap_or(u32::MAX);
            if number < before {
                return Pass { cities, halvings, round: 0 };
            }
        }
        let a_round = 2 * self.size.max(1) as u64;
        let all = (self.size as u64).clamp(u64::from(whole), u64::from(MOST_EAX_WINDOW).max(u64::from(whole)));
        let cities = |round: u32| (u64::from(whole) << round.min(doublings)).min(all);
        // Cities of all windows of the rounds before, some of them in several windows.
        let (mut left, mut covered) = (u64::from(number - before), 0);
        for round in 0..doublings {
            let windows = (a_round * (u64::from(round) + 1)).saturating_sub(covered).div_ceil(cities(round));
            if left < windows {
                return Pass { cities: cities(round) as u32, halvings: 0, round };
            }
            (left, covered) = (left - windows, covered + windows * cities(round));
        }
        let round = (covered + left * cities(doublings)) / a_round;
        Pass { cities: cities(doublings) as u32, halvings: 0, round: u32::try_from(round).unwrap_or(u32::MAX) }
    }

    /// Of a recipe whose crossover takes windows: what it does on window `number`, counted from 0, of `cities` cities. In each round
    /// populations grow as with a restart. Smaller windows, which others follow, build no blocks.
    pub(crate) fn for_window(&self, number: u32, cities: usize) -> Self {
        let first = self.restart.map_or(0, |restart| restart.from_phase);
        let pass = self.window(number);
        let phases = (first..self.phases.len()).map(|index| self.phase(index, pass.round).halved(pass.halvings));
        let phases = phases.filter(|phase| pass.halvings == 0 || !phase.builds_blocks()).collect();
        let seed = self.seed ^ ((u64::from(number) + 1) << 32);
        Self { size: cities, eax_up_to: None, windows: None, phases, restart: None, ..self.clone() }.with_seed(seed)
    }
}

#[cfg(test)]
mod tests {
    use crate::instance::problem::Problem;
    use crate::instance::tsp::{Kind, generate};
    use crate::settings::{Effort, LkEax, Settings};

    #[test]
    fn windows_and_populations_are_smaller_at_first_and_grow_at_last() {
        let problem = |cities| Problem::from(generate(Kind::Uniform, cities, 1).unwrap());
        let (problem, large) = (problem(6400), problem(41_000));
        let settings = |asked: LkEax| Settings::of(LkEax { eax_up_to: Some(5000), ..asked });
        let asked = LkEax { eax_window: Some(1600), eax_halvings: Some(3), population: Some(40), ..LkEax::default() };
        let recipe = settings(asked).recipe(&problem, Effort::Standard).unwrap();
        let shown = |number| {
            let pass = recipe.window(number);
            (pass.cities, recipe.for_window(number, pass.cities as usize).phases[1].system.units())
        };
        // 32 windows of 200 cities, 16 of 400, 8 of 800; then two rounds of 8 with whole ones, and as many with twice the population.
        let firsts = [(0, 200, 5), (32, 400, 10), (48, 800, 20), (56, 1600, 40), (64, 1600, 80), (72, 1600, 160)];
        for (index, (number, cities, population)) in firsts.into_iter().enumerate() {
            assert_eq!(shown(number), (cities, population), "window {number}");
            let last = firsts.get(index + 1).map_or(number + 7, |next| next.0 - 1);
            assert_eq!(shown(last), (cities, population), "window {last}");
        }
        // First tours and single AB-cycles, and blocks in whole windows.
        let phases = |number| recipe.for_window(number, 200).phases.len();
        assert_eq!([0, 55, 56].map(phases), [2, 2, 3]);
        // Windows that double: two rounds of 8 and of 4, then all cities at once, with populations as before.
        let recipe = settings(LkEax { eax_doublings: Some(3), eax_halvings: Some(0), ..asked })
            .recipe(&problem, Effort::Standard);
        let recipe = recipe.unwrap();
        let pass = |number| {
            let pass = recipe.window(number);
            (pass.cities, pass.round)
        };
        let numbers = [0, 7, 8, 11, 12, 13, 14, 15, 16, u32::MAX].map(pass);
        let all = 6400;
        assert_eq!(numbers[..6], [(1600, 0), (1600, 0), (3200, 1), (3200, 1), (all, 2), (all, 2)]);
        assert_eq!(numbers[6..9], [(all, 3), (all, 3), (all, 4)]);
        assert_eq!((numbers[9].0, numbers[9].1 > 1000), (all, true));
        let told = |asked: LkEax| settings(asked).recipe(&large, Effort::Large).map_err(|error| error.to_string());
        let many = LkEax { eax_window: Some(500), eax_halvings: Some(2), ..LkEax::default() };
        let message = told(many).unwrap_err();
        assert!(message.contains("would have 125") && message.contains("take 1, or a larger"), "{message}");
        let halvings =
            |window| told(LkEax { eax_window: Some(window), ..LkEax::default() }).unwrap().windows.unwrap().halvings;
        assert_eq!([399, 400, 2000].map(halvings), [0, 1, 1]);
        for (problem, effort) in [(&large, Effort::Small), (&large, Effort::Standard), (&problem, Effort::Large)] {
            assert_eq!(
                settings(LkEax::default()).recipe(problem, effort).unwrap().windows.unwrap().halvings,
                0,
                "{effort:?}"
            );
        }
    }
}
