// Changes of cost from a table of products (assignment `products`): each exchange takes constant time.
//
// m(u, v) is the sum over all k of a(k, u) b(p(k), p(v)), both directions together. An exchange of u and v adds
// m(u, v) + m(v, u) - m(u, u) - m(v, v) and the corner. When r and s have been exchanged, the table's columns r and s change
// places, and x(u) y(v) is added to each entry: the facilities exchanged need no exception.

/// m(u, u), apart, since every pair reads two of them.
var<workgroup> diagonal: array<i32, PLACES>;

fn changes_begin(lane: u32) {
    for (var u = lane; u < params.facilities; u += LANES) {
        diagonal[u] = table_load(u * params.pitch + u);
    }
}

fn change_of(pair: vec2<u32>, index: u32) -> i32 {
    let there = table_load(pair.x * params.pitch + pair.y);
    let back = table_load(pair.y * params.pitch + pair.x);
    return there + back - diagonal[pair.x] - diagonal[pair.y] + corner(pair.x, pair.y);
}

/// While the exchanged facilities are at their old locations still.
fn changes_prepare(r: u32, s: u32, lane: u32) {
    for (var u = lane; u < params.facilities; u += LANES) {
        let row = u * params.pitch;
        let kept = table_load(row + r);
        table_store(row + r, table_load(row + s));
        table_store(row + s, kept);
    }
}

/// When they have moved.
fn changes_update(r: u32, s: u32, lane: u32) {
    let n = params.facilities;
    let rows_each = LANES / n;
    let columns_each = LANES % n;
    var u = lane / n;
    var v = lane % n;
    while u < n {
        var value = table_load(u * params.pitch + v) + x[u] * y[v];
#if ASYMMETRIC
        value += x_back[u] * y_back[v];
#endif
        table_store(u * params.pitch + v, value);
        if u == v {
            diagonal[u] = value;
        }
        u += rows_each;
        v += columns_each;
        if v >= n {
            v -= n;
            u += 1u;
        }
    }
}
