// Where cities lie while a chain of Lin-Kernighan steps is looked for, without one of its reversals: how many cities behind the chain's city, and one reflection
// for each step.

/// The flips of the chain, and behind them zeros.
var<private> flips_first: vec4<u32>;
var<private> flips_second: vec4<u32>;
var<private> flips_third: vec4<u32>;
/// The chain's city: its position, and where it lies.
var<private> origin: u32;
var<private> home: Site;

/// Keeps so many steps, fewer than four.
fn keep_flips(count: u32) {
    flips_first = select(vec4<u32>(0u), flips_first, vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(count));
    flips_second = vec4<u32>(0u);
    flips_third = vec4<u32>(0u);
}

fn note_flip(flip: u32, depth: u32) {
    let here = vec4<u32>(0u, 1u, 2u, 3u) == vec4<u32>(depth & 3u);
    if depth < 4u {
        flips_first = select(flips_first, vec4<u32>(flip), here);
    } else if depth < 8u {
        flips_second = select(flips_second, vec4<u32>(flip), here);
    } else {
        flips_third = select(flips_third, vec4<u32>(flip), here);
    }
}

/// The place of a city: how many cities along the tour, without the chain's steps, it lies behind the chain's city.
fn place_behind(city: u32, forward: bool) -> u32 {
    let position = position_of(city);
    let apart = select(origin - position, position - origin, forward);
    return select(apart, apart + tour_size(), apart >= tour_size());
}

/// Whether two places are beside each other.
fn are_beside(a: u32, b: u32) -> bool {
    return ((a + 1u - b) & 0xFFFFFFFDu) == 0u;
}

/// Where the city that lies at `place` would lie with one step more; the same takes it back.
fn reflected(place: u32, flip: u32) -> u32 {
    return select(place, flip + 1u - place, place <= flip);
}

fn reflected_back(place: u32, flips: vec4<u32>) -> u32 {
    return reflected(reflected(reflected(reflected(place, flips.w), flips.z), flips.y), flips.x);
}

fn reflected_forth(place: u32, flips: vec4<u32>) -> u32 {
    return reflected(reflected(reflected(reflected(place, flips.x), flips.y), flips.z), flips.w);
}

#if DIRECTED
/// Where a city at `place` lies with all steps of the chain, and the other way round.
fn place_now(place: u32) -> u32 {
    return reflected_forth(reflected_forth(reflected_forth(place, flips_first), flips_second), flips_third);
}

fn place_once(place: u32) -> u32 {
    return reflected_back(reflected_back(reflected_back(place, flips_third), flips_second), flips_first);
}

/// The city at a place behind the chain's city, without the chain's steps.
fn city_behind(place: u32, forward: bool) -> u32 {
    return city_at(ring(select(origin + tour_size() - place, origin + place, forward)));
}
#endif
