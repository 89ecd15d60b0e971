//! From a phase of a recipe and a device's capabilities to sizes: everything that is decided before the first buffer exists, as data.
//!
//! What depends on the device (strategy, visited sets, lanes, budgets, where a tour is held) changes no result; what changes results
//! stands in the phase. Each family of kernels has a plan of its own, with the sizes that all share.

use std::ops::{Deref, DerefMut};

use serde::Serialize;

use crate::algorithm::fixed;
use crate::algorithm::windows::MOST_COST;
use crate::backend::{Capabilities, too_large};
use crate::error::{Error, Result};
use crate::instance::problem::{Shape, ShapeKind};
use crate::instance::tsp::Rounding;
use crate::settings::System;

mod construct;
mod eax;
mod windows;

pub use construct::{ConstructPlan, weight_pitch};
pub use eax::EaxPlan;
pub use windows::WindowsPlan;

use super::buffers::BufferPlan;
use super::turns::{LoopTurns, UNCOUNTED, loop_turns};

/// All sizes of a phase.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "family", rename_all = "lowercase")]
pub enum Plan {
    /// Ants that construct solutions.
    Construct(Box<ConstructPlan>),
    /// Windowed Lin-Kernighan search.
    Windows(WindowsPlan),
    /// Edge assembly crossover.
    Eax(EaxPlan),
}

/// What the plans of all families have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sizes {
    /// Cities, or facilities.
    pub cities: usize,
    /// Ants, windows or individuals.
    pub units: usize,
    /// Random words are drawn from it.
    pub seed: u64,
    /// Cost of the solution that the phase begins with; it sets the first trail limits.
    pub reference_cost: u64,
    /// How distances come from coordinates in whole numbers; `None`: from a matrix.
    pub rounding: Option<Rounding>,
    /// Whether invocations run in lock step at little cost. A software adapter does not wait for loads, and looks at more than it
    /// needs to where several are on their way together.
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
    fn new(
        cities: usize,
        (units, seed): (usize, u64),
        reference_cost: u64,
        rounding: Option<Rounding>,
        device: &Capabilities,
    ) -> Self {
        Self {
            cities,
            units,
            seed,
            reference_cost,
            rounding,
            wide: device.wide,
            sweep_lanes: lanes(device, 64),
            single_lanes: lanes(device, 256),
            loop_budget: device.loop_budget,
            ants_a_thread: if device.wide || device.unbounded_calls { 1 } else { 8 },
            unbounded_calls: device.unbounded_calls,
        }
    }

    /// 32-bit words of a bitmask over the cities.
    pub fn words(&self) -> usize {
        self.cities.div_ceil(32)
    }

    /// How far costs are shifted right to fit in 32 bits.
    pub fn cost_shift(&self) -> u32 {
        fixed::cost_shift(self.reference_cost)
    }

    /// Words of the distances between all cities, or of coordinates.
    pub(super) fn distance_words(&self) -> u64 {
        let n = self.cities as u64;
        if self.rounding.is_some() { 2 * n } else { n * n }
    }

    /// Checks what a turn of a search, called `what`, needs: loop turns and workgroup memory.
    fn check_search(&self, (what, turns, memory): (&str, u32, u32), device: &Capabilities) -> Result<()> {
        self.check_turns(what.to_owned(), turns, device)?;
        check_memory(format!("workgroup memory for {what}"), memory, device)?;
        // Gains within a tour are counted in 31 bits.
        if self.reference_cost >= MOST_COST {
            let needed = format!("cost {}", self.reference_cost);
            return Err(too_large(&device.device, "the first tour".into(), needed, format!("cost {MOST_COST}")));
        }
        Ok(())
    }

    /// Checks the loop turns that `what` may need at once.
    fn check_turns(&self, what: String, turns: u32, device: &Capabilities) -> Result<()> {
        if turns <= self.loop_budget {
            return Ok(());
        }
        let (needed, limit) = (format!("{turns} loop turns"), format!("{} loop turns", self.loop_budget));
        Err(too_large(&device.device, what, needed, limit))
    }
}

/// So many lanes on a GPU, as far as it has them (powers of two, whatever its limit), and eight on a software adapter.
fn lanes(device: &Capabilities, wanted: u32) -> u32 {
    let most = 1 << device.workgroup_invocations.max(1).ilog2();
    if device.wide { wanted.min(most) } else { 8 }
}

fn check_memory(what: String, bytes: u32, device: &Capabilities) -> Result<()> {
    if bytes <= device.workgroup_bytes {
        return Ok(());
    }
    let limit = format!("{} bytes", device.workgroup_bytes);
    Err(too_large(&device.device, what, format!("{bytes} bytes"), limit))
}

