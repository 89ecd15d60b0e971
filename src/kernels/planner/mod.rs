//! Makes the plan of a phase: from what the phase says and what the device has to sizes, with the lengths of buffers and the reasons for
//! what was chosen. Here the families of kernels are asked what they need, and plans are refused that a device cannot hold.

use crate::algorithm::construct::MAX_CITIES;
use crate::backend::{Capabilities, too_large};
use crate::error::{Error, Result};
use crate::instance::problem::{Shape, ShapeKind};
use crate::instance::tsp::Rounding;
use crate::kernels::BufferPlan;
use crate::kernels::plan::{ChainedPlan, ConstructPlan, EaxPlan, Plan, Sizes, WindowsPlan};
use crate::settings::System;

mod buffers;
mod chained;
mod choices;
mod construct;
mod eax;
mod lasting;
pub mod turns;
mod windows;

use turns::{LoopTurns, UNCOUNTED, loop_turns};

impl Plan {
    /// The plan of a phase for an instance of this shape, when it begins with a solution that costs `reference_cost`.
    ///
    /// # Errors
    /// [`Error::Config`] for a number of lanes that is not possible, [`Error::TooLarge`] when something is beyond the device's limit.
    pub fn new(shape: &Shape, reference_cost: u64, system: &System, device: &Capabilities) -> Result<Self> {
        let rounding = match shape.kind {
            ShapeKind::Tour { directed: false, rounding, .. } => rounding,
            _ => None,
        };
        Self::check_cities(system.name(), system, shape.size)?;
        let plan = match system {
            System::Construct(construct) => {
                Self::Construct(Box::new(ConstructPlan::new(shape, rounding, reference_cost, construct, device)?))
            }
            System::Windows(windows) => {
                Self::Windows(WindowsPlan::new(shape, rounding, reference_cost, windows, device))
            }
            System::Chained(chained) => {
                Self::Chained(ChainedPlan::new(shape, rounding, reference_cost, chained, device))
            }
            System::Eax(eax) => Self::Eax(EaxPlan::new(shape, rounding, reference_cost, eax, device)),
        };
        plan.check(device)?;
        Ok(plan)
    }

    /// Checks that a problem has no more cities than the kernels of a phase take on any device.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when it has.
    pub(crate) fn check_cities(algorithm: &str, system: &System, cities: usize) -> Result<()> {
        let most = match system {
            System::Construct(_) | System::Chained(_) | System::Eax(_) => MAX_CITIES,
            System::Windows(_) => usize::MAX,
        };
        check_most(algorithm, cities, most, "any device")
    }

    fn check(&self, device: &Capabilities) -> Result<()> {
        if let Self::Construct(plan) = self {
            check_most(plan.system.name(), self.cities, plan.most_cities(), &device.device)?;
        }
        for BufferPlan { name, words } in self.buffers() {
            if words * 4 > device.buffer_bytes {
                let what = format!("buffer '{}' for {}", name.name(), self.size());
                let (needed, limit) = (format!("{} bytes", words * 4), format!("{} bytes", device.buffer_bytes));
                return Err(too_large(&device.device, what, needed, limit));
            }
        }
        self.check_memory(1, device)?;
        self.check_loops(device)?;
        match self {
            Self::Construct(plan) => plan.check(device),
            Self::Windows(plan) => plan.check(device),
            Self::Chained(plan) => plan.check(device),
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

    /// What it is for, in words.
    fn size(&self) -> String {
        format!("{} {} and {} {}", self.cities, self.parts(), self.units, self.units_name())
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
        let each = self.size();
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
}

impl Sizes {
    pub(super) fn new(
        shape: &Shape,
        (units, seed): (usize, u64),
        reference_cost: u64,
        rounding: Option<Rounding>,
        device: &Capabilities,
    ) -> Self {
        let (paired, gap) = match shape.kind {
            ShapeKind::Tour { paired, gap, .. } => (paired, gap),
            ShapeKind::Assignment { .. } => (0, false),
        };
        Self {
            cities: shape.size,
            units,
            seed,
            paired,
            gap,
            doubled: shape.is_doubled(),
            most_neighbours: shape.most_neighbours(),
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

    /// Checks what a turn of a search, called `what`, needs: loop turns and workgroup memory.
    fn check_search(&self, (what, turns, memory): (&str, u32, u32), device: &Capabilities) -> Result<()> {
        self.check_turns(what.to_owned(), turns, device)?;
        check_memory(format!("workgroup memory for {what}"), memory, device)
    }

    /// Checks that tours cost less than `most_cost`.
    fn check_first_cost(&self, most_cost: u64, device: &Capabilities) -> Result<()> {
        if self.reference_cost >= most_cost {
            let needed = format!("cost {}", self.reference_cost);
            return Err(too_large(&device.device, "the first tour".into(), needed, format!("cost {most_cost}")));
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

/// The lanes that are wanted on a GPU, or the greatest power of two within its limit; eight on a software adapter.
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

fn check_most(algorithm: &str, cities: usize, most: usize, device: &str) -> Result<()> {
    if cities <= most {
        return Ok(());
    }
    Err(Error::TooLarge {
        device: device.into(),
        what: format!("the instance for '{algorithm}'"),
        needed: format!("{cities} cities"),
        limit: format!("{most} cities"),
        remedy: "use a smaller instance or, for symmetric tours, the default algorithm".into(),
    })
}
