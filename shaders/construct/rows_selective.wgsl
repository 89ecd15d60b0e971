// As rows_trails, with a selective memory in the matrix's place (Skinderowicz 2016, section 3.2).

#include construct/found
#include shared/heuristic
#include tsp/selective

/// cities x candidates: city in the upper, heuristic weight in the lower 16 bits.
@group(0) @binding(7) var<storage, read> heuristic: array<u32>;
/// cities x (records, how many were ever added).
@group(0) @binding(8) var<storage, read_write> records: array<atomic<u32>>;
/// cities x cities.
@group(0) @binding(9) var<storage, read> distances: array<u32>;

/// The records of the city that the ant has come to.
#if COARSE
var<private> staged: array<u32, 32>;
#else
var<workgroup> staged: array<u32, 32>;
#endif

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

/// Where the staged records have an edge; NONE if they have not.
fn staged_slot(other: u32) -> u32 {
    var slot = NONE;
    for (var i = 0u; i + 1u < params.pitch; i++) {
        if (staged[i] >> 16u) == other {
            slot = i;
        }
    }
    return slot;
}

fn staged_level(other: u32) -> u32 {
    var level = 0u;
    for (var i = 0u; i + 1u < params.pitch; i++) {
        let record = staged[i];
        level = select(level, record & 0xFFFFu, (record >> 16u) == other);
    }
    return level;
}

fn option(city: u32, i: u32) -> Found {
    let entry = heuristic[city * span() + i];
    let other = entry >> 16u;
    if is_visited(other) {
        return Found(other, false, 0u, i);
    }
    return Found(other, true, min((entry & 0xFFFFu) + (staged_level(other) >> 2u), MOST_WEIGHT), i);
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
    return heuristic_fall(octaves, params.beta) + 0x10000u - (staged_level(other) >> 2u);
}

/// Before each step, and at the end, when the ant has come to a city: stages the city's records, and wears down the trail
/// back, which waited for them.
fn arrive(city: u32, previous: u32, step: u32, lane: u32) {
    let base = city * params.pitch;
    for (var i = lane; i + 1u < params.pitch; i += CREW) {
        staged[i] = atomicLoad(&records[base + i]);
    }
    crew_sync();
#if RELAXED
    if params.directed == 0u && step > 1u && (step - 1u) % PERIOD == 0u {
        if lane == 0u {
            wear_staged(city, previous);
        }
        crew_sync();
    }
#endif
}

#if RELAXED
/// Wears down the trail to another city from the one whose records are staged; for one invocation.
fn wear_staged(city: u32, other: u32) {
    let slot = staged_slot(other);
    var level = 0u;
    var place = slot;
    if slot == NONE {
        place = atomicAdd(&records[city * params.pitch + params.pitch - 1u], 1u) % (params.pitch - 1u);
    } else {
        level = staged[slot] & 0xFFFFu;
    }
    staged[place] = (other << 16u) | worn_level(level, params.local_rate);
    atomicStore(&records[city * params.pitch + place], staged[place]);
}

fn wear(city: u32, other: u32) {
    let slot = slot_of(city, other, params.pitch);
    keep_level(city, other, slot, worn_level(level_at(slot), params.local_rate), params.pitch);
}
#endif

/// After each step. Wears down the trail of the edge; the way back follows on arrival.
fn walked(city: u32, next: u32, step: u32, lane: u32) {
#if RELAXED
    if lane == 0u && step % PERIOD == 0u {
        wear_staged(city, next);
        if step == params.cities && params.directed == 0u {
            wear(next, city);
        }
    }
#endif
}
