// One ant an invocation (coarse-grained strategy, Menezes et al. 2019): nothing is shared, nobody waits. Visited cities
// are kept in storage, the ants of a workgroup side by side.

override LANES: u32 = 32u;
const CREW: u32 = 1u;

var<private> tabu_base: u32;

fn crew_ant(group: u32, invocation: u32) -> u32 {
    return call.first + group * LANES + invocation;
}

fn crew_lane(invocation: u32) -> u32 {
    return 0u;
}

fn crew_sync() {
}

fn crew_begin(ant: u32, lane: u32) {
    tabu_base = ant;
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

fn tabu_load(word: u32) -> u32 {
    return tabu_kept[word * params.ants + tabu_base];
}

fn tabu_store(word: u32, value: u32) {
    tabu_kept[word * params.ants + tabu_base] = value;
}

/// Sets bits of a word.
fn tabu_add(word: u32, bits: u32) {
    tabu_store(word, tabu_load(word) | bits);
}

fn crew_load(ant: u32, lane: u32) {
}

fn crew_store(ant: u32, lane: u32) {
}
