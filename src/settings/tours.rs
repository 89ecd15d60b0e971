//! Algorithms that improve tours without constructing: windows, edge assembly crossover, and both one after the other.

use super::asked::{Chained, Eax, LkEax, MaxMin, Windows};
use super::construct::Tours;
use super::recipe::{Begins, Ends, Phase, Recipe, Restart, System};
use super::{Effort, Execution};
use crate::algorithm::chained::ChainedParams;
use crate::algorithm::choices::{Breadth, LocalSearch};
use crate::algorithm::construct::Construct;
use crate::algorithm::eax::{EaxParams, Strategy};
use crate::algorithm::range;
use crate::algorithm::windows::{MOST_COST, WindowsParams};
use crate::error::{Error, Result};
use crate::instance::problem::Shape;

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
/// Windows that it takes at a time on a large GPU, which one does not fill.
const EAX_WINDOWS_LARGE: u32 = 6;
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
/// Cities of a window where windows only open the run or are many, and in between.
const WINDOW_SIZES: [u32; 2] = [500, 1000];
/// Steps of a window's search where windows only open the run, and elsewhere.
const STEPS: [u32; 2] = [1000, 4000];
const KICK_LENGTH: u32 = 30;
const REBUILD_LENGTH: u32 = 400;
/// Windows where they only open the run; elsewhere the cities that one more window pays for: in all, where gains of windows that overlap
/// would be lost, and on a large GPU, which has room for them, also where windows are many; and the most windows when not asked for.
const OPENING_WINDOWS: usize = 64;
const CITIES_A_WINDOW: usize = 1000;
const CITIES_A_WINDOW_LARGE: usize = 100;
const CITIES_A_WINDOW_OF_MANY_LARGE: usize = 250;
const MOST_WINDOWS: usize = 1024;

/// Up to so many cities a processor searches few windows at a time: larger ones find more, and where several are merged few gains are
/// compatible at first. One where it holds all cities; else one for so many, and two at least. Their kicks are longer, and none ruins and rebuilds; measured (`docs/results/2026-11-race.md`).
const MOST_CITIES_OF_FEW_WINDOWS: usize = 200_000;
const FEW_WINDOW_SIZE: usize = 4000;
const CITIES_A_FEW_WINDOW: usize = 16_000;
const FEW_WINDOW_STEPS: u32 = 20_000;
const FEW_WINDOW_KICK_LENGTH: u32 = 50;
/// Nearest cities of each quadrant that come first in the neighbour lists of few windows where cities are many: tours begin with such lists.
const FEW_WINDOW_QUADRANTS: u32 = 2;

/// Steps of all windows a city between two looks at whether they still gain, and the part of the cost that they must gain: about what
/// crossover of a window would gain in the meantime. A large GPU makes the steps of many windows sooner; the part is then smaller, and
/// from so many cities on it shrinks with their number.
const STEPS_A_LOOK: u64 = 1000;
const LEAST_GAIN: u64 = 1000;
const LEAST_GAIN_LARGE: u64 = 3000;
const CITIES_OF_ALL_WINDOWS: u64 = 250_000;
/// The same where windows are few: what these gain falls off sooner.
const STEPS_A_LOOK_OF_FEW: u64 = 250;
const LEAST_GAIN_OF_FEW: u64 = 1200;
/// Steps of all windows a city until crossover follows where cities are few, whatever windows gain.
const STEPS_OF_OPENING: u64 = 400;

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
const BLOCK_WALKS: u32 = 4;
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

