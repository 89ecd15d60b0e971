//! Kernels against their twins: two colonies make the same calls side by side, and what each kernel leaves is compared word for word. A
//! broken kernel, which a comparison must notice.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::ops::{Deref, DerefMut, Range};

use myrmex::Result;
use myrmex::backend::wgpu::WgpuBackend;
use myrmex::backend::{Backend, BackendKind, BufferId, Call, Capabilities, KernelId, KernelSpec, KernelTiming};
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::kernels::qap::delta_table;

/// What a kernel has left: names and words.
pub type Left = Vec<(&'static str, Vec<u32>)>;

/// How an iteration is made, and what is compared in it.
pub struct Comparison {
    /// Units that run one range behind the other.
    ranges: Vec<Range<u32>>,
    /// What the kernel of this name has left that another one reads.
    left_by: fn(&mut Colony, &str) -> Left,
    /// The iteration from which on exchanges of a crossover grow, and whether there is anything that grows.
    grows: Option<(usize, bool)>,
}

impl Comparison {
    pub fn of(ranges: Vec<Range<u32>>, left_by: fn(&mut Colony, &str) -> Left) -> Self {
        Self { ranges, left_by, grows: None }
    }

    /// In two ranges, so that first units other than 0 are used.
    pub fn in_two(colony: &Colony, left_by: fn(&mut Colony, &str) -> Left) -> Self {
        let units = colony.plan().units as u32;
        Self::of(vec![0..units / 3, units / 3..units], left_by)
    }

    /// Exchanges of the crossover grow from an iteration on, if there is `anything` that grows.
    pub fn growing(self, from: usize, anything: bool) -> Self {
        Self { grows: Some((from, anything)), ..self }
    }

    /// The first words in which a device and the twins differ, and behind which kernel and iteration; or what the device failed with.
    pub fn first_difference(&self, device: &mut Colony, twin: &mut Colony, iterations: usize) -> Option<String> {
        let before = twin.state().unwrap().iteration;
        (0..iterations)
            .find_map(|iteration| {
                if let Some((_, anything)) = self.grows.filter(|(from, _)| *from == iteration) {
                    assert_eq!([device.grow(), twin.grow()], [anything; 2]);
                }
                let found = self.difference_in_iteration(device, twin)?;
                Some(format!("iteration {iteration}, {found}"))
            })
            .or_else(|| {
                assert_eq!(twin.state().unwrap().iteration, before + iterations as u32);
                None
            })
    }

    fn difference_in_iteration(&self, device: &mut Colony, twin: &mut Colony) -> Option<String> {
        for range in self.ranges.iter().map(Some).chain([None]) {
            if range.is_none() {
                for colony in [&mut *device, &mut *twin] {
                    colony.choose_best().unwrap();
                }
            }
            let calls = |colony: &Colony| match range {
                Some(range) => by_kernel(colony, colony.ant_calls(range.clone())),
                None => by_kernel(colony, colony.end_calls()),
            };
            let (mut on_device, on_twin) = (calls(device), calls(twin));
            // The CPU makes these tables where it searches.
            if let Some(at) = on_device.iter().position(|(name, _)| *name == delta_table::NAME) {
                let (_, tables) = on_device.remove(at);
                on_device[at].1.splice(0..0, tables);
            }
            let names = |calls: &[(&'static str, Vec<Call>)]| calls.iter().map(|(name, _)| *name).collect::<Vec<_>>();
            assert_eq!(names(&on_device), names(&on_twin));
            for ((kernel, on_device), (_, on_twin)) in on_device.iter().zip(&on_twin) {
                if let Err(error) = device.run(on_device) {
                    return Some(format!("{kernel} ({range:?}): {error}"));
                }
                twin.run(on_twin).unwrap();
                let (left, right) = ((self.left_by)(device, kernel), (self.left_by)(twin, kernel));
                assert_eq!(left.len(), right.len());
                for ((name, left), (_, right)) in left.iter().zip(&right) {
                    if let Some(at) = first_apart(left, right) {
                        let word = |words: &[u32]| words.get(at).map_or("none".into(), u32::to_string);
                        let (left, right) = (word(left), word(right));
                        return Some(format!("after {kernel} ({range:?}), {name}[{at}]: {left} and {right}"));
                    }
                }
            }
        }
        let right = twin.state().unwrap();
        match device.state() {
            Ok(left) => (left != right).then(|| format!("at its end: {left:?} and {right:?}")),
            Err(error) => Some(format!("at its end: {error}")),
        }
    }
}

/// Where two lists differ first; one that is longer than the other differs behind its end.
fn first_apart(left: &[u32], right: &[u32]) -> Option<usize> {
    let shorter = left.len().min(right.len());
    let apart = left.iter().zip(right).position(|(left, right)| left != right);
    apart.or((left.len() != right.len()).then_some(shorter))
}

/// Calls of one kernel together, with its name: on a GPU it may take several to end its work.
pub fn by_kernel(colony: &Colony, calls: Vec<Call>) -> Vec<(&'static str, Vec<Call>)> {
    let mut all: Vec<(&'static str, Vec<Call>)> = Vec::new();
    for call in calls {
        let name = colony.kernel_name(call.kernel);
        match all.last_mut() {
            Some((last, same)) if *last == name => same.push(call),
            _ => all.push((name, vec![call])),
        }
    }
    all
}

/// The words of a colony's buffer.
pub fn read(colony: &mut Colony, buffer: Buffer) -> Vec<u32> {
    let sizes = colony.plan().buffers();
    let words = sizes.iter().find(|plan| plan.name == buffer).expect("the plan has the buffer").words as usize;
    let id = colony.buffers().get(buffer);
    colony.backend().read(id, 0..words).unwrap()
}

/// A GPU that changes a kernel's source before it is made: the sabotage that a comparison must notice. On a device of its own, which a
/// broken kernel may lose; its loops, which may be endless, are bounded.
pub struct Saboteur {
    inner: Sabotaged,
    kernel: &'static str,
    replace: (&'static str, &'static str),
}

impl Saboteur {
    pub fn new(kernel: &'static str, replace: (&'static str, &'static str)) -> Self {
        Self { inner: super::own_backend(), kernel, replace }
    }
}

/// A backend whose kernels are to be broken.
pub enum Sabotaged {
    Wgpu(Box<WgpuBackend>),
    #[cfg(feature = "cuda")]
    Cuda(Box<dyn Backend>),
}

impl Sabotaged {
    /// Makes a kernel whose loops may be endless.
    fn broken(&mut self, spec: KernelSpec) -> Result<KernelId> {
        match self {
            Self::Wgpu(backend) => {
                let before = backend.bound_loops(true);
                let made = backend.kernel(spec);
                backend.bound_loops(before);
                made
            }
            // Its kernels count the turns of their loops.
            #[cfg(feature = "cuda")]
            Self::Cuda(backend) => backend.kernel(spec),
        }
    }
}

impl Deref for Sabotaged {
    type Target = dyn Backend;

    fn deref(&self) -> &(dyn Backend + 'static) {
        match self {
            Self::Wgpu(backend) => &**backend,
            #[cfg(feature = "cuda")]
            Self::Cuda(backend) => &**backend,
        }
    }
}

impl DerefMut for Sabotaged {
    fn deref_mut(&mut self) -> &mut (dyn Backend + 'static) {
        match self {
            Self::Wgpu(backend) => &mut **backend,
            #[cfg(feature = "cuda")]
            Self::Cuda(backend) => &mut **backend,
        }
    }
}

impl Backend for Saboteur {
    fn kind(&self) -> BackendKind {
        self.inner.kind()
    }
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }
    fn fresh(&self) -> Result<Box<dyn Backend>> {
        self.inner.fresh()
    }
    fn buffer_with(&mut self, label: &'static str, contents: Vec<u32>) -> Result<BufferId> {
        self.inner.buffer_with(label, contents)
    }
    fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId> {
        self.inner.buffer(label, words)
    }
    fn kernel(&mut self, mut spec: KernelSpec) -> Result<KernelId> {
        if spec.name != self.kernel {
            return self.inner.kernel(spec);
        }
        let (name, (good, bad)) = (spec.name, self.replace);
        assert!(spec.source.contains(good), "{name}: there is no '{good}' to break");
        spec.source = spec.source.replace(good, bad);
        // What does not compile is noticed by no comparison.
        Ok(self.inner.broken(spec).unwrap_or_else(|error| panic!("{name} with '{bad}' for '{good}': {error}")))
    }
    fn run(&mut self, calls: &[Call]) -> Result<()> {
        self.inner.run(calls)
    }
    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
        self.inner.read(buffer, words)
    }
    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
        self.inner.write(buffer, contents)
    }
    fn timings(&self) -> Vec<KernelTiming> {
        self.inner.timings()
    }
}
