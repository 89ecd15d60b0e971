// The pheromone update of an Ant System by a single invocation (Menezes et al. 2019, algorithm 3, line 8). Units are taken one after the
// other: first the rows of the trails, which evaporate or are initialised, then the ants, each of which deposits its amount on the edges of
// its tour. A call has as many units as one invocation can take within its loop budget. The CPU twin is
// src/kernels/pheromone/serial_update.rs.

#include shared/call
#include shared/fixed
#include shared/state

struct Params {
    cities: u32,
    /// 1 when an edge has a trail in each direction.
    directed: u32,
    /// (1 - evaporation rate) times 2^32.
    persistence: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// ants x cities.
@group(0) @binding(3) var<storage, read> tours: array<u32>;
/// For each ant what it adds to each edge.
@group(0) @binding(4) var<storage, read> amounts: array<u32>;
/// cities x cities.
@group(0) @binding(5) var<storage, read_write> trails: array<u32>;

fn evaporate(city: u32) {
    for (var other = 0u; other < params.cities; other++) {
        let at = city * params.cities + other;
        trails[at] = select(mul_high(trails[at], params.persistence), state.trail_max, state.reset == 1u);
    }
}

fn deposit(ant: u32) {
    let tour = ant * params.cities;
    var city = tours[tour + params.cities - 1u];
    for (var i = 0u; i < params.cities; i++) {
        let next = tours[tour + i];
        trails[city * params.cities + next] += amounts[ant];
        if params.directed == 0u {
            trails[next * params.cities + city] += amounts[ant];
        }
        city = next;
    }
}

@compute @workgroup_size(1)
fn main() {
    for (var unit = call.first; unit < call.end; unit++) {
        if unit < params.cities {
            evaporate(unit);
        } else {
            deposit(unit - params.cities);
        }
    }
}
