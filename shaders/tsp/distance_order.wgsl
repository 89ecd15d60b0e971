// Distances of a patch's cities from the matrix of all cities.

fn distance(a: u32, b: u32) -> u32 {
    return distances[city_of(a) * params.all + city_of(b)];
}
