// One ant a workgroup: its invocations share the work of each step (fine-grained strategy, Menezes et al. 2019).

override LANES: u32 = 32u;
override VISITED_WORDS: u32 = 1u;
override CREW: u32 = LANES;
#if SUBGROUPS
/// Lanes of a subgroup, which divides the crew.
override SUBGROUP: u32 = 32u;
override PARTS: u32 = LANES / SUBGROUP;
#endif

#if IN_REGISTERS
#else
var<workgroup> visited_here: array<atomic<u32>, VISITED_WORDS>;
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
    clear_sums(lane);
#endif
#endif
    among_begin(lane);
}

#if IN_REGISTERS
#else
fn visited_load(word: u32) -> u32 {
    return atomicLoad(&visited_here[word]);
}

fn visited_store(word: u32, value: u32) {
    atomicStore(&visited_here[word], value);
}

/// Sets bits of a word; for one invocation.
fn visited_add(word: u32, bits: u32) {
    atomicOr(&visited_here[word], bits);
}

// All lanes make the same number of turns in these loops. Where they do not, NVIDIA's compiler for Vulkan no longer treats a subgroup as
// one, and steps take up to half as long again.

fn crew_load(ant: u32, lane: u32) {
    for (var first = 0u; first < VISITED_WORDS; first += CREW) {
        let word = min(first + lane, VISITED_WORDS - 1u);
        visited_store(word, visited_kept[ant * VISITED_WORDS + word]);
    }
}

fn crew_store(ant: u32, lane: u32) {
    for (var first = 0u; first < VISITED_WORDS; first += CREW) {
        let word = min(first + lane, VISITED_WORDS - 1u);
        visited_kept[ant * VISITED_WORDS + word] = visited_load(word);
    }
}
#endif
