// Marks the removed edges of chosen windows in the tour, one workgroup a window. Where a window's gain was chosen, or it had none, the
// cities that its search has settled need no further look.
// The CPU twin is in src/kernels/merge/mark.rs.

#include shared/call

struct Params {
    /// Cities of a window, and of the instance.
    cities: u32,
    all: u32,
    padding_a: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// See windows/window_place.
@group(0) @binding(2) var<storage, read> windows: array<u32>;
@group(0) @binding(3) var<storage, read> removed: array<u32>;
@group(0) @binding(4) var<storage, read> chosen: array<u32>;
@group(0) @binding(5) var<storage, read> order: array<u32>;
/// A bit for each city.
@group(0) @binding(6) var<storage, read_write> unsettled: array<atomic<u32>>;
/// A bit for each position: the edge from there to the next one is removed.
@group(0) @binding(7) var<storage, read_write> removed_bits: array<atomic<u32>>;
/// positions x (city that follows now, city that comes before now), where the edge in that direction is removed.
@group(0) @binding(8) var<storage, read_write> ties: array<u32>;

override LANES: u32 = 64u;

#include windows/window_place
#include merge/removed_list

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = call.first + group.x;
    let count = removed_count(number);
    let is_chosen = (chosen[number >> 5u] & (1u << (number & 31u))) != 0u;
    if is_chosen {
        for (var i = lane; i < count; i += LANES) {
            let at = removed_at(number) + 3u * i;
            let position = removed[at];
            atomicOr(&removed_bits[position >> 5u], 1u << (position & 31u));
            ties[2u * position] = removed[at + 1u];
            ties[2u * turned(position + 1u) + 1u] = removed[at + 2u];
        }
    }
    if is_chosen || count == 0u {
        let here = window_place_of(number);
        for (var i = lane; i < params.cities; i += LANES) {
            if (removed[number * removed_words() + 2u + (i >> 5u)] & (1u << (i & 31u))) != 0u {
                continue;
            }
            let city = order[here.x * params.all + place_of(here, i)];
            atomicAnd(&unsettled[city >> 5u], ~(1u << (city & 31u)));
        }
    }
}
