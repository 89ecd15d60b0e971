// The candidate list of the city that the ant has come to. Where no lane has more than one option (ONE_EACH), each lane loads its entry as
// soon as the next city is known, while the step before still ends. The rows that include this have `entry_in`, which reads an entry of the
// lists.

#if ONE_EACH
var<private> entry_here: u32;
var<private> entry_ahead: u32;

fn entry_look(city: u32, lane: u32) {
    entry_ahead = entry_in(city * CANDIDATES + own_option(lane));
}

fn entry_arrive() {
    entry_here = entry_ahead;
}

fn entry_at(city: u32, i: u32) -> u32 {
    return entry_here;
}
#else
fn entry_look(city: u32, lane: u32) {
}

fn entry_arrive() {
}

fn entry_at(city: u32, i: u32) -> u32 {
    return entry_in(city * span() + i);
}
#endif
