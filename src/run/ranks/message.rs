//! What ranks write to each other: a header in JSON, and behind it words.

use serde::{Deserialize, Serialize};

use crate::run::Ended;
use crate::run::checkpoint::RunState;
use crate::run::migration::Best;
use crate::run::share::DeviceShare;
use crate::settings::Effort;

/// A message's header.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::run) enum Message {
    /// To rank 0 in the set-up: what a rank has.
    Hello(Hello),
    /// From rank 0: what all have.
    Welcome(Welcome),
    /// To rank 0: the run should end.
    Wish(Ended),
    /// From rank 0: all come together now, wherever they are.
    Summons,
    /// To rank 0: how far a rank has come.
    Here(Here),
    /// From rank 0, once it knows that of all.
    Decision(Decision),
    /// To the rank of a colony: the best solution of the colony before it, which are the words, if that could be had.
    Migrant { taker: usize, found: Option<BestHead> },
    /// To rank 0: the same of the colony that has the best of all.
    Best { giver: usize, found: Option<BestHead> },
    /// To rank 0 at the end: all that is known of a rank's runs. The words are the best one's solution.
    Report(Report),
    /// To rank 0, and from there to all: a rank has left, and why.
    Left { rank: usize, machine: String, message: String },
}

/// What a rank has.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::run) struct Hello {
    pub program: String,
    pub machine: String,
    /// What is solved, in words, and what tells it from others.
    pub problem: String,
    pub fingerprint: u64,
    /// The same of settings, and of the solution that a caller has given.
    pub settings: String,
    pub start: u64,
    /// The rules that are to end its run, in words.
    pub ends: String,
    /// The effort that suits its devices.
    pub suits: Effort,
    pub devices: Vec<DeviceShare>,
}

/// What all ranks have.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::run) struct Welcome {
    /// The least effort that suits a device.
    pub suits: Effort,
    /// The devices of all, in the order of ranks.
    pub devices: Vec<DeviceShare>,
}

/// How far a colony has come.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::run) struct Standing {
    /// The cost of what it would give to another colony.
    pub gives: u64,
    /// The best cost, as progress tells it, and the iteration that found it.
    pub cost: u64,
    pub iteration: u32,
}

/// How far a rank has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::run) struct Here {
    /// Why its run ends, if it does.
    pub ended: Option<Ended>,
    /// With [`Ended::Failed`] what failed.
    pub failure: Option<String>,
    /// Whether it has come to an iteration at which all meet.
    pub whole: bool,
    /// Its colonies.
    pub colonies: Vec<Standing>,
}

/// What all ranks do next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::run) struct Decision {
    /// Why all end, if they do.
    pub ended: Option<Ended>,
    /// With [`Ended::Failed`] the rank that failed, and with what.
    pub failure: Option<(usize, String)>,
    /// Whether all have come to the iteration of a migration.
    pub migrates: bool,
    /// Which colony gives to which, of these what concerns the rank that is told: with all of it the answers would grow by the square of the ranks.
    pub pairs: Vec<(usize, usize)>,
    /// The best cost of all, and the iteration that found it.
    pub cost: u64,
    pub iteration: u32,
    /// The colony that has it, where rank 0 does not know its solution.
    pub wanted: Option<usize>,
}

/// What is known of a solution on its way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::run) struct BestHead {
    pub cost: u64,
    pub iteration: u32,
}

impl BestHead {
    /// The header and the words of a solution, where there is one.
    pub fn split(best: Option<Best>) -> (Option<Self>, Vec<u32>) {
        best.map_or_else(Default::default, |best| {
            (Some(Self { cost: best.cost, iteration: best.iteration }), best.solution)
        })
    }

    /// The solution again.
    pub fn with(self, solution: Vec<u32>) -> Best {
        Best { solution, cost: self.cost, iteration: self.iteration }
    }
}

/// What is known of a rank's runs at the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::run) struct Report {
    /// The run whose solution comes with it, counted from 0 on that rank.
    pub best: usize,
    pub runs: Vec<RunState>,
    pub devices: Vec<DeviceShare>,
}

impl Message {
    /// The bytes of a message with this header and these words: the header's length in bytes, itself, the words.
    pub fn encoded(&self, words: &[u32]) -> Vec<u8> {
        // What a header holds always has a form.
        let header = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = Vec::with_capacity(4 + header.len() + 4 * words.len());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    /// Header and words of a message, if the bytes are one.
    pub fn decoded(bytes: &[u8]) -> Option<(Self, Vec<u32>)> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (header, words) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let (words, []) = words.as_chunks::<4>() else { return None };
        let header = serde_json::from_slice(header).ok()?;
        Some((header, words.iter().map(|word| u32::from_le_bytes(*word)).collect()))
    }
}
