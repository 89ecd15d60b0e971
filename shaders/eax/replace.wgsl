// The best child that the walks of a pair have made takes the place of parent A, one workgroup an individual: the paths in their
// new order, its cost, and the trails, which count the tours that have an edge. The CPU twin is src/kernels/eax/replace.rs.

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
    /// Walks of an individual.
    walks: u32,
    /// Individuals whose tours the trails count. The run's best tour, where it is crossed beside them, comes after them.
    individuals: u32,
    padding_a: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// See eax/offspring.
@group(0) @binding(2) var<storage, read> offspring: array<u32>;
/// cities x pairs of neighbours x (city, distance).
@group(0) @binding(3) var<storage, read> neighbours: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> state: State;
/// individuals x cities: the tours, and the position of each city in them.
@group(0) @binding(5) var<storage, read_write> tours: array<u32>;
@group(0) @binding(6) var<storage, read_write> positions: array<u32>;
/// individuals: low word, high word.
@group(0) @binding(7) var<storage, read_write> costs: array<vec2<u32>>;
/// cities x neighbours: tours that have the edge.
@group(0) @binding(8) var<storage, read_write> trails: array<atomic<u32>>;

override LANES: u32 = 64u;

const BACKWARDS: u32 = 0x80000000u;
const NONE: u32 = 0xFFFFFFFFu;

#include eax/offspring
#include eax/edge_counts

/// The paths: first and last position, and the ends that its ends are tied to.
var<workgroup> paths: array<vec4<u32>, PATHS>;
/// In the order of the new tour where each path begins, and which it is, BACKWARDS if its last city comes first.
var<workgroup> begins: array<u32, PATHS>;
var<workgroup> order: array<u32, PATHS>;

fn path_cities(path: u32) -> u32 {
    return turned(paths[path].y + params.cities - paths[path].x) + 1u;
}

/// The city at an end, as the tour that begins at `own` was.
fn end_city(own: u32, end: u32) -> u32 {
    let path = paths[end >> 1u];
    return tours[own + select(path.x, path.y, (end & 1u) == 1u)];
}

/// The walk of an individual that has the best child; the first on a tie.
fn best_walk(individual: u32) -> u32 {
    let first = individual * params.walks;
    var best = first;
    for (var unit = first + 1u; unit < first + params.walks; unit++) {
        let kept = vec2<u32>(offspring[best * kept_words()], offspring[best * kept_words() + 1u]);
        if is_better(offspring[unit * kept_words()], offspring[unit * kept_words() + 1u], kept) {
            best = unit;
        }
    }
    return best;
}

/// Adds to the trail of an edge, at both cities.
fn lay(a: u32, b: u32, amount: u32) {
    let here = trails_at(a, b);
    if here.x != NONE {
        atomicAdd(&trails[here.x], amount);
    }
    if here.y != NONE {
        atomicAdd(&trails[here.y], amount);
    }
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let individual = call.first + group.x;
    let unit = best_walk(individual);
    let count = offspring[unit * kept_words() + 2u];
    if count == 0u {
        return;
    }
    let own = individual * params.cities;
    for (var path = lane; path < count; path += LANES) {
        let at = kept_path(unit, path);
        paths[path] = vec4<u32>(offspring[at], offspring[at + 1u], offspring[at + 2u], offspring[at + 3u]);
    }
    workgroupBarrier();
    // Of each path the edge behind it goes, and those at its ends come, each from the end of the lower number.
    let counted = select(0u, 3u * count, individual < params.individuals);
    for (var edge = lane; edge < counted; edge += LANES) {
        let path = edge / 3u;
        let side = edge % 3u;
        if side == 2u {
            let last = paths[path].y;
            lay(tours[own + last], tours[own + turned(last + 1u)], 0xFFFFFFFFu);
        } else {
            let tied = select(paths[path].z, paths[path].w, side == 1u);
            if tied > 2u * path + side {
                lay(end_city(own, 2u * path + side), end_city(own, tied), 1u);
            }
        }
    }
    if lane == 0u {
        var begin = 0u;
        var end = 0u;
        for (var next = 0u; next < count; next++) {
            let path = end >> 1u;
            let backwards = (end & 1u) == 1u;
            begins[next] = begin;
            order[next] = path | select(0u, BACKWARDS, backwards);
            begin += path_cities(path);
            end = select(paths[path].w, paths[path].z, backwards);
        }
        if begin != params.cities || end != 0u {
            state.failures |= NO_TOUR;
        }
        let gain = offspring[unit * kept_words()];
        costs[individual] = subtract_wide(costs[individual], vec2<u32>(gain, 0u));
    }
    workgroupBarrier();
    let half = 1u << firstLeadingBit(count);
    for (var place = lane; place < params.cities; place += LANES) {
        // The last path that begins there or before.
        var next = 0u;
        for (var more = half; more > 0u; more >>= 1u) {
            let later = min(next + more, PATHS - 1u);
            next = select(next, later, (later < count) & (begins[later] <= place));
        }
        let path = paths[order[next] & ~BACKWARDS];
        let step = place - begins[next];
        let backwards = (order[next] & BACKWARDS) != 0u;
        let city = tours[own + turned(select(path.x + step, path.y + params.cities - step, backwards))];
        positions[own + city] = place;
    }
    storageBarrier();
    workgroupBarrier();
    for (var city = lane; city < params.cities; city += LANES) {
        tours[own + positions[own + city]] = city;
    }
}
