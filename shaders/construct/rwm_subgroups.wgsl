// Roulette wheel by a workgroup of whole subgroups: as rwm_workgroup, with prefix sums inside subgroups, and with the same result.

override CLASSES: u32 = 32u;
/// Classes of a lane.
override CLASSES_EACH: u32 = max(CLASSES / CREW, 1u);

/// The sum of each subgroup, and the drawn lane with the rest of the share.
var<workgroup> part_sums: array<vec2<u32>, PARTS>;
var<workgroup> drawn: vec3<u32>;
#if LISTED
/// Twice the classes: of this step and of the next.
override SLOTS: u32 = 2u * CLASSES;

var<workgroup> class_low: array<atomic<u32>, SLOTS>;
var<workgroup> class_high: array<atomic<u32>, SLOTS>;
#endif

#include construct/wheel
#include construct/greediest

fn scan_step(sum: vec2<u32>, reach: u32, place: u32) -> vec2<u32> {
    let below = vec2<u32>(subgroupShuffleUp(sum.x, reach), subgroupShuffleUp(sum.y, reach));
    return select(sum, add_wide(sum, below), vec2<bool>(place >= reach));
}

/// Inclusive prefix sums inside a subgroup; those of the first `places` lanes are right.
fn scan(value: vec2<u32>, place: u32, places: u32) -> vec2<u32> {
    var sum = scan_step(value, 1u, place);
    if SUBGROUP > 2u && places > 2u {
        sum = scan_step(sum, 2u, place);
    }
    if SUBGROUP > 4u && places > 4u {
        sum = scan_step(sum, 4u, place);
    }
    if SUBGROUP > 8u && places > 8u {
        sum = scan_step(sum, 8u, place);
    }
    if SUBGROUP > 16u && places > 16u {
        sum = scan_step(sum, 16u, place);
    }
    if SUBGROUP > 32u && places > 32u {
        sum = scan_step(sum, 32u, place);
    }
    return sum;
}

fn at_place(value: vec2<u32>, place: u32) -> vec2<u32> {
    return vec2<u32>(subgroupShuffle(value.x, place), subgroupShuffle(value.y, place));
}

/// The option of a class in which a share of the class's sum ends: the items of the class side by side.
fn find_in_class(city: u32, class_: u32, share: vec2<u32>, place: u32) -> u32 {
    var rest = share;
    // Items of the class, rounded up.
    let count = (items() + CLASSES - 1u) / CLASSES;
    for (var base = class_; base < items(); base += SUBGROUP * CLASSES) {
        let item = base + place * CLASSES;
        var long = vec4<u32>(0u);
        if item < items() {
            long = item_weights(city, item);
        }
        let first = wide(long.xy);
        let both = add_wide(first, wide(long.zw));
        let prefix = scan(both, place, min(count, SUBGROUP));
        let before = subtract_wide(prefix, both);
        let ends = less_wide(rest, prefix) && !less_wide(rest, before);
        let found = subgroupMin(select(NONE, place, ends));
        if found != NONE {
            let second = select(1u, 0u, less_wide(subtract_wide(rest, before), first));
            return item_city(city, base + found * CLASSES, subgroupShuffle(second, found));
        }
        rest = subtract_wide(rest, at_place(prefix, SUBGROUP - 1u));
    }
    return NONE;
}

/// The key that tells the next city, 0 when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    if is_greedy() {
        return greediest(city, lane);
    }
    let place = lane % SUBGROUP;
#if LISTED
    let base = (step & 1u) * CLASSES;
    let count = options();
    for (var i = lane; i < count; i += CREW) {
        let found = option(city, i);
        let long = long_linear(found.weight);
        let slot = base + ((found.index >> 1u) & (CLASSES - 1u));
        if long.x != 0u {
            atomicAdd(&class_low[slot], long.x);
        }
        if long.y != 0u {
            atomicAdd(&class_high[slot], long.y);
        }
    }
    workgroupBarrier();
    // Read in the last step, added to in the next.
    for (var class_ = lane; class_ < CLASSES; class_ += CREW) {
        atomicStore(&class_low[CLASSES - base + class_], 0u);
        atomicStore(&class_high[CLASSES - base + class_], 0u);
    }
#endif
    let mine = lane * CLASSES_EACH;
    var sum = vec2<u32>(0u, 0u);
    if mine < CLASSES {
        for (var i = 0u; i < CLASSES_EACH; i++) {
#if LISTED
            let slot = base + mine + i;
            sum = add_wide(sum, wide(vec2<u32>(atomicLoad(&class_low[slot]), atomicLoad(&class_high[slot]))));
#else
            sum = add_wide(sum, wide(class_sum(city, mine + i)));
#endif
        }
    }
    var prefix = scan(sum, place, SUBGROUP);
    var total = at_place(prefix, SUBGROUP - 1u);
    if PARTS > 1u {
        if place == 0u {
            part_sums[lane / SUBGROUP] = total;
        }
        workgroupBarrier();
        total = vec2<u32>(0u, 0u);
        var below = total;
        for (var part = 0u; part < PARTS; part++) {
            if part == lane / SUBGROUP {
                below = total;
            }
            total = add_wide(total, part_sums[part]);
        }
        prefix = add_wide(prefix, below);
    }
    if (total.x | total.y) == 0u {
        return 0u;
    }
    let share = share_of(total, random_word(keys.yx, NONE - step));
    let before = subtract_wide(prefix, sum);
    let ends = less_wide(share, prefix) && !less_wide(share, before);
    var rest = subtract_wide(share, before);
    var winner = 0u;
    if PARTS > 1u {
        if ends {
            drawn = vec3<u32>(lane, rest);
        }
        workgroupBarrier();
        winner = drawn.x;
        rest = drawn.yz;
    } else {
        winner = subgroupMin(select(NONE, lane, ends));
        rest = at_place(rest, winner);
    }
    var class_ = winner * CLASSES_EACH;
    for (var i = 1u; i < CLASSES_EACH; i++) {
        let first = wide(class_sum(city, class_));
        if less_wide(rest, first) {
            break;
        }
        rest = subtract_wide(rest, first);
        class_++;
    }
    var next = 0u;
    if items() <= CLASSES {
        let first = wide(item_weights(city, class_).xy);
        next = item_city(city, class_, select(1u, 0u, less_wide(rest, first)));
    } else {
        next = find_in_class(city, class_, rest, place);
    }
    // No lane may mark the city before all have seen that it is free.
    workgroupBarrier();
    return found_city(next);
}
