//! Lines for standard output. A reader that has seen enough, such as `head`, may close it: then there is nobody left to print
//! for, and the program ends.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;

/// Whether a remark could not be written.
static IS_LOST: AtomicBool = AtomicBool::new(false);

macro_rules! outln {
    ($($arguments:tt)*) => { $crate::print::line(format_args!($($arguments)*)) };
}
pub(crate) use outln;

pub fn line(text: Arguments<'_>) {
    expected(writeln!(stdout().lock(), "{text}"));
}

/// Ends the program where standard output did not take what was asked for.
pub fn expected(written: io::Result<()>) {
    if let Err(error) = written {
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

/// An error that a run goes on with, which is told once however often it happens.
#[derive(Default)]
pub struct Once(AtomicBool);

impl Once {
    pub fn tell(&self, text: Arguments<'_>) {
        if !self.0.swap(true, Ordering::Relaxed) {
            error_line(format_args!("myrmex: {text}"));
        }
    }
}

/// A line on standard output that a run says on its way. The run goes on for the files it was asked for where the line cannot be written.
pub fn remark(text: &str) {
    let written = writeln!(stdout().lock(), "{text}");
    if let Some(error) = lost(written)
        && !IS_LOST.swap(true, Ordering::Relaxed)
    {
        error_line(format_args!("myrmex: standard output: {error}; --solution and --json write into files"));
    }
}

/// The failure to write what somebody waits for: whoever closed standard output does not want to read it.
fn lost(written: io::Result<()>) -> Option<io::Error> {
    written.err().filter(|error| error.kind() != ErrorKind::BrokenPipe)
}

/// How the program ends: what could not be written is an output that is missing.
pub fn ended(code: Exit) -> Exit {
    if IS_LOST.load(Ordering::Relaxed) { code.max(Exit::WrongInput) } else { code }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_alone_loses_nothing() {
        let failed = |kind: ErrorKind| lost(Err(kind.into())).map(|error| error.kind());
        assert_eq!(failed(ErrorKind::BrokenPipe), None);
        assert_eq!(failed(ErrorKind::StorageFull), Some(ErrorKind::StorageFull));
        assert!(lost(Ok(())).is_none());
    }
}
