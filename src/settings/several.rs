//! Settings of a run on several devices: what each of them gets to do.

use super::tours::windows_on_devices;
use super::{Algorithm, Colonies, Effort, Recipe, Settings};
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem};

impl Settings {
    /// The same for a run on so many devices that `suits`. Where crossover takes windows of the tour each device has as many of them as one
    /// alone would have; else each has a colony. What is asked for stays. The same settings give the same solution on one device.
    ///
    /// ```
    /// use myrmex::{Effort, Problem, Settings, tsp::{Kind, generate}};
    ///
    /// let problem = Problem::from(&generate(Kind::Uniform, 200, 1)?);
    /// let settings = Settings::default().for_devices(&problem, Effort::Standard, 2)?;
    /// assert_eq!(settings.colonies.colonies, Some(2));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Settings::recipe`], and [`Error::Config`] where fewer colonies or windows are asked for than there are devices.
    pub fn for_devices(&self, problem: &Problem, suits: Effort, devices: usize) -> Result<Self> {
        if devices < 2 || self.tries_all(problem)? {
            return Ok(*self);
        }
        self.for_problem(problem).each_on_its_own(|settings| settings.recipe(problem, suits), devices)
    }

    pub(crate) fn for_devices_of_form(&self, form: &Form, suits: Effort, devices: usize) -> Result<Self> {
        if devices < 2 || form.problem().is_trivial() {
            return Ok(*self);
        }
        self.for_problem(form.original()).each_on_its_own(|settings| settings.recipe_for_form(form, suits), devices)
    }

    fn each_on_its_own(mut self, recipe: impl Fn(&Self) -> Result<Recipe>, devices: usize) -> Result<Self> {
        let settings = &mut self;
        // Whether crossover takes windows does not depend on colonies.
        let recipe = recipe(&Self { colonies: Colonies::default(), ..*settings })?;
        match (&mut settings.algorithm, settings.colonies.colonies) {
            (Algorithm::LkEax(asked), None | Some(1)) if recipe.windows.is_some() => {
                let windows = asked.eax_windows.unwrap_or(windows_on_devices(recipe.effort, recipe.size, devices));
                suffice("eax_windows", windows as usize, devices)?;
                asked.eax_windows = Some(windows);
            }
            _ => return self.a_colony_each(devices),
        }
        Ok(self)
    }

    fn a_colony_each(mut self, devices: usize) -> Result<Self> {
        let count = self.colonies.colonies.map_or(devices, |count| count as usize);
        suffice("colonies", count, devices)?;
        self.colonies.colonies = Some(u32::try_from(count).unwrap_or(u32::MAX));
        Ok(self)
    }

    /// The same for a run on so many devices of several processes: each has at least one colony of its own, also where crossover takes
    /// windows of the tour. The same settings give the same solution on one device.
    ///
    /// # Errors
    /// [`Error::Config`] where fewer colonies are asked for than there are devices.
    pub fn for_ranks(&self, problem: &Problem, devices: usize) -> Result<Self> {
        match self.tries_all(problem)? {
            true => Ok(*self),
            false => self.for_problem(problem).a_colony_each(devices),
        }
    }

    /// Whether a problem is so small that all its solutions are tried at once.
    fn tries_all(&self, problem: &Problem) -> Result<bool> {
        /// Of more cities or facilities than this none is, and what kernels know of so few is soon made.
        const FEW: usize = 64;
        let form = self.form_of_shape(problem)?;
        let form = if form.problem().len() > FEW { form } else { self.form(problem)? };
        Ok(form.problem().is_trivial())
    }

    pub(crate) fn for_ranks_of_form(&self, form: &Form, devices: usize) -> Result<Self> {
        if form.problem().is_trivial() {
            return Ok(*self);
        }
        self.for_problem(form.original()).a_colony_each(devices)
    }
}

