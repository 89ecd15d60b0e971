// Changes of cost kept for every pair (Tsutsui and Fujimoto 2011, section 4.3): after an exchange of r and s those of other pairs
// take constant time (equation 5), those of pairs with r or s linear time (equation 4). An invocation updates pairs of consecutive
// numbers. With MATA those of linear time are left to invocations of their own, in other subgroups (section 5.2.2); else every
// invocation takes its pairs as they come (section 5.2.1).

fn changes_begin(lane: u32) {
}

fn change_of(pair: vec2<u32>, index: u32) -> i32 {
    return table_load(index);
}

fn changes_prepare(r: u32, s: u32, lane: u32) {
}

fn shift_change(pair: vec2<u32>, index: u32) {
    var value = table_load(index) - (x[pair.x] - x[pair.y]) * (y[pair.x] - y[pair.y]);
#if ASYMMETRIC
    value -= (x_back[pair.x] - x_back[pair.y]) * (y_back[pair.x] - y_back[pair.y]);
#endif
    table_store(index, value);
}

/// Pairs of consecutive numbers that an invocation updates.
override SHARE: u32 = 1u;
#if MATA
/// Invocations for pairs of constant time; the others take those of linear time.
override QUICK_LANES: u32 = 32u;
#endif

fn changes_update(r: u32, s: u32, lane: u32) {
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
