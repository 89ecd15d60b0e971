//! What a column of a table runs, and what it reports.

use std::fmt;

use myrmex::{Preset, Problem, Recipe, Result, Settings};

/// What is reported of a run, or of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Milliseconds of construction an iteration, local updates included.
    Construct,
    /// The same for as many tours as there are cities.
    ConstructCities,
    /// Milliseconds of all other kernels an iteration.
    Rest,
    /// Milliseconds of all kernels an iteration.
    Iteration,
    /// Seconds of a thousand iterations.
    Thousand,
    /// Seconds of a whole run.
    Seconds,
    /// The same of runs that end at a cost, where all came so far.
    SecondsToGap,
    /// Percent above the best known cost.
    MeanGap,
    BestGap,
    MedianGap,
    /// Standard deviation of a sample of costs, in percent of the best known one.
    Deviation,
    /// Costs.
    MeanCost,
    BestCost,
    /// Friedman's test over the six MAX-MIN Ant Systems: statistic and p-value.
    FriedmanStatistic,
    FriedmanP,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// After so many iterations.
    Iterations(u32),
    /// After so many tours for each city.
    ToursPerCity(u32),
    /// After so many seconds.
    Seconds(f64),
    /// After 50,000 tabu iterations a facility, or at the best known cost (Tsutsui and Fujimoto 2011, section 6.2).
    TabuPerFacility,
    /// At a cost so many thousandths above the best known one; given up after ten minutes.
    Gap(u32),
    /// 2,000 iterations, 3,000 from 4,000 cities on (Skinderowicz 2020, section 5.7).
    BySize,
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iterations(count) => write!(f, "{count} iterations"),
            Self::ToursPerCity(tours) => write!(f, "{tours} tours a city"),
            Self::Seconds(seconds) if seconds.is_nan() => f.write_str("as long as 1,000 iterations of acs-gpu-alt"),
            Self::Seconds(seconds) => write!(f, "{seconds} s"),
            Self::TabuPerFacility => f.write_str("50,000 tabu iterations a facility"),
            Self::Gap(thousandths) => write!(f, "a gap of {}%", f64::from(*thousandths) / 10.0),
            Self::BySize => f.write_str("2,000 or 3,000 iterations"),
        }
    }
}

/// What the caller chooses beside table, instance and column.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Fewer repeats and shorter runs.
    pub quick: bool,
    /// Repeats of runs that are repeated.
    pub repeats: Option<u32>,
    /// The seconds that a run has in the paper, where it is to have as many.
    pub seconds: Option<f64>,
    /// Whether the CPU's twins run.
    pub on_cpu: bool,
}

/// A column: its runs and what is reported of them.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Names the configuration among all.
    pub name: String,
    pub preset: &'static Preset,
    pub change: Change,
    pub budget: Budget,
    pub repeats: u32,
    pub measure: Measure,
    /// What a reader has to know.
    pub note: Option<String>,
}

/// How a column differs from its preset.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Parameters by name.
    pub parameters: Vec<(&'static str, String)>,
    /// On the processor, by one thread, whatever the device.
    pub sequential: bool,
}

impl Change {
    fn of(name: &'static str, value: impl ToString) -> Self {
        Self::default().and(name, value)
    }

    fn and(mut self, name: &'static str, value: impl ToString) -> Self {
        self.parameters.push((name, value.to_string()));
        self
    }
}

impl Setting {
    /// What runs on an instance.
    pub fn settings(&self, problem: &Problem, seed: u64) -> Result<Settings> {
        let preset = self.preset.settings(problem.len()).seed(seed);
        self.change.parameters.iter().try_fold(preset, |settings, (name, value)| settings.with(name, value))
    }

    /// The same with nothing left open.
    pub fn recipe(&self, problem: &Problem) -> Result<Recipe> {
        self.settings(problem, 0)?.recipe(problem, myrmex::Effort::Standard)
    }
}

impl Setting {
    /// The cost at which a run ends, for this best known cost.
    pub fn goal(&self, optimum: u64) -> Option<u64> {
        match self.budget {
            Budget::TabuPerFacility => Some(optimum),
            Budget::Gap(thousandths) => Some(optimum + optimum * u64::from(thousandths) / 1000),
            _ => None,
        }
    }
}

