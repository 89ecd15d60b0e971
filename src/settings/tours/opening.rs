//! Windows of Lin-Kernighan search that open a run or make all of it: their sizes, and when they end.

use super::super::Effort;
use super::super::asked::Windows;
use super::super::recipe::{Begins, Ends, Phase};
use super::super::system::System;
use super::{EAX_WINDOWS_LARGE, Improved, KICK_LENGTH, MANY_CITIES, MOST_CITIES_OF_LARGE_WINDOWS, REBUILD_LENGTH};
use crate::algorithm::windows::{MOST_COST, WindowsParams};
use crate::error::Result;

/// Cities of a window where windows only open the run or are many, and in between.
const WINDOW_SIZES: [u32; 2] = [500, 1000];
/// Steps of a window's search where windows only open the run, and elsewhere.
const STEPS: [u32; 2] = [1000, 4000];
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
/// from so many cities on it shrinks with their number. Where crossover takes more windows at a time than one such device does elsewhere, it gains as much more;
/// measured (`docs/results/2026-11-large.md`).
const STEPS_A_LOOK: u64 = 1000;
const LEAST_GAIN: u64 = 1000;
const LEAST_GAIN_LARGE: u64 = 2000;
const CITIES_OF_ALL_WINDOWS: u64 = 250_000;
/// The same where windows are few: what these gain falls off sooner.
const STEPS_A_LOOK_OF_FEW: u64 = 250;
const LEAST_GAIN_OF_FEW: u64 = 1200;
/// Steps of all windows a city until crossover follows where cities are few, whatever windows gain.
const STEPS_OF_OPENING: u64 = 400;

/// The most cities of a window by default, whatever the effort.
pub(in crate::settings) fn usual_window_size(cities: usize) -> usize {
    if cities <= MOST_CITIES_OF_FEW_WINDOWS { FEW_WINDOW_SIZE } else { WINDOW_SIZES[1] as usize }
}

impl Improved<'_> {
    /// Windows, until the run ends.
    pub(super) fn opening(&self, windows: WindowsParams) -> Phase {
        let begins = match windows.early(self.shape.size) {
            0 => Begins::LinKernighan,
            _ => Begins::SpaceFilling,
        };
        Phase { system: System::Windows(windows), begins, ends: Ends::WithTheRun }
    }

    /// What was asked for, and the usual where nothing was.
    pub(super) fn windows(&self, asked: &Windows) -> Result<WindowsParams> {
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

    /// When windows end, of which crossover then takes so many at a time.
    pub(super) fn end_of_windows(&self, windows: &WindowsParams, at_a_time: u32) -> Ends {
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
            Effort::Large => {
                let part = LEAST_GAIN_LARGE * size.max(CITIES_OF_ALL_WINDOWS) / CITIES_OF_ALL_WINDOWS;
                part * u64::from(EAX_WINDOWS_LARGE) / u64::from(at_a_time.max(EAX_WINDOWS_LARGE))
            }
            _ if self.has_few_windows() => LEAST_GAIN_OF_FEW,
            _ => LEAST_GAIN,
        };
        if opens { Ends::After { iterations } } else { Ends::Stagnation { iterations, gain } }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::recipe;
    use super::*;
    use crate::instance::problem::Problem;
    use crate::instance::tsp::{Instance, Kind, generate};
    use crate::settings::{LkEax, Settings};

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
    fn windows_end_sooner_where_more_of_them_are_crossed_at_a_time() {
        let problem = Problem::from(generate(Kind::Uniform, 300_000, 1).unwrap());
        let part = |at_a_time| {
            let asked = LkEax { eax_windows: Some(at_a_time), ..LkEax::default() };
            match Settings::of(asked).recipe(&problem, Effort::Large).unwrap().phases[0].ends {
                Ends::Stagnation { gain, .. } => gain,
                _ => panic!("windows end when they gain little"),
            }
        };
        assert_eq!([1, 6, 12, 15].map(part), [2400, 2400, 1200, 960]);
    }
}
