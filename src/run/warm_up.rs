//! Warm-up on the host: the kernels' twins make a run's first iterations while the device's driver compiles the kernels, which takes about a
//! second in the first process on a machine. Host and device find the same tours.

use std::time::Duration;

use super::Run;
use super::precompile::Precompile;
use crate::backend::{Backend, CpuBackend};
use crate::colony::Colony;
use crate::error::Result;
use crate::instance::problem::Problem;
use crate::kernels::plan::Plan;
use crate::settings::System;

/// How long a run waits for the kernels of its first colony before the host begins.
const WAIT: Duration = Duration::from_millis(50);
/// The most cities. With more the host's first iterations take longer than the driver's compilation.
const MOST_CITIES: usize = 12_000;
/// The fewest threads of the host. With fewer the twins would slow the driver down.
const THREADS: usize = 4;
/// The most cities of first tours for each thread. A Lin-Kernighan search takes a thread 5 µs a city, and up to 30 µs while the driver
/// compiles on the same cores; the driver takes about a second. All first tours together are one iteration, which cannot move to the device
/// before it ends.
const SEARCHED_CITIES: usize = 40_000;

/// A device that is not used yet.
pub(super) struct WarmUp {
    pub device: Box<dyn Backend>,
}

impl WarmUp {
    /// Whether the host may begin a run instead of a device.
    pub fn pays(problem: &Problem, backend: &dyn Backend) -> bool {
        let threads = rayon::current_num_threads();
        backend.capabilities().wide && problem.len() <= MOST_CITIES && threads >= THREADS
    }

    /// Whether the host makes the next iteration of a colony before the device could.
    pub fn keeps_up(plan: &Plan) -> bool {
        let searched = plan.construct().is_some();
        !searched || plan.units * plan.cities <= SEARCHED_CITIES * rayon::current_num_threads()
    }

    /// The run's first colony on the host, unless the device has its kernels soon.
    ///
    /// # Errors
    /// What the host refuses.
    pub fn begin(
        problem: &Problem,
        system: &System,
        plan: &Plan,
        precompile: &Precompile,
        start: &[u32],
    ) -> Result<Option<Colony>> {
        if !Self::keeps_up(plan) || precompile.waits(plan, WAIT) {
            return Ok(None);
        }
        let host = CpuBackend::new();
        let on_host = for_another(problem, system, plan, &host)?;
        log::debug!("the host begins while the device's kernels are compiled");
        Colony::new(Box::new(host), problem, on_host, start).map(Some)
    }
}

/// The plan for the same colony on another backend.
fn for_another(problem: &Problem, system: &System, plan: &Plan, backend: &dyn Backend) -> Result<Plan> {
    let other = Plan::new(&problem.shape(), plan.reference_cost, system, backend.capabilities())?;
    let begun = plan.construct().is_some_and(|plan| plan.begun);
    Ok(if begun { other.begun() } else { other })
}

