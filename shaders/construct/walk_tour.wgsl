// Steps from city to city, resumed where a dispatch's loop budget or number of steps ends.

#include shared/pairs

/// How far an ant has come: the step from which on this dispatch places cities, the next step, the city that the ant is in, and the one
/// before.
struct Walk {
    begin: u32,
    step: u32,
    city: u32,
    previous: u32,
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let ant = crew_ant(group.x, invocation);
    let lane = crew_lane(invocation);
    let tag = state.iteration + 1u;
    if ant >= call.end || progress[ant].construct.done == tag {
        return;
    }
#if ONE_EACH
    let cities = CITIES;
#else
    let cities = params.cities;
#endif
    let tour = ant * cities;
    let keys = stream_keys(params.seed, state.iteration, ant);
    draw_begin(keys);
    crew_begin(ant, lane);
    rows_begin(lane);

    let walk = walk_begin(ant, tour, tag, keys, lane);
    let begin = walk.begin;
    var step = walk.step;
    var city = walk.city;
    var previous = walk.previous;
    // Each lane holds one of every CREW cities until they are stored together.
    var held = city;
    if CREW == 1u && begin == 0u {
        store(tour, 0u, 0u, held, lane);
    }

#if ONE_EACH
    draw_ahead(step, lane);
#endif
    look_ahead(city, lane);
    var end = step + params.most_steps;
    var last = min(end, cities);
    while step < last {
        visited_count = step;
        arrive(city, lane);
        draw_rule(step);
        let key = choose(city, step, keys, lane);
        // From one end of an edge that stays to the other, but where the ant has come along it.
        let partner = city ^ 1u;
        let must = is_pair(city, partner) && (step == 1u || previous != partner);
        let chosen = must || key != 0u;
        var next = select(city_of(key), partner, must);
#if BEYOND
        if !chosen {
            next = known(city, lane);
            // No lane may mark the city before all have seen that it is free.
            crew_sync();
            if next == NONE {
                end -= min(params.beyond_steps, end - step - 1u);
                last = min(end, cities);
                next = beyond(city, lane);
            }
        }
#endif
        look_ahead(next, lane);
        let place = step % CREW;
        held = select(held, next, lane == place);
        if place == CREW - 1u {
            store(tour, step, begin, held, lane);
        }
        mark_city(next, step, lane);
        walked(previous, city, next, chosen, step, lane);
#if SYNC_STEPS
        crew_sync();
#endif
        previous = city;
        city = next;
        step += 1u;
    }
    if step % CREW != 0u && step > begin {
        store(tour, step - 1u, begin, held, lane);
    }
    crew_sync();
    if step == cities {
        walk_home(first_city(keys, ant), previous, city, step, lane);
    }
    walk_end(ant, tag, step, cities, lane);
}

/// Begins the tour of an ant, or goes on with what the dispatch before has left.
fn walk_begin(ant: u32, tour: u32, tag: u32, keys: vec2<u32>, lane: u32) -> Walk {
    var walk = Walk(0u, 1u, 0u, 0u);
    if progress[ant].construct.begun == tag {
        walk.step = progress[ant].construct.step;
        walk.begin = walk.step;
        walk.city = tours[tour + walk.step - 1u];
        walk.previous = tours[tour + max(walk.step, 2u) - 2u];
        crew_load(ant, lane);
    } else {
#if WARM
        warm(ant, tour, lane);
#endif
        visited_begin(lane);
        crew_sync();
        walk.city = first_city(keys, ant);
        mark_city(walk.city, 0u, lane);
    }
    crew_sync();
    return walk;
}

/// Marks a city as visited at a step.
fn mark_city(city: u32, step: u32, lane: u32) {
#if MARK_TOGETHER
    mark_together(city, lane);
#else
    if lane == 0u {
        mark(city, step);
    }
#endif
}

/// Closes the tour: the step back to the first city wears trails as any other does.
fn walk_home(first: u32, previous: u32, city: u32, step: u32, lane: u32) {
    arrive(city, lane);
    look_ahead(first, lane);
    walked(previous, city, first, false, step, lane);
    arrive(first, lane);
    walked_back(city, first, step, lane);
}

/// Ends the dispatch: keeps the visited set of an ant that has further to go, and notes how far it has come.
fn walk_end(ant: u32, tag: u32, step: u32, cities: u32, lane: u32) {
#if PSEUDO_RANDOM
#if ONE_EACH
    // No entry is NONE. This use of the entry makes NVIDIA's compiler for Vulkan load it early, as soon as the next city is known; without
    // it the load would wait until the next step begins.
    if entry_ahead == NONE {
        progress[ant].construct.step = NONE;
    }
#endif
#endif
    if step < cities {
        crew_store(ant, lane);
    }
    if lane == 0u {
        progress[ant].construct.begun = tag;
        progress[ant].construct.step = step;
        if step == cities {
            progress[ant].construct.done = tag;
        }
    }
}

/// Stores the cities that lanes hold, those of positions `begin` to `last`.
fn store(tour: u32, last: u32, begin: u32, held: u32, lane: u32) {
    let place = last - last % CREW + lane;
    if place >= begin && place <= last {
        tours[tour + place] = held;
    }
}

/// Where the ant starts.
fn first_city(keys: vec2<u32>, ant: u32) -> u32 {
    if params.stride == 0u {
        return mul_high(random_word(keys, FIRST_CITY), params.cities);
    }
    // The same offset for all ants of an iteration.
    let shared_keys = stream_keys(params.seed, state.iteration, NO_ANT);
    let offset = mul_high(random_word(shared_keys, FIRST_CITY), params.cities);
    return (offset + ((ant % params.cities) * params.stride) % params.cities) % params.cities;
}
