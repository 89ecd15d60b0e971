//! The pass over the trails at the end of an iteration, whole or in parts: twin of `shaders/pheromone/trail_update.wgsl`.

use rayon::prelude::*;

use crate::algorithm::choices::Selection;
use crate::algorithm::construct::Rule;
use crate::algorithm::fixed::{
    HEURISTIC_TOP, MOST_WEIGHT, WEIGHT_UNITS, heuristic_weight, log2_fixed, mul_high, short_linear,
};
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::{ConstructPlan, weight_pitch};
use crate::kernels::shared::state::State;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The steps of the pass that a kernel makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Evaporation, deposit of the depositing tour, choice information.
    Whole,
    /// Evaporation.
    Evaporate,
    /// Choice information.
    Choice,
}

impl Part {
    /// The kernel's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "trail_update",
            Self::Evaporate => "evaporate",
            Self::Choice => "choice_info",
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Whole => &["EVAPORATE", "DEPOSIT", "CHOICE"],
            Self::Evaporate => &["EVAPORATE"],
            Self::Choice => &["CHOICE"],
        }
    }
}

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub candidates: u32,
        pub persistence: u32,
        pub alpha: u32,
        pub beta: u32,
        pub heuristic_top: u32,
        pub directed: u32,
        pub top_octave: u32,
    }
}

/// The kernel for `part` of the pass of `plan` on `buffers`.
pub fn spec(part: Part, plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let system = &plan.system;
    let linear = system.selection == Selection::Rwm;
    let params = Params {
        cities: plan.cities as u32,
        candidates: if system.full { 0 } else { system.candidates as u32 },
        persistence: match &system.rule {
            Rule::As(parameters) => parameters.persistence_fixed(),
            Rule::Mmas(parameters) => parameters.persistence_fixed(),
            // Never asked for: these have updates of their own, or no trails.
            Rule::Acs(_) | Rule::Memetic(_) => u32::MAX,
            Rule::Cas(parameters) => parameters.persistence_fixed(),
        },
        alpha: system.alpha_fixed(),
        beta: system.beta_fixed(),
        heuristic_top: HEURISTIC_TOP,
        directed: u32::from(system.directed),
        top_octave: if linear { system.top_octave(plan.cities) } else { 0 },
    };
    let mut flags = part.flags().to_vec();
    flags.extend(linear.then_some("LINEAR"));
    let mut bindings = vec![
        (buffers.get(Buffer::Tables), Access::Read),
        (buffers.get(Buffer::State), Access::Read),
        (buffers.get(Buffer::Bests), Access::Read),
        (buffers.get(Buffer::Trails), Access::Write),
    ];
    let matrix = plan.weighs_matrix();
    let assignment = plan.is_assignment();
    if assignment {
        flags.extend(["MATRIX", "ASSIGNMENT"]);
        bindings.push((buffers.get(Buffer::Weights), Access::Write));
    } else if matrix {
        flags.push("MATRIX");
        bindings.extend([
            (buffers.get(Buffer::Distances), Access::Read),
            (buffers.get(Buffer::Nearest), Access::Read),
            (buffers.get(Buffer::Weights), Access::Write),
            (buffers.get(Buffer::Choice), Access::Write),
        ]);
        if !system.full && part != Part::Evaporate {
            flags.push("NEAR");
        }
    } else {
        bindings.extend([(buffers.get(Buffer::Heuristic), Access::Read), (buffers.get(Buffer::Choice), Access::Write)]);
    }
    Ok(KernelSpec {
        name: part.name(),
        source: compose("pheromone/trail_update", &flags)?,
        constants: vec![("LANES", plan.row_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings,
        workgroup_bytes: 0,
        units_per_workgroup: 1,
        twin: match (matrix, part) {
            (_, Part::Whole) if assignment => |call| assignment_twin(call, Part::Whole),
            (_, Part::Evaporate) if assignment => |call| assignment_twin(call, Part::Evaporate),
            (_, Part::Choice) if assignment => |call| assignment_twin(call, Part::Choice),
            (false, Part::Whole) => |call| candidates_twin(call, Part::Whole),
            (false, Part::Evaporate) => |call| candidates_twin(call, Part::Evaporate),
            (false, Part::Choice) => |call| candidates_twin(call, Part::Choice),
            (true, Part::Whole) => |call| matrix_twin(call, Part::Whole),
            (true, Part::Evaporate) => |call| matrix_twin(call, Part::Evaporate),
            (true, Part::Choice) => |call| matrix_twin(call, Part::Choice),
        },
    })
}

/// A row's city with its two neighbours in the depositing tour.
struct Place {
    city: usize,
    before: u32,
    after: u32,
}

struct Pass<'a> {
    params: Params,
    part: Part,
    linear: bool,
    tables: &'a [u32],
    state: State,
    floor_log2: u32,
    /// How much greater than [`MOST_WEIGHT`] the greatest weight would be, in whole octaves.
    taken_off: u32,
}

impl Pass<'_> {
    fn place(&self, unit: usize, bests: &[u32]) -> Place {
        if self.part != Part::Whole {
            return Place { city: unit, before: unit as u32, after: unit as u32 };
        }
        let cities = self.params.cities as usize;
        let tour = &bests[2 * cities..3 * cities];
        let after = tour[(unit + 1) % cities];
        let before = if self.params.directed == 1 { after } else { tour[(unit + cities - 1) % cities] };
        Place { city: tour[unit] as usize, before, after }
    }

    #[inline(always)]
    fn updated(&self, mut trail: u32, place: &Place, other: u32) -> u32 {
        if self.part != Part::Choice {
            if self.state.reset == 1 {
                return self.state.trail_max;
            }
            trail = mul_high(trail, self.params.persistence);
        }
        if self.part == Part::Whole && (other == place.before || other == place.after) {
            trail += self.state.deposit;
        }
        if self.part == Part::Evaporate { trail } else { trail.clamp(self.state.trail_min, self.state.trail_max) }
    }

    /// The part of the weight that a trail gives, from 0 for the least on.
    #[inline(always)]
    fn trail_weight(&self, trail: u32) -> u32 {
        let octaves = log2_fixed(self.tables, trail) - self.floor_log2;
        self.params.alpha.wrapping_mul(octaves) >> 15
    }

    #[inline(always)]
    fn weigh(&self, heuristic: u32, trail: u32) -> u32 {
        let weight = (heuristic + self.trail_weight(trail)).saturating_sub(self.taken_off);
        if self.linear { short_linear(weight, self.params.top_octave) } else { weight }
    }
}

