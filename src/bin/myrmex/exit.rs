//! Exit codes, which `docs/guide/output.md` lists.

use std::process::ExitCode;

use myrmex::Error;

/// Wrong input.
pub const WRONG_INPUT: u8 = 2;
/// The device, or another rank, failed.
pub const DEVICE_FAILED: u8 = 3;
/// A fault of the program itself.
pub const FAULT: u8 = 101;
/// An interrupt, as shells expect it.
pub const INTERRUPTED: u8 = 130;

/// An exit code as a number.
pub fn number(code: ExitCode) -> u8 {
    let known = [0, INTERRUPTED, DEVICE_FAILED, FAULT];
    known.into_iter().find(|number| ExitCode::from(*number) == code).unwrap_or(WRONG_INPUT)
}

/// The code of what could not begin: what another rank refuses is wrong input there.
pub fn of(error: &Error) -> u8 {
    match error {
        Error::Device { .. } => DEVICE_FAILED,
        Error::Fault(_) => FAULT,
        _ => WRONG_INPUT,
    }
}

/// The code of a run that failed on its way, when its input was known to be right.
pub fn of_run(error: &Error) -> u8 {
    match error {
        Error::Rank { .. } | Error::TooLarge { .. } | Error::NoAdapter(_) => DEVICE_FAILED,
        error => of(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_tell_whose_fault_it_is() {
        let lost = Error::Device { device: "gpu".into(), message: "lost".into() };
        let other = Error::Rank { rank: 1, machine: "m".into(), message: "lost".into() };
        let words = String::new;
        let all = [lost, other, Error::Fault(words()), Error::Config(words()), Error::NoAdapter(words())];
        assert_eq!(all.each_ref().map(of), [3, 2, 101, 2, 2]);
        assert_eq!(all.each_ref().map(of_run), [3, 3, 101, 2, 3]);
        assert_eq!([0, 2, 3, 101, 130, 1].map(|code| number(ExitCode::from(code))), [0, 2, 3, 101, 130, 2]);
    }
}
