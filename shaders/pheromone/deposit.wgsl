// Deposits on trails that all edges have. Each ant deposits its amount on the edges of its tour: one workgroup an ant, all at the same time by
// atomic additions (Menezes et al. 2019, algorithm 7). With BEST the depositing tour alone does, one unit. Amounts are integers, so the order
// of additions changes no sum. An assignment (ASSIGNMENT) has an edge from each facility to its location. The CPU twin is
// src/kernels/pheromone/deposit.rs.

#include shared/call
#include shared/state

struct Params {
    cities: u32,
    /// 1 when an edge has a trail in each direction.
    directed: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// ants x cities; BEST: 3 x cities, and the third tour deposits.
@group(0) @binding(3) var<storage, read> tours: array<u32>;
/// For each ant what it adds to each edge.
@group(0) @binding(4) var<storage, read> amounts: array<u32>;
/// cities x cities.
@group(0) @binding(5) var<storage, read_write> trails: array<atomic<u32>>;

override LANES: u32 = 64u;

fn add(city: u32, other: u32, amount: u32) {
    let at = city * params.cities + other;
    atomicAdd(&trails[at], amount);
}

fn deposit(tour: u32, amount: u32, lane: u32) {
    for (var i = lane; i < params.cities; i += LANES) {
#if ASSIGNMENT
        add(i, tours[tour + i], amount);
#else
        let city = tours[tour + i];
        let next = tours[tour + select(i + 1u, 0u, i + 1u == params.cities)];
        add(city, next, amount);
        if params.directed == 0u {
            add(next, city, amount);
        }
#endif
    }
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
#if BEST
    deposit(2u * params.cities, state.deposit, lane);
#else
    let ant = call.first + group.x;
    if amounts[ant] != 0u {
        deposit(ant * params.cities, amounts[ant], lane);
    }
#endif
}
