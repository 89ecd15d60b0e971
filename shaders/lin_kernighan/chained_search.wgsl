// Chained Lin-Kernighan search of whole tours, one workgroup a walk (lin_kernighan/chained). Several tours, each of cities of its own, may lie
// in the buffers one behind the other, with several walks each; `heads` says what they are. In the first iteration all cities are looked at
// before the first kick, whatever steps that takes.
// The CPU twin is src/kernels/lin_kernighan/chained_search/twin.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include lin_kernighan/chained_progress

struct Params {
    /// Room for the cities of a tour.
    cities: u32,
    /// 32-bit words in a bitmask over them.
    words: u32,
    /// Walks of a tour.
    walks: u32,
    /// Loop turns an invocation may spend in one dispatch.
    budget: u32,
    /// So many leading cities are joined two and two by edges that stay.
    paired: u32,
    /// Pairs of neighbours in a row of `neighbours`.
    pairs: u32,
    padding_a: u32,
    padding_b: u32,
}

/// A tour, and how its walks search it.
struct Head {
    seed: vec2<u32>,
    /// Its cities; 0: the walks make no further steps.
    cities: u32,
    /// Where they begin among the cities of all tours.
    first: u32,
    /// Steps of an iteration.
    steps: u32,
    /// The most cities of a stretch that a kick moves.
    kick_length: u32,
    /// Cities that a kick ruins and rebuilds; 0: none does.
    rebuild_length: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
@group(0) @binding(3) var<storage, read> heads: array<Head>;
/// cities of all tours x pairs of neighbours x (city, distance), nearest first.
@group(0) @binding(4) var<storage, read> neighbours: array<vec2<u32>>;
/// Whole coordinates of the cities of all tours; or of the only one a matrix.
@group(0) @binding(5) var<storage, read> distances: array<u32>;
@group(0) @binding(6) var<storage, read_write> progress: array<ChainedProgress>;
/// walks x room for cities.
@group(0) @binding(7) var<storage, read_write> tours: array<u32>;
/// walks: low word, high word.
@group(0) @binding(8) var<storage, read_write> costs: array<vec2<u32>>;
/// walks x what each keeps between dispatches: its queue, a tour before a kick, the journal.
@group(0) @binding(9) var<storage, read_write> kept: array<u32>;

override LANES: u32 = 32u;
override WORDS: u32 = 1u;
override CITIES: u32 = 1u;
override HALF: u32 = 1u;
/// Neighbours of a city.
override NEAR: u32 = 10u;

const NONE: u32 = 0xFFFFFFFFu;
/// No city.
const OUTSIDE: u32 = 0xFFFFu;
/// Steps a city beside the others in the first iteration.
const FIRST_STEPS: u32 = 16u;

var<private> own: Head;

#if SUBGROUPS
#include shared/least_subgroups
#else
#include shared/least
#endif
#include shared/array_tour/queue
#include shared/array_tour
#include shared/pairs
#if COORDINATES
#include shared/site

var<workgroup> spots_here: array<Site, CITIES>;

fn site(city: u32) -> Site {
    return spots_here[city];
}
#else
alias Site = u32;

fn site(city: u32) -> Site {
    return city;
}

fn distance_between(a: Site, b: Site) -> u32 {
    return distances[a * own.cities + b];
}
#endif

fn distance(a: u32, b: u32) -> u32 {
    return distance_between(site(a), site(b));
}

/// The neighbour of a city at a rank, with its distance.
fn near(city: u32, rank: u32) -> vec2<u32> {
    return neighbours[(own.first + city) * NEAR + rank];
}

fn is_fixed(a: u32, b: u32) -> bool {
    return is_pair(a, b);
}

/// The other ends in lower and upper half of a city's edges that must stay, or OUTSIDE.
fn fixed_ends(city: u32) -> u32 {
    return select(OUTSIDE, city ^ 1u, is_pair(city, city ^ 1u)) | (OUTSIDE << 16u);
}

/// Where what a walk keeps begins: its queue; the tour before its last kick; its journal.
fn kept_at(walk: u32) -> u32 {
    return walk * (2u * params.cities + 2u * JOURNAL);
}

/// Where there were no steps left to look at cities before the first kick, these are looked at when a kick comes by.
fn note_left(number: u32, lane: u32) {
}

#include lin_kernighan/chained

/// Loads the tour, and whatever the dispatch before has left.
fn load(walk: u32, resumed: bool, lane: u32) -> Search {
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&queued[word], 0u);
    }
    if lane == 0u {
        tail = 0u;
        waiting = 0u;
    }
    least_begin(lane);
    let home = walk * params.cities;
    for (var i = lane; i < own.cities; i += LANES) {
        place_city(i, tours[home + i]);
#if COORDINATES
        let at = 2u * (own.first + i);
        spots_here[i] = bitcast<vec2<i32>>(vec2<u32>(distances[at], distances[at + 1u]));
#endif
    }
    workgroupBarrier();
    for (var i = lane; i < own.cities; i += LANES) {
        place_position(tours[home + i], i);
    }
    barrier();
    if !resumed {
        // All cities in the first iteration; later ones begin with a kick.
        let count = select(0u, own.cities, state.iteration == 0u);
        for (var half = lane; half < (count + 1u) / 2u; half += LANES) {
            let next = min(half * 2u + 1u, own.cities - 1u);
            set_queue_half(half, city_at(half * 2u) | (city_at(next) << 16u));
        }
        wait_from(0u, count, lane);
        return Search(0u, 0u, 0u, 0u, SETTLED);
    }
    let before = progress[walk];
    let search = search_from(before);
    let at = kept_at(walk);
    for (var half = lane; half < (own.cities + 1u) / 2u; half += LANES) {
        set_queue_half(half, kept[at + half]);
    }
    for (var i = lane; i < min(journalled, JOURNAL); i += LANES) {
        let entry = at + 2u * (params.cities + i);
        journal[i] = vec2<u32>(kept[entry], kept[entry + 1u]);
    }
    wait_from(before.head, before.waiting, lane);
    return search;
}

