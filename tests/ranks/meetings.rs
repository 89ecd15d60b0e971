//! Messages between ranks: how much they write to each other, and that one which writes no more ends the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use myrmex::ranks::{Event, Transport};
use myrmex::tsp::Kind;
use myrmex::{Cancel, Error, Problem, Solver, Stop, Target};

use super::{ranks, solve};
use crate::common::{self, settings};

/// One that notes how long the longest answer of rank 0 is.
struct Measured {
    transport: Box<dyn Transport>,
    longest: Arc<AtomicUsize>,
}

impl Transport for Measured {
    fn rank(&self) -> usize {
        self.transport.rank()
    }
    fn count(&self) -> usize {
        self.transport.count()
    }
    fn machine(&self) -> &str {
        self.transport.machine()
    }
    fn send(&mut self, to: usize, bytes: Vec<u8>) {
        if bytes.windows(10).any(|part| part == b"\"Decision\"") {
            self.longest.fetch_max(bytes.len(), Ordering::Relaxed);
        }
        self.transport.send(to, bytes);
    }
    fn receive(&mut self, wait: Duration) -> Option<Event> {
        self.transport.receive(wait)
    }
}

/// What rank 0 writes to each at a meeting does not grow with their number: it says who gives to this one and takes from it, and no more.
#[test]
fn answers_are_as_short_for_many_ranks_as_for_few() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 60, 3));
    let longest = [3, 24].map(|count| {
        let longest = Arc::new(AtomicUsize::new(0));
        let found = ranks(count, |_, transport| {
            let transport = Box::new(Measured { transport, longest: Arc::clone(&longest) });
            let settings = settings("mmas ants=2 local_search=none migration=5");
            solve(&problem, &settings, 1, &Stop::iterations(12), transport).unwrap().cost
        });
        assert_eq!(found[0], *found.iter().min().unwrap());
        longest.load(Ordering::Relaxed)
    });
    assert!(longest[0] > 0 && longest[1] < longest[0] + 30, "{longest:?} bytes with 3 and 24 ranks");
}

/// A rank that is killed after it has sent so many messages: nothing comes from it any more, and the others get to know that.
struct Mortal {
    transport: Option<Box<dyn Transport>>,
    messages: usize,
    rank: usize,
    count: usize,
    ended: bool,
}

impl Transport for Mortal {
    fn rank(&self) -> usize {
        self.rank
    }
    fn count(&self) -> usize {
        self.count
    }
    fn machine(&self) -> &str {
        "a machine that fails"
    }
    fn send(&mut self, to: usize, bytes: Vec<u8>) {
        match self.messages.checked_sub(1) {
            Some(left) => self.messages = left,
            None => self.transport = None,
        }
        if let Some(transport) = &mut self.transport {
            transport.send(to, bytes);
        }
    }
    fn receive(&mut self, wait: Duration) -> Option<Event> {
        match &mut self.transport {
            Some(transport) => transport.receive(wait),
            // So that its thread ends.
            None => {
                (!std::mem::replace(&mut self.ended, true)).then(|| Event::Lost { rank: usize::from(self.rank == 0) })
            }
        }
    }
}

#[test]
fn a_rank_that_is_lost_ends_the_run_of_the_others() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 150, 3));
    // In the set-up, at the first meeting, later on.
    for (lost, messages) in [(1, 0), (1, 1), (1, 12), (2, 25), (0, 0), (0, 40)] {
        let results = ranks(3, |rank, transport| {
            let transport = match rank == lost {
                true => Box::new(Mortal { transport: Some(transport), messages, rank, count: 3, ended: false }),
                false => transport,
            };
            let (settings, never) = (settings("mmas ants=8 migration=5"), Stop::cancelled_by(&Cancel::new()));
            let mut solver = Solver::among(&problem, &settings, Target::Cpu, None, &never, transport)?;
            let ran = solver.run(&never);
            let (saved, made) = (solver.salvage(), solver.progress().iteration);
            assert_eq!(problem.cost(&saved.permutation).unwrap(), saved.cost);
            assert!(made > 0 || messages < 2);
            ran.map(|solution| solution.ended)
        });
        for (rank, result) in results.into_iter().enumerate().filter(|(rank, _)| *rank != lost) {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::Rank { rank, .. } if rank == lost), "rank {rank} of lost {lost}: {error}");
        }
    }
}
