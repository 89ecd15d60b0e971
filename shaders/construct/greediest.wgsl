// The option of greatest weight, for roulette wheels whose steps may be greedy: its key, or 0.

fn greediest(city: u32, lane: u32) -> u32 {
#if PSEUDO_RANDOM
    var top = 0u;
    let count = options();
    for (var i = lane; i < count; i += CREW) {
        let found = option(city, i);
        if found.free {
            top = max(top, key_of(found.weight, GREEDY, found.city));
        }
    }
    return greatest(lane, top);
#else
    return 0u;
#endif
}
