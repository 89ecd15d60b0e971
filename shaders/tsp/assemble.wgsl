// Ants that assemble tours (edge assembly crossover; Nagata and Kobayashi 2013), one workgroup a walk of an ant.
//
// Each ant looks at one other ant's tour. Along edges that only one of both tours has, its own and the other's by turns, each of a few
// walks closes cycle after cycle; to exchange the edges of one leaves as many of the ant's edges as there are of the other's, two
// at each city still, but often several parts. The smallest part is joined to another by the cheapest exchange of an edge of each,
// until there is one tour. Of the attempts that gain, the best is kept: that which gains most for the entropy of the trails that is
// lost; a few that gain are enough. Tours stay as they are until all walks have ended; then adopt.wgsl takes the best attempt of
// each ant over. The CPU twin is src/kernels/assemble/twin.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include shared/progress

struct Params {
    seed: vec2<u32>,
    cities: u32,
    ants: u32,
    /// Neighbours of a city, and pairs that hold them.
    neighbours: u32,
    pairs: u32,
    /// 32-bit words of a bitmask over the cities.
    words: u32,
    /// Attempts of a walk.
    attempts: u32,
    /// Loop turns an invocation may spend in one dispatch.
    budget: u32,
    /// Turns that a look at the open edges takes, and that the longest attempt does.
    entry: u32,
    longest: u32,
    /// Turns of an exchange, and of a join but for its looks.
    exchange_turns: u32,
    join_turns: u32,
    /// Attempts that gain, after which a walk makes no more.
    gains: u32,
    /// Walks of an ant.
    walks: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// ants x cities: the tours, and the position of each city in them.
@group(0) @binding(3) var<storage, read> tours: array<u32>;
@group(0) @binding(4) var<storage, read> positions: array<u32>;
/// cities x pairs of neighbours x (city, distance), nearest first.
@group(0) @binding(5) var<storage, read> neighbours: array<vec2<u32>>;
/// See distance.wgsl.
@group(0) @binding(6) var<storage, read> distances: array<u32>;
/// cities x neighbours: tours that have the edge; then the entropy of each such number.
@group(0) @binding(7) var<storage, read> trails: array<u32>;
@group(0) @binding(8) var<storage, read_write> progress: array<Progress>;
/// See assemble/kept.wgsl.
@group(0) @binding(9) var<storage, read_write> assemblies: array<u32>;

override LANES: u32 = 64u;
/// Room for bitmasks: `params.words` at least, the same for instances of different sizes, so that a driver compiles once for them.
override WORDS: u32 = 1u;

const NONE: u32 = 0xFFFFFFFFu;
/// Sets the stream that pairs ants apart from those of ants.
const PAIRING: u32 = 0xFFFFFFFDu;

var<private> spent: u32;

#if SUBGROUPS
#include shared/least_subgroups
#else
#include shared/least
#endif
#include tsp/distance
#include tsp/assemble/kept
#include tsp/assemble/entropy
#include tsp/assemble/trace
#include tsp/assemble/parts

/// Tries the exchange along the cycle; whether it gains.
fn attempt(unit: u32, own: u32, lane: u32) -> bool {
    if lane == 0u {
        atomicStore(&gain, 0u);
        atomicStore(&loss, 0u);
    }
    workgroupBarrier();
    exchange(unit, own, lane);
    let joined = join_parts(unit, own, lane);
    workgroupBarrier();
    let at = unit * kept_words();
    let loses = atomicLoad(&loss);
    // What gains entropy loses none.
    let lost = select(loses, 0u, loses >= SIGN);
    let better = joined && is_better(atomicLoad(&gain), lost, vec2<u32>(assemblies[at], assemblies[at + 1u]));
    storageBarrier();
    workgroupBarrier();
    if better {
        for (var path = lane; path < path_count; path += LANES) {
            let to = kept_path(unit, path);
            assemblies[to] = path_first[path];
            assemblies[to + 1u] = path_last[path];
            assemblies[to + 2u] = ties[2u * path];
            assemblies[to + 3u] = ties[2u * path + 1u];
        }
        if lane == 0u {
            assemblies[at] = atomicLoad(&gain);
            assemblies[at + 1u] = lost;
            assemblies[at + 2u] = path_count;
        }
    }
    heal(lane);
    storageBarrier();
    workgroupBarrier();
    return joined;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let unit = call.first + group.x;
    let ant = unit / params.walks;
    let tag = state.iteration + 1u;
    if progress[unit].search_done == tag {
        return;
    }
    let resumed = progress[unit].search_begun == tag;
    let shift = 1u + mul_high(random_word(stream_keys(params.seed, state.iteration, PAIRING), 0u), params.ants - 1u);
    let other = (ant + shift) % params.ants;
    let sides = vec2<u32>(ant, other) * params.cities;
    let keys = stream_keys(params.seed, state.iteration, unit);
    let marks = marks_at(unit);
    let saved = kept_open(unit);
    least_begin(lane);
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&cut_bits[word], 0u);
        atomicStore(&mine_bits[word], 0u);
    }
    var attempts = 0u;
    var gained = 0u;
    if resumed {
        attempts = progress[unit].rounds;
        gained = progress[unit].queued;
        for (var word = lane; word < params.words; word += LANES) {
            open[word] = assemblies[saved + word];
            open[WORDS + word] = assemblies[saved + params.words + word];
        }
        if lane == 0u {
            walked = progress[unit].head;
            drawn = progress[unit].moves;
        }
    } else {
        open_edges(0u, sides.x, sides.y, lane);
        open_edges(1u, sides.y, sides.x, lane);
        for (var i = lane; i < 2u * params.cities; i += LANES) {
            assemblies[marks + i] = 0u;
        }
        if lane == 0u {
            walked = 0u;
            drawn = 0u;
            assemblies[unit * kept_words()] = 0u;
            // Anything that gains is better than no gain at a loss.
            assemblies[unit * kept_words() + 1u] = 1u;
            assemblies[unit * kept_words() + 2u] = 0u;
        }
    }
    storageBarrier();
    workgroupBarrier();

    spent = params.entry;
    var done = false;
    loop {
        if spent + params.longest >= params.budget {
            break;
        }
        done = attempts == params.attempts || gained == params.gains;
        if done {
            break;
        }
        if walked == 0u {
            let word = random_word(keys, drawn);
            let at = next_open(mul_high(word, params.cities), lane);
            done = at == NONE;
            if done {
                break;
            }
            workgroupBarrier();
            if lane == 0u {
                // Either end of the edge.
                let city = tours[sides.x + select(at, turned(at + 1u), (word & 1u) == 1u)];
                assemblies[walk_at(unit)] = city;
                assemblies[marks + 2u * city] = 1u;
                walked = 1u;
                drawn += 1u;
            }
            workgroupBarrier();
            spent += params.words / LANES + 3u;
        }
        if lane == 0u {
            trace(unit, sides, keys);
        }
        spent += TRACE + 2u;
        storageBarrier();
        workgroupBarrier();
        let begin = cycle_begin;
        let length = walked;
        // Read by all before the walk goes on.
        workgroupBarrier();
        if begin == NONE {
            continue;
        }
        spent += (length - begin) / LANES + 1u;
        for (var place = begin + 1u + lane; place < length; place += LANES) {
            assemblies[marks + 2u * assemblies[walk_at(unit) + place] + (place & 1u)] = 0u;
        }
        if cycle_edges <= 2u * CUTS {
            attempts += 1u;
            spent += params.exchange_turns;
            gained += select(0u, 1u, attempt(unit, sides.x, lane));
        }
        workgroupBarrier();
        if lane == 0u {
            // A walk that is back where it began ends there.
            walked = select(begin + 1u, 0u, begin == 0u);
            if begin == 0u {
                assemblies[marks + 2u * assemblies[walk_at(unit)]] = 0u;
            }
        }
        storageBarrier();
        workgroupBarrier();
    }
    workgroupBarrier();
    for (var word = lane; word < params.words; word += LANES) {
        assemblies[saved + word] = open[word];
        assemblies[saved + params.words + word] = open[WORDS + word];
    }
    if lane == 0u {
        var now = progress[unit];
        now.search_begun = tag;
        now.rounds = attempts;
        now.queued = gained;
        now.head = walked;
        now.moves = drawn;
        if done {
            now.construct_done = tag;
            now.search_done = tag;
        }
        progress[unit] = now;
    }
}
