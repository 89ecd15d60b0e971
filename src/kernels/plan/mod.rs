//! Sizes of a phase, as data: everything that is decided before the first buffer exists. `kernels::planner` makes plans, and asks the
//! families of kernels what they need; kernels read them.
//!
//! What depends on the device (strategy, visited sets, lanes, budgets, where a tour is held) changes no result; what changes results
//! stands in the phase. Each family of kernels has a plan of its own, with the sizes that all share.

use std::ops::{Deref, DerefMut};

use serde::Serialize;

use crate::algorithm::fixed;
use crate::instance::tsp::Rounding;

mod assignments;
mod chained;
mod construct;
mod eax;
mod windows;

pub use assignments::{Columns, ExchangePlan, MemoryLayout, TablePlace};
pub use chained::ChainedPlan;
pub use construct::{ConstructPlan, SearchMemory, weight_pitch};
pub use eax::{EaxPlan, RecombinePlan};
pub use windows::{WindowPlan, WindowsPlan};

/// All sizes of a phase.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "family", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Plan {
    /// Ants that construct solutions.
    Construct(Box<ConstructPlan>),
    /// Windowed Lin-Kernighan search.
    Windows(WindowsPlan),
    /// Chained Lin-Kernighan search.
    Chained(ChainedPlan),
    /// Edge assembly crossover.
    Eax(EaxPlan),
}

/// What the plans of all families have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sizes {
    /// Cities, or facilities.
    pub cities: usize,
    /// Ants, windows, walks or individuals.
    pub units: usize,
    /// Random words are drawn from it.
    pub seed: u64,
    /// So many leading cities are joined two and two by edges that stay in every tour.
    pub paired: usize,
    /// Whether one city is the gap of an open path, at distance 0 from all others.
    pub gap: bool,
    /// Whether each city has two nodes: an asymmetric instance made symmetric.
    pub doubled: bool,
    /// The most neighbours that a list has.
    pub most_neighbours: usize,
    /// Cost of the solution that the phase begins with; it sets the first trail limits.
    pub reference_cost: u64,
    /// How distances come from coordinates in whole numbers; `None`: from a matrix.
    pub rounding: Option<Rounding>,
    /// Whether invocations run in lock step at little cost, as on a GPU. A software adapter does not wait for loads, so that loading several
    /// words ahead only costs it time.
    pub wide: bool,
    /// Invocations a workgroup of kernels over tours, and of those with a single workgroup.
    pub sweep_lanes: u32,
    #[expect(missing_docs, reason = "documented with sweep_lanes")]
    pub single_lanes: u32,
    /// Loop turns an invocation may spend in one dispatch.
    pub loop_budget: u32,
    /// Ants of one invocation each that a software adapter runs in one thread, so that they share its loop turns.
    pub ants_a_thread: u32,
    /// Whether kernels end their work in one call whatever the budget.
    pub unbounded_calls: bool,
}

impl Sizes {
    /// 32-bit words of a bitmask over the cities.
    pub fn words(&self) -> usize {
        self.cities.div_ceil(32)
    }

    /// How far costs are shifted right to fit in 32 bits.
    pub fn cost_shift(&self) -> u32 {
        fixed::cost_shift(self.reference_cost)
    }

    /// Words of the distances between all cities, or of coordinates.
    pub(in crate::kernels) fn distance_words(&self) -> u64 {
        let n = self.cities as u64;
        if self.rounding.is_some() { 2 * n } else { n * n }
    }

    /// Dispatches that `total` loop turns need when each may spend the budget, `overhead` turns of it for nothing; one to spare where one
    /// is not enough.
    pub(in crate::kernels) fn dispatches_for(&self, total: u64, overhead: u64) -> u32 {
        if self.unbounded_calls {
            return 1;
        }
        let useful = u64::from(self.loop_budget).saturating_sub(overhead).max(1);
        if total < useful {
            return 1;
        }
        u32::try_from(total.div_ceil(useful) + 1).unwrap_or(u32::MAX)
    }
}

impl Deref for Plan {
    type Target = Sizes;

    fn deref(&self) -> &Sizes {
        match self {
            Self::Construct(plan) => plan,
            Self::Windows(plan) => plan,
            Self::Chained(plan) => plan,
            Self::Eax(plan) => plan,
        }
    }
}

impl DerefMut for Plan {
    fn deref_mut(&mut self) -> &mut Sizes {
        match self {
            Self::Construct(plan) => plan,
            Self::Windows(plan) => plan,
            Self::Chained(plan) => plan,
            Self::Eax(plan) => plan,
        }
    }
}

/// Gives a family's plan the sizes that it holds.
macro_rules! has_sizes {
    ($plan:ty) => {
        impl std::ops::Deref for $plan {
            type Target = super::Sizes;

            fn deref(&self) -> &super::Sizes {
                &self.sizes
            }
        }

        impl std::ops::DerefMut for $plan {
            fn deref_mut(&mut self) -> &mut super::Sizes {
                &mut self.sizes
            }
        }
    };
}
use has_sizes;

impl Plan {
    /// The same plan for ants that begin with a tour that is worth taking over.
    pub fn begun(mut self) -> Self {
        if let Self::Construct(plan) = &mut self {
            plan.begun = plan.system.focus > 0;
        }
        self
    }

    /// What its units are called.
    pub fn units_name(&self) -> &'static str {
        match self {
            Self::Construct(plan) => plan.system.units_name(),
            Self::Windows(_) => "windows",
            Self::Chained(_) => "walks",
            Self::Eax(_) => "individuals",
        }
    }

    /// The plan of ants that construct, where they do.
    pub fn construct(&self) -> Option<&ConstructPlan> {
        if let Self::Construct(plan) = self { Some(plan) } else { None }
    }

    /// The same, to be changed.
    pub fn construct_mut(&mut self) -> Option<&mut ConstructPlan> {
        if let Self::Construct(plan) = self { Some(plan) } else { None }
    }

    /// Whether solutions are assignments and not tours.
    pub fn is_assignment(&self) -> bool {
        self.construct().is_some_and(ConstructPlan::is_assignment)
    }

    /// Whether all units make a step together, so that they cannot run one after the other.
    pub fn synchronous(&self) -> bool {
        self.construct().is_some_and(ConstructPlan::synchronous)
    }

    /// The first iteration, counted from 0, that takes no longer than others for being a later one.
    pub fn steady_from(&self) -> u32 {
        self.construct().map_or(0, ConstructPlan::steady_from)
    }

    /// Whether the host finds the best of an iteration.
    pub fn best_on_host(&self) -> bool {
        self.construct().is_some_and(ConstructPlan::best_on_host)
    }
}
