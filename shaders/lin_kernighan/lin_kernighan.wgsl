// Lin-Kernighan search with neighbour lists and don't-look bits on the tour of each ant, one workgroup an ant (Lin and
// Kernighan 1973; array tours as in Johnson and McGeoch 1997). Tour and queue: array_tour.
//
// From each city of a first-in first-out queue, in both directions, a move is built (lin_kernighan/moves). The queue begins with the
// cities whose edges are not both those of the best tour since the restart, which has been searched already (as in Skinderowicz
// 2022); in the first iteration with all.
// The CPU twin is src/kernels/lin_kernighan/twin.rs.

#include shared/call
#include shared/state
#include shared/progress
#include lin_kernighan/progress

struct Params {
    cities: u32,
    /// Pairs of neighbours in a row of `neighbours`.
    pairs: u32,
    /// 32-bit words in a bitmask over the cities.
    words: u32,
    /// Loop turns an invocation may spend in one dispatch.
    budget: u32,
    /// Cities looked at, and steps, after which the search of a tour ends, improved as far as it is.
    max_looks: u32,
    max_steps: u32,
    /// Positions between two cities, along the tour, up to which the path between them is not long.
    long: u32,
    /// So many leading cities are joined two and two by edges that stay.
    paired: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// cities x pairs x two of (city, distance), nearest first; rows are filled up with distance 2^32 - 1.
@group(0) @binding(2) var<storage, read> neighbours: array<vec2<u32>>;
/// See distance.wgsl.
@group(0) @binding(3) var<storage, read> distances: array<u32>;
@group(0) @binding(4) var<storage, read> state: State;
@group(0) @binding(5) var<storage, read_write> progress: array<Progress>;
/// ants x half the cities: work queues, two cities a word.
@group(0) @binding(6) var<storage, read_write> queues: array<u32>;
/// ants x cities.
@group(0) @binding(7) var<storage, read_write> tours: array<u32>;

/// cities x (city before, city after) in the best tour since the restart.
#if TOUR_IN_STORAGE
@group(0) @binding(9) var<storage, read> links: array<vec2<u32>>;
#else
@group(0) @binding(8) var<storage, read> links: array<vec2<u32>>;
#endif

override LANES: u32 = 32u;
override WORDS: u32 = 1u;
override CITIES: u32 = 1u;
override HALF: u32 = 1u;
/// Neighbours of a city.
override NEAR: u32 = 10u;

const NONE: u32 = 0xFFFFFFFFu;

#if SUBGROUPS
#include shared/least_subgroups
#else
#include shared/least
#endif
#include shared/array_tour/queue
#include shared/array_tour
#include shared/distance
#include shared/pairs

fn is_fixed(a: u32, b: u32) -> bool {
    return is_pair(a, b);
}
#include lin_kernighan/moves

/// The neighbour of a city at a rank, with its distance.
fn near(city: u32, rank: u32) -> vec2<u32> {
    return neighbours[city * NEAR + rank];
}

/// Queues the cities that do not lie between the same two as in the best tour since the restart; how many there are.
fn queue_changed(lane: u32) -> u32 {
    barrier();
    for (var city = lane; city < params.cities; city += LANES) {
        let before = step_from(city, false);
        let after = step_from(city, true);
        let known = links[city];
        let same = (known.x == before && known.y == after) || (known.x == after && known.y == before);
        if !same {
            atomicOr(&queued[city >> 5u], 1u << (city & 31u));
        }
    }
    return queue_marked(lane);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let tag = state.iteration + 1u;
    if progress[ant].search.done == tag {
        return;
    }
    let cities = params.cities;
    let resumed = progress[ant].search.begun == tag;
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&queued[word], 0u);
    }
    least_begin(lane);
    load_tour(ant, lane);
    load_queue(ant, lane, resumed);
    var head = 0u;
    var looks = 0u;
    var kept = cities;
    steps = 0u;
    if resumed {
        head = progress[ant].search.head;
        looks = progress[ant].search.looks;
        steps = progress[ant].search.steps;
        kept = progress[ant].search.waiting;
    } else if state.iteration == 0u {
        for (var half = lane; half < queue_halves(); half += LANES) {
            set_queue_half(half, (half * 2u) | ((half * 2u + 1u) << 16u));
        }
    } else {
        kept = queue_changed(lane);
    }
    wait_from(head, kept, lane);

    // What the longest look may take is kept back.
    let reserve = longest_look();
    spent = (cities + LANES - 1u) / LANES * 8u + cities + 3u * params.words + 9u;
    var done = false;
    loop {
        done = waiting == 0u || looks >= params.max_looks || steps >= params.max_steps;
        if done || spent + reserve >= params.budget {
            break;
        }
        let city = dequeue(head, lane);
        head = ring(head + 1u);
        looks += 1u;
        spent += 3u;
        look(city, lane);
    }
    workgroupBarrier();

    store_tour(ant, lane);
    if !done {
        store_queue(ant, lane);
    }
    if lane == 0u {
        progress[ant].search.begun = tag;
        progress[ant].search.head = head;
        progress[ant].search.waiting = waiting;
        progress[ant].search.looks = looks;
        progress[ant].search.steps = steps;
        if done {
            progress[ant].search.done = tag;
        }
    }
}
