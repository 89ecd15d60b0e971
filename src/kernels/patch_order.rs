//! Where focused ants' patches lie, and their cities in the order of the tour: `shaders/tsp/patch_order.wgsl` with its twin.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use serde::Serialize;

use super::compose::compose;
use super::plan::Plan;
use super::state::State;
use super::{Buffer, Buffers, KernelError};
use crate::aco::fixed::mul_high;
use crate::aco::focused::FocusedParams;
use crate::aco::random::Stream;
use crate::backend::{Access, Capabilities, KernelSpec, TwinCall};
use crate::problem::Rounding;

/// The kernel's name.
pub const NAME: &str = "patch_order";

/// In a word of a patch, as in `shaders/tsp/patch_where.wgsl`.
pub(super) const FIXED: u32 = 1 << 31;
pub(super) const UNSETTLED: u32 = 1 << 30;
pub(super) const LABEL: u32 = 0xFFFF;

const PLACING: u32 = u32::MAX - 1;

/// Reversals that an ant can take back.
pub(super) const JOURNAL: usize = 128;

/// Orders of the cities that patches follow in turn.
pub const ORDERS: usize = 4;
/// Neighbours of a city.
pub const NEIGHBOURS: usize = 10;

/// How focused ants' patches are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PatchPlan {
    /// Cities of a patch.
    pub cities: usize,
    /// Places in an order from one ant's patch to the next one's.
    pub stride: usize,
    /// Orders of the cities.
    pub orders: usize,
    /// Neighbours of a city.
    pub neighbours: usize,
    /// How distances are rounded; `None` where they come from a matrix.
    pub rounding: Option<Rounding>,
    /// Steps of a search.
    pub steps: u32,
    /// The most cities of a stretch that a kick moves.
    pub reach: u32,
    /// Invocations of a workgroup that searches.
    pub lanes: u32,
    /// Lanes of a subgroup, where the best step is found inside subgroups first.
    pub subgroup: Option<u32>,
}

impl PatchPlan {
    /// The plan for `n` cities.
    pub fn new(
        n: usize,
        parameters: &FocusedParams,
        ants: usize,
        rounding: Option<Rounding>,
        device: &Capabilities,
    ) -> Self {
        let cities = n.min(parameters.patch as usize);
        let lanes = if device.wide { 32.min(device.workgroup_invocations) } else { 8 };
        Self {
            cities,
            stride: (n / ants).max(1),
            orders: ORDERS,
            neighbours: NEIGHBOURS.min(n - 1),
            rounding,
            steps: parameters.steps,
            reach: parameters.reach.min((cities as u32).saturating_sub(2) / 3).max(1),
            lanes,
            subgroup: device.subgroup_of(lanes),
        }
    }

    /// Words of an ant in `patches`.
    pub fn words(&self) -> usize {
        2 * (self.cities + JOURNAL)
    }

    /// Words of an ant in `cuts`.
    pub fn cut_words(&self) -> usize {
        cut_words(self.cities)
    }

    fn padded(&self) -> u32 {
        (self.cities as u32).next_power_of_two()
    }
}

/// Words of an ant in `cuts`: gain, how many cuts, a bit for each city of the patch that is unsettled still, the cuts.
pub(super) fn cut_words(cities: usize) -> usize {
    2 + cities.div_ceil(32) + 3 * cities
}

/// The parameter block; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct Params {
    pub seed: [u32; 2],
    pub cities: u32,
    pub all: u32,
    pub stride: u32,
    pub orders: u32,
    pub padded: u32,
    pub patch_words: u32,
}

/// Where an ant's patch lies; twin of `shaders/tsp/patch_where.wgsl`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Where {
    /// Which order.
    pub order: usize,
    /// The first place in it.
    pub first: usize,
    /// Cities of the instance.
    pub all: usize,
}

impl Where {
    pub fn new(seed: [u32; 2], iteration: u32, ant: u32, stride: u32, orders: u32, all: u32) -> Self {
        let seed = u64::from(seed[0]) | u64::from(seed[1]) << 32;
        let stream = Stream::new(seed, iteration, PLACING);
        let offset = mul_high(stream.word(1), all);
        let first = offset.wrapping_add(ant.wrapping_mul(stride)) % all;
        Self { order: mul_high(stream.word(0), orders) as usize, first: first as usize, all: all as usize }
    }

    /// The index in a table orders × cities of the city with this label.
    pub fn place(&self, label: usize) -> usize {
        let place = self.first + label;
        self.order * self.all + if place >= self.all { place - self.all } else { place }
    }

    /// The label of the city at a place of the order.
    pub fn label(&self, place: usize) -> usize {
        let label = place + self.all - self.first;
        if label >= self.all { label - self.all } else { label }
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &Plan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let patch = plan.patches();
    let params = Params {
        seed: [plan.system.seed as u32, (plan.system.seed >> 32) as u32],
        cities: patch.cities as u32,
        all: plan.cities as u32,
        stride: patch.stride as u32,
        orders: patch.orders as u32,
        padded: patch.padded(),
        patch_words: patch.words() as u32,
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/patch_order", &[])?,
        constants: vec![("LANES", plan.single_lanes), ("PADDED", patch.padded())],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Order), Access::Read),
            (buffers.get(Buffer::Places), Access::Read),
            (buffers.get(Buffer::Bests), Access::Read),
            (buffers.get(Buffer::Positions), Access::Read),
            (buffers.get(Buffer::Unsettled), Access::Read),
            (buffers.get(Buffer::Patches), Access::Write),
        ],
        workgroup_bytes: 4 * patch.padded(),
        units_per_workgroup: 1,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, order, places, bests, positions, unsettled], [patches]) = call.buffers();
    let state = State::from_words(state);
    let (cities, words) = (params.cities as usize, params.patch_words as usize);
    let patches = patches[range.start * words..range.end * words].par_chunks_mut(words);
    patches.enumerate().for_each(|(index, patch)| {
        let ant = (range.start + index) as u32;
        let here = Where::new(params.seed, state.iteration, ant, params.stride, params.orders, params.all);
        let mut seats: Vec<u32> = (0..cities).map(|label| positions[order[here.place(label)] as usize]).collect();
        seats.sort_unstable();
        for (i, word) in patch[..cities].iter_mut().enumerate() {
            let next = seats[if i + 1 == cities { 0 } else { i + 1 }];
            let city = bests[seats[i] as usize] as usize;
            let place = places[here.order * here.all + city] as usize;
            *word = here.label(place) as u32;
            if (seats[i] + 1) % params.all != next {
                *word |= FIXED;
            }
            if unsettled[city / 32] >> (city % 32) & 1 == 1 {
                *word |= UNSETTLED;
            }
        }
    });
}
