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
/// The flips of the chain, and behind them zeros.
var<private> flips_first: vec4<u32>;
var<private> flips_second: vec4<u32>;
var<private> flips_third: vec4<u32>;
/// The chain's city: its position, and where it lies.
var<private> origin: u32;
var<private> home: Site;

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

/// Keeps so many steps, fewer than four.
fn keep_flips(count: u32) {
    flips_first = select(vec4<u32>(0u), flips_first, vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(count));
    flips_second = vec4<u32>(0u);
    flips_third = vec4<u32>(0u);
}

fn note_flip(flip: u32, depth: u32) {
    let here = vec4<u32>(0u, 1u, 2u, 3u) == vec4<u32>(depth & 3u);
    if depth < 4u {
        flips_first = select(flips_first, vec4<u32>(flip), here);
    } else if depth < 8u {
        flips_second = select(flips_second, vec4<u32>(flip), here);
    } else {
        flips_third = select(flips_third, vec4<u32>(flip), here);
    }
}

/// The place of a city: how many cities along the tour, without the chain's steps, it lies behind the chain's city.
fn place_behind(city: u32, forward: bool) -> u32 {
    let position = position_of(city);
    let apart = select(origin - position, position - origin, forward);
    return select(apart, apart + tour_size(), apart >= tour_size());
}

/// Whether two places are beside each other.
fn are_beside(a: u32, b: u32) -> bool {
    return ((a + 1u - b) & 0xFFFFFFFDu) == 0u;
}

/// Where the city that lies at `place` would lie with one step more; the same takes it back.
fn reflected(place: u32, flip: u32) -> u32 {
    return select(place, flip + 1u - place, place <= flip);
}

fn reflected_back(place: u32, flips: vec4<u32>) -> u32 {
    return reflected(reflected(reflected(reflected(place, flips.w), flips.z), flips.y), flips.x);
}

fn reflected_forth(place: u32, flips: vec4<u32>) -> u32 {
    return reflected(reflected(reflected(reflected(place, flips.x), flips.y), flips.z), flips.w);
}

#if DIRECTED
/// Where a city at `place` lies with all steps of the chain, and the other way round.
fn place_now(place: u32) -> u32 {
    return reflected_forth(reflected_forth(reflected_forth(place, flips_first), flips_second), flips_third);
}

fn place_once(place: u32) -> u32 {
    return reflected_back(reflected_back(reflected_back(place, flips_third), flips_second), flips_first);
}

/// The city at a place behind the chain's city, without the chain's steps.
fn city_behind(place: u32, forward: bool) -> u32 {
    return city_at(ring(select(origin + tour_size() - place, origin + place, forward)));
}

