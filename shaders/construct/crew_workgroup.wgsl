// One ant a workgroup: its invocations share the work of each step (fine-grained strategy, Menezes et al. 2019).

override LANES: u32 = 32u;
override TABU_WORDS: u32 = 1u;
override CREW: u32 = LANES;
#if SUBGROUPS
/// Lanes of a subgroup, which divides the crew.
override SUBGROUP: u32 = 32u;
#endif

#if MARK_TOGETHER
#else
var<workgroup> tabu_here: array<atomic<u32>, TABU_WORDS>;
#endif

#if ONE_SUBGROUP
#include construct/among_subgroup
#else
#include construct/among_workgroup
#endif

fn crew_ant(group: u32, invocation: u32) -> u32 {
    return call.first + group;
}

fn crew_lane(invocation: u32) -> u32 {
    return invocation;
}

fn crew_sync() {
#if RELAXED
    // Trails change on the way, and all lanes read them.
    storageBarrier();
#endif
    workgroupBarrier();
}

/// Before the first crew_sync.
fn crew_begin(ant: u32, lane: u32) {
#if LISTED
#if ROULETTE
    for (var slot = lane; slot < SLOTS; slot += CREW) {
        atomicStore(&class_low[slot], 0u);
        atomicStore(&class_high[slot], 0u);
    }
#endif
#endif
    among_begin(lane);
}

#if MARK_TOGETHER
#else
fn tabu_load(word: u32) -> u32 {
    return atomicLoad(&tabu_here[word]);
}

fn tabu_store(word: u32, value: u32) {
    atomicStore(&tabu_here[word], value);
}

/// Sets bits of a word; for one invocation.
fn tabu_add(word: u32, bits: u32) {
    atomicOr(&tabu_here[word], bits);
}

fn crew_load(ant: u32, lane: u32) {
    for (var word = lane; word < params.tabu_words; word += CREW) {
        tabu_store(word, tabu_kept[ant * params.tabu_words + word]);
    }
}

fn crew_store(ant: u32, lane: u32) {
    for (var word = lane; word < params.tabu_words; word += CREW) {
        tabu_kept[ant * params.tabu_words + word] = tabu_load(word);
    }
}
#endif
