// The table of products in storage: invocations go through the entries of their columns, those of each GROUPS-th facility.

var<private> table: u32;

fn products_begin(home: u32) {
    table = home + table_at();
}

fn products_end(home: u32) {
}

fn product(u: u32, location: u32) -> i32 {
    return bitcast<i32>(memory[table + u * PITCH + location]);
}

/// Shows all what is asked for when an exchange is made, as it was before.
fn products_publish(exchange: Exchange, lane: u32) {
    for (var i = lane; i < PLACES; i += LANES) {
        moved_rows[i] = vec2<i32>(product(exchange.r, i), product(exchange.s, i));
        moved_columns[i] = vec2<i32>(product(i, exchange.at_r), product(i, exchange.at_s));
    }
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
