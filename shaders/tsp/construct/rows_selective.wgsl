// As rows_trails, with a selective memory in the matrix's place (Skinderowicz 2016, section 3.2).

#include tsp/construct/found
#include shared/heuristic
#include tsp/selective

/// cities x candidates: city in the upper, heuristic weight in the lower 16 bits.
@group(0) @binding(7) var<storage, read> heuristic: array<u32>;
/// cities x (records, how many were ever added).
@group(0) @binding(8) var<storage, read_write> records: array<atomic<u32>>;
/// cities x cities.
@group(0) @binding(9) var<storage, read> distances: array<u32>;

/// Indices of options.
fn span() -> u32 {
    return params.candidates;
}

/// Options to ask for.
fn options() -> u32 {
    return params.candidates;
}

fn option(city: u32, i: u32) -> Found {
    let entry = heuristic[city * params.candidates + i];
    let other = entry >> 16u;
    if is_visited(other) {
        return Found(NONE, 0u, i);
    }
    let level = level_at(slot_of(city, other, params.pitch));
    return Found(other, min((entry & 0xFFFFu) + (level >> 2u), 0xFFFFu), i);
}

/// The option with an index.
fn indexed(city: u32, index: u32) -> Found {
    return option(city, index);
}

/// The city of an option.
fn city_of(city: u32, index: u32) -> u32 {
    return heuristic[city * params.candidates + index] >> 16u;
}

/// Where an ant without candidates goes first of all.
fn shortcut(city: u32) -> u32 {
    return NONE;
}

/// What an ant without candidates wants little of: the weight, upside down.
fn burden(city: u32, other: u32) -> u32 {
    let octaves = log2_distance(distances[city * params.cities + other]);
    let level = level_at(slot_of(city, other, params.pitch));
    return heuristic_fall(octaves, params.beta) + 0x10000u - (level >> 2u);
}

#if RELAXED
fn wear(city: u32, other: u32) {
    let slot = slot_of(city, other, params.pitch);
    keep_level(city, other, slot, worn_level(level_at(slot), params.local_rate), params.pitch);
}
#endif

/// After each step; for one invocation. Wears down the trail of the edge.
fn walked(city: u32, next: u32, step: u32) {
#if RELAXED
    if step % params.period == 0u {
        wear(city, next);
        if params.directed == 0u {
            wear(next, city);
        }
    }
#endif
}
