// Changes of cost from a table of products (move evaluation `products`): each exchange takes constant time.
//
// m(u, l) is the sum over all k of a(k, u) b(p(k), l), both directions together, and what placing u at l costs by itself. An exchange
// of u and v adds m(u, p(v)) + m(v, p(u)) - m(u, p(u)) - m(v, p(v)) and the corner. When r and s have been exchanged, x(u) z(l) is
// added to each entry, z(l) being the distance from the new location of r to l less that from its old one; y(v) is z(p(v)).
//
// The change of a pair stays with one invocation. Facilities lie on a circle: a column are the pairs of a facility with those 1 to n/2
// places on, and its GROUPS invocations, one beside the other, have CHUNKS times EACH of them; what is more than that are pairs that
// others have, too. Pairs without r or s are shifted (Tsutsui and Fujimoto 2011, equation 5); those with come through `fresh` from
// the rows of r and s, the columns of their locations and the diagonal m(v, p(v)), all as they were before the exchange.
//
// Which pairs of a chunk are tabu is one word, `barred`. The end of a tabu is read when it begins, with an exchange of one of its
// facilities, and when one of the chunk may have ended: few pairs are tabu at a time.

/// Columns of an invocation, where there are fewer invocations than facilities.
override COLUMNS: u32 = 1u;
/// Invocations of a column.
override GROUPS: u32 = 1u;
/// Chunks of EACH pairs that an invocation has of a column.
override CHUNKS: u32 = 1u;
override EACH: u32 = 1u;
override PITCH: u32 = PLACES | 1u;
override TWICE: u32 = 2u * PLACES;
override FOUR_TIMES: u32 = 4u * PLACES;

/// m(v, p(v)).
var<workgroup> diagonal: array<i32, PLACES>;
/// For each facility the change of its exchange with r, and when that is not tabu any more, on two turns of the circle; then with s.
var<workgroup> fresh: array<vec2<u32>, FOUR_TIMES>;
/// Numbers of chosen exchanges, in turns.
var<workgroup> chosen: array<atomic<u32>, 2>;
var<private> chosen_turn: u32 = 0u;
/// The invocation's first column, and which of its invocations it is; those that are too many do what others do.
var<private> own_column: u32;
var<private> own_group: u32;

// The chunk at hand.
#repeat EACH
var<private> change_$i: i32;
#end
#if TABU
/// Which of its pairs are tabu, a bit each, and which of them always are.
var<private> barred: u32;
var<private> never: u32;
/// No other tabu of the chunk ends before this iteration.
var<private> soonest: u32;
#endif

#if TABLE_IN_STORAGE
#include qap/products_in_storage
#else
#if TABLE_IN_REGISTERS
#include qap/products_in_registers
#else
#include qap/products_in_workgroup
#endif
#endif

#if TABLE_IN_STORAGE
/// Words that are kept of a chunk.
override KEPT: u32 = EACH + 3u;

/// Where a word of chunk `index` of an invocation is kept, those of all invocations side by side.
fn kept(home: u32, index: u32, word: u32, lane: u32) -> u32 {
    return home + kept_at() + (index * KEPT + word) * LANES + lane;
}
#endif

/// Fetches chunk `index` of an invocation; where the table is not in storage its only one stays in its registers.
fn chunk_load(home: u32, index: u32, lane: u32) {
#if TABLE_IN_STORAGE
#repeat EACH
    change_$i = bitcast<i32>(memory[kept(home, index, $iu, lane)]);
#end
#if TABU
    barred = memory[kept(home, index, EACH, lane)];
    soonest = memory[kept(home, index, EACH + 1u, lane)];
    never = memory[kept(home, index, EACH + 2u, lane)];
#endif
#endif
}

fn chunk_store(home: u32, index: u32, lane: u32) {
#if TABLE_IN_STORAGE
#repeat EACH
    memory[kept(home, index, $iu, lane)] = bitcast<u32>(change_$i);
#end
#if TABU
    barred_store(home, index, lane);
#endif
#endif
}

#if TABU
fn barred_store(home: u32, index: u32, lane: u32) {
#if TABLE_IN_STORAGE
    memory[kept(home, index, EACH, lane)] = barred;
    memory[kept(home, index, EACH + 1u, lane)] = soonest;
#endif
}
#endif

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
    own_column = min(lane / GROUPS, PLACES - 1u);
    own_group = lane % GROUPS;
    products_begin(home, lane);
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
            }
