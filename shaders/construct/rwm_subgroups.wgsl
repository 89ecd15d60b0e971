// Roulette wheel by a workgroup of whole subgroups: as rwm_workgroup, with prefix sums inside subgroups, and with the same result.

override CLASSES: u32 = 32u;
/// Classes of a lane.
override CLASSES_EACH: u32 = max(CLASSES / CREW, 1u);

/// Of several subgroups one lane finds the drawn item of its class alone where a class has so many items or fewer, while the others wait; else its
/// subgroup does.
override FEW: u32 = 2u;

/// The sum of each subgroup, and the city that one of them has found.
var<workgroup> part_sums: array<vec2<u32>, PARTS>;
var<workgroup> found_by_one: u32;

#include construct/wheel
#include construct/greediest
#if LISTED
#include construct/class_sums
#endif

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
        var weighed = Item(vec3<u32>(0u), vec3<u32>(0u));
        if item < items() {
            weighed = item_at(city, item);
        }
        let first = wide(weighed.first);
        let both = wide(weighed.first + weighed.second);
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

/// The class of a lane in which a share of the lane's sum ends, behind what is left of the share there.
fn class_of(city: u32, share: vec2<u32>, lane: u32) -> vec3<u32> {
    var rest = share;
    var class_ = lane * CLASSES_EACH;
    for (var i = 1u; i < CLASSES_EACH; i++) {
        let first = class_sum(city, class_);
        if less_wide(rest, first) {
            break;
        }
        rest = subtract_wide(rest, first);
        class_++;
    }
    return vec3<u32>(rest, class_);
}

/// The option in which a share of a lane's sum ends: the lanes of its subgroup look together.
fn find_together(city: u32, share: vec2<u32>, winner: u32, place: u32) -> u32 {
    let found = class_of(city, share, winner);
    if items() <= CLASSES {
        let first = wide(item_at(city, found.z).first);
        return item_city(city, found.z, select(1u, 0u, less_wide(found.xy, first)));
    }
    return find_in_class(city, found.z, found.xy, place);
}

/// The key that tells the next city, 0 when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    if is_greedy() {
        return greediest(city, lane);
    }
    let place = lane % SUBGROUP;
#if LISTED
    add_options(city, lane);
    workgroupBarrier();
#endif
    let mine = lane * CLASSES_EACH;
    var sum = vec2<u32>(0u, 0u);
    if mine < CLASSES {
        for (var i = 0u; i < CLASSES_EACH; i++) {
#if LISTED
            // No other lane reads it, and none adds to it before the next step.
            sum = add_wide(sum, listed_sum(mine + i));
            clear_sum(mine + i);
#else
            sum = add_wide(sum, class_sum(city, mine + i));
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
    let rest = subtract_wide(share, before);
    var next = NONE;
    if PARTS > 1u && items() <= FEW * CLASSES {
        if ends {
            let found = class_of(city, rest, lane);
            found_by_one = walk_class(city, found.z, found.xy);
        }
    } else {
        let winner = subgroupMin(select(NONE, lane, ends));
        if PARTS == 1u || winner != NONE {
            next = find_together(city, at_place(rest, winner % SUBGROUP), winner, place);
            if PARTS > 1u && place == 0u {
                found_by_one = next;
            }
        }
    }
    // No lane may mark the city before all have seen that it is free.
    workgroupBarrier();
    if PARTS > 1u {
        next = found_by_one;
    }
    return found_city(next);
}
