// What a walk, a unit of work, keeps while it makes children; the Rust side is `kept_words` in src/kernels/eax/recombine/mod.rs.
// The includer has `offspring` and `params`. A unit's words: the gain and the loss of entropy of its best child, how many paths
// that has cut the tour into, one word of filling; for each path its first and last position and the ends that those are tied to;
// bits for edges that are open; the walk; marks; for each position behind which the tour is cut the paths before and behind.

/// The most paths.
const PATHS: u32 = 256u;
const KEPT_HEAD: u32 = 4u;

/// A position, or a sum of two, brought into the tour.
fn turned(position: u32) -> u32 {
    return select(position, position - params.cities, position >= params.cities);
}

fn kept_words() -> u32 {
    return KEPT_HEAD + 4u * PATHS + 2u * params.words + 5u * params.cities + 2u;
}

fn kept_path(unit: u32, path: u32) -> u32 {
    return unit * kept_words() + KEPT_HEAD + 4u * path;
}

/// Whether a child is better than another: it gains more for each bit of entropy lost, or more where none is.
fn is_better(gains: u32, loses: u32, best: vec2<u32>) -> bool {
    let own = vec2<u32>(gains * best.y, mul_high(gains, best.y));
    let others = vec2<u32>(best.x * loses, mul_high(best.x, loses));
    if loses == 0u && best.y == 0u {
        return gains > best.x;
    }
    return less_wide(others, own);
}

/// Bits for the edges of parent A, then of parent B, which only one of them has and no walk has taken.
fn kept_open(unit: u32) -> u32 {
    return kept_path(unit, PATHS);
}

/// The cities of the walk.
fn walk_at(unit: u32) -> u32 {
    return kept_open(unit) + 2u * params.words;
}

/// For each city two places on the walk, an even and an odd one, counted from 1; 0: it is not there.
fn marks_at(unit: u32) -> u32 {
    return walk_at(unit) + 2u * params.cities + 2u;
}

/// For each position the paths before (lower 16 bits) and behind the cut that follows on it, where there is one.
fn cuts_at(unit: u32) -> u32 {
    return marks_at(unit) + 2u * params.cities;
}
