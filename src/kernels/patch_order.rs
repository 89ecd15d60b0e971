//! Where focused ants' patches lie, and their cities in the order of the tour: `shaders/tsp/patch_order.wgsl` with its twin.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use serde::Serialize;

use super::compose::compose;
use super::patch;
use super::plan::WindowsPlan;
use super::state::{State, join};
use super::{Buffer, Buffers, KernelError};
use crate::algorithm::fixed::mul_high;
use crate::algorithm::random::Stream;
use crate::algorithm::windows::WindowsParams;
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
    /// Iterations at the beginning in which patches are stretches of the tour where that begins as the first order.
    pub early: u32,
    /// Neighbours of a city.
    pub neighbours: usize,
    /// How distances are rounded; `None` where they come from a matrix.
    pub rounding: Option<Rounding>,
    /// Steps of a search.
    pub steps: u32,
    /// The most cities of a stretch that a kick moves.
    pub reach: u32,
    /// Cities that a kick which rebuilds places anew; 0: no kick does.
    pub stretch: u32,
    /// Invocations of a workgroup that searches.
    pub lanes: u32,
    /// Lanes of a subgroup, where the best step is found inside subgroups first.
    pub subgroup: Option<u32>,
    /// Whether workgroup memory has room for a search's tour in words, not in half words, and for where its cities lie.
    pub roomy: bool,
}

impl PatchPlan {
    /// The plan for `n` cities.
    pub fn new(n: usize, parameters: &WindowsParams, rounding: Option<Rounding>, device: &Capabilities) -> Self {
        let windows = parameters.windows;
        let cities = n.min(parameters.window_size as usize);
        let lanes = if device.wide { 32.min(device.workgroup_invocations) } else { 8 };
        let plan = Self {
            cities,
            stride: (n / windows).max(1),
            orders: ORDERS,
            early: parameters.early(n),
            neighbours: NEIGHBOURS.min(n - 1),
            rounding,
            steps: parameters.steps,
            reach: parameters.kick_length.min((cities as u32).saturating_sub(2) / 3).max(1),
            stretch: parameters.rebuild_length.min((cities as u32).saturating_sub(4)),
            lanes,
            subgroup: device.subgroup_of(lanes),
            roomy: true,
        };
        let bytes = patch::workgroup_bytes(&plan);
        let held = device.processors.is_some_and(|it| it.hold(windows, bytes));
        Self { roomy: held && bytes <= device.workgroup_bytes, ..plan }
    }

    /// Words of an ant in `patches`.
    pub fn words(&self) -> usize {
        patch_words(self.cities)
    }

    /// Words of an ant in `cuts`.
    pub fn cut_words(&self) -> usize {
        cut_words(self.cities)
    }

    fn padded(&self) -> u32 {
        (self.cities as u32).next_power_of_two()
    }
}

/// Words before an ant's patch: where it lies.
const HEAD: usize = 4;

/// Words of an ant in `patches`.
pub(super) fn patch_words(cities: usize) -> usize {
    HEAD + 4 * cities + 2 * JOURNAL
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
    pub ants: u32,
    pub early: u32,
    pub windows: u32,
    pub padding: [u32; 2],
}

/// Where an ant's patch lies; twin of `shaders/tsp/patch_where.wgsl`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Where {
    order: usize,
    /// The places of the first city of either half.
    firsts: [usize; 2],
    /// Cities of the patch, and of the instance.
    cities: usize,
    all: usize,
}

impl Where {
    /// The patch of an ant's words, and its cities in the order of the tour.
    pub fn of(words: &[u32], cities: usize, all: usize) -> (Self, &[u32]) {
        let firsts = [words[1] as usize, words[2] as usize];
        (Self { order: words[0] as usize, firsts, cities, all }, &words[HEAD..HEAD + cities])
    }

    fn turned(&self, place: usize) -> usize {
        if place >= self.all { place - self.all } else { place }
    }

    /// The index in a table orders × cities of the city with this label.
    #[inline]
    pub fn place(&self, label: usize) -> usize {
        let half = self.cities / 2;
        let place = if label < half { self.firsts[0] + label } else { self.firsts[1] + label - half };
        self.order * self.all + self.turned(place)
    }

    /// The label of the city at a place of the order.
    #[inline]
    pub fn label(&self, place: usize) -> Option<usize> {
        let half = self.cities / 2;
        let [first, second] = self.firsts.map(|first| self.turned(place + self.all - first));
        let in_second = (second < self.cities - half).then_some(second + half);
        if first < half { Some(first) } else { in_second }
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let patch = &plan.patch;
    let params = Params {
        seed: [plan.seed as u32, (plan.seed >> 32) as u32],
        cities: patch.cities as u32,
        all: plan.cities as u32,
        stride: patch.stride as u32,
        orders: patch.orders as u32,
        padded: patch.padded(),
        ants: plan.units as u32,
        early: patch.early,
        windows: (plan.cities / patch.cities) as u32,
        padding: [0; 2],
    };
    let (distances, flags): (_, &[&str]) = match patch.rounding {
        Some(_) => (Buffer::Spots, &["SPOTS"]),
        None => (Buffer::Distances, &[]),
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/patch_order", flags)?,
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
            (buffers.get(distances), Access::Read),
        ],
        workgroup_bytes: 4 * patch.padded() + 12,
        units_per_workgroup: 1,
        twin: if patch.rounding.is_some() { twin::<true> } else { twin::<false> },
    })
}

