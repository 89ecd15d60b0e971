//! Results.
#![allow(unsafe_code, reason = "a linker sees the names")]

use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use myrmex::report::{Report, write_json};
use myrmex::settings::AskedFor;
use myrmex::{Problem, Solution, Stop};

use crate::border::freed;
use crate::status::text;
use crate::threads::in_own_pool;

/// What a run found.
pub struct MyrmexResult {
    problem: Problem,
    asked_for: AskedFor,
    stop: Stop,
    solution: Solution,
    cost: i64,
    ended: CString,
    backend: CString,
    device: CString,
    /// Made when it is asked for; `None` where that failed.
    report: OnceLock<Option<CString>>,
}

impl MyrmexResult {
    /// The result of a run.
    pub(crate) fn of(problem: Problem, solution: Solution, asked_for: AskedFor, stop: Stop) -> Self {
        Self {
            cost: i64::try_from(solution.cost).unwrap_or(i64::MAX),
            ended: text(solution.ended.name().into()),
            backend: text(solution.ran.backend.name().into()),
            device: text(solution.ran.device.clone()),
            report: OnceLock::new(),
            problem,
            asked_for,
            stop,
            solution,
        }
    }

    /// What is known of the run, as JSON.
    fn json(&self) -> Option<CString> {
        let problem = &self.problem;
        let report = Report::of(problem, &self.solution).with_asked_for(&self.asked_for).with_stop(&self.stop);
        let mut json = Vec::new();
        write_json(&mut json, &report).ok()?;
        Some(text(String::from_utf8_lossy(&json).into_owned()))
    }
}

/// The solution's cost in the whole numbers that the solver counts in. -1 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_cost(result: Option<&MyrmexResult>) -> i64 {
    result.map_or(-1, |result| result.cost)
}

/// The tour's length in the unit of what was given; of an assignment its cost. INFINITY where it takes a way, or a place, that was given as
/// infinite. NaN for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_length(result: Option<&MyrmexResult>) -> f64 {
    result.map_or(f64::NAN, |result| result.solution.length)
}

/// How many cities or facilities the solution has; 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_size(result: Option<&MyrmexResult>) -> usize {
    result.map_or(0, |result| result.solution.permutation.len())
}

/// The solution: the cities of a tour in order, or the location of each facility, counted from 0. It belongs to the result. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_permutation(result: Option<&MyrmexResult>) -> *const u32 {
    result.map_or(std::ptr::null(), |result| result.solution.permutation.as_ptr())
}

/// Iterations that were made; 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_iterations(result: Option<&MyrmexResult>) -> u32 {
    result.map_or(0, |result| result.solution.iterations)
}

/// Seconds that the run took, set-up included. NaN for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_seconds(result: Option<&MyrmexResult>) -> f64 {
    result.map_or(f64::NAN, |result| result.solution.seconds)
}

/// Why the run ended: "iterations", "time", "target", "stagnation", "converged" (its phases came to their end), "cancelled" (by the
/// callback), "optimal" (no solution is better, of few cities or facilities), "trivial" (so few, or so few places that are apart, that all
/// solutions were tried at once), or "failed" (the device). It belongs to the result. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_ended(result: Option<&MyrmexResult>) -> *const c_char {
    result.map_or(std::ptr::null(), |result| result.ended.as_ptr())
}

/// "wgpu", "cuda", "cpu", "mixed" (devices of several) or "none" (the set-up was not done). It belongs to the result. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_backend(result: Option<&MyrmexResult>) -> *const c_char {
    result.map_or(std::ptr::null(), |result| result.backend.as_ptr())
}

/// The name of the device. It belongs to the result. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_device(result: Option<&MyrmexResult>) -> *const c_char {
    result.map_or(std::ptr::null(), |result| result.device.as_ptr())
}

/// All that is known of the run, with what ran and when it gained, as the JSON that the program writes. It is made when this is called
/// first, which takes a second with a million cities. It belongs to the result. NULL for NULL, and where a fault of the library keeps it
/// from being made.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_report(result: Option<&MyrmexResult>) -> *const c_char {
    let Some(result) = result else { return std::ptr::null() };
    let made = || catch_unwind(AssertUnwindSafe(|| in_own_pool(result.solution.permutation.len(), || result.json())));
    let report = result.report.get_or_init(|| made().ok().flatten());
    report.as_ref().map_or(std::ptr::null(), |report| report.as_ptr())
}

/// Frees a result.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_free(result: Option<Box<MyrmexResult>>) {
    freed(result);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::border;
    use myrmex::settings::Request;
    use myrmex::tsp::{Kind, generate};
    use myrmex::{Problem, Settings, Target};

    /// Nobody waits for a report who does not read it: of a million points it looks at all of them.
    #[test]
    fn a_report_is_made_when_it_is_asked_for() {
        let problem = generate(Kind::Uniform, 10, 1).map(Problem::from);
        let stop = Stop::iterations(1);
        let solved = problem.and_then(|problem| {
            let job = myrmex::Job::spawn(&problem, &Settings::default(), Target::Cpu, &stop)?;
            Ok((problem, job.join()?.solution))
        });
        let Ok((problem, solution)) = solved else { panic!("it is solved") };
        let asked_for = Request::default().asked_for(&Settings::default());
        let result = MyrmexResult::of(problem, solution, asked_for, stop);
        assert!(result.report.get().is_none());
        let report = myrmex_result_report(Some(&result));
        // SAFETY: the result is there still.
        let json = unsafe { border::text(report, "report") }.unwrap_or_default();
        assert!(json.starts_with("{\"schema\":") && json.contains("\"stop\":{\"iterations\":1}"));
        assert!(result.report.get().is_some() && myrmex_result_report(Some(&result)) == report);
    }
}
