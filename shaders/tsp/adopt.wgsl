// Each ant takes over the tour that the best of its walks has assembled (assemble.wgsl), one workgroup an ant: the paths in their
// new order, its cost, and the trails, which count the tours that have an edge. The CPU twin is src/kernels/adopt.rs.

#include shared/call
#include shared/fixed
#include shared/state

struct Params {
    cities: u32,
    /// Neighbours of a city, and pairs that hold them.
    neighbours: u32,
    pairs: u32,
    /// 32-bit words of a bitmask over the cities.
    words: u32,
    /// Walks of an ant.
    walks: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// See assemble/kept.wgsl.
@group(0) @binding(2) var<storage, read> assemblies: array<u32>;
/// cities x pairs of neighbours x (city, distance).
@group(0) @binding(3) var<storage, read> neighbours: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> state: State;
/// ants x cities: the tours, and the position of each city in them.
@group(0) @binding(5) var<storage, read_write> tours: array<u32>;
@group(0) @binding(6) var<storage, read_write> positions: array<u32>;
/// ants: low word, high word.
@group(0) @binding(7) var<storage, read_write> costs: array<vec2<u32>>;
/// cities x neighbours: tours that have the edge.
@group(0) @binding(8) var<storage, read_write> trails: array<atomic<u32>>;

override LANES: u32 = 64u;

const BACKWARDS: u32 = 0x80000000u;

#include tsp/assemble/kept

/// Where each path begins in the new tour, BACKWARDS where its last city does.
var<workgroup> begins: array<u32, PATHS>;

fn path_cities(at: u32) -> u32 {
    return turned(assemblies[at + 1u] + params.cities - assemblies[at]) + 1u;
}

/// The city at an end, as the tour that begins at `own` was.
fn end_city(own: u32, unit: u32, end: u32) -> u32 {
    return tours[own + assemblies[kept_path(unit, end >> 1u) + (end & 1u)]];
}

/// The walk of an ant that has the best attempt; the first on a tie.
fn best_walk(ant: u32) -> u32 {
    let first = ant * params.walks;
    var best = first;
    for (var unit = first + 1u; unit < first + params.walks; unit++) {
        let kept = vec2<u32>(assemblies[best * kept_words()], assemblies[best * kept_words() + 1u]);
        if is_better(assemblies[unit * kept_words()], assemblies[unit * kept_words() + 1u], kept) {
            best = unit;
        }
    }
    return best;
}

/// Adds to the trail of an edge, at both cities.
fn lay(a: u32, b: u32, amount: u32) {
    for (var rank = 0u; rank < params.neighbours; rank++) {
        if neighbours[2u * params.pairs * a + rank].x == b {
            atomicAdd(&trails[a * params.neighbours + rank], amount);
        }
        if neighbours[2u * params.pairs * b + rank].x == a {
            atomicAdd(&trails[b * params.neighbours + rank], amount);
        }
    }
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let unit = best_walk(ant);
    let count = assemblies[unit * kept_words() + 2u];
    if count == 0u {
        return;
    }
    let own = ant * params.cities;
    if lane == 0u {
        var begin = 0u;
        var end = 0u;
        for (var path = 0u; path < count; path++) {
            begins[end >> 1u] = begin | select(0u, BACKWARDS, (end & 1u) == 1u);
            begin += path_cities(kept_path(unit, end >> 1u));
            end = assemblies[kept_path(unit, end >> 1u) + 3u - (end & 1u)];
        }
        if begin != params.cities || end != 0u {
            state.failures |= 4u;
        }
        let gain = assemblies[unit * kept_words()];
        let cost = costs[ant];
        costs[ant] = vec2<u32>(cost.x - gain, cost.y - select(0u, 1u, cost.x < gain));
    }
    for (var path = lane; path < count; path += LANES) {
        let at = kept_path(unit, path);
        let last = assemblies[at + 1u];
        lay(tours[own + last], tours[own + turned(last + 1u)], 0xFFFFFFFFu);
        for (var side = 0u; side < 2u; side++) {
            let tied = assemblies[at + 2u + side];
            if tied > 2u * path + side {
                lay(end_city(own, unit, 2u * path + side), end_city(own, unit, tied), 1u);
            }
        }
    }
    workgroupBarrier();
    for (var path = 0u; path < count; path++) {
        let at = kept_path(unit, path);
        let cities = path_cities(at);
        let begin = begins[path] & ~BACKWARDS;
        let backwards = (begins[path] & BACKWARDS) != 0u;
        for (var step = lane; step < cities; step += LANES) {
            let city = tours[own + turned(assemblies[at] + step)];
            positions[own + city] = begin + select(step, cities - 1u - step, backwards);
        }
    }
    storageBarrier();
    workgroupBarrier();
    for (var city = lane; city < params.cities; city += LANES) {
        tours[own + positions[own + city]] = city;
    }
}
