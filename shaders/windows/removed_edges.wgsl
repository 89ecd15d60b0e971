// What the search of a window has changed in the colony's tour: its cuts. For `window_search`, whose array tour it reads.

/// Edges that each lane has found cut.
var<workgroup> counts: array<u32, LANES>;

/// A word of the window in the order of the colony's tour.
fn word_at(number: u32, index: u32) -> u32 {
    return windows[window_home(number) + select(index, index - params.cities, index >= params.cities)];
}

/// Whether an edge of the window is in the window's tour still.
fn stays(word: u32, next: u32) -> bool {
    let a = word & LABEL;
    let b = next & LABEL;
    return (word & FIXED) != 0u || step_from(a, true) == b || step_from(a, false) == b;
}

/// Who is tied to a city instead, where one of its edges is gone and the other, to `other`, stays or not.
fn tied_to(city: u32, other: u32, other_stays: bool, forward: bool) -> u32 {
    let back = step_from(city, false);
    let forth = step_from(city, true);
    if other_stays {
        return city_of(select(back, forth, back == other));
    }
    return city_of(select(back, forth, forward));
}

/// Writes the cuts in the order of the colony's tour.
fn write_removed(number: u32, gain: u32, lane: u32) {
    let cities = params.cities;
    let each = (cities + LANES - 1u) / LANES;
    let begin = min(lane * each, cities);
    let end = min(begin + each, cities);
    var own = 0u;
    if gain > 0u {
        for (var i = begin; i < end; i++) {
            own += select(1u, 0u, stays(word_at(number, i), word_at(number, i + 1u)));
        }
    }
    counts[lane] = own;
    workgroupBarrier();
    var slot = 0u;
    var total = 0u;
    for (var other = 0u; other < LANES; other++) {
        slot += select(0u, counts[other], other < lane);
        total += counts[other];
    }
    if own > 0u {
        for (var i = begin; i < end; i++) {
            let word = word_at(number, i);
            let next = word_at(number, i + 1u);
            if !stays(word, next) {
                let before = word_at(number, i + cities - 1u);
                let behind = word_at(number, ring(i + 2u));
                let city = word & LABEL;
                let other = next & LABEL;
                let at = removed_at(number) + 3u * slot;
                removed[at] = positions[city_of(city)];
                removed[at + 1u] = tied_to(city, before & LABEL, stays(before, word), true);
                removed[at + 2u] = tied_to(other, behind & LABEL, stays(next, behind), false);
                slot += 1u;
            }
        }
    }
    if lane == 0u {
        removed[number * removed_words()] = gain;
        removed[number * removed_words() + 1u] = total;
    }
}
