// Writes each city to its position in the new tour, and clears the marks of removed edges; a unit is a city. The CPU twin is in
// src/kernels/merge/scatter.rs.

#include shared/call

struct Params {
    /// 32-bit words in a bitmask over the positions.
    words: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> paths: array<u32>;
@group(0) @binding(3) var<storage, read> positions: array<u32>;
@group(0) @binding(4) var<storage, read_write> bests: array<u32>;
@group(0) @binding(5) var<storage, read_write> removed_bits: array<u32>;

override LANES: u32 = 64u;

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let city = call.first + id.x;
    if city >= call.end || paths[0] == 0u {
        return;
    }
    bests[positions[city]] = city;
    if city < params.words {
        removed_bits[city] = 0u;
    }
}
