// A step weighs the city's candidate list by trails that change while ants walk (Ant Colony System). When all candidates are visited, the
// ant goes to the city of greatest weight. The trails of a list lie in a row beside it. An edge's trail at its second city is worn down when
// the ant has come there, since it reads that row anyway. So most steps read nothing else.

#include construct/found
#include shared/heuristic
#include construct/entry
#include pheromone/trail_place

/// See pheromone/trail_place.
@group(0) @binding(8) var<storage, read_write> trails: array<u32>;
/// cities x cities.
@group(0) @binding(9) var<storage, read> distances: array<u32>;

#include construct/rows_listed

/// The logarithm of the first trail, and what the local update adds to a trail.
var<private> floor_log2: u32;
var<private> floor_share: u32;

/// Before the first step.
fn rows_begin(lane: u32) {
    floor_log2 = log2_near(state.trail_min);
    floor_share = share_16(state.trail_min, params.local_rate);
}

/// A trail's part of the weight of an edge, in 1/512 octave above the first trail, which is the least.
fn trail_weight(trail: u32) -> u32 {
    return (log2_near(trail) - floor_log2) >> 7u;
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

/// Whether a trail from the city to one that is no candidate may be above the first trail.
var<private> far_raised: bool;

/// Before looks behind the list and beyond it.
fn far_begin(city: u32) {
    far_raised = (heuristic[city * span()] & FAR_RAISED) != 0u;
}

/// The trail's part of the weight of an edge that is no candidate.
fn far_weight(city: u32, other: u32) -> u32 {
    if !far_raised {
        return 0u;
    }
    return trail_weight(trails[far_place(city, other, params.cities, span())]);
}

/// The burden of a city, which an ant without candidates wants little of: the greater the weight, the less the burden.
fn burden(city: u32, other: u32) -> u32 {
    let octaves = log2_distance(distances[city * params.cities + other]);
    return heuristic_fall(octaves, params.beta) + 0x10000u - far_weight(city, other);
}

#if RELAXED
#include pheromone/local_rule

// Accesses are plain, not atomic. What another ant did since this processor last read the trail is lost, so trails are worn down less often
// than ants walk on them (Skinderowicz 2016, ACS-GPU-Alt).

fn worn_down(trail: u32) -> u32 {
    return worn(trail, floor_share, params.local_rate);
}

/// Wears down the trails from the city that the ant is in to the one before and the next, or to one of them where the other is the
/// city itself; for all lanes. `chosen` when the next is a candidate for certain.
fn wear(city: u32, back: u32, forth: u32, chosen: bool, lane: u32) {
#if ONE_EACH
    let other = select(entry_here >> 16u, NONE, is_idle(lane));
    let is_back = other == back;
    let is_forth = other == forth;
    if is_back | is_forth {
        trails[city * CANDIDATES + lane] = worn_down(trail_here);
    }
    // The first entry tells whether any other trail of the city is above the first trail; if none is, there is no other to wear down.
    let is_flat = (lane == 0u) & ((entry_here & FAR_RAISED) == 0u);
#else
    var is_back = false;
    var is_forth = false;
    let is_flat = false;
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
    wear_far(city, back, anyone(lane, is_back | is_flat), lane);
    if !chosen {
        wear_far(city, forth, anyone(lane, is_forth | is_flat), lane);
    }
}

/// Wears down the trail of an edge unless it was listed, or need not be.
fn wear_far(city: u32, other: u32, listed: bool, lane: u32) {
    if (!listed) & (other != city) {
        let at = far_place(city, other, params.cities, span());
        let less = worn_down(trails[at]);
        if lane == 0u {
            trails[at] = less;
        }
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

/// When a step is made from `city`, to which the ant has come from `previous`: wears down the edge's trail at both cities, while
/// the next city's row is loaded. `chosen` when the next city was a candidate.
fn walked(previous: u32, city: u32, next: u32, chosen: bool, step: u32, lane: u32) {
#if RELAXED
    let wears_back = (DIRECTED == 0u) & (step > 1u) & ((step - 1u) % PERIOD == 0u);
    wear(city, select(city, previous, wears_back), select(city, next, step % PERIOD == 0u), chosen, lane);
#endif
}

/// When the tour has come back to the first city.
fn walked_back(last: u32, first: u32, step: u32, lane: u32) {
#if RELAXED
    if DIRECTED == 0u && step % PERIOD == 0u {
        wear(first, last, first, true, lane);
    }
#endif
}
