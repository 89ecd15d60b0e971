// Lin-Kernighan search with neighbour lists and don't-look bits on the tour of each ant, one workgroup an ant (Lin and
// Kernighan 1973; array tours as in Johnson and McGeoch 1997). Tour and queue are held as in two_opt.
//
// From each city of a first-in first-out queue, in both directions, a chain of steps is looked for. A step adds the edge from
// the open end `tip` to a neighbour `to`, removes the edge (to, end) and reverses the path between, which leaves a tour whose
// edge (city, end) is the next to be removed. Steps are ordered by what they leave open; the first depths have several
// alternatives, deeper there is one. A chain that has gained is kept up to the depth where it gained most, what is tried in
// vain is taken back. The queue begins with the cities whose edges are not both those of the best tour since the restart, which
// has been searched already (as in Skinderowicz 2022); in the first iteration with all. All lanes share the neighbours of a step and the cities of a reversal.
// The CPU twin is src/kernels/lin_kernighan/twin.rs.

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
    /// Cities looked at, and steps, after which the search of a tour ends, improved as far as it is.
    max_looks: u32,
    max_steps: u32,
    padding_a: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// cities x pairs x two of (city, distance), nearest first; rows are filled up with distance 2^32 - 1.
@group(0) @binding(2) var<storage, read> neighbours: array<vec2<u32>>;
/// cities x cities.
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

const NONE: u32 = 0xFFFFFFFFu;
/// Steps of a chain, and steps made from a city in one direction, at most.
const DEPTH: u32 = 12u;
override STEPS: u32 = 50u;

/// The steps of the chain: tip, to, end, and the neighbour's rank; what each leaves open; alternatives tried.
var<workgroup> chain: array<vec4<u32>, DEPTH>;
var<workgroup> opens: array<u32, DEPTH>;
var<private> tried: array<u32, DEPTH>;

#if SUBGROUPS
#include shared/least_subgroups
#else
#include shared/least
#endif
#include tsp/array_tour

/// Puts a city at the queue's end unless it is queued; for one lane.
fn enqueue(city: u32) {
    if mark(city) == 1u {
        set_queue_slot(tail, city);
        tail = ring(tail + 1u);
        waiting += 1u;
    }
}

/// Alternatives at a depth.
fn breadth(depth: u32) -> u32 {
    return select(select(select(1u, 2u, depth == 2u), 3u, depth == 1u), 5u, depth == 0u);
}

/// The loop turns that finding a step takes.
fn look_turns() -> u32 {
    return (2u * params.pairs + LANES - 1u) / LANES * (DEPTH + 2u) + 1u;
}

/// The rank of the neighbour of `tip` to step to, or NONE; its value, what it leaves open, is in `step_value`.
var<private> step_value: u32;

fn next_step(city: u32, forward: bool, tip: u32, open: u32, depth: u32, lane: u32) -> u32 {
    let again = tried[min(depth, DEPTH - 1u)] > 0u;
    let last_rank = chain[min(depth, DEPTH - 1u)].w;
    let last_value = opens[min(depth, DEPTH - 1u)];
    let row = tip * params.pairs * 2u;
    var best = 0u;
    var who = NONE;
    for (var rank = lane; rank < params.pairs * 2u; rank += LANES) {
        let entry = neighbours[row + rank];
        if entry.y >= open {
            break;
        }
        let to = entry.x;
        let end = step_from(to, !forward);
        var free = to != city && end != tip;
        for (var at = 0u; at < depth; at++) {
            let step = chain[at];
            free = free && !((step.x == end && step.y == to) || (step.x == to && step.y == end));
        }
        let rest = open - entry.y;
        let removed = distance(to, end);
        let value = select(rest + removed, NONE, rest + removed < rest);
        let untried = !again || value < last_value || (value == last_value && rank > last_rank);
        if free && untried && value > best {
            best = value;
            who = rank;
        }
    }
    let found = least_pair(lane, ~best, who);
    step_value = ~found.x;
    return found.y;
}

