//! The CPU backend: the kernels' twins over buffers in main memory, units in parallel.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

#[cfg(not(target_family = "wasm"))]
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};
use web_time::Instant;

use super::clock::Interrupted;
use super::{Access, Backend, BackendKind, BufferId, Call, Capabilities, KernelId, KernelSpec, KernelTiming, TwinCall};
use crate::error::{Error, Result};

/// How long the system's word on free memory holds.
const ASKS_AGAIN: Duration = Duration::from_millis(100);
/// How long a part of a call takes whose twin does not look at the clock.
const PART: Duration = Duration::from_millis(5);
/// The fewest units of it.
const FEWEST: u32 = 64;

/// A kernel made ready.
struct Kernel {
    spec: KernelSpec,
    timing: KernelTiming,
    interrupted: Interrupted,
    /// Units that are done of a call whose twin does not look at the clock, and seconds that one takes.
    done: u32,
    unit_seconds: f64,
}

impl Kernel {
    /// How many of the next `left` units make a part of a call that may be interrupted.
    fn part(&self, left: u32) -> u32 {
        if self.interrupted.is_watched() || self.unit_seconds <= 0.0 {
            return left;
        }
        left.min(((PART.as_secs_f64() / self.unit_seconds) as u32).max(FEWEST))
    }
}

/// Runs twins on the threads of rayon's current pool.
pub struct CpuBackend {
    capabilities: Capabilities,
    buffers: Vec<Vec<u32>>,
    kernels: Vec<Kernel>,
}

impl Default for CpuBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl CpuBackend {
    /// A backend on this machine's processor.
    pub fn new() -> Self {
        let threads = rayon::current_num_threads();
        let capabilities = Capabilities {
            device: format!("CPU, {threads} thread{}", if threads == 1 { "" } else { "s" }),
            wide: false,
            subgroup: None,
            quick_exchange: false,
            converges: false,
            own_words: 0,
            workgroup_bytes: u32::MAX,
            processors: None,
            large: false,
            workgroup_invocations: u32::MAX,
            // No allocation is larger than addresses with a sign reach.
            buffer_bytes: (1 << 40).min(isize::MAX as u64),
            memory_bytes: known_memory(),
            loop_budget: u32::MAX,
            unbounded_calls: true,
        };
        Self { capabilities, buffers: Vec::new(), kernels: Vec::new() }
    }

    fn allocate(&self, label: &'static str, words: usize) -> Result<Vec<u32>> {
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(words).map_err(|_| Error::TooLarge {
            device: self.capabilities.device.clone(),
            what: format!("buffer '{label}'"),
            needed: format!("{} MiB", words >> 18),
            limit: "what the system would allocate".into(),
            remedy: "use fewer ants or candidates, or a smaller instance".into(),
        })?;
        Ok(buffer)
    }

    /// Runs a call, or what is left of it, until it is done or interrupted at `until`; whether it is done.
    fn call(&mut self, call: &Call, until: Option<Instant>) -> bool {
        let Self { buffers, kernels, .. } = self;
        let kernel = &mut kernels[call.kernel.0];
        // Written buffers are taken out for the call, so that the others can be borrowed beside them.
        let written: Vec<BufferId> = of_access(&kernel.spec, Access::Write).collect();
        let mut taken: Vec<Vec<u32>> = written.iter().map(|buffer| std::mem::take(&mut buffers[buffer.0])).collect();
        let done = loop {
            let start = Instant::now();
            let first = call.units.start + kernel.done;
            let count = call.units.end.saturating_sub(first);
            let count = if until.is_some() { kernel.part(count) } else { count };
            (kernel.spec.twin)(&mut TwinCall {
                params: &kernel.spec.params,
                constants: &kernel.spec.constants,
                units: first..first + count,
                reads: of_access(&kernel.spec, Access::Read).map(|buffer| buffers[buffer.0].as_slice()).collect(),
                writes: taken.iter_mut().map(Vec::as_mut_slice).collect(),
                clock: kernel.interrupted.clock(until),
            });
            let took = start.elapsed().as_secs_f64();
            kernel.timing.ms += took * 1e3;
            if kernel.interrupted.is_left() {
                break false;
            }
            kernel.unit_seconds = took / f64::from(count.max(1));
            kernel.done += count;
            if first + count >= call.units.end {
                kernel.done = 0;
                break true;
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                break false;
            }
        };
        for (buffer, contents) in written.into_iter().zip(taken) {
            buffers[buffer.0] = contents;
        }
        kernel.timing.calls += u64::from(done);
        done
    }
}