/// The setting of a column; `None` for columns of other programs, which are printed alone.
pub fn settings_of(table: &str, instance: &str, column: &str, figure: f64, options: &Options) -> Option<Setting> {
    let preset = |name: &str| Preset::find(name).ok();
    let (head, tail) = column.split_once('/').unwrap_or((column, ""));
    let pick = |full: u32, short: u32| if options.quick { short } else { full };
    let timed = Budget::Iterations(pick(100, 20));
    let setting = |preset, change, budget, repeats, measure| {
        Some(Setting { name: format!("{table} {head}"), preset, change, budget, repeats, measure, note: None })
    };
    let none = Change::default();
    match table {
        "menezes-2" => {
            let change = if tail.is_empty() { none } else { Change::of("ants", tail) };
            let iterations = Budget::Iterations(pick(50, 5));
            let made = setting(preset(head)?, change, iterations, 1, Measure::Thousand)?;
            let note = "menezes-2: the paper does not say how many iterations it timed; ours is for a thousand";
            Some(Setting { name: format!("{table} {column}"), note: Some(note.into()), ..made })
        }
        "acs-3" => setting(preset(head)?, none, timed, 1, Measure::Construct),
        "acs-4" => setting(preset("acs-gpu-alt")?, period(column), timed, 1, Measure::Construct),
        "acs-5" => {
            let budget = Budget::Iterations(1000);
            setting(preset("acs-gpu-alt")?, period(column), budget, pick(30, 3), Measure::MeanGap)
        }
        "acs-6" => {
            let measure = if tail == "gap" { Measure::BestGap } else { Measure::BestCost };
            setting(preset(head)?, none, Budget::Iterations(1000), pick(30, 3), measure)
        }
        "acs-7" | "acs-8" => {
            let change = match table {
                // The preset has an ant a city.
                "acs-7" if head == "m=n" => none,
                "acs-7" => Change::of("ants", head.strip_prefix("m=")?),
                _ => period(head).and("ants", 256),
            };
            let measure = match tail {
                "mean" => Measure::MeanGap,
                "min" => Measure::BestGap,
                _ => Measure::ConstructCities,
            };
            setting(preset("acs-gpu-alt")?, change, Budget::ToursPerCity(1000), pick(30, 3), measure)
        }
        "acs-9" => {
            let change = Change::of("ants", 256).and("update_period", 4);
            let measure = match tail {
                "mean" => Measure::MeanGap,
                "best" => Measure::BestGap,
                "best-cost" => Measure::BestCost,
                _ => return None,
            };
            // The paper's limits hold 1000 iterations of its ACS-GPU-Alt; as many here take this share of the time.
            let (seconds, note) = match options.seconds {
                Some(seconds) => (seconds, "acs-9: both systems have the seconds of the paper"),
                None => (f64::NAN, "acs-9: both systems have as long as 1,000 iterations of acs-gpu-alt with an ant a city take here"),
            };
            let made = setting(preset(head)?, change, Budget::Seconds(seconds), pick(30, 3), measure)?;
            Some(Setting { note: Some(note.into()), ..made })
        }
        "acs-10" => {
            let measure = match column {
                "best" => Measure::BestCost,
                "gap" => Measure::BestGap,
                _ => Measure::Seconds,
            };
            let change = Change::of("ants", 256);
            let made = setting(preset("acs-gpu-spm")?, change, Budget::ToursPerCity(1000), pick(5, 1), measure)?;
            Some(Setting { name: table.into(), ..made })
        }
        "mmas-3" | "mmas-4" => {
            // Both tables are of the same runs, on different GPUs.
            let made = setting(preset(head)?, none, timed, 1, Measure::Construct)?;
            Some(Setting { name: head.into(), ..made })
        }
        "mmas-5" | "mmas-6" => {
            let made = setting(preset(&format!("{head}-cl"))?, none, timed, 1, Measure::Construct)?;
            Some(Setting { name: format!("{head}-cl"), ..made })
        }
        "mmas-7" => {
            let made = setting(preset("mmas-rwm-lc")?, none, timed, 1, Measure::Rest)?;
            Some(Setting { name: "mmas-rwm-lc".into(), ..made })
        }
        "mmas-8" => {
            let measure = if column == "p" { Measure::FriedmanP } else { Measure::FriedmanStatistic };
            let made = setting(preset("mmas-rwm-lc")?, none, Budget::Iterations(pick(100, 20)), pick(30, 10), measure)?;
            Some(Setting { name: table.into(), ..made })
        }
        "mmas-9" | "mmas-10" => {
            let measure = match column {
                "best" => Measure::BestCost,
                "mean" => Measure::MeanCost,
                "mean-gap" => Measure::MeanGap,
                "time" => Measure::Seconds,
                _ => return None,
            };
            let made = setting(preset("mmas-rwm-bt-2opt")?, none, Budget::BySize, pick(20, 2), measure)?;
            let note = "mmas-9, mmas-10: stagnation, deposits and up to 12,000 cities the evaporation as in the author's code, beyond it 0.25; \
                        the paper's text at hand has lost its rates";
            Some(Setting { name: "mmas-rwm-bt-2opt".into(), note: Some(note.into()), ..made })
        }
        "qap-5" => {
            let change = searched(head)?;
            let measure = if tail == "error" { Measure::MeanGap } else { Measure::Seconds };
            let made = setting(preset(cas(instance, false))?, change, Budget::TabuPerFacility, pick(10, 2), measure)?;
            Some(Setting { note: Some(qap_note(options)), ..made })
        }
        "qap-6" => {
            let change = searched(tail)?;
            let gap = match instance {
                "tai150b" => 2,
                name if name.ends_with('a') => 10,
                _ => 0,
            };
            let preset = preset(cas(instance, head == "2opt"))?;
            let made = setting(preset, change, Budget::Gap(gap), pick(10, 2), Measure::SecondsToGap)?;
            Some(Setting { name: format!("{table} {column}"), note: Some(qap_note(options)), ..made })
        }
        "amp-3" | "amp-8" => {
            // The paper ran amp-a with fewer ants in its first table of times.
            let change = if column == "amp-a" { Change::of("ants", 48) } else { none };
            setting(preset(column)?, change, timed, 1, Measure::Iteration)
        }
        "amp-4" | "amp-9" => {
            let measure = match tail {
                "median" => Measure::MedianGap,
                "sigma" => Measure::Deviation,
                _ => Measure::BestGap,
            };
            let made = setting(preset(head)?, none, Budget::Iterations(2500), pick(10, 3), measure)?;
            Some(Setting { name: format!("quality {head}"), ..made })
        }
        "amp-7" => {
            let made = setting(preset(head)?, none, timed, 1, Measure::Construct)?;
            Some(Setting { name: head.into(), ..made })
        }
        _ => None,
    }
    .filter(|_| figure.is_finite())
    .map(|made: Setting| match options.repeats.filter(|_| made.repeats > 1) {
        Some(repeats) => Setting { repeats, ..made },
        None => made,
    })
}

fn qap_note(options: &Options) -> String {
    let note = "qap-5, qap-6: column products is this project's own evaluation of moves beside the paper's time with MATA; column cpu runs on \
                one thread; best known costs as of 2026, tai100a 21044752";
    match options.on_cpu {
        true => format!("{note}; on the CPU columns products, mata and non-mata are the same twin on all threads"),
        false => note.into(),
    }
}

/// The parameters of Tsutsui and Fujimoto 2011 for an instance.
fn cas(instance: &str, two_opt: bool) -> &'static str {
    match (instance.ends_with('a'), two_opt) {
        (true, false) => "cas-tabu-a",
        (false, false) => "cas-tabu-b",
        (true, true) => "cas-2opt-a",
        (false, true) => "cas-2opt-b",
    }
}

/// How a column of qap-5 or qap-6 searches.
fn searched(name: &str) -> Option<Change> {
    match name {
        "mata" | "non-mata" | "products" => Some(Change::of("move_evaluation", name)),
        "cpu" => Some(Change { sequential: true, ..Change::default() }),
        _ => None,
    }
}

fn period(column: &str) -> Change {
    column.strip_prefix("k=").map_or_else(Change::default, |period| Change::of("update_period", period))
}