fn pass<'a>(params: Params, part: Part, tables: &'a [u32], state: &[u32]) -> Pass<'a> {
    let state = State::from_words(state);
    let (linear, floor_log2) = (params.top_octave > 0, log2_fixed(tables, state.trail_min));
    let pass = Pass { params, part, linear, tables, state, floor_log2, taken_off: 0 };
    let greatest = params.heuristic_top + pass.trail_weight(state.trail_max);
    Pass { taken_off: greatest.saturating_sub(MOST_WEIGHT).next_multiple_of(WEIGHT_UNITS), ..pass }
}

fn candidates_twin(call: &mut TwinCall<'_>, part: Part) {
    let params: Params = call.params();
    let range = call.range();
    let ([tables, state, bests, heuristic], [trails, choice]) = call.buffers();
    let pass = pass(params, part, tables, state);
    let candidates = params.candidates as usize;
    // One thread: a row takes tens of nanoseconds, and the units are a permutation of the rows.
    for unit in range {
        let place = pass.place(unit, bests);
        let row = place.city * candidates..(place.city + 1) * candidates;
        let slots = trails[row.clone()].iter_mut().zip(&mut choice[row.clone()]).zip(&heuristic[row]);
        for ((slot, choice), &entry) in slots {
            *slot = pass.updated(*slot, &place, entry >> 16);
            if part != Part::Evaporate {
                *choice = (entry & 0xFFFF_0000) | pass.weigh(entry & 0xFFFF, *slot);
            }
        }
    }
}

fn assignment_twin(call: &mut TwinCall<'_>, part: Part) {
    let params: Params = call.params();
    let range = call.range();
    let ([tables, state, bests], [trails, weights]) = call.buffers();
    let pass = pass(params, part, tables, state);
    let n = params.cities as usize;
    let pitch = weight_pitch(n);
    for facility in range {
        let location = if part == Part::Whole { bests[2 * n + facility] } else { u32::MAX };
        let place = Place { city: facility, before: location, after: location };
        let weights = &mut weights[facility * pitch..][..pitch];
        for (other, trail) in trails[facility * n..][..n].iter_mut().enumerate() {
            *trail = pass.updated(*trail, &place, other as u32);
            if part != Part::Evaporate {
                let (word, shift) = (&mut weights[other / 2], (other & 1) * 16);
                let kept = if shift == 0 { 0 } else { *word & 0xFFFF };
                *word = kept | pass.weigh(HEURISTIC_TOP, *trail) << shift;
            }
        }
    }
}

fn matrix_twin(call: &mut TwinCall<'_>, part: Part) {
    let params: Params = call.params();
    let range = call.range();
    let ([tables, state, bests, distances, nearest], [trails, weights, choice]) = call.buffers();
    let pass = pass(params, part, tables, state);
    let (cities, candidates) = (params.cities as usize, params.candidates as usize);
    let pitch = weight_pitch(cities);
    let mut places: Vec<Place> = range.map(|unit| pass.place(unit, bests)).collect();
    places.sort_unstable_by_key(|place| place.city);
    // Rows in the order of their cities, so that they can be handed to threads.
    let whole = places.len() == cities;
    let run = |place: &Place, trails: &mut [u32], weights: &mut [u32], choice: &mut [u32]| {
        let distances = &distances[place.city * cities..][..cities];
        for (other, trail) in trails.iter_mut().enumerate() {
            *trail = pass.updated(*trail, place, other as u32);
            if part != Part::Evaporate {
                let near = nearest[place.city];
                let heuristic = heuristic_weight(tables, distances[other], near, params.beta);
                let (word, shift) = (&mut weights[other / 2], (other & 1) * 16);
                let kept = if shift == 0 { 0 } else { *word & 0xFFFF };
                *word = kept | pass.weigh(heuristic, *trail) << shift;
            }
        }
        if part != Part::Evaporate {
            for entry in choice {
                let other = (*entry >> 16) as usize;
                *entry = (*entry & 0xFFFF_0000) | (weights[other / 2] >> ((other & 1) * 16) & 0xFFFF);
            }
        }
    };
    // Without lists no row has candidates.
    let mut no_lists = vec![[0; 0]; if candidates == 0 { cities } else { 0 }];
    let lists: Vec<&mut [u32]> = match candidates {
        0 => no_lists.iter_mut().map(<[u32; 0]>::as_mut_slice).collect(),
        _ => choice.chunks_mut(candidates).collect(),
    };
    let rows = trails.par_chunks_mut(cities).zip(weights.par_chunks_mut(pitch)).zip(lists);
    if whole {
        rows.zip(&places).for_each(|(((trails, weights), choice), place)| run(place, trails, weights, choice));
    } else {
        rows.enumerate().for_each(|(city, ((trails, weights), choice))| {
            if let Ok(at) = places.binary_search_by_key(&city, |place| place.city) {
                run(&places[at], trails, weights, choice);
            }
        });
    }
}
