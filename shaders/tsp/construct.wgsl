// Tour construction: one workgroup an ant, candidate lists, weighted reservoir sampling (Skinderowicz 2020, section 4.1).
//
// Each step adds a Gumbel deviate to the log-weight of each unvisited candidate and takes the largest sum, which draws a
// candidate with probability proportional to its weight. When every candidate is visited, the city's unvisited neighbour
// in the best tour since the restart follows (the nearer of two): the edge that would have the strongest trail, if trails
// were kept outside candidate lists. When there is none, the nearest unvisited city follows (lowest index on a tie).
// One barrier a step: the maxima live in three slots used in turn.
// The CPU twin is src/kernels/construct.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include shared/progress

struct Params {
    seed: vec2<u32>,
    cities: u32,
    /// Candidates in a row of `choice`.
    candidates: u32,
    /// 32-bit words in an ant's bitmask of visited cities.
    words: u32,
    /// Loop turns an invocation may spend in one dispatch.
    budget: u32,
    padding_a: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// cities x candidates: city in the upper, selection weight in the lower 16 bits.
@group(0) @binding(2) var<storage, read> choice: array<u32>;
/// cities x cities.
@group(0) @binding(3) var<storage, read> distances: array<u32>;
@group(0) @binding(4) var<storage, read> tables: array<u32>;
@group(0) @binding(5) var<storage, read> state: State;
/// cities x (city before, city after) in the best tour since the restart.
@group(0) @binding(6) var<storage, read> links: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> progress: array<Progress>;
/// ants x words: the bitmasks of ants that ran out of budget.
@group(0) @binding(8) var<storage, read_write> visited_kept: array<u32>;
/// ants x cities.
@group(0) @binding(9) var<storage, read_write> tours: array<u32>;

override LANES: u32 = 32u;
override WORDS: u32 = 1u;

var<workgroup> visited: array<atomic<u32>, WORDS>;
var<workgroup> best_key: array<atomic<u32>, 3>;
var<workgroup> best_slot: array<atomic<u32>, 3>;
var<workgroup> nearest_distance: array<atomic<u32>, 3>;
var<workgroup> nearest_city: array<atomic<u32>, 3>;

#include shared/gumbel

const NONE: u32 = 0xFFFFFFFFu;

fn is_visited(city: u32) -> bool {
    return ((atomicLoad(&visited[city >> 5u]) >> (city & 31u)) & 1u) == 1u;
}

/// The unvisited neighbour of `city` in the best tour since the restart, the nearer of two; NONE without one.
fn linked(city: u32) -> u32 {
    let link = links[city];
    let row = city * params.cities;
    let before = select(NONE, distances[row + link.x], !is_visited(link.x));
    let after = select(NONE, distances[row + link.y], !is_visited(link.y));
    if before == NONE && after == NONE {
        return NONE;
    }
    return select(link.x, link.y, after < before);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let tag = state.iteration + 1u;
    if progress[ant].construct_done == tag {
        return;
    }
    let cities = params.cities;
    let candidates = params.candidates;
    let tour = ant * cities;
    let keys = stream_keys(params.seed, state.iteration, ant);
    var step = 1u;
    var city = mul_high(random_word(keys, NONE), cities);

    if progress[ant].construct_begun == tag {
        step = progress[ant].step;
        city = tours[tour + step - 1u];
        for (var word = lane; word < params.words; word += LANES) {
            atomicStore(&visited[word], visited_kept[ant * params.words + word]);
        }
    } else {
        for (var word = lane; word < params.words; word += LANES) {
            let real = min(cities - word * 32u, 32u);
            var bits = select(NONE << real, 0u, real == 32u);
            if word == city >> 5u {
                bits |= 1u << (city & 31u);
            }
            atomicStore(&visited[word], bits);
        }
        if lane == 0u {
            tours[tour] = city;
        }
    }
    if lane < 3u {
        atomicStore(&best_key[lane], 0u);
        atomicStore(&best_slot[lane], NONE);
        atomicStore(&nearest_distance[lane], NONE);
        atomicStore(&nearest_city[lane], NONE);
    }
    workgroupBarrier();

    let scan_turns = (params.words + LANES - 1u) / LANES * 33u + 2u;
    let step_turns = (candidates + LANES - 1u) / LANES + 2u;
    var spent = (params.words + LANES - 1u) / LANES * 2u + 2u;
    var turn = 0u;
    var scan = 0u;
    while step < cities && spent < params.budget {
        spent += step_turns;
        let row = city * candidates;
        let spare = (turn + 2u) % 3u;
        var key = 0u;
        var slot = NONE;
        for (var k = lane; k < candidates; k += LANES) {
            let entry = choice[row + k];
            if !is_visited(entry >> 16u) {
                let sum = ((entry & 0xFFFFu) << 6u) + gumbel(random_word(keys, step * candidates + k));
#if WIDE
                if sum > key {
                    key = sum;
                    slot = k;
                }
#else
                key = max(key, (sum << 9u) | (511u - k));
#endif
            }
        }
        atomicMax(&best_key[turn], key);
        workgroupBarrier();
        let winner = atomicLoad(&best_key[turn]);
        var next = 0u;
        if winner != 0u {
#if WIDE
            if key == winner {
                atomicMin(&best_slot[turn], slot);
            }
            workgroupBarrier();
            next = choice[row + atomicLoad(&best_slot[turn])] >> 16u;
#else
            next = choice[row + 511u - (winner & 511u)] >> 16u;
#endif
        } else {
            next = linked(city);
        }
        if next == NONE {
            spent += scan_turns;
            var near = NONE;
            var who = NONE;
            for (var word = lane; word < params.words; word += LANES) {
                var bits = ~atomicLoad(&visited[word]);
                while bits != 0u {
                    let other = word * 32u + firstTrailingBit(bits);
                    bits &= bits - 1u;
                    let distance = distances[city * cities + other];
                    if distance < near {
                        near = distance;
                        who = other;
                    }
                }
            }
            atomicMin(&nearest_distance[scan], near);
            workgroupBarrier();
            if near == atomicLoad(&nearest_distance[scan]) {
                atomicMin(&nearest_city[scan], who);
            }
            workgroupBarrier();
            next = atomicLoad(&nearest_city[scan]);
            if lane == 0u {
                atomicStore(&nearest_distance[(scan + 2u) % 3u], NONE);
                atomicStore(&nearest_city[(scan + 2u) % 3u], NONE);
            }
            scan = (scan + 1u) % 3u;
        }
        if lane == 0u {
            // These slots were read one barrier ago and are written again two turns from now.
            atomicStore(&best_key[spare], 0u);
#if WIDE
            atomicStore(&best_slot[spare], NONE);
#endif
            // Read two turns from now at the earliest: no city is its own candidate.
            atomicOr(&visited[next >> 5u], 1u << (next & 31u));
            tours[tour + step] = next;
        }
        city = next;
        step += 1u;
        turn = (turn + 1u) % 3u;
    }
    workgroupBarrier();

    if step < cities {
        for (var word = lane; word < params.words; word += LANES) {
            visited_kept[ant * params.words + word] = atomicLoad(&visited[word]);
        }
    }
    if lane == 0u {
        progress[ant].construct_begun = tag;
        progress[ant].step = step;
        if step == cities {
            progress[ant].construct_done = tag;
        }
    }
}
