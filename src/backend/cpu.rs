//! The CPU backend: the kernels' twins over buffers in main memory, units in parallel.

use std::ops::Range;
use std::time::Instant;

use super::{Access, Backend, BufferId, Call, Capabilities, KernelId, KernelSpec, KernelTiming, TwinCall};
use crate::error::{Error, Result};

/// Runs twins on the threads of rayon's current pool.
pub struct CpuBackend {
    capabilities: Capabilities,
    buffers: Vec<Vec<u32>>,
    kernels: Vec<(KernelSpec, KernelTiming)>,
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
            workgroup_bytes: u32::MAX,
            processors: None,
            large: false,
            workgroup_invocations: u32::MAX,
            buffer_bytes: 1 << 40,
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
}

impl Backend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fresh(&self) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Self::new()))
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
        self.kernels.push((spec, timing));
        Ok(KernelId(self.kernels.len() - 1))
    }

    fn run(&mut self, calls: &[Call]) -> Result<()> {
        for call in calls {
            let (spec, timing) = &mut self.kernels[call.kernel.0];
            let start = Instant::now();
            // Written buffers are taken out for the call, so that the others can be borrowed beside them.
            let written = || spec.bindings.iter().filter(|(_, access)| *access == Access::Write);
            let mut taken: Vec<Vec<u32>> =
                written().map(|(buffer, _)| std::mem::take(&mut self.buffers[buffer.0])).collect();
            let reads = spec.bindings.iter().filter(|(_, access)| *access == Access::Read);
            (spec.twin)(&mut TwinCall {
                params: &spec.params,
                units: call.units.clone(),
                reads: reads.map(|(buffer, _)| self.buffers[buffer.0].as_slice()).collect(),
                writes: taken.iter_mut().map(Vec::as_mut_slice).collect(),
            });
            for ((buffer, _), contents) in written().zip(taken) {
                self.buffers[buffer.0] = contents;
            }
            timing.calls += 1;
            timing.ms += start.elapsed().as_secs_f64() * 1e3;
        }
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
        Ok(self.buffers[buffer.0][words].to_vec())
    }

    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
        self.buffers[buffer.0][..contents.len()].copy_from_slice(contents);
        Ok(())
    }

    fn timings(&self) -> Vec<KernelTiming> {
        self.kernels.iter().map(|(_, timing)| timing.clone()).collect()
    }
}
