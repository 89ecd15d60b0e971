// Local search with neighbour lists and don't-look bits (Bentley 1992) on the tour of each ant, one workgroup an ant:
// 2-opt, 2.5-opt (TWO_HALF_OPT: with node insertion), 2-opt and Or-opt (OR_OPT: with insertion of segments) or node insertion
// alone (INSERTION), which asymmetric instances allow. The moves lie in two_opt/, tour and queue in array_tour.
//
// The don't-look bits guard a first-in first-out work queue of cities. A round takes up to 32 cities from its head,
// evaluates them in both directions at once (64 entries), then applies the improving moves found, in order, each after
// checking that its two edges still stand; a city whose move went stale goes back into the queue. The order depends on
// cities alone, so the result does not depend on the number of lanes. The shorter side is reversed by all lanes.
// SPLIT gives each entry several neighbouring lanes, which share its neighbours: a city at a long edge has many of them
// nearer than the edge is long, and the slowest entry sets the pace of the round.
// The CPU twin is src/kernels/two_opt/twin.rs.

#include shared/call
#include shared/state
#include shared/progress

struct Params {
    cities: u32,
    /// Pairs of neighbours in a row of `neighbours`.
    pairs: u32,
    /// 32-bit words in a bitmask over the cities.
    words: u32,
    /// Loop turns an invocation may spend in one dispatch.
    budget: u32,
    /// Rounds and moves after which the search of a tour ends, improved as far as it is.
    max_rounds: u32,
    max_moves: u32,
    /// 1 when the way back may cost something else.
    directed: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// cities x pairs x two of (city, distance), nearest first; rows are filled up with distance 2^32 - 1.
@group(0) @binding(2) var<storage, read> neighbours: array<vec4<u32>>;
/// cities x cities.
@group(0) @binding(3) var<storage, read> distances: array<u32>;
@group(0) @binding(4) var<storage, read> state: State;
@group(0) @binding(5) var<storage, read_write> progress: array<Progress>;
/// ants x half the cities: work queues, two cities a word.
@group(0) @binding(6) var<storage, read_write> queues: array<u32>;
/// ants x cities.
@group(0) @binding(7) var<storage, read_write> tours: array<u32>;

override LANES: u32 = 64u;
override WORDS: u32 = 1u;
override CITIES: u32 = 1u;
override HALF: u32 = 1u;

/// Entries with an improving move, in even and in odd rounds.
var<workgroup> has_move: array<atomic<u32>, 4>;
/// The moves, as in `Found`.
var<workgroup> moves: array<vec4<u32>, 64>;

#if SPLIT
/// Lanes of an entry.
override SHARE: u32 = LANES / 64u;
/// For each entry the greatest gain, and the nearest neighbour's rank that has it.
var<workgroup> best_gain: array<atomic<u32>, 64>;
var<workgroup> best_rank: array<atomic<u32>, 64>;
#endif

const NONE: u32 = 0xFFFFFFFFu;

#include tsp/array_tour
#include tsp/distance

/// Puts four cities at the queue's end, in order, each unless it is queued; for one lane.
fn enqueue(cities: vec4<u32>) {
    let fresh = vec4<u32>(mark(cities.x), mark(cities.y), mark(cities.z), mark(cities.w));
    var slot = tail;
    for (var i = 0u; i < 4u; i++) {
        if fresh[i] == 1u {
            set_queue_slot(slot, cities[i]);
            slot = ring(slot + 1u);
        }
    }
    tail = slot;
    waiting += fresh.x + fresh.y + fresh.z + fresh.w;
}

/// An improving move.
struct Found {
    gain: u32,
    /// Lower for nearer neighbours; decides between moves of one gain.
    rank: u32,
    /// A reversal: city, neighbour, next of city, next of neighbour. An insertion: city with MOVES set, the two cities it
    /// goes between (second in the upper half), the two that it leaves. Of a segment: its first city with MOVES and its length
    /// from bit 17 on, the two cities it goes between, the two that it leaves, its last city.
    cities: vec4<u32>,
}

/// Marks the city of an insertion.
const MOVES: u32 = 0x10000u;

/// a + b, at most 2^32 - 1.
fn add_saturated(a: u32, b: u32) -> u32 {
    return select(a + b, NONE, a + b < a);
}

#if TWO_HALF_OPT
#include tsp/two_opt/moves_two_half_opt
#else
#if OR_OPT
#include tsp/two_opt/moves_or_opt
#else
#if INSERTION
#include tsp/two_opt/moves_insertion
#else
#include tsp/two_opt/moves_two_opt
#endif
#endif
#endif

fn keep_move(flags: u32, entry: u32, cities: vec4<u32>) {
    moves[entry] = cities;
    atomicOr(&has_move[flags + (entry >> 5u)], 1u << (entry & 31u));
}

#if INSERTS
#if OR_OPT
#include tsp/two_opt/insert_segment
#else
#include tsp/two_opt/insert
#endif
#endif

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let tag = state.iteration + 1u;
    if progress[ant].search_done == tag {
        return;
    }
    let cities = params.cities;
    let resumed = progress[ant].search_begun == tag;
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&queued[word], 0u);
    }
    if lane < 4u {
        atomicStore(&has_move[lane], 0u);
    }
#if SPLIT
    if lane < 64u {
        atomicStore(&best_gain[lane], 0u);
        atomicStore(&best_rank[lane], NONE);
    }
