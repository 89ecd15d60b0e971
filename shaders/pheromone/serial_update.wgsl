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

/// Four trails, whose reads need not wait for each other.
fn trails_at(places: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(trails[places.x], trails[places.y], trails[places.z], trails[places.w]);
}

fn set_trails(places: vec4<u32>, values: vec4<u32>) {
    trails[places.x] = values.x;
    trails[places.y] = values.y;
    trails[places.z] = values.z;
    trails[places.w] = values.w;
}

fn evaporated(trail: u32) -> u32 {
    return select(mul_high(trail, params.persistence), state.trail_max, state.reset == 1u);
}

fn evaporate(city: u32) {
    let row = city * params.cities;
    var other = 0u;
    for (; other + 8u <= params.cities; other += 8u) {
        let first = row + other + vec4<u32>(0u, 1u, 2u, 3u);
        let second = first + 4u;
        let a = trails_at(first);
        let b = trails_at(second);
        set_trails(first, vec4<u32>(evaporated(a.x), evaporated(a.y), evaporated(a.z), evaporated(a.w)));
        set_trails(second, vec4<u32>(evaporated(b.x), evaporated(b.y), evaporated(b.z), evaporated(b.w)));
    }
    for (; other < params.cities; other++) {
        trails[row + other] = evaporated(trails[row + other]);
    }
}

/// Eight edges at a time: no edge is twice in a tour of three cities or more, so that all of their trails can be read before the first is written.
fn deposit(ant: u32) {
    let tour = ant * params.cities;
    let amount = amounts[ant];
    var city = tours[tour + params.cities - 1u];
    var i = 0u;
    for (; i + 8u <= params.cities; i += 8u) {
        let at = tour + i;
        let first = vec4<u32>(tours[at], tours[at + 1u], tours[at + 2u], tours[at + 3u]);
        let second = vec4<u32>(tours[at + 4u], tours[at + 5u], tours[at + 6u], tours[at + 7u]);
        let before_first = vec4<u32>(city, first.xyz);
        let before_second = vec4<u32>(first.w, second.xyz);
        let there = before_first * params.cities + first;
        let on_there = before_second * params.cities + second;
        let a = trails_at(there);
        let b = trails_at(on_there);
        if params.directed == 0u {
            let back = first * params.cities + before_first;
            let on_back = second * params.cities + before_second;
            let c = trails_at(back);
            let d = trails_at(on_back);
            set_trails(back, c + amount);
            set_trails(on_back, d + amount);
        }
        set_trails(there, a + amount);
        set_trails(on_there, b + amount);
        city = second.w;
    }
    for (; i < params.cities; i++) {
        let next = tours[tour + i];
        trails[city * params.cities + next] += amount;
        if params.directed == 0u {
            trails[next * params.cities + city] += amount;
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
