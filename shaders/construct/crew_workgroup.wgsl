// One ant a workgroup: its invocations share the work of each step (fine-grained strategy, Menezes et al. 2019).

override LANES: u32 = 32u;
override TABU_WORDS: u32 = 1u;
override CREW: u32 = LANES;
#if SUBGROUPS
/// Lanes of a subgroup, which divides the crew.
override SUBGROUP: u32 = 32u;
#endif

var<workgroup> tabu_here: array<atomic<u32>, TABU_WORDS>;
/// Maxima live in three slots used in turn, so that finding one takes one barrier.
var<workgroup> tops: array<atomic<u32>, 3>;
var<private> top_turn: u32 = 0u;

#include shared/least

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
    for (var slot = lane; slot < 3u; slot += CREW) {
        atomicStore(&tops[slot], 0u);
    }
    least_begin(lane);
}

/// The greatest value of the crew; 0 if nobody has a greater one.
fn greatest(lane: u32, value: u32) -> u32 {
    let slot = top_turn;
    atomicMax(&tops[slot], value);
    workgroupBarrier();
    let top = atomicLoad(&tops[slot]);
    if lane == 0u {
        // Read before the last barrier, used again after the next.
        atomicStore(&tops[(slot + 2u) % 3u], 0u);
    }
    top_turn = (slot + 1u) % 3u;
    return top;
}

/// Tells the crew of a value for the `greatest` to come.
fn crew_hint(value: u32) {
    atomicMax(&tops[top_turn], value);
}

/// The greatest value told so far, or less.
fn crew_known() -> u32 {
    return atomicLoad(&tops[top_turn]);
}

fn tabu_load(word: u32) -> u32 {
    return atomicLoad(&tabu_here[word]);
}

fn tabu_store(word: u32, value: u32) {
    atomicStore(&tabu_here[word], value);
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
