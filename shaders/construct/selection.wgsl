// How the next city is drawn from the options of a step, and where an ant goes without any.

#if PSEUDO_RANDOM
var<private> greedy_step: bool;
#endif

/// Draws the rule of a step.
fn draw_rule(keys: vec2<u32>, step: u32) {
#if PSEUDO_RANDOM
    greedy_step = quick_mix(keys, step) * 0x846CA68Bu < params.greedy;
#endif
}

/// Whether this step takes the option of greatest weight (Ant Colony System, pseudo-random proportional rule).
fn is_greedy() -> bool {
#if PSEUDO_RANDOM
    return greedy_step;
#else
    return false;
#endif
}

#include construct/key

#if ROULETTE
#if COARSE
#include construct/rwm_single
#else
#if SUBGROUPS
#include construct/rwm_subgroups
#else
#include construct/rwm_workgroup
#endif
#endif
#else
#if ONE_EACH
#include construct/wrs_one
#else
#if QUADS
#include construct/wrs_quads
#else
#include construct/wrs
#endif
#endif
#endif

#if BEYOND
/// The unvisited city of least burden, the lowest index on a tie; there is one.
fn beyond(city: u32, lane: u32) -> u32 {
    var low = NONE;
    var who = NONE;
#if TABU_BT
    for (var word = lane; word < params.tabu_words; word += CREW) {
        var bits = ~tabu_load(word);
        while bits != 0u {
            let other = word * 32u + firstTrailingBit(bits);
            bits &= bits - 1u;
#else
    for (var i = lane; i < tabu_length(); i += CREW) {
        {
            let other = tabu_candidate(i);
#endif
            let found = burden(city, other);
            if found < low || (found == low && other < who) {
                low = found;
                who = other;
            }
        }
    }
    let lowest = least(lane, low);
    return least(lane, select(NONE, who, low == lowest));
}
#endif
