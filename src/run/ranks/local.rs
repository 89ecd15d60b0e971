//! Ranks that are threads of one process, for tests: channels carry their messages.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Event, Transport};

/// A thread's end of the channels.
struct Local {
    rank: usize,
    machine: String,
    to: Vec<Sender<Event>>,
    from: Mutex<Receiver<Event>>,
}

/// So many ranks in this process: each is for a thread of its own. Who drops one is lost to the others.
pub fn local(count: usize) -> Vec<Box<dyn Transport>> {
    let (to, from): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
    let each = from.into_iter().enumerate().map(|(rank, from)| {
        let machine = format!("thread {rank}");
        Box::new(Local { rank, machine, to: to.clone(), from: Mutex::new(from) }) as Box<dyn Transport>
    });
    each.collect()
}

impl Transport for Local {
    fn rank(&self) -> usize {
        self.rank
    }
    fn count(&self) -> usize {
        self.to.len()
    }
    fn machine(&self) -> &str {
        &self.machine
    }
    fn send(&mut self, to: usize, bytes: Vec<u8>) {
        // Who has gone does not read it.
        let _ = self.to[to].send(Event::Message { from: self.rank, bytes });
    }
    fn receive(&mut self, wait: Duration) -> Option<Event> {
        self.from.get_mut().unwrap_or_else(PoisonError::into_inner).recv_timeout(wait).ok()
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        for to in &self.to {
            let _ = to.send(Event::Lost { rank: self.rank });
        }
    }
}
