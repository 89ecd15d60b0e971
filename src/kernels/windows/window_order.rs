//! Where windows lie, and their cities in the order of the tour: `shaders/windows/window_order.wgsl` with its twin.

use rayon::prelude::*;

use crate::algorithm::fixed::mul_high;
use crate::algorithm::random::Stream;
use crate::algorithm::windows::WindowsParams;
use crate::backend::{Access, Capabilities, KernelSpec, Twin, TwinCall};
use crate::instance::problem::Shape;
use crate::instance::tsp::Rounding;
use crate::kernels::compose::compose;
use crate::kernels::lin_kernighan::chained::JOURNAL;
use crate::kernels::plan::{WindowPlan, WindowsPlan};
use crate::kernels::shared::distances::{MATRIX, Measure, NEAREST, SPACE};
use crate::kernels::shared::pairs::{self, is_pair};
use crate::kernels::shared::state::{State, join};
use crate::kernels::windows::window_search;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::{block, constant};

/// The kernel's name.
pub const NAME: &str = "window_order";

/// In a word of a window, as in `shaders/windows/window_place.wgsl`.
pub(in crate::kernels) const FIXED: u32 = constant!("windows/window_place", "FIXED");
pub(in crate::kernels) const UNSETTLED: u32 = constant!("windows/window_place", "UNSETTLED");
pub(in crate::kernels) const LABEL: u32 = constant!("windows/window_place", "LABEL");
/// The label of a city outside the window.
pub(in crate::kernels) const OUTSIDE: u32 = constant!("windows/window_place", "OUTSIDE");

/// Sets the stream that places windows apart from those of their searches.
const PLACING: u32 = constant!("windows/window_order", "PLACING");

/// Orders of the cities that windows follow in turn.
pub const ORDERS: usize = 4;
/// Neighbours of a city.
pub const NEIGHBOURS: usize = 10;

impl WindowPlan {
    /// The plan for `n` cities, with a table of their neighbours.
    pub fn new(shape: &Shape, parameters: &WindowsParams, rounding: Option<Rounding>, device: &Capabilities) -> Self {
        let n = shape.size;
        let windows = parameters.windows;
        let cities = n.min(parameters.window_size as usize);
        let lanes = if device.wide { 32.min(device.workgroup_invocations) } else { 8 };
        let plan = Self {
            cities,
            stride: (n / windows).max(1),
            orders: ORDERS,
            early: parameters.early(n),
            neighbours: NEIGHBOURS.min(shape.most_neighbours()),
            listed: false,
            rounding,
            steps: parameters.steps,
            kick_length: parameters.kick_length.min((cities as u32).saturating_sub(2) / 3).max(1),
            rebuild_length: parameters.rebuild_length.min((cities as u32).saturating_sub(4)),
            lanes,
            subgroup: device.subgroup_of(lanes),
            roomy: true,
            array_cities: cities,
        };
        let bytes = window_search::workgroup_bytes(&plan);
        let held = device.processors.is_some_and(|it| it.hold(windows, bytes));
        let plan = Self { roomy: held && bytes <= device.workgroup_bytes, ..plan };
        let bytes = |array_cities| window_search::workgroup_bytes(&Self { array_cities, ..plan });
        Self { array_cities: device.array_length(cities, bytes), ..plan }
    }

    /// Words of `near_index` for so many cities: where the neighbours lie in each order, with their distances, or which they are and where each city lies.
    pub fn near_words(&self, cities: usize) -> u64 {
        let [n, orders, neighbours] = [cities, self.orders, self.neighbours].map(|x| x as u64);
        if self.listed { n * neighbours + orders * n } else { 2 * orders * n * neighbours }
    }

    /// Words of a window in `windows`.
    pub fn words(&self) -> usize {
        window_words(self.cities)
    }

    /// Words of a window in `removed_edges`.
    pub fn removed_words(&self) -> usize {
        removed_words(self.cities)
    }

