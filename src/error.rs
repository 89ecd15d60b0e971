//! The one error type of the crate: each variant says what is wrong, where, and what to do about it.

use std::path::PathBuf;

/// `Result` with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong, in words meant for the person who reads them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written. Check that the path exists and that you may access it.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        error: std::io::Error,
    },
    /// A file was read but breaks its format. Mend the named line.
    #[error("{file}:{line}: {message}")]
    Parse {
        /// The file's name, or a stand-in such as `<text>` for text that came from no file.
        file: String,
        /// The line, counted from 1; for something missing, the last line read.
        line: usize,
        /// What is wrong there and what was expected.
        message: String,
    },
    /// An instance handed in through the API is no valid problem.
    #[error("invalid instance: {0}")]
    Instance(String),
    /// A city of an instance handed in through the API cannot be used.
    #[error("invalid instance: city {city} (counted from 0) {message}")]
    City {
        /// The city, counted from 0.
        city: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A tour is no tour of its instance.
    #[error("invalid tour: {}", .0.told("city", "cities", ""))]
    Tour(Flaw),
    /// An assignment does not place each facility at a location of its own.
    #[error("invalid assignment: {}", .0.told("location", "locations", " facilities"))]
    Assignment(Flaw),
    /// A parameter is out of its range, or two parameters contradict each other.
    #[error("invalid configuration: {0}")]
    Config(String),
    /// A checkpoint cannot be gone on from: it is none, is damaged, or is of another instance or version.
    #[error("invalid checkpoint: {0}")]
    Checkpoint(String),
    /// No usable GPU adapter. Install a Vulkan, Metal or DX12 driver, or choose the CPU backend.
    #[error("no usable GPU: {0}")]
    NoAdapter(String),
    /// The instance with this configuration needs more than the device offers.
    #[error("too large for {device}: {what} needs {needed}, the limit is {limit}; {remedy}")]
    TooLarge {
        /// The backend's device.
        device: String,
        /// Which resource.
        what: String,
        /// How much is needed, with its unit.
        needed: String,
        /// How much there is, with its unit.
        limit: String,
        /// What helps.
        remedy: String,
    },
    /// The system lets no thread be made.
    #[error("no thread can be used: {0}; does the system allow more (ulimit -u)?")]
    Threads(String),
    /// Of several processes that solve one problem another one failed, refused or does not answer any more.
    #[error("rank {rank} on {machine}: {message}")]
    Rank {
        /// Which one, counted from 0.
        rank: usize,
        /// Its machine.
        machine: String,
        /// What it says, or what happened to it.
        message: String,
    },
    /// What a function of the caller's failed with: the source of a problem of many, in a batch.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// A fault of this library or program itself. What it says, and what was asked for, helps to mend it.
    #[error("a fault of Myrmex itself: {0}; please report it with what was asked for")]
    Fault(String),
    /// The device failed: lost, out of memory, or a call it refused.
    #[error("{device}: {message}")]
    Device {
        /// The backend's device.
        device: String,
        /// What happened and what to try.
        message: String,
    },
}

/// What keeps a list from being a tour or an assignment; cities, facilities and locations are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// It has another length than the instance.
    Length {
        /// Its length.
        found: usize,
        /// The instance's.
        expected: usize,
    },
    /// It holds a number that the instance does not have.
    Unknown {
        /// The number.
        number: u32,
        /// Numbers are below this.
        below: usize,
    },
    /// It holds a number twice.
    Twice {
        /// The number.
        number: u32,
    },
    /// An open path does not begin, or end, where the instance says.
    Ends {
        /// Whether it is the beginning.
        begins: bool,
        /// The city there.
        found: u32,
        /// The city that the instance says.
        expected: u32,
    },
    /// It has a fixed facility at another location.
    Moved {
        /// The facility.
        facility: u32,
        /// Where it is.
        found: u32,
        /// Where it is fixed.
        expected: u32,
    },
    /// It does not have an edge that is fixed.
    Parted {
        /// The ends of the edge.
        edge: [u32; 2],
    },
}

impl Flaw {
    fn told(&self, one: &str, many: &str, parts: &str) -> String {
        match self {
            Self::Length { found, expected } => format!("it has {found} {many}, the instance {expected}{parts}"),
            Self::Unknown { number, below } => {
                format!("{one} {number} does not exist; {many} go from 0 to {}", below.saturating_sub(1))
            }
            Self::Twice { number } => format!("{one} {number} is there twice"),
            Self::Ends { begins, found, expected } => {
                let verb = if *begins { "begins" } else { "ends" };
                format!("it {verb} at {one} {found}, not at {one} {expected}")
            }
            Self::Moved { facility, found, expected } => {
                format!("facility {facility} is at location {found}, not at location {expected}, where it is fixed")
            }
            Self::Parted { edge: [a, b] } => format!("it does not have the fixed edge {a} - {b}"),
        }
    }
}

impl Error {
    /// The same with more behind what is wrong in a line of a file; other errors as they are.
    pub(crate) fn explained(self, more: &str) -> Self {
        match self {
            Self::Parse { file, line, message } => Self::Parse { file, line, message: message + more },
            other => other,
        }
    }

    /// What is wrong with an instance as something wrong in a line of a file; other errors as they are.
    pub(crate) fn in_file(self, file: &str, line: usize) -> Self {
        match self {
            Self::Instance(message) => Self::parse(file, line, message),
            Self::City { city, message } => Self::parse(file, line, format!("city {} {message}", city + 1)),
            other => other,
        }
    }

    /// What kind of error it is, in a word, for programs: `file`, `parse`, `instance`, `solution`, `config`, `checkpoint`, `no-device`,
    /// `too-large`, `threads`, `device`, `rank`, `other` or `fault`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Io { .. } => "file",
            Self::Parse { .. } => "parse",
            Self::Instance(_) | Self::City { .. } => "instance",
            Self::Tour(_) | Self::Assignment(_) => "solution",
            Self::Config(_) => "config",
            Self::Checkpoint(_) => "checkpoint",
            Self::NoAdapter(_) => "no-device",
            Self::TooLarge { .. } => "too-large",
            Self::Threads(_) => "threads",
            Self::Device { .. } => "device",
            Self::Rank { .. } => "rank",
            Self::Other(_) => "other",
            Self::Fault(_) => "fault",
        }
    }

    /// An [`Error::Other`]: whatever a function of the caller's fails with.
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }

    /// An [`Error::Io`] for `path`.
    pub fn io(path: impl Into<PathBuf>, error: std::io::Error) -> Self {
        Self::Io { path: path.into(), error }
    }

    /// An [`Error::Parse`].
    pub fn parse(file: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self::Parse { file: file.into(), line, message: message.into() }
    }
}
