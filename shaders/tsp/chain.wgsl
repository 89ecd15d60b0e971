// The chains of a Lin-Kernighan search (Lin and Kernighan 1973; array tours as in Johnson and McGeoch 1997) on an array tour.
//
// From a city, in one direction, a chain of steps is looked for. A step adds the edge from the open end `tip` to a neighbour
// `to`, removes the edge (to, end) and reverses the path between, which leaves a tour whose edge (city, end) is the next to be
// removed. Steps are ordered by what they leave open; the first depths have several alternatives, deeper there is one. A chain
// that has gained is kept up to the depth where it gained most, what is tried in vain is taken back. A step that reverses a long
// path is tried only when the tour is shorter with it. All lanes share the neighbours of a step and the cities of a reversal.
//
// The kernel that includes this has array_tour with its queue, least, `distance`, `near` and `near_count`; with PATCH `is_fixed` for
// edges that must stay, and `note_span` for the reversals that are kept. The CPU twin is `Search` in src/kernels/lin_kernighan/twin.rs.

/// Steps of a chain, and steps made from a city in one direction, at most.
#if NARROW
const DEPTH: u32 = 6u;
#else
const DEPTH: u32 = 12u;
#endif
override STEPS: u32 = 50u;

/// The steps of the chain: tip, to, end, and the neighbour's rank; what each leaves open; alternatives tried.
var<workgroup> chain: array<vec4<u32>, DEPTH>;
var<workgroup> opens: array<u32, DEPTH>;
var<private> tried: array<u32, DEPTH>;

/// Puts a city at the queue's end unless it is queued; for one lane.
fn enqueue(city: u32) {
    if mark(city) == 1u {
        set_queue_slot(tail, city);
        tail = ring(tail + 1u);
        waiting += 1u;
    }
}

