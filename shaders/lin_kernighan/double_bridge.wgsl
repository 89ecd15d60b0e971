// Kicks by a double bridge (Martin, Otto and Felten 1991) of segments that lie close together (Applegate, Cook and Rohe 2003), for
// `lin_kernighan/chained`: of three short segments, one behind the other, the first and the last change places. A journal has every reversal
// since the last kick, so that all can be taken back. The twin is in src/kernels/lin_kernighan/chained.rs.

#include lin_kernighan/journal

/// Reversals since the last kick: first position and length; and how many there are.
var<workgroup> journal: array<vec2<u32>, JOURNAL>;
var<private> journalled: u32;

/// Notes a reversal in the journal.
fn note_span(what: vec2<u32>, lane: u32) {
    if lane == 0u && journalled < JOURNAL {
        journal[journalled] = what;
    }
    journalled += 1u;
}

/// Reverses `length` cities from a position on.
fn reverse_span(first: u32, length: u32, lane: u32) {
    spent += reverse(first, ring(first + length - 1u), length, lane);
}

/// Takes back everything in the journal.
fn take_back(lane: u32) {
    while journalled > 0u {
        journalled -= 1u;
        spent += 1u;
        let what = journal[journalled];
        reverse_span(what.x, what.y, lane);
    }
}

/// A reversal of a kick.
fn kick_span(first: u32, length: u32, lane: u32) {
    note_span(vec2<u32>(first, length), lane);
    reverse_span(first, length, lane);
}

/// The most cities of a segment.
fn kick_length() -> u32 {
#if OWN_SIZE
    return own.kick_length;
#else
    return params.kick_length;
#endif
}

/// What a kick adds to the tour's length, wrapping.
var<private> kick_cost: u32;

/// Makes a kick; whether there was one: no edge that must stay is removed.
fn kick(keys: vec2<u32>, number: u32, lane: u32) -> bool {
    let first = mul_high(random_word(keys, 4u * number), tour_size());
    let a = 1u + mul_high(random_word(keys, 4u * number + 1u), kick_length());
    let b = 1u + mul_high(random_word(keys, 4u * number + 2u), kick_length());
    let c = 1u + mul_high(random_word(keys, 4u * number + 3u), kick_length());
    // The ends of the edges that are removed; loops, so that compilers make one copy of what they hold.
    var ends = array<u32, 8>(
        city_at(ring(first + tour_size() - 1u)),
        city_at(first),
        city_at(ring(first + a - 1u)),
        city_at(ring(first + a)),
        city_at(ring(first + a + b - 1u)),
        city_at(ring(first + a + b)),
        city_at(ring(first + a + b + c - 1u)),
        city_at(ring(first + a + b + c)),
    );
    kick_cost = 0u;
    var stays = false;
    for (var edge = 0u; edge < 8u; edge += 2u) {
        let u = ends[edge];
        let v = ends[edge + 1u];
        stays = stays || is_fixed(u, v);
        kick_cost += distance(ends[(8u - edge) & 7u], ends[(13u - edge) & 7u]) - distance(u, v);
    }
    if stays {
        return false;
    }
    // All of them backwards, then each forwards again.
    var at = first;
    var length = a + b + c;
    for (var part = 0u; part < 4u; part++) {
        kick_span(at, length, lane);
        at = ring(at + select(length, 0u, part == 0u));
        length = select(select(a, b, part == 1u), c, part == 0u);
    }
    if lane == 0u {
        for (var end = 0u; end < 8u; end++) {
            enqueue(ends[end]);
        }
    }
    barrier();
    return true;
}
