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
    crew_begin(ant, lane);

    var step = 1u;
    var city = 0u;
    var previous = 0u;
    if progress[ant].construct_begun == tag {
        step = progress[ant].step;
        city = tours[tour + step - 1u];
        previous = tours[tour + max(step, 2u) - 2u];
        crew_load(ant, lane);
    } else {
        tabu_begin(lane);
        crew_sync();
        city = first_city(keys, ant);
#if TABU_REGISTER
        mark_together(city, lane);
#endif
        if lane == 0u {
#if TABU_REGISTER
#else
            mark(city, 0u);
#endif
            tours[tour] = city;
        }
    }
    crew_sync();

    let first_step = step;
    var end = step + params.most_steps;
    while step < min(end, cities) {
#if ONE_EACH
        if ((step - first_step) & 3u) == 0u {
            draw_ahead(step, keys, lane);
        }
#endif
        visited_count = step;
        arrive(city, previous, step, lane);
        var next = choose(city, step, keys, lane);
#if BEYOND
        if next == NONE {
            next = shortcut(city);
            // Nobody may mark the city before all have seen that it is free.
            crew_sync();
            if next == NONE {
                next = nearby(city, lane);
            }
            if next == NONE {
                end -= min(params.beyond_steps, end - step - 1u);
                next = beyond(city, lane);
            }
        }
#endif
#if TABU_REGISTER
        mark_together(next, lane);
#endif
        if lane == 0u {
#if TABU_REGISTER
#else
            mark(next, step);
#endif
            tours[tour + step] = next;
            walked(city, next, step);
        }
#if SYNC_STEPS
        crew_sync();
#endif
        previous = city;
        city = next;
        step += 1u;
    }
    crew_sync();
    if step == cities {
        arrive(city, previous, step, lane);
    }

    if step < cities {
        crew_store(ant, lane);
    }
    if lane == 0u {
        progress[ant].construct_begun = tag;
        progress[ant].step = step;
        if step == cities {
            walked(city, tours[tour], step);
            progress[ant].construct_done = tag;
        }
    }
}

/// Where the ant starts.
fn first_city(keys: vec2<u32>, ant: u32) -> u32 {
    if params.stride == 0u {
        return mul_high(random_word(keys, NONE), params.cities);
    }
    // The same offset for all ants of an iteration: as if ant 2^32 - 1 had drawn it.
    let offset = mul_high(random_word(stream_keys(params.seed, state.iteration, NONE), NONE), params.cities);
    return (offset + ((ant % params.cities) * params.stride) % params.cities) % params.cities;
}