/// Bytes of main memory that are free for this process, where the system says so, as it said a moment ago: many small problems would ask
/// often.
fn known_memory() -> Option<u64> {
    static LAST: Mutex<Option<(Instant, Option<u64>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match *last {
        Some((at, bytes)) if at.elapsed() < ASKS_AGAIN => bytes,
        _ => {
            let bytes = available_memory();
            *last = Some((Instant::now(), bytes));
            bytes
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn available_memory() -> Option<u64> {
    let refresh = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(refresh);
    // Files that a container's processes have read count as its memory too, but give way.
    let free = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
    Some(system.available_memory().min(free)).filter(|bytes| *bytes > 0)
}

/// The name of the machine's processor, as its system tells it.
pub(crate) fn processor() -> Option<&'static str> {
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    NAME.get_or_init(named_processor).as_deref()
}

#[cfg(not(target_family = "wasm"))]
fn named_processor() -> Option<String> {
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let name = system.cpus().first()?.brand().trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// A browser does not tell it.
#[cfg(target_family = "wasm")]
fn named_processor() -> Option<String> {
    None
}

/// What 32-bit addresses leave of memory.
#[cfg(target_family = "wasm")]
fn available_memory() -> Option<u64> {
    const PAGE: u64 = 64 << 10;
    Some((1 << 32) - core::arch::wasm32::memory_size::<0>() as u64 * PAGE)
}

/// The buffers that a kernel reads, or those that it writes.
fn of_access(spec: &KernelSpec, wanted: Access) -> impl Iterator<Item = BufferId> {
    spec.bindings.iter().filter(move |(_, access)| *access == wanted).map(|(buffer, _)| *buffer)
}

impl Backend for CpuBackend {
    fn kind(&self) -> BackendKind {
        BackendKind::Cpu
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fresh(&self) -> Result<Box<dyn Backend>> {
        let capabilities = Capabilities { memory_bytes: available_memory(), ..self.capabilities.clone() };
        Ok(Box::new(Self { capabilities, buffers: Vec::new(), kernels: Vec::new() }))
    }

    fn buffer_with(&mut self, _label: &'static str, contents: Vec<u32>) -> Result<BufferId> {
        self.buffers.push(contents);
        Ok(BufferId(self.buffers.len() - 1))
    }

    fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId> {
        let mut buffer = self.allocate(label, words)?;
        buffer.resize(words, 0);
        self.buffers.push(buffer);
        Ok(BufferId(self.buffers.len() - 1))
    }

    fn kernel(&mut self, spec: KernelSpec) -> Result<KernelId> {
        let timing = KernelTiming { name: spec.name.to_owned(), calls: 0, ms: 0.0 };
        let interrupted = Interrupted::default();
        self.kernels.push(Kernel { spec, timing, interrupted, done: 0, unit_seconds: 0.0 });
        Ok(KernelId(self.kernels.len() - 1))
    }

    fn run(&mut self, calls: &[Call]) -> Result<()> {
        for call in calls {
            self.call(call, None);
        }
        Ok(())
    }

    fn run_until(&mut self, calls: &[Call], until: Instant) -> Result<usize> {
        for (done, call) in calls.iter().enumerate() {
            if (done > 0 && Instant::now() >= until) || !self.call(call, Some(until)) {
                return Ok(done);
            }
        }
        Ok(calls.len())
    }

    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
        Ok(self.buffers[buffer.0][words].to_vec())
    }

    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
        self.buffers[buffer.0][..contents.len()].copy_from_slice(contents);
        Ok(())
    }

    fn timings(&self) -> Vec<KernelTiming> {
        self.kernels.iter().map(|kernel| kernel.timing.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds up 1 to 20 for each unit, a number a millisecond.
    fn sums<const FORGETS: bool>(call: &mut TwinCall<'_>) {
        let (range, clock) = (call.range(), call.clock());
        let ([], [sums]) = call.buffers();
        for (unit, sum) in sums[range.clone()].iter_mut().enumerate() {
            let work = |number: &mut u32| {
                if FORGETS {
                    *number = 0;
                }
                while *number < 20 {
                    *number += 1;
                    *sum += *number;
                    std::thread::sleep(Duration::from_millis(1));
                    if *number < 20 && clock.is_up() {
                        return false;
                    }
                }
                true
            };
            clock.unit((range.start + unit) as u32, || 0, work);
        }
    }

    /// Units are done one by one, without a look at the clock.
    fn ones(call: &mut TwinCall<'_>) {
        let range = call.range();
        let ([], [ones]) = call.buffers();
        ones[range].iter_mut().for_each(|one| *one += 1);
        std::thread::sleep(Duration::from_millis(8));
    }

    /// What a kernel of 8 units makes in two calls that are interrupted, and how often they are.
    fn interrupted(twin: crate::backend::Twin, units: u32) -> (Vec<u32>, u32) {
        let mut backend = CpuBackend::new();
        let buffer = backend.buffer("words", units as usize).unwrap();
        let kernel = backend
            .kernel(KernelSpec {
                name: "kernel",
                source: String::new(),
                constants: Vec::new(),
                params: Vec::new(),
                bindings: vec![(buffer, Access::Write)],
                workgroup_bytes: 0,
                units_per_workgroup: 1,
                twin,
            })
            .unwrap();
        let calls = vec![Call { kernel, units: 0..units }; 2];
        let (mut done, mut interruptions) = (0, 0);
        while done < 2 {
            if interruptions == 5 {
                backend.run(&calls[done..]).unwrap();
                break;
            }
            done += backend.run_until(&calls[done..], Instant::now() + Duration::from_millis(6)).unwrap();
            interruptions += 1;
        }
        (backend.read(buffer, 0..units as usize).unwrap(), interruptions)
    }

    #[test]
    fn interrupted_calls_go_on_where_they_were() {
        let (words, interruptions) = interrupted(sums::<false>, 8);
        assert_eq!((words, interruptions), (vec![2 * 210; 8], 5));
        let (words, _) = interrupted(sums::<true>, 8);
        assert_ne!(words, vec![2 * 210; 8], "a twin that forgets is not caught");
    }

    #[test]
    fn calls_of_many_quick_units_are_cut() {
        let (words, interruptions) = interrupted(ones, 1000);
        assert_eq!(words, vec![2; 1000]);
        assert!(interruptions > 2, "the second call takes part of two turns");
    }
}