impl Run {
    /// Moves the colony from the host to the device once that has its kernels; between two iterations.
    pub(super) fn move_to_device(&mut self, colony: &mut Colony) -> Result<()> {
        let ready = self.coming.precompile.as_ref().is_none_or(|precompile| precompile.is_ready(colony.plan()));
        // First tours are one iteration: nothing of it would be left for the device.
        if !ready || colony.plan().construct().is_some() {
            return Ok(());
        }
        let Some(WarmUp { device }) = self.coming.warm_up.take() else { return Ok(()) };
        let plan = for_another(&self.problem, &self.course.phase().system, colony.plan(), device.as_ref())?;
        let wide = device.capabilities().wide;
        *colony = Colony::restored(device, &self.problem, plan, &colony.save()?)?;
        log::debug!("{:.3} s: the device goes on", self.clock.seconds());
        self.pace.begin_again(wide);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use super::super::clock::Clock;
    use super::super::one::Start;
    use super::*;
    use crate::backend::{BackendKind, BufferId, Call, Capabilities, KernelId, KernelSpec, KernelTiming, Preparer};
    use crate::instance::tsp::{Kind, generate};
    use crate::run::Stop;
    use crate::settings::Settings;

    /// The twins as a device whose driver compiles until it is told that this is enough.
    struct Slow {
        twins: CpuBackend,
        capabilities: Capabilities,
        compiled: Arc<AtomicBool>,
    }

    impl Slow {
        fn new(compiled: Arc<AtomicBool>) -> Self {
            let twins = CpuBackend::new();
            let capabilities = Capabilities { wide: true, device: "slow".into(), ..twins.capabilities().clone() };
            Self { twins, capabilities, compiled }
        }
    }

    impl Backend for Slow {
        fn kind(&self) -> BackendKind {
            BackendKind::Wgpu
        }
        fn capabilities(&self) -> &Capabilities {
            &self.capabilities
        }
        fn fresh(&self) -> Result<Box<dyn Backend>> {
            Ok(Box::new(Self::new(Arc::clone(&self.compiled))))
        }
        fn buffer_with(&mut self, label: &'static str, contents: Vec<u32>) -> Result<BufferId> {
            self.twins.buffer_with(label, contents)
        }
        fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId> {
            self.twins.buffer(label, words)
        }
        fn preparer(&self) -> Option<Preparer> {
            let compiled = Arc::clone(&self.compiled);
            Some(Box::new(move |_: &KernelSpec| {
                while !compiled.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            }))
        }
        fn kernel(&mut self, spec: KernelSpec) -> Result<KernelId> {
            self.twins.kernel(spec)
        }
        fn run(&mut self, calls: &[Call]) -> Result<()> {
            self.twins.run(calls)
        }
        fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
            self.twins.read(buffer, words)
        }
        fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
            self.twins.write(buffer, contents)
        }
        fn timings(&self) -> Vec<KernelTiming> {
            self.twins.timings()
        }
    }

    fn settings(algorithm: &str, parameters: &[(&str, &str)]) -> Settings {
        let named = Settings::named(algorithm).unwrap();
        parameters.iter().fold(named, |settings, (name, value)| settings.with(name, value).unwrap())
    }

    /// The tour after 120 iterations and the iteration that found it, with a device whose kernels are compiled after some; what the
    /// host has run.
    fn run(settings: &Settings, compiled_after: Option<u32>) -> (Vec<u32>, u32, Vec<&'static str>) {
        let problem = Problem::from(&generate(Kind::Clustered, 150, 3).unwrap());
        let recipe = settings.recipe(&problem, crate::settings::Effort::Standard).unwrap();
        let start = crate::run::setup::first_solution(recipe.phases[0].begins, &problem);
        let cost = problem.cost(&start).unwrap();
        let compiled = Arc::new(AtomicBool::new(false));
        let device: Box<dyn Backend> = match compiled_after {
            Some(_) => Box::new(Slow::new(Arc::clone(&compiled))),
            None => Box::new(CpuBackend::new()),
        };
        let mut run = Run::new(
            Clock::new(Instant::now()),
            &problem,
            recipe,
            device,
            Start { solution: &start, cost, given: false },
        )
        .unwrap();
        let mut on_host = Vec::new();
        while run.progress.iteration < 120 {
            if run.coming.warm_up.is_some() {
                let running = run.course.phase().system.name();
                if !on_host.contains(&running) {
                    on_host.push(running);
                }
            }
            if compiled_after.is_some_and(|iteration| run.progress.iteration >= iteration) {
                compiled.store(true, Ordering::Relaxed);
                let plan = run.colony.as_ref().unwrap().plan();
                assert!(run.coming.precompile.as_ref().unwrap().waits(plan, Duration::from_secs(60)));
            }
            assert_eq!(run.turn(&Stop::iterations(run.progress.iteration + 1)).unwrap(), None);
        }
        assert!(run.coming.warm_up.is_none());
        let best = run.progress.best_iteration;
        (run.solution().unwrap().permutation, best, on_host)
    }

    #[test]
    fn first_tours_that_take_the_host_long_wait_for_the_device() {
        let twins = CpuBackend::new();
        let plan = |algorithm, units, count| {
            let problem = Problem::from(&generate(Kind::Uniform, 1000, 1).unwrap());
            let recipe =
                settings(algorithm, &[(units, count)]).recipe(&problem, crate::settings::Effort::Standard).unwrap();
            Plan::new(&problem.shape(), 1 << 20, &recipe.phases[0].system, twins.capabilities()).unwrap()
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().unwrap();
        pool.install(|| {
            assert!(WarmUp::keeps_up(&plan("mmas", "ants", "160")));
            assert!(!WarmUp::keeps_up(&plan("mmas", "ants", "161")));
            assert!(WarmUp::keeps_up(&plan("lk", "windows", "301")));
        });
    }

    #[test]
    fn the_same_tours_wherever_iterations_are_made() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().unwrap();
        let windows = [("windows", "8"), ("window-size", "64"), ("steps", "2000"), ("population", "12")];
        pool.install(|| {
            for settings in [settings("lk-eax", &windows), settings("eax", &[("population", "8")])] {
                let settings = settings.seed(5);
                let (tour, best, _) = run(&settings, None);
                let mut seen = Vec::new();
                for compiled_after in [0, 1, 3, 20, 100] {
                    let (other, other_best, on_host) = run(&settings, Some(compiled_after));
                    assert_eq!((&other, other_best), (&tour, best), "{settings:?}, compiled after {compiled_after}");
                    seen = on_host;
                }
                assert!(seen.contains(&"eax"), "{seen:?}");
            }
        });
    }
}
