//! Many problems, several at a time: workers take the next one when they are free.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use rayon::ThreadPoolBuilder;
use web_time::Instant;

use super::pools::{STACK_BYTES, thread_named};
use super::worker::Worker;
use super::{Cancel, Finished, Proof, Solution, Solver, Stop, Target};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::instance::{qap, tsp};
use crate::settings::{Algorithm, Settings};

/// Solvers side by side on a GPU when not asked for: while the host works for one the device works for another.
const WORKERS_ON_GPU: usize = 4;
/// The same where problems share dispatches: a worker makes the tables of some while the device searches those of others.
const WORKERS_OF_PACKS: usize = 8;

/// Solves many problems, several at a time.
///
/// Workers share a processor's threads: as many workers as threads unless `workers` says otherwise, so that small problems do not wait for
/// each other. On a GPU small problems share their dispatches, which begin when there are enough of a kind or no more come: up to 256 tours of
/// up to 256 cities with [`Algorithm::Clk`], and up to 64 assignments of the same number of facilities, 64 at most, with [`Algorithm::Memetic`]
/// or where [`Algorithm::Auto`] runs it. Others have solvers of their own there, with 4 workers (8 with those two algorithms). None of this changes
/// a solution, unless the stop rule counts time. Problems are taken from the iterator when a worker is free, so that memory does not grow with their number.
///
/// ```
/// use std::ops::ControlFlow;
/// use myrmex::{Batch, Target, tsp::{Kind, generate}};
///
/// let problems = (1..=9).map(|seed| (seed, move || generate(Kind::Uniform, 50, seed)));
/// let mut costs = Vec::new();
/// Batch { target: Target::Cpu, ..Batch::default() }.solve(problems, |solved| {
///     // In the order in which they end; an error is of that problem alone.
///     costs.push((solved.key, solved.result.map(|found| found.solution.cost)));
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(costs.len(), 9);
/// # Ok::<(), myrmex::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Batch {
    /// What each problem is solved with that does not bring settings of its own.
    pub settings: Settings,
    /// What ends each problem; one of few cities or facilities ends too when no solution is better ([`Problem::least_cost`]), unless it shares
    /// dispatches. Time counts from when a worker takes the problem, reading and set-up included, of problems that share
    /// dispatches from when these begin; from `clock` where the rule has one, which is then a limit of all together (join it with
    /// [`Stop::converged`], or the first problems take all of it). A cancelled token ends those that are under way with their best so far, and no
    /// further ones begin.
    pub stop: Stop,
    /// Where to run; of several devices each has workers, which take from one queue. A GPU is opened once for all. [`Target::Auto`] is the
    /// CPU: problems that do not fill a GPU wait there for one another, and a processor solves one on each thread.
    pub target: Target,
    /// Problems at a time; `None`: as many as suit the target.
    pub workers: Option<NonZeroUsize>,
}

impl Default for Batch {
    /// Default settings, until problems have converged, on the CPU.
    fn default() -> Self {
        Self { settings: Settings::default(), stop: Stop::converged(), target: Target::Auto, workers: None }
    }
}

/// Where a problem of many comes from: it is at hand, with or without settings of its own, or a function reads or makes it on a worker's
/// thread.
pub trait Source {
    /// The problem, and what it is solved with where all others are solved with `settings`.
    ///
    /// # Errors
    /// Whatever is wrong with it, [`Error::other`] for what is none of the library's; the other problems are solved all the same.
    fn take(self, settings: &Settings) -> Result<(Problem, Settings)>;
}

impl Source for Problem {
    fn take(self, settings: &Settings) -> Result<(Problem, Settings)> {
        Ok((self, *settings))
    }
}

impl Source for tsp::Instance {
    fn take(self, settings: &Settings) -> Result<(Problem, Settings)> {
        Ok((self.into(), *settings))
    }
}

impl Source for qap::Instance {
    fn take(self, settings: &Settings) -> Result<(Problem, Settings)> {
        Ok((self.into(), *settings))
    }
}

impl Source for (Problem, Settings) {
    fn take(self, _: &Settings) -> Result<(Problem, Settings)> {
        Ok(self)
    }
}

