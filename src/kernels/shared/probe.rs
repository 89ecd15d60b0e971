//! What limits a device: the time of a dependent read, and the bytes that it moves: `shaders/shared/probe.wgsl`. Other kernels' times are
//! judged by these (`myrmex bench`).

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use crate::backend::{Access, Backend, BufferId, Call, KernelSpec, TwinCall};
use crate::error::{Error, Result};
use crate::kernels::KernelError;
use crate::kernels::compose::compose;
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "probe";

/// Words of the table that chains lead through: 1 MiB, as large as the candidate lists of some thousand cities.
const CHAIN_TABLE: usize = 1 << 18;
/// Reads in a chain: less than the 65,535 loop turns that a software adapter allows.
const CHAIN: u32 = 20_000;
/// Words that are copied, 64 MiB, more than caches hold, and words of a block.
const STREAM_WORDS: usize = 1 << 24;
const BLOCK: u32 = 4096;
/// Runs; the quickest counts.
const RUNS: usize = 5;

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub length: u32,
        pub padding: [u32; 3],
    }
}

/// What a device can do at best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Nanoseconds of a read of storage whose index is what the read before has given, out of 1 MiB.
    pub read_ns: f64,
    /// Bytes read and written, both counted, when all units copy: 10⁹ in a second.
    pub gigabytes: f64,
}

impl Limits {
    /// Measures a device by `backend`, which has neither buffers nor kernels. `None` where it has no timestamps.
    ///
    /// # Errors
    /// What the backend refuses.
    pub fn measure(mut backend: Box<dyn Backend>) -> Result<Option<Self>> {
        let table = backend.buffer_with("probe table", ring(CHAIN_TABLE))?;
        let found = backend.buffer("probe found", 1)?;
        let chain = quickest(backend.as_mut(), spec(false, CHAIN, 32, table, found), 1)?;
        let table = backend.buffer_with("probe words", vec![1; STREAM_WORDS])?;
        let found = backend.buffer("probe copies", STREAM_WORDS)?;
        let blocks = STREAM_WORDS as u32 / BLOCK;
        let stream = quickest(backend.as_mut(), spec(true, BLOCK, 256, table, found), blocks)?;
        Ok((chain > 0.0 && stream > 0.0).then(|| Self {
            read_ns: chain * 1e6 / f64::from(CHAIN),
            gigabytes: 8.0 * STREAM_WORDS as f64 / (stream * 1e6),
        }))
    }

    /// The least milliseconds for so many bytes, and for so many reads one after the other.
    pub fn least_ms(&self, bytes: u64, reads: u64) -> f64 {
        (bytes as f64 / (self.gigabytes * 1e6)).max(reads as f64 * self.read_ns * 1e-6)
    }
}

/// Milliseconds of the quickest of some runs over so many units.
fn quickest(backend: &mut dyn Backend, spec: Result<KernelSpec, KernelError>, units: u32) -> Result<f64> {
    let spec = spec.map_err(|message| Error::Device {
        device: backend.capabilities().device.clone(),
        message: format!("broken shader: {message}"),
    })?;
    let kernel = backend.kernel(spec)?;
    let mut quickest = f64::INFINITY;
    for _ in 0..RUNS {
        let before = spent(backend);
        backend.run(&[Call { kernel, units: 0..units }])?;
        quickest = quickest.min(spent(backend) - before);
    }
    Ok(quickest)
}

/// Milliseconds spent so far.
fn spent(backend: &dyn Backend) -> f64 {
    backend.timings().iter().map(|timing| timing.ms).sum()
}

/// A chain through all indices in random order.
fn ring(words: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..words as u32).collect();
    order.shuffle(&mut Pcg64Mcg::seed_from_u64(1));
    let mut next = vec![0; words];
    for (&place, &following) in order.iter().zip(order.iter().cycle().skip(1)) {
        next[place as usize] = following;
    }
    next
}

/// The kernel that follows chains of `length` reads through `table`, or that copies blocks of so many words, into `found`.
pub fn spec(
    stream: bool,
    length: u32,
    lanes: u32,
    table: BufferId,
    found: BufferId,
) -> Result<KernelSpec, KernelError> {
    Ok(KernelSpec {
        name: NAME,
        source: compose("shared/probe", if stream { &["STREAM"] } else { &[] })?,
        constants: vec![("LANES", lanes)],
        params: bytemuck::bytes_of(&Params { length, padding: [0; 3] }).to_vec(),
        bindings: vec![(table, Access::Read), (found, Access::Write)],
        workgroup_bytes: 0,
        units_per_workgroup: 1,
        twin: if stream { copy_twin } else { chain_twin },
    })
}

fn chain_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([table], [found]) = call.buffers();
    found[range.clone()].par_iter_mut().zip(range).for_each(|(found, unit)| {
        *found = (0..params.length).fold(unit as u32, |place, _| table[place as usize]);
    });
}

fn copy_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([table], [found]) = call.buffers();
    let block = params.length as usize;
    let words = range.start * block..range.end * block;
    found[words.clone()].par_chunks_mut(block).zip(table[words].par_chunks(block)).for_each(|(to, from)| {
        to.copy_from_slice(from);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::CpuBackend;

    #[test]
    fn chains_pass_every_place() {
        let next = ring(1000);
        let places = std::iter::successors(Some(0), |&place: &u32| Some(next[place as usize])).take(1000);
        let mut seen: Vec<u32> = places.collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..1000).collect::<Vec<u32>>());
    }

    #[test]
    fn the_greater_need_is_the_limit() {
        let limits = Limits { read_ns: 100.0, gigabytes: 10.0 };
        assert_eq!(limits.least_ms(10_000_000, 20), 1.0);
        assert_eq!(limits.least_ms(10, 20), 0.002);
        let here = Limits::measure(Box::new(CpuBackend::new())).unwrap().unwrap();
        assert!(here.read_ns > 0.1 && here.read_ns < 1e5 && here.gigabytes > 0.01 && here.gigabytes < 1e4, "{here:?}");
    }
}
