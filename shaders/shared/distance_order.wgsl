// Distances of a window's cities from the matrix of all cities.

/// What the distances from a city follow from.
alias Site = u32;

fn site(label: u32) -> Site {
    return city_of(label);
}

fn distance_between(a: Site, b: Site) -> u32 {
    return distances[a * params.all + b];
}

fn distance(a: u32, b: u32) -> u32 {
    return distance_between(site(a), site(b));
}
