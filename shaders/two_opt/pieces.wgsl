// 2-opt, or with INSERTS 2.5-opt, within pieces of 64 cities of a tour (Voicu 2013, section 5, variants B and C). One workgroup a piece; the
// piece's ends stay in place. A second pass, with pieces that begin half a piece further on, improves the seams. Each round finds the best of
// all moves, the lower code on a tie, and makes it; so the number of lanes changes no result. The CPU twin is
// src/kernels/two_opt/pieces.rs.

#include shared/call
#include shared/state
#include shared/progress
#include shared/search_tags

struct Params {
    cities: u32,
    /// Pieces of a tour.
    pieces: u32,
    /// Moves after which a piece is left, improved as far as it is.
    max_moves: u32,
    /// Position of the first piece.
    offset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// cities x cities.
@group(0) @binding(2) var<storage, read> distances: array<u32>;
@group(0) @binding(3) var<storage, read> state: State;
@group(0) @binding(4) var<storage, read_write> progress: array<Progress>;
/// ants x cities.
@group(0) @binding(5) var<storage, read_write> tours: array<u32>;

override LANES: u32 = 64u;

const PIECE: u32 = 64u;
const NONE: u32 = 0xFFFFFFFFu;
/// Marks an insertion in a move's code, whose lower bits are the move's first and second index in the piece, 6 bits each.
const INSERTION: u32 = 0x1000u;

/// The piece before and after a move.
var<workgroup> piece: array<u32, 2u * PIECE>;
/// The distance from each city of the piece to the next.
var<workgroup> edges: array<u32, PIECE>;
/// Greatest gain and lowest code, of even and of odd rounds.
var<workgroup> gains: array<atomic<u32>, 2>;
var<workgroup> codes: array<atomic<u32>, 2>;

fn distance(a: u32, b: u32) -> u32 {
    return distances[a * params.cities + b];
}

fn add_saturated(a: u32, b: u32) -> u32 {
    return select(a + b, NONE, a + b < a);
}

/// Whether a move beats the best so far.
fn better(gain: u32, code: u32, best_gain: u32, best_code: u32) -> bool {
    return gain > best_gain || (gain == best_gain && code < best_code);
}

/// Where in the piece the city at `place` was before the move.
fn source_of(place: u32, code: u32) -> u32 {
    let first = (code >> 6u) & 63u;
    let second = code & 63u;
    if code < INSERTION {
        // The cities from first to second are reversed.
        return select(place, first + second - place, place >= first && place <= second);
    }
    // The city at first is moved behind the one at second.
    if second > first {
        return select(select(place, place + 1u, place >= first && place < second), first, place == second);
    }
    return select(select(place, place - 1u, place > second + 1u && place <= first), first, place == second + 1u);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let unit = call.first + group.x;
    let ant = unit / params.pieces;
    let begin = unit % params.pieces * PIECE;
    let length = min(params.cities - begin, PIECE);
    let tour = ant * params.cities;
    for (var i = lane; i < length; i += LANES) {
        piece[i] = tours[tour + (params.offset + begin + i) % params.cities];
    }
    for (var i = lane; i < 2u; i += LANES) {
        atomicStore(&gains[i], 0u);
        atomicStore(&codes[i], NONE);
    }
    workgroupBarrier();
    var now = 0u;
    for (var round = 0u; round < params.max_moves; round++) {
        let parity = round & 1u;
        for (var i = lane; i + 1u < length; i += LANES) {
            edges[i] = distance(piece[now + i], piece[now + i + 1u]);
        }
        workgroupBarrier();
        var gain = 0u;
        var code = NONE;
        for (var i = 1u + lane; i + 1u < length; i += LANES) {
            let city = piece[now + i];
            let before = piece[now + i - 1u];
            // The cities from i to j are reversed.
            for (var j = i + 1u; j + 1u < length; j++) {
                let removed = edges[i - 1u] + edges[j];
                let added = distance(before, piece[now + j]) + distance(city, piece[now + j + 1u]);
                let move_code = (i << 6u) | j;
                if removed > added && better(removed - added, move_code, gain, code) {
                    gain = removed - added;
                    code = move_code;
                }
            }
#if INSERTS
            // The city at i is moved behind the one at j.
            let closed = distance(before, piece[now + i + 1u]);
            for (var j = 0u; j + 1u < length; j++) {
                if j != i && j + 1u != i {
                    let removed = add_saturated(add_saturated(edges[i - 1u], edges[i]), edges[j]);
                    let to_city = distance(piece[now + j], city);
                    let added = add_saturated(add_saturated(closed, to_city), distance(city, piece[now + j + 1u]));
                    let move_code = INSERTION | (i << 6u) | j;
                    if removed > added && better(removed - added, move_code, gain, code) {
                        gain = removed - added;
                        code = move_code;
                    }
                }
            }
#endif
        }
        atomicMax(&gains[parity], gain);
        workgroupBarrier();
        let best = atomicLoad(&gains[parity]);
        if best == 0u {
            break;
        }
        if gain == best {
            atomicMin(&codes[parity], code);
        }
        workgroupBarrier();
        let chosen = atomicLoad(&codes[parity]);
        if lane == 0u {
            // Read before the last barrier but one, used again after the next.
            atomicStore(&gains[1u - parity], 0u);
            atomicStore(&codes[1u - parity], NONE);
        }
        for (var i = lane; i < length; i += LANES) {
            piece[PIECE - now + i] = piece[now + source_of(i, chosen)];
        }
        now = PIECE - now;
        workgroupBarrier();
    }
    for (var i = lane; i < length; i += LANES) {
        tours[tour + (params.offset + begin + i) % params.cities] = piece[now + i];
    }
    if lane == 0u && begin == 0u {
        progress[ant].search.done = state.iteration + 1u;
    }
}
