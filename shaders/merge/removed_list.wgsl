// The cuts that a window's search has left (`window_search`); the Rust side is `RemovedList` in src/kernels/merge/mod.rs.
// The includer has `removed_edges` and `params.cities`, the cities of a window. A window's words: its gain, how many cuts, a bit for each of its cities
// that is unsettled still, and for each cut its position and the cities that the ends at that position and behind it
// are tied to.

fn removed_words() -> u32 {
    return 2u + (params.cities + 31u) / 32u + 3u * params.cities;
}

fn removed_at(number: u32) -> u32 {
    return number * removed_words() + 2u + (params.cities + 31u) / 32u;
}

fn removed_gain(number: u32) -> u32 {
    return removed[number * removed_words()];
}

fn removed_count(number: u32) -> u32 {
    return removed[number * removed_words() + 1u];
}

fn removed_position(number: u32, index: u32) -> u32 {
    return removed[removed_at(number) + 3u * index];
}

/// How many of a window's cuts lie below a position.
fn cuts_below(number: u32, position: u32) -> u32 {
    var low = 0u;
    var high = removed_count(number);
    while low < high {
        let middle = (low + high) / 2u;
        if removed_position(number, middle) < position {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}