/// Leaves tour, queue and journal to the next dispatch.
fn store(walk: u32, lane: u32) {
    let at = kept_at(walk);
    for (var i = lane; i < own.cities; i += LANES) {
        tours[walk * params.cities + i] = city_at(i);
    }
    for (var half = lane; half < (own.cities + 1u) / 2u; half += LANES) {
        kept[at + half] = queue_slot(2u * half) | (queue_slot(2u * half + 1u) << 16u);
    }
    for (var i = lane; i < min(journalled, JOURNAL); i += LANES) {
        let entry = at + 2u * (params.cities + i);
        kept[entry] = journal[i].x;
        kept[entry + 1u] = journal[i].y;
    }
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let walk = call.first + group.x;
    let tag = state.iteration + 1u;
    own = heads[walk / params.walks];
    if own.cities == 0u || progress[walk].search_done == tag {
        return;
    }
    let resumed = progress[walk].search_begun == tag;
    let keys = stream_keys(own.seed, state.iteration, walk % params.walks);
    steps = 0u;
    journalled = 0u;
    spent = (params.cities + LANES - 1u) / LANES * 9u + 3u * params.words + params.cities + JOURNAL + 9u;
    let begun = load(walk, resumed, lane);
    let most = own.steps + select(0u, FIRST_STEPS * own.cities, state.iteration == 0u);
    let search = search_on(begun, keys, walk, kept_at(walk) + params.cities, most, lane);
    workgroupBarrier();
    store(walk, lane);
    if lane == 0u {
        progress[walk] = left_by(search, progress[walk], tag);
        if ended {
            costs[walk] = subtract_wide(costs[walk], vec2<u32>(search.gain, 0u));
        }
    }
}
