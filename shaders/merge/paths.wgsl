// Puts the paths between removed edges in their new order by pointer jumping (Wyllie 1979), in one workgroup. Each path, in either
// direction, knows which path comes next. Every round doubles how far these pointers reach, until each path knows how many cities lie
// between it and the tour's end. The new tour is one cycle if the first path begins a whole tour before the end; otherwise the state gets
// a failure flag. The CPU twin is in src/kernels/merge/paths.rs.

#include shared/call
#include shared/state

struct Params {
    all: u32,
    /// 32-bit words in a bitmask over the positions.
    words: u32,
    padding_a: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> removed_bits: array<u32>;
@group(0) @binding(3) var<storage, read> ties: array<u32>;
@group(0) @binding(4) var<storage, read> bests: array<u32>;
@group(0) @binding(5) var<storage, read> positions: array<u32>;
@group(0) @binding(6) var<storage, read_write> state: State;
/// How many edges are removed; for each word of `removed_bits` how many before it; the first position of each path; its new first position,
/// with REVERSED when the path is walked backwards.
@group(0) @binding(7) var<storage, read_write> paths: array<u32>;
/// Two tables that rounds use in turn, 2 x paths x (path that comes next, cities to the end): each path forwards and backwards.
@group(0) @binding(8) var<storage, read_write> hops: array<vec2<u32>>;

override LANES: u32 = 256u;

#include merge/path_list

var<workgroup> counts: array<u32, LANES>;

fn sync() {
    storageBarrier();
    workgroupBarrier();
}

/// The path that follows, with its direction: 2 x path, plus 1 when it is walked backwards.
fn next_of(node: u32, count: u32) -> u32 {
    let path = node >> 1u;
    let backwards = (node & 1u) == 1u;
    let exit = select(path_last(path, count), path_first(path), backwards);
    let tied = ties[2u * exit + select(0u, 1u, backwards)];
    let position = positions[tied];
    let next = path_of(position, count);
    let forwards = position == path_first(next) && ties[2u * position + 1u] == bests[exit];
    return 2u * next + select(1u, 0u, forwards);
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    let each = (params.words + LANES - 1u) / LANES;
    let begin = min(lane * each, params.words);
    let end = min(begin + each, params.words);
    var own = 0u;
    for (var word = begin; word < end; word++) {
        own += countOneBits(removed_bits[word]);
    }
    counts[lane] = own;
    workgroupBarrier();
    var before = 0u;
    var count = 0u;
    for (var other = 0u; other < LANES; other++) {
        before += select(0u, counts[other], other < lane);
        count += counts[other];
    }
    for (var word = begin; word < end; word++) {
        paths[1u + word] = before;
        var bits = removed_bits[word];
        while bits != 0u {
            let position = word * 32u + firstTrailingBit(bits) + 1u;
            paths[firsts_at() + before] = select(position, 0u, position == params.all);
            bits &= bits - 1u;
            before += 1u;
        }
    }
    if lane == 0u {
        paths[0] = count;
    }
    if count == 0u {
        return;
    }
    sync();
    for (var node = lane; node < 2u * count; node += LANES) {
        let next = next_of(node, count);
        hops[node] = vec2<u32>(select(next, NONE, next == 0u), path_length(node >> 1u, count));
    }
    sync();
    var now = 0u;
    for (var span = 1u; span < 2u * count; span *= 2u) {
        let there = 2u * params.all - now;
        for (var node = lane; node < 2u * count; node += LANES) {
            var hop = hops[now + node];
            if hop.x != NONE {
                let far = hops[now + hop.x];
                hop = vec2<u32>(far.x, hop.y + far.y);
            }
            hops[there + node] = hop;
        }
        now = there;
        sync();
    }
    for (var node = lane; node < 2u * count; node += LANES) {
        let hop = hops[now + node];
        if hop.x == NONE {
            paths[news_at() + (node >> 1u)] = (params.all - hop.y) | ((node & 1u) << 31u);
        }
    }
    if lane == 0u && (hops[now].x != NONE || hops[now].y != params.all) {
        state.failures |= NO_TOUR;
    }
}
