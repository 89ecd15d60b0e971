// Distances of a patch's cities from whole coordinates.

#include tsp/euclidean

var<workgroup> spot_here: array<vec2<i32>, CITIES>;

fn distances_begin(lane: u32) {
    for (var label = lane; label < params.cities; label += LANES) {
        spot_here[label] = spots[here.x * params.all + place_of(here, label)];
    }
}

fn distance(a: u32, b: u32) -> u32 {
    return euclidean(spot_here[a] - spot_here[b]);
}
