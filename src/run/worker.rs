//! One of the workers of a batch.

use std::sync::mpsc::SyncSender;

use web_time::Instant;

use super::pack::{Outcome, Packs, Taken};
use super::panics::caught;
use super::{Batch, Solved, Source, Stop, Target};
use crate::error::{Error, Result};

/// A worker, which takes one problem after the other.
pub(super) struct Worker<'a, K> {
    batch: &'a Batch,
    target: &'a Target,
    stop: &'a Stop,
    /// Where it tells what is over.
    told: SyncSender<Solved<K>>,
    /// Problems that share dispatches, where they do.
    packs: Option<Packs<K>>,
}

impl<'a, K> Worker<'a, K> {
    pub fn on(target: &'a Target, batch: &'a Batch, stop: &'a Stop, told: SyncSender<Solved<K>>) -> Self {
        let packs = Packs::on(target, stop);
        let packs = packs.inspect_err(|error| log::info!("problems one after the other: {error}")).ok().flatten();
        Self { batch, target, stop, told, packs }
    }

    /// Solves what `next` hands out, until there is no more, or it is to end, or nobody listens.
    pub fn run<S: Source>(mut self, next: impl Fn() -> Option<(usize, (K, S))>) {
        while !self.stop.is_cancelled()
            && let Some((index, (key, source))) = next()
        {
            if !self.takes(index, key, source) {
                return;
            }
        }
        let left = self.packs.as_mut().map(Packs::finish).unwrap_or_default();
        self.tells_all(left);
    }

    /// Takes a problem, and tells what is over by then; whether anybody listens.
    fn takes<S: Source>(&mut self, index: usize, key: K, source: S) -> bool {
        let started = Some(Instant::now());
        match caught(of_source, || source.take(&self.batch.settings)) {
            Err(error) => self.tells(index, key, Err(error)),
            Ok((problem, settings)) => {
                let taken = Taken { index, key, problem, settings, started };
                let outcomes = match &mut self.packs {
                    Some(packs) => packs.take(taken),
                    None => vec![Outcome::Left(Box::new(taken))],
                };
                self.tells_all(outcomes)
            }
        }
    }

    fn tells_all(&self, outcomes: Vec<Outcome<K>>) -> bool {
        outcomes.into_iter().all(|outcome| match outcome {
            Outcome::Over { index, key, found } => self.tells(index, key, Ok(*found)),
            Outcome::Left(taken) => {
                let Taken { index, key, problem, settings, started } = *taken;
                // What has waited for others has its time from now on.
                let started = started.unwrap_or_else(Instant::now);
                let one = || self.batch.one((problem, settings), started, self.target, self.stop);
                self.tells(index, key, caught(Error::Fault, one))
            }
        })
    }

    fn tells(&self, index: usize, key: K, result: Result<super::Found>) -> bool {
        self.told.send(Solved { index, key, result }).is_ok()
    }
}

/// What is told where a problem's source panics, which is the caller's.
fn of_source(panic: String) -> Error {
    Error::other(format!("the function that makes it panicked: {panic}"))
}
