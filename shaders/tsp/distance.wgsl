// Distances between cities, from whole coordinates (SPOTS; cities x 2) or a matrix (cities x cities).

#if SPOTS
#include tsp/euclidean

fn spot(city: u32) -> vec2<i32> {
    return bitcast<vec2<i32>>(vec2<u32>(distances[2u * city], distances[2u * city + 1u]));
}

fn distance(a: u32, b: u32) -> u32 {
    return euclidean(spot(a) - spot(b));
}
#else
fn distance(a: u32, b: u32) -> u32 {
    return distances[a * params.cities + b];
}
#endif

/// Where what follows on the distances begins.
fn behind_distances() -> u32 {
#if SPOTS
    return 2u * params.cities;
#else
    return params.cities * params.cities;
#endif
}
