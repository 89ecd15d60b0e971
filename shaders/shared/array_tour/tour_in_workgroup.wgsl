// The tour under local search and the position of each city, in workgroup memory: 4 bytes a city.
//
// Word i holds the city at position i in its lower half and the position of city i in its upper half. Halves change by
// atomic exclusive-or with the difference of old and new value, so that lanes may write both halves of a word at once.

var<workgroup> tour_here: array<atomic<u32>, CITIES>;

fn city_at(position: u32) -> u32 {
    return atomicLoad(&tour_here[position]) & 0xFFFFu;
}

fn position_of(city: u32) -> u32 {
    return atomicLoad(&tour_here[city]) >> 16u;
}

/// Exchanges the cities at two positions.
fn exchange(left: u32, right: u32) {
    let a = city_at(left);
    let b = city_at(right);
    let positions = (left ^ right) << 16u;
    atomicXor(&tour_here[left], a ^ b);
    atomicXor(&tour_here[right], a ^ b);
    atomicXor(&tour_here[a], positions);
    atomicXor(&tour_here[b], positions);
}

/// Puts a city from position `source` to `position`, where `displaced` was.
fn relocate(city: u32, source: u32, position: u32, displaced: u32) {
    atomicXor(&tour_here[position], displaced ^ city);
    atomicXor(&tour_here[city], (source ^ position) << 16u);
}

fn place_city(position: u32, city: u32) {
    atomicStore(&tour_here[position], city);
}

/// After all cities are placed.
fn place_position(city: u32, position: u32) {
    atomicOr(&tour_here[city], position << 16u);
}
#include shared/array_tour/load_tour
