// One ant an invocation (coarse-grained strategy, Menezes et al. 2019): ants share nothing, and none waits for another. Visited sets are
// in storage, those of a workgroup's ants side by side.

override LANES: u32 = 32u;
const CREW: u32 = 1u;

var<private> visited_base: u32;

fn crew_ant(group: u32, invocation: u32) -> u32 {
    return call.first + group * LANES + invocation;
}

fn crew_lane(invocation: u32) -> u32 {
    return 0u;
}

fn crew_sync() {
}

fn crew_begin(ant: u32, lane: u32) {
    visited_base = ant;
}

fn greatest(lane: u32, value: u32) -> u32 {
    return value;
}

fn anyone(lane: u32, claim: bool) -> bool {
    return claim;
}

fn least(lane: u32, value: u32) -> u32 {
    return value;
}

fn visited_load(word: u32) -> u32 {
    return visited_kept[word * params.ants + visited_base];
}

fn visited_store(word: u32, value: u32) {
    visited_kept[word * params.ants + visited_base] = value;
}

/// Sets bits of a word.
fn visited_add(word: u32, bits: u32) {
    visited_store(word, visited_load(word) | bits);
}

fn crew_load(ant: u32, lane: u32) {
}

fn crew_store(ant: u32, lane: u32) {
}
