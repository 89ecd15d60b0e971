// Roulette wheel by a workgroup, in stages (Skinderowicz 2020, section 4.2.1): lanes sum classes of options, then groups of
// classes; then all lanes look up together in which group, in which of its classes and at which option the drawn share
// ends. Sums are exact, so neither the number of lanes nor the order of the visited list changes the result.

override CLASSES: u32 = 32u;
/// Classes of a group.
const GROUP: u32 = 8u;
override GROUPS: u32 = CLASSES / GROUP;

var<workgroup> group_sums: array<vec2<u32>, GROUPS>;

#include construct/wheel
#include construct/greediest
#if LISTED
#include construct/class_sums

fn class_at(class_: u32) -> vec2<u32> {
    return listed_sum(class_);
}
#else
var<workgroup> class_sums: array<vec2<u32>, CLASSES>;

fn class_at(class_: u32) -> vec2<u32> {
    return class_sums[class_];
}
#endif

/// The key that tells the next city, 0 when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    if is_greedy() {
        return greediest(city, lane);
    }
#if LISTED
    add_options(city, lane);
#else
    for (var class_ = lane; class_ < CLASSES; class_ += CREW) {
        class_sums[class_] = class_sum(city, class_);
    }
#endif
    workgroupBarrier();
    for (var group = lane; group < GROUPS; group += CREW) {
        var sum = vec2<u32>(0u, 0u);
        for (var i = 0u; i < GROUP; i++) {
            sum = add_wide(sum, class_at(group * GROUP + i));
        }
        group_sums[group] = sum;
    }
    workgroupBarrier();
    var total = vec2<u32>(0u, 0u);
    for (var group = 0u; group < GROUPS; group++) {
        total = add_wide(total, group_sums[group]);
    }
    if (total.x | total.y) == 0u {
        return 0u;
    }
    var rest = share_of(total, random_word(keys.yx, NONE - step));
    var group = 0u;
    while group + 1u < GROUPS && !less_wide(rest, group_sums[group]) {
        rest = subtract_wide(rest, group_sums[group]);
        group++;
    }
    var class_ = group * GROUP;
    let last = class_ + GROUP - 1u;
    while class_ < last && !less_wide(rest, class_at(class_)) {
        rest = subtract_wide(rest, class_at(class_));
        class_++;
    }
    let next = walk_class(city, class_, rest);
    // No lane may mark the city before all have seen that it is free, nor clear sums before all have read them.
    workgroupBarrier();
#if LISTED
    clear_sums(lane);
#endif
    return found_city(next);
}
