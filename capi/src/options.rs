//! Options: names and values, as texts.
#![allow(unsafe_code, reason = "texts of the caller are read, and a linker sees the names")]

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::mem::MaybeUninit;

use myrmex::Target;

use crate::asked::named;
use crate::border::{self, freed, guarded};
use crate::device::MyrmexDevice;
use crate::status::{MyrmexError, MyrmexStatus};

/// What a run is asked for.
#[derive(Default)]
pub struct MyrmexOptions {
    pub(crate) words: BTreeMap<String, String>,
    /// An opened device, in place of the one that words name.
    pub(crate) device: Option<Target>,
    /// The solution that a run begins with, where one is given.
    pub(crate) initial: Option<Vec<u32>>,
}

impl MyrmexOptions {
    /// Sets what has this name, or takes it back; the last of two that say the same counts.
    fn set(&mut self, name: String, value: Option<String>) {
        if name == "device" {
            self.device = None;
        }
        match value {
            Some(value) => drop(self.words.insert(name, value)),
            None => drop(self.words.remove(&name)),
        }
    }
}

/// Makes options that leave everything open.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_options_new() -> Box<MyrmexOptions> {
    Box::default()
}

/// Sets an option, in place of the value that it had; NULL as `value` leaves it open again. A hyphen in a name counts as an underscore. A
/// name that means nothing is refused here. What values mean depends on the problem, so myrmex_solve checks them. Numbers have a point
/// before their decimals, whatever the locale: see myrmex_options_set_number.
///
/// What ends a run (the first of them that holds; where none is given, five seconds do, or less where nothing more is to be expected of so
/// small a problem):
///
/// - `time`: seconds, from the call of myrmex_solve on, the set-up included, which takes seconds with asymmetric distances of thousands of
///   cities, or hundreds of thousands of points: where it is not done by then the solution is a simple one.
/// - `iterations`.
/// - `target`: a length in the unit of what was given, or a cost.
/// - `stagnation`, `stagnation_time`: iterations or seconds without a gain.
/// - `rounds`: when the phases have come to their end so often, which is no matter of the clock.
///
/// Where it runs:
///
/// - `device`: `auto` (the default), `cpu`, `wgpu`, `cuda`, or one of the last two with an index or a part of a name: `wgpu:0`,
///   `cuda:H100`; several of them on one problem with commas between: `cuda:0,cuda:1`; `all` GPUs. `auto` opens the GPUs of the machine
///   each time, which takes longer than to solve a small problem: `cpu` suits many of these, or a device that is opened once
///   (myrmex_device_open). After MYRMEX_STATUS_DEVICE open that one again; a device that is named here is opened by each run.
/// - `threads`: so many threads that the run has alone, up to four for each processor. By default all runs share those of the library, one
///   for each processor: there a long set-up holds up other runs.
///
/// What solutions keep to (myrmex_problem_with makes a problem of it):
///
/// - `open`: `true` for a path that does not lead back; `false`, `1` and `0` are taken, too, in capitals or not. `start`, `end`: the cities
///   at its ends, counted from 0; one alone makes a path, too, whose other end is free. The same city for both: a closed tour, told from
///   there on.
/// - `fixed`: pairs with commas between, counted from 0: `0=3,2=5`. Of tours cities that stay beside each other (between asymmetric distances
///   the second one behind the first), of assignments facilities and the locations that they are given.
///
/// What runs:
///
/// - `seed`: a whole number, 1 by default. With the same seed, settings and `iterations` a run that ends by these finds the same solution
///   on every device.
/// - `algorithm`: `auto` (the default); for tours `lk`, `clk`, `eax`, `lk-eax`, `as`, `acs`, `mmas`, `faco`; for assignments `cas`,
///   `memetic`, `mmas`. Or `preset`, an algorithm with the parameters of a paper: a name that is none is refused with those that there are.
/// - `effort`: how much is done side by side: `auto` (the default: what suits the device, or `standard` where `iterations`
///   is given), `small`, `standard`, `large`.
/// - `on_device_lost`: what happens when a device fails: `stop` (the default: MYRMEX_STATUS_DEVICE) or `cpu` (the run goes on there).
/// - Every parameter of the algorithm, by its name; a name that this algorithm does not have is refused with those that it has. `set.` may
///   stand before it, as in `set.ants`, and has to in `set.stagnation`, since `stagnation` ends a run. The pages on algorithms in Myrmex's
///   documentation tell what they are.
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
        let name = named(unsafe { border::text(name, "name") }?)?;
        let value = match value.is_null() {
            true => None,
            // SAFETY: the caller keeps to it.
            false => Some(unsafe { border::text(value, &name) }?.to_owned()),
        };
        options.set(name, value);
        Ok(())
    })
}

/// The same for a value that is a number: 0.5 seconds, whatever the locale writes between 0 and 5. Whole numbers up to 2^53 are told exactly.
///
/// # Safety
/// `name` is NULL or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_options_set_number(
    options: Option<&mut MyrmexOptions>,
    name: *const c_char,
    value: f64,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    guarded(error, || {
        let options = options.ok_or_else(|| MyrmexError::invalid("options is NULL"))?;
        // SAFETY: the caller keeps to it.
        let name = named(unsafe { border::text(name, "name") }?)?;
        // Of a negative zero the sign goes.
        options.set(name, Some((value + 0.0).to_string()));
        Ok(())
    })
}

/// Lets runs work on a device that is opened, in place of the option `device`: the last of both that was set counts. NULL leaves it open
/// again. The options have a share in the device, which may be freed before them.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_options_set_device(
    options: Option<&mut MyrmexOptions>,
    device: Option<&MyrmexDevice>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    guarded(error, || {
        let options = options.ok_or_else(|| MyrmexError::invalid("options is NULL"))?;
        options.set("device".into(), None);
        options.device = device.map(MyrmexDevice::target);
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
    freed(options);
}
