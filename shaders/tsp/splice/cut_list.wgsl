// The cuts that an ant's search has left (patch.wgsl); the Rust side is `CutList` in src/kernels/splice/mod.rs.
// The includer has `cuts` and `params.cities`, the cities of a patch. An ant's words: its gain, how many cuts, a bit for each city
// of its patch that is unsettled still, and for each cut its position and the cities that the ends at that position and behind it
// are tied to.

fn cut_words() -> u32 {
    return 2u + (params.cities + 31u) / 32u + 3u * params.cities;
}

fn cuts_at(ant: u32) -> u32 {
    return ant * cut_words() + 2u + (params.cities + 31u) / 32u;
}

fn cut_gain(ant: u32) -> u32 {
    return cuts[ant * cut_words()];
}

fn cut_count(ant: u32) -> u32 {
    return cuts[ant * cut_words() + 1u];
}

fn cut_position(ant: u32, index: u32) -> u32 {
    return cuts[cuts_at(ant) + 3u * index];
}

/// How many of an ant's cuts lie below a position.
fn cuts_below(ant: u32, position: u32) -> u32 {
    var low = 0u;
    var high = cut_count(ant);
    while low < high {
        let middle = (low + high) / 2u;
        if cut_position(ant, middle) < position {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}
