// The table of products in workgroup memory, rows of whole fours; an invocation has ROWS fours of the same locations. Only one invocation
// writes to a four between two barriers: to write to one component may write all four (Metal, DX12).

/// Fours of a row, and an odd number of them from row to row, so that columns have more memory banks.
override QUADS: u32 = (PLACES + 3u) / 4u;
override STRIDE: u32 = QUADS | 1u;
/// Rows that invocations have side by side.
override ABREAST: u32 = min(LANES / QUADS, PLACES);
override ROWS: u32 = 1u;
/// All fours: rows behind the last facility mean nothing.
override FOURS: u32 = ABREAST * ROWS * STRIDE;

var<workgroup> table: array<vec4<i32>, FOURS>;
/// Distances from the new location of r to each less those from its old one.
override WHOLE: u32 = 4u * QUADS;
var<workgroup> towards: array<i32, WHOLE>;
#if ASYMMETRIC
var<workgroup> towards_back: array<i32, WHOLE>;
#endif

fn product(u: u32, location: u32) -> i32 {
    return table[u * STRIDE + (location >> 2u)][location & 3u];
}

fn products_begin(home: u32, lane: u32) {
    for (var i = lane; i < PLACES * QUADS; i += LANES) {
        let u = i / QUADS;
        let quad = i % QUADS;
        // Locations behind the last mean nothing.
        let last = PLACES - 1u;
        table[u * STRIDE + quad] = vec4<i32>(
            kept_product(home, u, 4u * quad),
            kept_product(home, u, min(4u * quad + 1u, last)),
            kept_product(home, u, min(4u * quad + 2u, last)),
            kept_product(home, u, min(4u * quad + 3u, last)),
        );
    }
}

fn products_end(home: u32, lane: u32) {
    for (var i = lane; i < PLACES * PLACES; i += LANES) {
        let u = i / PLACES;
        let location = i % PLACES;
        memory[home + table_at() + u * PITCH + location] = bitcast<u32>(product(u, location));
    }
}

/// Shows all what the table is brought up to date with; other invocations than those that begin with vectors, where there are enough.
fn products_show(exchange: Exchange, lane: u32) {
    for (var location = LANES - 1u - lane; location < PLACES; location += LANES) {
        towards[location] = toward(DISTANCES_THERE, exchange, location);
#if ASYMMETRIC
        towards_back[location] = toward(DISTANCES_BACK, exchange, location);
#endif
    }
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
    let first = lane / QUADS;
    if first < ABREAST {
        let quad = lane % QUADS;
        let first_place = 4u * quad;
        let toward_here =
            vec4<i32>(towards[first_place], towards[first_place + 1u], towards[first_place + 2u], towards[first_place + 3u]);
#if ASYMMETRIC
        let toward_here_back = vec4<i32>(
            towards_back[first_place], towards_back[first_place + 1u], towards_back[first_place + 2u], towards_back[first_place + 3u],
        );
#endif
#repeat ROWS
        {
            let u = first + $iu * ABREAST;
            let at = u * STRIDE + quad;
#if ASYMMETRIC
            table[at] += vectors[u].x * toward_here + vectors_back[u].x * toward_here_back;
#else
            table[at] += vectors[u].x * toward_here;
#endif
        }
#end
    }
}
