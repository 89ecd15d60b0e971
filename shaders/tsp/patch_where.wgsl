// Where an ant's patch lies; the Rust side is `Where` in src/kernels/patch_order.rs.

/// In a word of a patch: the edge to the next city must stay; the city has to be looked at.
const FIXED: u32 = 0x80000000u;
const UNSETTLED: u32 = 0x40000000u;
const LABEL: u32 = 0xFFFFu;

/// Sets the stream that places patches apart from those of ants.
const PLACING: u32 = 0xFFFFFFFEu;

/// `place` of a ring of `all`, which may be up to one turn too far.
fn turned(place: u32, all: u32) -> u32 {
    return select(place, place - all, place >= all);
}

/// The order that an iteration's patches follow, and the first place of an ant's patch in it.
fn patch_where(seed: vec2<u32>, iteration: u32, ant: u32, stride: u32, orders: u32, all: u32) -> vec2<u32> {
    let keys = stream_keys(seed, iteration, PLACING);
    let offset = mul_high(random_word(keys, 1u), all);
    return vec2<u32>(mul_high(random_word(keys, 0u), orders), (offset + ant * stride) % all);
}
