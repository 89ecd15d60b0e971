// Roulette wheel by a workgroup (Skinderowicz 2020, section 4.2.1): each invocation sums a chunk of the weights, a prefix
// sum over the chunks finds the one in which the drawn share ends, and the same again inside that chunk, until a chunk is
// one option. Sums are exact, so neither the number of invocations nor the order of the tabu list changes the result.

#include tsp/construct/linear

/// Inclusive prefix sums, twice: one is read while the other is written.
var<workgroup> sums: array<vec2<u32>, 2u * CREW>;
/// Chunk and rest of the share.
var<workgroup> drawn: vec4<u32>;
#if LISTED
var<workgroup> chunk_low: array<atomic<u32>, CREW>;
var<workgroup> chunk_high: array<atomic<u32>, CREW>;
#endif

/// The sum over the chunk of this lane, in the range of `length` options from `low` on.
fn chunk_sum(city: u32, low: u32, length: u32, shift: u32, lane: u32) -> vec2<u32> {
    var sum = vec2<u32>(0u, 0u);
    let end = min((lane + 1u) << shift, length);
    for (var at = lane << shift; at < end; at++) {
        let found = indexed(city, low + at);
        if found.city != NONE {
            sum = add_wide(sum, linear(found.weight));
        }
    }
    return sum;
}

#if LISTED
/// The same over all options, by way of the tabu list, which holds the unvisited cities only.
fn chunk_sum_listed(city: u32, shift: u32, lane: u32) -> vec2<u32> {
    atomicStore(&chunk_low[lane], 0u);
    atomicStore(&chunk_high[lane], 0u);
    workgroupBarrier();
    let count = options();
    for (var i = lane; i < count; i += CREW) {
        let found = option(city, i);
        let weight = linear(found.weight);
        let chunk = found.index >> shift;
        let before = atomicAdd(&chunk_low[chunk], weight.x);
        let high = weight.y + select(0u, 1u, before + weight.x < before);
        if high != 0u {
            atomicAdd(&chunk_high[chunk], high);
        }
    }
    workgroupBarrier();
    return vec2<u32>(atomicLoad(&chunk_low[lane]), atomicLoad(&chunk_high[lane]));
}
#endif

/// The next city, or NONE when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    if is_greedy(keys, step) {
        return greediest(city, lane);
    }
    var low = 0u;
    var length = span();
    var rest = vec2<u32>(0u, 0u);
    while true {
        var shift = 0u;
        while ((length - 1u) >> shift) >= CREW {
            shift++;
        }
        var sum = vec2<u32>(0u, 0u);
#if LISTED
        if length == span() {
            sum = chunk_sum_listed(city, shift, lane);
        } else {
            sum = chunk_sum(city, low, length, shift, lane);
        }
#else
        sum = chunk_sum(city, low, length, shift, lane);
#endif
        var half = 0u;
        sums[lane] = sum;
        var prefix = sum;
        for (var reach = 1u; reach < CREW; reach = reach << 1u) {
            workgroupBarrier();
            if lane >= reach {
                prefix = add_wide(prefix, sums[half + lane - reach]);
            }
            half = CREW - half;
            sums[half + lane] = prefix;
        }
        workgroupBarrier();
        if length == span() {
            let total = sums[half + CREW - 1u];
            if (total.x | total.y) == 0u {
                // Nobody may write the sums of the next step before all have read these.
                workgroupBarrier();
                return NONE;
            }
            rest = share_of(total, random_word(keys.yx, NONE - step));
        }
        let before = subtract_wide(prefix, sum);
        if less_wide(rest, prefix) && !less_wide(rest, before) {
            let left = subtract_wide(rest, before);
            drawn = vec4<u32>(lane, left.x, left.y, 0u);
        }
        workgroupBarrier();
        let chunk = drawn.x;
        rest = drawn.yz;
        if shift == 0u {
            return city_of(city, low + chunk);
        }
        low += chunk << shift;
        length = min(1u << shift, length - (chunk << shift));
    }
    return NONE;
}

#include tsp/construct/greediest
