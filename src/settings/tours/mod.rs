//! Algorithms that improve tours without constructing: windows, edge assembly crossover, and both one after the other.

use super::asked::{Chained, Eax, LkEax, MaxMin, Windows};
use super::construct::Tours;
use super::recipe::{Begins, CrossoverWindows, Ends, Phase, Recipe, Restart};
use super::system::System;
use super::{Effort, Execution};
use crate::algorithm::chained::ChainedParams;
use crate::algorithm::choices::{Breadth, LocalSearch};
use crate::algorithm::construct::Construct;
use crate::algorithm::eax::{EaxParams, MOST_WALKS, Strategy};
use crate::algorithm::range;
use crate::error::{Error, Result};
use crate::instance::problem::Shape;

pub(super) mod opening;

/// With fewer cities windows only open the run.
const MANY_CITIES: usize = 12_000;
/// The most cities that edge assembly crossover takes at once, when not asked for.
const EAX_UP_TO: u32 = 15_000;
/// The same on a processor, to which the first generations of so many take longer than windows of the tour.
const EAX_UP_TO_SMALL: u32 = 12_000;
/// With more cities windows of Lin-Kernighan search are small and many.
const MOST_CITIES_OF_LARGE_WINDOWS: usize = 40_000;
/// Cities of a window that it takes elsewhere, in all and on a large GPU, and the individuals there.
const EAX_WINDOW: u32 = 2000;
const EAX_WINDOW_LARGE: u32 = 10_000;
const POPULATION_LARGE: u32 = 128;
/// Children of a pair in windows on a processor: two thirds of them find as much in less time; measured (`docs/results/2026-11-race.md`).
const CHILDREN_OF_WINDOWS_SMALL: u32 = 20;
/// Windows that it takes at a time on a large GPU, which one does not fill; and where cities are very many, so that windows are left for minutes.
const EAX_WINDOWS_LARGE: u32 = 6;
const EAX_WINDOWS_OF_VERY_MANY_LARGE: u32 = 12;
const VERY_MANY_CITIES: usize = 250_000;
/// The most windows at a time.
pub(crate) const MOST_EAX_WINDOWS: u32 = 64;
/// Passes before with windows and populations half as large, on a large GPU where windows are many; measured (`docs/results/2026-11-large.md`).
const EAX_HALVINGS_LARGE: u32 = 1;
/// The most passes of that kind.
const MOST_EAX_HALVINGS: u32 = 4;
/// How often windows double on a processor: their borders cost most when little is left to gain; measured (`docs/results/2026-11-large.md`).
const EAX_DOUBLINGS_SMALL: u32 = 3;
const MOST_EAX_DOUBLINGS: u32 = 8;
/// The most cities of a window.
pub(super) const MOST_EAX_WINDOW: u32 = 65_536;
/// The fewest cities of a window.
const LEAST_EAX_WINDOW: u32 = 200;
/// Kicks of windows and walks when not asked for.
const KICK_LENGTH: u32 = 30;
const REBUILD_LENGTH: u32 = 400;
/// Walks of chained Lin-Kernighan search when not asked for; the steps of each in an iteration: for a city the square of their number over
/// so many, up to so many, and never fewer in all than kicks that rebuild can use; and the iterations without any gain after which walks
/// begin again.
const WALKS: usize = 8;
const SQUARE_A_STEP: u64 = 200;
const FEWEST_STEPS: u64 = 1000;
const MOST_STEPS_A_CITY: u64 = 500;
const MOST_STEPS: u64 = 1 << 24;
const ITERATIONS_A_LOOK: u32 = 5;