/// What there is for a step from `tip` to its neighbour at a rank, with the best second half: an entry of `offers`.
fn offered(city: u32, forward: bool, tip: u32, open: u32, depth: u32, rank: u32) -> vec4<u32> {
    let entry = near(tip, min(rank, NEAR - 1u));
    let to = entry.x;
    let place = place_behind(to, forward);
    let flip = place_now(place);
    var best = vec4<u32>(0u);
    if rank >= NEAR || entry.y >= open || to == city || flip + 1u >= tour_size() || are_beside(place, place_behind(tip, forward)) {
        return best;
    }
    let next_place = place_once(flip + 1u);
    let next = city_behind(next_place, forward);
    let rest = open - entry.y;
    let halfway = select(rest + distance(to, next), NONE, rest + distance(to, next) < rest);
    if !are_beside(place, next_place) || is_fixed(to, next) {
        return best;
    }
    for (var other = 0u; other < NEAR; other++) {
        let back = near(next, other);
        let back_place = place_behind(back.x, forward);
        let first_flip = place_now(back_place);
        if back.y >= halfway || back.x == city || first_flip + 1u >= flip || are_beside(back_place, next_place) {
            continue;
        }
        let end_place = place_once(first_flip + 1u);
        let end = city_behind(end_place, forward);
        if !are_beside(back_place, end_place) || is_fixed(back.x, end) {
            continue;
        }
        let left = halfway - back.y;
        let value = select(left + distance(back.x, end), NONE, left + distance(back.x, end) < left);
        let closing = distance_between(site(end), home);
        let far = min(flip, tour_size() - flip) > params.long;
        if value > best.x && (!far || value > closing) {
            best = vec4<u32>(value, to | (end << 16u), flip | (first_flip << 16u), closing);
        }
    }
    return best;
}
#else
/// What there is for a step from `tip` to its neighbour at a rank: an entry of `offers`. Without a branch, for lanes that have no
/// neighbour too.
fn offered(city: u32, forward: bool, tip: u32, open: u32, depth: u32, rank: u32) -> vec4<u32> {
    let entry = near(tip, min(rank, NEAR - 1u));
    let to = select(entry.x, tip, entry.x == city);
    let place = place_behind(to, forward);
    let early = reflected_forth(place, flips_first);
    var flip = early - 1u;
    var end_place = flip;
    if depth > 4u {
        flip = reflected_forth(reflected_forth(early, flips_second), flips_third) - 1u;
        end_place = reflected_back(reflected_back(flip, flips_third), flips_second);
    }
    end_place = reflected_back(end_place, flips_first);
    let end = city_at(ring(select(origin + tour_size() - end_place, origin + end_place, forward)));
    // Who are beside each other with the steps but not without them have an edge that the chain has added; who were beside each other,
    // and are no more, had one that it has removed.
    let lawful = are_beside(place, end_place) & !are_beside(place, place_behind(tip, forward));
    let rest = open - entry.y;
    let end_site = site(end);
    let removed = distance_between(site(to), end_site);
    let closing = distance_between(end_site, home);
    let value = select(rest + removed, NONE, rest + removed < rest);
    var free = (rank < NEAR) & (entry.y < open) & (entry.x != city) & (end != tip) & lawful;
    free = free & !is_fixed(to, end);
#if WINDOW
#else
    let far = min(flip, tour_size() - flip) > params.long;
    free = free & (!far | (value > closing));
#endif
    return vec4<u32>(select(0u, value, free), to | (end << 16u), flip, closing);
}
#endif

/// Where the offers of a depth begin.
fn row_of(depth: u32, forward: bool) -> u32 {
    let deeper = select(BROAD + (depth & 1u), depth, depth < BROAD) + 1u;
    return select(deeper, select(1u, 0u, forward), depth == 0u) * NEAR;
}

/// Finds what there is for first steps from a city in either direction.
fn find_first_steps(city: u32, lane: u32) {
    origin = position_of(city);
    home = site(city);
    keep_flips(0u);
#if ONE_SWEEP
    {
        let sweep = 0u;
#else
    for (var sweep = 0u; sweep < FIRST_SWEEPS; sweep++) {
#endif
        let slot = min(sweep * LANES + lane, 2u * NEAR - 1u);
        let forward = slot < NEAR;
        let rank = slot - select(NEAR, 0u, forward);
        let start = step_from(city, forward);
        let whole = distance(city, start);
        var offer = offered(city, forward, start, whole, 0u, rank);
        offer.x = select(offer.x, 0u, is_fixed(city, start));
        if sweep * LANES + lane == slot {
            offers[slot] = offer;
        }
        if offer.x > 0u {
            starts[select(1u, 0u, forward)] = vec2<u32>(start, whole);
        }
    }
    workgroupBarrier();
}

/// The rank of the neighbour to which the most promising step from `tip` leads that was not tried, or NONE. Its offer can be read.
/// `last` is the rank of the step tried last where steps are tried `again`.
fn next_step(city: u32, forward: bool, tip: u32, open: u32, depth: u32, row: u32, again: bool, last: u32, lane: u32) -> u32 {
    var best = 0u;
    var who = NONE;
#if ONE_SWEEP
    {
        let sweep = 0u;
#else
    for (var sweep = 0u; sweep < SWEEPS; sweep++) {
#endif
        let rank = sweep * LANES + lane;
        let slot = row + min(rank, NEAR - 1u);
        var value = 0u;
        if again | (depth == 0u) {
            let tried = select(NONE, last, again);
            value = select(offers[slot].x, 0u, (rank == tried) | (rank >= NEAR));
            if rank == tried {
                offers[slot].x = 0u;
            }
        } else {
            let offer = offered(city, forward, tip, open, depth, rank);
            value = offer.x;
            if rank < NEAR {
                offers[slot] = offer;
            }
        }
        let better = value > best;
        best = select(best, value, better);
        who = select(who, rank, better);
    }
    return least_pair(lane, ~best, who).y;
}

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
