//! Problems: from numbers, or from files.
#![allow(unsafe_code, reason = "numbers of the caller are read, and a linker sees the names")]

use std::ffi::{CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use myrmex::{Problem, qap, tsp};

use crate::border::{self, Made, freed, guarded, making, needed};
use crate::options::MyrmexOptions;
use crate::status::{MyrmexError, MyrmexStatus, text};
use crate::threads::in_own_pool;

/// An instance of the travelling salesman or the quadratic assignment problem.
pub struct MyrmexProblem {
    pub(crate) problem: Problem,
    /// Made when they are asked for; `None` where that failed.
    warnings: OnceLock<Option<CString>>,
}

impl<T: Into<Problem>> From<T> for MyrmexProblem {
    fn from(problem: T) -> Self {
        Self { problem: problem.into(), warnings: OnceLock::new() }
    }
}

/// A problem of tours.
fn tours(instance: tsp::Instance) -> MyrmexProblem {
    Problem::from(instance).into()
}

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
        Ok(tours(tsp::Instance::from_points(&points)?))
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
        Ok(tours(tsp::Instance::from_lon_lat(&places)?))
    })
}

/// Makes a problem of distances in any unit, row by row: distances[i * cities + j] leads from city i to city j. They may be asymmetric and
/// negative; the diagonal is ignored. INFINITY marks a missing edge: a tour that has to have one has the length INFINITY.
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
        Ok(tours(tsp::Instance::from_matrix_f64(cities, weights.to_vec())?))
    })
}

/// Makes an assignment problem, matrices row by row and in any unit: flows[i * facilities + j] from facility i to facility j, distances[k *
/// locations + l] from location k to location l, and placing[i * locations + k], what facility i costs at location k by itself; NULL as
/// `placing` for nothing. There are as many locations as facilities, or more. Entries may be negative and have decimals; diagonals count.
/// INFINITY in `placing` marks a forbidden location: an assignment that has to have one has the length INFINITY. Where entries have more
/// digits than the solver counts they are rounded, and the report has `cost_error`: by how much costs may differ at most; costs and lengths
/// of results are summed from what was given.
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
        Ok(instance.into())
    })
}

/// Reads a problem of either kind from a file: TSPLIB, QAPLIB, a table of points or distances (CSV), JSON, GeoJSON points; compressed by
/// gzip or not. The content tells what it is. On Unix a path may have any bytes.
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
        let path = unsafe { border::path(path, "path") }?;
        Ok(Problem::read(path)?.into())
    })
}

/// The same from the content of a file in memory. `name` is what messages call it, and as what the problem is known; NULL for "<text>".
///
/// # Safety
/// `bytes` is NULL or has `length` bytes, `name` is NULL or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_problem_parse(
    bytes: *const c_void,
    length: usize,
    name: *const c_char,
    problem: Option<&mut MaybeUninit<Option<Box<MyrmexProblem>>>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    making(problem, error, || {
        // SAFETY: the caller keeps to it.
        let bytes = unsafe { border::numbers(bytes.cast::<u8>(), (length, 1), "bytes") }?;
        let name = match name.is_null() {
            true => "<text>",
            // SAFETY: the caller keeps to it.
            false => unsafe { border::text(name, "name") }?,
        };
        let text = myrmex::decode(bytes.to_vec(), name)?;
        Ok(Problem::parse(&text, name, tsp::Distances::Stated)?.into())
    })
}

/// Makes a problem of another one with what the options `open`, `start`, `end` and `fixed` ask solutions to keep to, so that
/// myrmex_problem_length counts open paths, too, and each run keeps to them; other options mean nothing here, and a run may have the same
/// ones again. `options` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_with(
    problem: Option<&MyrmexProblem>,
    options: Option<&MyrmexOptions>,
    changed: Option<&mut MaybeUninit<Option<Box<MyrmexProblem>>>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    making(changed, error, || {
        let problem = &needed(problem, "problem")?.problem;
        Ok(options.map_or_else(|| Ok(problem.clone()), |options| options.kept_to(problem))?.into())
    })
}

/// What in a problem may be meant otherwise, or is rounded so that it matters, for people: a line each, "" where there is nothing to say.
/// Reports of results have them, too, and those of the solution. It is made when this is called first, and belongs to the problem. NULL for
/// NULL, and where a fault of the library keeps it from being made.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_warnings(problem: Option<&MyrmexProblem>) -> *const c_char {
    let Some(MyrmexProblem { problem, warnings }) = problem else { return std::ptr::null() };
    let told = || in_own_pool(problem.len(), || text(problem.warnings().join("\n")));
    let warnings = warnings.get_or_init(|| catch_unwind(AssertUnwindSafe(told)).ok());
    warnings.as_ref().map_or(std::ptr::null(), |told| told.as_ptr())
}

/// How many cities or facilities there are: solutions have a number for each. 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_size(problem: Option<&MyrmexProblem>) -> usize {
    problem.map_or(0, |problem| problem.problem.len())
}

/// How many locations there are for facilities; 0 for tours and NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_locations(problem: Option<&MyrmexProblem>) -> usize {
    match problem.map(|problem| &problem.problem) {
        Some(Problem::Qap(instance)) => instance.locations(),
        _ => 0,
    }
}

/// By how much the length of a tour, or the cost of an assignment, may differ at most from what the solver counts, in the unit of what was
/// given: 0 where nothing is rounded. One number that dwarfs all others makes it large: then the solver does not see small differences
/// between the others. Lengths of results are counted from what was given, without it. NaN for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_rounding(problem: Option<&MyrmexProblem>) -> f64 {
    problem.map_or(f64::NAN, |problem| problem.problem.length_error())
}

/// Counts the length of a tour (closed, or as the file or myrmex_problem_with asks for it), or the cost of an assignment, in the unit of
/// what was given: the cities in order, or the location of each facility, counted from 0. INFINITY where it takes a way, or a place, that
/// was given as infinite. NaN is written where this fails.
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
        length.write(f64::NAN);
        border::begin()?;
        let problem = &needed(problem, "problem")?.problem;
        // SAFETY: the caller keeps to it.
        let permutation = unsafe { border::numbers(permutation, (size, 1), "permutation") }?;
        length.write(problem.length(permutation)?);
        Ok(())
    })
}

/// "tsp" or "qap"; it is not freed. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_kind(problem: Option<&MyrmexProblem>) -> *const c_char {
    match problem.map(|problem| &problem.problem) {
        None => std::ptr::null(),
        Some(Problem::Qap(_)) => c"qap".as_ptr(),
        Some(_) => c"tsp".as_ptr(),
    }
}

/// Frees a problem.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_problem_free(problem: Option<Box<MyrmexProblem>>) {
    freed(problem);
}
