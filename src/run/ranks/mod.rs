//! Several processes, the ranks, that solve one problem: on one machine or many.
//!
//! The devices of all ranks are one list, in the order of ranks, and colonies are dealt to that list as to the devices of one process
//! (`Devices::number_of`). Each rank has runs of its own colonies alone. All meet where solutions migrate: each tells rank 0 how far it has
//! come (`Here`), and rank 0 tells all what they do next (`Decision`). So results depend on iterations alone, as with one process.
//!
//! A rank whose run ends for another reason (time, a target, an interrupt, a failure) tells rank 0 so, which summons the others: they come
//! together after their present turn. After the last meeting rank 0 has what is known of all runs.
//!
//! Messages go through a [`Transport`]. It is MPI in the program (`src/bin/myrmex/ranks/`), and channels between threads in tests (`local`).

use std::collections::VecDeque;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use super::Ended;
use super::one::Run;
use super::share::DeviceShare;
use crate::error::{Error, Result};
use crate::settings::Effort;

mod begin;
mod local;
mod meeting;
mod message;
mod report;

pub use begin::give_up;
pub use local::local;
pub(super) use meeting::own_rules;
use message::{BestHead, Decision, Hello, Here, Message, Report, Standing, Welcome};

/// Iterations between two meetings where nothing migrates.
const MEETS_EVERY: u32 = 50;
/// How long is waited for a message before the rules that end the run are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Carries messages between the ranks. Two from one rank to another arrive in the order in which they were sent.
pub trait Transport: Send + Sync {
    /// This rank, counted from 0.
    fn rank(&self) -> usize;
    /// How many there are.
    fn count(&self) -> usize;
    /// The name of this rank's machine.
    fn machine(&self) -> &str;
    /// Sends a message, and does not wait until it arrives.
    fn send(&mut self, to: usize, bytes: Vec<u8>);
    /// What happens next, if anything does within `wait`.
    fn receive(&mut self, wait: Duration) -> Option<Event>;
}

/// What a rank gets to know of another one.
#[derive(Debug)]
pub enum Event {
    /// A message from it.
    Message {
        /// The rank that sent it.
        from: usize,
        /// What it wrote.
        bytes: Vec<u8>,
    },
    /// It does not answer any more.
    Lost {
        /// Which one.
        rank: usize,
    },
}

/// The devices of all ranks, and where those of this one stand among them.
pub(super) struct Among {
    /// The first device of this rank.
    pub first: usize,
    /// The least effort that suits a device.
    pub suits: Effort,
    all: Vec<DeviceShare>,
}

impl Among {
    /// How many devices there are.
    pub fn devices(&self) -> usize {
        self.all.len()
    }

    /// All devices, those of this rank as they are now.
    pub fn shares(&self, own: Vec<DeviceShare>) -> Vec<DeviceShare> {
        let mut all = self.all.clone();
        for (known, now) in all[self.first..].iter_mut().zip(own) {
            *known = DeviceShare { rank: known.rank, machine: known.machine.take(), ..now };
        }
        all
    }

    /// Takes note of what became of the devices of a rank.
    pub fn note(&mut self, rank: usize, now: Vec<DeviceShare>) {
        for (known, now) in self.all.iter_mut().filter(|share| share.rank == Some(rank)).zip(now) {
            *known = DeviceShare { rank: known.rank, machine: known.machine.take(), ..now };
        }
    }

    /// The rank of a colony.
    pub fn rank_of(&self, colony: usize) -> usize {
        self.all[colony % self.all.len()].rank.unwrap_or_default()
    }

    /// The number among all of a rank's colony, counted from 0 there.
    pub fn number_of(&self, rank: usize, colony: usize) -> usize {
        let first = self.all.iter().take_while(|share| share.rank != Some(rank)).count();
        let own = self.all.iter().filter(|share| share.rank == Some(rank)).count().max(1);
        colony / own * self.all.len() + first + colony % own
    }
}

/// A message that has arrived.
type Arrived = (usize, Message, Vec<u32>);

/// What a solver knows of the other ranks.
pub(super) struct Group {
    transport: Box<dyn Transport>,
    /// What has arrived and was not looked for yet.
    arrived: VecDeque<Arrived>,
    /// The machines of all ranks, once they are known.
    machines: Vec<String>,
    /// Whether solutions migrate, or ranks only agree on the end.
    moves: bool,
    /// Why rank 0 has summoned the others, or another rank has told it that it wishes to end.
    called: Option<Ended>,
    /// Why all have ended.
    pub over: Option<Ended>,
    /// Whether this rank has left.
    left: bool,
    /// What is wrong with another rank.
    gone: Option<Error>,
    /// Of rank 0: the ranks that have made their last report, and may go.
    done: Vec<usize>,
    /// Of rank 0: runs elsewhere as far as they are known, with the numbers of their colonies; until the end at most the best one.
    pub others: Vec<(usize, Run)>,
}