/// Reverses the path that leads in the direction `forward` from one city to another, or the rest of the tour where that is
/// shorter; the loop turns it takes.
fn turn(forward: bool, start: u32, end: u32, lane: u32) -> u32 {
    let cities = params.cities;
    var first = position_of(select(end, start, forward));
    var last = position_of(select(start, end, forward));
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
    barrier();
    return (length / 2u + LANES - 1u) / LANES + 3u;
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
    workgroupBarrier();
    var count = 0u;
    for (var word = 0u; word < params.words; word++) {
        var bits = atomicLoad(&queued[word]);
        if lane == 0u {
            var slot = count;
            while bits != 0u {
                set_queue_slot(slot, word * 32u + firstTrailingBit(bits));
                bits &= bits - 1u;
                slot += 1u;
            }
        }
        count += countOneBits(atomicLoad(&queued[word]));
    }
    return count;
}

/// Loop turns and steps of the dispatch.
var<private> spent: u32;
var<private> steps: u32;

/// Looks for a chain from a city in one direction; whether one was found.
fn improve(city: u32, direction: bool, lane: u32) -> bool {
    var forward = direction;
    var depth = 0u;
    var tip = step_from(city, forward);
    var open = distance(city, tip);
    var best = 0u;
    var best_depth = 0u;
    let last_step = steps + STEPS;
    tried[0] = 0u;
    loop {
        var rank = NONE;
        if depth < DEPTH && steps < last_step && tried[min(depth, DEPTH - 1u)] < breadth(depth) {
            spent += look_turns();
            rank = next_step(city, forward, tip, open, depth, lane);
        }
        if rank != NONE {
            let to = neighbours[tip * params.pairs * 2u + rank].x;
            let end = step_from(to, !forward);
            spent += turn(forward, tip, end, lane);
            steps += 1u;
            tried[depth] += 1u;
            if lane == 0u {
                chain[depth] = vec4<u32>(tip, to, end, rank);
                opens[depth] = step_value;
            }
            depth += 1u;
            if depth < DEPTH {
                tried[depth] = 0u;
            }
            tip = end;
            open = step_value;
            workgroupBarrier();
            forward = step_from(city, true) == tip;
            let closing = distance(tip, city);
            if open > closing && open - closing > best {
                best = open - closing;
                best_depth = depth;
            }
            if open > best {
                continue;
            }
        }
        if best == 0u && depth == 0u {
            return false;
        }
        let keep = select(depth - 1u, best_depth, best > 0u);
        while depth > keep {
            depth -= 1u;
            let step = chain[depth];
            spent += turn(forward, step.z, step.x, lane);
            tip = step.x;
            forward = step_from(city, true) == tip;
        }
        if best > 0u {
            if lane == 0u {
                enqueue(city);
                for (var at = 0u; at < keep; at++) {
                    enqueue(chain[at].x);
                    enqueue(chain[at].y);
                    enqueue(chain[at].z);
                }
            }
            spent += DEPTH + 1u;
            barrier();
            return true;
        }
        if depth == 0u {
            open = distance(city, tip);
        } else {
            open = opens[depth - 1u];
        }
    }
    return false;
}

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
    least_begin(lane);
    load_tour(ant, lane);
    load_queue(ant, lane, resumed);
    var head = 0u;
    var looks = 0u;
    var kept = cities;
    steps = 0u;
    if resumed {
        head = progress[ant].head;
        looks = progress[ant].rounds;
        steps = progress[ant].moves;
        kept = progress[ant].queued;
    } else if state.iteration == 0u {
        for (var half = lane; half < HALF; half += LANES) {
            set_queue_half(half, (half * 2u) | ((half * 2u + 1u) << 16u));
        }
    } else {
        kept = queue_changed(lane);
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

    // What the longest look may take is kept back.
    let reversal = (cities / 4u + LANES) / LANES + 3u;
    let reserve = 2u * STEPS * (2u * reversal + look_turns()) + 2u * (look_turns() + DEPTH + 2u);
    spent = (cities + LANES - 1u) / LANES * 8u + cities + 3u * params.words + 9u;
    var done = false;
    loop {
        done = waiting == 0u || looks >= params.max_looks || steps >= params.max_steps;
        if done || spent + reserve >= params.budget {
            break;
        }
        let city = queue_slot(head);
        workgroupBarrier();
        if lane == 0u {
            waiting -= 1u;
            atomicAnd(&queued[city >> 5u], ~(1u << (city & 31u)));
        }
        head = ring(head + 1u);
        looks += 1u;
        spent += 3u;
        barrier();
        if !improve(city, true, lane) {
            improve(city, false, lane);
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
        progress[ant].rounds = looks;
        progress[ant].moves = steps;
        if done {
            progress[ant].search_done = tag;
        }
    }
}
