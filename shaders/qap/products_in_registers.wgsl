// The table of products in registers: an invocation has ROWS entries of its column.

override ROWS: u32 = 1u;
/// Before an exchange, for each location m(r, l) and m(s, l).
var<workgroup> row_of_r: array<i32, PLACES>;
var<workgroup> row_of_s: array<i32, PLACES>;
/// For each facility m(v, l) for the locations of r and of s.
var<workgroup> column_of_r: array<i32, TWICE>;
var<workgroup> column_of_s: array<i32, TWICE>;
/// The facility of the invocation's first entry.
var<private> first_row: u32;

#repeat ROWS
var<private> product_$i: i32;
#end

fn products_begin(home: u32, lane: u32) {
    first_row = own_group * ROWS;
    let first = home + table_at() + own_column;
#repeat ROWS
    product_$i = bitcast<i32>(memory[first + min(first_row + $iu, PLACES - 1u) * PITCH]);
#end
}

fn products_end(home: u32, lane: u32) {
    if lane >= GROUPS * PLACES {
        return;
    }
    let first = home + table_at() + own_column;
#repeat ROWS
    if first_row + $iu < PLACES {
        memory[first + (first_row + $iu) * PITCH] = bitcast<u32>(product_$i);
    }
#end
}

fn product_at(index: u32) -> i32 {
    switch index {
#repeat ROWS
        case $iu: {
            return product_$i;
        }
#end
        default: {
            return 0;
        }
    }
}

/// Distances from the new location of r to the invocation's column less those from its old one.
var<private> toward_column: i32;
#if ASYMMETRIC
var<private> toward_column_back: i32;
#endif

/// Shows all what is asked for when an exchange is made, as it was before.
fn products_show(exchange: Exchange, lane: u32) {
    toward_column = toward(DISTANCES_THERE, exchange, own_column);
#if ASYMMETRIC
    toward_column_back = toward(DISTANCES_BACK, exchange, own_column);
#endif
    // Invocations that are too many have what others have.
    if lane >= GROUPS * PLACES {
        return;
    }
    if exchange.r - first_row < ROWS {
        row_of_r[own_column] = product_at(exchange.r - first_row);
    }
    if exchange.s - first_row < ROWS {
        row_of_s[own_column] = product_at(exchange.s - first_row);
    }
    // The last rows of some invocations are none: what they write is read by nobody.
    if own_column == exchange.at_r {
#repeat ROWS
        column_of_r[first_row + $iu] = product_$i;
#end
    }
    if own_column == exchange.at_s {
#repeat ROWS
        column_of_s[first_row + $iu] = product_$i;
#end
    }
}

/// m(r, l) and m(s, l), as they were before the exchange.
fn moved_row(exchange: Exchange, location: u32) -> vec2<i32> {
    return vec2<i32>(row_of_r[location], row_of_s[location]);
}

/// m(v, l) for the locations of r and of s, likewise.
fn moved_column(exchange: Exchange, v: u32) -> vec2<i32> {
    return vec2<i32>(column_of_r[v], column_of_s[v]);
}

fn products_update(exchange: Exchange, lane: u32) {
#repeat ROWS
    product_$i += vectors[first_row + $iu].x * toward_column;
#if ASYMMETRIC
    product_$i += vectors_back[first_row + $iu].x * toward_column_back;
#endif
#end
}
