// Selection weights of all edges, two in a word; with OCTETS eight are loaded at a time.

#if OCTETS
@group(0) @binding(7) var<storage, read> weights: array<vec4<u32>>;
#else
#if ROWS_FULL
@group(0) @binding(7) var<storage, read> weights: array<u32>;
#else
@group(0) @binding(8) var<storage, read> weights: array<u32>;
#endif

fn weight_at(city: u32, other: u32) -> u32 {
    return (weights[city * params.pitch + (other >> 1u)] >> ((other & 1u) * 16u)) & 0xFFFFu;
}
#endif
