//! Results.
#![allow(unsafe_code, reason = "a linker sees the names")]

use std::ffi::{CString, c_char};

use myrmex::report::{Report, write_json};
use myrmex::settings::AskedFor;
use myrmex::{Error, Problem, Solution};

use crate::border::Made;
use crate::status::text;

/// What a run found.
pub struct MyrmexResult {
    solution: Solution,
    cost: i64,
    ended: CString,
    backend: CString,
    device: CString,
    report: CString,
}

impl MyrmexResult {
    /// The result of a run.
    pub(crate) fn of(problem: &Problem, solution: Solution, asked_for: &AskedFor) -> Made<Self> {
        let report = Report::of(problem, &solution).with_asked_for(asked_for);
        let mut json = Vec::new();
        write_json(&mut json, &report).map_err(|error| Error::io("report", error))?;
        Ok(Self {
            cost: i64::try_from(solution.cost).unwrap_or(i64::MAX),
            ended: text(solution.ended.name().into()),
            backend: text(solution.ran.backend.into()),
            device: text(solution.ran.device.clone()),
            report: text(String::from_utf8_lossy(&json).into_owned()),
            solution,
        })
    }
}

/// The solution's cost in the whole numbers that the solver counts in. -1 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_cost(result: Option<&MyrmexResult>) -> i64 {
    result.map_or(-1, |result| result.cost)
}

/// The tour's length in the unit of what was given; of an assignment its cost. NaN for NULL.
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

/// Why the run ended: "iterations", "time", "target", "stagnation", "converged" (its phases came to their end), "cancelled" (by the callback),
/// "optimal" (no solution is better, of few cities or facilities), "trivial" (so few, or so few places that are apart, that all solutions were
/// tried at once), or "failed" (the device). It belongs to the result. NULL for NULL.
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

/// All that is known of the run, with what ran and when it gained, as the JSON that the program writes. It belongs to the result. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_report(result: Option<&MyrmexResult>) -> *const c_char {
    result.map_or(std::ptr::null(), |result| result.report.as_ptr())
}

/// Frees a result.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_result_free(result: Option<Box<MyrmexResult>>) {
    drop(result);
}
