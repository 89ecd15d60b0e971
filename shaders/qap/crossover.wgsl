// Children of a population of assignments, one workgroup each: a crossover of an individual with another one, drawn at random, in which each
// facility keeps the location that it has in both, or gets one of its two if that is free, in an order drawn for the child; those that are
// left share the free locations (Tate and Smith 1995). Of facilities that are alike it does not matter which stands where: first
// those of the other parent exchange their locations so that as many as can be stand where the first has them. Then random exchanges change
// the child, more where its parents hardly differ. In the first iteration children are random.
// The CPU twin is src/kernels/qap/crossover.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include shared/progress
#include qap/progress

struct Params {
    seed: vec2<u32>,
    facilities: u32,
    /// Those that are not empty, which come first.
    filled: u32,
    /// Individuals of a problem, and words of its matrices.
    ants: u32,
    /// The most exchanges that a child is drawn.
    exchanges: u32,
    /// Parents that differ in no more facilities hardly differ, and their child gets so many exchanges more.
    few: u32,
    more: u32,
    matrix_words: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> matrices: array<u32>;
@group(0) @binding(3) var<storage, read> state: State;
/// individuals x facilities: the location of each facility.
@group(0) @binding(4) var<storage, read> units: array<u32>;
@group(0) @binding(5) var<storage, read_write> progress: array<Progress>;
/// The same of the children.
@group(0) @binding(6) var<storage, read_write> tours: array<u32>;

override LANES: u32 = 64u;
override PLACES: u32 = 1u;

const NONE: u32 = 0xFFFFFFFFu;

/// The location of each facility in both parents.
var<workgroup> mine: array<u32, PLACES>;
var<workgroup> theirs: array<u32, PLACES>;
/// The facility at each location in both parents; later whether a location of the child is taken, and those that are free.
var<workgroup> at_mine: array<u32, PLACES>;
var<workgroup> at_theirs: array<u32, PLACES>;
/// The order of the facilities; before, of each class the next facility of the other parent whose location is to be given away.
var<workgroup> order: array<u32, PLACES>;
var<workgroup> child: array<u32, PLACES>;

#include qap/matrices

#if ALIKE
/// Whether both parents have facilities of one class at a location.
fn is_shared(location: u32) -> bool {
    return class_of(at_mine[location]) == class_of(at_theirs[location]);
}

/// Exchanges the locations of facilities that are alike in the other parent.
fn align() {
    let n = params.facilities;
    for (var u = 0u; u < n; u++) {
        order[u] = u;
    }
    for (var u = 0u; u < n; u++) {
        var location = mine[u];
        if !is_shared(location) {
            let kind = class_of(u);
            var giver = order[kind];
            while is_shared(theirs[giver]) {
                giver = next_alike(giver);
            }
            location = theirs[giver];
            order[kind] = next_alike(giver);
        }
        child[u] = location;
    }
    for (var u = 0u; u < n; u++) {
        theirs[u] = child[u];
    }
}
#endif

/// Brings numbers from 0 on into a random order; takes words from `first` on.
fn shuffle(keys: vec2<u32>, first: u32) {
    let n = params.facilities;
    for (var i = 0u; i < n; i++) {
        order[i] = i;
    }
    for (var i = n - 1u; i > 0u; i--) {
        let other = mul_high(random_word(keys, first + i), i + 1u);
        let moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}

/// The child of both parents, before its exchanges; in how many facilities they differ.
fn cross(keys: vec2<u32>) -> u32 {
    let n = params.facilities;
    shuffle(keys, 0u);
    for (var i = 0u; i < n; i++) {
        at_mine[i] = 0u;
    }
    var differing = 0u;
    for (var u = 0u; u < n; u++) {
        child[u] = NONE;
        if mine[u] == theirs[u] {
            child[u] = mine[u];
            at_mine[mine[u]] = 1u;
        } else {
            differing += 1u;
        }
    }
    for (var i = 0u; i < n; i++) {
        let u = order[i];
        if child[u] == NONE {
            let turned = random_word(keys, n + u) < 0x80000000u;
            let first = select(mine[u], theirs[u], turned);
            let second = select(theirs[u], mine[u], turned);
            let location = select(first, second, at_mine[first] == 1u);
            if at_mine[location] == 0u {
                child[u] = location;
                at_mine[location] = 1u;
            }
        }
    }
    var free = 0u;
    for (var location = 0u; location < n; location++) {
        if at_mine[location] == 0u {
            at_theirs[free] = location;
            free += 1u;
        }
    }
    for (var i = 0u; i < n; i++) {
        let u = order[i];
        if child[u] == NONE {
            let drawn = mul_high(random_word(keys, 2u * n + i), free);
            free -= 1u;
            child[u] = at_theirs[drawn];
            at_theirs[drawn] = at_theirs[free];
        }
    }
    return differing;
}

/// Exchanges pairs of facilities drawn at random, of which one at least is not empty.
fn exchange(keys: vec2<u32>, differing: u32) {
    let n = params.facilities;
    let drawn = mul_high(random_word(keys, 3u * n), params.exchanges + 1u);
    let count = drawn + select(0u, params.more, differing <= params.few);
    for (var i = 0u; i < count; i++) {
        let u = mul_high(random_word(keys, 3u * n + 1u + 2u * i), params.filled);
        let v = mul_high(random_word(keys, 3u * n + 2u + 2u * i), n);
        let moved = child[u];
        child[u] = child[v];
        child[v] = moved;
    }
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let own = call.first + group.x;
    let n = params.facilities;
    let number = begin_problem(own);
    let keys = stream_keys(params.seed, state.iteration, number);
    // Drawn among all others of the problem.
    let drawn = mul_high(random_word(keys, FIRST_CITY), params.ants - 1u);
    let mate = own - number + drawn + select(0u, 1u, drawn >= number);
    for (var u = lane; u < n; u += LANES) {
        mine[u] = units[own * n + u];
        theirs[u] = units[mate * n + u];
    }
    workgroupBarrier();
    let first = state.iteration == 0u;
    if !first {
        for (var u = lane; u < n; u += LANES) {
            at_mine[mine[u]] = u;
            at_theirs[theirs[u]] = u;
        }
    }
    workgroupBarrier();
    if lane == 0u {
        if first {
            shuffle(keys, 0u);
            for (var u = 0u; u < n; u++) {
                child[u] = order[u];
            }
        } else {
#if ALIKE
            align();
#endif
            exchange(keys, cross(keys));
        }
        let tag = state.iteration + 1u;
        progress[own].construct.begun = tag;
        progress[own].construct.step = n;
        progress[own].construct.done = tag;
    }
    workgroupBarrier();
    for (var u = lane; u < n; u += LANES) {
        tours[own * n + u] = child[u];
    }
}
