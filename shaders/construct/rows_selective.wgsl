// As rows_trails, but trails are in a selective memory and not in a matrix (Skinderowicz 2016, section 3.2).

#include construct/found
#include shared/heuristic
#include pheromone/selective
#include construct/entry

/// cities x (records, how many were ever added).
@group(0) @binding(8) var<storage, read_write> records: array<atomic<u32>>;
/// cities x cities.
@group(0) @binding(9) var<storage, read> distances: array<u32>;

#include construct/rows_listed

/// Records of a city and the word that counts them, and quadruples of records.
override PITCH: u32 = 2u;
override QUADS: u32 = 1u;
/// The most records of a city; behind so many the word that counts them is staged.
const MOST_RECORDS: u32 = 32u;

/// The memory of the city that the ant has come to.
#if COARSE
var<private> staged: array<u32, MOST_RECORDS + 1u>;
#else
var<workgroup> staged: array<u32, MOST_RECORDS + 1u>;
#endif

/// Before the first step: slots without a record have no city.
fn rows_begin(lane: u32) {
    for (var first = 0u; first < 4u * QUADS; first += CREW) {
        if first + lane < 4u * QUADS {
            staged[first + lane] = NONE;
        }
    }
    crew_sync();
}

/// Stages a word of the memory.
fn stage(i: u32, word: u32) {
    if i < PITCH {
        staged[select(i, MOST_RECORDS, i == PITCH - 1u)] = word;
    }
}

/// Before looks behind the list and beyond it.
fn far_begin(city: u32) {
}

/// The trail's part of the weight of an edge from that city.
fn far_weight(city: u32, other: u32) -> u32 {
    var level = 0u;
    for (var i = 0u; i < 4u * QUADS; i += 4u) {
        let four = vec4<u32>(staged[i], staged[i + 1u], staged[i + 2u], staged[i + 3u]);
        level = select(level, four.x & 0xFFFFu, four.x >> 16u == other);
        level = select(level, four.y & 0xFFFFu, four.y >> 16u == other);
        level = select(level, four.z & 0xFFFFu, four.z >> 16u == other);
        level = select(level, four.w & 0xFFFFu, four.w >> 16u == other);
    }
    return level >> 2u;
}

fn option(city: u32, i: u32) -> Found {
    let entry = entry_at(city, i);
    return raised_option(entry, far_weight(city, entry >> 16u), i);
}

/// The burden of a city, which an ant without candidates wants little of: the greater the weight, the less the burden.
fn burden(city: u32, other: u32) -> u32 {
    let octaves = log2_distance(distances[city * params.cities + other]);
    return heuristic_fall(octaves, params.beta) + 0x10000u - far_weight(city, other);
}

/// This lane's word of the memory that will be staged.
var<private> record_ahead: u32;

/// When it is known that the ant goes to a city, before it arrives there.
fn look_ahead(city: u32, lane: u32) {
    entry_look(city, lane);
    record_ahead = atomicLoad(&records[city * PITCH + min(lane, PITCH - 1u)]);
}

/// Before each step, and where the tour ends and begins, when the ant has come to a city: stages its memory.
fn arrive(city: u32, lane: u32) {
    entry_arrive();
    stage(lane, record_ahead);
    for (var first = CREW; first < PITCH; first += CREW) {
        stage(first + lane, atomicLoad(&records[city * PITCH + min(first + lane, PITCH - 1u)]));
    }
    crew_sync();
}

/// When a step is made from `city`, to which the ant has come from `previous`: wears down the edge's trail at both cities, while
/// the next city's memory is loaded.
fn walked(previous: u32, city: u32, next: u32, chosen: bool, step: u32, lane: u32) {
#if RELAXED
    if step > 1u {
        walked_back(previous, city, step - 1u, lane);
    }
    if step % PERIOD == 0u {
        wear(city, next, lane);
    }
#endif
    // The next memory is staged over this one.
    crew_sync();
}

/// After a step to `city` from `previous`: wears down the trail at `city`.
fn walked_back(previous: u32, city: u32, step: u32, lane: u32) {
#if RELAXED
    if DIRECTED == 0u && step % PERIOD == 0u {
        wear(city, previous, lane);
    }
#endif
}

#if RELAXED
/// Wears down the trail from the city whose memory is staged; for all lanes.
fn wear(city: u32, other: u32, lane: u32) {
    let base = city * PITCH;
    var found = false;
    for (var first = 0u; first + 1u < PITCH; first += CREW) {
        let i = first + lane;
        if i + 1u < PITCH {
            let record = staged[i];
            if record >> 16u == other {
                let less = (other << 16u) | worn_level(record & 0xFFFFu, params.local_rate << 16u);
                staged[i] = less;
                atomicStore(&records[base + i], less);
                found = true;
            }
        }
    }
    if !anyone(lane, found) {
        // Overwrites the oldest record. When two ants add a record at the same time, one of both may be lost.
        let added = staged[MOST_RECORDS];
        crew_sync();
        if lane == 0u {
            staged[added % (PITCH - 1u)] = other << 16u;
            staged[MOST_RECORDS] = added + 1u;
            atomicStore(&records[base + added % (PITCH - 1u)], other << 16u);
            atomicStore(&records[base + PITCH - 1u], added + 1u);
        }
    }
    crew_sync();
}
#endif
