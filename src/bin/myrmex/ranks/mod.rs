//! `myrmex solve` as one of several processes that mpirun, mpiexec or srun has started, on one machine or many, and that solve one problem.
//! Rank 0 tells and writes; the others work and are silent.

use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use myrmex::ranks::{Transport, give_up};
use myrmex::{Error, Result};

use crate::args::{ProgressArg, SolveArgs};
use crate::exit::Exit;
use crate::print::errln;
use crate::signals::leave;
use crate::watch;

mod launch;
#[cfg(feature = "mpi")]
mod mpi;
#[cfg(not(feature = "mpi"))]
#[path = "no_mpi.rs"]
mod mpi;
mod save;
mod share;

pub use save::{Ends, Saving};
use share::Share;

/// How long is waited for the other ranks to end, when everything is written.
const ENDS_WITHIN: Duration = Duration::from_secs(20);
/// How much longer than one process alone a run may go on behind its time limit: ranks meet then.
const LATE: Duration = Duration::from_secs(1);
/// The same for another rank than the first behind an interrupt: what it has found is to arrive.
const GOES_ON: Duration = Duration::from_millis(500);

/// This process among the ranks.
pub struct ThisRank {
    rank: usize,
    count: usize,
    share: Share,
    /// Until a solver has it.
    transport: Mutex<Option<Box<dyn Transport>>>,
    ends: Mutex<Receiver<bool>>,
}

/// Runs `myrmex solve`, together with other ranks where there are any.
pub fn solve(args: &SolveArgs, started: Instant) -> Exit {
    let this_rank = match launched() {
        None => None,
        Some(launched) => match ThisRank::join(&launched) {
            Ok(this_rank) => this_rank,
            // One tells what all would tell.
            Err(_) if launched.rank.is_some_and(|rank| rank > 0) => return Exit::WrongInput,
            Err(error) => return crate::told(Err(error)),
        },
    };
    let Some(this_rank) = this_rank else { return watch::run(args, started, None) };
    let words = this_rank.words(args);
    let code = watch::run(&words, started, Some(&this_rank));
    this_rank.end(code)
}

/// What a launcher says of this process.
fn launched() -> Option<launch::Launched> {
    launch::launched(|name| std::env::var(name).ok())
}

/// Whether a launcher has started several processes, and this one is not the first.
pub fn is_another() -> bool {
    launched().is_some_and(|launched| launched.rank.is_some_and(|rank| rank > 0))
}

/// Ends a process behind the first, which tells what all would tell: launchers end it when another one ends.
pub fn let_the_first_tell(code: i32) -> ! {
    std::thread::sleep(GOES_ON);
    std::process::exit(code)
}

/// Ends a process behind the first without its work, which the first one does.
pub fn left_to_the_first() -> Exit {
    errln!(
        "note: left to the first of the processes that a launcher has started; {}=1 has each do its own",
        launch::ALONE
    );
    Exit::Done
}

/// Refuses several processes of `myrmex batch`, which would all solve the same problems.
pub fn alone() -> Result<()> {
    let Some(launched) = launched() else { return Ok(()) };
    if is_another() {
        errln!(
            "note: nothing is solved, for the reason that the first of the processes tells; {}=1 has each do its own",
            launch::ALONE
        );
        let_the_first_tell(Exit::WrongInput.code().into());
    }
    Err(Error::Config(format!(
        "'batch' is one process with workers of its own, and several were started ({}): start one on each machine with its part of the \
         files, with {}=1",
        launched.by,
        launch::ALONE
    )))
}

impl ThisRank {
    /// Begins with MPI; `None` where this process is the only one.
    fn join(launched: &launch::Launched) -> Result<Option<Self>> {
        let (mut transport, ends) = mpi::open(launched)?;
        let (rank, count) = (transport.rank(), transport.count());
        if count < 2 {
            return Ok(None);
        }
        let share = Share::agreed(transport.as_mut())?;
        log::debug!("rank {rank} of {count} on {}: {share:?}", transport.machine());
        Ok(Some(Self { rank, count, share, transport: Mutex::new(Some(transport)), ends: Mutex::new(ends) }))
    }

    /// How many ranks there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether this rank tells what is found and writes it.
    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// Threads for the CPU.
    pub fn threads(&self) -> usize {
        self.share.threads
    }

    /// Which of how many ranks this one is that see the same GPUs.
    pub fn gpus(&self) -> (usize, usize) {
        self.share.gpus
    }

    /// What connects the ranks, once.
    pub fn transport(&self) -> Option<Box<dyn Transport>> {
        self.transport.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What this rank does of what was asked for: all but the first write nothing.
    fn words(&self, args: &SolveArgs) -> SolveArgs {
        let words = args.clone();
        if self.is_first() {
            return words;
        }
        SolveArgs {
            solution: Vec::new(),
            json: None,
            trace: None,
            picture: Vec::new(),
            plot: Vec::new(),
            bound: false,
            quiet: true,
            progress: ProgressArg::Auto,
            ..words
        }
    }

    /// Refuses what several ranks do not do together.
    pub fn check(&self, args: &SolveArgs) -> Result<()> {
        let one = |what: &str, remedy: &str| {
            Err(Error::Config(format!("{what} is for one process, and {} were started: {remedy}", self.count)))
        };
        match args {
            SolveArgs { files, .. } if files.len() > 1 || files.iter().any(|file| file.is_dir()) => {
                one("a list of problems", "solve each by itself, as a job of its own")
            }
            SolveArgs { files, read, initial, optima, .. }
                if (files.iter().chain(initial).chain(optima).chain(read.tables().map(|(path, _)| path)))
                    .any(|file| file.as_os_str() == "-") =>
            {
                one("standard input", "name a file that every rank can read")
            }
            SolveArgs { runs: 2.., .. } => one("--runs", "start a job for each seed, and compare by 'myrmex merge'"),
            SolveArgs { checkpoint: Some(_), .. } => one("--checkpoint", "leave it out"),
            SolveArgs { resume: Some(_), .. } => {
                one("--resume", "begin with its solution by --initial, or start one process")
            }
            SolveArgs { watch: true, .. } => one("--watch", "leave it out"),
            _ => Ok(()),
        }
    }

    /// How much longer a run may go on than that of one process before it is ended from outside; `None`: as long as it takes.
    pub fn grace(&self, interrupted: bool) -> Option<Duration> {
        match (self.is_first(), interrupted) {
            (true, true) => Some(Duration::ZERO),
            (true, false) => Some(LATE),
            (false, true) => Some(GOES_ON),
            (false, false) => None,
        }
    }

    /// The exit code of a run that could not begin. Rank 0 tells why; the others tell it rank 0.
    pub fn refused(&self, error: Error) -> Exit {
        if let Some(transport) = self.transport() {
            give_up(transport, &error);
        }
        match self.is_first() {
            true => crate::told(Err(error)),
            false => Exit::WrongInput,
        }
    }

    /// Ends with MPI, after everything else; where other ranks do not end, too, the program ends without it.
    fn end(self, code: Exit) -> Exit {
        drop(self.transport());
        let ends = self.ends.into_inner().unwrap_or_else(PoisonError::into_inner);
        match ends.recv_timeout(ENDS_WITHIN) {
            Ok(true) => code,
            _ => leave(code),
        }
    }
}
