//! 2-opt and 2.5-opt within pieces of a tour: twin of `shaders/two_opt/pieces.wgsl`.

use rayon::prelude::*;

use crate::algorithm::choices::LocalSearch;
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::progress::{PROGRESS_WORDS, SearchTags};
use crate::kernels::shared::state::State;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::{block, constant};

/// The kernel's name.
pub const NAME: &str = "pieces";

/// Cities of a piece.
const PIECE: usize = constant!("two_opt/pieces", "PIECE") as usize;
/// Moves after which a piece is left.
const MAX_MOVES: u32 = 240;
/// Marks an insertion in a move's code, whose lower bits are the move's first and second index in the piece, 6 bits each.
const INSERTION: u32 = constant!("two_opt/pieces", "INSERTION");

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub pieces: u32,
        pub max_moves: u32,
        pub offset: u32,
    }
}

/// Pieces of a tour: the units of an ant.
pub fn pieces(plan: &ConstructPlan) -> u32 {
    plan.cities.div_ceil(PIECE) as u32
}

fn lanes(plan: &ConstructPlan) -> u32 {
    plan.sweep_lanes.min(PIECE as u32)
}

/// Dispatches that make all moves within the loop budget. A dispatch leaves nothing but the piece to the next.
pub fn dispatches(plan: &ConstructPlan) -> u32 {
    let piece = PIECE as u32;
    let turns = piece.div_ceil(lanes(plan)) * (2 * piece + 2);
    let fitting = if plan.unbounded_calls { MAX_MOVES } else { plan.loop_budget / turns };
    // A divisor of the number of moves, so that every device makes the same number.
    (1..=MAX_MOVES).find(|count| MAX_MOVES.is_multiple_of(*count) && MAX_MOVES / count <= fitting).unwrap_or(MAX_MOVES)
}

/// Where the first pieces of the passes begin.
pub const OFFSETS: [u32; 2] = [0, PIECE as u32 / 2];

/// The kernel for `plan` on `buffers` with the first piece at position `offset`.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers, offset: u32) -> Result<KernelSpec, KernelError> {
    let params =
        Params { cities: plan.cities as u32, pieces: pieces(plan), max_moves: MAX_MOVES / dispatches(plan), offset };
    let inserts = plan.system.local_search == LocalSearch::TwoHalfOptPieces;
    Ok(KernelSpec {
        name: NAME,
        source: compose("two_opt/pieces", if inserts { &["INSERTS"] } else { &[] })?,
        constants: vec![("LANES", lanes(plan))],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Distances), Access::Read),
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Progress), Access::Write),
            (buffers.get(Buffer::Tours), Access::Write),
        ],
        workgroup_bytes: (3 * PIECE as u32 + 4) * 4,
        units_per_workgroup: 1,
        twin: if inserts { twin::<true> } else { twin::<false> },
    })
}

fn twin<const INSERTS: bool>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([distances, state], [progress, tours]) = call.buffers();
    let tag = State::from_words(state).iteration + 1;
    let (cities, pieces) = (params.cities as usize, params.pieces as usize);
    let ants = range.start / pieces..range.end.div_ceil(pieces);
    let tours = tours[ants.start * cities..ants.end * cities].par_chunks_mut(cities);
    let progress = progress[ants.start * PROGRESS_WORDS..].par_chunks_mut(PROGRESS_WORDS);
    tours.zip(progress).enumerate().for_each(|(i, (tour, progress))| {
        let offset = params.offset as usize % cities;
        tour.rotate_left(offset);
        for (index, piece) in tour.chunks_mut(PIECE).enumerate() {
            let unit = (ants.start + i) * pieces + index;
            if range.contains(&unit) {
                improve::<INSERTS>(piece, |a, b| distances[a as usize * cities + b as usize], params.max_moves);
                if index == 0 {
                    SearchTags::of_mut(progress).done = tag;
                }
            }
        }
        tour.rotate_right(offset);
    });
}

/// Makes the best move as long as there is one.
fn improve<const INSERTS: bool>(piece: &mut [u32], distance: impl Fn(u32, u32) -> u32, max_moves: u32) {
    let length = piece.len();
    for _ in 0..max_moves {
        let edges: Vec<u32> = piece.windows(2).map(|pair| distance(pair[0], pair[1])).collect();
        let (mut gain, mut code) = (0, u32::MAX);
        let mut offer = |removed: u32, added: u32, this: u32| {
            if removed > added && (removed - added > gain || (removed - added == gain && this < code)) {
                (gain, code) = (removed - added, this);
            }
        };
        for i in 1..length.saturating_sub(1) {
            let (before, city) = (piece[i - 1], piece[i]);
            for j in i + 1..length - 1 {
                let added = distance(before, piece[j]) + distance(city, piece[j + 1]);
                offer(edges[i - 1] + edges[j], added, (i << 6 | j) as u32);
            }
            if !INSERTS {
                continue;
            }
            let closed = distance(before, piece[i + 1]);
            for j in (0..length - 1).filter(|&j| j != i && j + 1 != i) {
                let removed = edges[i - 1].saturating_add(edges[i]).saturating_add(edges[j]);
                let added =
                    closed.saturating_add(distance(piece[j], city)).saturating_add(distance(city, piece[j + 1]));
                offer(removed, added, INSERTION | (i << 6 | j) as u32);
            }
        }
        if gain == 0 {
            return;
        }
        let (first, second) = ((code >> 6 & 63) as usize, (code & 63) as usize);
        if code < INSERTION {
            piece[first..=second].reverse();
        } else if second > first {
            piece[first..=second].rotate_left(1);
        } else {
            piece[second + 1..=first].rotate_right(1);
        }
    }
}
