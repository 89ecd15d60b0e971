// The tables that the search of an assignment begins with, one workgroup a facility of an ant: the table of products (PRODUCTS;
// see changes_products.wgsl) or the changes of all exchanges, no tabus but those of empty facilities, and the present
// locations.
// The CPU twin is src/kernels/qap/delta_table.rs.

#include shared/call

struct Params {
    facilities: u32,
    /// Words of a row of the table of products.
    pitch: u32,
    /// Words of an ant's memory.
    memory_words: u32,
    /// Facilities before those that stand for empty locations.
    filled: u32,
}

const NONE: u32 = 0xFFFFFFFFu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> matrices: array<u32>;
/// ants x facilities: the location of each facility.
@group(0) @binding(3) var<storage, read> tours: array<u32>;
@group(0) @binding(4) var<storage, read_write> memory: array<u32>;

override LANES: u32 = 64u;
override PLACES: u32 = 1u;

var<workgroup> place: array<u32, PLACES>;

#include qap/matrices
#if PRODUCTS
#else
#include qap/pairs
#endif
#include qap/memory
#include qap/change

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let unit = call.first + group.x;
    let n = params.facilities;
    let ant = unit / n;
    let row = unit % n;
    let home = ant * params.memory_words;
    for (var i = lane; i < n; i += LANES) {
        place[i] = tours[ant * n + i];
        memory[home + visited_at() + row * n + i] = select(0u, NEVER, row >= params.filled);
#if PRODUCTS
#else
        if row < pair_rows() {
            let pair = pair_at(row, i);
            var never = pair.x >= params.filled;
#if ALIKE
            never |= class_of(min(pair.x, n - 1u)) == class_of(min(pair.y, n - 1u));
#endif
            memory[home + barred_at() + row * n + i] = select(0u, NEVER, never && pair.x != NONE);
        }
#endif
    }
    workgroupBarrier();
    if lane == 0u {
        memory[home + row] = place[row];
    }
    let table = home + table_at();
#if PRODUCTS
    for (var location = lane; location < n; location += LANES) {
        var sum = entry(PLACING, row, location);
        for (var k = 0u; k < n; k++) {
            sum += entry(FLOWS_THERE, k, row) * entry(DISTANCES_THERE, place[k], location);
#if ASYMMETRIC
            sum += entry(FLOWS_BACK, k, row) * entry(DISTANCES_BACK, place[k], location);
#endif
        }
        memory[table + row * params.pitch + location] = bitcast<u32>(sum);
    }
#else
    for (var v = row + 1u + lane; v < n; v += LANES) {
        memory[table + pair_index(row, v)] = bitcast<u32>(fresh_change(row, v));
    }
#endif
}
