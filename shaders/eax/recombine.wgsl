// Edge assembly crossover (Nagata and Kobayashi 2013), one workgroup a walk of a pair of parents.
//
// Parent A is the unit's individual, parent B another one. A walk takes edges of A and B in turn that only one of them has, and closes
// one AB-cycle after the other. To remove the edges of A in a cycle and add those of B leaves every city two edges, but often several
// sub-tours. The smallest sub-tour is merged with another by the cheapest exchange of an edge of each, until one tour is left: a
// child. Once single cycles gain little, cycles that begin in the smallest sub-tour join the E-set (blocks). Each walk keeps the
// child with the greatest gain for the entropy of edges that is lost; a few that gain are enough. Tours stay as they are until all
// walks have ended; then `replace` puts the best child of each pair in the place of A. The CPU twin is
// src/kernels/eax/recombine/twin.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include eax/progress

struct Params {
    seed: vec2<u32>,
    cities: u32,
    /// Individuals that are parents B, too. The run's best tour, where it is crossed beside them, comes after them.
    individuals: u32,
    /// Neighbours of a city, and pairs that hold them.
    neighbours: u32,
    pairs: u32,
    /// 32-bit words of a bitmask over the cities.
    words: u32,
    /// Attempts of a walk.
    children: u32,
    /// Loop turns an invocation may spend in one dispatch.
    budget: u32,
    /// Turns that a look at the open edges takes, and that the longest child does.
    entry: u32,
    longest: u32,
    /// Turns of an exchange, and of a merge but for its looks.
    e_set_turns: u32,
    merge_turns: u32,
    /// Attempts that gain, after which a walk makes no more.
    accept_after: u32,
    /// Walks of a pair.
    walks: u32,
    /// Walks of a pair whose E-sets grow to blocks.
    block_walks: u32,
    /// So many leading cities are joined two and two by edges that stay.
    paired: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// individuals x cities: the tours, and the position of each city in them.
@group(0) @binding(3) var<storage, read> tours: array<u32>;
@group(0) @binding(4) var<storage, read> positions: array<u32>;
/// cities x pairs of neighbours x (city, distance), nearest first.
@group(0) @binding(5) var<storage, read> neighbours: array<vec2<u32>>;
/// See distance.wgsl.
@group(0) @binding(6) var<storage, read> distances: array<u32>;
/// cities x neighbours: tours that have the edge; then the entropy of each such number.
@group(0) @binding(7) var<storage, read> trails: array<u32>;
@group(0) @binding(8) var<storage, read_write> progress: array<WalkProgress>;
/// See eax/offspring.
@group(0) @binding(9) var<storage, read_write> offspring: array<u32>;

override LANES: u32 = 64u;
/// Room for bitmasks: `params.words` at least, the same for instances of different sizes, so that a driver compiles once for them.
override WORDS: u32 = 1u;

const NONE: u32 = 0xFFFFFFFFu;
/// Pieces of a walk whose cycle is to be exchanged beside others, and how often an exchange is tried to grow.
const WALK_PIECES: u32 = 4u;
const GROWTHS: u32 = 10u;
/// Sets the stream that pairs individuals apart from those of individuals.
const PAIRING: u32 = 0xFFFFFFFDu;

var<private> spent: u32;

#if SUBGROUPS
#include shared/least_subgroups
#else
#include shared/least
#endif
#include shared/distance
#include eax/offspring
#include eax/entropy
#include eax/ab_cycles
#include shared/pairs
#include eax/sub_tours

/// Merges the sub-tours of the exchange, and keeps it if it is the best so far; whether it gains.
fn settle(unit: u32, own: u32, lane: u32) -> bool {
    let joined = merge_sub_tours(unit, own, lane);
    workgroupBarrier();
    let at = unit * kept_words();
    let loses = atomicLoad(&loss);
    // What gains entropy loses none; that of the run's best tour is not counted.
    let lost = select(loses, 0u, loses >= SIGN || unit >= params.walks * params.individuals);
    let better = joined && is_better(atomicLoad(&gain), lost, vec2<u32>(offspring[at], offspring[at + 1u]));
    storageBarrier();
    workgroupBarrier();
    if better {
        for (var path = lane; path < path_count; path += LANES) {
            let to = kept_path(unit, path);
            offspring[to] = path_first[path];
            offspring[to + 1u] = path_last[path];
            offspring[to + 2u] = ties[2u * path];
            offspring[to + 3u] = ties[2u * path + 1u];
        }
        if lane == 0u {
            offspring[at] = atomicLoad(&gain);
            offspring[at + 1u] = lost;
            offspring[at + 2u] = path_count;
        }
    }
    heal(lane);
    storageBarrier();
    workgroupBarrier();
    return joined;
}

/// Exchanges the edges of a cycle, if the walk closes one; where it `grows`, also those of cycles that begin in the smallest sub-tour, as long
/// as there are several sub-tours, unless there are more then. Whether an edge was open.
fn gather(unit: u32, sides: vec2<u32>, keys: vec2<u32>, grows: bool, lane: u32) -> bool {
    var growths = 0u;
    loop {
        if walked == 0u && !begin_walk(unit, sides.x, keys, growths > 0u, lane) {
            return growths > 0u;
        }
        let pieces = select(1u, WALK_PIECES, grows);
        spent += pieces * (TRACE + 2u) + params.words / LANES + 4u;
        for (var piece = 0u; piece < pieces; piece++) {
            if lane == 0u {
                trace(unit, sides, keys);
            }
            storageBarrier();
            workgroupBarrier();
            let closed = cycle_begin != NONE;
            // Read by all before the walk goes on.
            workgroupBarrier();
            if closed {
                break;
            }
        }
        let begin = cycle_begin;
        let before = vec4<u32>(cut_count, sub_tour_count, atomicLoad(&gain), atomicLoad(&loss));
        workgroupBarrier();
        if begin != NONE && before.x + cycle_edges / 2u <= CUTS {
            spent += params.e_set_turns;
            add_cycle(unit, sides.x, lane);
            // Divided again as it was where that makes more sub-tours.
            for (var turn = 0u; turn < 2u; turn++) {
                if turn > 0u || growths > 0u {
                    heal(lane);
                    workgroupBarrier();
                }
                divide(unit, lane);
                if growths == 0u || turn > 0u || sub_tour_count <= before.y {
                    break;
                }
                workgroupBarrier();
                spent += params.e_set_turns;
                if lane == 0u {
                    cut_count = before.x;
                    atomicStore(&gain, before.z);
                    atomicStore(&loss, before.w);
                }
                workgroupBarrier();
            }
        }
        if !grows {
            if begin != NONE {
                // A walk that is back where it began ends there.
                go_back(unit, sides, select(begin + 1u, 0u, begin == 0u), 0u, lane);
            }
            return true;
        }
        go_back(unit, sides, 0u, begin, lane);
        if growths == GROWTHS || cut_count == 0u || sub_tour_count == 1u {
            return true;
        }
        growths += 1u;
    }
    return true;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let unit = call.first + group.x;
    let individual = unit / params.walks;
    let tag = state.iteration + 1u;
    if progress[unit].search_done == tag {
        return;
    }
    let resumed = progress[unit].search_begun == tag;
    let shift = 1u + mul_high(random_word(stream_keys(params.seed, state.iteration, PAIRING), 0u), params.individuals - 1u);
    // The run's best tour, which is no individual, has the second one or a later one beside it.
    let other = select((individual + shift) % params.individuals, shift, individual == params.individuals);
    let sides = vec2<u32>(individual, other) * params.cities;
    let keys = stream_keys(params.seed, state.iteration, unit);
    let marks = marks_at(unit);
    let saved = kept_open(unit);
    least_begin(lane);
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&cut_bits[word], 0u);
        atomicStore(&mine_bits[word], 0u);
    }
    var children = 0u;
    var gained = 0u;
    if resumed {
        children = progress[unit].children;
        gained = progress[unit].gained;
        for (var word = lane; word < params.words; word += LANES) {
            atomicStore(&open[word], offspring[saved + word]);
            atomicStore(&open[WORDS + word], offspring[saved + params.words + word]);
        }
        if lane == 0u {
            walked = progress[unit].walked;
            drawn = progress[unit].drawn;
        }
    } else {
        open_edges(0u, sides.x, sides.y, lane);
        open_edges(1u, sides.y, sides.x, lane);
        for (var i = lane; i < 2u * params.cities; i += LANES) {
            offspring[marks + i] = 0u;
        }
        if lane == 0u {
            walked = 0u;
            drawn = 0u;
            offspring[unit * kept_words()] = 0u;
            // Anything that gains is better than no gain at a loss.
            offspring[unit * kept_words() + 1u] = 1u;
            offspring[unit * kept_words() + 2u] = 0u;
        }
    }
    storageBarrier();
    workgroupBarrier();

    let grows = unit % params.walks >= params.walks - params.block_walks;
    spent = params.entry;
    var done = false;
    loop {
        if spent + params.longest >= params.budget {
            break;
        }
        done = children == params.children || gained == params.accept_after;
        if done {
            break;
        }
        if lane == 0u {
            cut_count = 0u;
            atomicStore(&gain, 0u);
            atomicStore(&loss, 0u);
        }
        done = !gather(unit, sides, keys, grows, lane);
        if done {
            break;
        }
        let exchanged = cut_count > 0u;
        // Longer cycles are no children, but where they grow.
        children += select(0u, 1u, exchanged || grows);
        workgroupBarrier();
        if exchanged {
            gained += select(0u, 1u, settle(unit, sides.x, lane));
        }
    }
    workgroupBarrier();
    for (var word = lane; word < params.words; word += LANES) {
        offspring[saved + word] = atomicLoad(&open[word]);
        offspring[saved + params.words + word] = atomicLoad(&open[WORDS + word]);
    }
    if lane == 0u {
        var now = progress[unit];
        now.search_begun = tag;
        now.children = children;
        now.gained = gained;
        now.walked = walked;
        now.drawn = drawn;
        if done {
            now.construct_done = tag;
            now.search_done = tag;
        }
        progress[unit] = now;
    }
}
