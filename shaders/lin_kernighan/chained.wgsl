// Chained Lin-Kernighan search of one tour (Martin, Otto and Felten 1991; Applegate, Cook and Rohe 2003): looks at the cities that wait, then
// kicks. Three short stretches of the tour that lie one behind the other exchange the first and the last (a double bridge within few
// cities), their ends are looked at, and everything is taken back from a journal unless the tour has become shorter; now and then a kick
// ruins and rebuilds a longer stretch instead.
// The kernel that includes this has lin_kernighan/chained_progress, array_tour, `note_left`, `params.words` and `params.budget`. The CPU twin is src/kernels/lin_kernighan/chained.rs.

/// What a kick counts for, in steps; one that rebuilds, half a step for each city.
const KICK_STEPS: u32 = 4u;
/// What lavapipe takes in a look beside the turns that are written here, with room to spare: with distances in thousandths it ends searches
/// that have counted 54,000 turns, as if they were 65,535.
const UNSEEN: u32 = 9u;
/// One kick of so many rebuilds.
const REBUILDS: u32 = 16u;
/// In what state a tour is: as before any kick, after an exchange of stretches, after a stretch was rebuilt.
const SETTLED: u32 = 0u;
const EXCHANGED: u32 = 1u;
const REBUILT: u32 = 2u;

#include lin_kernighan/moves
#include lin_kernighan/double_bridge
#include lin_kernighan/ruin_and_recreate

/// Whether the search has made all its steps.
var<private> ended: bool;

/// How far a search has come, beside steps, queue and journal: fields as those of ChainedProgress.
struct Search {
    head: u32,
    kicks: u32,
    gain: u32,
    cost: u32,
    kicked: u32,
}

/// Goes on from what a search has left.
fn search_from(left: ChainedProgress) -> Search {
    steps = left.steps;
    journalled = left.journalled;
    return Search(left.head, left.kicks, left.gain, left.cost, left.kicked);
}

/// What a search leaves: to the next dispatch, or its end.
fn left_by(search: Search, before: ChainedProgress, tag: u32) -> ChainedProgress {
    var now = before;
    now.search_begun = tag;
    now.head = search.head;
    now.kicks = search.kicks;
    now.gain = search.gain;
    now.steps = steps;
    now.cost = search.cost;
    now.kicked = search.kicked;
    now.waiting = waiting;
    now.journalled = journalled;
    if ended {
        now.construct_done = tag;
        now.search_done = tag;
    }
    return now;
}

/// Forgets the cities that wait.
fn empty_queue(lane: u32) {
    barrier();
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&queued[word], 0u);
    }
    if lane == 0u {
        waiting = 0u;
    }
    barrier();
}

/// What the longest look, and taking back what it may fill the journal with, may take.
fn longest_turns() -> u32 {
    return rebuild_turns() + longest_look() + (JOURNAL + 4u) * (longest_reversal() + 1u) + params.words + tour_size() + LANES + 9u;
}

/// Searches on until `most` steps are made, when the search is settled and has no city that waits, or the budget is spent. What is saved
/// before a stretch is rebuilt lies from `save` on.
fn search_on(before: Search, keys: vec2<u32>, number: u32, save: u32, most: u32, lane: u32) -> Search {
    var search = before;
    let reserve = longest_turns();
    loop {
        if spent + reserve >= params.budget {
            break;
        }
        let full = search.kicked == EXCHANGED && journalled + DEPTH > JOURNAL;
        if waiting == 0u || full || steps >= most {
            search = settle(search, number, save, lane);
            if steps >= most {
                ended = true;
                break;
            }
            search = next_kick(search, keys, save, lane);
            continue;
        }
        let city = dequeue(search.head, lane);
        search.head = ring(search.head + 1u);
        steps += 1u;
        spent += 3u + UNSEEN;
        if look(city, lane) {
            search.cost -= chain_gain;
        }
    }
    return search;
}

/// Ends what followed the last kick: keeps it where the tour has become shorter, and else takes it back.
fn settle(before: Search, number: u32, save: u32, lane: u32) -> Search {
    var search = before;
    workgroupBarrier();
    // Before the first kick these are the cities that there were no steps left to look at.
    if search.kicks == 0u {
        note_left(number, lane);
    }
    empty_queue(lane);
    search.head = 0u;
    if lane == 0u {
        tail = 0u;
    }
    // The cost has wrapped where it fell.
    let fell = search.cost >= 0x80000000u;
    if search.kicked == EXCHANGED && !fell {
        take_back(lane);
    } else if search.kicked == REBUILT && !fell {
        restore(save, lane);
    }
    if fell {
        search.gain -= search.cost;
    }
    return search;
}

/// Makes the next kick.
fn next_kick(before: Search, keys: vec2<u32>, save: u32, lane: u32) -> Search {
    var search = before;
    search.cost = 0u;
    journalled = 0u;
    let kicks = search.kicks;
    let rebuilds = rebuild_length() > 0u && random_word(keys.yx, kicks * REBUILD_WORDS + REBUILD_WORDS - 1u) % REBUILDS == 0u;
    if rebuilds {
        search.kicked = select(SETTLED, REBUILT, rebuild(keys.yx, kicks, save, lane));
        steps += rebuild_length() / 2u;
        spent += rebuild_turns();
    } else {
        search.kicked = select(SETTLED, EXCHANGED, kick(keys, kicks, lane));
        spent += params.words + 25u + 4u * UNSEEN;
    }
    search.kicks += 1u;
    steps += KICK_STEPS;
    if search.kicked != SETTLED {
        search.cost = kick_cost;
    }
    return search;
}
