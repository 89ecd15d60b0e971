//! From an instance, a configuration and a device's capabilities to sizes: everything that is decided before the first
//! buffer exists, as data.
//!
//! What depends on the device (lanes, budgets, where a tour is held) changes no result; what changes results depends on
//! the instance and the configuration alone.

use serde::Serialize;

use super::two_opt::SearchMemory;
use crate::aco::config::{Candidates, Config, LocalSearch};
use crate::aco::fixed;
use crate::aco::mmas::MmasParams;
use crate::backend::Capabilities;
use crate::error::{Error, Result};

/// The most neighbours a local search looks at.
const MAX_NEIGHBOURS: usize = 32;
/// The fewest candidates that may be asked for (fewer only when the instance has no more cities).
pub const MIN_CANDIDATES: usize = 5;
/// Candidates when none are asked for.
const DEFAULT_CANDIDATES: usize = 32;
/// Choice information packs a city into 16 bits.
const MAX_CITIES: usize = 65_536;

/// A buffer of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BufferPlan {
    /// Its name.
    pub name: &'static str,
    /// Its length in 32-bit words.
    pub words: u64,
}

/// All sizes of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Cities.
    pub cities: usize,
    /// Ants in an iteration.
    pub ants: usize,
    /// Candidates of a city.
    pub candidates: usize,
    /// Neighbours of a city that local search looks at.
    pub neighbours: usize,
    /// The seed.
    pub seed: u64,
    /// Whether ants end with a local search.
    pub search: bool,
    /// Parameters of the ant system.
    pub mmas: MmasParams,
    /// Cost of the nearest-neighbour tour, which sets the first trail limits.
    pub reference_cost: u64,
    /// Invocations a workgroup: construction and trail update, local search, sums over a tour, single workgroups.
    pub construct_lanes: u32,
    #[expect(missing_docs, reason = "documented with construct_lanes")]
    pub search_lanes: u32,
    #[expect(missing_docs, reason = "documented with construct_lanes")]
    pub sweep_lanes: u32,
    #[expect(missing_docs, reason = "documented with construct_lanes")]
    pub single_lanes: u32,
    /// Where local search holds tour and queue.
    pub search_memory: SearchMemory,
    /// Loop turns an invocation may spend in one dispatch.
    pub loop_budget: u32,
    /// Whether kernels end their work in one call whatever the budget.
    pub unbounded_calls: bool,
}

impl Plan {
    /// The plan for `cities` cities whose nearest-neighbour tour costs `reference_cost`.
    ///
    /// # Errors
    /// [`Error::Config`] for a parameter out of range, [`Error::TooLarge`] when a buffer is beyond the device's limit.
    pub fn new(cities: usize, reference_cost: u64, config: &Config, device: &Capabilities) -> Result<Self> {
        let search = config.local_search == LocalSearch::TwoOpt;
        let mmas = config.mmas.unwrap_or_else(|| MmasParams::for_search(search));
        mmas.validate()?;
        let others = cities.saturating_sub(1);
        let candidates = match config.candidates.unwrap_or(Candidates::Nearest(DEFAULT_CANDIDATES)) {
            Candidates::All => others,
            Candidates::Nearest(k) if k < MIN_CANDIDATES => {
                return Err(Error::Config(format!("candidates must be 'all' or at least {MIN_CANDIDATES}, not {k}")));
            }
            Candidates::Nearest(k) => k.min(others),
        };
        let ants = config.ants.unwrap_or_else(|| default_ants(cities, search));
        if ants == 0 || ants > 1 << 20 {
            return Err(Error::Config(format!("ants must lie in 1 to {}, not {ants}", 1 << 20)));
        }
        let lanes = |wide: u32| if device.wide { wide.min(device.workgroup_invocations) } else { 8 };
        let plan = Self {
            cities,
            ants,
            candidates,
            neighbours: candidates.min(MAX_NEIGHBOURS),
            seed: config.seed,
            search,
            mmas,
            reference_cost,
            construct_lanes: lanes(32),
            search_lanes: lanes(256),
            sweep_lanes: lanes(64),
            single_lanes: lanes(256),
            search_memory: SearchMemory::choose(cities, device.workgroup_bytes, device.wide),
            loop_budget: device.loop_budget,
            unbounded_calls: device.unbounded_calls,
        };
        plan.check(device)?;
        Ok(plan)
    }

