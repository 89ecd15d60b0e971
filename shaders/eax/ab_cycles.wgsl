// The walk along edges that only one of both parents has, of A and of B in turn, until it closes an AB-cycle.
// For recombine.wgsl.

/// Edges of each tour that are open: the other has them not, and no walk has taken them; by the position before them.
override OPEN_WORDS: u32 = 2u * WORDS;
var<workgroup> open: array<atomic<u32>, OPEN_WORDS>;
/// Cities on the walk.
var<workgroup> walked: u32;
/// Random words drawn.
var<workgroup> drawn: u32;
/// Where the cycle begins on the walk, NONE before there is one; its edges.
var<workgroup> cycle_begin: u32;
var<workgroup> cycle_edges: u32;

/// Edges that the walk takes before all lanes meet.
const TRACE: u32 = 64u;

fn is_open(side: u32, position: u32) -> bool {
    return ((atomicLoad(&open[side * WORDS + (position >> 5u)]) >> (position & 31u)) & 1u) == 1u;
}

/// Finds the edges of `mine` that `other` has not, four at a time: their cities do not follow each other there.
fn open_edges(side: u32, mine: u32, other: u32, lane: u32) {
    for (var word = lane; word < params.words; word += LANES) {
        let first = 32u * word;
        let count = min(params.cities - first, 32u);
        var bits = 0u;
        var before = positions[other + tours[mine + first]];
        for (var i = 0u; i < count; i += 4u) {
            let at = first + i;
            let here = vec4<u32>(
                positions[other + tours[mine + turned(at + 1u)]],
                positions[other + tours[mine + turned(at + 2u)]],
                positions[other + tours[mine + turned(at + 3u)]],
                positions[other + tours[mine + turned(at + 4u)]],
            );
            let prior = vec4<u32>(before, here.xyz);
            let apart = max(prior, here) - min(prior, here);
            let differ = (apart != vec4<u32>(1u)) & (apart != vec4<u32>(params.cities - 1u));
            let four = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), differ);
            bits |= (four.x | four.y | four.z | four.w) << i;
            before = here.w;
        }
        // Those behind the last edge have come along.
        atomicStore(&open[side * WORDS + word], bits & (NONE >> (32u - count)));
    }
}

/// The open edge of A that comes next from a position on, of those `within` the sub-tour told last or of all; NONE without
/// any.
fn next_open(from_position: u32, within: bool, lane: u32) -> u32 {
    var nearest = NONE;
    for (var word = lane; word < params.words; word += LANES) {
        var bits = atomicLoad(&open[word]);
        if within {
            bits &= atomicLoad(&mine_bits[word]);
        }
        if word == from_position >> 5u {
            // Those before it come last.
            let ahead = bits & (NONE << (from_position & 31u));
            if ahead != 0u {
                nearest = min(nearest, 32u * word + firstTrailingBit(ahead) - from_position);
            }
            bits &= ~(NONE << (from_position & 31u));
        }
        if bits != 0u {
            let position = 32u * word + firstTrailingBit(bits);
            nearest = min(nearest, turned(position + params.cities - from_position));
        }
    }
    let found = least_pair(lane, nearest, 0u).x;
    return select(turned(from_position + found), NONE, found == NONE);
}

/// Begins a walk at either end of an open edge of A: the first of those `within` the smallest sub-tour, or of all, from a
/// random position on. Whether there is one; none in a sub-tour that is too large to be merged.
fn begin_walk(unit: u32, own: u32, keys: vec2<u32>, within: bool, lane: u32) -> bool {
    if within {
        let cities = tell_smallest(lane).x;
        let count = atomicLoad(&mine_count);
        if cities + PATH_LOOKS * count > MOST_LOOKED {
            return false;
        }
        spent += params.merge_turns + 2u * (count + cities / 32u / LANES);
        mark_sub_tour(true, lane);
        workgroupBarrier();
    }
    let word = random_word(keys, drawn);
    let at = next_open(mul_high(word, params.cities), within, lane);
    if within {
        mark_sub_tour(false, lane);
    }
    if at == NONE {
        return false;
    }
    workgroupBarrier();
    if lane == 0u {
        let city = tours[own + select(at, turned(at + 1u), (word & 1u) == 1u)];
        offspring[walk_at(unit)] = city;
        offspring[marks_at(unit) + 2u * city] = 1u;
        walked = 1u;
        drawn += 1u;
    }
    workgroupBarrier();
    return true;
}

/// Takes the walk back to its first `kept` cities; its first edges, `opened` of them, are open again.
fn go_back(unit: u32, sides: vec2<u32>, kept: u32, opened: u32, lane: u32) {
    let walk = walk_at(unit);
    let length = walked;
    let first = select(kept, 0u, opened > 0u);
    spent += (length - first) / LANES + 1u;
    for (var place = first + lane; place < length; place += LANES) {
        let city = offspring[walk + place];
        let side = place & 1u;
        if place >= kept {
            offspring[marks_at(unit) + 2u * city + side] = 0u;
        }
        if place < opened && place + 1u < length {
            let at = positions[sides[side] + city];
            let next = positions[sides[side] + offspring[walk + place + 1u]];
            let edge = select(next, at, turned(at + 1u) == next);
            atomicOr(&open[side * WORDS + (edge >> 5u)], 1u << (edge & 31u));
        }
    }
    storageBarrier();
    workgroupBarrier();
    if lane == 0u {
        walked = kept;
    }
    workgroupBarrier();
}

/// Lengthens the walk by some edges; for one lane. `sides` are where the two tours begin.
fn trace(unit: u32, sides: vec2<u32>, keys: vec2<u32>) {
    let walk = walk_at(unit);
    let marks = marks_at(unit);
    cycle_begin = NONE;
    var length = walked;
    var side = (length - 1u) & 1u;
    var city = offspring[walk + length - 1u];
    var position = positions[sides[side] + city];
    for (var turn = 0u; turn < TRACE; turn++) {
        let before = turned(position + params.cities - 1u);
        let forth = is_open(side, position);
        var forward = forth;
        if forth && is_open(side, before) {
            forward = (random_word(keys, drawn) & 1u) == 1u;
            drawn += 1u;
        }
        let edge = select(before, position, forward);
        atomicAnd(&open[side * WORDS + (edge >> 5u)], ~(1u << (edge & 31u)));
        city = tours[sides[side] + select(before, turned(position + 1u), forward)];
        // Asked for together: a step takes as long as the reads that wait for each other.
        let mark = marks + 2u * city + (length & 1u);
        let earlier = offspring[mark];
        side = length & 1u;
        position = positions[sides[side] + city];
        if earlier != 0u {
            cycle_begin = earlier - 1u;
            cycle_edges = length - cycle_begin;
            break;
        }
        offspring[walk + length] = city;
        length += 1u;
        offspring[mark] = length;
    }
    walked = length;
}

/// A city of the cycle; it begins with an edge of A.
fn on_cycle(unit: u32, index: u32) -> u32 {
    return offspring[walk_at(unit) + cycle_begin + (index + (cycle_begin & 1u)) % cycle_edges];
}
