// Changes of cost from a table of products (move evaluation `products`): each exchange takes constant time.
//
// m(u, l) is the sum over all k of a(k, u) b(p(k), l), both directions together, and what placing u at l costs by itself. An exchange
// of u and v adds m(u, p(v)) + m(v, p(u)) - m(u, p(u)) - m(v, p(v)) and the corner. When r and s have been exchanged, x(u) z(l) is
// added to each entry, z(l) being the distance from the new location of r to l less that from its old one; y(v) is z(p(v)).
//
// The change of a pair, and the first iteration in which its exchange is not tabu, stay with one invocation. Facilities lie on a
// circle: a column are the pairs of a facility with those 1 to n/2 places on, and its GROUPS invocations have CHUNKS times EACH of
// them; what is more than that are pairs that others have, too. Pairs without r or s are shifted (Tsutsui and Fujimoto 2011, equation 5); those with come through `fresh` from the rows of
// r and s, the columns of their locations and the diagonal m(v, p(v)), all as they were before the exchange: so the table itself,
// of which each invocation has a part of a column, can be brought up to date at the same time.

/// Columns of an invocation, where there are fewer invocations than facilities.
override COLUMNS: u32 = 1u;
/// Invocations of a column.
override GROUPS: u32 = 1u;
/// Chunks of EACH pairs that an invocation has of a column.
override CHUNKS: u32 = 1u;
override EACH: u32 = 1u;
override PITCH: u32 = PLACES | 1u;
override TWICE: u32 = 2u * PLACES;

/// m(v, p(v)).
var<workgroup> diagonal: array<i32, PLACES>;
/// Before an exchange, for each location m(r, l), m(s, l).
var<workgroup> moved_rows: array<vec2<i32>, PLACES>;
/// For each facility m(v, l) for the locations of r and of s.
var<workgroup> moved_columns: array<vec2<i32>, TWICE>;
/// For each facility the change of its exchange with r, and when that is not tabu any more; then with s.
var<workgroup> fresh: array<vec2<u32>, TWICE>;
/// Numbers of chosen exchanges, in turns.
var<workgroup> chosen: array<atomic<u32>, 2>;
var<private> chosen_turn: u32 = 0u;
/// The invocation's first column, and which of its invocations it is; those that are too many do what the last does.
var<private> own_column: u32;
var<private> own_group: u32;

// The chunk at hand.
#repeat EACH
var<private> change_$i: i32;
#if TABU
var<private> until_$i: u32;
#endif
#end

#if TABLE_IN_STORAGE
#include qap/products_in_storage
#else
#include qap/products_in_registers
#endif

/// Where chunk `index` of an invocation is kept between uses: in its registers if it is the only one.
fn chunk_load(home: u32, index: u32, lane: u32) {
#if TABLE_IN_STORAGE
    let first = home + kept_at() + index * EACH * LANES + lane;
#repeat EACH
    change_$i = bitcast<i32>(memory[first + $iu * LANES]);
#if TABU
    until_$i = memory[first + ($iu + COLUMNS * CHUNKS * EACH) * LANES];
#endif
#end
#endif
}

fn chunk_store(home: u32, index: u32, lane: u32) {
#if TABLE_IN_STORAGE
    let first = home + kept_at() + index * EACH * LANES + lane;
#repeat EACH
    memory[first + $iu * LANES] = bitcast<u32>(change_$i);
#if TABU
    memory[first + ($iu + COLUMNS * CHUNKS * EACH) * LANES] = until_$i;
#endif
#end
#endif
}

fn column_of(turn: u32) -> u32 {
    return min(own_column + turn * LANES, PLACES - 1u);
}

/// How many places on the first partner of a chunk is.
fn first_of(chunk: u32) -> u32 {
    return 1u + (own_group * CHUNKS + chunk) * EACH;
}

/// Where a place beyond the end of the circle is.
fn around(place: u32) -> u32 {
    return select(place, place - PLACES, place >= PLACES);
}

/// m(u, l) when a dispatch begins.
fn kept_product(home: u32, u: u32, location: u32) -> i32 {
    return bitcast<i32>(memory[home + table_at() + u * PITCH + location]);
}

