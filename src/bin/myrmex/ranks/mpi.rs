//! Messages between ranks by MPI, which one thread alone calls.
//!
//! Ranks but the first exchange heartbeats with rank 0 each second, so that no launcher has to tell that one has gone: of a rank that was
//! killed MPI says nothing, and who waits for it waits for ever.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mpi::point_to_point::MatchedReceiveVec;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use mpi::{Threading, environment, request};
use myrmex::ranks::{Event, Transport};
use myrmex::{Error, Result};

use super::launch::Launched;

/// How often a heartbeat is sent, and how long is waited for one.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(15);
/// How often is looked for messages: while they are waited for at first and at last, and while the solver works.
const SOON: Duration = Duration::from_micros(50);
const SOMETIME: Duration = Duration::from_millis(1);
const WORKING: Duration = Duration::from_millis(2);
/// A message that is a heartbeat, and the last one of a rank.
const HEARTBEAT: &[u8] = &[];
const FAREWELL: &[u8] = &[0];

/// This rank's end.
struct MpiTransport {
    rank: usize,
    count: usize,
    machine: String,
    messages: Sender<(usize, Vec<u8>)>,
    events: Mutex<Receiver<Event>>,
    awaited: Arc<AtomicBool>,
}

impl Transport for MpiTransport {
    fn rank(&self) -> usize {
        self.rank
    }
    fn count(&self) -> usize {
        self.count
    }
    fn machine(&self) -> &str {
        &self.machine
    }
    fn send(&mut self, to: usize, bytes: Vec<u8>) {
        // The thread is there as long as this is.
        let _ = self.messages.send((to, bytes));
    }
    fn receive(&mut self, wait: Duration) -> Option<Event> {
        let events = self.events.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Ok(event) = events.try_recv() {
            return Some(event);
        }
        self.awaited.store(!wait.is_zero(), Ordering::Relaxed);
        let event = events.recv_timeout(wait).ok();
        self.awaited.store(false, Ordering::Relaxed);
        event
    }
}

/// Begins with MPI. The receiver gets to know when all ranks have ended in order; `false` where one was lost.
pub fn open(launched: &Launched) -> Result<(Box<dyn Transport>, Receiver<bool>)> {
    let ((messages, to_send), (happened, events)) = (channel(), channel());
    let ((began, begins), (ended, ends)) = (channel(), channel());
    let awaited = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&awaited);
    let carry = move || {
        let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else { return };
        let world = universe.world();
        let (rank, count) = (world.rank() as usize, world.size() as usize);
        let machine = environment::processor_name().unwrap_or_else(|_| "a machine without a name".into());
        if began.send((rank, count, machine)).is_err() {
            return;
        }
        let peers = if rank == 0 { 1..count } else { 0..1 };
        let peers = peers.map(|rank| Peer { rank, heard: Instant::now(), state: State::There }).collect();
        let mut progress = ProgressThread { world, peers, happened, waits, told: Instant::now() };
        progress.run(&to_send);
        let in_order = progress.peers.iter().all(|peer| peer.state == State::Gone);
        if in_order {
            drop(universe);
        } else {
            // To end MPI takes all ranks.
            std::mem::forget(universe);
        }
        let _ = ended.send(in_order);
    };
    let failed = |what: String| Error::Config(format!("MPI does not begin: {what}"));
    let spawned = thread::Builder::new().name("myrmex-mpi".into()).spawn(carry);
    spawned.map_err(|error| Error::Threads(error.to_string()))?;
    let (rank, count, machine) = begins.recv().map_err(|_| failed("it has begun before".into()))?;
    if launched.count.is_some_and(|told| told != count) {
        return Err(Error::Config(format!(
            "this program was started {} times ({}), but the MPI that it was built with knows of {count}: start it with the mpirun of that \
             MPI, under Slurm with 'srun --mpi=pmix' or 'srun --mpi=pmi2', or build it with the MPI of this launcher",
            launched.count.unwrap_or_default(),
            launched.by
        )));
    }
    let transport = MpiTransport { rank, count, machine, messages, events: Mutex::new(events), awaited };
    Ok((Box::new(transport), ends))
}

