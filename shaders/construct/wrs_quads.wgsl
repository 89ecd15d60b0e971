// As wrs where all cities are weighed and a bitmask tells the visited ones: four cities at a time, whose weights and deviates
// fill two words each. Weight and deviate are added two at a time: no sum has more than 16 bits. A lane has two quads on their way at a
// time.

#include construct/deviates_row

/// Weights and deviates of a quad.
fn quad_sums(quad: u32, line: u32, row: u32, greedy: bool) -> vec2<u32> {
    let at = vec2<u32>(quad * 2u, min(quad * 2u + 1u, params.pitch - 1u));
    let deviates = select(vec2<u32>(tables[row + at.x], tables[row + at.y]), vec2<u32>(0x10001u), greedy);
    return vec2<u32>(weights[line + at.x], weights[line + at.y]) + deviates;
}

/// The greatest key of a quad's unvisited cities, which are bits 0 to 3 of `unvisited`.
fn quad_key(quad: u32, sums: vec2<u32>, unvisited: u32) -> u32 {
    let low = (sums << vec2<u32>(16u)) | vec2<u32>(quad * 4u, quad * 4u + 2u);
    let high = (sums & vec2<u32>(0xFFFF0000u)) | vec2<u32>(quad * 4u + 1u, quad * 4u + 3u);
    let free = vec4<bool>(vec4<u32>(unvisited) & vec4<u32>(1u, 2u, 4u, 8u));
    let found = select(vec4<u32>(0u), vec4<u32>(low.x, high.x, low.y, high.y), free);
    return max(max(found.x, found.y), max(found.z, found.w));
}

/// The key that tells the next city, 0 when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let greedy = is_greedy();
    let line = city * params.pitch;
    let row = DEVIATES + (row_of(step) >> 1u);
    let quads = (params.cities + 3u) / 4u;
    var top = 0u;
    for (var quad = lane; quad < quads; quad += 2u * CREW) {
        let other = quad + CREW;
        let sums = quad_sums(quad, line, row, greedy);
        let other_sums = quad_sums(min(other, quads - 1u), line, row, greedy);
        let free = unvisited_quads(quad);
        let other_key = quad_key(other, other_sums, free.y);
        top = max(top, max(quad_key(quad, sums, free.x), select(0u, other_key, other < quads)));
    }
    return greatest(lane, top);
}
