// Parent A's tour cut into paths that are joined in a new way, to one or more sub-tours, each a cycle; and how sub-tours are merged.
// For recombine.wgsl. A path's first end is 2 path, its last 2 path + 1.

/// The most edges of A that an E-set removes before sub-tours are merged.
const CUTS: u32 = 128u;
/// Cities of all sub-tours together that are looked at to merge them, and as how many a path of them counts; more are not worth it.
const MOST_LOOKED: u32 = 4096u;
const PATH_LOOKS: u32 = 8u;
const SIGN: u32 = 0x80000000u;

var<workgroup> path_first: array<u32, PATHS>;
var<workgroup> path_last: array<u32, PATHS>;
/// What each end of a path is tied to.
var<workgroup> ties: array<u32, 2u * PATHS>;
/// The sub-tour of each path, and the cities of each sub-tour, NONE when it has been merged to another.
var<workgroup> sub_tour: array<u32, PATHS>;
var<workgroup> sub_tour_cities: array<u32, PATHS>;
var<workgroup> path_count: u32;
/// The sub-tour that another one was merged to.
var<workgroup> merged_to: u32;
var<workgroup> sub_tour_count: u32;
/// A bit for each position behind which the tour is cut.
var<workgroup> cut_bits: array<atomic<u32>, WORDS>;
/// What the exchange gains, and what entropy it loses, wrapping.
var<workgroup> gain: atomic<u32>;
var<workgroup> loss: atomic<u32>;
/// The edges of A that are removed: how many, the cut of each; whether its cycle leads along it backwards (SIGN), which one follows on its
/// cycle (bits 8 to 15), and its rank among the cuts (bits 0 to 7).
var<workgroup> cut_count: u32;
var<workgroup> cut: array<u32, CUTS>;
var<workgroup> cut_way: array<u32, CUTS>;
/// The paths of the sub-tour that is merged next.
var<workgroup> mine: array<u32, PATHS>;
var<workgroup> mine_count: atomic<u32>;
/// A bit for each position in them.
var<workgroup> mine_bits: array<atomic<u32>, WORDS>;
/// The paths that hold the two edges that a merge removes.
var<workgroup> holders: array<u32, 2>;

fn is_cut(position: u32) -> bool {
    return ((atomicLoad(&cut_bits[position >> 5u]) >> (position & 31u)) & 1u) == 1u;
}

/// Cuts the tour behind a position, between two paths.
fn cut_between(unit: u32, position: u32, before: u32, behind: u32) {
    atomicOr(&cut_bits[position >> 5u], 1u << (position & 31u));
    offspring[cuts_at(unit) + position] = before | (behind << 16u);
}

fn path_cities(path: u32) -> u32 {
    return turned(path_last[path] + params.cities - path_first[path]) + 1u;
}

fn end_position(end: u32) -> u32 {
    return select(path_first[end >> 1u], path_last[end >> 1u], (end & 1u) == 1u);
}

fn tie(a: u32, b: u32) {
    ties[a] = b;
    ties[b] = a;
}

/// The end of one of the edges that go, in the direction of its cycle: where that comes from, or where it leads.
fn end_of_cut(index: u32, leads: bool) -> u32 {
    let backwards = (cut_way[index] & SIGN) != 0u;
    let at = cut_way[index] & 0xFFu;
    let path_before = select(at - 1u, cut_count - 1u, at == 0u);
    return select(2u * path_before + 1u, 2u * at, leads != backwards);
}