fn changes_begin(home: u32, lane: u32) {
    own_column = lane % PLACES;
    own_group = min(lane / PLACES, GROUPS - 1u);
    products_begin(home);
    for (var v = lane; v < PLACES; v += LANES) {
        diagonal[v] = kept_product(home, v, place[v]);
    }
    if lane < 2u {
        atomicStore(&chosen[lane], NONE);
    }
    for (var turn = 0u; turn < COLUMNS; turn++) {
        for (var chunk = 0u; chunk < CHUNKS; chunk++) {
            let u = column_of(turn);
            let first = first_of(chunk);
#repeat EACH
            {
                let v = around(u + first + $iu);
                let there = kept_product(home, u, place[v]) - kept_product(home, u, place[u]);
                let back = kept_product(home, v, place[u]) - kept_product(home, v, place[v]);
                change_$i = there + back + corner(u, v);
#if TABU
                until_$i = select(min(tabu_until(home, u, place[v]), tabu_until(home, v, place[u])), NEVER, alike(u, v));
#endif
            }
#end
            chunk_store(home, turn * CHUNKS + chunk, lane);
        }
    }
}

fn changes_end(home: u32, lane: u32) {
    products_end(home);
}

/// The least change of the invocation's exchanges that are allowed.
fn least_change(home: u32, lane: u32, iteration: u32, aspiration: i32) -> i32 {
    var low = 0x7FFFFFFF;
    for (var turn = 0u; turn < COLUMNS; turn++) {
        for (var chunk = 0u; chunk < CHUNKS; chunk++) {
            chunk_load(home, turn * CHUNKS + chunk, lane);
#repeat EACH
#if TABU
            // Bitwise, so that no invocation takes a branch.
            low = min(low, select(0x7FFFFFFF, change_$i, (change_$i < aspiration) | (until_$i <= iteration)));
#else
            low = min(low, change_$i);
#endif
#end
        }
    }
    return low;
}

/// The lowest number of the invocation's allowed exchanges whose change is `low`.
fn lowest_number(home: u32, lane: u32, iteration: u32, aspiration: i32, low: i32) -> u32 {
    var number = NONE;
    let free = low < aspiration;
    for (var turn = 0u; turn < COLUMNS; turn++) {
        for (var chunk = 0u; chunk < CHUNKS; chunk++) {
            chunk_load(home, turn * CHUNKS + chunk, lane);
            let column = column_of(turn);
            let next = column + first_of(chunk);
            var found = 0u;
#repeat EACH
#if TABU
            found |= select(0u, 1u << $iu, (change_$i == low) & (free | (until_$i <= iteration)));
#else
            found |= select(0u, 1u << $iu, change_$i == low);
#endif
#end
            // Partners beyond the end of the circle are the lower ones.
            let beyond = select(found & (NONE << (PLACES - min(next, PLACES))), 0u, next + 31u < PLACES);
            let partner = next + countTrailingZeros(select(found, beyond, beyond != 0u));
            if found != 0u {
                let other = around(partner);
                number = min(number, number_of(vec2<u32>(min(column, other), max(column, other))));
            }
        }
    }
    return number;
}

/// The workgroup's least change, in order-preserving form, and the number of its exchange.
fn choose(home: u32, lane: u32, iteration: u32, aspiration: i32) -> vec2<u32> {
    let low = least_change(home, lane, iteration, aspiration);
    let own = bitcast<u32>(low) ^ 0x80000000u;
    let key = least(lane, own);
    let slot = chosen_turn;
    if own == key {
        atomicMin(&chosen[slot], lowest_number(home, lane, iteration, aspiration, low));
    }
    workgroupBarrier();
    let number = atomicLoad(&chosen[slot]);
    if lane == 0u {
        // Read before the last barrier but one, used again after the next.
        atomicStore(&chosen[1u - slot], NONE);
    }
    chosen_turn = 1u - slot;
    return vec2<u32>(key, number);
}

fn make(home: u32, exchange: Exchange, lane: u32) {
    set_vectors(exchange, lane);
    products_publish(exchange, lane);
    sync();
    for (var i = lane; i < TWICE; i += LANES) {
        set_fresh(home, exchange, i);
    }
    products_update(exchange, lane);
#if TABLE_IN_STORAGE
    sync();
#else
    workgroupBarrier();
#endif
    if lane == 0u {
        place_both(home, exchange);
    }
    for (var v = lane; v < PLACES; v += LANES) {
        diagonal[v] = diagonal_after(exchange, v);
    }
    for (var turn = 0u; turn < COLUMNS; turn++) {
        for (var chunk = 0u; chunk < CHUNKS; chunk++) {
            shift_chunk(home, turn, chunk, exchange, lane);
        }
    }
}

