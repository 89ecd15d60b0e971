//! Parameters of focused ants.

use serde::Serialize;

use super::config::{Algorithm, BestOn, Candidates, Config, Deposit, LocalSearch, Selection, Start, TrailUpdate};
use super::range;
use super::system::{Parameters, SEARCHED_CANDIDATES, System, check_ants, check_no_assignment, check_owner};
use crate::error::{Error, Result};

/// Parameters of focused ants: each improves a patch of the colony's tour, a compact piece of the plane, by an iterated
/// Lin-Kernighan search; gains that go together are all taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FocusedParams {
    /// Cities of a patch, 8 to 4096; all cities when there are fewer.
    pub patch: u32,
    /// Steps of an ant's search in an iteration, at least 1: a city looked at is one, each exchange tried another, a kick four.
    pub steps: u32,
    /// The most cities of each of the three stretches that a kick moves, 1 to 1000; a third of the patch at most.
    pub reach: u32,
    /// Cities that a kick which rebuilds places anew, 0 to 4000; 0: no kick does.
    pub stretch: u32,
    /// Instances of so many cities and fewer go on, when patches gain little any more, with ants that assemble tours from those of
    /// others; 0: never.
    pub whole: u32,
}

impl Default for FocusedParams {
    fn default() -> Self {
        Self { patch: 1000, steps: 4000, reach: 30, stretch: 400, whole: 40_000 }
    }
}

impl FocusedParams {
    /// Defaults for an instance: where cities are few patches only open the run, so that searches are short and what one finds is
    /// shared soon; where cities are many patches are small, so that a processor has many at a time.
    pub fn for_cities(cities: usize) -> Self {
        let default = Self::default();
        match cities {
            ..MANY_CITIES => Self { patch: SMALL_PATCH, steps: 1000, ..default },
            _ if cities <= default.whole as usize => default,
            _ => Self { patch: SMALL_PATCH, ..default },
        }
    }

    /// Iterations at the beginning in which patches follow each other along the first tour without overlap, so that all gains go
    /// together: enough to look at every city. None where there are few patches, or less than half as many as ants: there the gains
    /// that do not go together cost less than a better first tour saves.
    pub(crate) fn early(&self, cities: usize, ants: usize) -> u32 {
        let windows = cities / self.patch as usize;
        if windows < FEWEST_EARLY || 2 * windows < ants {
            return 0;
        }
        let rounds = (STEPS_A_CITY * self.patch).div_ceil(self.steps);
        rounds.saturating_mul(windows.div_ceil(ants) as u32)
    }

    /// Checks each range.
    ///
    /// # Errors
    /// [`Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self) -> Result<()> {
        range::whole("patch", self.patch, 8, 4096)?;
        range::whole("steps", self.steps, 1, 1 << 24)?;
        range::whole("reach", self.reach, 1, 1000)?;
        range::whole("stretch", self.stretch, 0, 4000)
    }
}

/// Steps of all ants a city between two looks at whether patches still gain, and the part of the cost that they must gain.
const STEPS_A_LOOK: u64 = 1000;
const LEAST_GAIN: u64 = 1000;
/// Steps of all ants a city until other ants follow where cities are few, whatever patches gain.
const STEPS_OF_OPENING: u64 = 400;
/// In which iterations patches look whether they still gain, every so many, and the part of the cost that they must gain lest other
/// ants follow (0: these follow anyway); `None` where nothing follows on them.
pub(crate) fn look(cities: usize, parameters: &FocusedParams, ants: usize) -> Option<(u32, u64)> {
    if cities > parameters.whole as usize {
        return None;
    }
    let (steps_a_city, least) = if cities < MANY_CITIES { (STEPS_OF_OPENING, 0) } else { (STEPS_A_LOOK, LEAST_GAIN) };
    let steps = ants as u64 * u64::from(parameters.steps);
    let window = (steps_a_city * cities as u64).div_ceil(steps).max(2);
    Some((u32::try_from(window).unwrap_or(u32::MAX), least))
}

