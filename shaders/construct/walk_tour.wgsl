// Steps from city to city, resumed where a dispatch's loop budget or number of steps ends.

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let ant = crew_ant(group.x, invocation);
    let lane = crew_lane(invocation);
    let tag = state.iteration + 1u;
    if ant >= call.end || progress[ant].construct_done == tag {
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

    // From where on this dispatch places cities. Each lane holds one of every CREW cities until they are stored together.
    var begin = 0u;
    var step = 1u;
    var city = 0u;
    var previous = 0u;
    if progress[ant].construct_begun == tag {
        step = progress[ant].step;
        begin = step;
        city = tours[tour + step - 1u];
        previous = tours[tour + max(step, 2u) - 2u];
        crew_load(ant, lane);
    } else {
#if WARM
        warm(ant, tour, lane);
#endif
        visited_begin(lane);
        crew_sync();
        city = first_city(keys, ant);
#if MARK_TOGETHER
        mark_together(city, lane);
#else
        if lane == 0u {
            mark(city, 0u);
        }
#endif
    }
    crew_sync();
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
        let chosen = key != 0u;
        var next = city_of(key);
#if BEYOND
        if !chosen {
            next = known(city, lane);
            // Nobody may mark the city before all have seen that it is free.
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
#if MARK_TOGETHER
        mark_together(next, lane);
#else
        if lane == 0u {
            mark(next, step);
        }
#endif
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
        arrive(city, lane);
        let first = tours[tour];
        look_ahead(first, lane);
        walked(previous, city, first, false, step, lane);
        arrive(first, lane);
        walked_back(city, first, step, lane);
    }

#if PSEUDO_RANDOM
#if ONE_EACH
    // No entry is NONE: this asks for what is on its way when the last step ends. Where nothing does, NVIDIA's compiler for Vulkan loads
    // it where the next step begins, which is late.
    if entry_ahead == NONE {
        progress[ant].step = NONE;
    }
#endif
#endif
    if step < cities {
        crew_store(ant, lane);
    }
    if lane == 0u {
        progress[ant].construct_begun = tag;
        progress[ant].step = step;
        if step == cities {
            progress[ant].construct_done = tag;
        }
    }
}

/// Stores the cities held up to the one that `last` is the place of, from `begin` on.
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