/// x(u) y(v) of an exchange: what it adds to m(u, p(v)).
fn gained(u: u32, v: u32) -> i32 {
#if ASYMMETRIC
    return vectors[u].x * vectors[v].y + vectors_back[u].x * vectors_back[v].y;
#else
    return vectors[u].x * vectors[v].y;
#endif
}

/// m(v, p(v)) after an exchange.
fn diagonal_after(exchange: Exchange, v: u32) -> i32 {
    var before = diagonal[v];
    if v == exchange.r {
        before = moved_rows[exchange.at_s].x;
    }
    if v == exchange.s {
        before = moved_rows[exchange.at_r].y;
    }
    return before + gained(v, v);
}

/// The change of the exchange of r (i < n) or s with facility i mod n, and when it is not tabu any more.
fn set_fresh(home: u32, exchange: Exchange, i: u32) {
    let v = around(i);
    let of_s = i >= PLACES;
    let moved = select(exchange.r, exchange.s, of_s);
    if v == moved {
        return;
    }
    let at = select(exchange.at_s, exchange.at_r, of_s);
    let at_v = place_after(exchange, v);
    let row = moved_rows[at_v];
    let column = moved_columns[v];
    let there = select(row.x, row.y, of_s) + gained(moved, v) - diagonal_after(exchange, moved);
    let back = select(column.y, column.x, of_s) + gained(v, moved) - diagonal_after(exchange, v);
    let change = there + back + entry(FLOW_CORNERS, moved, v) * entry(DISTANCE_CORNERS, at, at_v);
    var until = 0u;
#if TABU
    // What the other of both has left behind at `at` is written later.
    let left = select(exchange.s, exchange.r, of_s);
    let return_of_v = select(tabu_until(home, v, at), select(exchange.until_s, exchange.until_r, of_s), alike(v, left));
    until = min(tabu_until(home, moved, at_v), return_of_v);
    if v == exchange.r || v == exchange.s {
        until = min(exchange.until_r, exchange.until_s);
    }
    until = select(until, NEVER, alike(v, moved));
#endif
    fresh[i] = vec2<u32>(bitcast<u32>(change), until);
}

fn shift_chunk(home: u32, turn: u32, chunk: u32, exchange: Exchange, lane: u32) {
    chunk_load(home, turn * CHUNKS + chunk, lane);
    let column = column_of(turn);
    let first = first_of(chunk);
    let here = vectors[column];
    let next = column + first;
#if ASYMMETRIC
    let here_back = vectors_back[column];
#endif
    // Which of the chunk's pairs have r and s; none where that is EACH or more.
    let with_r = around(exchange.r + PLACES - column) - first;
    let with_s = around(exchange.s + PLACES - column) - first;
    let fresh_r = fresh[column];
    let fresh_s = fresh[PLACES + column];
#repeat EACH
    {
        let there = vectors[next + $iu];
        var shift = (here.x - there.x) * (here.y - there.y);
#if ASYMMETRIC
        let there_back = vectors_back[next + $iu];
        shift += (here_back.x - there_back.x) * (here_back.y - there_back.y);
#endif
        change_$i -= shift;
        if with_r == $iu {
            change_$i = bitcast<i32>(fresh_r.x);
#if TABU
            until_$i = fresh_r.y;
#endif
        }
        if with_s == $iu {
            change_$i = bitcast<i32>(fresh_s.x);
#if TABU
            until_$i = fresh_s.y;
#endif
        }
    }
#end
    if column == exchange.r || column == exchange.s {
        let side = select(0u, PLACES, column == exchange.s);
#repeat EACH
        {
            let pair = fresh[side + around(next + $iu)];
            change_$i = bitcast<i32>(pair.x);
#if TABU
            until_$i = pair.y;
#endif
        }
#end
    }
    chunk_store(home, turn * CHUNKS + chunk, lane);
}
