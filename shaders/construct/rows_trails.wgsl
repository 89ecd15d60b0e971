// A step weighs the city's candidate list by trails that change while ants walk (Ant Colony System). Beyond it the city
// of greatest weight follows. The trails of a list lie in a row beside it; the trail of the way back is worn down when the ant has
// come to the other city, whose row it reads anyway. So in most steps nothing else is read.

#include construct/found
#include shared/heuristic
#include construct/entry
#include tsp/trail_place

/// See tsp/trail_place.
@group(0) @binding(8) var<storage, read_write> trails: array<u32>;
/// cities x cities.
@group(0) @binding(9) var<storage, read> distances: array<u32>;

#include construct/rows_listed

/// The first trail, and its logarithm.
var<private> floor_trail: u32;
var<private> floor_log2: u32;

/// Before the first step.
fn rows_begin(lane: u32) {
    floor_trail = state.trail_min;
    floor_log2 = log2_near(floor_trail);
}

/// A trail's part of the weight of an edge, in 1/512 octave above the first trail.
fn trail_weight(trail: u32) -> u32 {
    return (log2_near(max(trail, floor_trail)) - floor_log2) >> 7u;
}

#if ONE_EACH
var<private> trail_here: u32;
var<private> trail_ahead: u32;

fn option(city: u32, i: u32) -> Found {
    return raised_option(entry_here, trail_weight(trail_here), i);
}
#else
fn option(city: u32, i: u32) -> Found {
    return raised_option(entry_at(city, i), trail_weight(trails[city * span() + i]), i);
}
#endif

/// The trail's part of the weight of an edge that is no candidate.
fn far_weight(city: u32, other: u32) -> u32 {
    return trail_weight(trails[far_place(city, other, params.cities, span())]);
}

/// What an ant without candidates wants little of: the weight, upside down.
fn burden(city: u32, other: u32) -> u32 {
    let octaves = log2_distance(distances[city * params.cities + other]);
    return heuristic_fall(octaves, params.beta) + 0x10000u - far_weight(city, other);
}

#if RELAXED
#include tsp/local_rule

// Plain accesses: what another ant did since this processor last saw the trail is lost, and so trails are worn down less than walked
// on (Skinderowicz 2016, ACS-GPU-Alt).

fn worn_down(trail: u32) -> u32 {
    return worn(trail, floor_trail, params.local_rate);
}

/// Wears down the trails from the city that the ant is in to the one before and the next, or to one of them where the other is the
/// city itself; for all lanes. `chosen` when the next is a candidate for certain.
fn wear(city: u32, back: u32, forth: u32, chosen: bool, lane: u32) {
    var is_back = false;
    var is_forth = false;
#if ONE_EACH
    let other = select(NONE, entry_here >> 16u, lane < CANDIDATES);
    is_back = other == back;
    is_forth = other == forth;
    if is_back || is_forth {
        trails[city * CANDIDATES + lane] = worn_down(trail_here);
    }
#else
    for (var first = 0u; first < span(); first += CREW) {
        let k = first + lane;
        if k < span() {
            let at = city * span() + k;
            let other = heuristic[at] >> 16u;
            if other == back || other == forth {
                trails[at] = worn_down(trails[at]);
                is_back = is_back || other == back;
                is_forth = is_forth || other == forth;
            }
        }
    }
#endif
    wear_far(city, back, anyone(lane, is_back), lane);
    if !chosen {
        wear_far(city, forth, anyone(lane, is_forth), lane);
    }
}

/// Wears down the trail of an edge unless it was listed.
fn wear_far(city: u32, other: u32, listed: bool, lane: u32) {
    if !listed && other != city && lane == 0u {
        let at = far_place(city, other, params.cities, span());
        trails[at] = worn_down(trails[at]);
    }
}
#endif

/// When it is known that the ant goes to a city, before it arrives there.
fn look_ahead(city: u32, lane: u32) {
    entry_look(city, lane);
#if ONE_EACH
    trail_ahead = trails[city * CANDIDATES + own_option(lane)];
#endif
}

/// Before each step, and where the tour ends and begins, when the ant has come to a city.
fn arrive(city: u32, lane: u32) {
    entry_arrive();
#if ONE_EACH
    trail_here = trail_ahead;
#endif
}

/// When a step is made from `city`, to which the ant has come from `previous`: wears down the trails on both ways, while the next
/// city's row is on its way. `chosen` when the next city was a candidate.
fn walked(previous: u32, city: u32, next: u32, chosen: bool, step: u32, lane: u32) {
#if RELAXED
    let wears_back = params.directed == 0u && step > 1u && (step - 1u) % PERIOD == 0u;
    wear(city, select(city, previous, wears_back), select(city, next, step % PERIOD == 0u), chosen, lane);
#endif
}

/// When the tour has come back to the first city.
fn walked_back(last: u32, first: u32, step: u32, lane: u32) {
#if RELAXED
    if params.directed == 0u && step % PERIOD == 0u {
        wear(first, last, first, true, lane);
    }
#endif
}
