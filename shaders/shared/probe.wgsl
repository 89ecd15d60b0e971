// What limits a device, measured by kernels that do nothing else: a unit follows a chain of dependent reads, or (STREAM) copies
// a block of words. The Rust side and CPU twin are src/kernels/shared/probe.rs.

#include shared/call

struct Params {
    /// Reads that follow one another in a chain, or words of a block.
    length: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// For each index of the chain the next one.
@group(0) @binding(2) var<storage, read> table: array<u32>;
/// Where each unit's chain ends; copies of the blocks.
@group(0) @binding(3) var<storage, read_write> found: array<u32>;

override LANES: u32 = 32u;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let unit = call.first + group.x;
#if STREAM
    for (var i = lane; i < params.length; i += LANES) {
        found[unit * params.length + i] = table[unit * params.length + i];
    }
#else
    var place = unit;
    for (var read = 0u; read < params.length; read++) {
        place = table[place];
    }
    if lane == 0u {
        found[unit] = place;
    }
#endif
}