/// Exchanges the cycle's edges, too; the tour is to be divided then.
fn add_cycle(unit: u32, own: u32, lane: u32) {
    let first = cut_count;
    let count = cycle_edges / 2u;
    // Own edges, which go, and those that come take turns.
    for (var edge = lane; edge < cycle_edges; edge += LANES) {
        let comes = (edge & 1u) == 1u;
        let a = on_cycle(unit, edge);
        let b = on_cycle(unit, edge + 1u);
        let apart = distance(a, b);
        atomicAdd(&gain, select(apart, 0u - apart, comes));
        atomicAdd(&loss, loss_of(a, b, comes));
        if !comes {
            let at = positions[own + a];
            let behind = positions[own + b];
            let backwards = turned(at + 1u) != behind;
            let index = edge >> 1u;
            let next = first + select(index + 1u, 0u, index + 1u == count);
            cut[first + index] = select(at, behind, backwards);
            cut_way[first + index] = select(0u, SIGN, backwards) | (next << 8u);
        }
    }
    workgroupBarrier();
    if lane == 0u {
        cut_count = first + count;
    }
    workgroupBarrier();
}

/// Cuts the tour at all edges of A that are removed, and joins the paths by those of B: one or more sub-tours.
fn divide(unit: u32, lane: u32) {
    let count = cut_count;
    for (var index = lane; index < count; index += LANES) {
        let here = cut[index];
        var rank = 0u;
        for (var other = 0u; other < count; other += 4u) {
            let others = vec4<u32>(other, other + 1u, other + 2u, other + 3u);
            let cuts = vec4<u32>(cut[others.x], cut[others.y], cut[others.z], cut[others.w]);
            let before = vec4<u32>(cuts < vec4<u32>(here)) & vec4<u32>(others < vec4<u32>(count));
            rank += before.x + before.y + before.z + before.w;
        }
        let before = select(rank - 1u, count - 1u, rank == 0u);
        path_first[rank] = turned(here + 1u);
        path_last[before] = here;
        cut_between(unit, here, before, rank);
        cut_way[index] = (cut_way[index] & ~0xFFu) | rank;
    }
    storageBarrier();
    workgroupBarrier();
    for (var index = lane; index < count; index += LANES) {
        tie(end_of_cut(index, true), end_of_cut((cut_way[index] >> 8u) & 0xFFu, false));
        sub_tour[index] = NONE;
    }
    workgroupBarrier();
    if lane == 0u {
        path_count = count;
        sub_tour_count = 0u;
        for (var path = 0u; path < count; path++) {
            if sub_tour[path] != NONE {
                continue;
            }
            var cities = 0u;
            var end = 2u * path;
            while sub_tour[end >> 1u] == NONE {
                sub_tour[end >> 1u] = sub_tour_count;
                cities += path_cities(end >> 1u);
                end = ties[end ^ 1u];
            }
            sub_tour_cities[sub_tour_count] = cities;
            sub_tour_count += 1u;
        }
    }
    workgroupBarrier();
}

/// The end at a position next to a cut, on its side.
fn end_beside(unit: u32, position: u32, edge: u32, forward: bool) -> u32 {
    let cut = offspring[cuts_at(unit) + edge];
    return select(2u * (cut >> 16u), 2u * (cut & 0xFFFFu) + 1u, forward);
}

/// The position of the city that follows, or comes before, as paths are tied now.
fn beside(unit: u32, position: u32, forward: bool) -> u32 {
    let before = turned(position + params.cities - 1u);
    let edge = select(before, position, forward);
    if is_cut(edge) {
        return end_position(ties[end_beside(unit, position, edge, forward)]);
    }
    return select(before, turned(position + 1u), forward);
}

/// Sets (`present`) or clears the bits of a path's positions.
fn mark_mine(path: u32, present: bool, lane: u32) {
    let first = path_first[path];
    let last = first + path_cities(path) - 1u;
    // A path that leads over the tour's end goes on from its beginning.
    let whole = min(last, params.cities - 1u);
    let rest = turned(last) + 1u;
    let words = (whole >> 5u) - (first >> 5u) + 1u;
    let beyond = select(0u, ((rest - 1u) >> 5u) + 1u, last >= params.cities);
    for (var i = lane; i < words + beyond; i += LANES) {
        let over = i >= words;
        let word = select((first >> 5u) + i, i - words, over);
        let low = select(max(first, 32u * word), 32u * word, over);
        let high = min(select(whole, rest - 1u, over), 32u * word + 31u);
        let bits = (NONE << (low & 31u)) & (NONE >> (31u - (high & 31u)));
        if present {
            atomicOr(&mine_bits[word], bits);
        } else {
            atomicAnd(&mine_bits[word], ~bits);
        }
    }
}

