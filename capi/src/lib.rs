//! Myrmex for C, and for whatever calls C. `capi/include/myrmex.h` is made of this crate by `capi/header`; `capi/README.md` tells users
//! how to build against it.
//!
//! Handles cross the border as `Option<&T>`, `Option<Box<T>>` and places to write to, so that NULL is an ordinary value here. `unsafe` is
//! what is left: texts and arrays behind plain pointers ([`border`]), the names that a linker sees, and calling back ([`solve`],
//! [`progress`]). No panic crosses: [`border::guarded`] makes an error of it.
#![warn(missing_docs)]
#![deny(unsafe_code)]

use std::ffi::{CStr, c_char};

mod asked;
mod border;
mod device;
mod options;
mod outcome;
mod problem;
mod progress;
mod solve;
mod status;
mod threads;

/// The version of the library, as `"0.1.0"`. It is not freed.
#[allow(unsafe_code, reason = "a linker sees the name")]
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}
