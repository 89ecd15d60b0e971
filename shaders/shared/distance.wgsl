// Distances between cities, from whole coordinates (COORDINATES; cities x 2) or a matrix (cities x cities).

#if COORDINATES
#include shared/site

fn site(city: u32) -> Site {
    return bitcast<vec2<i32>>(vec2<u32>(distances[2u * city], distances[2u * city + 1u]));
}
#else
alias Site = u32;

fn site(city: u32) -> Site {
    return city;
}

fn distance_between(a: Site, b: Site) -> u32 {
    return distances[a * params.cities + b];
}
#endif

fn distance(a: u32, b: u32) -> u32 {
    return distance_between(site(a), site(b));
}

/// The index behind the distances, where other tables begin.
fn behind_distances() -> u32 {
#if COORDINATES
    return 2u * params.cities;
#else
    return params.cities * params.cities;
#endif
}
