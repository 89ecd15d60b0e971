// Rows that stay as they are while ants walk: nothing happens on the way.

/// Before the first step.
fn rows_begin(lane: u32) {
}

/// When a step is made from `city`, to which the ant has come from `previous`.
fn walked(previous: u32, city: u32, next: u32, chosen: bool, step: u32, lane: u32) {
}

/// When the tour has come back to the first city.
fn walked_back(last: u32, first: u32, step: u32, lane: u32) {
}
