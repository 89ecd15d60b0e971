// The option of greatest weight, for roulette wheels whose steps may be greedy.

fn greediest(city: u32, lane: u32) -> u32 {
#if PSEUDO_RANDOM
    var top = 0u;
    var who = NONE;
    let count = options();
    for (var i = lane; i < count; i += CREW) {
        let found = option(city, i);
        if found.city != NONE && (found.weight + 1u > top || (found.weight + 1u == top && found.index < who)) {
            top = found.weight + 1u;
            who = found.index;
        }
    }
    let winner = greatest(lane, top);
    if winner == 0u {
        return NONE;
    }
    return city_of(city, least(lane, select(NONE, who, top == winner)));
#else
    return NONE;
#endif
}
