// The tour under local search and the position of each city in storage buffers: for tours that workgroup memory cannot
// hold.

/// ants x cities: the position of each city in its ant's tour.
@group(0) @binding(8) var<storage, read_write> positions: array<u32>;

var<private> tour_offset: u32;

fn city_at(position: u32) -> u32 {
    return tours[tour_offset + position];
}

fn position_of(city: u32) -> u32 {
    return positions[tour_offset + city];
}

/// Exchanges the cities at two positions.
fn exchange(left: u32, right: u32) {
    let a = city_at(left);
    let b = city_at(right);
    tours[tour_offset + left] = b;
    tours[tour_offset + right] = a;
    positions[tour_offset + b] = left;
    positions[tour_offset + a] = right;
}

/// Puts a city from position `source` to `position`, where `displaced` was.
fn relocate(city: u32, source: u32, position: u32, displaced: u32) {
    tours[tour_offset + position] = city;
    positions[tour_offset + city] = position;
}

fn load_tour(ant: u32, lane: u32) {
    tour_offset = ant * params.cities;
    for (var i = lane; i < params.cities; i += LANES) {
        positions[tour_offset + tours[tour_offset + i]] = i;
    }
}

fn store_tour(ant: u32, lane: u32) {
}
