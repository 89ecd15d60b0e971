// Which ants' gains cannot be had together, one workgroup an ant. The cuts of an ant divide the colony's tour into paths. All cuts
// of another ant inside one of these paths: either change leaves the other's as it is, a path with the same ends, and their
// gains add up. Else, and where both cut the same edge, they conflict; docs/focused.md has the proof.
// The CPU twin is in src/kernels/splice/conflicts.rs.

#include shared/call

struct Params {
    ants: u32,
    /// Words of a row of `conflicts`.
    words: u32,
    /// Cities of a patch.
    cities: u32,
    padding_a: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> cuts: array<u32>;
/// ants x words: a bit for each ant.
@group(0) @binding(3) var<storage, read_write> conflicts: array<u32>;

override LANES: u32 = 64u;
override WORDS: u32 = 1u;

#include tsp/splice/cut_list

var<workgroup> row: array<atomic<u32>, WORDS>;

/// Whether all cuts of `other` lie inside one path between cuts of `ant`.
fn inside(ant: u32, other: u32) -> bool {
    let count = cut_count(ant);
    let others = cut_count(other);
    let first = cut_position(other, 0u);
    let last = cut_position(other, others - 1u);
    let at = cuts_below(ant, first);
    if at < count && cut_position(ant, at) == first {
        return false;
    }
    if at > 0u && at < count {
        return last < cut_position(ant, at);
    }
    // The path that leads over the tour's end.
    let low = cut_position(ant, 0u);
    let high = cut_position(ant, count - 1u);
    let below = cuts_below(other, low);
    let above = others - cuts_below(other, high + 1u);
    return below + above == others;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&row[word], 0u);
    }
    workgroupBarrier();
    if cut_count(ant) > 0u {
        for (var other = lane; other < params.ants; other += LANES) {
            if other != ant && cut_count(other) > 0u && !inside(ant, other) {
                atomicOr(&row[other >> 5u], 1u << (other & 31u));
            }
        }
    }
    workgroupBarrier();
    for (var word = lane; word < params.words; word += LANES) {
        conflicts[ant * params.words + word] = atomicLoad(&row[word]);
    }
}