impl Group {
    fn rank(&self) -> usize {
        self.transport.rank()
    }

    fn count(&self) -> usize {
        self.transport.count()
    }

    fn send(&mut self, to: usize, message: &Message, words: &[u32]) {
        self.transport.send(to, message.encoded(words));
    }

    fn send_to_others(&mut self, message: &Message) {
        let bytes = message.encoded(&[]);
        let own = self.rank();
        for rank in (0..self.count()).filter(|rank| *rank != own) {
            self.transport.send(rank, bytes.clone());
        }
    }

    /// Tells the others why this rank leaves, if they do not know. From rank 0 all get to know it.
    pub fn leave(&mut self, message: &str) {
        if std::mem::replace(&mut self.left, true) || self.over.is_some() {
            return;
        }
        let (rank, machine) = (self.rank(), self.transport.machine().to_owned());
        let left = Message::Left { rank, machine, message: message.to_owned() };
        match rank {
            0 => self.send_to_others(&left),
            _ => self.send(0, &left, &[]),
        }
    }

    /// What has arrived is taken in; waits so long for the first message.
    fn take_in(&mut self, mut wait: Duration) {
        while let Some(event) = self.transport.receive(wait) {
            wait = Duration::ZERO;
            let (rank, message) = match event {
                // Rank 0 hears of all others, and tells what concerns them.
                Event::Lost { rank } if self.done.contains(&rank) || rank != 0 && self.rank() != 0 => continue,
                Event::Lost { rank } => {
                    (rank, "does not answer any more: it was ended, or its machine cannot be reached".to_owned())
                }
                Event::Message { from, bytes } => match Message::decoded(&bytes) {
                    Some((Message::Left { rank, machine, message }, _)) => {
                        self.gone.get_or_insert(Error::Rank { rank, machine, message });
                        continue;
                    }
                    Some((message, words)) => {
                        if let Message::Report(_) = message {
                            self.done.push(from);
                        }
                        self.arrived.push_back((from, message, words));
                        continue;
                    }
                    None => (from, "sends what cannot be read: start the same program everywhere".to_owned()),
                },
            };
            let machine = self.machines.get(rank).cloned().unwrap_or_else(|| "a machine not known yet".into());
            self.gone.get_or_insert(Error::Rank { rank, machine, message });
        }
    }

    /// What is wrong with another rank; rank 0 tells it all others.
    fn broken(&mut self, error: Error) -> Error {
        if let Error::Rank { rank, machine, message } = &error
            && self.rank() == 0
            && !std::mem::replace(&mut self.left, true)
        {
            let (rank, machine, message) = (*rank, machine.clone(), message.clone());
            self.send_to_others(&Message::Left { rank, machine, message });
        }
        error
    }

    /// Of what has arrived the first that `pick` takes; it gives the rest back.
    fn find<T>(&mut self, mut pick: impl FnMut(Arrived) -> ControlFlow<T, Arrived>) -> Option<T> {
        for before in 0..self.arrived.len() {
            match pick(self.arrived.pop_front()?) {
                Break(found) => {
                    self.arrived.rotate_right(before);
                    return Some(found);
                }
                Continue(other) => self.arrived.push_back(other),
            }
        }
        None
    }

    /// Waits for what `pick` takes; `looks` at the rules that end the run meanwhile.
    ///
    /// # Errors
    /// [`Error::Rank`] where a rank has left, or does not answer any more.
    fn wait<T>(
        &mut self,
        mut pick: impl FnMut(Arrived) -> ControlFlow<T, Arrived>,
        mut looks: impl FnMut(&mut Self),
    ) -> Result<T> {
        loop {
            if let Some(found) = self.find(&mut pick) {
                return Ok(found);
            }
            self.check()?;
            looks(self);
            self.take_in(LOOK_EVERY);
        }
    }

    /// # Errors
    /// [`Error::Rank`] where a rank has left, or does not answer any more.
    fn check(&mut self) -> Result<()> {
        self.gone.take().map_or(Ok(()), |error| Err(self.broken(error)))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.leave("it gave the run up");
    }
}
