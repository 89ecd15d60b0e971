// The patches of focused ants, one workgroup an ant: a patch is a stretch of a space-filling order of the cities, and so a piece
// of the plane. Its cities, labelled by their place in the stretch, are put in the order of the tour. Between two that do not
// follow each other there, the tour's path outside the patch counts as one edge that must stay.
//
// A word of `patches` holds a label, FIXED when the edge to the next city of the patch must stay, and UNSETTLED when the city has
// to be looked at. The CPU twin is src/kernels/patch_order.rs.

#include shared/call
#include shared/fixed
#include shared/state
#include shared/random
#include tsp/patch_where

struct Params {
    seed: vec2<u32>,
    /// Cities of a patch, and of the instance.
    cities: u32,
    all: u32,
    /// Places in the order from one ant's patch to the next one's.
    stride: u32,
    orders: u32,
    /// Cities of a patch rounded up to a power of two.
    padded: u32,
    /// Words of an ant in `patches`.
    patch_words: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// orders x cities: the city at each place of an order, and the place of each city.
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read> places: array<u32>;
/// The tour, and the position of each city in it.
@group(0) @binding(5) var<storage, read> bests: array<u32>;
@group(0) @binding(6) var<storage, read> positions: array<u32>;
/// A bit for each city.
@group(0) @binding(7) var<storage, read> unsettled: array<u32>;
/// ants x words, of which this kernel writes the first ones.
@group(0) @binding(8) var<storage, read_write> patches: array<u32>;

override LANES: u32 = 64u;
override PADDED: u32 = 1u;

const NONE: u32 = 0xFFFFFFFFu;

var<workgroup> keys: array<u32, PADDED>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let at = patch_where(params.seed, state.iteration, ant, params.stride, params.orders, params.all);
    let base = at.x * params.all;
    for (var i = lane; i < params.padded; i += LANES) {
        var key = NONE;
        if i < params.cities {
            key = positions[order[base + turned(at.y + i, params.all)]];
        }
        keys[i] = key;
    }
    workgroupBarrier();
    // Bitonic sort.
    for (var size = 2u; size <= params.padded; size *= 2u) {
        for (var reach = size / 2u; reach > 0u; reach /= 2u) {
            for (var i = lane; i < params.padded / 2u; i += LANES) {
                let low = (i / reach) * reach * 2u + i % reach;
                let high = low + reach;
                let falling = (low & size) != 0u;
                let a = keys[low];
                let b = keys[high];
                if (a > b) != falling {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            workgroupBarrier();
        }
    }
    let home = ant * params.patch_words;
    for (var i = lane; i < params.cities; i += LANES) {
        let position = keys[i];
        let next = keys[select(i + 1u, 0u, i + 1u == params.cities)];
        let city = bests[position];
        let label = turned(places[base + city] + params.all - at.y, params.all);
        var word = label;
        if turned(position + 1u, params.all) != next {
            word |= FIXED;
        }
        if (unsettled[city >> 5u] & (1u << (city & 31u))) != 0u {
            word |= UNSETTLED;
        }
        patches[home + i] = word;
    }
}
