// How far one walk of a pair of parents has come, so that it can go on in the next dispatch. A tag is the number of the generation,
// counted from 1. The Rust side is `WalkProgress` in src/kernels/eax/mod.rs; tags lie where `best` looks for those of ants.

struct WalkProgress {
    padding_a: u32,
    /// Generation for which all children are made, as `best` asks it of constructions.
    construct_done: u32,
    padding_b: u32,
    /// Generation for which the walk has begun, and for which it is complete.
    search_begun: u32,
    search_done: u32,
    /// Children that gained, and all children made.
    gained: u32,
    children: u32,
    /// Random words drawn.
    drawn: u32,
    /// Edges of the present walk.
    walked: u32,
    padding_c: u32,
    padding_d: u32,
    padding_e: u32,
    padding_f: u32,
    padding_g: u32,
    padding_h: u32,
    padding_i: u32,
}
