// How alike the tours of a population are, from the trails, which count the tours that have an edge: how often two individuals have
// an edge to a neighbour both, over all pairs of individuals. One workgroup. The CPU twin is src/kernels/eax/edge_overlap.rs.

#include shared/call
#include shared/fixed

struct Params {
    /// Trails: cities x neighbours.
    trails: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> trails: array<u32>;
/// The sum, low word, high word.
@group(0) @binding(3) var<storage, read_write> overlap: array<u32>;

override LANES: u32 = 64u;

#include shared/sum

/// A sum, low word, high word, with the pairs of so many individuals, each twice.
fn with_pairs(sum: vec2<u32>, individuals: u32) -> vec2<u32> {
    let others = max(individuals, 1u) - 1u;
    return add_wide(sum, vec2<u32>(individuals * others, mul_high(individuals, others)));
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    sum_begin(lane);
    workgroupBarrier();
    var own = vec2<u32>(0u, 0u);
    // Four trails on their way together.
    let last = vec4<u32>(params.trails - 1u);
    for (var first = 0u; first < params.trails; first += 4u * LANES) {
        let at = first + lane + vec4<u32>(0u, LANES, 2u * LANES, 3u * LANES);
        let held = min(at, last);
        let four = vec4<u32>(trails[held.x], trails[held.y], trails[held.z], trails[held.w]);
        let individuals = select(vec4<u32>(0u), four, at <= last);
        own = with_pairs(with_pairs(with_pairs(with_pairs(own, individuals.x), individuals.y), individuals.z), individuals.w);
    }
    let all = sum(own);
    if lane == 0u {
        overlap[0] = all.x;
        overlap[1] = all.y;
    }
}
