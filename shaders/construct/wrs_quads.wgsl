// As wrs where all cities are weighed and a bitmask tells the visited ones: four cities at a time, whose weights and deviates
// fill two words each. Weight and deviate are added two at a time: no sum has more than 16 bits.

#include construct/deviates_row

/// The next city, or NONE when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let greedy = is_greedy();
    let line = city * params.pitch;
    let row = DEVIATES + (row_of(step, keys) >> 1u);
    let quads = (params.cities + 3u) / 4u;
    var top = 0u;
    for (var quad = lane; quad < quads; quad += CREW) {
        let at = vec2<u32>(quad * 2u, min(quad * 2u + 1u, params.pitch - 1u));
        let deviates = select(vec2<u32>(tables[row + at.x], tables[row + at.y]), vec2<u32>(0x10001u), greedy);
        let sums = vec2<u32>(weights[line + at.x], weights[line + at.y]) + deviates;
        let low = (sums << vec2<u32>(16u)) | vec2<u32>(quad * 4u, quad * 4u + 2u);
        let high = (sums & vec2<u32>(0xFFFF0000u)) | vec2<u32>(quad * 4u + 1u, quad * 4u + 3u);
        let free = vec4<bool>(vec4<u32>(unvisited_quad(quad)) & vec4<u32>(1u, 2u, 4u, 8u));
        let found = select(vec4<u32>(0u), vec4<u32>(low.x, high.x, low.y, high.y), free);
        top = max(top, max(max(found.x, found.y), max(found.z, found.w)));
    }
    return winner_of(lane, top);
}
