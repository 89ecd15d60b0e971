// The chains of a Lin-Kernighan search (Lin and Kernighan 1973; array tours as in Johnson and McGeoch 1997) on an array tour.
//
// From a city, in one direction, a chain of steps is looked for. A step adds the edge from the open end `tip` to a neighbour
// `to`, removes the edge (to, end) and reverses the path between, which leaves a tour whose edge (city, end) is the next to be
// removed. No edge that the chain has added is removed, and none that it has removed is added. Steps are ordered by what they leave
// open; the first depths have several alternatives, deeper there is one. A chain that has gained is kept up to the depth where it
// gained most. A step that reverses a long path is tried only when the tour is shorter with it. All lanes share the neighbours of a
// step.
//
// Nothing is reversed before a chain is kept. Of the cities along the tour from `city` on, a step reverses all from the first to its
// end, the `flip`-th, so where a city would lie follows from where it lies by one reflection for each step of the chain. Nor are
// alternatives looked for again: the tour is the same.
//
// With DIRECTED the tour is that of an asymmetric instance whose cities have two nodes each: an edge that stays from node to node of a
// city, and edges that lead from where cities are left to where others are entered. A reversal would join the wrong nodes. There a step
// is that of Kanellakis and Papadimitriou (1980): it adds the edge from `tip` to `to`, removes that from `to` to the next node, adds
// one from there to a node between, and removes the edge behind that: two paths change places. That is three reversals: of the first
// path, of both, and of what is the first path then.
//
// The kernel that includes this has array_tour with its queue, least, distances, `near` and NEAR, the neighbours of a city; with
// `is_fixed` for edges that must stay, with WINDOW `note_span` for the reversals that are kept. The CPU twin is `Search` in
// src/kernels/lin_kernighan/twin.rs.

/// Steps of a chain, depths with alternatives, and how many steps are tried at each of these and deeper: hexadecimal digits, the last
/// for the first depth.
#if NARROW
const BROAD: u32 = 1u;
const BREADTHS: u32 = 0x15u;
#if DIRECTED
const DEPTH: u32 = 4u;
#else
const DEPTH: u32 = 6u;
#endif
#else
#if DIRECTED
const DEPTH: u32 = 4u;
const BROAD: u32 = 2u;
const BREADTHS: u32 = 0x135u;
#else
const DEPTH: u32 = 12u;
const BROAD: u32 = 3u;
const BREADTHS: u32 = 0x1235u;
#endif
#endif
/// Steps made from a city in one direction, at most.
override STEPS: u32 = 50u;
/// Rows of `offers`: those of first steps in either direction, one for each of the other first depths, and two that deeper ones use in
/// turn.
override OFFERS: u32 = (BROAD + 3u) * NEAR;
/// Turns in which all lanes look at a city's neighbours, and at those of two; one with ONE_SWEEP, whose loops compilers then do not see.
override SWEEPS: u32 = (NEAR + LANES - 1u) / LANES;
override FIRST_SWEEPS: u32 = (2u * NEAR + LANES - 1u) / LANES;

/// The steps of the chain: to, end, and what they leave open; with DIRECTED in upper halves the last node of the first path and the node
/// behind `to`.
var<workgroup> chain: array<vec3<u32>, DEPTH>;
/// For each neighbour: what stepping there leaves open, 0 where that is not possible or was tried; to and, in the upper half, end; flip,
/// with DIRECTED that of both paths and, in the upper half, that of the first; the edge that closes the tour there.
var<workgroup> offers: array<vec4<u32>, OFFERS>;
/// For either direction, forward first: the city where chains begin, and how far from there the next one is; NONE where no step is
/// possible.
var<workgroup> starts: array<vec2<u32>, 2>;
/// Takes the city at the queue's head, for a look.
fn dequeue(head: u32, lane: u32) -> u32 {
    let city = queue_slot(head);
    workgroupBarrier();
    if lane == 0u {
        waiting -= 1u;
        starts[0] = vec2<u32>(NONE);
        starts[1] = vec2<u32>(NONE);
        atomicAnd(&queued[city >> 5u], ~(1u << (city & 31u)));
    }
    barrier();
    return city;
}

/// The loop turns that finding a step takes, and making or taking it back.
fn look_turns() -> u32 {
#if DIRECTED
    return SWEEPS * (NEAR + 1u) + 2u;
#else
    return SWEEPS + 2u;
#endif
}

/// The shift of a depth's digit.
fn digit_of(depth: u32) -> u32 {
    return 4u * min(depth, BROAD);
}

#include lin_kernighan/places
#include lin_kernighan/offers

