// Roulette wheel by a workgroup, in stages (Skinderowicz 2020, section 4.2.1): lanes sum classes of options, then groups of
// classes; then all lanes look up together in which group, in which of its classes and at which option the drawn share
// ends. Sums are exact, so neither the number of lanes nor the order of the visited list changes the result.

override CLASSES: u32 = 32u;
/// Classes of a group.
const GROUP: u32 = 8u;
override GROUPS: u32 = CLASSES / GROUP;

/// Twice the classes: of this step and of the next.
override SLOTS: u32 = 2u * CLASSES;

var<workgroup> class_low: array<atomic<u32>, SLOTS>;
var<workgroup> class_high: array<atomic<u32>, SLOTS>;
var<workgroup> group_sums: array<vec2<u32>, GROUPS>;

#include construct/wheel
#include construct/greediest

fn class_at(slot: u32) -> vec2<u32> {
    return wide(vec2<u32>(atomicLoad(&class_low[slot]), atomicLoad(&class_high[slot])));
}

/// The key that tells the next city, 0 when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    if is_greedy() {
        return greediest(city, lane);
    }
    let base = (step & 1u) * CLASSES;
#if LISTED
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
#else
    for (var class_ = lane; class_ < CLASSES; class_ += CREW) {
        let sum = class_sum(city, class_);
        atomicStore(&class_low[base + class_], sum.x);
        atomicStore(&class_high[base + class_], sum.y);
    }
#endif
    workgroupBarrier();
#if LISTED
    // Read in the last step, added to in the next.
    for (var class_ = lane; class_ < CLASSES; class_ += CREW) {
        atomicStore(&class_low[CLASSES - base + class_], 0u);
        atomicStore(&class_high[CLASSES - base + class_], 0u);
    }
#endif
    for (var group = lane; group < GROUPS; group += CREW) {
        var sum = vec2<u32>(0u, 0u);
        for (var i = 0u; i < GROUP; i++) {
            sum = add_wide(sum, class_at(base + group * GROUP + i));
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
    while class_ < last && !less_wide(rest, class_at(base + class_)) {
        rest = subtract_wide(rest, class_at(base + class_));
        class_++;
    }
    let next = walk_class(city, class_, rest);
    // No lane may mark the city before all have seen that it is free.
    workgroupBarrier();
    return found_city(next);
}
