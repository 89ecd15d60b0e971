// Local search with neighbour lists and don't-look bits (Bentley 1992) on the tour of each ant, one workgroup an ant:
// 2-opt, 2.5-opt (TWO_HALF_OPT: with node insertion), 2-opt and Or-opt (OR_OPT: with insertion of segments) or node insertion
// alone (INSERTION), which asymmetric instances allow. The moves lie in two_opt/, tour and waiting cities in array_tour.
//
// A round takes the next waiting city of each of 32 slices, and looks for its best move in either direction (64 entries, all at the same
// time). Where moves change the same part of the tour, the one of greatest gain is made, and the cities of the others wait again. All moves of
// a round are made at the same time. Which are made depends on the moves alone, so the result does not depend on the number of lanes. The
// shorter side is reversed. With SPLIT an entry has several neighbouring lanes, which share the city's neighbours: at a long edge many
// neighbours are nearer than the edge is long, and the slowest entry sets the pace of the round.
//
// A search begins with the cities whose tour neighbours differ from those in the best tour since the restart (as in Skinderowicz 2022), and with
// cities that are nearer to one of these than to a tour neighbour. That best tour has been searched already. So a move that gains now and did
// not then removes an edge of such a city, or two edges of that tour one of which is reversed now. Moves of the last kind are found in the
// first iteration and every `all_period` iterations, when all cities wait. A search over all pairs of cities (`2.5opt-all`) has all other cities
// for neighbours, and all cities wait in each iteration.
// The CPU twin is src/kernels/two_opt/twin.rs.

#include shared/call
#include shared/state
#include shared/progress
#include two_opt/progress

