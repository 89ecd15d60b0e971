// A step weighs the city's candidate list by trails that change while ants walk (Ant Colony System). Beyond it the city
// of greatest weight follows.

#include construct/found
#include shared/heuristic

/// cities x candidates: city in the upper, heuristic weight in the lower 16 bits.
@group(0) @binding(7) var<storage, read> heuristic: array<u32>;
/// cities x cities.
@group(0) @binding(8) var<storage, read_write> trails: array<u32>;
/// cities x cities.
@group(0) @binding(9) var<storage, read> distances: array<u32>;

/// Indices of options.
fn span() -> u32 {
#if ONE_EACH
    return CANDIDATES;
#else
    return params.candidates;
#endif
}

/// Options to ask for.
fn options() -> u32 {
    return span();
}

/// The first trail, and its logarithm.
var<private> floor_trail: u32;
var<private> floor_log2: u32;

/// Before the first step.
fn rows_begin() {
    floor_trail = state.trail_min;
    floor_log2 = log2_fixed(floor_trail);
}

/// The trail's part of the weight of an edge, in 1/512 octave above the first trail.
fn trail_weight(city: u32, other: u32) -> u32 {
    let trail = max(trails[city * params.cities + other], floor_trail);
    return (log2_fixed(trail) - floor_log2) >> 7u;
}

fn option(city: u32, i: u32) -> Found {
    let entry = heuristic[city * span() + i];
    let other = entry >> 16u;
    if is_visited(other) {
        return Found(other, false, 0u, i);
    }
    return Found(other, true, min((entry & 0xFFFFu) + trail_weight(city, other), MOST_WEIGHT), i);
}

/// The option with an index.
fn indexed(city: u32, index: u32) -> Found {
    return option(city, index);
}

/// Where an ant without candidates goes first of all.
fn shortcut(city: u32) -> u32 {
    return NONE;
}

/// The nearest unvisited city that is known without a look at all; NONE when there is none.
fn nearby(city: u32, lane: u32) -> u32 {
    return NONE;
}

/// What an ant without candidates wants little of: the weight, upside down.
fn burden(city: u32, other: u32) -> u32 {
    let octaves = log2_distance(distances[city * params.cities + other]);
    return heuristic_fall(octaves, params.beta) + 0x10000u - trail_weight(city, other);
}

#if RELAXED
#include tsp/local_rule

fn wear(city: u32, other: u32) {
    let at = city * params.cities + other;
    // Plain accesses: what another ant did since this processor last saw the trail is lost, and so trails are worn down
    // less than walked on (Skinderowicz 2016, ACS-GPU-Alt).
    trails[at] = worn(trails[at], floor_trail, params.local_rate);
}
#endif

/// Before each step, and at the end, when the ant has come to a city.
fn arrive(city: u32, previous: u32, step: u32, lane: u32) {
}

/// After each step. Wears down the trail of the edge, and that of the way back beside it.
fn walked(city: u32, next: u32, step: u32, lane: u32) {
#if RELAXED
    if step % PERIOD == 0u {
        if lane == 0u {
            wear(city, next);
        }
        if lane == min(1u, CREW - 1u) && params.directed == 0u {
            wear(next, city);
        }
    }
#endif
}
