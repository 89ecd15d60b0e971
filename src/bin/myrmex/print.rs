//! Lines for standard output. A reader that has seen enough, such as `head`, may close it: then there is nobody left to print
//! for, and the program ends.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write, stderr, stdout};

macro_rules! outln {
    ($($arguments:tt)*) => { $crate::print::line(format_args!($($arguments)*)) };
}
pub(crate) use outln;

pub fn line(text: Arguments<'_>) {
    let mut out = stdout().lock();
    if let Err(error) = writeln!(out, "{text}") {
        if error.kind() != ErrorKind::BrokenPipe {
            error_line(format_args!("myrmex: standard output: {error}"));
        }
        std::process::exit(if error.kind() == ErrorKind::BrokenPipe { 0 } else { 2 });
    }
}

/// A line for standard error. A run goes on for its files where nobody can read it.
macro_rules! errln {
    ($($arguments:tt)*) => { $crate::print::error_line(format_args!($($arguments)*)) };
}
pub(crate) use errln;

pub fn error_line(text: Arguments<'_>) {
    // There is no other place to say it.
    let _ = writeln!(stderr().lock(), "{text}");
}

/// The same for what a run says on its way: it goes on for the files it was asked for.
pub fn remark(text: &str) {
    // Whoever closed standard output does not want to read this.
    let _ = writeln!(stdout().lock(), "{text}");
}
