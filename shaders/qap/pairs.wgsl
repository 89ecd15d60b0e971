// Pairs of facilities u < v, laid out as a rectangle of `facilities` columns without waste: row a holds the pairs of a, then
// those of facilities - 2 - a.

fn pair_rows() -> u32 {
    return params.facilities / 2u;
}

/// The pair at a place of the rectangle; both NONE where there is none, behind the middle row's pairs.
fn pair_at(row: u32, column: u32) -> vec2<u32> {
    let n = params.facilities;
    let own = n - 1u - row;
    if column < own {
        return vec2<u32>(row, row + 1u + column);
    }
    let other = n - 2u - row;
    return select(vec2<u32>(NONE, NONE), vec2<u32>(other, column), other > row);
}

/// The place of a pair.
fn pair_index(a: u32, b: u32) -> u32 {
    let n = params.facilities;
    let u = min(a, b);
    let v = max(a, b);
    if u < pair_rows() {
        return u * n + v - u - 1u;
    }
    return (n - 2u - u) * n + v;
}
