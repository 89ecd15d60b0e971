//! A backend of twins that fails as it is told to.

use std::ops::Range;
use std::time::Duration;

use crate::backend::{
    Backend, BackendKind, BufferId, Call, Capabilities, CpuBackend, KernelId, KernelSpec, KernelTiming,
};
use crate::error::{Error, Result};
use crate::kernels::shared::state::STATE_WORDS;

/// What goes wrong, and when: at the so-manyth time, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// The device refuses a buffer.
    Allocation(usize),
    /// It refuses every buffer once it was made afresh so often: for the phases behind.
    Full(usize),
    /// It refuses a kernel.
    Kernel(usize),
    /// It is lost in a submission.
    Lost(usize),
    /// Each set-up takes [`SLOW`].
    Slow,
    /// It hands over zeros for a solution.
    Zeros(usize),
    /// It hands over the solution with two cities exchanged, which costs something else.
    Exchanged(usize),
    /// It hands over the first solution again, as one that repeats an old submission does.
    Repeated(usize),
}

/// How long a slow device takes to set up a phase.
pub(super) const SLOW: Duration = Duration::from_millis(600);

pub(super) struct Faulty {
    twins: CpuBackend,
    pub(super) capabilities: Capabilities,
    fault: Fault,
    /// Buffers and kernels made, submissions, solutions read.
    counts: [usize; 4],
    cities: usize,
    /// The first solution that it handed over.
    first: Vec<u32>,
}

impl Faulty {
    pub(super) fn new(fault: Fault, cities: usize) -> Self {
        let twins = CpuBackend::new();
        let capabilities = Capabilities { device: "a faulty device".into(), ..twins.capabilities().clone() };
        Self { twins, capabilities, fault, counts: [0; 4], cities, first: Vec::new() }
    }

    fn count(&mut self, what: usize) -> usize {
        self.counts[what] += 1;
        self.counts[what] - 1
    }

    fn allocates(&mut self) -> Result<()> {
        let count = self.count(0);
        if self.fault == Fault::Slow && count == 0 {
            std::thread::sleep(SLOW);
        }
        if self.fault != Fault::Allocation(count) && self.fault != Fault::Full(0) {
            return Ok(());
        }
        Err(Error::TooLarge {
            device: self.capabilities.device.clone(),
            what: "buffer".into(),
            needed: "1 byte".into(),
            limit: "0 bytes".into(),
            remedy: "buy another".into(),
        })
    }

    fn fails(&self) -> Error {
        Error::Device { device: self.capabilities.device.clone(), message: "lost".into() }
    }
}

impl Backend for Faulty {
    fn kind(&self) -> BackendKind {
        BackendKind::Wgpu
    }
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }
    fn fresh(&self) -> Result<Box<dyn Backend>> {
        let fault = match self.fault {
            Fault::Full(times) => Fault::Full(times.saturating_sub(1)),
            other => other,
        };
        Ok(Box::new(Self { capabilities: self.capabilities.clone(), ..Self::new(fault, self.cities) }))
    }
    fn buffer_with(&mut self, label: &'static str, contents: Vec<u32>) -> Result<BufferId> {
        self.allocates()?;
        self.twins.buffer_with(label, contents)
    }
    fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId> {
        self.allocates()?;
        self.twins.buffer(label, words)
    }
    fn kernel(&mut self, spec: KernelSpec) -> Result<KernelId> {
        let count = self.count(1);
        if self.fault == Fault::Kernel(count) { Err(self.fails()) } else { self.twins.kernel(spec) }
    }
    fn run(&mut self, calls: &[Call]) -> Result<()> {
        let count = self.count(2);
        if self.fault == Fault::Lost(count) { Err(self.fails()) } else { self.twins.run(calls) }
    }
    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
        let mut read = self.twins.read(buffer, words)?;
        if read.len() == self.cities && read.len() != STATE_WORDS {
            match (self.fault, self.count(3)) {
                (Fault::Zeros(at), count) if at == count => read.fill(0),
                (Fault::Exchanged(at), count) if at == count => read.swap(3, 30),
                (Fault::Repeated(at), count) if at == count && count > 0 => read.clone_from(&self.first),
                (_, 0) => self.first.clone_from(&read),
                _ => {}
            }
        }
        Ok(read)
    }
    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
        self.twins.write(buffer, contents)
    }
    fn timings(&self) -> Vec<KernelTiming> {
        self.twins.timings()
    }
}
