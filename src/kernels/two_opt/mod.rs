//! 2-opt, 2.5-opt, 2-opt with Or-opt and node insertion with neighbour lists and don't-look bits: `shaders/two_opt/two_opt.wgsl`. The
//! twin is in `twin`, what moves change in `changes`.

use crate::algorithm::choices::LocalSearch;
use crate::backend::KernelSpec;
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::array_tour::on_array_tour;
use crate::kernels::shared::slices::{SLICES, slice_words, waiting_words};
use crate::kernels::{Buffers, KernelError};
use crate::wgsl::{block, constant};

mod changes;
pub mod pieces;
mod twin;

/// The kernel's name.
pub const NAME: &str = "two_opt";

/// Every so many iterations all cities are looked at. This finds moves that remove two edges of the best tour, one of which is reversed now.
const ALL_PERIOD: u32 = 32;

/// Moves looked for in a round: from 32 cities in two directions each.
pub(crate) const ENTRIES: u32 = constant!("two_opt/two_opt", "ENTRIES");

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub pairs: u32,
        pub budget: u32,
        pub max_rounds: u32,
        pub max_moves: u32,
        pub all_period: u32,
        pub begin_turns: u32,
        pub padding: u32,
    }
}

block! {
    /// How far a search has come; fields as documented in the WGSL struct.
    pub struct SearchProgress {
        pub begun: u32,
        pub done: u32,
        pub rounds: u32,
        pub moves: u32,
        pub padding: [u32; 9],
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        pairs: plan.neighbour_pairs() as u32,
        budget: plan.loop_budget,
        max_rounds: max_rounds(plan),
        max_moves: max_moves(plan),
        all_period: all_period(plan),
        begin_turns: begin_turns(plan),
        padding: 0,
    };
    let (bindings, mut constants) = on_array_tour(plan, buffers);
    constants.push(("SLICE", slice_words(plan.cities) as u32));
    let mut flags = plan.search_memory.flags().to_vec();
    flags.extend(match plan.system.local_search {
        LocalSearch::TwoHalfOpt | LocalSearch::TwoHalfOptAll => ["INSERTS", "TWO_HALF_OPT"].as_slice(),
        LocalSearch::Insertion => &["INSERTS", "INSERTION"],
        LocalSearch::OrOpt => &["INSERTS", "OR_OPT"],
        _ => &[],
    });
    // Entries have two lanes or more; the number of lanes is a multiple of that of entries then.
    if plan.search_lanes > ENTRIES {
        flags.push("SPLIT");
        flags.extend(plan.search_subgroup.map(|_| "SUBGROUPS"));
    }
    Ok(KernelSpec {
        name: NAME,
        source: compose("two_opt/two_opt", &flags)?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings,
        workgroup_bytes: plan.search_memory.workgroup_bytes(plan.system.local_search, plan.array_cities),
        units_per_workgroup: 1,
        twin: twin::of(plan.system.local_search),
    })
}

/// Words that an ant keeps from one dispatch to the next: its queue, or the waiting cities with the heads of their slices.
pub(in crate::kernels) fn queue_words(search: LocalSearch, cities: usize) -> usize {
    match search {
        LocalSearch::LinKernighan => cities.div_ceil(2),
        _ => waiting_words(cities) + SLICES,
    }
}

/// Every so many iterations all cities wait at the start of a search.
fn all_period(plan: &ConstructPlan) -> u32 {
    // Units keep tours of their own.
    let always = plan.has_units() || plan.system.local_search == LocalSearch::TwoHalfOptAll;
    if always { 1 } else { ALL_PERIOD }
}

/// Loop turns of an invocation before the first round. Where all cities always wait, none is asked about its neighbours.
fn begin_turns(plan: &ConstructPlan) -> u32 {
    let pairs = if all_period(plan) == 1 { 0 } else { plan.neighbour_pairs() as u32 };
    (plan.cities as u32).div_ceil(plan.search_lanes) * (pairs + 8) + 4 * waiting_words(plan.cities) as u32 + 8
}

/// Rounds after which a tour's search ends: enough for sixteen looks at each city.
fn max_rounds(plan: &ConstructPlan) -> u32 {
    16 * plan.words() as u32 + 64
}

/// Moves after which a tour's search ends.
fn max_moves(plan: &ConstructPlan) -> u32 {
    2 * plan.cities as u32
}

/// Loop turns that an invocation takes for each pair of neighbours, and for each city beside these, at most.
fn move_turns(local_search: LocalSearch) -> [u64; 2] {
    let turns = match local_search {
        LocalSearch::TwoHalfOpt | LocalSearch::TwoHalfOptAll => [
            constant!("two_opt/moves_two_half_opt", "PAIR_TURNS"),
            constant!("two_opt/moves_two_half_opt", "CITY_TURNS"),
        ],
        LocalSearch::Insertion => {
            [constant!("two_opt/moves_insertion", "PAIR_TURNS"), constant!("two_opt/moves_insertion", "CITY_TURNS")]
        }
        LocalSearch::OrOpt => {
            [constant!("two_opt/moves_or_opt", "PAIR_TURNS"), constant!("two_opt/moves_or_opt", "CITY_TURNS")]
        }
        _ => [constant!("two_opt/moves_two_opt", "PAIR_TURNS"), constant!("two_opt/moves_two_opt", "CITY_TURNS")],
    };
    turns.map(u64::from)
}

/// Dispatches after which the search of every ant has ended.
pub fn dispatches(plan: &ConstructPlan) -> u32 {
    let lanes = u64::from(plan.search_lanes);
    let cities = plan.cities as u64;
    let pairs = plan.neighbour_pairs() as u64;
    let slices = (SLICES as u64).div_ceil(lanes) * (slice_words(plan.cities) as u64 + 1);
    let [of_pair, of_city] = move_turns(plan.system.local_search);
    let entry = pairs * of_pair + of_city + 2 + u64::from(ENTRIES);
    let round = u64::from(ENTRIES).div_ceil(lanes) * entry + slices + 4;
    // Half of the longest reversal or, of an insertion, half the tour.
    let inserts = plan.system.local_search != LocalSearch::TwoOpt;
    let reversal = (cities / if inserts { 2 } else { 4 } + 1).div_ceil(lanes) + 5;
    let total = u64::from(max_rounds(plan)) * round + u64::from(max_moves(plan)) * reversal;
    plan.dispatches_for(total, u64::from(begin_turns(plan)) + round + u64::from(ENTRIES) * reversal)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the loops of the shaders are: a pair, each neighbour of it, and each segment of these; the longer segments of a city.
    #[test]
    fn turns_are_those_of_the_loops() {
        let segment = u64::from(constant!("two_opt/moves_or_opt", "SEGMENT"));
        assert_eq!(move_turns(LocalSearch::OrOpt), [1 + 2 * (1 + segment), segment - 1]);
        for inserts in [LocalSearch::TwoHalfOpt, LocalSearch::TwoHalfOptAll, LocalSearch::Insertion] {
            assert_eq!(move_turns(inserts), [1 + 2, 0]);
        }
        assert_eq!(move_turns(LocalSearch::TwoOpt), [1, 0]);
    }
}
