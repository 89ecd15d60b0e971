//! The deviates that ants add to log-weights in the next iteration: twin of `shaders/construct/deviates.wgsl`.
//!
//! An option's deviate does not depend on where the ant is, and drawing it takes several times as many instructions as all else that an option
//! needs. So an iteration draws its deviates once, a ring of a few thousand. A step takes a row of the ring that begins at an index drawn for the
//! ant and the step. Each draw has the right probabilities; within an iteration two draws are independent unless their rows overlap
//! (`docs/results/2026-11-kernel-construct.md`).

use rayon::prelude::*;

use crate::algorithm::choices::Selection;
use crate::algorithm::fixed::{DEVIATES, gumbel, log2_fixed};
use crate::algorithm::random::{NO_ANT, Stream};
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::state::{State, join};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "deviates";

/// The ring has a 16th as many deviates as an iteration draws, within the bounds for whole rows or for candidate lists.
const DRAWS_EACH: u64 = 16;
const FULL_ROWS: [u64; 2] = [1 << 11, 1 << 16];
const LISTS: [u64; 2] = [1 << 10, 1 << 14];

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub seed: [u32; 2],
        pub ring: u32,
        pub padding: u32,
    }
}

/// The ring of an iteration's deviates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// How many deviates: a power of two.
    deviates: u32,
    /// How many of the first are repeated behind the last.
    again: u32,
    /// Whether two share a word.
    packed: bool,
}

impl Ring {
    /// The ring for `plan`; `None` where nothing is drawn from one.
    pub fn of(plan: &ConstructPlan) -> Option<Self> {
        let system = &plan.system;
        if system.selection == Selection::Rwm {
            return None;
        }
        let span = if system.full { plan.cities } else { system.candidates } as u64;
        let draws = (system.ants as u64 * plan.cities as u64).saturating_mul(span);
        let [least, most] = if system.full { FULL_ROWS } else { LISTS };
        let wanted = (draws / DRAWS_EACH).next_power_of_two().clamp(least, most);
        // No row is longer than half the ring.
        let deviates = wanted.max((2 * span).next_power_of_two()) as u32;
        let again = span.next_multiple_of(8) as u32;
        Some(Self { deviates, again, packed: system.full })
    }

    /// The bits of an index in the ring.
    pub fn mask(self) -> u32 {
        self.deviates - 1
    }

    /// Its words in the table buffer.
    pub fn words(self) -> u32 {
        (self.deviates + self.again) >> u32::from(self.packed)
    }
}

/// The kernel for `plan` with `ring` on `buffers`.
pub fn spec(plan: &ConstructPlan, ring: Ring, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let seed = plan.system.seed;
    let params = Params { seed: [seed as u32, (seed >> 32) as u32], ring: ring.mask(), padding: 0 };
    let independent = plan.system.selection == Selection::IRoulette;
    let flags = [(ring.packed, "PACKED"), (independent, "I_ROULETTE")];
    let flags: Vec<_> = flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1).collect();
    Ok(KernelSpec {
        name: NAME,
        source: compose("construct/deviates", &flags)?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![(buffers.get(Buffer::State), Access::Read), (buffers.get(Buffer::Tables), Access::Write)],
        workgroup_bytes: 0,
        units_per_workgroup: plan.sweep_lanes,
        twin: match (ring.packed, independent) {
            (false, false) => twin::<false, false>,
            (false, true) => twin::<false, true>,
            (true, false) => twin::<true, false>,
            (true, true) => twin::<true, true>,
        },
    })
}

fn twin<const PACKED: bool, const INDEPENDENT: bool>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state], [words]) = call.buffers();
    let seed = join(params.seed);
    let stream = Stream::new(seed, State::from_words(state).iteration, NO_ANT);
    let (tables, ring) = words.split_at_mut(DEVIATES);
    let drawn = |place: u32| {
        let word = stream.word(place & params.ring);
        let deviate = if INDEPENDENT { log2_fixed(tables, word.max(1)) >> 7 } else { gumbel(tables, word) >> 6 };
        deviate.max(1)
    };
    ring[range.clone()].par_iter_mut().with_min_len(1024).zip(range).for_each(|(word, number)| {
        let number = number as u32;
        *word = if PACKED { drawn(2 * number) | drawn(2 * number + 1) << 16 } else { drawn(number) << 16 };
    });
}
