// Distances of a patch's cities from whole coordinates. They stay in storage, where a processor's cache holds those of its ants:
// workgroup memory tells how many of these there may be.

#include tsp/euclidean

fn spot(label: u32) -> vec2<i32> {
    return spots[here.x * params.all + place_of(here, label)];
}

fn distance(a: u32, b: u32) -> u32 {
    return euclidean(spot(a) - spot(b));
}
