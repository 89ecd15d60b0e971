// As least.wgsl, but subgroups find their minima first; these are kept in two sets of slots used in turn.
// The kernel that includes this has LANES invocations a workgroup, a multiple of SUBGROUP.

/// Lanes of a subgroup.
override SUBGROUP: u32 = 32u;
override LEAST_PARTS: u32 = LANES / SUBGROUP;
override LEAST_SLOTS: u32 = 2u * LEAST_PARTS;

var<workgroup> lows: array<vec2<u32>, LEAST_SLOTS>;
var<private> low_turn: u32 = 0u;

fn least_begin(lane: u32) {
}

/// The least value of the workgroup.
fn least(lane: u32, value: u32) -> u32 {
    let part = subgroupMin(value);
    let slots = low_turn * LEAST_PARTS;
    let place = lane % SUBGROUP;
    if LEAST_PARTS > 1u && place == 0u {
        lows[slots + lane / SUBGROUP].x = part;
    }
    low_turn = 1u - low_turn;
    workgroupBarrier();
    if LEAST_PARTS == 1u {
        return part;
    }
    // All lanes go through the loop equally often, so that they find the minimum together.
    var low = 0xFFFFFFFFu;
    for (var first = 0u; first < LEAST_PARTS; first += SUBGROUP) {
        low = min(low, lows[slots + min(first + place, LEAST_PARTS - 1u)].x);
    }
    return subgroupMin(low);
}

/// The least pair of the workgroup, ordered by `key`, then by `who`.
fn least_pair(lane: u32, key: u32, who: u32) -> vec2<u32> {
    let part_key = subgroupMin(key);
    let part_who = subgroupMin(select(0xFFFFFFFFu, who, key == part_key));
    let slots = low_turn * LEAST_PARTS;
    let place = lane % SUBGROUP;
    if LEAST_PARTS > 1u && place == 0u {
        lows[slots + lane / SUBGROUP] = vec2<u32>(part_key, part_who);
    }
    low_turn = 1u - low_turn;
    workgroupBarrier();
    if LEAST_PARTS == 1u {
        return vec2<u32>(part_key, part_who);
    }
    var low = vec2<u32>(0xFFFFFFFFu, 0xFFFFFFFFu);
    // As above.
    for (var first = 0u; first < LEAST_PARTS; first += SUBGROUP) {
        let other = lows[slots + min(first + place, LEAST_PARTS - 1u)];
        if other.x < low.x || (other.x == low.x && other.y < low.y) {
            low = other;
        }
    }
    let least_key = subgroupMin(low.x);
    return vec2<u32>(least_key, subgroupMin(select(0xFFFFFFFFu, low.y, low.x == least_key)));
}
