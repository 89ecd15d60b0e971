// Candidate lists whose weights trails raise while ants walk, and the nearest cities behind them.

/// cities x candidates: city in the upper 16 bits, heuristic weight in the lower 15, FAR_RAISED in the first of a city; then cities x the
/// nearest that are no candidates.
@group(0) @binding(7) var<storage, read> heuristic: array<u32>;

const HEURISTIC_WEIGHT: u32 = 0x7FFFu;
/// Cities behind the list that a lane loads at the same time.
#if WIDE
const TOGETHER: u32 = 8u;
#else
const TOGETHER: u32 = 4u;
#endif

fn entry_in(at: u32) -> u32 {
    return heuristic[at];
}

#include construct/row_ahead

/// The option of an entry, whose heuristic weight the trail raises by `more`; together they are no more than MOST_WEIGHT.
fn raised_option(entry: u32, more: u32, i: u32) -> Found {
    let other = entry >> 16u;
    return Found(other, !is_visited(other), (entry & HEURISTIC_WEIGHT) + more, i);
}

/// The key of an entry's city, 0 when that is visited.
fn far_key(city: u32, entry: u32) -> u32 {
    let found = raised_option(entry, far_weight(city, entry >> 16u), 0u);
    return select(0u, key_of(found.weight, GREEDY, found.city), found.free);
}

/// The greatest key of four entries.
fn far_keys(city: u32, four: vec4<u32>) -> u32 {
    let low = max(far_key(city, four.x), far_key(city, four.y));
    return max(low, max(far_key(city, four.z), far_key(city, four.w)));
}

/// Four entries of the cities behind the list, which begin at `row`.
fn four_behind(row: u32, rank: u32) -> vec4<u32> {
    let ranks = rank + vec4<u32>(0u, CREW, 2u * CREW, 3u * CREW);
    let at = row + min(ranks, vec4<u32>(params.nearby - 1u));
    return vec4<u32>(heuristic[at.x], heuristic[at.y], heuristic[at.z], heuristic[at.w]);
}

/// Where an ant without candidates goes: to the unvisited city of greatest weight among the nearest that are no candidates; NONE when it
/// has to look at all cities.
fn known(city: u32, lane: u32) -> u32 {
    far_begin(city);
    let row = params.cities * span() + city * params.nearby;
    var top = 0u;
    for (var first = 0u; first < params.nearby; first += TOGETHER * CREW) {
        let near = four_behind(row, first + lane);
#if WIDE
        let far = four_behind(row, first + 4u * CREW + lane);
        top = max(top, far_keys(city, far));
#endif
        top = max(top, far_keys(city, near));
    }
    let key = greatest(lane, top);
    return select(city_of(key), NONE, key == 0u);
}
