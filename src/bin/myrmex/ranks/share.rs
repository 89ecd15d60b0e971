//! What a rank may use of its machine: others of the run may be there, too.

use std::time::Duration;

use myrmex::ranks::{Event, Transport};
use myrmex::{Error, Result};
use serde::{Deserialize, Serialize};

/// How long is waited for the others, which are started at about the same time.
const STARTS_WITHIN: Duration = Duration::from_secs(120);
/// Variables by which launchers give each process GPUs of its own.
const VISIBLE: [&str; 3] = ["CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"];

/// Where a rank is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Place {
    machine: String,
    /// The processors that it may run on, where the system tells.
    processors: Vec<usize>,
    /// How many threads of them it may use.
    threads: usize,
    /// The GPUs that it sees, where the launcher says.
    visible: String,
}

/// A rank's share of its machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Threads for the CPU.
    pub threads: usize,
    /// Which of how many ranks it is that see the same GPUs.
    pub gpus: (usize, usize),
}

impl Share {
    /// That of this rank, which all tell rank 0, and rank 0 all.
    pub fn agreed(transport: &mut dyn Transport) -> Result<Self> {
        let (rank, count) = (transport.rank(), transport.count());
        let own = Place::here(transport.machine());
        let places: Vec<Place> = match rank {
            0 => {
                let mut all = vec![Some(own)];
                all.resize(count, None);
                while all.iter().any(Option::is_none) {
                    let (from, place) = next(transport)?;
                    all[from] = Some(place);
                }
                let all: Vec<Place> = all.into_iter().flatten().collect();
                (1..count).try_for_each(|rank| send(transport, rank, &all))?;
                all
            }
            _ => {
                send(transport, 0, &own)?;
                next(transport)?.1
            }
        };
        Ok(Self::of(rank, &places))
    }

    /// That of a rank among all.
    fn of(rank: usize, places: &[Place]) -> Self {
        let own = &places[rank];
        let beside: Vec<usize> = (0..places.len()).filter(|&other| places[other].machine == own.machine).collect();
        // Each processor is shared by those who may run on it.
        let sharers = |processor: &usize| {
            beside.iter().filter(|&&other| places[other].processors.contains(processor)).count().max(1) as f64
        };
        let part = match own.processors.len() {
            0 => 1.0 / beside.len() as f64,
            all => own.processors.iter().map(|processor| 1.0 / sharers(processor)).sum::<f64>() / all as f64,
        };
        // A third of three is a whole one.
        let threads = ((own.threads as f64 * part + 1e-6) as usize).max(1);
        let seeing: Vec<usize> = beside.into_iter().filter(|&other| places[other].visible == own.visible).collect();
        let index = seeing.iter().position(|&other| other == rank).unwrap_or_default();
        Self { threads, gpus: (index, seeing.len()) }
    }
}

impl Place {
    fn here(machine: &str) -> Self {
        let visible = VISIBLE.map(|name| std::env::var(name).unwrap_or_default());
        Self {
            machine: machine.to_owned(),
            processors: std::fs::read_to_string("/proc/self/status")
                .ok()
                .and_then(|text| allowed(&text))
                .unwrap_or_default(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            visible: visible.join(";"),
        }
    }
}

/// The processors that Linux lets a process run on, of the text of its status.
fn allowed(status: &str) -> Option<Vec<usize>> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let mut all = Vec::new();
    for range in list.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        all.extend(first.trim().parse::<usize>().ok()?..=last.trim().parse().ok()?);
    }
    Some(all)
}

fn send(transport: &mut dyn Transport, to: usize, what: &impl Serialize) -> Result<()> {
    let bytes = serde_json::to_vec(what).map_err(|error| Error::Config(format!("cannot tell other ranks: {error}")))?;
    transport.send(to, bytes);
    Ok(())
}

fn next<T: for<'de> Deserialize<'de>>(transport: &mut dyn Transport) -> Result<(usize, T)> {
    let gone = |rank: usize, message: &str| Error::Rank {
        rank,
        machine: "a machine not known yet".into(),
        message: message.into(),
    };
    match transport.receive(STARTS_WITHIN) {
        Some(Event::Message { from, bytes }) => match serde_json::from_slice(&bytes) {
            Ok(found) => Ok((from, found)),
            Err(_) => Err(gone(from, "sends what cannot be read: start the same program everywhere")),
        },
        Some(Event::Lost { rank }) => Err(gone(rank, "has ended")),
        None => Err(Error::Config(format!(
            "not all ranks have begun within {} s; look at what the launcher says of the others",
            STARTS_WITHIN.as_secs()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(machine: &str, processors: std::ops::Range<usize>, threads: usize, visible: &str) -> Place {
        Place { machine: machine.into(), processors: processors.collect(), threads, visible: visible.into() }
    }

    fn shares(places: &[Place]) -> Vec<(usize, (usize, usize))> {
        (0..places.len()).map(|rank| Share::of(rank, places)).map(|share| (share.threads, share.gpus)).collect()
    }

    #[test]
    fn ranks_of_a_machine_share_its_processors_and_gpus() {
        let free = || place("a", 0..64, 64, "");
        assert_eq!(shares(&[free(), free()]), [(32, (0, 2)), (32, (1, 2))]);
        assert_eq!(shares(&[free(), place("b", 0..8, 8, ""), free()]), [(32, (0, 2)), (8, (0, 1)), (32, (1, 2))]);
        // Each is bound to processors of its own, or two to the same ones.
        let bound = |processors: std::ops::Range<usize>| place("a", processors.clone(), processors.len(), "");
        let threads = |places: &[Place]| shares(places).into_iter().map(|(threads, _)| threads).collect::<Vec<_>>();
        assert_eq!(threads(&[bound(0..16), bound(16..32)]), [16, 16]);
        assert_eq!(threads(&[bound(0..16), bound(0..16), bound(16..32)]), [8, 8, 16]);
        // A quota of two processors, three ranks that may not be told apart, and more ranks than processors.
        assert_eq!(threads(&[place("a", 0..64, 2, ""), place("a", 0..64, 2, "")]), [1, 1]);
        assert_eq!(threads(&[place("a", 0..0, 6, ""), place("a", 0..0, 6, ""), place("a", 0..0, 6, "")]), [2, 2, 2]);
        assert_eq!(threads(&[bound(0..2), bound(0..2), bound(0..2)]), [1, 1, 1]);
        // The launcher gives each GPUs of its own.
        let seeing = |visible| place("a", 0..4, 4, visible);
        let gpus: Vec<_> = shares(&[seeing("0"), seeing("1"), seeing("1")]).into_iter().map(|(_, gpus)| gpus).collect();
        assert_eq!(gpus, [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(allowed("Name:\tx\nCpus_allowed_list:\t0-2,5,8-9\n"), Some(vec![0, 1, 2, 5, 8, 9]));
        assert_eq!(allowed("Cpus_allowed_list:\t3"), Some(vec![3]));
        assert_eq!(allowed("Cpus_allowed_list:\tall"), None);
        assert_eq!(allowed("Name:\tx\n"), None);
    }
}