/// Parameters of the crossover when not asked for.
const POPULATION: u32 = 64;
const CHILDREN: u32 = 30;
const ACCEPT_AFTER: u32 = 3;
/// Walks of a pair, in all and on a large GPU that many windows do not fill: it waits for the longest; measured (`docs/results/2026-11-large.md`).
const PAIR_WALKS: u32 = 4;
const PAIR_WALKS_LARGE: u32 = 8;
/// Generations between two looks at a population's costs.
const GENERATIONS_A_LOOK: u32 = 10;
/// The part of all tours' costs together that single AB-cycles must gain; blocks follow when they gain less.
const LEAST_GAIN_OF_SINGLES: u64 = 20_000;
/// The part that a population must gain; another one begins when it gains less.
const LEAST_GAIN_OF_ALL: u64 = 150_000;
/// Each restart doubles the population, so often at most, up to so many.
const DOUBLINGS: u32 = 4;
const MOST_INDIVIDUALS: usize = 1024;
/// Heuristic exponent of the tours of a first population: the shorter they are before their search, the sooner it is done.
const POPULATION_BETA: f64 = 8.0;

/// Windows of so many cities that crossover takes at a time on so many devices.
pub(super) fn windows_on_devices(effort: Effort, cities: usize, devices: usize) -> u32 {
    let each = match effort {
        Effort::Large if cities >= VERY_MANY_CITIES => EAX_WINDOWS_OF_VERY_MANY_LARGE,
        Effort::Large => EAX_WINDOWS_LARGE,
        _ => 1,
    };
    each.saturating_mul(u32::try_from(devices).unwrap_or(u32::MAX)).min(MOST_EAX_WINDOWS)
}

/// What is being resolved: a symmetric instance.
pub(super) struct Improved<'a> {
    pub shape: &'a Shape,
    pub seed: u64,
    /// Resolved: never [`Effort::Auto`].
    pub effort: Effort,
    pub execution: &'a Execution,
}