    fn padded(&self) -> u32 {
        (self.cities as u32).next_power_of_two()
    }
}

/// Words before a window: where it lies.
const WINDOW_HEAD: usize = constant!("windows/window_place", "WINDOW_HEAD") as usize;

/// Words of a window in `windows`.
pub(in crate::kernels) fn window_words(cities: usize) -> usize {
    WINDOW_HEAD + 4 * cities + 2 * JOURNAL
}

/// Words of a window in `removed_edges`: gain, how many cuts, a bit for each city of the window that is unsettled still, the cuts.
pub(in crate::kernels) fn removed_words(cities: usize) -> usize {
    2 + cities.div_ceil(32) + 3 * cities
}

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub seed: [u32; 2],
        pub cities: u32,
        pub all: u32,
        pub stride: u32,
        pub orders: u32,
        pub padded: u32,
        pub windows: u32,
        pub early: u32,
        pub early_windows: u32,
        pub paired: u32,
        pub padding: u32,
    }
}

/// Where a window lies; twin of `shaders/windows/window_place.wgsl`.
#[derive(Clone, Copy, Debug)]
pub(in crate::kernels) struct Where {
    pub(super) order: usize,
    /// The places of the first city of either half.
    firsts: [usize; 2],
    /// Cities of the window, and of the instance.
    cities: usize,
    all: usize,
}

impl Where {
    /// Where a window lies by its words, and its cities in the order of the tour.
    pub fn of(words: &[u32], cities: usize, all: usize) -> (Self, &[u32]) {
        let firsts = [words[1] as usize, words[2] as usize];
        (Self { order: words[0] as usize, firsts, cities, all }, &words[WINDOW_HEAD..WINDOW_HEAD + cities])
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
    let window = &plan.window;
    let params = Params {
        seed: [plan.seed as u32, (plan.seed >> 32) as u32],
        cities: window.cities as u32,
        all: plan.cities as u32,
        stride: window.stride as u32,
        orders: window.orders as u32,
        padded: window.padded(),
        windows: plan.units as u32,
        early: window.early,
        early_windows: (plan.cities / window.cities) as u32,
        paired: plan.paired as u32,
        padding: 0,
    };
    let (distances, flags, twin): (_, &[&str], Twin) = match window.rounding {
        Some(Rounding::Space(_)) => (Buffer::Coordinates, &["COORDINATES", "SPACE"], twin::<SPACE>),
        Some(_) => (Buffer::Coordinates, &["COORDINATES"], twin::<NEAREST>),
        None => (Buffer::Distances, &[], twin::<MATRIX>),
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("windows/window_order", flags)?,
        constants: [("LANES", plan.single_lanes), ("PADDED", window.padded())]
            .into_iter()
            .chain(pairs::constants(plan.paired))
            .collect(),
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Order), Access::Read),
            (buffers.get(Buffer::OrderIndex), Access::Read),
            (buffers.get(Buffer::Bests), Access::Read),
            (buffers.get(Buffer::Positions), Access::Read),
            (buffers.get(Buffer::Unsettled), Access::Read),
            (buffers.get(Buffer::Windows), Access::Write),
            (buffers.get(distances), Access::Read),
        ],
        workgroup_bytes: 4 * window.padded() + 12,
        units_per_workgroup: 1,
        twin,
    })
}

/// What decides where windows lie.
struct Ground<'a, const FROM: u8> {
    params: Params,
    iteration: u32,
    order: &'a [u32],
    order_index: &'a [u32],
    bests: &'a [u32],
    positions: &'a [u32],
    /// Coordinates by order and place, or distances.
    distances: &'a [u32],
}

