// Steps that a Lin-Kernighan chain may take next: what each neighbour offers, from all lanes.

#if DIRECTED
/// What there is for a step from `tip` to its neighbour at a rank, with the best second half: an entry of `offers`.
fn offered(city: u32, forward: bool, tip: u32, open: u32, depth: u32, rank: u32) -> vec4<u32> {
    let entry = near(tip, min(rank, NEAR - 1u));
    let to = entry.x;
    let place = place_behind(to, forward);
    let flip = place_now(place);
    var best = vec4<u32>(0u);
    if rank >= NEAR || entry.y >= open || to == city || flip + 1u >= tour_size() || are_beside(place, place_behind(tip, forward)) {
        return best;
    }
    let next_place = place_once(flip + 1u);
    let next = city_behind(next_place, forward);
    let rest = open - entry.y;
    let halfway = select(rest + distance(to, next), NONE, rest + distance(to, next) < rest);
    if !are_beside(place, next_place) || is_fixed(to, next) {
        return best;
    }
    for (var other = 0u; other < NEAR; other++) {
        let back = near(next, other);
        let back_place = place_behind(back.x, forward);
        let first_flip = place_now(back_place);
        if back.y >= halfway || back.x == city || first_flip + 1u >= flip || are_beside(back_place, next_place) {
            continue;
        }
        let end_place = place_once(first_flip + 1u);
        let end = city_behind(end_place, forward);
        if !are_beside(back_place, end_place) || is_fixed(back.x, end) {
            continue;
        }
        let left = halfway - back.y;
        let value = select(left + distance(back.x, end), NONE, left + distance(back.x, end) < left);
        let closing = distance_between(site(end), home);
        let far = min(flip, tour_size() - flip) > params.long;
        if value > best.x && (!far || value > closing) {
            best = vec4<u32>(value, to | (end << 16u), flip | (first_flip << 16u), closing);
        }
    }
    return best;
}
#else
/// What there is for a step from `tip` to its neighbour at a rank: an entry of `offers`. Without a branch, for lanes that have no
/// neighbour too.
fn offered(city: u32, forward: bool, tip: u32, open: u32, depth: u32, rank: u32) -> vec4<u32> {
    let entry = near(tip, min(rank, NEAR - 1u));
    let to = select(entry.x, tip, entry.x == city);
    let place = place_behind(to, forward);
    let early = reflected_forth(place, flips_first);
    var flip = early - 1u;
    var end_place = flip;
    if depth > 4u {
        flip = reflected_forth(reflected_forth(early, flips_second), flips_third) - 1u;
        end_place = reflected_back(reflected_back(flip, flips_third), flips_second);
    }
    end_place = reflected_back(end_place, flips_first);
    let end = city_at(ring(select(origin + tour_size() - end_place, origin + end_place, forward)));
    // Who are beside each other with the steps but not without them have an edge that the chain has added; who were beside each other,
    // and are no more, had one that it has removed.
    let lawful = are_beside(place, end_place) & !are_beside(place, place_behind(tip, forward));
    let rest = open - entry.y;
    let end_site = site(end);
    let removed = distance_between(site(to), end_site);
    let closing = distance_between(end_site, home);
    let value = select(rest + removed, NONE, rest + removed < rest);
    var free = (rank < NEAR) & (entry.y < open) & (entry.x != city) & (end != tip) & lawful;
    free = free & !is_fixed(to, end);
#if WINDOW
#else
    let far = min(flip, tour_size() - flip) > params.long;
    free = free & (!far | (value > closing));
#endif
    return vec4<u32>(select(0u, value, free), to | (end << 16u), flip, closing);
}
#endif

/// Where the offers of a depth begin.
fn row_of(depth: u32, forward: bool) -> u32 {
    let deeper = select(BROAD + (depth & 1u), depth, depth < BROAD) + 1u;
    return select(deeper, select(1u, 0u, forward), depth == 0u) * NEAR;
}

/// Finds what there is for first steps from a city in either direction.
fn find_first_steps(city: u32, lane: u32) {
    origin = position_of(city);
    home = site(city);
    keep_flips(0u);
#if ONE_SWEEP
    {
        let sweep = 0u;
#else
    for (var sweep = 0u; sweep < FIRST_SWEEPS; sweep++) {
#endif
        let slot = min(sweep * LANES + lane, 2u * NEAR - 1u);
        let forward = slot < NEAR;
        let rank = slot - select(NEAR, 0u, forward);
        let start = step_from(city, forward);
        let whole = distance(city, start);
        var offer = offered(city, forward, start, whole, 0u, rank);
        offer.x = select(offer.x, 0u, is_fixed(city, start));
        if sweep * LANES + lane == slot {
            offers[slot] = offer;
        }
        if offer.x > 0u {
            starts[select(1u, 0u, forward)] = vec2<u32>(start, whole);
        }
    }
    workgroupBarrier();
}

/// The rank of the neighbour to which the most promising step from `tip` leads that was not tried, or NONE. Its offer can be read.
/// `last` is the rank of the step tried last where steps are tried `again`.
fn next_step(city: u32, forward: bool, tip: u32, open: u32, depth: u32, row: u32, again: bool, last: u32, lane: u32) -> u32 {
    var best = 0u;
    var who = NONE;
#if ONE_SWEEP
    {
        let sweep = 0u;
#else
    for (var sweep = 0u; sweep < SWEEPS; sweep++) {
#endif
        let rank = sweep * LANES + lane;
        let slot = row + min(rank, NEAR - 1u);
        var value = 0u;
        if again | (depth == 0u) {
            let tried = select(NONE, last, again);
            value = select(offers[slot].x, 0u, (rank == tried) | (rank >= NEAR));
            if rank == tried {
                offers[slot].x = 0u;
            }
        } else {
            let offer = offered(city, forward, tip, open, depth, rank);
            value = offer.x;
            if rank < NEAR {
                offers[slot] = offer;
            }
        }
        let better = value > best;
        best = select(best, value, better);
        who = select(who, rank, better);
    }
    return least_pair(lane, ~best, who).y;
}
