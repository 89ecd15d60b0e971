//! Problems: from numbers, or from files.
#![allow(unsafe_code, reason = "numbers of the caller are read, and a linker sees the names")]

use std::ffi::c_char;
use std::mem::MaybeUninit;

use myrmex::{Problem, qap, tsp};

use crate::border::{self, Made, guarded, making, needed};
use crate::status::{MyrmexError, MyrmexStatus};

/// An instance of the travelling salesman or the quadratic assignment problem.
pub struct MyrmexProblem(pub(crate) Problem);

/// Pairs of numbers.
///
/// # Safety
/// As [`border::numbers`].
unsafe fn pairs(xy: *const f64, count: usize, what: &str) -> Made<Vec<[f64; 2]>> {
    // SAFETY: the caller keeps to it.
    let numbers = unsafe { border::numbers(xy, (count, 2), what) }?;
    Ok(numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
}

/// Makes a problem of cities at points in the plane, in any unit: `xy` has x and y of each, 2 * cities numbers.
///
/// # Safety
/// `xy` is NULL or has 2 * cities numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_tsp_from_points(
    xy: *const f64,
    cities: usize,
    problem: Option<&mut MaybeUninit<Option<Box<MyrmexProblem>>>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    making(problem, error, || {
        // SAFETY: the caller keeps to it.
        let points = unsafe { pairs(xy, cities, "xy") }?;
        Ok(MyrmexProblem(tsp::Instance::from_points(&points)?.into()))
    })
}

/// Makes a problem of cities on the globe: `degrees` has longitude and latitude of each, 2 * cities numbers. Lengths are in metres.
///
/// # Safety
/// `degrees` is NULL or has 2 * cities numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_tsp_from_lon_lat(
    degrees: *const f64,
    cities: usize,
    problem: Option<&mut MaybeUninit<Option<Box<MyrmexProblem>>>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    making(problem, error, || {
        // SAFETY: the caller keeps to it.
        let places = unsafe { pairs(degrees, cities, "degrees") }?;
        Ok(MyrmexProblem(tsp::Instance::from_lon_lat(&places)?.into()))
    })
}

/// Makes a problem of distances in any unit, row by row: distances[i * cities + j] leads from city i to city j. They may be asymmetric and
/// negative; the diagonal is ignored.
///
/// # Safety
/// `distances` is NULL or has cities * cities numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_tsp_from_matrix(
    distances: *const f64,
    cities: usize,
    problem: Option<&mut MaybeUninit<Option<Box<MyrmexProblem>>>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    making(problem, error, || {
        // SAFETY: the caller keeps to it.
        let weights = unsafe { border::numbers(distances, (cities, cities), "distances") }?;
        Ok(MyrmexProblem(tsp::Instance::from_matrix_f64(cities, weights.to_vec())?.into()))
    })
}

/// Makes an assignment problem, matrices row by row and in any unit: flows[i * facilities + j] from facility i to facility j,
/// distances[k * locations + l] from location k to location l, and placing[i * locations + k], what facility i costs at location k by
/// itself; NULL as `placing` for nothing. There are as many locations as facilities, or more. Entries may be negative and have decimals;
/// diagonals count. Where entries have more digits than the solver counts they are rounded, and the report has `cost_error`: by how much
/// costs may differ at most; costs and lengths of results are summed from what was given.
///
/// # Safety
/// `flows` is NULL or has facilities * facilities numbers, `distances` is NULL or has locations * locations, `placing` is NULL or has
/// facilities * locations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_qap_from_matrices(
    flows: *const f64,
    facilities: usize,
    distances: *const f64,
    locations: usize,
    placing: *const f64,
    problem: Option<&mut MaybeUninit<Option<Box<MyrmexProblem>>>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    making(problem, error, || {
        // SAFETY: the caller keeps to it.
        let (flows, distances) = unsafe {
            let flows = border::numbers(flows, (facilities, facilities), "flows")?;
            (flows, border::numbers(distances, (locations, locations), "distances")?)
        };
        let placing = match placing.is_null() {
            true => None,
            // SAFETY: the caller keeps to it.
            false => Some(unsafe { border::numbers(placing, (facilities, locations), "placing") }?.to_vec()),
        };
        let (name, sizes) = (format!("{facilities} facilities"), [facilities, locations]);
        let instance = qap::Instance::from_matrices_f64(name, sizes, flows.to_vec(), distances.to_vec(), placing)?;
        Ok(MyrmexProblem(instance.into()))
    })
}

/// Reads a problem of either kind from a file: TSPLIB, QAPLIB, a table of points or distances (CSV), JSON, GeoJSON points; compressed by gzip or
/// not. The content tells what it is.
///
/// # Safety
/// `path` is NULL or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_problem_read(
    path: *const c_char,
    problem: Option<&mut MaybeUninit<Option<Box<MyrmexProblem>>>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    making(problem, error, || {
        // SAFETY: the caller keeps to it.
        let path = unsafe { border::text(path, "path") }?;
        Ok(MyrmexProblem(Problem::read(path)?))
    })
}

/// How many cities or facilities there are: solutions have a number for each. 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_size(problem: Option<&MyrmexProblem>) -> usize {
    problem.map_or(0, |problem| problem.0.len())
}

/// How many locations there are for facilities; 0 for tours and NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_locations(problem: Option<&MyrmexProblem>) -> usize {
    match problem {
        Some(MyrmexProblem(Problem::Qap(instance))) => instance.locations(),
        _ => 0,
    }
}

/// By how much the length of a tour, or the cost of an assignment, may differ at most from what the solver counts, in the unit of what was
/// given: 0 where nothing is rounded. One number that dwarfs all others makes it large: then the solver does not see small differences
/// between the others. Lengths of results are counted from what was given, without it. NaN for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_rounding(problem: Option<&MyrmexProblem>) -> f64 {
    problem.map_or(f64::NAN, |problem| problem.0.length_error())
}

/// Counts the length of a tour (closed, or as the file asks for it), or the cost of an assignment, in the unit of what was given: the cities in
/// order, or the location of each facility, counted from 0.
///
/// # Safety
/// `permutation` is NULL or has `size` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_problem_length(
    problem: Option<&MyrmexProblem>,
    permutation: *const u32,
    size: usize,
    length: Option<&mut MaybeUninit<f64>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    guarded(error, || {
        let length = length.ok_or_else(|| MyrmexError::invalid("the place for the length is NULL"))?;
        border::refuse_forked()?;
        let problem = &needed(problem, "problem")?.0;
        // SAFETY: the caller keeps to it.
        let permutation = unsafe { border::numbers(permutation, (size, 1), "permutation") }?;
        length.write(problem.length(permutation)?);
        Ok(())
    })
}

/// "tsp" or "qap"; it is not freed. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_kind(problem: Option<&MyrmexProblem>) -> *const c_char {
    match problem {
        None => std::ptr::null(),
        Some(MyrmexProblem(Problem::Qap(_))) => c"qap".as_ptr(),
        Some(_) => c"tsp".as_ptr(),
    }
}

/// Frees a problem.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_free(problem: Option<Box<MyrmexProblem>>) {
    drop(problem);
}
