// The edges of the colony's tour that a window's search has removed (`window_search` writes them). A window's words: its gain; how many
// edges; a bit for each of its cities, set while the city is unsettled; for each removed edge its position, the city that follows the city
// at that position now, and the city that comes before the next one now. The kernel that includes this has `removed` and `params.cities`, the
// cities of a window. The Rust side is `RemovedList` in src/kernels/merge/mod.rs.

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

/// How many of a window's removed edges lie below a position.
fn removed_below(number: u32, position: u32) -> u32 {
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
