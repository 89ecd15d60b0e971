// An ant goes through the facilities in an order drawn for it, and draws a free location for each. One dispatch is enough.
//
// A cunning ant (CUNNING, from the second iteration on; Tsutsui 2006, section 3.2) draws locations for the first facilities of its order
// alone. The others keep those of its unit's best assignment. A random word, compared with a table of thresholds, tells how many it draws.

/// Facilities.
override PLACES: u32 = 1u;

#if CUNNING
/// facilities - 1: the ant draws locations for as many facilities as thresholds are no greater than its random word, and for one more.
@group(0) @binding(8) var<storage, read> thresholds: array<u32>;
/// units x facilities: the location of each facility.
@group(0) @binding(9) var<storage, read> units: array<u32>;
#endif

var<workgroup> ranks: array<u32, PLACES>;
var<workgroup> order: array<u32, PLACES>;

/// For how many facilities the ant draws locations.
fn fresh(keys: vec2<u32>) -> u32 {
#if CUNNING
    if state.iteration > 0u {
        let word = random_word(keys, FIRST_CITY);
        var low = 0u;
        var high = params.cities - 1u;
        while low < high {
            let middle = (low + high) / 2u;
            if thresholds[middle] <= word {
                low = middle + 1u;
            } else {
                high = middle;
            }
        }
        return low + 1u;
    }
#endif
    return params.cities;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let ant = crew_ant(group.x, invocation);
    let lane = crew_lane(invocation);
    let tag = state.iteration + 1u;
    if ant >= call.end || progress[ant].construct.done == tag {
        return;
    }
    let cities = params.cities;
    let solution = ant * cities;
    let keys = stream_keys(params.seed, state.iteration, ant);
    draw_begin(keys);
    crew_begin(ant, lane);
    visited_begin(lane);

    // A facility's rank is the number of those with lesser words, lower numbers first among equals.
    for (var i = lane; i < cities; i += CREW) {
        ranks[i] = random_word(keys.yx, i);
    }
    workgroupBarrier();
    for (var i = lane; i < cities; i += CREW) {
        let word = ranks[i];
        var rank = 0u;
        for (var other = 0u; other < cities; other++) {
            let theirs = ranks[other];
            rank += select(0u, 1u, theirs < word || (theirs == word && other < i));
        }
        order[rank] = i;
    }
    workgroupBarrier();

    let own_count = fresh(keys);
    let kept = cities - own_count;
#if CUNNING
    for (var i = own_count + lane; i < cities; i += CREW) {
        tours[solution + order[i]] = units[solution + order[i]];
    }
    if lane == 0u {
        for (var i = 0u; i < kept; i++) {
            visited_count = i;
            mark(units[solution + order[own_count + i]], i);
        }
    }
    workgroupBarrier();
#endif

    for (var step = 0u; step < own_count; step++) {
        visited_count = kept + step;
        let facility = order[step];
        let location = city_of(choose(facility, step, keys, lane));
        if lane == 0u {
            mark(location, visited_count);
            tours[solution + facility] = location;
        }
        crew_sync();
    }
    if lane == 0u {
        progress[ant].construct.begun = tag;
        progress[ant].construct.step = cities;
        progress[ant].construct.done = tag;
    }
}
