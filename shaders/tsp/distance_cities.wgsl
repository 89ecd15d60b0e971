// Distances of cities from whole coordinates.

#include tsp/euclidean

fn distance(a: u32, b: u32) -> u32 {
    return euclidean(spots[a] - spots[b]);
}