struct Params {
    cities: u32,
    /// Pairs of neighbours in a row of `neighbours`.
    pairs: u32,
    /// Loop turns an invocation may spend in one dispatch.
    budget: u32,
    /// Rounds and moves after which the search of a tour ends, improved as far as it is.
    max_rounds: u32,
    max_moves: u32,
    /// Every so many iterations all cities wait.
    all_period: u32,
    /// Loop turns of an invocation before the first round.
    begin_turns: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// cities x pairs x two of (city, distance), nearest first; rows are filled up with distance 2^32 - 1.
@group(0) @binding(2) var<storage, read> neighbours: array<vec4<u32>>;
/// cities x cities.
@group(0) @binding(3) var<storage, read> distances: array<u32>;
@group(0) @binding(4) var<storage, read> state: State;
@group(0) @binding(5) var<storage, read_write> progress: array<Progress>;
/// ants x (words of the waiting cities, heads of their slices): for searches that go on in the next dispatch.
@group(0) @binding(6) var<storage, read_write> queues: array<u32>;
/// ants x cities.
@group(0) @binding(7) var<storage, read_write> tours: array<u32>;
/// cities x (city before, city after) in the best tour since the restart.
#if TOUR_IN_STORAGE
@group(0) @binding(9) var<storage, read> links: array<vec2<u32>>;
#else
@group(0) @binding(8) var<storage, read> links: array<vec2<u32>>;
#endif

override LANES: u32 = 64u;
override CITIES: u32 = 1u;

const NONE: u32 = 0xFFFFFFFFu;
/// Moves looked for in a round: from a city of each of 32 slices, in two directions.
const ENTRIES: u32 = 64u;

#include shared/array_tour
#include shared/array_tour/slices
#include shared/distance

/// Whether a slice had a city, in even and in odd rounds.
var<workgroup> any_ready: array<atomic<u32>, 2>;
/// The cities whose tour neighbours differ from those in `links`.
var<workgroup> changed: array<atomic<u32>, WAITS>;
/// Entries with an improving move, in even and in odd rounds, and those whose move is made.
var<workgroup> has_move: array<atomic<u32>, 4>;
var<workgroup> is_made: array<atomic<u32>, 4>;

#if SPLIT
/// Lanes of an entry.
override SHARE: u32 = LANES / ENTRIES;
#if SUBGROUPS
#else
/// For each entry the greatest gain, and the nearest neighbour's rank that has it.
var<workgroup> best_gain: array<atomic<u32>, ENTRIES>;
var<workgroup> best_rank: array<atomic<u32>, ENTRIES>;
#endif
#endif

fn is_changed(city: u32) -> bool {
    return (atomicLoad(&changed[wait_word(city)]) & wait_bit(city)) != 0u;
}

/// Takes the next city of each slice.
fn take_round(turn: u32, lane: u32) {
    for (var slice = lane; slice < SLICES; slice += LANES) {
        if take_of(slice) {
            atomicOr(&any_ready[turn], 1u);
        }
    }
}

/// Lets those cities wait that may have a move which the tour in `links` did not have.
fn let_changed_wait(lane: u32) {
    for (var word = lane; word < WAITS; word += LANES) {
        atomicStore(&changed[word], 0u);
    }
    barrier();
    for (var city = lane; city < params.cities; city += LANES) {
        let before = step_from(city, false);
        let after = step_from(city, true);
        let known = links[city];
        let same = (known.x == before && known.y == after) || (known.x == after && known.y == before);
        if !same {
            atomicOr(&changed[wait_word(city)], wait_bit(city));
        }
    }
    barrier();
    for (var city = lane; city < params.cities; city += LANES) {
        var waiting = is_changed(city);
        let far = max(distance(city, step_from(city, false)), distance(city, step_from(city, true)));
        for (var k = 0u; k < params.pairs && !waiting; k++) {
            let pair = neighbours[city * params.pairs + k];
            if pair.y >= far {
                break;
            }
            waiting = is_changed(pair.x) || (pair.w < far && is_changed(pair.z));
        }
        if waiting {
            let_wait(city);
        }
    }
}

/// An improving move.
struct Found {
    gain: u32,
    /// Lower for nearer neighbours; decides between moves of one gain.
    rank: u32,
    /// For a reversal: city, neighbour, next of city, next of neighbour. For a segment: its first city, with its length from bit 16 on; the
    /// two cities that it is moved between, the second in the upper half; the city before it; its last city.
    cities: vec4<u32>,
}

/// A segment's length of one, as it is stored beside the first city.
const MOVES: u32 = 0x10000u;

/// The insertion of a city that comes after `before` between two others.
fn insertion(city: u32, one: u32, other: u32, before: u32) -> vec4<u32> {
    return vec4<u32>(city | MOVES, one | (other << 16u), before, city);
}

/// a + b, at most 2^32 - 1.
fn add_saturated(a: u32, b: u32) -> u32 {
    return select(a + b, NONE, a + b < a);
}

#if TWO_HALF_OPT
#include two_opt/moves_two_half_opt
#else
#if OR_OPT
#include two_opt/moves_or_opt
#else
#if INSERTION
#include two_opt/moves_insertion
#else
#include two_opt/moves_two_opt
#endif
#endif
#endif

#include two_opt/changes

/// Sets the workgroup's memory before the first use; a barrier has to follow.
fn search_begin(lane: u32) {
    slices_begin(lane);
    if lane < 4u {
        atomicStore(&has_move[lane], 0u);
        atomicStore(&is_made[lane], 0u);
        atomicStore(&any_ready[lane & 1u], 0u);
    }
#if SPLIT
#if SUBGROUPS
#else
    forget_best(lane);
#endif
#endif
}

/// Lets those cities wait that a search of this iteration begins with.
fn let_first_wait(lane: u32) {
    if state.iteration % params.all_period == 0u {
        for (var city = lane; city < params.cities; city += LANES) {
            let_wait(city);
        }
    } else {
        let_changed_wait(lane);
    }
}

/// Loads the waiting cities that the dispatch before has kept.
fn load_queue(kept: u32, lane: u32) {
    for (var word = lane; word < WAITS; word += LANES) {
        atomicStore(&waits[word], queues[kept + word]);
    }
    for (var slice = lane; slice < SLICES; slice += LANES) {
        heads[slice] = queues[kept + WAITS + slice];
    }
}

/// Keeps the waiting cities for the next dispatch.
fn store_queue(kept: u32, lane: u32) {
    for (var word = lane; word < WAITS; word += LANES) {
        queues[kept + word] = atomicLoad(&waits[word]);
    }
    for (var slice = lane; slice < SLICES; slice += LANES) {
        queues[kept + WAITS + slice] = heads[slice];
    }
}

/// Loop turns of a round without those that make its moves.
fn turns_of_round() -> u32 {
    let slice_turns = (SLICES + LANES - 1u) / LANES * (SLICE + 1u);
    let entry_turns = (ENTRIES + LANES - 1u) / LANES;
    return entry_turns * (params.pairs * PAIR_TURNS + CITY_TURNS + 66u) + slice_turns + 4u;
}

#if SPLIT
#if SUBGROUPS
/// Keeps the best move of each entry, whose lanes lie side by side in a subgroup.
fn find_moves(flags: u32, lane: u32) {
    let entry = lane / SHARE;
    var found = Found(0u, NONE, vec4<u32>(0u));
    let city = ready[entry >> 1u];
    if city != NONE {
        found = best_move(city, (entry & 1u) == 0u, lane % SHARE, SHARE);
    }
    var best = vec2<u32>(found.gain, found.rank);
    for (var reach = SHARE / 2u; reach > 0u; reach /= 2u) {
        let other = vec2<u32>(subgroupShuffleXor(best.x, reach), subgroupShuffleXor(best.y, reach));
        best = select(best, other, other.x > best.x || (other.x == best.x && other.y < best.y));
    }
    if found.gain > 0u && found.gain == best.x && found.rank == best.y {
        keep_move(flags, entry, found);
    }
    workgroupBarrier();
}
#else
fn forget_best(lane: u32) {
    if lane < ENTRIES {
        atomicStore(&best_gain[lane], 0u);
        atomicStore(&best_rank[lane], NONE);
    }
}

/// Keeps the best move of each entry, which several lanes look for.
fn find_moves(flags: u32, lane: u32) {
    let entry = lane / SHARE;
    var found = Found(0u, NONE, vec4<u32>(0u));
    let city = ready[entry >> 1u];
    if city != NONE {
        found = best_move(city, (entry & 1u) == 0u, lane % SHARE, SHARE);
    }
    if found.gain > 0u {
        atomicMax(&best_gain[entry], found.gain);
    }
    workgroupBarrier();
    let leads = found.gain > 0u && found.gain == atomicLoad(&best_gain[entry]);
    if leads {
        atomicMin(&best_rank[entry], found.rank);
    }
    workgroupBarrier();
    if leads && found.rank == atomicLoad(&best_rank[entry]) {
        keep_move(flags, entry, found);
    }
    workgroupBarrier();
    forget_best(lane);
}
#endif
#else
/// Keeps the best move of each entry.
fn find_moves(flags: u32, lane: u32) {
    for (var entry = lane; entry < ENTRIES; entry += LANES) {
        let city = ready[entry >> 1u];
        if city != NONE {
            let found = best_move(city, (entry & 1u) == 0u, 0u, 1u);
            if found.gain > 0u {
                keep_move(flags, entry, found);
            }
        }
    }
    workgroupBarrier();
}
#endif

/// Decides which of the moves found are made; those entries, in two words.
fn choose_moves(turn: u32, lane: u32) -> vec2<u32> {
    let flags = turn * 2u;
    let found_moves = vec2<u32>(atomicLoad(&has_move[flags]), atomicLoad(&has_move[flags + 1u]));
    for (var entry = lane; entry < ENTRIES; entry += LANES) {
        decide(flags, entry, found_moves);
    }
    if lane < 2u {
        // The others were read before the last barrier but one and are written after the next.
        atomicStore(&has_move[2u - flags + lane], 0u);
        atomicStore(&is_made[2u - flags + lane], 0u);
        atomicStore(&any_ready[1u - turn], 0u);
    }
    workgroupBarrier();
    return vec2<u32>(atomicLoad(&is_made[flags]), atomicLoad(&is_made[flags + 1u]));
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let tag = state.iteration + 1u;
    if progress[ant].search.done == tag {
        return;
    }
    let resumed = progress[ant].search.begun == tag;
    search_begin(lane);
    load_tour(ant, lane);
    barrier();
    var rounds = 0u;
    var moved = 0u;
    let kept = ant * (WAITS + SLICES);
    if resumed {
        rounds = progress[ant].search.rounds;
        moved = progress[ant].search.moves;
        load_queue(kept, lane);
    } else {
        let_first_wait(lane);
    }
    barrier();

    let round_turns = turns_of_round();
    var spent = params.begin_turns;
    var turn = rounds & 1u;
    take_round(turn, lane);
    barrier();
    var done = atomicLoad(&any_ready[turn]) == 0u;
    while !done {
        find_moves(turn * 2u, lane);
        let made = choose_moves(turn, lane);
        spent += round_turns + make(made, lane);
        moved += countOneBits(made.x) + countOneBits(made.y);
        rounds += 1u;
        turn = 1u - turn;
        done = rounds >= params.max_rounds || moved >= params.max_moves;
        if done || spent >= params.budget {
            break;
        }
        take_round(turn, lane);
        barrier();
        done = atomicLoad(&any_ready[turn]) == 0u;
    }
    barrier();

    store_tour(ant, lane);
    if !done {
        store_queue(kept, lane);
    }
    if lane == 0u {
        progress[ant].search.begun = tag;
        progress[ant].search.rounds = rounds;
        progress[ant].search.moves = moved;
        if done {
            progress[ant].search.done = tag;
        }
    }
}
