// The search of each ant's assignment by exchanging two facilities, one workgroup an ant: robust tabu search (TABU; Taillard
// 1991; Tsutsui and Fujimoto 2011, section 4.2) or 2-opt by the best exchange. In each iteration the exchange of least cost is
// made, the lowest pair on a tie; in a tabu search unless it is tabu and leads to nothing better than the best so far, in 2-opt
// only while it lowers the cost. The best assignment found stays in `tours`.
//
// How the changes of cost are kept and shared among invocations (changes_*) and where their table lies (table_in_*) changes no
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
    /// Words of a row of the table of products.
    pitch: u32,
    /// Words of an ant's memory.
    memory_words: u32,
    /// Iterations of a search, and of one dispatch.
    iterations: u32,
    steps: u32,
    /// The longest tenure of a tabu.
    tenure: u32,
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

/// The location of each facility.
var<workgroup> place: array<u32, PLACES>;
/// By the exchange of r and s the flows from r less those from s, and for each facility the distance from the new location of r
/// less that from its old one.
var<workgroup> x: array<i32, PLACES>;
var<workgroup> y: array<i32, PLACES>;
#if ASYMMETRIC
/// The same for the way back.
var<workgroup> x_back: array<i32, PLACES>;
var<workgroup> y_back: array<i32, PLACES>;
#endif

#include shared/least
#include qap/matrices
#include qap/pairs
#include qap/memory
#include qap/change
#if TABLE_IN_STORAGE
#include qap/table_in_storage
#else
#include qap/table_in_workgroup
#endif
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
    return pair.x * params.facilities + pair.y;
}

/// The least change of the lane's exchanges and its number; the order of changes is kept in an unsigned number.
fn best_of_lane(home: u32, lane: u32, iteration: u32, aspiration: i32) -> vec2<u32> {
    let n = params.facilities;
    let rows_each = LANES / n;
    let columns_each = LANES % n;
    var row = lane / n;
    var column = lane % n;
    var low = NONE;
    var who = NONE;
    while row < pair_rows() {
        let pair = pair_at(row, column);
        if pair.x != NONE {
            let index = row * n + column;
            let change = change_of(pair, index);
            let key = bitcast<u32>(change) ^ 0x80000000u;
            let number = number_of(pair);
            if key < low || (key == low && number < who) {
#if TABU
                if change < aspiration || memory[home + barred_at() + index] <= iteration {
                    low = key;
                    who = number;
                }
#else
                low = key;
                who = number;
#endif
            }
        }
        row += rows_each;
        column += columns_each;
        if column >= n {
            column -= n;
            row += 1u;
        }
    }
    return vec2<u32>(low, who);
}

/// The vectors of the exchange of r and s, before they move.
fn set_vectors(r: u32, s: u32, lane: u32) {
    let at_r = place[r];
    let at_s = place[s];
    for (var u = lane; u < params.facilities; u += LANES) {
        let at = select(select(place[u], at_r, u == s), at_s, u == r);
        x[u] = entry(FLOWS_THERE, r, u) - entry(FLOWS_THERE, s, u);
        y[u] = entry(DISTANCES_THERE, at_s, at) - entry(DISTANCES_THERE, at_r, at);
#if ASYMMETRIC
        x_back[u] = entry(FLOWS_BACK, r, u) - entry(FLOWS_BACK, s, u);
        y_back[u] = entry(DISTANCES_BACK, at_s, at) - entry(DISTANCES_BACK, at_r, at);
#endif
    }
}

#if TABU
/// Iterations for which a facility must not go back: tenure times the cube of a uniform deviate.
fn tenure_of(word: u32) -> u32 {
    return mul_high(mul_high(mul_high(word, word), word), params.tenure);
}

/// The first iteration in which the exchange of `moved` and `other` is not tabu.
fn bar(home: u32, moved: u32, other: u32) {
    let tabu = home + visited_at();
    let forth = memory[tabu + moved * params.facilities + place[other]];
    let back = memory[tabu + other * params.facilities + place[moved]];
    memory[home + barred_at() + pair_index(moved, other)] = min(forth, back);
}
#endif

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let tag = state.iteration + 1u;
    if progress[ant].search.done == tag {
        return;
    }
    let n = params.facilities;
    let home = ant * params.memory_words;
    let keys = stream_keys(params.seed, state.iteration, ant ^ SEARCHING);
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
    table_begin(home + table_at(), lane);
    least_begin(lane);
    sync();
    changes_begin(lane);
    sync();

    let end = min(iteration + params.steps, params.iterations);
    var ended = params.iterations == 0u;
    while iteration < end && !ended {
        let own = best_of_lane(home, lane, iteration, fall_between(least_cost, present));
        let found = least_pair(lane, own.x, own.y);
        let number = found.y;
        let change = bitcast<i32>(found.x ^ 0x80000000u);
#if TABU
        let moving = number != NONE;
#else
        let moving = number != NONE && change < 0;
        ended = !moving;
#endif
        if moving {
            let r = number / n;
            let s = number % n;
            let at_r = place[r];
            let at_s = place[s];
            present = add_signed(present, change);
            let better = less_signed(present, least_cost);
            set_vectors(r, s, lane);
            changes_prepare(r, s, lane);
            sync();
            if lane == 0u {
                place[r] = at_s;
                place[s] = at_r;
#if TABU
                let from_r = iteration + 1u + tenure_of(random_word(keys, 2u * iteration));
                let from_s = iteration + 1u + tenure_of(random_word(keys, 2u * iteration + 1u));
                memory[home + visited_at() + r * n + at_r] = from_r;
                memory[home + visited_at() + s * n + at_s] = from_s;
#endif
            }
            sync();
            changes_update(r, s, lane);
#if TABU
            for (var u = lane; u < n; u += LANES) {
                if u != r {
                    bar(home, r, u);
                }
                if u != s && u != r {
                    bar(home, s, u);
                }
            }
#endif
            if better {
                least_cost = present;
                for (var u = lane; u < n; u += LANES) {
                    tours[ant * n + u] = place[u];
                }
            }
            moves += 1u;
            sync();
        }
        iteration += 1u;
    }
    ended = ended || iteration >= params.iterations;

    if !ended {
        table_end(home + table_at(), lane);
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
