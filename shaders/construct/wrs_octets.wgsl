// As wrs, where all cities are weighed and a bitmask tells the visited ones. A lane takes an octet at a time: eight cities, whose weights are
// four words and whose deviates are four. It loads two octets at the same time, and adds two weights and deviates in one addition: no sum
// has more than 16 bits.

#include construct/deviates_row

/// Weights with deviates of an octet, two a word.
fn octet_sums(octet: u32, line: u32, row: u32, greedy: bool) -> vec4<u32> {
    return weights[line + octet] + select(tables[row + octet], vec4<u32>(0x10001u), greedy);
}

/// The greater of a key and that of one of eight cities, if that is free.
fn greater(top: u32, key: u32, free: u32) -> u32 {
    return select(top, max(top, key), free != 0u);
}

/// The greatest key of an octet's unvisited cities, which are bits 0 to 7 of `unvisited`; without any, a number that is less than all keys.
fn octet_key(octet: u32, sums: vec4<u32>, unvisited: u32) -> u32 {
    // Until the end a key has the number of its city in the octet.
    let even = (sums << vec4<u32>(16u)) | vec4<u32>(0u, 2u, 4u, 6u);
    let odd = (sums & vec4<u32>(0xFFFF0000u)) | vec4<u32>(1u, 3u, 5u, 7u);
    var top = greater(0u, even.x, unvisited & 1u);
    top = greater(top, odd.x, unvisited & 2u);
    top = greater(top, even.y, unvisited & 4u);
    top = greater(top, odd.y, unvisited & 8u);
    top = greater(top, even.z, unvisited & 16u);
    top = greater(top, odd.z, unvisited & 32u);
    top = greater(top, even.w, unvisited & 64u);
    top = greater(top, odd.w, unvisited & 128u);
    return top | (octet << 3u);
}

/// The key that tells the next city: in a whole row an option is left as long as a city is.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let greedy = is_greedy();
    let line = city * (params.pitch >> 2u);
    let row = (DEVIATES + (row_of(step) >> 1u)) >> 2u;
    let octets = (params.cities + 7u) >> 3u;
    // All lanes make the same number of turns; a lane without an octet takes the last one and none of its cities.
    let turns = (octets + CREW - 1u) / CREW;
    var top = 0u;
    var octet = lane;
    for (var turn = 1u; turn < turns; turn += 2u) {
        let other = min(octet + CREW, octets - 1u);
        let sums = octet_sums(octet, line, row, greedy);
        let other_sums = octet_sums(other, line, row, greedy);
        top = max(top, octet_key(octet, sums, unvisited_octet(octet)));
        top = max(top, octet_key(other, other_sums, unvisited_octet(octet + CREW)));
        octet += 2u * CREW;
    }
    if (turns & 1u) == 1u {
        let last = min(octet, octets - 1u);
        top = max(top, octet_key(last, octet_sums(last, line, row, greedy), unvisited_octet(octet)));
    }
    return greatest(lane, top);
}
