//! Checkpoints that are written while the solver runs.

use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use web_time::Instant;

use super::Checkpoint;
use crate::error::Result;
use crate::run::Solver;
use crate::run::devices::Failure;

/// Writes a checkpoint now and then, on a thread of its own.
pub(in crate::run) struct Keeper {
    path: PathBuf,
    every: Duration,
    last: Instant,
    writes: Option<JoinHandle<Result<()>>>,
}

impl Keeper {
    /// Whether it is time, and the one before is written.
    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.every && self.writes.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the file that is being written. That it cannot be written is told when the last one is.
    pub fn wait(&mut self) {
        if let Some(Ok(Err(error))) = self.writes.take().map(JoinHandle::join) {
            log::warn!("the checkpoint was not written: {error}");
        }
    }

    fn write(&mut self, checkpoint: Checkpoint) {
        self.wait();
        self.last = Instant::now();
        let path = self.path.clone();
        let write = move || checkpoint.save(path);
        match thread::Builder::new().name("myrmex-checkpoint".into()).spawn(write) {
            Ok(thread) => self.writes = Some(thread),
            Err(error) => log::warn!("the checkpoint was not written: {error}"),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.wait();
    }
}

impl Solver {
    /// Keeps a checkpoint in a file while the solver runs, a new one each time `every` has passed; the file is whole at any moment. From
    /// now on colonies keep a copy of their state on the host while they make an iteration that takes long, so that
    /// [`Solver::checkpoint`] never waits for it.
    ///
    /// The end of a run writes none: [`Solver::checkpoint`] has it. A file that cannot be written ends no run: the log warns of it
    /// (`log::warn!`), so save one checkpoint yourself ([`Checkpoint::save`]) where it must be known before.
    pub fn keep_checkpoint(&mut self, path: impl Into<PathBuf>, every: Duration) {
        self.runs.iter_mut().for_each(|run| run.copies = true);
        self.keeper = Some(Keeper { path: path.into(), every, last: Instant::now(), writes: None });
    }

    /// Hands a checkpoint to the thread that writes if it is time to, between two turns.
    pub(in crate::run) fn keep_due_checkpoint(&mut self) -> Result<(), Failure> {
        if !self.keeper.as_ref().is_some_and(Keeper::is_due) {
            return Ok(());
        }
        let checkpoint = self.try_checkpoint()?;
        if let Some(keeper) = &mut self.keeper {
            keeper.write(checkpoint);
        }
        Ok(())
    }
}
