// The tables that the search of an assignment begins with, one workgroup some facilities of an ant: the table of products (PRODUCTS;
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
    /// Ants of a problem, and words of its matrices.
    ants: u32,
    matrix_words: u32,
    /// Facilities of a workgroup, and workgroups of an ant.
    rows: u32,
    parts: u32,
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

#if PRODUCTS
/// m(u, l) of a facility and a location.
fn product_of(facility: u32, location: u32) -> i32 {
    var sum = entry(PLACING, facility, location);
    for (var k = 0u; k < params.facilities; k++) {
        sum += entry(FLOWS_THERE, k, facility) * entry(DISTANCES_THERE, place[k], location);
#if ASYMMETRIC
        sum += entry(FLOWS_BACK, k, facility) * entry(DISTANCES_BACK, place[k], location);
#endif
    }
    return sum;
}
#endif

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let unit = call.first + group.x;
    let n = params.facilities;
    let ant = unit / params.parts;
    let first = unit % params.parts * params.rows;
    let end = min(first + params.rows, n);
    begin_problem(ant);
    let home = ant * params.memory_words;
    for (var u = lane; u < n; u += LANES) {
        place[u] = tours[ant * n + u];
    }
    workgroupBarrier();
    for (var row = first + lane; row < end; row += LANES) {
        memory[home + row] = place[row];
    }
    // Entries of its rows, one after the other.
    for (var entry_at = first * n + lane; entry_at < end * n; entry_at += LANES) {
        let row = entry_at / n;
        let column = entry_at % n;
        memory[home + visited_at() + entry_at] = select(0u, NEVER, row >= params.filled);
#if PRODUCTS
        memory[home + table_at() + row * params.pitch + column] = bitcast<u32>(product_of(row, column));
#else
        if row < pair_rows() {
            let pair = pair_at(row, column);
            var never = pair.x >= params.filled;
#if ALIKE
            never |= class_of(min(pair.x, n - 1u)) == class_of(min(pair.y, n - 1u));
#endif
            memory[home + barred_at() + entry_at] = select(0u, NEVER, never && pair.x != NONE);
        }
        if column > row {
            memory[home + table_at() + pair_index(row, column)] = bitcast<u32>(fresh_change(row, column));
        }
#endif
    }
}
