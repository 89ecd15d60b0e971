// The candidate list of the city that the ant has come to, and that of the nearest cities behind it. Where no lane has more than one
// option (ONE_EACH), each holds its own as soon as it is known where the ant goes, so that all that a step needs is on its way while the
// step before ends.

/// cities x candidates: city in the upper, heuristic weight in the lower 16 bits; then cities x the nearest that are no candidates.
@group(0) @binding(7) var<storage, read> heuristic: array<u32>;

#if ONE_EACH
var<private> entry_here: u32;
var<private> entry_ahead: u32;

/// Which option is this lane's.
fn own_option(lane: u32) -> u32 {
    return min(lane, CANDIDATES - 1u);
}

fn entry_look(city: u32, lane: u32) {
    entry_ahead = heuristic[city * CANDIDATES + own_option(lane)];
}

fn entry_arrive() {
    entry_here = entry_ahead;
}

fn entry_at(city: u32, i: u32) -> u32 {
    return entry_here;
}
#else
fn entry_look(city: u32, lane: u32) {
}

fn entry_arrive() {
}

fn entry_at(city: u32, i: u32) -> u32 {
    return heuristic[city * span() + i];
}
#endif

/// The option of an entry, whose heuristic weight the trail raises by `more`.
fn raised_option(entry: u32, more: u32, i: u32) -> Found {
    let other = entry >> 16u;
    return Found(other, !is_visited(other), min((entry & 0xFFFFu) + more, MOST_WEIGHT), i);
}

/// The key of an entry's city, 0 when that is visited.
fn far_key(city: u32, entry: u32) -> u32 {
    let found = raised_option(entry, far_weight(city, entry >> 16u), 0u);
    return select(0u, key_of(found.weight, GREEDY, found.city), found.free);
}

/// Where an ant without candidates goes: to the unvisited city of greatest weight among the nearest that are no candidates; NONE when it
/// has to look at all cities. Each lane has four on their way together.
fn known(city: u32, lane: u32) -> u32 {
    let row = params.cities * span() + city * params.nearby;
    var top = 0u;
    for (var first = 0u; first < params.nearby; first += 4u * CREW) {
        let ranks = first + lane + vec4<u32>(0u, CREW, 2u * CREW, 3u * CREW);
        let at = row + min(ranks, vec4<u32>(params.nearby - 1u));
        let four = vec4<u32>(heuristic[at.x], heuristic[at.y], heuristic[at.z], heuristic[at.w]);
        let low = max(far_key(city, four.x), far_key(city, four.y));
        top = max(top, max(low, max(far_key(city, four.z), far_key(city, four.w))));
    }
    return winner_of(lane, top);
}
