//! Ants of Focused ACO (Skinderowicz 2022) copy the best tour except for a segment: twin of `shaders/construct/focus.wgsl`.

use rayon::prelude::*;

use crate::algorithm::fixed::mul_high;
use crate::algorithm::random::{FIRST_CITY, Stream};
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::progress::{ConstructProgress, PROGRESS_WORDS};
use crate::kernels::shared::state::{State, join};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "focus";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub seed: [u32; 2],
        pub cities: u32,
        pub segment: u32,
        pub words: u32,
        pub begun: u32,
        pub padding: [u32; 2],
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, segment: u32, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let seed = plan.system.seed;
    let params = Params {
        seed: [seed as u32, (seed >> 32) as u32],
        cities: plan.cities as u32,
        segment,
        words: plan.words() as u32,
        begun: plan.begun.into(),
        padding: [0; 2],
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("construct/focus", &[])?,
        constants: vec![("LANES", plan.sweep_lanes), ("WORDS", params.words)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Bests), Access::Read),
            (buffers.get(Buffer::Progress), Access::Write),
            (buffers.get(Buffer::VisitedKept), Access::Write),
            (buffers.get(Buffer::Tours), Access::Write),
        ],
        workgroup_bytes: 4 * params.words,
        units_per_workgroup: 1,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, bests], [progress, _, tours]) = call.buffers();
    let state = State::from_words(state);
    if state.iteration == 0 && params.begun == 0 {
        return;
    }
    let seed = join(params.seed);
    let cities = params.cities as usize;
    let best = &bests[cities..2 * cities];
    let kept = cities - params.segment as usize;
    let progress = progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS].par_chunks_mut(PROGRESS_WORDS);
    let tours = tours[range.start * cities..range.end * cities].par_chunks_mut(cities);
    tours.zip(progress).enumerate().for_each(|(index, (tour, progress))| {
        let stream = Stream::new(seed, state.iteration, (range.start + index) as u32);
        let first = mul_high(stream.word(FIRST_CITY), params.cities) as usize;
        let (head, tail) = best.split_at(first);
        let (ahead, behind) = tour[..kept].split_at_mut(tail.len().min(kept));
        ahead.copy_from_slice(&tail[..ahead.len()]);
        behind.copy_from_slice(&head[..behind.len()]);
        let progress = ConstructProgress::of_mut(progress);
        progress.begun = state.iteration + 1;
        progress.step = kept as u32;
    });
}
