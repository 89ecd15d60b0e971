//! Checkpoints that are written while the solver runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use web_time::Instant;

use super::Checkpoint;
use crate::error::Error;
use crate::run::Solver;
use crate::run::devices::Failure;

/// Writes a checkpoint now and then, on a thread of its own.
pub(in crate::run) struct Keeper {
    path: PathBuf,
    every: Duration,
    last: Instant,
    writes: Option<JoinHandle<()>>,
    /// Who is told of a file that cannot be written.
    failed: Arc<dyn Fn(&Error) + Send + Sync>,
}

impl Keeper {
    /// Whether it is time, and the one before is written.
    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.every && self.writes.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the file that is being written.
    pub fn wait(&mut self) {
        if let Some(Err(_)) = self.writes.take().map(JoinHandle::join) {
            log::warn!("the thread that writes the checkpoint panicked");
        }
    }

    fn write(&mut self, checkpoint: Checkpoint) {
        self.wait();
        self.last = Instant::now();
        let (path, failed) = (self.path.clone(), Arc::clone(&self.failed));
        let write = move || {
            if let Err(error) = checkpoint.save_on_the_way(&path) {
                failed(&error);
            }
        };
        match thread::Builder::new().name("myrmex-checkpoint".into()).spawn(write) {
            Ok(thread) => self.writes = Some(thread),
            Err(error) => (self.failed)(&Error::io(&self.path, error)),
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
    /// The end of a run writes none: [`Solver::checkpoint`] has it. A file that cannot be written ends no run: `failed` is told of each, on the
    /// thread that writes.
    pub fn keep_checkpoint(
        &mut self,
        path: impl Into<PathBuf>,
        every: Duration,
        failed: impl Fn(&Error) + Send + Sync + 'static,
    ) {
        self.runs.iter_mut().for_each(|run| run.undo.copies = true);
        let (path, failed) = (path.into(), Arc::new(failed));
        self.keeper = Some(Keeper { path, every, last: Instant::now(), writes: None, failed });
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
