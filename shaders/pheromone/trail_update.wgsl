// The pass over the trails at the end of an iteration, one workgroup a row. It has up to three steps:
//
// - EVAPORATE: trails evaporate, or are initialised again;
// - DEPOSIT: the depositing tour adds to its edges; a unit is a position of that tour and owns the row of its city;
// - CHOICE: trails are clamped to their limits, and selection weights follow from them.
//
// With all three it is the fused update of a MAX-MIN Ant System. `evaporate` is the first step alone and `choice_info` the last; `deposit`
// runs between them. Trails are kept for candidate edges, or for all edges (MATRIX), with candidate lists (NEAR) or without. For assignments
// (ASSIGNMENT) a row has the trails from one facility to each location, without heuristic weights.
// The CPU twin is src/kernels/pheromone/trail_update.rs.

#include shared/call
#include shared/fixed
#include shared/state

struct Params {
    cities: u32,
    /// Candidates a city.
    candidates: u32,
    /// (1 - evaporation rate) times 2^32.
    persistence: u32,
    /// Trail exponent times 256.
    alpha: u32,
    /// Heuristic exponent times 256.
    beta: u32,
    /// Heuristic weight of a city's nearest neighbour.
    heuristic_top: u32,
    /// 1 when an edge has a trail in each direction.
    directed: u32,
    /// The octave of the greatest weight that can be; 0 when weights stay logarithms.
    top_octave: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read> state: State;
/// 3 x cities; the third tour deposits.
@group(0) @binding(4) var<storage, read> bests: array<u32>;
/// cities x candidates, or cities x cities.
@group(0) @binding(5) var<storage, read_write> trails: array<u32>;
#if MATRIX
#if ASSIGNMENT
/// facilities x pairs of locations, each row a multiple of four words: two selection weights a word.
@group(0) @binding(6) var<storage, read_write> weights: array<u32>;
#else
/// cities x cities.
@group(0) @binding(6) var<storage, read> distances: array<u32>;
/// log2 of the distance to each city's nearest neighbour, as log2_distance gives it.
@group(0) @binding(7) var<storage, read> nearest: array<u32>;
/// cities x pairs of cities, each row a multiple of four words: two selection weights a word.
@group(0) @binding(8) var<storage, read_write> weights: array<u32>;
/// cities x candidates: city in the upper, selection weight in the lower 16 bits; without lists a single word.
@group(0) @binding(9) var<storage, read_write> choice: array<u32>;
#endif
#else
/// cities x candidates: city in the upper, heuristic weight in the lower 16 bits.
@group(0) @binding(6) var<storage, read> heuristic: array<u32>;
/// cities x candidates: city in the upper, selection weight in the lower 16 bits.
@group(0) @binding(7) var<storage, read_write> choice: array<u32>;
#endif

override LANES: u32 = 32u;

#include shared/heuristic
#if LINEAR
#include construct/linear
#endif

/// The cities before and after this one in the depositing tour.
struct Place {
    city: u32,
    before: u32,
    after: u32,
}

fn place_of(unit: u32) -> Place {
#if DEPOSIT
#if ASSIGNMENT
    let location = bests[2u * params.cities + unit];
    return Place(unit, location, location);
#else
    let last = params.cities - 1u;
    let tour = 2u * params.cities;
    let before = bests[tour + select(unit - 1u, last, unit == 0u)];
    let after = bests[tour + select(unit + 1u, 0u, unit == last)];
    return Place(bests[tour + unit], select(before, after, params.directed == 1u), after);
#endif
#else
    return Place(unit, unit, unit);
#endif
}

/// The trail to `other` after this pass.
fn updated(trail_before: u32, place: Place, other: u32) -> u32 {
    var trail = trail_before;
#if EVAPORATE
    if state.reset == 1u {
        return state.trail_max;
    }
    trail = mul_high(trail, params.persistence);
#endif
#if DEPOSIT
    if other == place.before || other == place.after {
        // No overflow: the deposit is at most the evaporation rate's share of 2^32.
        trail += state.deposit;
    }
#endif
#if CHOICE
    trail = clamp(trail, state.trail_min, state.trail_max);
#endif
    return trail;
}

/// The part of the weight that a trail gives, from 0 for the least on.
fn trail_weight(trail: u32, floor_log2: u32) -> u32 {
    return (params.alpha * (log2_fixed(trail) - floor_log2)) >> 15u;
}

/// How much greater than MOST_WEIGHT the weight of the nearest city with the strongest trail would be, in whole octaves: it is taken off all, so that
/// the weakest count as 0 and the strong ones are told apart.
fn excess(floor_log2: u32) -> u32 {
    let greatest = params.heuristic_top + trail_weight(state.trail_max, floor_log2);
    return (max(greatest, MOST_WEIGHT) - MOST_WEIGHT + WEIGHT_UNITS - 1u) / WEIGHT_UNITS * WEIGHT_UNITS;
}

/// The selection weight of an edge with this heuristic weight and trail: a logarithm, for roulette wheels (LINEAR) a short
/// linear weight.
fn weigh(heuristic_weight: u32, trail: u32, floor_log2: u32, taken_off: u32) -> u32 {
    let sum = heuristic_weight + trail_weight(trail, floor_log2);
    let weight = max(sum, taken_off) - taken_off;
#if LINEAR
    return short_linear(weight, params.top_octave);
#else
    return weight;
#endif
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let place = place_of(call.first + group.x);
    let city = place.city;
    let floor_log2 = log2_fixed(state.trail_min);
#if CHOICE
    let taken_off = excess(floor_log2);
#endif
#if MATRIX
    let row = city * params.cities;
    let pairs = (params.cities + 1u) / 2u;
    let row_weights = city * ((params.cities + 7u) / 8u * 4u);
    for (var pair = lane; pair < pairs; pair += LANES) {
        var word = 0u;
        for (var half = 0u; half < 2u; half++) {
            let other = pair * 2u + half;
            if other < params.cities {
                let trail = updated(trails[row + other], place, other);
                trails[row + other] = trail;
#if CHOICE
#if ASSIGNMENT
                let heuristic_weight = params.heuristic_top;
#else
                let octaves = log2_distance(distances[row + other]);
                let fall = heuristic_fall(max(octaves, nearest[city]) - nearest[city], params.beta);
                let heuristic_weight = params.heuristic_top - min(fall, params.heuristic_top);
#endif
                word |= weigh(heuristic_weight, trail, floor_log2, taken_off) << (half * 16u);
#endif
            }
        }
#if CHOICE
        weights[row_weights + pair] = word;
#endif
    }
#if NEAR
    storageBarrier();
    let list = city * params.candidates;
    for (var k = lane; k < params.candidates; k += LANES) {
        let other = choice[list + k] >> 16u;
        let weight = (weights[row_weights + (other >> 1u)] >> ((other & 1u) * 16u)) & 0xFFFFu;
        choice[list + k] = (other << 16u) | weight;
    }
#endif
#else
    let row = city * params.candidates;
    for (var k = lane; k < params.candidates; k += LANES) {
        let entry = heuristic[row + k];
        let trail = updated(trails[row + k], place, entry >> 16u);
        trails[row + k] = trail;
#if CHOICE
        choice[row + k] = (entry & 0xFFFF0000u) | weigh(entry & 0xFFFFu, trail, floor_log2, taken_off);
#endif
    }
#endif
}