impl<const FROM: u8> Ground<'_, FROM> {
    /// How long an edge is, roughly.
    fn length(&self, base: usize, a: u32, b: u32) -> u32 {
        let all = self.params.all as usize;
        if FROM == MATRIX {
            return self.distances[a as usize * all + b as usize];
        }
        let site = |city: u32| {
            let at = 2 * (base + self.order_index[base + city as usize] as usize);
            [self.distances[at], self.distances[at + 1]].map(u32::cast_signed)
        };
        Measure::<FROM>::roughly(site(a), site(b))
    }

    fn lay(&self, number: u32) -> Where {
        let params = &self.params;
        let (cities, all) = (params.cities as usize, params.all as usize);
        if self.iteration < params.early {
            let window = self.iteration.wrapping_mul(params.windows).wrapping_add(number) % params.early_windows;
            let first = window as usize * cities;
            return Where { order: 0, firsts: [first, (first + cities / 2) % all], cities, all };
        }
        let seed = join(params.seed);
        let stream = Stream::new(seed, self.iteration, PLACING);
        let order = mul_high(stream.word(0), params.orders) as usize;
        let offset = mul_high(stream.word(1), params.all);
        let first = (offset.wrapping_add(number.wrapping_mul(params.stride)) % params.all) as usize;
        let (half, base) = (cities / 2, order * all);
        let whole = Where { order, firsts: [first, (first + half) % all], cities, all };
        if number & 1 == 0 || 2 * cities >= all {
            return whole;
        }
        let own = Stream::new(seed, self.iteration, number);
        let next_of = |city: u32| self.bests[(self.positions[city as usize] as usize + 1) % all];
        let city_at = |i: usize| self.order[base + (first + i) % all];
        let leaving = (0..cities).filter_map(|i| {
            let (city, next) = (city_at(i), next_of(city_at(i)));
            let outside = (self.order_index[base + next as usize] as usize + all - first) % all >= cities;
            let value = if number & 2 == 0 { self.length(base, city, next) } else { own.word(u32::MAX - i as u32) };
            (outside && value > 0).then_some((value, i))
        });
        let Some((_, i)) = leaving.max_by_key(|&(value, i)| (value, std::cmp::Reverse(i))) else { return whole };
        let ends = [(first + i) % all, self.order_index[base + next_of(city_at(i)) as usize] as usize];
        // Each end in the middle of its half.
        let firsts = ends.map(|end| (end + all - half / 2) % all);
        let ahead = (firsts[1] + all - firsts[0]) % all;
        if ahead < half || all - ahead < cities - half {
            return whole;
        }
        Where { firsts, ..whole }
    }
}

fn twin<const FROM: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, order, order_index, bests, positions, unsettled, distances], [windows]) = call.buffers();
    let iteration = State::from_words(state).iteration;
    let ground = Ground::<FROM> { params, iteration, order, order_index, bests, positions, distances };
    let (cities, all) = (params.cities as usize, params.all as usize);
    let words = window_words(cities);
    let windows = windows[range.start * words..range.end * words].par_chunks_mut(words);
    windows.enumerate().for_each(|(index, window)| {
        let here = ground.lay((range.start + index) as u32);
        window[..3].copy_from_slice(&[here.order as u32, here.firsts[0] as u32, here.firsts[1] as u32]);
        let mut seats: Vec<u32> = (0..cities).map(|label| positions[order[here.place(label)] as usize]).collect();
        seats.sort_unstable();
        for (i, word) in window[WINDOW_HEAD..WINDOW_HEAD + cities].iter_mut().enumerate() {
            let next = seats[if i + 1 == cities { 0 } else { i + 1 }];
            let city = bests[seats[i] as usize] as usize;
            let place = order_index[here.order * all + city] as usize;
            *word = here.label(place).map_or(OUTSIDE, |label| label as u32);
            let pair = is_pair(city as u32, bests[next as usize], params.paired);
            if pair || (seats[i] + 1) % params.all != next {
                *word |= FIXED;
            }
            if unsettled[city / 32] >> (city % 32) & 1 == 1 {
                *word |= UNSETTLED;
            }
        }
    });
}
