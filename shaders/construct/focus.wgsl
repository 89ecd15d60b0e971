// Focused ACO (Skinderowicz 2022): an ant copies the best tour since the restart except for one segment, which construction then fills. One
// workgroup an ant. The segment begins at a random position. The kernel leaves an ant as a dispatch of construction would that ended
// before the segment. In the first iteration ants copy only when there is a tour to begin with. The CPU twin is
// src/kernels/construct/focus.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include shared/progress
#include shared/search_tags

struct Params {
    seed: vec2<u32>,
    cities: u32,
    /// Cities of the segment.
    segment: u32,
    /// 32-bit words in a bitmask over the cities.
    words: u32,
    /// 1 where ants copy in the first iteration, too.
    begun: u32,
    padding_a: u32,
    padding_b: u32,
}

const NONE: u32 = 0xFFFFFFFFu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// 3 x cities; the second tour is the best since the restart.
@group(0) @binding(3) var<storage, read> bests: array<u32>;
@group(0) @binding(4) var<storage, read_write> progress: array<Progress>;
/// ants x words: visited cities.
@group(0) @binding(5) var<storage, read_write> visited_kept: array<u32>;
/// ants x cities.
@group(0) @binding(6) var<storage, read_write> tours: array<u32>;

override LANES: u32 = 64u;
override WORDS: u32 = 1u;

var<workgroup> visited: array<atomic<u32>, WORDS>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    if state.iteration == 0u && params.begun == 0u {
        return;
    }
    let cities = params.cities;
    let kept = cities - params.segment;
    let keys = stream_keys(params.seed, state.iteration, ant);
    let first = mul_high(random_word(keys, FIRST_CITY), cities);
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&visited[word], NONE);
    }
    workgroupBarrier();
    for (var i = lane; i < cities; i += LANES) {
        let at = first + i;
        let city = bests[cities + select(at, at - cities, at >= cities)];
        if i < kept {
            tours[ant * cities + i] = city;
        } else {
            atomicAnd(&visited[city >> 5u], ~(1u << (city & 31u)));
        }
    }
    workgroupBarrier();
    for (var word = lane; word < params.words; word += LANES) {
        visited_kept[ant * params.words + word] = atomicLoad(&visited[word]);
    }
    if lane == 0u {
        progress[ant].construct.begun = state.iteration + 1u;
        progress[ant].construct.step = kept;
    }
}
