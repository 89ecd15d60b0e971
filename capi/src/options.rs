//! Options: names and values, as texts.
#![allow(unsafe_code, reason = "texts of the caller are read, and a linker sees the names")]

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::{Duration, Instant};

use myrmex::settings::{AskedFor, Request, Value};
use myrmex::{Problem, Settings, Stop, Target};

use crate::border::{self, Made, guarded};
use crate::status::{MyrmexError, MyrmexStatus};

/// What a run is asked for.
#[derive(Default)]
pub struct MyrmexOptions {
    words: BTreeMap<String, String>,
    initial: Option<Vec<u32>>,
}

/// What ends a run and where it runs: all that is no setting of the library.
const RULES: [&str; 11] = [
    "time",
    "iterations",
    "target",
    "stagnation",
    "stagnation_time",
    "rounds",
    "device",
    "open",
    "start",
    "end",
    "fixed",
];

/// What may stand before the name of a parameter, and has to where a rule has the same name.
const PARAMETER: &str = "set.";

/// What the options say of a run.
pub struct Asked {
    pub problem: Problem,
    pub settings: Settings,
    /// What reports tell of these.
    pub asked_for: AskedFor,
    pub stop: Stop,
    pub target: Target,
}

impl MyrmexOptions {
    /// A value, read as what `expected` says.
    fn value<T: FromStr>(&self, name: &str, expected: &str) -> Made<Option<T>> {
        let Some(text) = self.words.get(name) else { return Ok(None) };
        let value = text.trim().parse();
        value.map(Some).map_err(|_| MyrmexError::invalid(format!("{name}: expected {expected}, not '{text}'")))
    }

    fn seconds(&self, name: &str) -> Made<Option<Duration>> {
        const EXPECTED: &str = "seconds from 0 up";
        let Some(seconds) = self.value::<f64>(name, EXPECTED)? else { return Ok(None) };
        let duration = Duration::try_from_secs_f64(seconds);
        duration.map(Some).map_err(|_| MyrmexError::invalid(format!("{name}: expected {EXPECTED}, not '{seconds}'")))
    }

    /// The problem, as an open path where that is asked for.
    fn opened(&self, problem: &Problem) -> Made<Problem> {
        const CITY: &str = "a city, counted from 0";
        let open = self.value::<bool>("open", "true or false")?;
        let (start, end) = (self.value("start", CITY)?, self.value("end", CITY)?);
        let wanted = start.is_some() || end.is_some();
        let returns = start.is_some() && start == end;
        match (problem, open) {
            (_, Some(false)) if wanted && !returns => {
                Err(MyrmexError::invalid("open is false, and start or end of a path are given: leave either out"))
            }
            (Problem::Tsp(instance), Some(false)) if instance.is_open() => {
                Err(MyrmexError::invalid("open is false, and the problem is an open path: leave open out"))
            }
            (_, None | Some(false)) if !wanted => Ok(problem.clone()),
            (Problem::Tsp(instance), None | Some(false)) if returns => {
                Ok(instance.clone().closed_from(start.unwrap_or_default())?.into())
            }
            (Problem::Tsp(instance), _) => Ok(instance.clone().open_path(start, end)?.into()),
            _ => Err(MyrmexError::invalid("open, start and end are for tours; leave them out for assignments")),
        }
    }

    /// The problem with facilities at their locations, or edges that stay, where that is asked for.
    fn with_fixed(&self, problem: Problem) -> Made<Problem> {
        let Some(text) = self.words.get("fixed") else { return Ok(problem) };
        let pair = |word: &str| {
            let (one, other) = word.split_once('=')?;
            Some([one.trim().parse().ok()?, other.trim().parse().ok()?])
        };
        let pairs = text.split(',').map(|word| {
            pair(word).ok_or_else(|| {
                MyrmexError::invalid(format!(
                    "fixed: expected pairs of cities, or of a facility and its location, counted from 0, as in 0=3,2=5, not '{text}'"
                ))
            })
        });
        let pairs = pairs.collect::<Made<Vec<_>>>()?;
        Ok(match problem {
            Problem::Tsp(instance) => instance.with_fixed_edges(&pairs)?.into(),
            Problem::Qap(instance) => instance.with_fixed(&pairs)?.into(),
            _ => return Err(MyrmexError::invalid("fixed is for tours and assignments")),
        })
    }