    fn check(&self, device: &Capabilities) -> Result<()> {
        let too_large = |what: String, needed: String, limit: String| Error::TooLarge {
            device: device.device.clone(),
            what,
            needed,
            limit,
            remedy: "use a smaller instance, fewer ants or candidates, another device, or the CPU backend".into(),
        };
        if self.cities > MAX_CITIES {
            return Err(too_large(
                "the instance".into(),
                format!("{} cities", self.cities),
                format!("{MAX_CITIES} cities"),
            ));
        }
        for BufferPlan { name, words } in self.buffers() {
            if words * 4 > device.buffer_bytes {
                let what = format!("buffer '{name}' for {} cities and {} ants", self.cities, self.ants);
                return Err(too_large(what, format!("{} bytes", words * 4), format!("{} bytes", device.buffer_bytes)));
            }
        }
        let memory = self.words() as u32 * 4 + 1088;
        if memory > device.workgroup_bytes {
            let limit = format!("{} bytes", device.workgroup_bytes);
            return Err(too_large("workgroup memory for the visited cities".into(), format!("{memory} bytes"), limit));
        }
        Ok(())
    }

    /// Each buffer with its length, in the order of [`crate::kernels::Buffers`].
    ///
    /// | buffer | shape |
    /// |---|---|
    /// | distances | cities × cities |
    /// | neighbours | cities × pairs of neighbours × two of (city, distance) |
    /// | heuristic, choice | cities × candidates: city in the upper, weight in the lower 16 bits |
    /// | tables | Gumbel cells, logarithm |
    /// | trails | cities × candidates |
    /// | state, progress | one block; one block an ant |
    /// | visited_kept | ants × bitmask words |
    /// | queues | ants × half the cities: two cities a word |
    /// | tours, positions | ants × cities |
    /// | costs | ants × 64 bits |
    /// | bests | best tour, best since the restart, depositing tour |
    /// | links | cities × (city before, city after) in the best tour since the restart |
    pub fn buffers(&self) -> Vec<BufferPlan> {
        let [n, m, words] = [self.cities, self.ants, self.words()].map(|x| x as u64);
        let [k, near] = [self.candidates, self.neighbour_pairs()].map(|x| x as u64);
        let mut list = vec![
            ("distances", n * n),
            ("neighbours", n * near * 4),
            ("heuristic", n * k),
            ("tables", fixed::TABLE_WORDS as u64),
            ("trails", n * k),
            ("choice", n * k),
            ("state", super::state::STATE_WORDS as u64),
            ("progress", m * super::state::PROGRESS_WORDS as u64),
            ("visited_kept", m * words),
            ("queues", m * n.div_ceil(2)),
            ("tours", m * n),
            ("costs", m * 2),
            ("bests", 3 * n),
            ("links", 2 * n),
        ];
        if self.search && self.search_memory == SearchMemory::Storage {
            list.push(("positions", m * n));
        }
        list.into_iter().map(|(name, words)| BufferPlan { name, words }).collect()
    }

    /// Bytes of all buffers together.
    pub fn total_bytes(&self) -> u64 {
        self.buffers().iter().map(|buffer| buffer.words * 4).sum()
    }

    /// 32-bit words of a bitmask over the cities.
    pub fn words(&self) -> usize {
        self.cities.div_ceil(32)
    }

    /// Pairs that hold a city's neighbours.
    pub fn neighbour_pairs(&self) -> usize {
        self.neighbours.div_ceil(2)
    }

    /// How far costs are shifted right to fit in 32 bits.
    pub fn cost_shift(&self) -> u32 {
        fixed::cost_shift(self.reference_cost)
    }
}

/// Ants by instance size: the same on every device, so that the same seed gives the same tours.
fn default_ants(cities: usize, search: bool) -> usize {
    if search { 32 } else { cities.clamp(1, 1024) }
}