/// Queues the marked cities, lowest first; how many there are.
fn queue_marked(lane: u32) -> u32 {
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

/// Lets so many queued cities from `head` on wait, and marks them.
fn wait_from(head: u32, count: u32, lane: u32) {
    if lane == 0u {
        tail = ring(head + count);
        waiting = count;
    }
    barrier();
    for (var i = lane; i < count; i += LANES) {
        let city = queue_slot(ring(head + i));
        atomicOr(&queued[city >> 5u], 1u << (city & 31u));
    }
    barrier();
}

/// Takes the city at the queue's head.
fn dequeue(head: u32, lane: u32) -> u32 {
    let city = queue_slot(head);
    workgroupBarrier();
    if lane == 0u {
        waiting -= 1u;
        atomicAnd(&queued[city >> 5u], ~(1u << (city & 31u)));
    }
    barrier();
    return city;
}

/// Alternatives at a depth.
fn breadth(depth: u32) -> u32 {
#if NARROW
    return select(1u, 5u, depth == 0u);
#else
    return select(select(select(1u, 2u, depth == 2u), 3u, depth == 1u), 5u, depth == 0u);
#endif
}

/// The loop turns that finding a step takes.
fn look_turns() -> u32 {
    return (near_count() + LANES - 1u) / LANES * (DEPTH + 2u) + 1u;
}

#if PATCH
#else
/// Whether a step from one city to another reverses a long path.
fn is_far(tip: u32, to: u32) -> bool {
    let along = position_of(tip) - position_of(to);
    let apart = min(along, 0u - along);
    return min(apart, params.cities - apart) > params.long;
}
#endif

/// What the step found last leaves open.
var<private> step_value: u32;

/// The rank of the neighbour of `tip` to step to, or NONE.
fn next_step(city: u32, forward: bool, tip: u32, open: u32, depth: u32, lane: u32) -> u32 {
    let again = tried[min(depth, DEPTH - 1u)] > 0u;
    let last_rank = chain[min(depth, DEPTH - 1u)].w;
    let last_value = opens[min(depth, DEPTH - 1u)];
    var best = 0u;
    var who = NONE;
    for (var rank = lane; rank < near_count(); rank += LANES) {
        let entry = near(tip, rank);
        if entry.y >= open {
            break;
        }
        let to = entry.x;
#if PATCH
        if to == NONE {
            continue;
        }
#endif
        let end = step_from(to, !forward);
        var free = (to != city) & (end != tip);
#if PATCH
        free = free & !is_fixed(to, end);
#endif
        for (var at = 0u; at < depth; at++) {
            let step = chain[at];
            free = free & !(((step.x == end) & (step.y == to)) | ((step.x == to) & (step.y == end)));
        }
        let rest = open - entry.y;
        let removed = distance(to, end);
        let value = select(rest + removed, NONE, rest + removed < rest);
#if PATCH
#else
        if is_far(tip, to) {
            free = free && value > distance(end, city);
        }
#endif
        let untried = (!again) | (value < last_value) | ((value == last_value) & (rank > last_rank));
        if free & untried & (value > best) {
            best = value;
            who = rank;
        }
    }
    let found = least_pair(lane, ~best, who);
    step_value = ~found.x;
    return found.y;
}

/// Reverses a path of `length` cities, given by the positions of its ends; the loop turns it takes.
fn reverse(first: u32, last: u32, length: u32, lane: u32) -> u32 {
    let cities = params.cities;
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

#if PATCH
/// What was reversed last, first position and length, and so for each step of the chain; what a chain has gained.
var<private> span: vec2<u32>;
var<workgroup> spans: array<vec2<u32>, DEPTH>;
var<private> chain_gain: u32;
#endif

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
#if PATCH
    span = vec2<u32>(first, length);
#endif
    return reverse(first, last, length, lane);
}

/// Loop turns and steps of the dispatch.
var<private> spent: u32;
var<private> steps: u32;

/// Looks for a chain from a city in one direction; whether one was found.
fn improve(city: u32, direction: bool, lane: u32) -> bool {
    var forward = direction;
    var depth = 0u;
    var tip = step_from(city, forward);
#if PATCH
    if is_fixed(city, tip) {
        return false;
    }
#endif
    let whole = distance(city, tip);
    var open = whole;
    var best = 0u;
    var best_depth = 0u;
    let last_step = steps + STEPS;
    tried[0] = 0u;
    loop {
        var rank = NONE;
        if (depth < DEPTH) & (steps < last_step) & (tried[min(depth, DEPTH - 1u)] < breadth(depth)) {
            spent += look_turns();
            rank = next_step(city, forward, tip, open, depth, lane);
        }
        if rank != NONE {
            let to = near(tip, rank).x;
            let end = step_from(to, !forward);
            spent += turn(forward, tip, end, lane);
            steps += 1u;
            tried[depth] += 1u;
            if lane == 0u {
                chain[depth] = vec4<u32>(tip, to, end, rank);
                opens[depth] = step_value;
#if PATCH
                spans[depth] = span;
#endif
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
            if (open > closing) & (open - closing > best) {
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
#if PATCH
            chain_gain = best;
            for (var at = 0u; at < keep; at++) {
                note_span(spans[at], lane);
            }
#endif
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
            open = whole;
        } else {
            open = opens[depth - 1u];
        }
    }
    return false;
}

/// Looks for a chain from a city in either direction; whether one was found.
fn look(city: u32, lane: u32) -> bool {
    // A loop, so that compilers make one copy of what it holds.
    var found = false;
    for (var side = 0u; side < 2u && !found; side++) {
        found = improve(city, side == 0u, lane);
    }
    spent += 3u;
    barrier();
    return found;
}

/// The loop turns of the longest reversal, and of the longest look.
fn longest_reversal() -> u32 {
    return (params.cities / 4u + LANES) / LANES + 3u;
}

fn longest_look() -> u32 {
    return 2u * STEPS * (2u * longest_reversal() + look_turns()) + 2u * (look_turns() + DEPTH + 2u) + 3u;
}
