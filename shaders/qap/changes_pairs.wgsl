// Changes of cost kept for every pair (Tsutsui and Fujimoto 2011, section 4.3): after an exchange of r and s those of other pairs
// take constant time (equation 5), those of pairs with r or s linear time (equation 4). An invocation updates pairs of consecutive
// numbers. With MATA those of linear time are left to invocations of their own, in other subgroups (section 5.2.2); else every
// invocation takes its pairs as they come (section 5.2.1).

#if TABLE_IN_STORAGE
#include qap/table_in_storage
#else
#include qap/table_in_workgroup
#endif

fn changes_begin(home: u32, lane: u32) {
    table_begin(home + table_at(), lane);
}

fn changes_end(home: u32, lane: u32) {
    table_end(home + table_at(), lane);
}

fn shift_change(pair: vec2<u32>, index: u32) {
    let between = vectors[pair.x] - vectors[pair.y];
    var value = table_load(index) - between.x * between.y;
#if ASYMMETRIC
    let back = vectors_back[pair.x] - vectors_back[pair.y];
    value -= back.x * back.y;
#endif
    table_store(index, value);
}

/// The least change of an invocation's allowed exchanges and its number; the order of changes is kept in an unsigned number.
fn best_of_lane(home: u32, lane: u32, iteration: u32, aspiration: i32) -> vec2<u32> {
    let n = params.facilities;
    let rows_each = LANES / n;
    let columns_each = LANES % n;
    var row = lane / n;
    var column = lane % n;
    var low = NONE;
    var who = NONE;
    while row < pair_rows() {
        let pair = pair_at(row, column);
        if pair.x != NONE {
            let index = row * n + column;
            let change = table_load(index);
            let key = bitcast<u32>(change) ^ 0x80000000u;
            let number = number_of(pair);
            if key < low || (key == low && number < who) {
#if TABU
                if change < aspiration || memory[home + barred_at() + index] <= iteration {
                    low = key;
                    who = number;
                }
#else
                low = key;
                who = number;
#endif
            }
        }
        row += rows_each;
        column += columns_each;
        if column >= n {
            column -= n;
            row += 1u;
        }
    }
    return vec2<u32>(low, who);
}

fn choose(home: u32, lane: u32, iteration: u32, aspiration: i32) -> vec2<u32> {
    let own = best_of_lane(home, lane, iteration, aspiration);
    return least_pair(lane, own.x, own.y);
}

#if TABU
/// The first iteration in which the exchange of `moved` and `other` is not tabu.
fn bar(home: u32, moved: u32, other: u32) {
    memory[home + barred_at() + pair_index(moved, other)] = exchange_until(home, moved, other);
}
#endif

/// Pairs of consecutive numbers that an invocation updates.
override SHARE: u32 = 1u;
#if MATA
/// Invocations for pairs of constant time; the others take those of linear time.
override QUICK_LANES: u32 = 32u;
#endif

fn shift_changes(r: u32, s: u32, lane: u32) {
    let n = params.facilities;
#if MATA
    if lane >= QUICK_LANES {
        for (var i = lane - QUICK_LANES; i < 2u * n; i += LANES - QUICK_LANES) {
            let other = i % n;
            let moved = select(r, s, i >= n);
            if other != r && other != s {
                table_store(pair_index(moved, other), fresh_change(min(moved, other), max(moved, other)));
            } else if i == s {
                table_store(pair_index(r, s), fresh_change(min(r, s), max(r, s)));
            }
        }
        return;
    }
#endif
    let first = lane * SHARE;
    let end = min(first + SHARE, pair_rows() * n);
    var row = first / n;
    var column = first % n;
    for (var index = first; index < end; index++) {
        let pair = pair_at(row, column);
        if pair.x == r || pair.x == s || pair.y == r || pair.y == s {
#if MATA
#else
            table_store(index, fresh_change(pair.x, pair.y));
#endif
        } else if pair.x != NONE {
            shift_change(pair, index);
        }
        column += 1u;
        if column == n {
            column = 0u;
            row += 1u;
        }
    }
}

fn make(home: u32, exchange: Exchange, lane: u32) {
    set_vectors(exchange, lane);
    sync();
    if lane == 0u {
        place[exchange.r] = exchange.at_s;
        place[exchange.s] = exchange.at_r;
#if TABU
        bar_both(home, exchange);
#endif
    }
    sync();
    shift_changes(exchange.r, exchange.s, lane);
#if TABU
    for (var u = lane; u < params.facilities; u += LANES) {
        if u != exchange.r {
            bar(home, exchange.r, u);
        }
        if u != exchange.s && u != exchange.r {
            bar(home, exchange.s, u);
        }
    }
#endif
    sync();
}
