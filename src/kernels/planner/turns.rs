//! Loop turns of the kernels. Lavapipe ends all loops of an invocation after 65,535 turns and says nothing, so each kernel either counts
//! its turns and goes on in the next dispatch, or is known here to need so many at most.

use crate::algorithm::construct::Rule;
use crate::kernels::eax::recombine::PATHS;
use crate::kernels::plan::{ChainedPlan, ConstructPlan, EaxPlan, Plan, WindowsPlan};
use crate::kernels::qap::{crossover, delta_table, survivors};

/// What keeps an invocation of a kernel within the loop budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopTurns {
    /// It counts its turns, or gets a share of the work that is known to fit.
    Counted,
    /// It never needs more.
    AtMost(u64),
}

/// Turns of sums and choices over the lanes of a workgroup.
const OF_LANES: u64 = 64;
/// Turns of a division of 64-bit numbers.
const DIVISION: u64 = 33;

/// What keeps a kernel of a plan within the loop budget; `None` for a kernel that nobody has thought about.
pub fn loop_turns(plan: &Plan, kernel: &str) -> Option<LoopTurns> {
    match plan {
        Plan::Construct(plan) => of_construct(plan, kernel),
        Plan::Windows(plan) => of_windows(plan, kernel),
        Plan::Chained(plan) => of_chained(plan, kernel),
        Plan::Eax(plan) => of_eax(plan, kernel),
    }
}

/// The kernels that do not count their turns, of all families.
pub const UNCOUNTED: [&str; 27] = [
    "assignment_cost",
    "best",
    "choice_info",
    "conflicts",
    "cost_ranks",
    "crossover",
    "delta_table",
    "deposit",
    "deposit_amount",
    "deposit_best",
    "deviates",
    "edge_overlap",
    "evaporate",
    "focus",
    "global_update",
    "local_update",
    "mark",
    "order_index",
    "replace",
    "serial_update",
    "succession",
    "survivors",
    "tour_cost",
    "trail_update",
    "unit_best",
    "window_order",
    "scatter",
];

fn shared(items: u64, lanes: u32) -> u64 {
    items.div_ceil(u64::from(lanes))
}

fn of_construct(plan: &ConstructPlan, kernel: &str) -> Option<LoopTurns> {
    let [n, m, k] = [plan.cities, plan.ants(), plan.system.candidates].map(|count| count as u64);
    let by = |items| shared(items, plan.sweep_lanes);
    let ranked = matches!(&plan.system.rule, Rule::As(ant_system) if ant_system.ranks() > 0);
    let row =
        if plan.weighs_matrix() { 3 * shared(n.div_ceil(2), plan.row_lanes) + shared(k, plan.row_lanes) } else { k };
    Some(LoopTurns::AtMost(match kernel {
        "construct" | "two_opt" | "pieces" | "lin_kernighan" | "tabu_search" => return Some(LoopTurns::Counted),
        "assignment_cost" | "delta_table" if !plan.is_assignment() => 0,
        "delta_table" if !plan.system.searches() => 0,
        "local_update" if !plan.synchronous() => 0,
        "assignment_cost" => by(n) * (n + 1) + OF_LANES,
        "best" => {
            shared(m, plan.single_lanes) * if plan.has_units() { 1 + DIVISION } else { 1 }
                + shared(n, plan.single_lanes)
                + 4 * DIVISION
        }
        "cost_ranks" | "crossover" | "survivors" | "succession" if plan.memetic().is_none() => 0,
        "cost_ranks" => by(2 * m) + OF_LANES,
        "crossover" => plan.memetic().map_or(0, |memetic| crossover::turns(plan, memetic)),
        "survivors" => survivors::turns(plan),
        "succession" => by(n),
        "delta_table" => delta_table::turns(plan),
        "deposit" | "deposit_best" => shared(n, plan.row_lanes) + 1,
        "deposit_amount" => DIVISION + if ranked { m } else { 0 },
        "deviates" => OF_LANES,
        "evaporate" | "choice_info" | "trail_update" => row + OF_LANES,
        "focus" => 2 * by(plan.words() as u64) + by(n),
        "global_update" => 4 * (k + u64::from(plan.record_pitch())) + OF_LANES,
        // Others may come between a reading and its exchange, once each.
        "local_update" => 2 * (k + m),
        // Of rows and ants that a single invocation takes a call has as many as fit.
        "serial_update" => n + 1,
        "tour_cost" | "unit_best" => by(n) + OF_LANES,
        _ => return None,
    }))
}

fn of_windows(plan: &WindowsPlan, kernel: &str) -> Option<LoopTurns> {
    let [c, windows] = [plan.window.cities, plan.units].map(|count| count as u64);
    let by = |items| shared(items, plan.single_lanes);
    let padded = c.next_power_of_two();
    let octaves = u64::from(padded.ilog2());
    Some(LoopTurns::AtMost(match kernel {
        "window_search" | "independent_set" | "paths" => return Some(LoopTurns::Counted),
        // Each look at another window's cuts is four searches by halves.
        "conflicts" => 2 * by(windows.div_ceil(32)) + by(windows) * (1 + 4 * (octaves + 1)),
        "mark" => 2 * shared(c, plan.sweep_lanes),
        "order_index" | "scatter" => 1,
        "window_order" => 2 * by(c) + by(padded) + octaves * (octaves + 1) / 2 * (2 + by(padded / 2)) + OF_LANES,
        _ => return None,
    }))
}

fn of_chained(plan: &ChainedPlan, kernel: &str) -> Option<LoopTurns> {
    let [n, m] = [plan.cities, plan.units].map(|count| count as u64);
    let by = |items| shared(items, plan.single_lanes);
    Some(LoopTurns::AtMost(match kernel {
        "chained_search" => return Some(LoopTurns::Counted),
        "best" => by(m) + by(n) + OF_LANES,
        _ => return None,
    }))
}

fn of_eax(plan: &EaxPlan, kernel: &str) -> Option<LoopTurns> {
    let [n, m, k] = [plan.cities, plan.units, plan.neighbours].map(|count| count as u64);
    let by = |items| shared(items, plan.single_lanes);
    let paths = PATHS as u64;
    Some(LoopTurns::AtMost(match kernel {
        "recombine" => return Some(LoopTurns::Counted),
        "best" => by(m) + by(n) + OF_LANES,
        "edge_overlap" => by(n * k).div_ceil(4) + OF_LANES,
        // Paths are found by halves, and edges' counts among a city's neighbours, four at once.
        "replace" => {
            let lays = by(3 * paths) * (1 + 2 * k.div_ceil(4));
            u64::from(plan.recombine.pair_walks) + by(paths) + lays + paths + by(n) * (3 + u64::from(paths.ilog2()))
        }
        _ => return None,
    }))
}