/// What decides where patches lie.
struct Ground<'a, const SPOTS: bool> {
    params: Params,
    iteration: u32,
    order: &'a [u32],
    places: &'a [u32],
    bests: &'a [u32],
    positions: &'a [u32],
    /// Coordinates by order and place, or distances.
    distances: &'a [u32],
}

impl<const SPOTS: bool> Ground<'_, SPOTS> {
    /// How long an edge is, roughly.
    fn length(&self, base: usize, a: u32, b: u32) -> u32 {
        let all = self.params.all as usize;
        if !SPOTS {
            return self.distances[a as usize * all + b as usize];
        }
        let at = |city: u32| 2 * (base + self.places[base + city as usize] as usize);
        let apart = |axis: usize| (self.distances[at(a) + axis] as i32).abs_diff(self.distances[at(b) + axis] as i32);
        apart(0) + apart(1)
    }

    fn lay(&self, ant: u32) -> Where {
        let params = &self.params;
        let (cities, all) = (params.cities as usize, params.all as usize);
        if self.iteration < params.early {
            let window = self.iteration.wrapping_mul(params.ants).wrapping_add(ant) % params.windows;
            let first = window as usize * cities;
            return Where { order: 0, firsts: [first, (first + cities / 2) % all], cities, all };
        }
        let seed = join(params.seed);
        let stream = Stream::new(seed, self.iteration, PLACING);
        let order = mul_high(stream.word(0), params.orders) as usize;
        let offset = mul_high(stream.word(1), params.all);
        let first = (offset.wrapping_add(ant.wrapping_mul(params.stride)) % params.all) as usize;
        let (half, base) = (cities / 2, order * all);
        let whole = Where { order, firsts: [first, (first + half) % all], cities, all };
        if ant & 1 == 0 || 2 * cities >= all {
            return whole;
        }
        let own = Stream::new(seed, self.iteration, ant);
        let next_of = |city: u32| self.bests[(self.positions[city as usize] as usize + 1) % all];
        let city_at = |i: usize| self.order[base + (first + i) % all];
        let leaving = (0..cities).filter_map(|i| {
            let (city, next) = (city_at(i), next_of(city_at(i)));
            let outside = (self.places[base + next as usize] as usize + all - first) % all >= cities;
            let value = if ant & 2 == 0 { self.length(base, city, next) } else { own.word(u32::MAX - i as u32) };
            (outside && value > 0).then_some((value, i))
        });
        let Some((_, i)) = leaving.max_by_key(|&(value, i)| (value, std::cmp::Reverse(i))) else { return whole };
        let ends = [(first + i) % all, self.places[base + next_of(city_at(i)) as usize] as usize];
        // Each end in the middle of its half.
        let firsts = ends.map(|end| (end + all - half / 2) % all);
        let ahead = (firsts[1] + all - firsts[0]) % all;
        if ahead < half || all - ahead < cities - half {
            return whole;
        }
        Where { firsts, ..whole }
    }
}

fn twin<const SPOTS: bool>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, order, places, bests, positions, unsettled, distances], [patches]) = call.buffers();
    let iteration = State::from_words(state).iteration;
    let ground = Ground::<SPOTS> { params, iteration, order, places, bests, positions, distances };
    let (cities, all) = (params.cities as usize, params.all as usize);
    let words = patch_words(cities);
    let patches = patches[range.start * words..range.end * words].par_chunks_mut(words);
    patches.enumerate().for_each(|(index, patch)| {
        let here = ground.lay((range.start + index) as u32);
        patch[..3].copy_from_slice(&[here.order as u32, here.firsts[0] as u32, here.firsts[1] as u32]);
        let mut seats: Vec<u32> = (0..cities).map(|label| positions[order[here.place(label)] as usize]).collect();
        seats.sort_unstable();
        for (i, word) in patch[HEAD..HEAD + cities].iter_mut().enumerate() {
            let next = seats[if i + 1 == cities { 0 } else { i + 1 }];
            let city = bests[seats[i] as usize] as usize;
            let place = places[here.order * all + city] as usize;
            *word = here.label(place).map_or(LABEL, |label| label as u32);
            if (seats[i] + 1) % params.all != next {
                *word |= FIXED;
            }
            if unsettled[city / 32] >> (city % 32) & 1 == 1 {
                *word |= UNSETTLED;
            }
        }
    });
}