/// What is known of another rank.
#[derive(Clone, Copy, PartialEq)]
enum State {
    There,
    /// It has said farewell.
    Gone,
    Lost,
}

/// Another rank that is listened for: of rank 0 all, of the others rank 0.
struct Peer {
    rank: usize,
    heard: Instant,
    state: State,
}

/// What the thread of MPI works with.
struct ProgressThread {
    world: SimpleCommunicator,
    peers: Vec<Peer>,
    happened: Sender<Event>,
    waits: Arc<AtomicBool>,
    /// When heartbeats were sent.
    told: Instant,
}

impl ProgressThread {
    /// Carries messages until nobody sends any more, and all others have said farewell.
    fn run(&mut self, to_send: &Receiver<(usize, Vec<u8>)>) {
        let mut nap = SOON;
        loop {
            let rests = if self.waits.load(Ordering::Relaxed) { nap } else { WORKING };
            match to_send.recv_timeout(rests) {
                Ok((to, bytes)) => self.deliver(to, &bytes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            nap = if self.take_in() { SOON } else { (nap * 2).min(SOMETIME) };
            self.keep_alive();
        }
        // Those that have said it before wait for this one's.
        self.tell(FAREWELL);
        while self.peers.iter().any(|peer| peer.state == State::There) {
            thread::sleep(SOMETIME);
            self.take_in();
            self.keep_alive();
        }
    }

    /// Sends a message. What arrives meanwhile is taken in, so that two ranks which send to each other do not wait for each other.
    fn deliver(&mut self, to: usize, bytes: &[u8]) {
        if self.peers.iter().any(|peer| peer.rank == to && peer.state == State::Lost) {
            return;
        }
        let world = SimpleCommunicator::world();
        request::scope(|scope| {
            let mut request = world.process_at_rank(to as i32).immediate_send(scope, bytes);
            loop {
                match request.test() {
                    Ok(_) => break,
                    Err(pending) => request = pending,
                }
                if !self.take_in() {
                    thread::sleep(SOON);
                }
                // To a rank that is lost this goes on for ever, which the solver knows and ends the program.
                self.look();
            }
        });
    }

    /// Takes in what has arrived; whether anything has.
    fn take_in(&mut self) -> bool {
        let mut any = false;
        while let Some(arrived) = self.world.any_process().immediate_matched_probe() {
            let (bytes, status) = arrived.matched_receive_vec::<u8>();
            let from = status.source_rank() as usize;
            any = true;
            let peer = self.peers.iter_mut().find(|peer| peer.rank == from);
            let event = match (bytes.as_slice(), peer) {
                (FAREWELL, Some(peer)) => {
                    peer.state = State::Gone;
                    Some(Event::Lost { rank: from })
                }
                (bytes, peer) => {
                    if let Some(peer) = peer {
                        peer.heard = Instant::now();
                    }
                    (bytes != HEARTBEAT).then(|| Event::Message { from, bytes: bytes.to_vec() })
                }
            };
            // Nobody may be listening any more.
            event.map(|event| self.happened.send(event));
        }
        any
    }

    /// Sends heartbeats if it is time to, and looks for those of others.
    fn keep_alive(&mut self) {
        if self.told.elapsed() >= HEARTBEAT_EVERY {
            self.told = Instant::now();
            self.tell(HEARTBEAT);
        }
        self.look();
    }

    fn tell(&mut self, bytes: &[u8]) {
        let there = self.peers.iter().filter(|peer| peer.state != State::Lost).map(|peer| peer.rank);
        for rank in there.collect::<Vec<_>>() {
            self.deliver(rank, bytes);
        }
    }

    fn look(&mut self) {
        for peer in &mut self.peers {
            if peer.state == State::There && peer.heard.elapsed() >= PATIENCE {
                peer.state = State::Lost;
                let _ = self.happened.send(Event::Lost { rank: peer.rank });
            }
        }
    }
}
