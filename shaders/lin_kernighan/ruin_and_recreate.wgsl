// A kick that ruins a stretch of a window's tour and rebuilds it as an ant would, for `lin_kernighan/chained`: from the city before it on, the
// next city is drawn among unvisited neighbours of the stretch with probability proportional to 1 / distance^2, times a small
// factor for edges that are not in the tour; where no neighbour is left, the stretch's first unvisited city follows. Edges that
// must stay are followed. The twin is src/kernels/lin_kernighan/ruin_and_recreate.rs.

/// Neighbours, rounded up to fours, by which they are gone through.
override SPOKES: u32 = (NEAR + 3u) / 4u * 4u;

/// For each neighbour of the city where the kick is: its label and how far it is, NONE where it may not follow; its weight.
var<workgroup> reached: array<vec2<u32>, SPOKES>;
var<workgroup> wheel: array<u32, SPOKES>;
/// The sum of distances made less those gone, wrapping, and that of distances made in 1/1024.
var<workgroup> rebuilt_cost: atomic<u32>;
var<workgroup> rebuilt_size: atomic<u32>;

/// A weight of 1, and the greatest factor for edges that are not in the tour, both in 1/256.
const UNIT: u32 = 256u;
const FACTORS: u32 = 24u;
/// Words of a kick's random numbers in their stream.
const REBUILD_WORDS: u32 = 8192u;
/// The longest stretch that is taken, in 1/1024.
const LONGEST: u32 = 0x80000u;

/// Cities of a stretch.
fn rebuild_length() -> u32 {
#if OWN_SIZE
    return own.rebuild_length;
#else
    return params.rebuild_length;
#endif
}

/// The tour before a stretch was rebuilt: a city of it.
fn save_city(at: u32, city: u32) {
#if OWN_SIZE
    kept[at] = city;
#else
    windows[at] = city;
#endif
}

fn saved_city(at: u32) -> u32 {
#if OWN_SIZE
    return kept[at];
#else
    return windows[at];
#endif
}

/// Loop turns of a kick that rebuilds, and of taking it back.
fn rebuild_turns() -> u32 {
    return rebuild_length() * (3u * NEAR + 20u) + (tour_size() + LANES) / LANES * 8u + 4u * params.words + 9u;
}

/// How far a city lies behind the stretch's first position.
fn offset_from(first: u32, city: u32) -> u32 {
    return ring(position_of(city) + tour_size() - first);
}

fn is_visited(offset: u32) -> bool {
    return (atomicLoad(&queued[offset >> 5u]) & (1u << (offset & 31u))) != 0u;
}

/// Whether a city of the stretch that begins at `first` may follow one that no edge which must stay leads on from.
fn is_free(first: u32, city: u32) -> bool {
    let offset = offset_from(first, city);
    let ends = fixed_ends(city);
    let inner = ((ends & 0xFFFFu) != OUTSIDE) & ((ends >> 16u) != OUTSIDE);
    return (offset < rebuild_length()) & !inner & !is_visited(offset);
}

/// Whether an edge that must stay leads on to the city at its other end, or OUTSIDE.
fn leads_to(first: u32, end: u32) -> bool {
    let offset = offset_from(first, min(end, tour_size() - 1u));
    return (end != OUTSIDE) & (offset < rebuild_length()) & !is_visited(offset);
}

/// The city at the other end of an edge at `city` that must stay and leads on, or NONE.
fn led_to(first: u32, city: u32) -> u32 {
    let ends = fixed_ends(city);
    let lower = ends & 0xFFFFu;
    let upper = ends >> 16u;
    return select(select(NONE, lower, leads_to(first, lower)), upper, leads_to(first, upper));
}

/// Draws the next city among the neighbours of `city`, or NONE where all are visited.
fn drawn(first: u32, city: u32, factor: u32, word: u32, lane: u32) -> u32 {
    let onwards = step_from(city, true);
    let back = step_from(city, false);
    for (var rank = lane; rank < SPOKES; rank += LANES) {
        let entry = near(city, min(rank, NEAR - 1u));
        let free = (rank < NEAR) & (entry.y != NONE) & is_free(first, entry.x);
        reached[rank] = vec2<u32>(entry.x, select(NONE, max(entry.y, 1u), free));
    }
    workgroupBarrier();
    var nearest = NONE;
    for (var rank = 0u; rank < SPOKES; rank += 4u) {
        let two = min(reached[rank].y, reached[rank + 1u].y);
        nearest = min(nearest, min(two, min(reached[rank + 2u].y, reached[rank + 3u].y)));
    }
    if nearest == NONE {
        return NONE;
    }
    // In 1/256 of the nearest one's; great distances lose their lowest bits.
    let shift = select(0u, 8u, nearest >= 0x00800000u);
    for (var rank = lane; rank < SPOKES; rank += LANES) {
        let entry = reached[rank];
        let share = (nearest >> shift) * UNIT / (entry.y >> shift);
        let in_tour = (entry.x == onwards) | (entry.x == back);
        let weight = max(share * share * select(factor, UNIT, in_tour) / UNIT, 1u);
        wheel[rank] = select(weight, 0u, entry.y == NONE);
    }
    workgroupBarrier();
    var total = 0u;
    for (var rank = 0u; rank < SPOKES; rank += 4u) {
        total += (wheel[rank] + wheel[rank + 1u]) + (wheel[rank + 2u] + wheel[rank + 3u]);
    }
    // The first spoke at whose end more than the drawn share is behind.
    let aim = mul_high(word, total);
    var behind = 0u;
    var spoke = 0u;
    for (var rank = 0u; rank < SPOKES; rank += 4u) {
        let one = behind + wheel[rank];
        let two = one + wheel[rank + 1u];
        let three = two + wheel[rank + 2u];
        behind = three + wheel[rank + 3u];
        spoke += select(0u, 1u, aim >= one) + select(0u, 1u, aim >= two);
        spoke += select(0u, 1u, aim >= three) + select(0u, 1u, aim >= behind);
    }
    return reached[spoke].x;
}

