// The tour under local search and the position of each city in workgroup memory: 8 bytes a city.

#include tsp/queue_in_workgroup

var<workgroup> tour_here: array<u32, CITIES>;
var<workgroup> position_here: array<u32, CITIES>;

fn city_at(position: u32) -> u32 {
    return tour_here[position];
}

fn position_of(city: u32) -> u32 {
    return position_here[city];
}

/// Exchanges the cities at two positions.
fn exchange(left: u32, right: u32) {
    let a = tour_here[left];
    let b = tour_here[right];
    tour_here[left] = b;
    tour_here[right] = a;
    position_here[b] = left;
    position_here[a] = right;
}

fn tour_barrier() {
    workgroupBarrier();
}

fn load_tour(ant: u32, lane: u32) {
    for (var i = lane; i < params.cities; i += LANES) {
        let city = tours[ant * params.cities + i];
        tour_here[i] = city;
        position_here[city] = i;
    }
}

fn store_tour(ant: u32, lane: u32) {
    for (var i = lane; i < params.cities; i += LANES) {
        tours[ant * params.cities + i] = tour_here[i];
    }
}