/// The cheapest way to merge the sub-tour to another: what it adds, with SIGN turned, and which.
fn cheapest_join(unit: u32, own: u32, lane: u32) -> vec2<u32> {
    let count = atomicLoad(&mine_count);
    let ranks = params.neighbours;
    var least_cost = NONE;
    var who = NONE;
    for (var index = 0u; index < count; index++) {
        let path = mine[index];
        let first = path_first[path];
        let looks = path_cities(path) * ranks;
        spent += looks / LANES + 2u;
        for (var look = lane; look < looks; look += LANES) {
            let at = turned(first + look / ranks);
            let rank = look % ranks;
            let city = tours[own + at];
            let near = neighbours[2u * params.pairs * city + rank];
            let near_at = positions[own + near.x];
            if ((atomicLoad(&mine_bits[near_at >> 5u]) >> (near_at & 31u)) & 1u) == 1u {
                continue;
            }
            // What is beside either city, before and behind; then for the four ways to merge them.
            let next = vec2<u32>(tours[own + beside(unit, at, false)], tours[own + beside(unit, at, true)]);
            let near_next = vec2<u32>(tours[own + beside(unit, near_at, false)], tours[own + beside(unit, near_at, true)]);
            let apart = vec2<u32>(distance(city, next.x), distance(city, next.y));
            let near_apart = vec2<u32>(distance(near.x, near_next.x), distance(near.x, near_next.y));
            let across = vec4<u32>(
                distance(next.x, near_next.x),
                distance(next.x, near_next.y),
                distance(next.y, near_next.x),
                distance(next.y, near_next.y),
            );
            var costs = (across + vec4<u32>(near.y) - apart.xxyy - near_apart.xyxy) ^ vec4<u32>(SIGN);
            let stay = vec2<bool>(is_pair(city, next.x), is_pair(city, next.y));
            let near_stay = vec2<bool>(is_pair(near.x, near_next.x), is_pair(near.x, near_next.y));
            costs = select(costs, vec4<u32>(NONE), stay.xxyy | near_stay.xyxy);
            let cost = min(min(costs.x, costs.y), min(costs.z, costs.w));
            let way = select(select(select(3u, 2u, costs.z == cost), 1u, costs.y == cost), 0u, costs.x == cost);
            let what = (at * ranks + rank) * 4u + way;
            if cost < least_cost || (cost == least_cost && what < who) {
                least_cost = cost;
                who = what;
            }
        }
    }
    return least_pair(lane, least_cost, who);
}

/// Opens the edge between a position and the one beside it; their ends. `path` holds the edge unless the tour is cut there.
fn open_beside(unit: u32, position: u32, forward: bool, path: u32) -> vec2<u32> {
    let edge = select(turned(position + params.cities - 1u), position, forward);
    if is_cut(edge) {
        let end = end_beside(unit, position, edge, forward);
        return vec2<u32>(end, ties[end]);
    }
    let added = path_count;
    path_first[added] = turned(edge + 1u);
    path_last[added] = path_last[path];
    path_last[path] = edge;
    sub_tour[added] = sub_tour[path];
    tie(2u * added + 1u, ties[2u * path + 1u]);
    path_count += 1u;
    let old = cuts_at(unit) + path_last[added];
    offspring[old] = (offspring[old] & 0xFFFF0000u) | added;
    cut_between(unit, edge, path, added);
    return select(vec2<u32>(2u * added, 2u * path + 1u), vec2<u32>(2u * path + 1u, 2u * added), forward);
}