/// Refuses fewer colonies or windows than devices.
fn suffice(what: &str, count: usize, devices: usize) -> Result<()> {
    match count < devices {
        true => Err(Error::Config(format!(
            "{what}={count} leaves {} of {devices} devices idle: ask for at least {devices}, leave '{what}' out, or name fewer devices",
            devices - count
        ))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tsp::{Kind, generate};
    use crate::settings::LkEax;

    fn problem(cities: usize) -> Problem {
        Problem::from(&generate(Kind::Uniform, cities, 1).unwrap())
    }

    fn windows(eax_windows: Option<u32>) -> Settings {
        Settings::of(LkEax { eax_up_to: Some(1000), eax_window: Some(200), eax_windows, ..LkEax::default() })
    }

    #[test]
    fn each_device_gets_a_colony_or_windows() {
        let colonies = |settings: Settings| (settings.colonies.colonies, settings.colonies.migration);
        let on = |settings: Settings, cities, effort, devices| {
            settings.for_devices(&problem(cities), effort, devices).unwrap()
        };
        let default = Settings::default();
        assert_eq!(on(default, 300, Effort::Standard, 1), default);
        assert_eq!(colonies(on(default, 300, Effort::Standard, 3)), (Some(3), None));
        let asked =
            Settings { colonies: Colonies { colonies: None, migration: Some(7), ..Colonies::default() }, ..default };
        assert_eq!(colonies(on(asked, 300, Effort::Standard, 3)), (Some(3), Some(7)));
        let asked =
            Settings { colonies: Colonies { colonies: Some(5), migration: Some(0), ..Colonies::default() }, ..default };
        assert_eq!(colonies(on(asked, 300, Effort::Standard, 3)), (Some(5), Some(0)));
        for (effort, devices, at_a_time) in
            [(Effort::Standard, 4, 4), (Effort::Small, 2, 2), (Effort::Large, 4, 24), (Effort::Large, 50, 64)]
        {
            let settings = on(windows(None), 40_000, effort, devices);
            assert_eq!(colonies(settings), (None, None));
            let recipe = settings.recipe(&problem(40_000), effort).unwrap();
            assert_eq!(
                (recipe.colonies, recipe.windows.map(|windows| windows.at_a_time)),
                (1, Some(at_a_time)),
                "{effort:?} on {devices}"
            );
        }
        assert_eq!(on(windows(Some(6)), 3000, Effort::Standard, 4), windows(Some(6)));
        // Colonies that are asked for have windows of their own.
        let both = Settings { colonies: Colonies { colonies: Some(2), ..Colonies::default() }, ..windows(None) };
        assert_eq!(on(both, 3000, Effort::Standard, 2), both);
    }

    /// What is tried at once takes no second device, however the ways of few cities differ.
    #[test]
    fn few_cities_are_for_one_device() {
        let matrix =
            |n: usize| (0..n * n).map(|at| if at / n == at % n { 0 } else { (at * 7919 % 101) as u32 }).collect();
        let problem = |n| Problem::from(crate::instance::tsp::Instance::from_matrix("one way", n, matrix(n)).unwrap());
        let settings = Settings::default();
        for (cities, is_few) in [(10, true), (40, false), (90, false)] {
            let on_devices = settings.for_devices(&problem(cities), Effort::Standard, 2).unwrap();
            let of_ranks = settings.for_ranks(&problem(cities), 2).unwrap();
            assert_eq!([on_devices == settings, of_ranks == settings], [is_few; 2], "{cities}");
        }
    }

    #[test]
    fn nothing_is_done_on_a_device_that_is_left_over() {
        let colonies = |count| Settings {
            colonies: Colonies { colonies: Some(count), ..Colonies::default() },
            ..Settings::default()
        };
        for (settings, cities, words) in [
            (colonies(1), 300, "colonies=1 leaves 2 of 3 devices idle"),
            (colonies(2), 300, "colonies=2 leaves 1 of 3 devices idle"),
            (windows(Some(2)), 3000, "eax_windows=2 leaves 1 of 3 devices idle"),
        ] {
            let error = settings.for_devices(&problem(cities), Effort::Standard, 3).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
