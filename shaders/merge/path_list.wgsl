// The paths that are left of the tour when edges are removed. Path i begins behind the i-th removed edge. The Rust side is `PathList` in
// src/kernels/merge/mod.rs.
// The kernel that includes this has `paths`, `removed_bits`, `params.all` and `params.words`.

const NONE: u32 = 0xFFFFFFFFu;
const REVERSED: u32 = 0x80000000u;

fn firsts_at() -> u32 {
    return 1u + params.words;
}

fn news_at() -> u32 {
    return firsts_at() + params.all;
}

fn path_first(path: u32) -> u32 {
    return paths[firsts_at() + path];
}

fn path_last(path: u32, count: u32) -> u32 {
    let next = path_first(select(path + 1u, 0u, path + 1u == count));
    return select(next - 1u, params.all - 1u, next == 0u);
}

fn path_length(path: u32, count: u32) -> u32 {
    let first = path_first(path);
    let last = path_last(path, count);
    return select(last - first, last + params.all - first, last < first) + 1u;
}

/// The path that holds a position: the one behind the last removed edge before it.
fn path_of(position: u32, count: u32) -> u32 {
    let below = removed_bits[position >> 5u] & ((1u << (position & 31u)) - 1u);
    let cuts_before = paths[1u + (position >> 5u)] + countOneBits(below);
    return select(cuts_before - 1u, count - 1u, cuts_before == 0u);
}