/// Windows that crossover takes at a time on so many devices.
pub(super) fn windows_on_devices(effort: Effort, devices: usize) -> u32 {
    let each = if effort == Effort::Large { EAX_WINDOWS_LARGE } else { 1 };
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
        let crossover = self.crossover(&asked.eax(), true)?;
        let opens = Phase { ends: self.end_of_windows(&windows), ..self.opening(windows) };
        let windows = self.windows_of_crossover(asked, window)?;
        let halvings = self.halvings_of_windows(asked, window)?;
        let usual = if self.effort == Effort::Small { EAX_DOUBLINGS_SMALL } else { 0 };
        let doublings = asked.eax_doublings.unwrap_or(usual);
        range::whole("eax_doublings", doublings, 0, MOST_EAX_DOUBLINGS)?;
        let recipe = Recipe { eax_up_to: Some(up_to), restart: Some(restart(1)), ..recipe };
        Ok(match self.shape.size > up_to as usize {
            true => Recipe {
                eax_window: Some(window),
                eax_windows: Some(windows),
                eax_halvings: Some(halvings),
                eax_doublings: Some(doublings),
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
        // No tour costs so much: a look ends them that finds no gain at all.
        let ends = Ends::Stagnation { iterations: ITERATIONS_A_LOOK, gain: MOST_COST };
        let phase = Phase { system: System::Chained(chained), begins: Begins::GreedyEdges, ends };
        Ok(Recipe { phases: vec![phase], restart: Some(Restart { doublings: 0, ..restart(0) }), ..recipe })
    }

    /// Windows, until the run ends.
    fn opening(&self, windows: WindowsParams) -> Phase {
        let begins = match windows.early(self.shape.size) {
            0 => Begins::LinKernighan,
            _ => Begins::SpaceFilling,
        };
        Phase { system: System::Windows(windows), begins, ends: Ends::WithTheRun }
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
            children: Some(asked.children.unwrap_or(children)),
            ..asked.eax()
        };
        Ok((shape.size as u32, Improved { shape: &shape, ..*self }.crossover(&asked, false)?))
    }

    /// Windows that crossover takes at a time: they have no more than half of the cities, so that each has room to grow.
    fn windows_of_crossover(&self, asked: &LkEax, cities: u32) -> Result<u32> {
        let most = asked.eax_windows.unwrap_or(windows_on_devices(self.effort, 1));
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

    /// What was asked for, and the usual where nothing was.
    fn windows(&self, asked: &Windows) -> Result<WindowsParams> {
        let usual = self.usual_windows();
        // What a window costs is counted in 31 bits.
        let counted = self.shape.farthest.map_or(u32::MAX, |farthest| ((MOST_COST - 1) / farthest.max(1)) as u32);
        let windows = WindowsParams {
            windows: asked.windows.map_or(usual.windows, |windows| windows as usize),
            window_size: asked.window_size.unwrap_or(usual.window_size.min(counted).max(8)),
            steps: asked.steps.unwrap_or(usual.steps),
            kick_length: asked.kick_length.unwrap_or(usual.kick_length),
            rebuild_length: asked.rebuild_length.unwrap_or(usual.rebuild_length),
            quadrants: asked.quadrants.unwrap_or(usual.quadrants),
            seed: self.seed,
        };
        windows.validate()?;
        Ok(windows)
    }

    /// Where cities are few windows only open the run, so that searches are short and what one finds is shared soon; where cities are
    /// many windows are small, so that a processor of a GPU has many at a time. A CPU has few and large ones.
    fn usual_windows(&self) -> WindowsParams {
        let (size, seed) = (self.shape.size, self.seed);
        let opens = size < MANY_CITIES;
        if self.has_few_windows() {
            return WindowsParams {
                windows: if size <= FEW_WINDOW_SIZE { 1 } else { (size / CITIES_A_FEW_WINDOW).max(2) },
                window_size: size.min(FEW_WINDOW_SIZE) as u32,
                steps: FEW_WINDOW_STEPS,
                kick_length: FEW_WINDOW_KICK_LENGTH,
                rebuild_length: 0,
                quadrants: if opens || !self.shape.has_quadrants() { 0 } else { FEW_WINDOW_QUADRANTS },
                seed,
            };
        }
        let many = size > MOST_CITIES_OF_LARGE_WINDOWS;
        let windows = match self.effort {
            _ if opens => OPENING_WINDOWS,
            Effort::Large if many => size / CITIES_A_WINDOW_OF_MANY_LARGE,
            Effort::Large => size / CITIES_A_WINDOW_LARGE,
            _ => size / CITIES_A_WINDOW,
        };
        WindowsParams {
            windows: windows.min(MOST_WINDOWS),
            window_size: WINDOW_SIZES[usize::from(!opens && !many)],
            steps: STEPS[usize::from(!opens)],
            kick_length: KICK_LENGTH,
            rebuild_length: REBUILD_LENGTH,
            quadrants: 0,
            seed,
        }
    }

    /// Whether windows are few and large: a processor searches no more at a time than it has cores.
    fn has_few_windows(&self) -> bool {
        self.effort == Effort::Small && self.shape.size <= MOST_CITIES_OF_FEW_WINDOWS
    }

    fn end_of_windows(&self, windows: &WindowsParams) -> Ends {
        let opens = self.shape.size < MANY_CITIES;
        let steps_a_city = match opens {
            true => STEPS_OF_OPENING,
            false if self.has_few_windows() => STEPS_A_LOOK_OF_FEW,
            false => STEPS_A_LOOK,
        };
        let steps = windows.windows as u64 * u64::from(windows.steps);
        let iterations = (steps_a_city * self.shape.size as u64).div_ceil(steps).max(2);
        let iterations = u32::try_from(iterations).unwrap_or(u32::MAX);
        let size = self.shape.size as u64;
        let gain = match self.effort {
            Effort::Large => LEAST_GAIN_LARGE * size.max(CITIES_OF_ALL_WINDOWS) / CITIES_OF_ALL_WINDOWS,
            _ if self.has_few_windows() => LEAST_GAIN_OF_FEW,
            _ => LEAST_GAIN,
        };
        if opens { Ends::After { iterations } } else { Ends::Stagnation { iterations, gain } }
    }

    /// The first population, crossover by single AB-cycles, and by blocks of them; with the tour that is there before beside the population.
    fn crossover(&self, asked: &Eax, incumbent: bool) -> Result<Vec<Phase>> {
        let eax = EaxParams {
            population: asked.population.unwrap_or(POPULATION) as usize,
            children: asked.children.unwrap_or(CHILDREN),
            accept_after: asked.accept_after.unwrap_or(ACCEPT_AFTER),
            block_walks: asked.block_walks.unwrap_or(BLOCK_WALKS),
            strategy: Strategy::Single,
            incumbent,
            quadrants: asked.quadrants.unwrap_or(0),
            seed: self.seed,
        };
        eax.validate()?;
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

    fn recipe(instance: Instance, effort: Effort) -> Recipe {
        Settings::of(LkEax::default()).recipe(&Problem::from(instance), effort).unwrap()
    }

    #[test]
    fn a_processor_searches_few_large_windows() {
        let windows = |cities, effort| {
            let recipe = recipe(generate(Kind::Uniform, cities, 1).unwrap(), effort);
            let System::Windows(windows) = recipe.phases[0].system else { panic!("windows open the run") };
            (windows.windows, windows.window_size, windows.quadrants)
        };
        let found = [300, 4000, 5000, 11_999, 12_000, 48_000, 100_000, 200_000].map(|n| windows(n, Effort::Small));
        let expected = [
            (1, 300, 0),
            (1, 4000, 0),
            (2, 4000, 0),
            (2, 4000, 0),
            (2, 4000, 2),
            (3, 4000, 2),
            (6, 4000, 2),
            (12, 4000, 2),
        ];
        assert_eq!(found, expected);
        assert_eq!(windows(12_000, Effort::Standard), (12, 1000, 0));
        assert_eq!(windows(200_001, Effort::Small), windows(200_001, Effort::Standard));
    }

    #[test]
    fn lists_by_quadrants_are_for_places_in_the_plane() {
        let made = generate(Kind::Uniform, 12_000, 1).unwrap();
        let places: Vec<glam::DVec3> = made.coords().iter().map(|place| place.with_z(place.x)).collect();
        let space = Instance::from_coords_3d("in space", &places).unwrap();
        let quadrants = |instance| match recipe(instance, Effort::Small).phases[0].system {
            System::Windows(windows) => windows.quadrants,
            _ => panic!("windows open the run"),
        };
        assert_eq!([made, space].map(quadrants), [2, 0]);
    }

    #[test]
    fn windows_that_a_processor_crosses_begin_sooner_and_have_fewer_children() {
        let children = |cities, effort| {
            let recipe = recipe(generate(Kind::Uniform, cities, 1).unwrap(), effort);
            let children = recipe.phases.iter().find_map(|phase| match phase.system {
                System::Eax(eax) => Some(eax.children),
                _ => None,
            });
            (recipe.eax_window, children.unwrap())
        };
        assert_eq!(children(12_000, Effort::Small), (None, 30));
        assert_eq!(children(12_001, Effort::Small), (Some(2000), 20));
        assert_eq!(children(15_000, Effort::Standard), (None, 30));
        assert_eq!(children(15_001, Effort::Standard), (Some(2000), 30));
    }
}
