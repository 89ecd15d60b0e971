// A step weighs the city's candidate list. When all candidates are visited:
// - with trails on candidate edges alone, the ant goes to the city's unvisited neighbour in the best tour since the restart, the nearer of
//   two: that edge would have the strongest trail if all edges had trails. Without such a neighbour it goes to the nearest unvisited city,
//   which it looks for among the nearest cities that are no candidates, and only then among all;
// - with trails on all edges (MATRIX), it goes to the city of greatest weight.

#include construct/found

/// cities x candidates: city in the upper, selection weight in the lower 16 bits.
@group(0) @binding(7) var<storage, read> choice: array<u32>;
#if MATRIX
#include construct/weights
#else
/// See shared/distance.wgsl; then cities x pairs of the nearest cities that are no candidates, nearest first.
@group(0) @binding(8) var<storage, read> distances: array<u32>;
/// cities x (city before, city after) in the best tour since the restart.
@group(0) @binding(9) var<storage, read> links: array<vec2<u32>>;

#include shared/distance
#endif

#include construct/rows_listed

fn entry_in(at: u32) -> u32 {
    return choice[at];
}

#include construct/row_ahead

/// When it is known that the ant goes to a city, before it arrives there.
fn look_ahead(city: u32, lane: u32) {
    entry_look(city, lane);
}

/// Before each step, and where the tour ends and begins, when the ant has come to a city.
fn arrive(city: u32, lane: u32) {
    entry_arrive();
}

fn option(city: u32, i: u32) -> Found {
    let entry = entry_at(city, i);
    let other = entry >> 16u;
    return Found(other, !is_visited(other), entry & 0xFFFFu, i);
}

#if MATRIX
/// Where an ant without candidates goes; NONE when it has to look at all cities.
fn known(city: u32, lane: u32) -> u32 {
    return NONE;
}

/// The burden of a city: an ant without candidates goes where it is least. Here the distance.
fn burden(city: u32, other: u32) -> u32 {
    return 0xFFFFu - weight_at(city, other);
}
#else
/// Four words of the nearest cities that are no candidates, for each lane.
fn nearest_words(row: u32, at: vec4<u32>, last: u32) -> vec4<u32> {
    let places = row + min(at, vec4<u32>(last));
    return vec4<u32>(distances[places.x], distances[places.y], distances[places.z], distances[places.w]);
}

/// The nearer one of the two cities of a word that is not visited, below its rank; NONE when both are.
fn nearer_free(word: u32, at: u32) -> u32 {
    let near = word & 0xFFFFu;
    let far = word >> 16u;
    let rank = 2u * at;
    let near_visited = is_visited(near);
    let far_visited = is_visited(far);
    // Behind the last entry there is no city.
    let else_far = select(((rank + 1u) << 16u) | far, NONE, far_visited || rank + 1u >= params.nearby);
    return select((rank << 16u) | near, else_far, near_visited || rank >= params.nearby);
}

/// Where an ant without candidates goes: to the neighbour in the best tour, else to the nearest city that is no candidate; NONE when it
/// has to look at all cities. Both are loaded at the same time.
fn known(city: u32, lane: u32) -> u32 {
    let words = (params.nearby + 1u) >> 1u;
    let last = max(words, 1u) - 1u;
    // Without such cities the loads are of no use; a branch around them would wait for the links first.
    let row = select(behind_distances() + city * words, 0u, words == 0u);
    var at = lane + vec4<u32>(0u, CREW, 2u * CREW, 3u * CREW);
    var four = nearest_words(row, at, last);
    let link = links[city];
    let free_before = !is_visited(link.x);
    let before = params.directed == 0u && free_before;
    let after = !is_visited(link.y);
    if before || after {
        let nearer = before && after && distance(city, link.y) < distance(city, link.x);
        return select(link.y, link.x, before && !nearer);
    }
    for (var first = 0u; first < words; first += 4u * CREW) {
        let low = min(nearer_free(four.x, at.x), nearer_free(four.y, at.y));
        let high = min(nearer_free(four.z, at.z), nearer_free(four.w, at.w));
        let found = least(lane, min(low, high));
        if found != NONE {
            return found & 0xFFFFu;
        }
        at += 4u * CREW;
        four = nearest_words(row, at, last);
    }
    return NONE;
}

fn burden(city: u32, other: u32) -> u32 {
    return distance(city, other);
}
#endif

#if WARM
/// Loads of a lane at most.
const TOUCHES: u32 = 32u;

/// Before the first step: loads a part of the lists into the processor's first-level cache, many words at a time. Without that the walk would
/// wait for them one after the other. Each ant begins at another part. Caches load 32 bytes and more at a time.
fn warm(ant: u32, tour: u32, lane: u32) {
    let words = CITIES * CANDIDATES;
    let blocks = (words + 255u) / 256u;
    let touches = min(blocks, TOUCHES);
    var block = (ant * touches) % blocks;
    var greatest_word = 0u;
    for (var i = 0u; i < touches; i++) {
        greatest_word = max(greatest_word, choice[min(block * 256u + lane * 8u, words - 1u)]);
        block = select(block + 1u, 0u, block + 1u == blocks);
    }
    // The lane's first city of the tour overwrites this later. A value that is used nowhere would not be loaded.
    if lane < CITIES {
        tours[tour + lane] = greatest_word;
    }
}
#endif

#include construct/rows_still
