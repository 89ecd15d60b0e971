// The cities that wait for a look, a bit each (those whose don't-look bits are off), in slices. A round takes a city of every slice.
// The kernel that includes this has LANES and NONE. The Rust side is src/kernels/shared/slices.rs.

/// Slices of the cities: city c lies in slice c % 32, where it is bit c / 32.
const SLICES: u32 = 32u;
/// Words of a slice, and of all.
override SLICE: u32 = 1u;
override WAITS: u32 = SLICES * SLICE;

/// Which cities wait, slice by slice.
var<workgroup> waits: array<atomic<u32>, WAITS>;
/// For each slice the bit behind the city taken last, and the city of the round, or NONE.
var<workgroup> heads: array<u32, SLICES>;
var<workgroup> ready: array<u32, SLICES>;

fn wait_word(city: u32) -> u32 {
    return (city & 31u) * SLICE + (city >> 10u);
}

fn wait_bit(city: u32) -> u32 {
    return 1u << ((city >> 5u) & 31u);
}

/// Lets a city wait.
fn let_wait(city: u32) {
    atomicOr(&waits[wait_word(city)], wait_bit(city));
}

/// Lets four cities wait.
fn let_all_wait(cities: vec4<u32>) {
    let_wait(cities.x);
    let_wait(cities.y);
    let_wait(cities.z);
    let_wait(cities.w);
}

/// Before the first use, and a barrier in between: no city waits.
fn slices_begin(lane: u32) {
    for (var word = lane; word < WAITS; word += LANES) {
        atomicStore(&waits[word], 0u);
    }
    for (var slice = lane; slice < SLICES; slice += LANES) {
        heads[slice] = 0u;
    }
}

/// Takes the next waiting city of a slice, by turns; whether there was one.
fn take_of(slice: u32) -> bool {
    let head = heads[slice];
    var at = select(head >> 5u, 0u, (head >> 5u) == SLICE);
    var left = atomicLoad(&waits[slice * SLICE + at]) & (NONE << (head & 31u));
    // Every lane makes all loads. On some devices lanes whose loops end at different times run apart from then on.
    for (var turn = 0u; turn < SLICE; turn++) {
        let next = select(at + 1u, 0u, at + 1u == SLICE);
        let there = atomicLoad(&waits[slice * SLICE + next]);
        at = select(at, next, left == 0u);
        left = select(left, there, left == 0u);
    }
    let bit = at * 32u + firstTrailingBit(left);
    let city = select(NONE, bit * SLICES + slice, left != 0u);
    if city != NONE {
        heads[slice] = bit + 1u;
        atomicAnd(&waits[wait_word(city)], ~wait_bit(city));
    }
    ready[slice] = city;
    return city != NONE;
}