/// Reverses a path of `length` cities, given by the positions of its ends; the loop turns it takes.
fn reverse(first: u32, last: u32, length: u32, lane: u32) -> u32 {
    let cities = tour_size();
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

#if WINDOW
/// What a chain has gained.
var<private> chain_gain: u32;
#endif
/// Whether the last turn has reversed the rest of the tour, and with it the direction that leads from a city there to the path.
var<private> mirrored: bool;

/// Reverses the path that leads in the direction `forward` from one city to another, or the rest of the tour where that is
/// shorter; the loop turns it takes.
fn turn(forward: bool, start: u32, end: u32, lane: u32) -> u32 {
    let cities = tour_size();
    var first = position_of(select(end, start, forward));
    var last = position_of(select(start, end, forward));
    var length = select(last - first, last + cities - first, last < first) + 1u;
    mirrored = length * 2u > cities;
    if mirrored {
        let inner_first = first;
        first = select(last + 1u, 0u, last + 1u == cities);
        last = select(inner_first - 1u, cities - 1u, inner_first == 0u);
        length = cities - length;
    }
#if WINDOW
    note_span(vec2<u32>(first, length), lane);
#endif
    return reverse(first, last, length, lane);
}

/// Loop turns and steps of the dispatch.
var<private> spent: u32;
var<private> steps: u32;

/// Makes the first steps of a chain, and lets their cities wait.
fn keep_steps(count: u32, city: u32, direction: bool, start: u32, lane: u32) {
    var forward = direction;
    var tip = start;
    workgroupBarrier();
    for (var at = 0u; at < count; at++) {
#if DIRECTED
        // A loop, so that compilers make one copy of what it holds.
        for (var part = 0u; part < 3u; part++) {
            let to = chain[at].x;
            let end = select(select(to >> 16u, to & 0xFFFFu, part == 1u), chain[at].y & 0xFFFFu, part == 2u);
            spent += turn(forward, tip, end, lane);
            forward = forward != mirrored;
            tip = end;
        }
#else
        let end = chain[at].y;
        spent += turn(forward, tip, end, lane);
        forward = forward != mirrored;
        tip = end;
#endif
    }
    // After the reversals: lanes that part here come together late, on NVIDIA's Vulkan even behind barriers of workgroups of one
    // subgroup.
    if lane == 0u {
        enqueue(city);
        enqueue(start);
        for (var at = 0u; at < count; at++) {
#if DIRECTED
            enqueue(chain[at].x >> 16u);
            enqueue(chain[at].y >> 16u);
#endif
            enqueue(chain[at].x & 0xFFFFu);
            enqueue(chain[at].y & 0xFFFFu);
        }
    }
#if DIRECTED
    spent += 5u * DEPTH + 2u;
#else
    spent += 2u * DEPTH + 2u;
#endif
}

/// Looks for a chain from a city in one direction; whether one was found.
fn improve(city: u32, forward: bool, lane: u32) -> bool {
    let begin = starts[select(1u, 0u, forward)];
    let start = begin.x;
    let whole = begin.y;
    if start == NONE {
        return false;
    }
    var depth = 0u;
    var tip = start;
    var open = whole;
    var best = 0u;
    var best_depth = 0u;
    let last_step = steps + STEPS;
    // Steps tried at each depth, in digits as those of BREADTHS.
    var tried = 0u;
    // The neighbours' ranks in the last of them, eight bits a depth.
    var ranks = 0u;
    loop {
        let digit = digit_of(depth);
        let before = (tried >> digit) & 15u;
        let row = row_of(depth, forward);
        var rank = NONE;
        if (depth < DEPTH) & (steps < last_step) & (before < ((BREADTHS >> digit) & 15u)) {
            spent += look_turns();
            rank = next_step(city, forward, tip, open, depth, row, before > 0u, (ranks >> (2u * digit)) & 255u, lane);
        } else {
            // A way back from where all has been tried is a turn, too.
            spent += 1u;
        }
        if rank != NONE {
            let offer = offers[row + rank];
            var step = vec3<u32>(offer.y & 0xFFFFu, offer.y >> 16u, offer.x);
#if DIRECTED
            let flip = offer.z & 0xFFFFu;
            let first_flip = offer.z >> 16u;
            step.x |= city_behind(place_once(first_flip), forward) << 16u;
            step.y |= city_behind(place_once(flip + 1u), forward) << 16u;
            note_flip(first_flip, 3u * depth);
            note_flip(flip, 3u * depth + 1u);
            note_flip(flip - first_flip, 3u * depth + 2u);
#else
            note_flip(offer.z, depth);
#endif
            if lane == 0u {
                chain[depth] = step;
            }
            steps += 1u;
            ranks = (ranks & ~(255u << (2u * digit))) | (rank << (2u * digit));
            depth += 1u;
            // One more is tried there, none here.
            tried = (tried + (1u << digit)) & ~(15u << digit_of(depth));
            tip = offer.y >> 16u;
            open = offer.x;
            let closing = offer.w;
            if (open > closing) & (open - closing > best) {
                best = open - closing;
                best_depth = depth;
            }
            if open > best {
                continue;
            }
        }
        if (best > 0u) | (depth == 0u) {
            break;
        }
        // The last of the first depths may have more.
        depth = min(depth, BROAD) - 1u;
#if DIRECTED
        keep_flips(3u * depth);
#else
        keep_flips(depth);
#endif
        let last = chain[max(depth, 1u) - 1u];
        tip = select(last.y & 0xFFFFu, start, depth == 0u);
        open = select(last.z, whole, depth == 0u);
    }
    if best == 0u {
        return false;
    }
#if WINDOW
    chain_gain = best;
#endif
    keep_steps(best_depth, city, forward, start, lane);
    return true;
}

/// Looks for a chain from a city in either direction; whether one was found.
fn look(city: u32, lane: u32) -> bool {
    find_first_steps(city, lane);
    // A loop, so that compilers make one copy of what it holds.
    var found = false;
    for (var side = 0u; side < 2u && !found; side++) {
        found = improve(city, side == 0u, lane);
    }
    spent += 2u * look_turns() + 3u;
    barrier();
    return found;
}

/// The loop turns of the longest reversal, and of the longest look.
fn longest_reversal() -> u32 {
    return (tour_size() / 4u + LANES) / LANES + 3u;
}

fn longest_look() -> u32 {
#if DIRECTED
    let reversals = 3u * DEPTH;
#else
    let reversals = DEPTH;
#endif
    return (4u * STEPS + 4u) * look_turns() + reversals * (longest_reversal() + 2u) + 5u;
}
