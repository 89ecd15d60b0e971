// Evaporation, deposit and clamping of the trails, and the choice information made from them, in one pass: one workgroup
// a position of the depositing tour, which owns the row of trails of the city there. Trails live on candidate edges only,
// since construction reads no others. The CPU twin is src/kernels/trail_update.rs.

#include shared/call
#include shared/fixed
#include shared/state

struct Params {
    cities: u32,
    /// Candidates a city.
    candidates: u32,
    /// (1 - evaporation rate) times 2^32.
    persistence: u32,
    /// Trail exponent times 256.
    alpha: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read> state: State;
/// 3 x cities, of which the third is the depositing tour.
@group(0) @binding(4) var<storage, read> bests: array<u32>;
/// cities x candidates: city in the upper, heuristic weight in the lower 16 bits.
@group(0) @binding(5) var<storage, read> heuristic: array<u32>;
/// cities x candidates.
@group(0) @binding(6) var<storage, read_write> trails: array<u32>;
/// cities x candidates: city in the upper, selection weight in the lower 16 bits.
@group(0) @binding(7) var<storage, read_write> choice: array<u32>;

override LANES: u32 = 32u;

#include shared/log2

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let position = call.first + group.x;
    let last = params.cities - 1u;
    let tour = 2u * params.cities;
    let city = bests[tour + position];
    let before = bests[tour + select(position - 1u, last, position == 0u)];
    let after = bests[tour + select(position + 1u, 0u, position == last)];
    let floor_log2 = log2_fixed(state.trail_min);
    let row = city * params.candidates;
    for (var k = lane; k < params.candidates; k += LANES) {
        let entry = heuristic[row + k];
        let other = entry >> 16u;
        var trail = state.trail_max;
        if state.reset == 0u {
            trail = mul_high(trails[row + k], params.persistence);
            if other == before || other == after {
                // The sum of two trails below their limit may pass 2^32 only when the limit itself is saturated.
                trail = select(trail + state.deposit, 0xFFFFFFFFu, trail + state.deposit < trail);
            }
            trail = clamp(trail, state.trail_min, state.trail_max);
        }
        trails[row + k] = trail;
        let weight = (params.alpha * (log2_fixed(trail) - floor_log2)) >> 15u;
        choice[row + k] = (entry & 0xFFFF0000u) | min((entry & 0xFFFFu) + weight, 0xFFFFu);
    }
}
