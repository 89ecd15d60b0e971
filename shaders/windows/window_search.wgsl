// Iterated Lin-Kernighan search of each window (`window_order` has laid it), one workgroup a window.
//
// First all unsettled cities are looked at, then kicks follow (lin_kernighan/chained). A search ends after `steps` steps. It leaves the removed
// edges: those of the colony's tour that are gone, with the cities that their ends are tied to instead.
// The CPU twin is src/kernels/windows/window_search/twin.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include lin_kernighan/chained_progress

struct Params {
    seed: vec2<u32>,
    /// Cities of a window, and of the instance.
    cities: u32,
    all: u32,
    /// Neighbours of a city.
    neighbours: u32,
    /// 32-bit words in a bitmask over the cities of a window.
    words: u32,
    /// Steps of a search.
    steps: u32,
    /// The most cities of a stretch that a kick moves.
    kick_length: u32,
    /// Loop turns an invocation may spend in one dispatch.
    budget: u32,
    /// Cities that a kick ruins and rebuilds; 0: none does.
    rebuild_length: u32,
    /// Words of the lists of neighbours in `near_index`, behind which places begin; 0 where there are none.
    listed: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
#if LISTED
/// cities x neighbours: the nearest cities, nearest first, or the city itself where there are no more; orders x cities: the place of each,
/// here since a kernel has no more than eight storage buffers everywhere.
@group(0) @binding(3) var<storage, read> near_index: array<u32>;
#else
/// orders x cities x neighbours: places of the nearest cities, nearest first, and how far they are.
@group(0) @binding(3) var<storage, read> near_index: array<vec2<u32>>;
#endif
#if COORDINATES
/// orders x cities: where the city at each place lies.
@group(0) @binding(4) var<storage, read> coordinates: array<vec2<i32>>;
#else
/// cities x cities.
@group(0) @binding(4) var<storage, read> distances: array<u32>;
#endif
@group(0) @binding(5) var<storage, read> order: array<u32>;
@group(0) @binding(6) var<storage, read> positions: array<u32>;
@group(0) @binding(7) var<storage, read_write> progress: array<ChainedProgress>;
/// See windows/window_place.
@group(0) @binding(8) var<storage, read_write> windows: array<u32>;
/// See merge/removed_list.
@group(0) @binding(9) var<storage, read_write> removed: array<u32>;

override LANES: u32 = 32u;
override WORDS: u32 = 1u;
override CITIES: u32 = 1u;
override HALF: u32 = 1u;
/// Neighbours of a city.
override NEAR: u32 = 10u;

const NONE: u32 = 0xFFFFFFFFu;
/// Which cities have an edge that must stay.
var<workgroup> tied: array<atomic<u32>, WORDS>;
/// Where the window lies, and where the ends of its edges that must stay.
var<private> here: vec3<u32>;
var<private> ends_home: u32;

#if SUBGROUPS
#include shared/least_subgroups
#else
#include shared/least
#endif
#include shared/array_tour/queue
#include shared/array_tour
#if COORDINATES
#include shared/distance_coordinates
#else
#include shared/distance_order
#endif
#include windows/window_place
#include merge/removed_list
#include windows/removed_edges

/// The label of a city's neighbour at a rank with its distance; for one outside the window the city itself, infinitely far.
fn near(city: u32, rank: u32) -> vec2<u32> {
#if LISTED
    let other = near_index[city_of(city) * NEAR + rank];
    let label = label_of(here, near_index[params.listed + here.x * params.all + other]);
    if (label == OUTSIDE) | (label == city) {
        return vec2<u32>(city, NONE);
    }
    return vec2<u32>(label, distance(city, label));
#else
    let row = here.x * params.all + place_of(here, city);
    let entry = near_index[row * NEAR + rank];
    let label = label_of(here, entry.x);
    return select(vec2<u32>(city, NONE), vec2<u32>(label, entry.y), label != OUTSIDE);
#endif
}

/// The other ends in lower and upper half of a city's edges that must stay, or OUTSIDE.
fn fixed_ends(city: u32) -> u32 {
    if (atomicLoad(&tied[city >> 5u]) & (1u << (city & 31u))) == 0u {
        return OUTSIDE | (OUTSIDE << 16u);
    }
    return windows[ends_home + city];
}

fn is_fixed(a: u32, b: u32) -> bool {
    let ends = fixed_ends(a);
    return ((ends & 0xFFFFu) == b) | ((ends >> 16u) == b);
}

fn city_of(label: u32) -> u32 {
    return order[here.x * params.all + place_of(here, label)];
}

/// Notes the cities that there were no steps left to look at.
fn note_left(number: u32, lane: u32) {
    for (var word = lane; word < params.words; word += LANES) {
        removed[number * removed_words() + 2u + word] = atomicLoad(&queued[word]);
    }
}

#include lin_kernighan/chained

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = call.first + group.x;
    let tag = state.iteration + 1u;
    if progress[number].search_done == tag {
        return;
    }
    let resumed = progress[number].search_begun == tag;
    let keys = stream_keys(params.seed, state.iteration, number);
    load_window(number, resumed, lane);
    var search = Search(0u, 0u, 0u, 0u, SETTLED);
    steps = 0u;
    journalled = 0u;
    spent = (params.cities + LANES - 1u) / LANES * 9u + 3u * params.words + params.cities + JOURNAL + 9u;
    if resumed {
        search = load_search(number, lane);
    } else {
        let_unsettled_wait(number, lane);
    }

