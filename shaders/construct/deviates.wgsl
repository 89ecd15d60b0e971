// Draws the deviates that the next iteration's ants add to log-weights, once for all ants: a ring. A step takes a row of it that begins at an
// index drawn for the step. Behind the ring's end its beginning is repeated, so that every row is contiguous. A deviate is in units of
// weights, 1/512 octave. The CPU twin is src/kernels/construct/deviates.rs.
//
// A Gumbel deviate draws proportionally to the weights (weighted reservoir sampling, Efraimidis and Spirakis 2006; Skinderowicz
// 2020, section 4.2.2), the logarithm of a uniform deviate is the independent roulette (I_ROULETTE; Cecilia et al. 2013).

#include shared/call
#include shared/deviates
#include shared/random
#include shared/state

struct Params {
    seed: vec2<u32>,
    /// Deviates of the ring less one; their number is a power of two.
    ring: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// Gumbel cells, logarithm, deviates: in the upper half of a word, or two in a word (PACKED).
@group(0) @binding(3) var<storage, read_write> tables: array<u32>;

override LANES: u32 = 64u;

#if I_ROULETTE
#include shared/log2
#else
#include shared/gumbel
#endif

fn deviate(word: u32) -> u32 {
#if I_ROULETTE
    let drawn = log2_fixed(max(word, 1u)) >> 7u;
#else
    let drawn = gumbel(word) >> 6u;
#endif
    // An option that is free has a key above 0.
    return max(drawn, 1u);
}

/// The deviate at an index of the ring.
fn deviate_of(place: u32) -> u32 {
    let keys = stream_keys(params.seed, state.iteration, NO_ANT);
    return deviate(random_word(keys, place & params.ring));
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let word = call.first + group.x * LANES + lane;
    if word >= call.end {
        return;
    }
#if PACKED
    tables[DEVIATES + word] = deviate_of(word * 2u) | (deviate_of(word * 2u + 1u) << 16u);
#else
    tables[DEVIATES + word] = deviate_of(word) << 16u;
#endif
}