impl Improved<'_> {
    /// Windows, then crossover of the whole tour or of a window of it at a time.
    pub fn lk_eax(&self, asked: &LkEax, recipe: Recipe) -> Result<Recipe> {
        let up_to = asked.eax_up_to.unwrap_or(if self.effort == Effort::Small { EAX_UP_TO_SMALL } else { EAX_UP_TO });
        let windows = self.windows(&asked.windows())?;
        // Both are checked: what is wrong is told whatever the size.
        let (window, in_window) = self.crossover_of_windows(asked)?;
        let crossover = self.crossover_of_all(asked)?;
        let at_a_time = self.windows_of_crossover(asked, window)?;
        let opens = Phase { ends: self.end_of_windows(&windows, at_a_time), ..self.opening(windows) };
        let halvings = self.halvings_of_windows(asked, window)?;
        let usual = if self.effort == Effort::Small { EAX_DOUBLINGS_SMALL } else { 0 };
        let doublings = asked.eax_doublings.unwrap_or(usual);
        range::whole("eax_doublings", doublings, 0, MOST_EAX_DOUBLINGS)?;
        let recipe = Recipe { eax_up_to: Some(up_to), restart: Some(restart(1)), ..recipe };
        Ok(match self.shape.size > up_to as usize {
            true => Recipe {
                windows: Some(CrossoverWindows { cities: window, at_a_time, halvings, doublings }),
                phases: [vec![opens], in_window].concat(),
                ..recipe
            },
            false => Recipe { phases: [vec![opens], crossover].concat(), ..recipe },
        })
    }

    /// Windows alone.
    pub fn lk(&self, asked: &Windows, recipe: Recipe) -> Result<Recipe> {
        Ok(Recipe { phases: vec![self.opening(self.windows(asked)?)], ..recipe })
    }

    /// Chained Lin-Kernighan search of whole tours.
    pub fn clk(&self, asked: &Chained, recipe: Recipe) -> Result<Recipe> {
        let size = self.shape.size as u64;
        let most = (MOST_STEPS_A_CITY * size).clamp(FEWEST_STEPS, MOST_STEPS);
        let steps = (size.saturating_pow(3) / SQUARE_A_STEP).clamp(FEWEST_STEPS, most);
        let chained = ChainedParams {
            walks: asked.walks.map_or(WALKS, |walks| walks as usize),
            steps: asked.steps.unwrap_or(steps as u32),
            kick_length: asked.kick_length.unwrap_or(KICK_LENGTH),
            rebuild_length: asked.rebuild_length.unwrap_or(REBUILD_LENGTH),
            quadrants: asked.quadrants.unwrap_or(0),
            seed: self.seed,
        };
        chained.validate()?;
        let ends = Ends::NoGain { iterations: ITERATIONS_A_LOOK };
        let phase = Phase { system: System::Chained(chained), begins: Begins::GreedyEdges, ends };
        Ok(Recipe { phases: vec![phase], restart: Some(Restart { doublings: 0, ..restart(0) }), ..recipe })
    }

    /// Crossover of the whole tour. A large GPU has room for a larger population where cities are many.
    fn crossover_of_all(&self, asked: &LkEax) -> Result<Vec<Phase>> {
        let many = self.effort == Effort::Large && self.shape.size >= MANY_CITIES;
        let usual = if many { POPULATION_LARGE } else { POPULATION };
        self.crossover(&Eax { population: Some(asked.population.unwrap_or(usual)), ..asked.eax() }, true)
    }

    /// Crossover of a window of the tour: cities of a window, and the phases there.
    fn crossover_of_windows(&self, asked: &LkEax) -> Result<(u32, Vec<Phase>)> {
        let (cities, population) = match self.effort {
            Effort::Large => (EAX_WINDOW_LARGE, POPULATION_LARGE),
            _ => (EAX_WINDOW, POPULATION),
        };
        let cities = asked.eax_window.unwrap_or(cities);
        range::whole("eax_window", cities, LEAST_EAX_WINDOW, MOST_EAX_WINDOW)?;
        let shape = self.shape.of_window(cities as usize);
        let children = if self.effort == Effort::Small { CHILDREN_OF_WINDOWS_SMALL } else { CHILDREN };
        let asked = Eax {
            population: Some(asked.population.unwrap_or(population)),
            pair_walks: Some(self.pair_walks(&asked.eax())),
            children: Some(asked.children.unwrap_or(children)),
            ..asked.eax()
        };
        Ok((shape.size as u32, Improved { shape: &shape, ..*self }.crossover(&asked, false)?))
    }

    /// Walks of a pair: more on a large GPU, unless many windows fill it, and as many as are to build blocks.
    fn pair_walks(&self, asked: &Eax) -> u32 {
        let many = self.shape.size > MOST_CITIES_OF_LARGE_WINDOWS;
        let usual = if self.effort == Effort::Large && !many { PAIR_WALKS_LARGE } else { PAIR_WALKS };
        asked.pair_walks.unwrap_or(usual.max(asked.block_walks.unwrap_or(0).min(MOST_WALKS)))
    }

    /// Windows that crossover takes at a time: they have no more than half of the cities, so that each has room to grow.
    fn windows_of_crossover(&self, asked: &LkEax, cities: u32) -> Result<u32> {
        let most = asked.eax_windows.unwrap_or(windows_on_devices(self.effort, self.shape.size, 1));
        range::whole("eax_windows", most, 1, MOST_EAX_WINDOWS)?;
        let room = self.shape.size / (2 * cities as usize);
        Ok(most.min(u32::try_from(room).unwrap_or(u32::MAX)).max(1))
    }

    /// Passes before with windows half as large, which are no smaller than any may be.
    fn halvings_of_windows(&self, asked: &LkEax, cities: u32) -> Result<u32> {
        let fit = (cities / LEAST_EAX_WINDOW).checked_ilog2().unwrap_or(0);
        let Some(halvings) = asked.eax_halvings else {
            let many = self.shape.size > MOST_CITIES_OF_LARGE_WINDOWS;
            return Ok(if self.effort == Effort::Large && many { EAX_HALVINGS_LARGE.min(fit) } else { 0 });
        };
        range::whole("eax_halvings", halvings, 0, MOST_EAX_HALVINGS)?;
        if halvings > fit {
            let least = cities >> halvings;
            let message = format!(
                "eax_halvings={halvings}: the first of windows of {cities} cities would have {least}, and {LEAST_EAX_WINDOW} are \
                 the fewest; take {fit}, or a larger eax_window"
            );
            return Err(Error::Config(message));
        }
        Ok(halvings)
    }

    /// Crossover alone.
    pub fn eax(&self, asked: &Eax, recipe: Recipe) -> Result<Recipe> {
        Ok(Recipe { phases: self.crossover(asked, false)?, restart: Some(restart(0)), ..recipe })
    }

    /// The first population, crossover by single AB-cycles, and by blocks of them; with the tour that is there before beside the population.
    fn crossover(&self, asked: &Eax, incumbent: bool) -> Result<Vec<Phase>> {
        let pair_walks = self.pair_walks(asked);
        let eax = EaxParams {
            population: asked.population.unwrap_or(POPULATION) as usize,
            children: asked.children.unwrap_or(CHILDREN),
            accept_after: asked.accept_after.unwrap_or(ACCEPT_AFTER),
            pair_walks,
            block_walks: asked.block_walks.unwrap_or(pair_walks),
            strategy: Strategy::Single,
            incumbent,
            quadrants: asked.quadrants.unwrap_or(0),
            seed: self.seed,
        };
        eax.validate()?;
        // Each walk of a pair has its share, rounded up.
        let shared = |count: u32| count.next_multiple_of(pair_walks);
        let eax = EaxParams { children: shared(eax.children), accept_after: shared(eax.accept_after), ..eax };
        let tours = Tours { shape: self.shape, directed: false, seed: self.seed, execution: self.execution };
        // Between directed nodes a step is long as it is, and more of them pay.
        let breadth = if self.shape.is_doubled() { Breadth::Wide } else { Breadth::Narrow };
        let first = tours.max_min(&MaxMin {
            ants: Some(eax.population as u32),
            beta: Some(POPULATION_BETA),
            local_search: Some(LocalSearch::LinKernighan),
            breadth: Some(asked.breadth.unwrap_or(breadth)),
            quadrants: asked.quadrants,
            ..MaxMin::default()
        })?;
        // Ants that go to near cities come too late to many others, which costs most where distances have no pattern.
        let patched_first = self.shape.is_doubled();
        let population = Phase {
            system: System::Construct(Construct { patched_first, ..first }),
            // Ants without candidates follow the first tour: with the best one all would have its long edges.
            begins: if patched_first { Begins::PatchedAssignments } else { Begins::NearestNeighbour },
            ends: Ends::After { iterations: 1 },
        };
        let until = |gain| Ends::Stagnation { iterations: GENERATIONS_A_LOOK, gain };
        let single = Phase { system: System::Eax(eax), begins: Begins::Population, ends: until(LEAST_GAIN_OF_ALL) };
        if eax.block_walks == 0 {
            return Ok(vec![population, single]);
        }
        let single = Phase { ends: until(LEAST_GAIN_OF_SINGLES), ..single };
        let blocks = EaxParams { strategy: Strategy::Block2, ..eax };
        let blocks = Phase { system: System::Eax(blocks), begins: Begins::Continued, ends: until(LEAST_GAIN_OF_ALL) };
        Ok(vec![population, single, blocks])
    }
}

