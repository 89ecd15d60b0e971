// Where windows lie, one workgroup a window. A window is a stretch of a space-filling order of the cities, and so a compact
// piece of the plane; every other window consists of two, around both ends of an edge of the tour that leaves the stretch, by turns
// the longest one and any. Without that an edge longer than a window could never be removed.
//
// At the beginning windows follow each other in the first order, always in the same places: where the tour begins as that order, they
// are stretches of the tour, and all gains go together.
//
// A window's cities, labelled by their places, are put in the order of the tour. Between two that do not follow each other there,
// the tour's path outside the window counts as one edge that must stay. The CPU twin is src/kernels/windows/window_order.rs.

#include shared/call
#include shared/fixed
#include shared/state
#include shared/random

struct Params {
    seed: vec2<u32>,
    /// Cities of a window, and of the instance.
    cities: u32,
    all: u32,
    /// Places in the order from one window to the next one.
    stride: u32,
    orders: u32,
    /// Cities of a window rounded up to a power of two.
    padded: u32,
    windows: u32,
    /// Iterations at the beginning in which windows follow each other in the first order without overlap; how many there are.
    early: u32,
    early_windows: u32,
    /// So many leading cities are joined two and two by edges that must stay.
    paired: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// orders x cities: the city at each place of an order, and the place of each city.
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read> order_index: array<u32>;
/// The tour, and the position of each city in it.
@group(0) @binding(5) var<storage, read> bests: array<u32>;
@group(0) @binding(6) var<storage, read> positions: array<u32>;
/// A bit for each city.
@group(0) @binding(7) var<storage, read> unsettled: array<u32>;
/// See windows/window_place.
@group(0) @binding(8) var<storage, read_write> windows: array<u32>;
#if COORDINATES
/// orders x cities: where the city at each place lies.
@group(0) @binding(9) var<storage, read> coordinates: array<vec2<i32>>;
#else
/// cities x cities.
@group(0) @binding(9) var<storage, read> distances: array<u32>;
#endif

override LANES: u32 = 64u;
override PADDED: u32 = 1u;

const NONE: u32 = 0xFFFFFFFFu;

/// Sets the stream that places windows apart from those of their searches.
const PLACING: u32 = 0xFFFFFFFEu;

var<workgroup> keys: array<u32, PADDED>;

#include shared/least
#include shared/pairs
#include windows/window_place
#if SPACE
#include shared/space
#endif

/// How long an edge is, roughly.
fn length_of(base: u32, a: u32, b: u32) -> u32 {
#if COORDINATES
    let site_a = coordinates[base + order_index[base + a]];
    let site_b = coordinates[base + order_index[base + b]];
#if SPACE
    let apart = vec3<u32>(abs(place_in_space(site_a) - place_in_space(site_b)));
    return apart.x + apart.y + apart.z;
#else
    let apart = vec2<u32>(abs(site_a - site_b));
    return apart.x + apart.y;
#endif
#else
    return distances[a * params.all + b];
#endif
}

/// Where the window lies.
fn lay(number: u32, lane: u32) -> vec3<u32> {
    if state.iteration < params.early {
        let first = (state.iteration * params.windows + number) % params.early_windows * params.cities;
        return vec3<u32>(0u, first, turned(first + params.cities / 2u));
    }
    let keys = stream_keys(params.seed, state.iteration, PLACING);
    let which = mul_high(random_word(keys, 0u), params.orders);
    let first = (mul_high(random_word(keys, 1u), params.all) + number * params.stride) % params.all;
    let half = params.cities / 2u;
    let whole = vec3<u32>(which, first, turned(first + half));
    if (number & 1u) == 0u || 2u * params.cities >= params.all {
        return whole;
    }
    let own = stream_keys(params.seed, state.iteration, number);
    let base = which * params.all;
    var best = 0u;
    var who = NONE;
    for (var i = lane; i < params.cities; i += LANES) {
        let city = order[base + turned(first + i)];
        let next = bests[turned(positions[city] + 1u)];
        if turned(order_index[base + next] + params.all - first) >= params.cities {
            let value = select(random_word(own, NONE - i), length_of(base, city, next), (number & 2u) == 0u);
            if value > best {
                best = value;
                who = i;
            }
        }
    }
    let found = least_pair(lane, ~best, who);
    if found.y == NONE {
        return whole;
    }
    let city = order[base + turned(first + found.y)];
    let next = bests[turned(positions[city] + 1u)];
    // Each end in the middle of its half.
    let back = params.all - half / 2u;
    let a = turned(turned(first + found.y) + back);
    let b = turned(order_index[base + next] + back);
    let ahead = turned(b + params.all - a);
    if ahead < half || params.all - ahead < params.cities - half {
        return whole;
    }
    return vec3<u32>(which, a, b);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = call.first + group.x;
    least_begin(lane);
    workgroupBarrier();
    let here = lay(number, lane);
    let base = here.x * params.all;
    for (var i = lane; i < params.padded; i += LANES) {
        var key = NONE;
        if i < params.cities {
            key = positions[order[base + place_of(here, i)]];
        }
        keys[i] = key;
    }
    workgroupBarrier();
    // Bitonic sort.
    for (var size = 2u; size <= params.padded; size *= 2u) {
        for (var span = size / 2u; span > 0u; span /= 2u) {
            for (var i = lane; i < params.padded / 2u; i += LANES) {
                let low = (i / span) * span * 2u + i % span;
                let high = low + span;
                let falling = (low & size) != 0u;
                let a = keys[low];
                let b = keys[high];
                if (a > b) != falling {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            workgroupBarrier();
        }
    }
    if lane == 0u {
        let at = number * window_words();
        windows[at] = here.x;
        windows[at + 1u] = here.y;
        windows[at + 2u] = here.z;
    }
    for (var i = lane; i < params.cities; i += LANES) {
        let position = keys[i];
        let next = keys[select(i + 1u, 0u, i + 1u == params.cities)];
        let city = bests[position];
        var word = label_of(here, order_index[base + city]);
        if turned(position + 1u) != next {
            word |= FIXED;
        }
        if is_pair(city, bests[next]) {
            word |= FIXED;
        }
        if (unsettled[city >> 5u] & (1u << (city & 31u))) != 0u {
            word |= UNSETTLED;
        }
        windows[window_home(number) + i] = word;
    }
}