impl<F: FnOnce() -> Result<S>, S: Source> Source for F {
    fn take(self, settings: &Settings) -> Result<(Problem, Settings)> {
        self()?.take(settings)
    }
}

/// A problem of many that is over.
#[derive(Debug)]
#[non_exhaustive]
pub struct Solved<K> {
    /// Its place in the iterator, counted from 0.
    pub index: usize,
    /// What it came with.
    pub key: K,
    /// What was found, or what is wrong with this problem.
    pub result: Result<Found>,
}

/// What was found for a problem of many.
#[derive(Debug)]
#[non_exhaustive]
pub struct Found {
    /// The problem.
    pub problem: Problem,
    /// What it was solved with.
    pub settings: Settings,
    /// The best solution, and everything known about the run.
    pub solution: Solution,
    /// What the device failed with, if it did: then the solution is the best one known before.
    pub failure: Option<Error>,
}

impl Batch {
    /// Solves each of `problems`, which come with keys of the caller's choice, and hands each one over to `found` when it is over, on the
    /// caller's thread. When `found` breaks off no further problems begin, and those under way end without being told.
    ///
    /// # Errors
    /// [`Error::Config`] for a stop without any rule, [`Error::Threads`] where no thread can be had; [`Error::NoAdapter`] and [`Error::Device`] where a GPU
    /// that was asked for does not open. What is wrong with a problem is told with it ([`Solved::result`]).
    pub fn solve<K: Send, S: Source, I>(
        &self,
        problems: I,
        found: impl FnMut(Solved<K>) -> ControlFlow<()>,
    ) -> Result<()>
    where
        I: IntoIterator<Item = (K, S)>,
        I::IntoIter: Send,
    {
        if self.stop.is_empty() {
            let message = "no rule ends the problems: Stop::converged() suits many of them";
            return Err(Error::Config(message.into()));
        }
        let targets: Vec<Target> = self.place().devices()?.into_iter().map(Target::opened).collect::<Result<_>>()?;
        let threads = rayon::current_num_threads();
        let problems = problems.into_iter();
        let count = problems.size_hint().1.unwrap_or(usize::MAX).max(1);
        let workers = self.workers.map_or_else(|| self.workers_on(&targets, threads), NonZeroUsize::get).min(count);
        let broken_off = Cancel::new();
        let problems = Mutex::new(problems.enumerate().fuse());
        let next = || problems.lock().unwrap_or_else(PoisonError::into_inner).next();
        let stop = self.stop.clone().or(Stop::cancelled_by(&broken_off));
        let work = |target: &Target, told: SyncSender<Solved<K>>| Worker::on(target, self, &stop, told).run(next);
        // None of them goes far ahead of who listens.
        let (sender, solved) = sync_channel(workers.min(1024));
        thread::scope(|scope| {
            let mut begun = Ok(());
            for worker in 0..workers {
                let (sender, work, target) = (sender.clone(), &work, &targets[worker % targets.len()]);
                let name = thread_named("myrmex-batch");
                let spawned =
                    name.spawn_scoped(scope, move || within((threads / workers).max(1), || work(target, sender)));
                match spawned {
                    Ok(_) => {}
                    Err(error) if worker > 0 => {
                        log::info!("{worker} of {workers} workers: {error}");
                        break;
                    }
                    Err(error) => {
                        begun = Err(Error::Threads(error.to_string()));
                        break;
                    }
                }
            }
            drop(sender);
            let mut found = found;
            // Also where `found` panics: nobody waits for what is under way then.
            let _broken_off = CancelledAtPanic(&broken_off);
            for one in solved {
                if !broken_off.is_cancelled() && found(one).is_break() {
                    broken_off.cancel();
                }
            }
            begun
        })
    }

    /// How many workers suit these devices, where the processor has so many threads.
    fn workers_on(&self, targets: &[Target], threads: usize) -> usize {
        let packs = matches!(self.settings.algorithm, Algorithm::Clk(_) | Algorithm::Memetic(_));
        let on_gpu = if packs { WORKERS_OF_PACKS } else { WORKERS_ON_GPU };
        // The CPU named several times has no more threads than once.
        let cpus = targets.iter().filter(|target| matches!(target, Target::Cpu)).count();
        let of_cpus = if cpus > 0 { threads.max(cpus) } else { 0 };
        of_cpus + (targets.len() - cpus) * threads.min(on_gpu)
    }