fn restart(from_phase: usize) -> Restart {
    Restart { from_phase, doublings: DOUBLINGS, most: MOST_INDIVIDUALS }
}

/// What refuses an asymmetric instance.
pub(super) fn refuse_directed(algorithm: &str) -> Error {
    Error::Config(format!(
        "algorithm '{algorithm}' reverses parts of a tour, whose cost differs backwards in an asymmetric instance: choose \
         'auto', 'eax', 'mmas', 'acs', 'as' or 'faco'"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::problem::Problem;
    use crate::instance::tsp::{Instance, Kind, generate};
    use crate::settings::Settings;

    pub(super) fn recipe(instance: Instance, effort: Effort) -> Recipe {
        Settings::of(LkEax::default()).recipe(&Problem::from(instance), effort).unwrap()
    }

    #[test]
    fn windows_that_a_processor_crosses_begin_sooner_and_have_fewer_children() {
        // 30 and 20, of which each of four walks has its share, rounded up.
        let children = |cities, effort| {
            let recipe = recipe(generate(Kind::Uniform, cities, 1).unwrap(), effort);
            let children = recipe.phases.iter().find_map(|phase| match phase.system {
                System::Eax(eax) => Some(eax.children),
                _ => None,
            });
            (recipe.windows.map(|windows| windows.cities), children.unwrap())
        };
        assert_eq!(children(12_000, Effort::Small), (None, 32));
        assert_eq!(children(12_001, Effort::Small), (Some(2000), 20));
        assert_eq!(children(15_000, Effort::Standard), (None, 32));
        assert_eq!(children(15_001, Effort::Standard), (Some(2000), 32));
    }

    #[test]
    fn one_window_leaves_a_large_gpu_room_for_more_walks_and_individuals() {
        let found = |cities, effort| {
            let recipe = recipe(generate(Kind::Uniform, cities, 1).unwrap(), effort);
            recipe.phases.iter().find_map(|phase| match phase.system {
                System::Eax(eax) => Some((eax.pair_walks, eax.block_walks, eax.population)),
                _ => None,
            })
        };
        let large = [300, 11_999, 12_000, 15_000, 15_001, 40_000, 40_001].map(|n| found(n, Effort::Large).unwrap());
        let (small, whole, windows) = ((8, 8, 64), (8, 8, 128), (4, 4, 128));
        assert_eq!(large, [small, small, whole, whole, whole, whole, windows]);
        for effort in [Effort::Small, Effort::Standard] {
            assert_eq!([300, 12_000, 16_000].map(|n| found(n, effort).unwrap()), [(4, 4, 64); 3], "{effort:?}");
        }
    }

    #[test]
    fn very_many_cities_have_more_windows_at_a_time() {
        let at_a_time =
            |n| recipe(generate(Kind::Uniform, n, 1).unwrap(), Effort::Large).windows.map(|windows| windows.at_a_time);
        assert_eq!([41_000, 120_000, 249_999, 250_000].map(at_a_time), [Some(2), Some(6), Some(6), Some(12)]);
        let on_two = |n| windows_on_devices(Effort::Large, n, 2);
        assert_eq!([249_999, 250_000].map(on_two), [12, 24]);
        assert_eq!(windows_on_devices(Effort::Small, 250_000, 2), 2);
    }

    #[test]
    fn a_pair_has_as_many_walks_as_build_blocks() {
        let walks = |effort, asked: crate::settings::Eax| {
            let problem = Problem::from(generate(Kind::Uniform, 300, 1).unwrap());
            let recipe = Settings::of(asked).recipe(&problem, effort).map_err(|error| error.to_string())?;
            match recipe.phases[1].system {
                System::Eax(eax) => Ok::<_, String>((eax.pair_walks, eax.block_walks)),
                _ => panic!("crossover follows the population"),
            }
        };
        let asked = |pair_walks, block_walks| crate::settings::Eax { pair_walks, block_walks, ..Default::default() };
        assert_eq!(walks(Effort::Small, asked(None, Some(7))), Ok((7, 7)));
        assert_eq!(walks(Effort::Large, asked(None, Some(7))), Ok((8, 7)));
        assert_eq!(walks(Effort::Small, asked(Some(6), None)), Ok((6, 6)));
        let refused = walks(Effort::Large, asked(Some(6), Some(7))).unwrap_err();
        assert!(refused.contains("block_walks must be 6 at most"), "{refused}");
    }
}
