//! Exit codes, which `docs/guide/output.md` lists.

use std::process::{ExitCode, Termination};

use myrmex::Error;

/// How the program ends. Of several things the greatest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All was done.
    #[default]
    Done,
    /// Wrong input.
    WrongInput,
    /// The device, or another rank, failed.
    DeviceFailed,
    /// A fault of the program itself.
    Fault,
    /// An interrupt.
    Interrupted,
}

impl Exit {
    /// Its code; that of an interrupt is the one that shells expect.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::WrongInput => 2,
            Self::DeviceFailed => 3,
            Self::Fault => 101,
            Self::Interrupted => 130,
        }
    }

    /// The end by what could not begin: what another rank refuses is wrong input there.
    pub fn of(error: &Error) -> Self {
        match error {
            Error::Device { .. } => Self::DeviceFailed,
            Error::Fault(_) => Self::Fault,
            _ => Self::WrongInput,
        }
    }

    /// The end by a run that failed on its way, when its input was known to be right.
    pub fn of_run(error: &Error) -> Self {
        match error {
            Error::Rank { .. } | Error::TooLarge { .. } | Error::NoAdapter(_) => Self::DeviceFailed,
            error => Self::of(error),
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
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
        assert_eq!(all.each_ref().map(|error| Exit::of(error).code()), [3, 2, 101, 2, 2]);
        assert_eq!(all.each_ref().map(|error| Exit::of_run(error).code()), [3, 3, 101, 2, 3]);
    }

    #[test]
    fn the_worst_of_several_counts() {
        let all = [Exit::Fault, Exit::Done, Exit::DeviceFailed, Exit::WrongInput];
        assert_eq!(all.into_iter().max(), Some(Exit::Fault));
        assert_eq!(Exit::Fault.max(Exit::Interrupted).code(), 130);
    }
}
