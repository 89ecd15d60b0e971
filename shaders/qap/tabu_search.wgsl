// The search of each ant's assignment by exchanging two facilities, one workgroup an ant: robust tabu search (TABU; Taillard
// 1991; Tsutsui and Fujimoto 2011, section 4.2) or 2-opt by the best exchange. In each iteration the exchange of least cost is
// made, the lowest pair on a tie; in a tabu search unless it is tabu and leads to nothing better than the best so far, in 2-opt
// only while it lowers the cost. The best assignment found stays in `tours`.
//
// How the changes of cost are kept and shared among invocations (changes_*) and where their table lies (table_in_*, products_in_*) changes no
// result. The CPU twin is src/kernels/qap/tabu_search/twin.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include shared/progress
#include qap/progress
#include shared/wide

struct Params {
    seed: vec2<u32>,
    facilities: u32,
    /// Words of an ant's memory.
    memory_words: u32,
    /// Iterations of a search, those of the first, and those of one dispatch.
    iterations: u32,
    first_iterations: u32,
    steps: u32,
    /// The longest tenure of a tabu.
    tenure: u32,
    /// Facilities before those that stand for empty locations, two of which are never exchanged.
    filled: u32,
    /// Ants of a problem, and words of its matrices.
    ants: u32,
    matrix_words: u32,
    padding: u32,
}

const NONE: u32 = 0xFFFFFFFFu;
/// Sets the streams of searches apart from those of construction.
const SEARCHING: u32 = 0x80000000u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> matrices: array<u32>;
@group(0) @binding(3) var<storage, read> state: State;
@group(0) @binding(4) var<storage, read_write> progress: array<Progress>;
/// ants x facilities: the location of each facility.
@group(0) @binding(5) var<storage, read_write> tours: array<u32>;
@group(0) @binding(6) var<storage, read_write> memory: array<u32>;

override LANES: u32 = 128u;
override PLACES: u32 = 1u;
/// Workgroups that come to a processor; the CUDA backend reads it, which lets each invocation have as many registers as they leave.
override RESIDENT: u32 = 1u;

/// The location of each facility.
var<workgroup> place: array<u32, PLACES>;
/// By the exchange of r and s for each facility, x: the flow from r less that from s, y: the distance from the new location of r
/// less that from its old one. With PRODUCTS all of them twice, as on a circle.
override VECTORS: u32 = 1u;
var<workgroup> vectors: array<vec2<i32>, VECTORS>;
#if ASYMMETRIC
/// The same for the way back.
var<workgroup> vectors_back: array<vec2<i32>, VECTORS>;
#endif

#if SUBGROUPS
#include shared/least_subgroups
#else
#include shared/least
#endif
#include qap/matrices
#if PRODUCTS
#else
#include qap/pairs
#endif
#include qap/memory
#include qap/change
#if PRODUCTS
#include qap/changes_products
#else
#include qap/changes_pairs
#endif

fn sync() {
    storageBarrier();
    workgroupBarrier();
}

/// An exchange as one number, ordered like its pair.
fn number_of(pair: vec2<u32>) -> u32 {
    return (pair.x << 16u) | pair.y;
}

/// An exchange of two facilities, r < s, at their old locations, and the first iterations in which they may go back there.
struct Exchange {
    r: u32,
    s: u32,
    at_r: u32,
    at_s: u32,
    until_r: u32,
    until_s: u32,
    /// The next iteration.
    next: u32,
}

/// The location of a facility after an exchange.
fn place_after(exchange: Exchange, u: u32) -> u32 {
    return select(select(place[u], exchange.at_r, u == exchange.s), exchange.at_s, u == exchange.r);
}

#if TABU
/// Keeps until when both facilities must not go back; for one invocation.
fn bar_both(home: u32, exchange: Exchange) {
    memory[home + visited_at() + class_of(exchange.r) * params.facilities + exchange.at_r] = exchange.until_r;
    memory[home + visited_at() + class_of(exchange.s) * params.facilities + exchange.at_s] = exchange.until_s;
}
#endif

#if TABU
/// The first iteration in which a facility, or one like it, may go back to a location.
fn tabu_until(home: u32, facility: u32, location: u32) -> u32 {
    return memory[home + visited_at() + class_of(facility) * params.facilities + location];
}

/// Whether to exchange two facilities changes nothing, whatever stands elsewhere.
fn alike(u: u32, v: u32) -> bool {
#if ALIKE
    return class_of(u) == class_of(v);
#else
    return u == v;
#endif
}

/// Whether the exchange of two facilities is tabu wherever they stand.
fn always_tabu(u: u32, v: u32) -> bool {
    return alike(u, v) || (u >= params.filled && v >= params.filled);
}