    let save = window_home(number) + 2u * (params.cities + JOURNAL);
    search = search_on(search, keys, number, save, params.steps, lane);

    if ended {
        write_removed(number, search.gain, lane);
    } else {
        store_window(number, lane);
    }
    if lane == 0u {
        progress[number] = left_by(search, progress[number], tag);
    }
}

/// Loads the window's tour, as it was laid or as the dispatch before has left it, and which of its edges must stay.
fn load_window(number: u32, resumed: bool, lane: u32) {
    let cities = params.cities;
    here = window_place_of(number);
    ends_home = window_home(number) + 3u * cities + 2u * JOURNAL;
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&queued[word], 0u);
        atomicStore(&tied[word], 0u);
    }
    if lane == 0u {
        tail = 0u;
        waiting = 0u;
    }
    least_begin(lane);
    let from_tour = window_home(number) + select(0u, cities, resumed);
    for (var i = lane; i < cities; i += LANES) {
        place_city(i, windows[from_tour + i] & LABEL);
#if COORDINATES_HERE
        spots_here[i] = stored_site(i);
#endif
    }
    workgroupBarrier();
    for (var i = lane; i < cities; i += LANES) {
        place_position(windows[from_tour + i] & LABEL, i);
        let word = word_at(number, i);
        let before = word_at(number, i + cities - 1u);
        let fixed_before = select(OUTSIDE, before & LABEL, (before & FIXED) != 0u);
        let fixed_behind = select(OUTSIDE, word_at(number, i + 1u) & LABEL, (word & FIXED) != 0u);
        if fixed_before != OUTSIDE || fixed_behind != OUTSIDE {
            let city = word & LABEL;
            atomicOr(&tied[city >> 5u], 1u << (city & 31u));
            windows[ends_home + city] = fixed_before | (fixed_behind << 16u);
        }
    }
    storageBarrier();
    barrier();
}

/// A new search begins with the window's unsettled cities.
fn let_unsettled_wait(number: u32, lane: u32) {
    for (var i = lane; i < params.cities; i += LANES) {
        let word = word_at(number, i);
        if (word & UNSETTLED) != 0u {
            atomicOr(&queued[(word & LABEL) >> 5u], 1u << (word & 31u));
        }
    }
    wait_from(0u, queue_marked(lane), lane);
}

/// Loads the queue, the journal and all else that the dispatch before has left.
fn load_search(number: u32, lane: u32) -> Search {
    let cities = params.cities;
    let own_tour = window_home(number) + cities;
    let before = progress[number];
    let search = search_from(before);
    for (var i = lane; i < cities; i += LANES) {
        if (i & 1u) == 0u {
            let next = min(i + 1u, cities - 1u);
            set_queue_half(i >> 1u, (windows[own_tour + i] >> 16u) | (windows[own_tour + next] & 0xFFFF0000u));
        }
    }
    for (var i = lane; i < min(journalled, JOURNAL); i += LANES) {
        let at = window_home(number) + 2u * (cities + i);
        journal[i] = vec2<u32>(windows[at], windows[at + 1u]);
    }
    wait_from(before.head, before.waiting, lane);
    return search;
}

/// Leaves tour, queue and journal to the next dispatch.
fn store_window(number: u32, lane: u32) {
    let cities = params.cities;
    let own_tour = window_home(number) + cities;
    for (var i = lane; i < cities; i += LANES) {
        windows[own_tour + i] = city_at(i) | (queue_slot(i) << 16u);
    }
    for (var i = lane; i < min(journalled, JOURNAL); i += LANES) {
        let at = window_home(number) + 2u * (cities + i);
        windows[at] = journal[i].x;
        windows[at + 1u] = journal[i].y;
    }
}