/// The stretch's first unvisited city that may follow; all offsets below `low` are visited.
fn first_unvisited(first: u32, low: u32) -> u32 {
    for (var offset = low; offset < rebuild_length(); offset++) {
        let city = city_at(ring(first + offset));
        if is_free(first, city) {
            return city;
        }
    }
    return NONE;
}

/// Rebuilds a stretch and lets the ends of new edges wait; `kick_cost` is what that adds. Nothing happens, and the answer is false,
/// where the stretch would begin or end at an edge that must stay, or become longer than can be counted.
fn rebuild(keys: vec2<u32>, number: u32, save: u32, lane: u32) -> bool {
    let words = number * REBUILD_WORDS;
    let first = mul_high(random_word(keys, words), tour_size());
    let factor = 2u + mul_high(random_word(keys, words + 1u), FACTORS);
    let before = city_at(ring(first + tour_size() - 1u));
    let behind = city_at(ring(first + rebuild_length()));
    if is_fixed(before, city_at(first)) || is_fixed(city_at(ring(first + rebuild_length() - 1u)), behind) {
        return false;
    }
    if lane == 0u {
        atomicStore(&rebuilt_cost, 0u);
        atomicStore(&rebuilt_size, 0u);
    }
    // The queue is empty: its slots take the new order, its marks the visited offsets.
    var city = before;
    var low = 0u;
    for (var at = 0u; at < rebuild_length(); at++) {
        barrier();
        var next = led_to(first, city);
        if next == NONE {
            next = drawn(first, city, factor, random_word(keys, words + 2u + at), lane);
        }
        if next == NONE {
            while low < rebuild_length() && is_visited(low) {
                low += 1u;
            }
            next = first_unvisited(first, low);
        }
        barrier();
        if lane == 0u {
            let offset = offset_from(first, next);
            atomicOr(&queued[offset >> 5u], 1u << (offset & 31u));
            set_queue_slot(at, next);
        }
        city = next;
    }
    barrier();
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&queued[word], 0u);
    }
    for (var at = lane; at < tour_size(); at += LANES) {
        save_city(save + at, city_at(at));
    }
    barrier();
    for (var at = lane; at <= rebuild_length(); at += LANES) {
        let a = select(queue_slot(max(at, 1u) - 1u), before, at == 0u);
        let b = select(queue_slot(min(at, rebuild_length() - 1u)), behind, at == rebuild_length());
        let apart = distance(a, b);
        let position = ring(first + at);
        let gone = distance(city_at(select(position - 1u, tour_size() - 1u, position == 0u)), city_at(position));
        atomicAdd(&rebuilt_cost, apart - gone);
        atomicAdd(&rebuilt_size, apart >> 10u);
        if step_from(a, true) != b && step_from(a, false) != b {
            atomicOr(&queued[a >> 5u], 1u << (a & 31u));
            atomicOr(&queued[b >> 5u], 1u << (b & 31u));
        }
    }
    barrier();
    kick_cost = atomicLoad(&rebuilt_cost);
    if atomicLoad(&rebuilt_size) >= LONGEST {
        empty_queue(lane);
        return false;
    }
    for (var at = lane; at < rebuild_length(); at += LANES) {
        let next = queue_slot(at);
        let position = ring(first + at);
        relocate(next, position_of(next), position, city_at(position));
    }
    barrier();
    wait_from(0u, queue_marked(lane), lane);
    return true;
}

/// Takes the tour back that was saved before a stretch was rebuilt.
fn restore(save: u32, lane: u32) {
    barrier();
    for (var at = lane; at < tour_size(); at += LANES) {
        let city = saved_city(save + at);
        relocate(city, position_of(city), at, city_at(at));
    }
    barrier();
}
