//! How a call went.
#![allow(unsafe_code, reason = "a linker sees the names")]

use std::ffi::{CString, c_char};

use myrmex::Error;

use crate::border::freed;

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
    /// The device failed. myrmex_solve still hands out the best solution known before; there is none where it failed in the set-up.
    Device = 5,
    /// A fault of the library.
    Internal = 6,
}

/// Why a call failed.
pub struct MyrmexError {
    pub(crate) status: MyrmexStatus,
    message: CString,
    /// The file that is wrong, where one is, and its line, 0 where that is not known.
    file: Option<CString>,
    line: usize,
}

impl MyrmexError {
    pub(crate) fn new(status: MyrmexStatus, message: impl Into<String>) -> Self {
        Self { status, message: text(message.into()), file: None, line: 0 }
    }

    /// Input that makes no sense.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(MyrmexStatus::InvalidInput, message)
    }

    /// What it says.
    #[cfg(test)]
    pub(crate) fn words(&self) -> &str {
        self.message.to_str().unwrap_or_default()
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
        let (file, line) = match &error {
            Error::Parse { file, line, .. } => (Some(file.clone()), *line),
            Error::Io { path, .. } => (Some(path.display().to_string()), 0),
            _ => (None, 0),
        };
        Self { file: file.map(text), line, ..Self::new(status, error.to_string()) }
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

/// The file that cannot be read or breaks its format, as it was named; NULL where no file is wrong, and for NULL. It belongs to the error.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_error_file(error: Option<&MyrmexError>) -> *const c_char {
    error.and_then(|error| error.file.as_ref()).map_or(std::ptr::null(), |file| file.as_ptr())
}

/// The line of that file, counted from 1; of what is missing the last one. 0 where there is none, and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_error_line(error: Option<&MyrmexError>) -> usize {
    error.map_or(0, |error| error.line)
}

/// Frees an error.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_error_free(error: Option<Box<MyrmexError>>) {
    freed(error);
}
