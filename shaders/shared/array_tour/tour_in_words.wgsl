// The tour under local search and the position of each city, in workgroup memory, a word each: 8 bytes a city. For devices with room:
// no atomics are needed.

var<workgroup> cities_here: array<u32, CITIES>;
var<workgroup> positions_here: array<u32, CITIES>;

fn city_at(position: u32) -> u32 {
    return cities_here[position];
}

fn position_of(city: u32) -> u32 {
    return positions_here[city];
}

/// Exchanges the cities at two positions.
fn exchange(left: u32, right: u32) {
    let a = city_at(left);
    let b = city_at(right);
    cities_here[left] = b;
    cities_here[right] = a;
    positions_here[b] = left;
    positions_here[a] = right;
}

/// Puts a city from position `source` to `position`, where `displaced` was.
fn relocate(city: u32, source: u32, position: u32, displaced: u32) {
    cities_here[position] = city;
    positions_here[city] = position;
}

fn place_city(position: u32, city: u32) {
    cities_here[position] = city;
}

/// After all cities are placed.
fn place_position(city: u32, position: u32) {
    positions_here[city] = position;
}
#include shared/array_tour/load_tour