#end
#if TABU
            never = 0u;
#repeat EACH
            never |= select(0u, 1u << $iu, always_tabu(u, around(u + first + $iu)));
#end
            // All are looked at in the first iteration.
            barred = NONE >> (32u - EACH);
            soonest = 0u;
#if TABLE_IN_STORAGE
            memory[kept(home, turn * CHUNKS + chunk, EACH + 2u, lane)] = never;
#endif
#endif
            chunk_store(home, turn * CHUNKS + chunk, lane);
        }
    }
}

fn changes_end(home: u32, lane: u32) {
    products_end(home, lane);
}

#if TABU
/// Clears the bits of pairs of a chunk whose tabu has ended.
fn release(home: u32, turn: u32, chunk: u32, lane: u32, iteration: u32) {
    let column = column_of(turn);
    let next = column + first_of(chunk);
    soonest = NONE;
    var rest = barred & ~never;
    while rest != 0u {
        let i = countTrailingZeros(rest);
        rest &= rest - 1u;
        let until = exchange_until(home, column, around(next + i));
        if until <= iteration {
            barred &= ~(1u << i);
        } else {
            soonest = min(soonest, until);
        }
    }
    barred_store(home, turn * CHUNKS + chunk, lane);
}
#endif

/// The least change of the invocation's exchanges that are allowed, once tabus have ended that do.
fn least_change(home: u32, lane: u32, iteration: u32, aspiration: i32) -> i32 {
    var low = 0x7FFFFFFF;
    for (var turn = 0u; turn < COLUMNS; turn++) {
        for (var chunk = 0u; chunk < CHUNKS; chunk++) {
            chunk_load(home, turn * CHUNKS + chunk, lane);
#if TABU
            if soonest <= iteration {
                release(home, turn, chunk, lane, iteration);
            }
            var low_of_all = 0x7FFFFFFF;
#repeat EACH
            low_of_all = min(low_of_all, change_$i);
            low = min(low, select(change_$i, 0x7FFFFFFF, (barred & (1u << $iu)) != 0u));
#end
            low = select(low, min(low, low_of_all), low_of_all < aspiration);
#else
#repeat EACH
            low = min(low, change_$i);
#end
#endif
        }
    }
    return low;
}

