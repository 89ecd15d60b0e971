//! The crate's errors as the package's exceptions, which `package/myrmex/_errors.py` defines.

use std::io::ErrorKind;

use myrmex::Error;
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(myrmex._errors, InvalidInputError);
import_exception!(myrmex._errors, ParseError);
import_exception!(myrmex._errors, FileError);
import_exception!(myrmex._errors, CheckpointError);
import_exception!(myrmex._errors, NoDeviceError);
import_exception!(myrmex._errors, TooLargeError);
import_exception!(myrmex._errors, DeviceError);

/// What all of them are.
mod base {
    pyo3::import_exception!(myrmex._errors, Error);
}

pub use base::Error as Base;

/// What the library calls by options of the program, and what it is called here.
const CALLED: [(&str, &str); 5] = [
    ("--weight NAME", "weight=NAME"),
    ("leave --weight out", "leave 'weight' out"),
    ("(tables with names: --distances FILE)", "(myrmex.qap() takes two tables with names)"),
    ("(flows of an assignment go with --distances)", "(myrmex.qap() takes flows and distances)"),
    ("('myrmex solve --help')", "(help(myrmex.solve))"),
];

/// A message with what is said in Python in place of the program's options.
fn told_in_python(message: &str) -> String {
    CALLED.iter().fold(message.to_owned(), |message, (option, here)| message.replace(option, here))
}

/// The exception that stands for an error.
pub fn raised(error: Error) -> PyErr {
    let message = told_in_python(&error.to_string());
    match error {
        Error::Io { path, error } => match error.raw_os_error() {
            Some(number) => {
                // Python adds the number by itself. Windows has numbers of its own, which Python makes an `errno` of.
                let text = error.to_string();
                let text = text.split(" (os error").next().unwrap_or_default().to_owned();
                let path = path.display().to_string();
                match cfg!(windows) {
                    true => FileError::new_err((0, text, path, number)),
                    false => FileError::new_err((number, text, path)),
                }
            }
            None => FileError::new_err((number_of(error.kind()), error.to_string(), path.display().to_string())),
        },
        Error::Parse { file, line, .. } => ParseError::new_err((message, file, line)),
        Error::Checkpoint(_) => CheckpointError::new_err(message),
        Error::NoAdapter(_) => NoDeviceError::new_err(message),
        Error::TooLarge { .. } => TooLargeError::new_err(message),
        Error::Device { .. } => DeviceError::new_err(message),
        Error::Instance(_) | Error::City { .. } | Error::Tour(_) | Error::Assignment(_) | Error::Config(_) => {
            InvalidInputError::new_err(message)
        }
        _ => Base::new_err(message),
    }
}

/// The `errno` of an error whose number the library has left out; these are the same on all systems.
fn number_of(kind: ErrorKind) -> i32 {
    match kind {
        ErrorKind::NotFound => 2,
        ErrorKind::PermissionDenied => 13,
        ErrorKind::InvalidInput => 22,
        ErrorKind::StorageFull => 28,
        ErrorKind::ReadOnlyFilesystem => 30,
        // EIO
        _ => 5,
    }
}

/// The exception for input that makes no sense.
pub fn invalid(message: impl Into<String>) -> PyErr {
    InvalidInputError::new_err(message.into())
}
