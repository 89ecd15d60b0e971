// Distances from a matrix, cities x cities.

fn distance(a: u32, b: u32) -> u32 {
    return distances[a * params.cities + b];
}