/// Makes the merge that `what` tells.
fn join(unit: u32, own: u32, what: u32, lane: u32) {
    let forward = vec2<bool>((what & 2u) != 0u, (what & 1u) != 0u);
    let at = what / 4u / params.neighbours;
    let city = tours[own + at];
    let near = neighbour(city, what / 4u % params.neighbours);
    let near_at = positions[own + near];
    let next = tours[own + beside(unit, at, forward.x)];
    let near_next = tours[own + beside(unit, near_at, forward.y)];
    // The edges that go, then those that come.
    for (var which = lane; which < 4u; which += LANES) {
        let comes = which >= 2u;
        let second = (which & 1u) == 1u;
        let a = select(city, select(near, next, comes), second);
        let b = select(select(next, near, comes), near_next, second);
        atomicAdd(&loss, loss_of(a, b, comes));
    }
    let before = params.cities - 1u;
    let edges = vec2<u32>(select(turned(at + before), at, forward.x), select(turned(near_at + before), near_at, forward.y));
    for (var path = lane; path < path_count; path += LANES) {
        let cities = path_cities(path);
        for (var which = 0u; which < 2u; which++) {
            if turned(edges[which] + params.cities - path_first[path]) < cities {
                holders[which] = path;
            }
        }
    }
    workgroupBarrier();
    if lane == 0u {
        let ends = open_beside(unit, at, forward.x, holders[0]);
        let near_ends = open_beside(unit, near_at, forward.y, holders[1]);
        tie(ends.x, near_ends.x);
        tie(ends.y, near_ends.y);
        merged_to = sub_tour[near_ends.x >> 1u];
    }
    storageBarrier();
    workgroupBarrier();
}

fn gains() -> bool {
    return (atomicLoad(&gain) - 1u) < SIGN - 1u;
}

/// Tells the paths of the smallest sub-tour; its cities, and which it is.
fn tell_smallest(lane: u32) -> vec2<u32> {
    var cities = NONE;
    var smallest = NONE;
    for (var other = lane; other < sub_tour_count; other += LANES) {
        if sub_tour_cities[other] < cities {
            cities = sub_tour_cities[other];
            smallest = other;
        }
    }
    let found = least_pair(lane, cities, smallest);
    if lane == 0u {
        atomicStore(&mine_count, 0u);
    }
    workgroupBarrier();
    for (var path = lane; path < path_count; path += LANES) {
        if sub_tour[path] == found.y {
            mine[atomicAdd(&mine_count, 1u)] = path;
        }
    }
    workgroupBarrier();
    return found;
}

/// Sets or clears the bits of the positions in the sub-tour told last.
fn mark_sub_tour(present: bool, lane: u32) {
    let count = atomicLoad(&mine_count);
    for (var index = 0u; index < count; index++) {
        mark_mine(mine[index], present, lane);
    }
}

/// Merges all sub-tours, the smallest one first; whether the exchange gains still.
fn merge_sub_tours(unit: u32, own: u32, lane: u32) -> bool {
    var looked = 0u;
    for (var left = sub_tour_count; left > 1u && gains(); left--) {
        let next = tell_smallest(lane);
        let count = atomicLoad(&mine_count);
        looked += next.x + PATH_LOOKS * count;
        if looked > MOST_LOOKED || path_count + 2u > PATHS {
            return false;
        }
        spent += params.merge_turns + 2u * (count + next.x / 32u / LANES);
        mark_sub_tour(true, lane);
        workgroupBarrier();
        let found = cheapest_join(unit, own, lane);
        workgroupBarrier();
        mark_sub_tour(false, lane);
        if found.y == NONE {
            return false;
        }
        join(unit, own, found.y, lane);
        let into = merged_to;
        for (var path = lane; path < path_count; path += LANES) {
            if sub_tour[path] == next.y {
                sub_tour[path] = into;
            }
        }
        if lane == 0u {
            atomicSub(&gain, found.x ^ SIGN);
            sub_tour_cities[into] += next.x;
            sub_tour_cities[next.y] = NONE;
        }
        workgroupBarrier();
    }
    return gains();
}

/// Takes the cuts out of the bits.
fn heal(lane: u32) {
    for (var path = lane; path < path_count; path += LANES) {
        atomicStore(&cut_bits[path_last[path] >> 5u], 0u);
    }
}
