//! What outlives an iteration: the buffers that the next iteration reads as the one before has left them. Everything else that kernels write
//! is scratch. A run that is resumed, or moves to another device, takes these along; their layout is the same on every device.

use crate::algorithm::choices::Memory;
use crate::kernels::Buffer;
use crate::kernels::construct::deviates::Ring;
use crate::kernels::plan::{ConstructPlan, Plan};

impl Plan {
    /// The buffers whose contents outlive an iteration, in the order of [`Buffer::ALL`].
    ///
    /// `tests/resume.rs` holds the list: with garbage in all other buffers that kernels write a run goes on as before, and when one of these
    /// is left as it was at the beginning of the phase it does not.
    pub fn lasting(&self) -> Vec<Buffer> {
        use Buffer::{Bests, Costs, Positions, State, Tours, Unsettled};
        let lasts = |buffer: &Buffer| match self {
            Self::Construct(plan) => plan.lasts(*buffer),
            Self::Windows(_) => matches!(buffer, State | Bests | Positions | Unsettled),
            Self::Chained(_) | Self::Eax(_) => matches!(buffer, State | Bests | Tours | Costs),
        };
        Buffer::ALL.iter().copied().filter(lasts).collect()
    }

    /// Buffers that are the same between any two iterations as when they are made from the tours that last: counts of edges, positions
    /// of cities, no bit of a removed edge.
    pub fn derived(&self) -> &'static [Buffer] {
        match self {
            Self::Construct(_) | Self::Chained(_) => &[],
            Self::Windows(_) => &[Buffer::RemovedBits],
            Self::Eax(_) => &[Buffer::Trails, Buffer::Positions],
        }
    }
}

impl ConstructPlan {
    fn lasts(&self, buffer: Buffer) -> bool {
        let selective = self.system.memory == Memory::Selective;
        let matrix = self.weighs_matrix();
        match buffer {
            Buffer::State | Buffer::Bests => true,
            Buffer::Links => !self.is_assignment(),
            Buffer::Trails => !selective && self.memetic().is_none(),
            Buffer::Records => selective,
            // Marks of cities whose far edges have trails.
            Buffer::Heuristic => self.is_acs() && !selective,
            Buffer::Choice => !self.is_assignment() && !self.is_acs() && !self.system.full,
            Buffer::Weights => matrix,
            // The deviates of the next iteration.
            Buffer::Tables => self.memetic().is_none() && Ring::of(self).is_some(),
            Buffer::Units | Buffer::UnitCosts => self.has_units() || self.memetic().is_some(),
            // First tours that ants need not construct.
            Buffer::Tours | Buffer::Progress => self.system.patched_first,
            _ => false,
        }
    }
}