/// The longest distance in a matrix by which focused ants count what a kick adds in 31 bits.
pub(crate) const FARTHEST: u32 = (1 << 29) - 1;
/// Tours of focused ants have to cost less: gains within a tour are counted in 31 bits.
pub(crate) const MOST_COST: u64 = 1 << 31;
const SMALL_PATCH: u32 = 500;
/// With fewer cities patches only open the run.
const MANY_CITIES: usize = 12_000;
/// The fewest patches for which it pays that their gains all go together at first.
const FEWEST_EARLY: usize = 100;
/// Steps a city along the first tour, about: more gain little before patches move.
const STEPS_A_CITY: u32 = 24;
/// Ants that open a run when none are asked for; elsewhere the cities that one more ant pays for, where others follow and where patches
/// stay alone, and the most ants.
const OPENING_ANTS: usize = 64;
const CITIES_AN_ANT: [usize; 2] = [200, 250];
const MOST_ANTS: usize = 1024;
/// The most ants: their conflicts are kept in workgroup memory.
const MAX_ANTS: usize = 8192;

fn ants(cities: usize, config: &Config) -> usize {
    let [with_others, alone] = CITIES_AN_ANT;
    let default = match cities {
        ..MANY_CITIES => OPENING_ANTS,
        _ if cities <= FocusedParams::default().whole as usize => cities / with_others,
        _ => (cities / alone).min(MOST_ANTS),
    };
    config.ants.unwrap_or(default)
}

/// Whether the ants that `config` asks for begin along the first space-filling order of `cities` cities; not where it asks for
/// what will be refused.
pub(crate) fn begins_along_order(cities: usize, config: &Config) -> bool {
    let (parameters, ants) =
        (config.focused.unwrap_or_else(|| FocusedParams::for_cities(cities)), ants(cities, config));
    parameters.validate().is_ok() && ants > 0 && parameters.early(cities, ants) > 0
}

/// The system of focused ants that `config` asks for.
pub(super) fn system(cities: usize, directed: bool, config: &Config) -> Result<System> {
    let refuse = |reason: &str| Err(Error::Config(reason.to_owned()));
    check_owner(Algorithm::Focused, config)?;
    if directed {
        return refuse("focused ants reverse parts of a tour, whose cost differs backwards in an asymmetric instance");
    }
    if !matches!(config.local_search, None | Some(LocalSearch::LinKernighan)) {
        return refuse("focused ants search with local search 'lk'");
    }
    let walks = config.strategy.is_some()
        || config.tabu.is_some()
        || config.candidates.is_some_and(|candidates| candidates != Candidates::Nearest(SEARCHED_CANDIDATES))
        || config.memory.is_some()
        || config.trails.is_some()
        || config.local_update.is_some()
        || config.update_period.is_some()
        || config.focus.is_some()
        || config.lanes.is_some()
        || config.start != Start::default()
        || config.deposit != Deposit::default();
    if walks || config.selection != Selection::default() || config.trail_update != TrailUpdate::default() {
        return refuse(
            "focused ants construct no tours: strategy, tabu, candidates, memory, trails and the like do not go with them",
        );
    }
    if config.best_on == BestOn::Host {
        return refuse("focused ants are compared on the device, where what they change goes together or not");
    }
    check_no_assignment(config)?;
    let parameters = config.focused.unwrap_or_else(|| FocusedParams::for_cities(cities));
    parameters.validate()?;
    config.assembly.unwrap_or_default().validate()?;
    let ants = ants(cities, config);
    check_ants(ants)?;
    if ants > MAX_ANTS {
        return Err(Error::Config(format!("focused ants must be at most {MAX_ANTS}, not {ants}")));
    }
    Ok(System::that_searches(Parameters::Focused(parameters), cities, ants, config))
}