/// The lowest number of the invocation's allowed exchanges whose change is `low`.
fn lowest_number(home: u32, lane: u32, aspiration: i32, low: i32) -> u32 {
    var number = NONE;
    for (var turn = 0u; turn < COLUMNS; turn++) {
        for (var chunk = 0u; chunk < CHUNKS; chunk++) {
            chunk_load(home, turn * CHUNKS + chunk, lane);
            let column = column_of(turn);
            let next = column + first_of(chunk);
            var found = 0u;
#repeat EACH
            found |= select(0u, 1u << $iu, change_$i == low);
#end
#if TABU
            found &= select(~barred, NONE, low < aspiration);
#endif
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
        atomicMin(&chosen[slot], lowest_number(home, lane, aspiration, low));
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
    products_show(exchange, lane);
#if TABLE_IN_STORAGE
    sync();
#else
    workgroupBarrier();
#endif
    for (var v = lane; v < PLACES; v += LANES) {
        set_fresh(home, exchange, v);
    }
#if TABU
    if lane == 0u {
        bar_both(home, exchange);
    }
#endif
    sync();
    products_update(exchange, lane);
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

/// Moves facility v if it is r or s, and brings m(v, p(v)) up to date; the changes of its exchanges with r and s, and when these are not tabu any
/// more.
fn set_fresh(home: u32, exchange: Exchange, v: u32) {
    let r = exchange.r;
    let s = exchange.s;
    let at_v = place_after(exchange, v);
    place[v] = at_v;
    let own_r = moved_row(exchange, exchange.at_s).x + gained(r, r);
    let own_s = moved_row(exchange, exchange.at_r).y + gained(s, s);
    let own_v = select(select(diagonal[v] + gained(v, v), own_s, v == s), own_r, v == r);
    diagonal[v] = own_v;
    let row = moved_row(exchange, at_v);
    let column = moved_column(exchange, v);
    var with_r = row.x + gained(r, v) - own_r + column.y + gained(v, r) - own_v;
    var with_s = row.y + gained(s, v) - own_s + column.x + gained(v, s) - own_v;
    with_r += entry(FLOW_CORNERS, r, v) * entry(DISTANCE_CORNERS, exchange.at_s, at_v);
    with_s += entry(FLOW_CORNERS, s, v) * entry(DISTANCE_CORNERS, exchange.at_r, at_v);
    var until_r = 0u;
    var until_s = 0u;
#if TABU
    // What both leave behind is written meanwhile and read by nobody.
    let like_r = alike(v, r);
    let like_s = alike(v, s);
    let r_back = tabu_until(home, r, select(at_v, exchange.at_s, v == s));
    let s_back = tabu_until(home, s, select(at_v, exchange.at_r, v == r));
    let to_r = select(tabu_until(home, v, select(exchange.at_s, at_v, like_s)), exchange.until_s, like_s);
    let to_s = select(tabu_until(home, v, select(exchange.at_r, at_v, like_r)), exchange.until_r, like_r);
    let both = select(min(exchange.until_r, exchange.until_s), NEVER, alike(r, s));
    until_r = select(select(min(r_back, to_r), NEVER, like_r), both, v == s);
    until_s = select(select(min(s_back, to_s), NEVER, like_s), both, v == r);
#endif
    let fresh_r = vec2<u32>(bitcast<u32>(with_r), until_r);
    let fresh_s = vec2<u32>(bitcast<u32>(with_s), until_s);
    fresh[v] = fresh_r;
    fresh[PLACES + v] = fresh_r;
    fresh[TWICE + v] = fresh_s;
    fresh[TWICE + PLACES + v] = fresh_s;
}

fn shift_chunk(home: u32, turn: u32, chunk: u32, exchange: Exchange, lane: u32) {
    chunk_load(home, turn * CHUNKS + chunk, lane);
    let column = column_of(turn);
    let first = first_of(chunk);
    let next = column + first;
    let here = vectors[column];
#if ASYMMETRIC
    let here_back = vectors_back[column];
#endif
#repeat EACH
    {
        let there = vectors[next + $iu];
        var shift = (here.x - there.x) * (here.y - there.y);
#if ASYMMETRIC
        let there_back = vectors_back[next + $iu];
        shift += (here_back.x - there_back.x) * (here_back.y - there_back.y);
#endif
        change_$i -= shift;
    }
#end
    // Which of the chunk's pairs has r, and which s; tests of one after the other need few instructions.
    let with_r = around(exchange.r + PLACES - column) - first;
    let with_s = around(exchange.s + PLACES - column) - first;
    let has_r = select(0u, 1u << (with_r & 31u), with_r < EACH);
    let has_s = select(0u, 1u << (with_s & 31u), with_s < EACH);
    let fresh_r = fresh[column];
    let fresh_s = fresh[TWICE + column];
#repeat EACH
    change_$i = select(change_$i, bitcast<i32>(fresh_r.x), (has_r & (1u << $iu)) != 0u);
#end
#repeat EACH
    change_$i = select(change_$i, bitcast<i32>(fresh_s.x), (has_s & (1u << $iu)) != 0u);
#end
#if TABU
    let now_r = select(0u, has_r, fresh_r.y > exchange.next);
    let now_s = select(0u, has_s, fresh_s.y > exchange.next);
    barred = (barred & ~(has_r | has_s)) | now_r | now_s;
    soonest = min(soonest, min(select(NONE, fresh_r.y, now_r != 0u), select(NONE, fresh_s.y, now_s != 0u)));
#endif
    if column == exchange.r || column == exchange.s {
        let begin = select(0u, TWICE, column == exchange.s) + next;
#if TABU
        barred = 0u;
        soonest = NONE;
#endif
#repeat EACH
        {
            let pair = fresh[begin + $iu];
            change_$i = bitcast<i32>(pair.x);
#if TABU
            if pair.y > exchange.next {
                barred |= 1u << $iu;
                soonest = min(soonest, pair.y);
            }
#endif
        }
#end
    }
    chunk_store(home, turn * CHUNKS + chunk, lane);
}