/// The first iteration in which the exchange of two facilities is not tabu.
fn exchange_until(home: u32, u: u32, v: u32) -> u32 {
    return select(min(tabu_until(home, u, place[v]), tabu_until(home, v, place[u])), NEVER, alike(u, v));
}
#endif

/// Distance from the new location of r to a location less that from its old one.
fn toward(distances: u32, exchange: Exchange, location: u32) -> i32 {
    return entry(distances, exchange.at_s, location) - entry(distances, exchange.at_r, location);
}

fn vector_of(flows: u32, distances: u32, exchange: Exchange, u: u32) -> vec2<i32> {
    let x = entry(flows, exchange.r, u) - entry(flows, exchange.s, u);
    return vec2<i32>(x, toward(distances, exchange, place_after(exchange, u)));
}

/// The vectors of an exchange, before both facilities move.
fn set_vectors(exchange: Exchange, lane: u32) {
    let n = params.facilities;
    for (var u = lane; u < n; u += LANES) {
        vectors[u] = vector_of(FLOWS_THERE, DISTANCES_THERE, exchange, u);
#if ASYMMETRIC
        vectors_back[u] = vector_of(FLOWS_BACK, DISTANCES_BACK, exchange, u);
#endif
#if PRODUCTS
        vectors[n + u] = vectors[u];
#if ASYMMETRIC
        vectors_back[n + u] = vectors_back[u];
#endif
#endif
    }
}

#if TABU
/// Iterations for which a facility must not go back: tenure times the cube of a uniform deviate.
fn tenure_of(word: u32) -> u32 {
    return mul_high(mul_high(mul_high(word, word), word), params.tenure);
}
#endif

/// The first iteration of the ants in which searches have all their iterations, counted from 0.
const FULL_FROM: u32 = 7u;

/// Iterations of a search in an iteration of the ants: in each twice as many as in the last, until they have all.
fn iterations_of(iteration: u32) -> u32 {
    if iteration < FULL_FROM {
        return min(params.first_iterations << iteration, params.iterations);
    }
    return params.iterations;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let tag = state.iteration + 1u;
    if progress[ant].search.done == tag {
        return;
    }
    let n = params.facilities;
    let home = ant * params.memory_words;
    let keys = stream_keys(params.seed, state.iteration, begin_problem(ant) ^ SEARCHING);
    var iteration = 0u;
    var moves = 0u;
    var present = vec2<u32>(0u, 0u);
    var least_cost = vec2<u32>(0u, 0u);
    if progress[ant].search.begun == tag {
        iteration = progress[ant].search.iterations;
        moves = progress[ant].search.moves;
        present = vec2<u32>(progress[ant].search.present_low, progress[ant].search.present_high);
        least_cost = vec2<u32>(progress[ant].search.least_low, progress[ant].search.least_high);
    }
    for (var u = lane; u < n; u += LANES) {
        place[u] = memory[home + u];
    }
    least_begin(lane);
    sync();
    changes_begin(home, lane);
    sync();

    let all = iterations_of(state.iteration);
    let end = min(iteration + params.steps, all);
    var ended = all == 0u;
    while iteration < end && !ended {
        let found = choose(home, lane, iteration, fall_between(least_cost, present));
        let number = found.y;
        let change = bitcast<i32>(found.x ^ 0x80000000u);
#if TABU
        let moving = number != NONE;
#else
        let moving = number != NONE && change < 0;
        ended = !moving;
#endif
        if moving {
            var exchange: Exchange;
            exchange.r = number >> 16u;
            exchange.s = number & 0xFFFFu;
            exchange.at_r = place[exchange.r];
            exchange.at_s = place[exchange.s];
            exchange.next = iteration + 1u;
#if TABU
            exchange.until_r = iteration + 1u + tenure_of(random_word(keys, 2u * iteration));
            // r comes before s: it is not empty.
            let until_s = iteration + 1u + tenure_of(random_word(keys, 2u * iteration + 1u));
            exchange.until_s = select(until_s, NEVER, exchange.s >= params.filled);
#endif
            make(home, exchange, lane);
            present = add_signed(present, change);
            if less_signed(present, least_cost) {
                least_cost = present;
                for (var u = lane; u < n; u += LANES) {
                    tours[ant * n + u] = place_after(exchange, u);
                }
            }
            moves += 1u;
        }
        iteration += 1u;
    }
    ended = ended || iteration >= all;

    if !ended {
        sync();
        changes_end(home, lane);
        for (var u = lane; u < n; u += LANES) {
            memory[home + u] = place[u];
        }
    }
    if lane == 0u {
        progress[ant].search.begun = tag;
        progress[ant].search.iterations = iteration;
        progress[ant].search.moves = moves;
        progress[ant].search.present_low = present.x;
        progress[ant].search.present_high = present.y;
        progress[ant].search.least_low = least_cost.x;
        progress[ant].search.least_high = least_cost.y;
        if ended {
            progress[ant].search.done = tag;
        }
    }
}
