//! Parameters of the MAX-MIN Ant System (Stützle and Hoos 2000; Skinderowicz 2020, section 2.1).

use serde::Serialize;

use super::range;
use super::value::{Kind, Value, named_values};
use crate::error::{Error, Result};

/// Which tour deposits when, counted in iterations since the trails were last initialised.
///
/// While fewer than `until[i]` iterations have passed, the best tour since then deposits in every `period[i]`-th
/// iteration and the iteration's best tour in the others; later the period is `final_period`. The default is ACOTSP's
/// schedule for runs with local search.
///
/// With `mix` other than 0 the iteration's best tour deposits in every `mix`-th iteration whatever the period is, and the best tour of all in
/// the iteration behind. (The code of Skinderowicz 2020 draws lots: with local search the iteration's best deposits once in ten times, the
/// best of all in a tenth of the others, else the best since the trails were initialised.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Schedule {
    /// Ends of the four early phases, in iterations, rising.
    pub until: [u32; 4],
    /// Their periods, at least 1.
    pub period: [u32; 4],
    /// The period after the last phase, at least 1.
    pub final_period: u32,
    /// After this many iterations without a gain the best tour of all takes over in the final phase.
    pub patience: u32,
    /// In one of so many iterations the iteration's best tour deposits, in the next one the best of all; 0: the periods alone decide.
    pub mix: u32,
}

impl std::str::FromStr for Schedule {
    type Err = String;

    /// Reads `UNTIL:PERIOD,...,PERIOD` with at most four phases before the last period, behind it `@PATIENCE` where patience is not the
    /// default, and `/MIX` where there is one.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected up to four UNTIL:PERIOD and a last PERIOD, joined by commas, not '{text}'");
        let (text, mix) = match text.split_once('/') {
            Some((rest, mix)) => (rest, mix.parse().ok().filter(|mix| *mix > 1).ok_or_else(wrong)?),
            None => (text, 0),
        };
        let (text, patience) = match text.split_once('@') {
            Some((phases, patience)) => (phases, patience.parse().map_err(|_| wrong())?),
            None => (text, Self::default().patience),
        };
        let mut parts: Vec<&str> = text.split(',').collect();
        let last = parts.pop().and_then(|last| last.parse().ok()).ok_or_else(wrong)?;
        if parts.len() > 4 {
            return Err(wrong());
        }
        let mut schedule = Self { until: [0; 4], period: [1; 4], final_period: last, patience, mix };
        for (i, part) in parts.iter().enumerate() {
            let (until, period) = part.split_once(':').ok_or_else(wrong)?;
            // Phases that are not named stay empty at the front.
            let slot = 4 - parts.len() + i;
            schedule.until[slot] = until.parse().map_err(|_| wrong())?;
            schedule.period[slot] = period.parse().map_err(|_| wrong())?;
        }
        Ok(schedule)
    }
}

impl std::fmt::Display for Schedule {
    /// As it is read: phases that are never reached are left out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (until, period) in self.until.iter().zip(self.period).filter(|(until, _)| **until > 0) {
            write!(f, "{until}:{period},")?;
        }
        write!(f, "{}", self.final_period)?;
        if self.patience != Self::default().patience {
            write!(f, "@{}", self.patience)?;
        }
        match self.mix {
            0 => Ok(()),
            mix => write!(f, "/{mix}"),
        }
    }
}

impl Kind for Schedule {
    fn from_value(value: &Value) -> Result<Self, String> {
        value.to_string().parse()
    }

    fn to_value(self) -> Value {
        Value::Word(self.to_string())
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self { until: [25, 75, 125, 250], period: [25, 5, 3, 2], final_period: 1, patience: 50, mix: 0 }
    }
}

/// Options on average of ants that choose from candidate lists; `docs/results/2026-11-max-min-ant-system.md` has the runs behind it.
const LIST_OPTIONS: f64 = 4.0;

/// Parameters of the MAX-MIN Ant System.
///
/// The evaporation rate ρ is the share of a trail that *vanishes* in an iteration: trails are multiplied by 1 − ρ.
/// (The code of Skinderowicz 2020 calls 1 − ρ "rho".)
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MmasParams {
    /// Trail exponent α in 0..=8, kept in steps of 1/256.
    pub alpha: f64,
    /// Heuristic exponent β in 0..=16.
    pub beta: f64,
    /// Evaporation rate ρ in (0, 1).
    pub evaporation: f64,
    /// Probability p in (0, 1) that an ant rebuilds the best tour once the trails have converged; sets the lower limit
    /// τmin = τmax (1 − p^(1/n)) / ((a − 1) p^(1/n)), with the average options a.
    pub p_best: f64,
    /// How many options an ant has on average where it chooses, at least 2: avg in equation 11 of Stützle and Hoos 2000. `None` is half of
    /// the n parts, as there; where an ant chooses among a few candidates, and most are visited, they are far fewer.
    pub average_options: Option<f64>,
    /// Iterations without a gain after which the trails are re-initialised; 0: never.
    pub stagnation: u32,
    /// Which tour deposits when.
    pub schedule: Schedule,
}

