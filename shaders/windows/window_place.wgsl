// Where a window lies: in one of the orders, half of its cities from one place on and half from another, which mostly follows
// the first. The Rust side is `Where` in src/kernels/windows/window_order.rs. `windows` begins with it, and has a window's words from
// `window_home` on: the window in the order of the colony's tour; the window's tour, and in upper halves its queue; its journal; the
// tour before its last kick; the other ends of each city's edges that must stay, where it has any.
// The kernel that includes this has `windows`, `params.cities` (of a window) and `params.all` (of the instance).

/// In a word of a window: the edge to the next city must stay; the city has to be looked at; the city's label.
const FIXED: u32 = 0x80000000u;
const UNSETTLED: u32 = 0x40000000u;
const LABEL: u32 = 0xFFFFu;
/// The label of a city outside the window.
const OUTSIDE: u32 = 0xFFFFu;

/// Words before a window: where it lies.
const WINDOW_HEAD: u32 = 4u;
#include lin_kernighan/journal

/// `place` of a ring of all cities, which may be up to one turn too far.
fn turned(place: u32) -> u32 {
    return select(place, place - params.all, place >= params.all);
}

/// Words of a window.
fn window_words() -> u32 {
    return WINDOW_HEAD + 4u * params.cities + 2u * JOURNAL;
}

fn window_home(number: u32) -> u32 {
    return number * window_words() + WINDOW_HEAD;
}

/// The order, and the places of the first city of either half.
fn window_place_of(number: u32) -> vec3<u32> {
    let at = number * window_words();
    return vec3<u32>(windows[at], windows[at + 1u], windows[at + 2u]);
}

/// The place in its order of the city with a label.
fn place_of(here: vec3<u32>, label: u32) -> u32 {
    let half = params.cities / 2u;
    return turned(select(here.z + label - half, here.y + label, label < half));
}

/// The label of the city at a place, or OUTSIDE.
fn label_of(here: vec3<u32>, place: u32) -> u32 {
    let half = params.cities / 2u;
    let first = turned(place + params.all - here.y);
    let second = turned(place + params.all - here.z);
    return select(select(OUTSIDE, second + half, second < params.cities - half), first, first < half);
}
