// The global update of an Ant Colony System on the edges of the best tour (Dorigo and Gambardella 1997, equation 4). One invocation a
// position; it owns the edge that follows, or with a selective memory (SELECTIVE) the records of its city. The CPU twin is
// src/kernels/pheromone/global_update.rs.

#include shared/call
#include shared/fixed
#include shared/state

struct Params {
    cities: u32,
    /// Rate times 2^32.
    rate: u32,
    /// Words of a city's selective memory.
    pitch: u32,
    /// 1 when an edge has a trail in each direction.
    directed: u32,
    /// Candidates of a city.
    candidates: u32,
    padding_0: u32,
    padding_1: u32,
    padding_2: u32,
}

const NONE: u32 = 0xFFFFFFFFu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read> state: State;
/// 3 x cities; the first tour is the best.
@group(0) @binding(4) var<storage, read> bests: array<u32>;
#if SELECTIVE
/// cities x (records, how many were ever added).
@group(0) @binding(5) var<storage, read_write> records: array<atomic<u32>>;
#include pheromone/selective

fn raise(city: u32, other: u32) {
    let best = (log2_fixed(max(state.deposit, state.trail_min)) - log2_fixed(state.trail_min)) >> 5u;
    let slot = slot_of(city, other, params.pitch);
    let level = raised_level(level_at(slot), min(best, 0xFFFFu), params.rate);
    keep_level(city, other, slot, level, params.pitch);
}
#else
/// cities x candidates: city in the upper 16 bits, FAR_RAISED in the first of a city.
@group(0) @binding(5) var<storage, read_write> heuristic: array<u32>;
/// See pheromone/trail_place.
@group(0) @binding(6) var<storage, read_write> trails: array<u32>;
#include pheromone/trail_place

fn raise(city: u32, other: u32) {
    let at = trail_place(city, other, params.cities, params.candidates);
    let raised = trails[at] - mul_high(trails[at], params.rate) + mul_high(state.deposit, params.rate);
    trails[at] = max(raised, state.trail_min);
    let first = city * params.candidates;
    if at >= params.cities * params.candidates && (heuristic[first] & FAR_RAISED) == 0u {
        // The invocations of a city's two edges write the same value.
        heuristic[first] |= FAR_RAISED;
    }
}
#endif

override LANES: u32 = 64u;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let position = call.first + group.x * LANES + lane;
    if position >= call.end {
        return;
    }
    let city = bests[position];
    let after = bests[select(position + 1u, 0u, position + 1u == params.cities)];
    raise(city, after);
    if params.directed == 0u {
#if SELECTIVE
        raise(city, bests[select(position - 1u, params.cities - 1u, position == 0u)]);
#else
        raise(after, city);
#endif
    }
}
