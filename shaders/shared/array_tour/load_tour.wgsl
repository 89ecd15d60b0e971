// Loads and stores the tour of an ant that is held in workgroup memory; windows have their own way.

#if WINDOW
#else
fn load_tour(ant: u32, lane: u32) {
    for (var i = lane; i < params.cities; i += LANES) {
        place_city(i, tours[ant * params.cities + i]);
    }
    workgroupBarrier();
    for (var i = lane; i < params.cities; i += LANES) {
        place_position(tours[ant * params.cities + i], i);
    }
}

fn store_tour(ant: u32, lane: u32) {
    for (var i = lane; i < params.cities; i += LANES) {
        tours[ant * params.cities + i] = city_at(i);
    }
}
#endif