    /// What they say of a run on `problem` that began at `started`.
    pub fn asked(&self, problem: &Problem, started: Instant) -> Made<Asked> {
        let problem = self.with_fixed(self.opened(problem)?)?;
        let mut stop = Stop::default().since(started);
        stop.iterations = self.value("iterations", "a whole number from 0 to 4294967295")?;
        let count = |name| self.value::<NonZeroU32>(name, "a whole number from 1 to 4294967295");
        stop.stagnation = count("stagnation")?.map(NonZeroU32::get);
        stop.rounds = count("rounds")?.map(NonZeroU32::get);
        stop.time = self.seconds("time")?;
        stop.stagnation_time = self.seconds("stagnation_time")?;
        stop.target = match self.value::<f64>("target", "a length")? {
            Some(length) if length.is_finite() => Some(length),
            Some(length) => return Err(MyrmexError::invalid(format!("target: expected a length, not '{length}'"))),
            None => None,
        };
        if stop.is_empty() {
            stop = stop.or(Stop::usual());
        }
        let target = self.words.get("device").map_or(Ok(Target::Auto), |words| words.parse())?;
        let request = Request::of(self.settings())?;
        let is_unknown = request.pairs().any(|(name, _)| !Settings::is_known(name));
        let named = request.settings(&problem).map_err(|error| match is_unknown {
            true => MyrmexError::invalid(format!(
                "{error}; options beside these are {}, {}",
                RULES.join(", "),
                Request::BESIDE.join(", ")
            )),
            false => error.into(),
        });
        let settings = named?.for_iterations(stop.iterations);
        let asked_for = request.asked_for(&settings);
        Ok(Asked { problem, settings, asked_for, stop, target })
    }

    /// The solution that a run begins with, where one is given.
    pub fn initial(&self) -> Option<&[u32]> {
        self.initial.as_deref()
    }

    /// What is said of settings.
    fn settings(&self) -> Vec<(String, Value)> {
        let others = self.words.iter().filter(|(name, _)| !RULES.contains(&name.as_str()));
        let plain = |name: &str| name.strip_prefix(PARAMETER).unwrap_or(name).to_owned();
        others.map(|(name, text)| (plain(name), Value::from_text(text))).collect()
    }
}

/// Makes options that leave everything open.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_options_new() -> Box<MyrmexOptions> {
    Box::default()
}

/// Sets an option, in place of the value that it had; NULL as `value` leaves it open again.
///
/// - `time`: seconds, with decimals, from the call of myrmex_solve on, the set-up included, which takes seconds with asymmetric distances of
///   thousands of cities, or hundreds of thousands of points: where it is not done by then the solution is a simple one. `iterations`. `target`: a length in the unit of what was given, or a
///   cost. `stagnation`, `stagnation_time`: iterations or seconds without a gain. `rounds`: when the phases have come to their end so often,
///   which is no matter of the clock. The first of them that holds ends the run; where none is given, five seconds do, or less where nothing
///   more is to be expected of so small a problem.
/// - `seed`: a whole number. With the same seed, settings and `iterations` the solution is the same on every device.
/// - `device`: `auto`, `cpu`, `wgpu`, `cuda`, or one of the last two with an index or a part of a name: `wgpu:0`, `cuda:H100`; several of them
///   on one problem with commas between: `cuda:0,cuda:1`; `all` GPUs. `auto` opens the GPUs of the machine each time, which takes longer
///   than to solve a small problem: `cpu` suits many of these.
/// - `open`: `true` for a path that does not lead back. `start`, `end`: the cities at its ends, counted from 0; one alone makes a path, too,
///   whose other end is free. The same city for both: a closed tour, told from there on.
/// - `fixed`: pairs with commas between, counted from 0: `0=3,2=5`. Of tours cities that stay beside each other (between asymmetric distances
///   the second one behind the first), of assignments facilities and the locations that they are given.
/// - `algorithm` or `preset`, `effort`, `on_device_lost`, and every parameter of the algorithm, which docs/algorithms tells, and
///   the program by `myrmex parameters`; `set.` may stand before its name, as in `set.ants`, and has to in `set.stagnation`, since
///   `stagnation` is a rule.
///
/// What names and values mean depends on the problem, so myrmex_solve checks them.
///
/// # Safety
/// `name` and `value` are NULL or end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_options_set(
    options: Option<&mut MyrmexOptions>,
    name: *const c_char,
    value: *const c_char,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    guarded(error, || {
        let options = options.ok_or_else(|| MyrmexError::invalid("options is NULL"))?;
        // SAFETY: the caller keeps to it.
        let name = unsafe { border::text(name, "name") }?.replace('-', "_");
        if value.is_null() {
            options.words.remove(&name);
            return Ok(());
        }
        // SAFETY: the caller keeps to it.
        let value = unsafe { border::text(value, &name) }?;
        options.words.insert(name, value.to_owned());
        Ok(())
    })
}

/// Lets runs begin with a solution, which is copied, in place of the one before: the cities of a tour in order, or the location of each
/// facility, counted from 0. NULL leaves it open again. myrmex_solve checks that it is a solution.
///
/// # Safety
/// `permutation` is NULL or has `size` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_options_set_initial(
    options: Option<&mut MyrmexOptions>,
    permutation: *const u32,
    size: usize,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    guarded(error, || {
        let options = options.ok_or_else(|| MyrmexError::invalid("options is NULL"))?;
        options.initial = match permutation.is_null() {
            true => None,
            // SAFETY: the caller keeps to it.
            false => Some(unsafe { border::numbers(permutation, (size, 1), "permutation") }?.to_vec()),
        };
        Ok(())
    })
}

/// Frees options.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_options_free(options: Option<Box<MyrmexOptions>>) {
    drop(options);
}
