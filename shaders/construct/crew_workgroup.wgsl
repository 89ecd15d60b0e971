// One ant a workgroup: its invocations share the work of each step (fine-grained strategy, Menezes et al. 2019).

override LANES: u32 = 32u;
override TABU_WORDS: u32 = 1u;
override CREW: u32 = LANES;
#if SUBGROUPS
/// Lanes of a subgroup, which divides the crew.
override SUBGROUP: u32 = 32u;
override PARTS: u32 = LANES / SUBGROUP;
#endif

#if IN_REGISTERS
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

#if IN_REGISTERS
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

// All lanes turn as often in these loops: where they do not, NVIDIA's compiler for Vulkan no longer takes a subgroup as one, and
// steps take up to half as long again.

fn crew_load(ant: u32, lane: u32) {
    for (var first = 0u; first < TABU_WORDS; first += CREW) {
        let word = min(first + lane, TABU_WORDS - 1u);
        tabu_store(word, tabu_kept[ant * TABU_WORDS + word]);
    }
}

fn crew_store(ant: u32, lane: u32) {
    for (var first = 0u; first < TABU_WORDS; first += CREW) {
        let word = min(first + lane, TABU_WORDS - 1u);
        tabu_kept[ant * TABU_WORDS + word] = tabu_load(word);
    }
}
#endif