impl MmasParams {
    /// Defaults of ants that choose from candidate lists, with or without local search, the same for all sizes; `docs/results/2026-11-max-min-ant-system.md` has
    /// the runs behind them.
    pub fn for_search(local_search: bool) -> Self {
        Self {
            alpha: 1.0,
            beta: 2.0,
            // Without local search a colony takes iterations by the thousand and must not settle early.
            evaporation: if local_search { 0.2 } else { 0.02 },
            p_best: 0.05,
            average_options: local_search.then_some(LIST_OPTIONS),
            stagnation: 250,
            schedule: Schedule::default(),
        }
    }

    /// Defaults for assignments, which have no heuristic and no candidate lists.
    pub fn for_assignments() -> Self {
        Self { beta: 0.0, average_options: None, ..Self::for_search(true) }
    }

    /// Checks each range.
    ///
    /// # Errors
    /// [`Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self) -> Result<()> {
        range::exponents(self.alpha, self.beta)?;
        range::rate("evaporation", self.evaporation, range::PARTS)?;
        range::open_unit("p_best", self.p_best)?;
        if let Some(options) = self.average_options.filter(|&options| !options.is_finite() || options < 2.0) {
            return Err(Error::Config(format!("average_options must be at least 2, not {options}")));
        }
        let Schedule { until, period, final_period, mix, .. } = self.schedule;
        if until.windows(2).any(|pair| pair[0] > pair[1]) || period.contains(&0) || final_period == 0 || mix == 1 {
            let what = "the deposit schedule needs rising phases, periods of at least 1, and a mix of 0 or at least 2";
            return Err(Error::Config(what.into()));
        }
        Ok(())
    }

    /// By name, for so many parts; of `tours` with the heuristic exponent, which assignments do not have.
    pub(crate) fn parameters(&self, tours: bool, parts: usize) -> Vec<(&'static str, Value)> {
        let mut all = named_values![alpha = self.alpha];
        if tours {
            all.extend(named_values![beta = self.beta]);
        }
        all.extend(named_values![
            evaporation = self.evaporation,
            p_best = self.p_best,
            average_options = self.average_options.unwrap_or((parts as f64 / 2.0).max(2.0)),
            stagnation = self.stagnation,
            schedule = self.schedule,
        ]);
        all
    }

    /// ρ · 2³².
    pub fn evaporation_fixed(&self) -> u32 {
        range::share_fixed(self.evaporation)
    }

    /// (1 − ρ) · 2³².
    pub fn persistence_fixed(&self) -> u32 {
        u32::MAX - self.evaporation_fixed() + 1
    }
}

/// τmin / τmax · 2³², at least 1, for solutions of `cities` parts (Stützle and Hoos 2000, equation 11).
pub fn limit_ratio_fixed(p_best: f64, average_options: Option<f64>, cities: usize) -> u32 {
    let n = cities as f64;
    let root = libm::pow(p_best, 1.0 / n);
    let options = average_options.map_or(n / 2.0, |options| options.min(n / 2.0));
    let ratio = (1.0 - root) / ((options - 1.0).max(1.0) * root);
    (ratio.min(0.5) * 4294967296.0).max(1.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_limits_shrink_with_size() {
        let mut last = u32::MAX;
        for cities in [4, 5, 10, 100, 1000, 10_000, 100_000] {
            let params = MmasParams::for_search(true);
            params.validate().unwrap();
            let ratio = limit_ratio_fixed(params.p_best, params.average_options, cities);
            assert!(ratio >= 1 && ratio <= last, "{cities}");
            last = ratio;
        }
    }

    #[test]
    fn lower_limit_is_that_of_the_paper() {
        // 1 - 0.05^(1/100) is 0.029513.
        let share = |options| f64::from(limit_ratio_fixed(0.05, options, 100)) / 4294967296.0;
        assert!((share(None) - 0.029513 / (49.0 * 0.970487)).abs() < 1e-8);
        assert!((share(Some(4.0)) - 0.029513 / (3.0 * 0.970487)).abs() < 1e-6);
        assert_eq!(share(Some(80.0)), share(None));
    }

    #[test]
    fn persistence_and_evaporation_sum_to_one() {
        let params = MmasParams { evaporation: 0.3, ..MmasParams::for_search(true) };
        assert_eq!(params.persistence_fixed().wrapping_add(params.evaporation_fixed()), 0);
    }

    #[test]
    fn schedules_are_read() {
        assert_eq!("25:25,75:5,125:3,250:2,1".parse(), Ok(Schedule::default()));
        assert_eq!("7".parse::<Schedule>().map(|s| (s.until, s.final_period)), Ok(([0; 4], 7)));
        assert_eq!("9:3,2".parse::<Schedule>().map(|s| (s.until[3], s.period[3])), Ok((9, 3)));
        assert_eq!("1/10".parse::<Schedule>().map(|s| (s.final_period, s.mix)), Ok((1, 10)));
        for wrong in ["1:2", "a:1,2", "1/1", "1/", "/3"] {
            assert!(wrong.parse::<Schedule>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn schedules_read_as_they_are_shown() {
        let early = Schedule { until: [0, 0, 4, 9], period: [1, 1, 3, 2], final_period: 7, patience: 0, mix: 4 };
        for schedule in [Schedule::default(), early] {
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
    }

    #[test]
    fn ranges_are_told() {
        let params = MmasParams { evaporation: 1.0, ..MmasParams::for_search(true) };
        assert!(params.validate().unwrap_err().to_string().contains("evaporation"));
        let params = MmasParams { beta: f64::NAN, ..MmasParams::for_search(true) };
        assert!(params.validate().unwrap_err().to_string().contains("beta"));
    }
}