    /// Where to run.
    fn place(&self) -> Target {
        match &self.target {
            Target::Auto => Target::Cpu,
            target => target.clone(),
        }
    }

    /// Solves one of them alone.
    pub(super) fn one(
        &self,
        (problem, settings): (Problem, Settings),
        started: Instant,
        target: &Target,
        stop: &Stop,
    ) -> Result<Found> {
        let mut solver = Solver::new(&problem, &settings, target.clone())?;
        let stop = Stop { clock: Some(stop.clock.unwrap_or(started)), ..stop.clone() }
            .or(Stop::proved_by(&Proof::of(&problem)));
        let Finished { solution, failure } = solver.run_to_end(&stop, &mut ())?;
        Ok(Found { problem, settings, solution, failure })
    }
}

/// Cancels when it is dropped by a panic.
struct CancelledAtPanic<'a>(&'a Cancel);

impl Drop for CancelledAtPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.cancel();
        }
    }
}

/// Does `work` with so many threads of its own; where they cannot be had, with those that all share. (A pool that takes the present thread in
/// would never be freed.)
fn within(threads: usize, work: impl FnOnce() + Send) {
    match ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build() {
        Ok(pool) => pool.install(work),
        Err(error) => {
            log::debug!("a worker without threads of its own: {error}");
            work();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_is_an_error_of_its_problem_alone() {
        let problems = (1..=3).map(|seed| {
            let make = move || match seed {
                2 => panic!("no such lake"),
                _ => tsp::generate(tsp::Kind::Uniform, 20, seed),
            };
            (seed, make)
        });
        let mut told = Vec::new();
        let solved = Batch::default().solve(problems, |solved| {
            told.push((solved.key, solved.result.err().map(|error| error.to_string())));
            ControlFlow::Continue(())
        });
        told.sort();
        assert!(solved.is_ok() && told[0].1.is_none() && told[2].1.is_none(), "{told:?}");
        assert!(
            told[1]
                .1
                .as_ref()
                .is_some_and(|error| error.ends_with("the function that makes it panicked: no such lake"))
        );
    }

    #[test]
    fn a_panic_of_who_listens_ends_what_is_under_way() {
        let problems =
            (1..=2).map(|seed| (seed, tsp::generate(tsp::Kind::Uniform, if seed == 1 { 5 } else { 500 }, seed)));
        let problems = problems.map(|(seed, problem)| (seed, move || problem));
        let endless = Batch { stop: Stop::time(std::time::Duration::from_secs(600)), ..Batch::default() };
        let began = Instant::now();
        let listens = |_: Solved<u64>| -> ControlFlow<()> { panic!("enough") };
        let solved = catch_unwind(AssertUnwindSafe(|| endless.solve(problems, listens)));
        assert!(solved.is_err() && began.elapsed().as_secs() < 60);
    }

    #[test]
    fn workers_are_threads_of_a_processor_and_a_few_for_each_gpu() {
        let workers =
            |settings: Settings, targets: &[Target]| Batch { settings, ..Batch::default() }.workers_on(targets, 6);
        let (tours, packs) = (Settings::default(), Settings::named("clk").unwrap());
        let (cpu, gpu) = (Target::Cpu, Target::Wgpu(None));
        let [of_cpu, of_gpu] = [&cpu, &gpu].map(|target| vec![target.clone()]);
        assert_eq!([workers(tours, &of_cpu), workers(tours, &vec![cpu.clone(); 9])], [6, 9]);
        assert_eq!([workers(tours, &of_gpu), workers(packs, &of_gpu)], [4, 6]);
        assert_eq!(workers(tours, &[gpu.clone(), cpu, gpu]), 14);
    }

    #[test]
    fn what_names_no_device_runs_on_the_cpu() {
        let place = |target| Batch { target, ..Batch::default() }.place();
        assert!(matches!(Batch::default().place(), Target::Cpu));
        assert!(matches!(place(Target::Wgpu(None)), Target::Wgpu(None)));
        assert!(matches!(place(Target::All), Target::All));
    }
}