#endif
    load_tour(ant, lane);
    load_queue(ant, lane, resumed);
    var head = 0u;
    var rounds = 0u;
    var moved = 0u;
    var kept = cities;
    if resumed {
        head = progress[ant].head;
        rounds = progress[ant].rounds;
        moved = progress[ant].moves;
        kept = progress[ant].queued;
    } else {
        for (var half = lane; half < HALF; half += LANES) {
            set_queue_half(half, (half * 2u) | ((half * 2u + 1u) << 16u));
        }
    }
    if lane == 0u {
        tail = ring(head + kept);
        waiting = kept;
    }
    barrier();
    for (var i = lane; i < kept; i += LANES) {
        let city = queue_slot(ring(head + i));
        atomicOr(&queued[city >> 5u], 1u << (city & 31u));
    }
    barrier();

    let evaluate_turns = (64u + LANES - 1u) / LANES * (params.pairs + 2u) + 68u;
    var spent = (cities + LANES - 1u) / LANES * 7u + 8u;
    var done = false;
    while spent < params.budget {
        let ready = min(waiting, 32u);
        if ready == 0u || rounds >= params.max_rounds || moved >= params.max_moves {
            done = true;
            break;
        }
        let flags = (rounds & 1u) * 2u;
#if SPLIT
        let entry = lane / SHARE;
        var found = Found(0u, NONE, vec4<u32>(0u));
        if entry < ready * 2u {
            let city = queue_slot(ring(head + (entry >> 1u)));
            found = best_move(city, (entry & 1u) == 0u, lane % SHARE, SHARE);
            if found.gain > 0u {
                atomicMax(&best_gain[entry], found.gain);
            }
            if lane % (2u * SHARE) == 0u {
                atomicAnd(&queued[city >> 5u], ~(1u << (city & 31u)));
            }
        }
        workgroupBarrier();
        let leads = found.gain > 0u && found.gain == atomicLoad(&best_gain[entry]);
        if leads {
            atomicMin(&best_rank[entry], found.rank);
        }
        workgroupBarrier();
        if leads && found.rank == atomicLoad(&best_rank[entry]) {
            keep_move(flags, entry, found.cities);
        }
        workgroupBarrier();
        if lane < 64u {
            atomicStore(&best_gain[lane], 0u);
            atomicStore(&best_rank[lane], NONE);
        }
#else
        for (var entry = lane; entry < ready * 2u; entry += LANES) {
            let city = queue_slot(ring(head + (entry >> 1u)));
            let found = best_move(city, (entry & 1u) == 0u, 0u, 1u);
            if found.gain > 0u {
                keep_move(flags, entry, found.cities);
            }
            if (entry & 1u) == 0u {
                atomicAnd(&queued[city >> 5u], ~(1u << (city & 31u)));
            }
        }
        workgroupBarrier();
#endif
        var pending = vec2<u32>(atomicLoad(&has_move[flags]), atomicLoad(&has_move[flags + 1u]));
        if lane < 2u {
            // The other pair was read before the last barrier and is written after the next.
            atomicStore(&has_move[2u - flags + lane], 0u);
        }
        if lane == 0u {
            waiting -= ready;
        }
        head = ring(head + ready);
        rounds += 1u;
        spent += evaluate_turns;
        while (pending.x | pending.y) != 0u {
            var entry = 0u;
            if pending.x != 0u {
                entry = firstTrailingBit(pending.x);
                pending.x &= pending.x - 1u;
            } else {
                entry = 32u + firstTrailingBit(pending.y);
                pending.y &= pending.y - 1u;
            }
            let forward = (entry & 1u) == 0u;
            let city = moves[entry].x & 0xFFFFu;
#if INSERTS
            if moves[entry].x >= MOVES {
                let turns = insert(moves[entry], lane);
                spent += turns;
                moved += select(1u, 0u, turns == 0u);
                continue;
            }
#endif
            let neighbour = moves[entry].y;
            let next = moves[entry].z;
            let after = moves[entry].w;
            if step_from(city, forward) != next || step_from(neighbour, forward) != after {
                if lane == 0u {
                    enqueue(vec4<u32>(city));
                }
                continue;
            }
            var first = position_of(select(city, next, forward));
            var last = position_of(select(after, neighbour, forward));
            var length = select(last - first, last + cities - first, last < first) + 1u;
            if length * 2u > cities {
                let inner_first = first;
                first = select(last + 1u, 0u, last + 1u == cities);
                last = select(inner_first - 1u, cities - 1u, inner_first == 0u);
                length = cities - length;
            }
            // All lanes must have read the positions before one of them moves a city.
            barrier();
            for (var i = lane; i < length / 2u; i += LANES) {
                let left = select(first + i, first + i - cities, first + i >= cities);
                let right = select(last - i, last + cities - i, last < i);
                exchange(left, right);
            }
            if lane == 0u {
                enqueue(vec4<u32>(city, next, neighbour, after));
            }
            moved += 1u;
            spent += (length / 2u + LANES - 1u) / LANES + 1u;
            barrier();
        }
        barrier();
    }
    workgroupBarrier();

    store_tour(ant, lane);
    if !done {
        store_queue(ant, lane);
    }
    if lane == 0u {
        progress[ant].search_begun = tag;
        progress[ant].head = head;
        progress[ant].queued = waiting;
        progress[ant].rounds = rounds;
        progress[ant].moves = moved;
        if done {
            progress[ant].search_done = tag;
        }
    }
}
