//! The best child of each pair takes the place of parent A: twin of `shaders/eax/replace.wgsl`.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::backend::{Access, KernelSpec, TwinCall, atomics};
use crate::kernels::compose::compose;
use crate::kernels::eax::recombine::{KEPT_HEAD, is_better, kept_words};
use crate::kernels::plan::EaxPlan;
use crate::kernels::shared::state::{NO_TOUR, State, join, split};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "replace";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub neighbours: u32,
        pub pairs: u32,
        pub words: u32,
        pub walks: u32,
        pub individuals: u32,
        pub padding: [u32; 2],
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &EaxPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        neighbours: plan.neighbours as u32,
        pairs: plan.neighbour_pairs() as u32,
        words: plan.words() as u32,
        walks: plan.recombine.pair_walks,
        individuals: plan.individuals as u32,
        padding: [0; 2],
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("eax/replace", &[])?,
        constants: vec![("LANES", plan.single_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Offspring), Access::Read),
            (buffers.get(Buffer::Neighbours), Access::Read),
            (buffers.get(Buffer::State), Access::Write),
            (buffers.get(Buffer::Tours), Access::Write),
            (buffers.get(Buffer::Positions), Access::Write),
            (buffers.get(Buffer::Costs), Access::Write),
            (buffers.get(Buffer::Trails), Access::Write),
        ],
        workgroup_bytes: 4 * 6 * super::recombine::PATHS as u32,
        units_per_workgroup: 1,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([offspring, neighbours], [state, tours, positions, costs, trails]) = call.buffers();
    let cities = params.cities as usize;
    let trails = atomics(trails);
    let individuals = range.start * cities..range.end * cities;
    let tours = tours[individuals.clone()].par_chunks_mut(cities);
    let costs: &mut [[u32; 2]] = bytemuck::cast_slice_mut(&mut costs[2 * range.start..2 * range.end]);
    let whole = tours.zip(positions[individuals].par_chunks_mut(cities)).zip(costs).enumerate().map(
        |(index, ((tour, positions), cost))| {
            let kept = best_walk(&params, offspring, range.start + index);
            let paths: &[[u32; 4]] = bytemuck::cast_slice(&kept[KEPT_HEAD..KEPT_HEAD + 4 * kept[2] as usize]);
            if paths.is_empty() {
                return true;
            }
            if range.start + index < params.individuals as usize {
                lay_all(&params, neighbours, trails, tour, paths);
            }
            let old = tour.to_vec();
            let (mut begin, mut end) = (0, 0);
            for _ in paths {
                let [first, last, ..] = paths[end as usize / 2].map(|word| word as usize);
                let length = (if last < first { last + cities } else { last }) - first + 1;
                if begin + length > cities {
                    return false;
                }
                let new = &mut tour[begin..begin + length];
                for (step, city) in new.iter_mut().enumerate() {
                    *city = old[(first + step) % cities];
                }
                if end % 2 == 1 {
                    new.reverse();
                }
                begin += length;
                end = paths[end as usize / 2][3 - end as usize % 2];
            }
            tour.iter().zip(0..).for_each(|(&city, position)| positions[city as usize] = position);
            *cost = split(join(*cost) - u64::from(kept[0]));
            begin == cities && end == 0
        },
    );
    if !whole.reduce(|| true, |a, b| a && b) {
        State::view_mut(state).failures |= NO_TOUR;
    }
}

/// What the walk of an individual keeps that has the best child; the first on a tie.
fn best_walk<'a>(params: &Params, offspring: &'a [u32], individual: usize) -> &'a [u32] {
    let (walks, words) = (params.walks as usize, kept_words(params.cities as usize));
    let all = offspring[individual * walks * words..(individual + 1) * walks * words].chunks(words);
    let better =
        |best: &'a [u32], kept: &'a [u32]| if is_better(kept[0], kept[1], [best[0], best[1]]) { kept } else { best };
    all.reduce(better).unwrap_or_default()
}

/// Changes the trails by the edges that go and come.
fn lay_all(params: &Params, neighbours: &[u32], trails: &[AtomicU32], tour: &[u32], paths: &[[u32; 4]]) {
    let city = |end: u32| tour[paths[end as usize / 2][end as usize % 2] as usize];
    for (path, [_, last, ties @ ..]) in (0u32..).zip(paths) {
        let next = if *last as usize + 1 == tour.len() { 0 } else { last + 1 };
        lay(params, neighbours, trails, tour[*last as usize], tour[next as usize], u32::MAX);
        for (side, &tied) in (0..).zip(ties) {
            if tied > 2 * path + side {
                lay(params, neighbours, trails, city(2 * path + side), city(tied), 1);
            }
        }
    }
}

/// Adds to the trail of an edge, at both cities.
fn lay(params: &Params, neighbours: &[u32], trails: &[AtomicU32], a: u32, b: u32, amount: u32) {
    let ranks = params.neighbours as usize;
    for (city, other) in [(a, b), (b, a)] {
        let row = &neighbours[city as usize * 4 * params.pairs as usize..];
        for rank in (0..ranks).filter(|rank| row[2 * rank] == other) {
            trails[city as usize * ranks + rank].fetch_add(amount, Ordering::Relaxed);
        }
    }
}
