//! The tables that the search of an assignment begins with: twin of `shaders/qap/delta_table.wgsl`.

use std::ops::Range;

use rayon::prelude::*;

use crate::algorithm::choices::MoveEvaluation;
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::{ConstructPlan, ExchangePlan, MemoryLayout};
use crate::kernels::qap::matrices::{
    self, DISTANCE_CORNERS, DISTANCES_BACK, DISTANCES_THERE, FLOW_CORNERS, FLOWS_BACK, FLOWS_THERE, Matrices, PLACING,
};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::{block, constant};

/// The kernel's name.
pub const NAME: &str = "delta_table";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub facilities: u32,
        pub pitch: u32,
        pub memory_words: u32,
        pub filled: u32,
        pub ants: u32,
        pub matrix_words: u32,
        pub rows: u32,
        pub parts: u32,
    }
}

impl MemoryLayout {
    /// The layout for `n` facilities.
    pub fn new(n: usize, assignment: MoveEvaluation) -> Self {
        let (pairs, pitch) = (n / 2 * n, n | 1);
        let (tabu, barred) = (n, n + n * n);
        let (table, table_words) = match assignment {
            MoveEvaluation::Products => (barred, n * pitch),
            _ => (barred + pairs, pairs),
        };
        Self { tabu, barred, table, table_words, pitch, words: table + table_words }
    }
}

/// The place of the pair `u` < `v` in a rectangle of `n` columns; `shaders/qap/pairs.wgsl`.
pub fn pair_index(n: usize, u: usize, v: usize) -> usize {
    if u < n / 2 { u * n + v - u - 1 } else { (n - 2 - u) * n + v }
}

/// Entries of an invocation, as far as an ant has so many: workgroups of fewer take longer to begin than to end.
const ENTRIES_EACH: u32 = 4;

/// Facilities of a workgroup.
pub fn rows(plan: &ConstructPlan) -> u32 {
    let n = plan.cities as u32;
    (ENTRIES_EACH * plan.sweep_lanes).div_ceil(n).min(n)
}

/// Workgroups of an ant.
pub fn parts(plan: &ConstructPlan) -> u32 {
    (plan.cities as u32).div_ceil(rows(plan))
}

/// Loop turns of an invocation.
pub fn turns(plan: &ConstructPlan) -> u64 {
    let n = plan.cities as u64;
    let by = |items: u64| items.div_ceil(plan.sweep_lanes.into());
    let rows = u64::from(rows(plan));
    by(n) + by(rows) + by(rows * n) * (n + 1)
}

/// The kernel for `plan` on `buffers`; a unit is a part of an ant.
pub fn spec(plan: &ConstructPlan, exchanges: &ExchangePlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let layout = exchanges.layout;
    let params = Params {
        facilities: plan.cities as u32,
        pitch: layout.pitch as u32,
        memory_words: layout.words as u32,
        filled: (plan.cities - exchanges.empty) as u32,
        ants: plan.ants() as u32,
        matrix_words: matrices::length_of(plan) as u32,
        rows: rows(plan),
        parts: parts(plan),
    };
    let products = exchanges.evaluation == MoveEvaluation::Products;
    let mut flags = Vec::new();
    flags.extend(products.then_some("PRODUCTS"));
    flags.extend(exchanges.asymmetric.then_some("ASYMMETRIC"));
    flags.extend(exchanges.alike.then_some("ALIKE"));
    Ok(KernelSpec {
        name: NAME,
        source: compose("qap/delta_table", &flags)?,
        constants: vec![("LANES", plan.sweep_lanes), ("PLACES", plan.cities as u32)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Matrices), Access::Read),
            (buffers.get(Buffer::Tours), Access::Read),
            (buffers.get(Buffer::Memory), Access::Write),
        ],
        workgroup_bytes: 4 * plan.cities as u32,
        units_per_workgroup: 1,
        twin: match (products, exchanges.asymmetric) {
            (true, false) => |call| twin(call, MoveEvaluation::Products, false),
            (true, true) => |call| twin(call, MoveEvaluation::Products, true),
            (false, false) => |call| twin(call, MoveEvaluation::Mata, false),
            (false, true) => |call| twin(call, MoveEvaluation::Mata, true),
        },
    })
}

fn twin(call: &mut TwinCall<'_>, assignment: MoveEvaluation, asymmetric: bool) {
    let params: Params = call.params();
    let n = params.facilities as usize;
    let words = params.memory_words as usize;
    // Units are parts of ants; a memory is made by the call that has its ant's first.
    let parts = params.parts as usize;
    let ants = call.range().start.div_ceil(parts)..call.range().end.div_ceil(parts);
    let ([matrices, tours], [memory]) = call.buffers();
    let of = |ant: usize| {
        Matrices::new(&matrices[ant / params.ants as usize * params.matrix_words as usize..], n, asymmetric)
    };
    let tours = tours[ants.start * n..ants.end * n].par_chunks(n);
    let memories = memory[ants.start * words..ants.end * words].par_chunks_mut(words);
    let filled = params.filled as usize;
    memories.zip(tours).enumerate().for_each(|(index, (memory, places))| {
        begin(&of(ants.start + index), places, (assignment, filled), memory);
    });
}