impl Deref for Plan {
    type Target = Sizes;

    fn deref(&self) -> &Sizes {
        match self {
            Self::Construct(plan) => plan,
            Self::Windows(plan) => plan,
            Self::Eax(plan) => plan,
        }
    }
}

impl DerefMut for Plan {
    fn deref_mut(&mut self) -> &mut Sizes {
        match self {
            Self::Construct(plan) => plan,
            Self::Windows(plan) => plan,
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
    /// The plan of a phase for an instance of this shape, when it begins with a solution that costs `reference_cost`.
    ///
    /// # Errors
    /// [`Error::Config`] for lanes that are none, [`Error::TooLarge`] when something is beyond the device's limit.
    pub fn new(shape: &Shape, reference_cost: u64, system: &System, device: &Capabilities) -> Result<Self> {
        let rounding = match shape.kind {
            ShapeKind::Tour { directed: false, rounding } => rounding,
            _ => None,
        };
        let plan = match system {
            System::Construct(construct) => {
                Self::Construct(Box::new(ConstructPlan::new(shape.size, rounding, reference_cost, construct, device)?))
            }
            System::Windows(windows) => {
                Self::Windows(WindowsPlan::new(shape.size, rounding, reference_cost, windows, device))
            }
            System::Eax(eax) => Self::Eax(EaxPlan::new(shape.size, rounding, reference_cost, eax, device)),
        };
        plan.check(device)?;
        Ok(plan)
    }

    fn check(&self, device: &Capabilities) -> Result<()> {
        let (most, algorithm) = match self {
            Self::Construct(plan) => (plan.most_cities(), plan.system.algorithm().name()),
            Self::Windows(_) => (usize::MAX, "lk"),
            Self::Eax(_) => (eax::MOST_CITIES, "eax"),
        };
        if self.cities > most {
            return Err(Error::TooLarge {
                device: device.device.clone(),
                what: format!("the instance for '{algorithm}'"),
                needed: format!("{} cities", self.cities),
                limit: format!("{most} cities"),
                remedy: "use a smaller instance or, for symmetric tours, the default algorithm".into(),
            });
        }
        for BufferPlan { name, words } in self.buffers() {
            if words * 4 > device.buffer_bytes {
                let what = format!(
                    "buffer '{}' for {} cities and {} {}",
                    name.name(),
                    self.cities,
                    self.units,
                    self.units_name()
                );
                let (needed, limit) = (format!("{} bytes", words * 4), format!("{} bytes", device.buffer_bytes));
                return Err(too_large(&device.device, what, needed, limit));
            }
        }
        self.check_memory(1, device)?;
        self.check_loops(device)?;
        match self {
            Self::Construct(plan) => plan.check(device),
            Self::Windows(plan) => plan.check(device),
            Self::Eax(plan) => plan.check(device),
        }
    }

    /// Checks the loop turns of kernels that do not count them. Elsewhere loops only take longer; a software adapter ends them.
    fn check_loops(&self, device: &Capabilities) -> Result<()> {
        if self.wide || self.unbounded_calls {
            return Ok(());
        }
        for kernel in UNCOUNTED {
            if let Some(LoopTurns::AtMost(turns)) = loop_turns(self, kernel) {
                let turns = u32::try_from(turns).unwrap_or(u32::MAX);
                self.check_turns(format!("kernel '{kernel}' for {} {}", self.cities, self.parts()), turns, device)?;
            }
        }
        Ok(())
    }

    fn parts(&self) -> &'static str {
        if self.is_assignment() { "facilities" } else { "cities" }
    }

    /// Checks that the buffers of so many colonies fit into the device's memory.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where they do not.
    pub(crate) fn check_memory(&self, colonies: usize, device: &Capabilities) -> Result<()> {
        let (needed, Some(limit)) = (self.total_bytes().saturating_mul(colonies as u64), device.memory_bytes) else {
            return Ok(());
        };
        if needed <= limit {
            return Ok(());
        }
        let each = format!("{} cities and {} {}", self.cities, self.units, self.units_name());
        let what = match colonies {
            1 => format!("memory for all buffers for {each}"),
            _ => format!("memory for all buffers of {colonies} colonies for {each}"),
        };
        Err(Error::TooLarge {
            device: device.device.clone(),
            what,
            needed: format!("{} MiB", needed.div_ceil(1 << 20)),
            limit: format!("{} MiB that are free", limit >> 20),
            remedy: "use a smaller instance, whole coordinates in the plane, fewer ants or colonies, or another device"
                .into(),
        })
    }

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

    /// Whether the host finds the best of an iteration.
    pub fn best_on_host(&self) -> bool {
        self.construct().is_some_and(ConstructPlan::best_on_host)
    }
}
