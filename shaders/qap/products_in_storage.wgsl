// The table of products in storage: invocations go through the entries of their columns, those of each GROUPS-th facility.

var<private> table: u32;

fn products_begin(home: u32, lane: u32) {
    table = home + table_at();
}

fn products_end(home: u32, lane: u32) {
}

fn product(u: u32, location: u32) -> i32 {
    return bitcast<i32>(memory[table + u * PITCH + location]);
}

fn products_show(exchange: Exchange, lane: u32) {
}

/// m(r, l) and m(s, l), as they were before the exchange.
fn moved_row(exchange: Exchange, location: u32) -> vec2<i32> {
    return vec2<i32>(product(exchange.r, location), product(exchange.s, location));
}

/// m(v, l) for the locations of r and of s, likewise.
fn moved_column(exchange: Exchange, v: u32) -> vec2<i32> {
    return vec2<i32>(product(v, exchange.at_r), product(v, exchange.at_s));
}

fn products_update(exchange: Exchange, lane: u32) {
    for (var turn = 0u; turn < COLUMNS; turn++) {
        let column = own_column + turn * LANES;
        if column < PLACES && lane < GROUPS * PLACES {
            let toward_column = toward(DISTANCES_THERE, exchange, column);
#if ASYMMETRIC
            let toward_column_back = toward(DISTANCES_BACK, exchange, column);
#endif
            for (var u = own_group; u < PLACES; u += GROUPS) {
                var value = product(u, column) + vectors[u].x * toward_column;
#if ASYMMETRIC
                value += vectors_back[u].x * toward_column_back;
#endif
                memory[table + u * PITCH + column] = bitcast<u32>(value);
            }
        }
    }
}
