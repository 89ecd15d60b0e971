//! How a call went.
#![allow(unsafe_code, reason = "a linker sees the names")]

use std::ffi::{CString, c_char};

use myrmex::Error;

/// How a call went.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MyrmexStatus {
    /// It did what it says.
    Ok = 0,
    /// A problem, an option or its value makes no sense, or is NULL.
    InvalidInput = 1,
    /// A file cannot be read, or breaks its format.
    File = 2,
    /// There is no such GPU.
    NoDevice = 3,
    /// The device has too little memory, or the system lets no thread be made.
    TooLarge = 4,
    /// The device failed. myrmex_solve still hands out the best solution known before.
    Device = 5,
    /// A fault of the library.
    Internal = 6,
}

/// Why a call failed.
pub struct MyrmexError {
    pub(crate) status: MyrmexStatus,
    message: CString,
}

impl MyrmexError {
    pub(crate) fn new(status: MyrmexStatus, message: impl Into<String>) -> Self {
        Self { status, message: text(message.into()) }
    }

    /// Input that makes no sense.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(MyrmexStatus::InvalidInput, message)
    }
}

impl From<Error> for MyrmexError {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::Instance(_)
            | Error::City { .. }
            | Error::Tour(_)
            | Error::Assignment(_)
            | Error::Config(_)
            | Error::Checkpoint(_) => MyrmexStatus::InvalidInput,
            Error::Io { .. } | Error::Parse { .. } => MyrmexStatus::File,
            Error::NoAdapter(_) => MyrmexStatus::NoDevice,
            Error::TooLarge { .. } | Error::Threads(_) => MyrmexStatus::TooLarge,
            Error::Device { .. } => MyrmexStatus::Device,
            _ => MyrmexStatus::Internal,
        };
        Self::new(status, error.to_string())
    }
}

/// A text as C reads it, without zero bytes.
pub(crate) fn text(text: String) -> CString {
    let mut bytes = text.into_bytes();
    bytes.retain(|&byte| byte != 0);
    CString::new(bytes).unwrap_or_default()
}

/// What went wrong, where, and what to do about it: one line. It belongs to the error. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_error_message(error: Option<&MyrmexError>) -> *const c_char {
    error.map_or(std::ptr::null(), |error| error.message.as_ptr())
}

/// Frees an error.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_error_free(error: Option<Box<MyrmexError>>) {
    drop(error);
}