/// An empty facility may go back nowhere; `shaders/qap/memory.wgsl`.
pub const NEVER: u32 = constant!("qap/memory", "NEVER");

/// What an ant's memory holds when the search of the assignment `places` begins; `filled` facilities come before the empty ones.
pub fn begin(
    matrices: &Matrices<'_>,
    places: &[u32],
    (assignment, filled): (MoveEvaluation, usize),
    memory: &mut [u32],
) {
    let n = places.len();
    let layout = MemoryLayout::new(n, assignment);
    memory[..n].copy_from_slice(places);
    memory[layout.tabu..layout.table].fill(0);
    memory[layout.tabu + filled * n..layout.barred].fill(NEVER);
    if assignment != MoveEvaluation::Products {
        let classes = matrices.classes();
        let pairs = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v)));
        let barred = pairs.filter(|&(u, v)| u >= filled || classes[u] == classes[v]);
        barred.for_each(|(u, v)| memory[layout.barred + pair_index(n, u, v)] = NEVER);
    }
    let table: &mut [i32] = bytemuck::cast_slice_mut(&mut memory[layout.table..layout.table + layout.table_words]);
    if assignment == MoveEvaluation::Products {
        return products(matrices, places, layout.pitch, table);
    }
    for u in 0..n {
        for v in u + 1..n {
            table[pair_index(n, u, v)] = fresh_change(matrices, places, u, v);
        }
    }
}

/// The table of products m(u, l) = Σₖ a(k, u) b(p(k), l) + c(u, l) of facilities and locations, both directions together; rows `pitch`
/// words apart.
pub fn products(matrices: &Matrices<'_>, places: &[u32], pitch: usize, table: &mut [i32]) {
    let n = places.len();
    for (u, row) in table.chunks_mut(pitch).enumerate() {
        row[..n].copy_from_slice(matrices.row(PLACING, u));
    }
    add_products(matrices, places, 0..n, pitch, table);
}

/// Adds what some facilities k give to the table of products.
pub fn add_products(
    matrices: &Matrices<'_>,
    places: &[u32],
    facilities: Range<usize>,
    pitch: usize,
    table: &mut [i32],
) {
    let n = places.len();
    let mut add = |flows: usize, distances: usize| {
        for k in facilities.clone() {
            let distances = matrices.row(distances, places[k] as usize);
            for (&flow, row) in matrices.row(flows, k).iter().zip(table.chunks_mut(pitch)) {
                if flow != 0 {
                    for (sum, &distance) in row[..n].iter_mut().zip(distances) {
                        *sum = sum.wrapping_add(flow.wrapping_mul(distance));
                    }
                }
            }
        }
    };
    add(FLOWS_THERE, DISTANCES_THERE);
    if matrices.asymmetric {
        add(FLOWS_BACK, DISTANCES_BACK);
    }
}

/// The part of a change that depends on the entries between both facilities and both locations alone.
#[inline(always)]
pub fn corner(matrices: &Matrices<'_>, places: &[u32], u: usize, v: usize) -> i32 {
    let distance = matrices.row(DISTANCE_CORNERS, places[u] as usize)[places[v] as usize];
    matrices.row(FLOW_CORNERS, u)[v].wrapping_mul(distance)
}

/// What exchanging `u` and `v` adds to the cost, in linear time (Tsutsui and Fujimoto 2011, equation 4).
pub fn fresh_change(matrices: &Matrices<'_>, places: &[u32], u: usize, v: usize) -> i32 {
    let sum = |flows: usize, distances: usize| {
        places.iter().enumerate().fold(0i32, |sum, (k, &place)| {
            let (flows, distances) = (matrices.row(flows, k), matrices.row(distances, place as usize));
            let difference = distances[places[v] as usize].wrapping_sub(distances[places[u] as usize]);
            sum.wrapping_add(flows[u].wrapping_sub(flows[v]).wrapping_mul(difference))
        })
    };
    let [of_u, of_v] = [u, v].map(|facility| matrices.row(PLACING, facility));
    let [at_u, at_v] = [places[u] as usize, places[v] as usize];
    let placing = of_u[at_v].wrapping_sub(of_u[at_u]).wrapping_add(of_v[at_u]).wrapping_sub(of_v[at_v]);
    let there = corner(matrices, places, u, v).wrapping_add(placing).wrapping_add(sum(FLOWS_THERE, DISTANCES_THERE));
    if matrices.asymmetric { there.wrapping_add(sum(FLOWS_BACK, DISTANCES_BACK)) } else { there }
}
