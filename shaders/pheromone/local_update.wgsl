// The local update of an Ant Colony System after all ants have made one step: one invocation an ant, atomic on the trail.
// Ants that walked the same edge apply the same function to it, so their order does not matter.
// The CPU twin is src/kernels/pheromone/local_update.rs.

#include shared/call
#include shared/fixed
#include shared/state
#include shared/progress
#include shared/search_tags
#include pheromone/local_rule
#include pheromone/trail_place

struct Params {
    cities: u32,
    /// Rate times 2^16, and at which steps the update is made.
    rate: u32,
    period: u32,
    /// 1 when an edge has a trail in each direction.
    directed: u32,
    /// Candidates of a city.
    candidates: u32,
    padding_0: u32,
    padding_1: u32,
    padding_2: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
@group(0) @binding(3) var<storage, read> progress: array<Progress>;
/// ants x cities.
@group(0) @binding(4) var<storage, read> tours: array<u32>;
/// cities x candidates: city in the upper 16 bits.
@group(0) @binding(5) var<storage, read> heuristic: array<u32>;
/// See pheromone/trail_place.
@group(0) @binding(6) var<storage, read_write> trails: array<atomic<u32>>;

override LANES: u32 = 64u;

fn wear_one(at: u32) {
    let first_share = share_16(state.trail_min, params.rate);
    var before = atomicLoad(&trails[at]);
    loop {
        let exchange = atomicCompareExchangeWeak(&trails[at], before, worn(before, first_share, params.rate));
        if exchange.exchanged {
            break;
        }
        before = exchange.old_value;
    }
}

fn wear(city: u32, other: u32, step: u32) {
    if step % params.period == 0u {
        wear_one(trail_place(city, other, params.cities, params.candidates));
        if params.directed == 0u {
            wear_one(trail_place(other, city, params.cities, params.candidates));
        }
    }
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x * LANES + lane;
    if ant >= call.end {
        return;
    }
    let tour = ant * params.cities;
    let placed = progress[ant].construct.step;
    wear(tours[tour + placed - 2u], tours[tour + placed - 1u], placed - 1u);
    if placed == params.cities {
        wear(tours[tour + placed - 1u], tours[tour], placed);
    }
}
