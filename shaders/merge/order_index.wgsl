// Gives each city its position in the new tour, in which the paths have moved; a unit is a position of the old tour. The CPU twin is in
// src/kernels/merge/order_index.rs.

#include shared/call

struct Params {
    all: u32,
    /// 32-bit words in a bitmask over the positions.
    words: u32,
    padding_a: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> removed_bits: array<u32>;
@group(0) @binding(3) var<storage, read> paths: array<u32>;
@group(0) @binding(4) var<storage, read> bests: array<u32>;
@group(0) @binding(5) var<storage, read_write> positions: array<u32>;

override LANES: u32 = 64u;

#include merge/path_list

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let position = call.first + id.x;
    let count = paths[0];
    if position >= call.end || count == 0u {
        return;
    }
    let path = path_of(position, count);
    let first = path_first(path);
    let offset = select(position - first, position + params.all - first, position < first);
    let goal = paths[news_at() + path];
    let begin = goal & ~REVERSED;
    let back = path_length(path, count) - 1u - offset;
    positions[bests[position]] = begin + select(offset, back, (goal & REVERSED) != 0u);
}
