// Finds which windows conflict: their gains cannot both be taken over. One workgroup a window. The edges that a window removes divide the
// colony's tour into paths. Where all edges that another window removes lie inside one of these paths, the two changes are independent and
// their gains add up. Otherwise, and where both remove the same edge, they conflict; docs/algorithms/windows.md has the proof.
// The CPU twin is in src/kernels/merge/conflicts.rs.

#include shared/call

struct Params {
    windows: u32,
    /// Words of a row of `conflicts`.
    words: u32,
    /// Cities of a window.
    cities: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> removed: array<u32>;
/// windows x words: a bit for each window.
@group(0) @binding(3) var<storage, read_write> conflicts: array<u32>;

override LANES: u32 = 64u;
override WORDS: u32 = 1u;

#include merge/removed_list

var<workgroup> row: array<atomic<u32>, WORDS>;

/// Whether all edges that `other` removes lie inside one path between those that `number` removes.
fn inside(number: u32, other: u32) -> bool {
    let count = removed_count(number);
    let others = removed_count(other);
    let first = removed_position(other, 0u);
    let last = removed_position(other, others - 1u);
    let at = removed_below(number, first);
    if at < count && removed_position(number, at) == first {
        return false;
    }
    if at > 0u && at < count {
        return last < removed_position(number, at);
    }
    // Edges on the path that leads over the tour's end.
    let low = removed_position(number, 0u);
    let high = removed_position(number, count - 1u);
    let below = removed_below(other, low);
    let above = others - removed_below(other, high + 1u);
    return below + above == others;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = call.first + group.x;
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&row[word], 0u);
    }
    workgroupBarrier();
    if removed_count(number) > 0u {
        for (var other = lane; other < params.windows; other += LANES) {
            if other != number && removed_count(other) > 0u && !inside(number, other) {
                atomicOr(&row[other >> 5u], 1u << (other & 31u));
            }
        }
    }
    workgroupBarrier();
    for (var word = lane; word < params.words; word += LANES) {
        conflicts[number * params.words + word] = atomicLoad(&row[word]);
    }
}
