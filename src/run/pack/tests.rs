use std::ops::ControlFlow;
use std::ops::Range;
use std::time::Duration;

use super::*;
use crate::backend::{BufferId, Call, Capabilities, CpuBackend, KernelId, KernelSpec, KernelTiming};
use crate::error::Error;
use crate::instance::qap;
use crate::instance::tsp::{Kind, generate};
use crate::run::{Cancel, Ended, Solver};

fn stop() -> Stop {
    Stop::converged()
}

fn clk(seed: u64) -> Settings {
    Settings::named("clk").unwrap().with("steps", "400").unwrap().seed(seed)
}

/// Small tours of several kinds of coordinates and sizes.
fn tours() -> Vec<Problem> {
    let mut all: Vec<Problem> =
        (0..6).map(|seed| generate(Kind::Uniform, 40 + 9 * seed, seed as u64).unwrap().into()).collect();
    all.extend((0..3).map(|seed| Problem::from(generate(Kind::Lattice, 48, seed).unwrap())));
    all.push(generate(Kind::Clustered, 200, 1).unwrap().into());
    all
}

/// What each of the problems comes to in packs on a device.
fn outcomes(device: Box<dyn Backend>, problems: Vec<(Problem, Settings)>, stop: &Stop) -> Vec<Outcome<u32>> {
    let mut packs = Packs::of(device, stop);
    let mut all = Vec::new();
    for (index, (problem, settings)) in problems.into_iter().enumerate() {
        all.extend(packs.take(Taken { index, key: 7 + index as u32, problem, settings, started: Instant::now() }));
    }
    all.extend(packs.finish());
    all
}

fn found(outcomes: Vec<Outcome<u32>>) -> Vec<(usize, Found)> {
    let mut all: Vec<_> = outcomes
        .into_iter()
        .map(|outcome| match outcome {
            Outcome::Over { index, key, found } => {
                assert_eq!(key as usize, 7 + index);
                (index, *found)
            }
            Outcome::Left(taken) => panic!("{} is left", taken.problem.name()),
        })
        .collect();
    all.sort_by_key(|(index, _)| *index);
    all
}

#[test]
fn each_tour_is_the_one_that_it_is_alone() {
    let problems: Vec<_> = tours().into_iter().zip(1..).map(|(problem, seed)| (problem, clk(seed))).collect();
    for stop in [stop(), Stop::rounds(1).or(Stop::iterations(3))] {
        let all = found(outcomes(Box::new(CpuBackend::new()), problems.clone(), &stop));
        assert_eq!(all.len(), problems.len());
        for ((_, found), (problem, settings)) in all.iter().zip(&problems) {
            let mut solver = Solver::new(problem, settings, Target::Cpu).unwrap();
            let alone = solver.run(&stop, |_| ControlFlow::Continue(())).unwrap();
            let one = &found.solution;
            let key = |it: &Solution| (it.cost, it.permutation.clone(), it.iterations, it.ended, it.length.to_bits());
            assert_eq!(key(one), key(&alone), "{}", problem.name());
            let phases = |it: &Solution| {
                let of =
                    |it: &crate::run::PhaseRecord| (it.algorithm, it.iterations, it.cost_begin, it.cost_end, it.ended);
                it.phases.iter().map(of).collect::<Vec<_>>()
            };
            assert_eq!(phases(one), phases(&alone));
            assert_eq!(&found.recipe, solver.recipe());
        }
    }
}

/// Cities in one place are one city for the kernels.
#[test]
fn problems_are_told_of_as_they_were_given() {
    let places =
        (0..60).map(|i: u32| glam::DVec2::new(f64::from(i * 37 % 50), f64::from(i * 11 % 7))).collect::<Vec<_>>();
    let twice = [places.clone(), places].concat();
    let instance =
        crate::instance::tsp::Instance::from_coords("twice", crate::instance::tsp::Metric::Euc2d, &twice).unwrap();
    let all = found(outcomes(Box::new(CpuBackend::new()), vec![(instance.clone().into(), clk(1))], &stop()));
    let solution = &all[0].1.solution;
    assert_eq!(solution.permutation.len(), 120);
    assert_eq!(instance.tour_cost(&solution.permutation).unwrap(), solution.cost);
}

#[test]
fn what_suits_no_pack_is_left_to_solvers() {
    let uniform = || generate(Kind::Uniform, 60, 1).unwrap();
    let matrix = (0..60 * 60).map(|at| uniform().distance(at / 60, at % 60)).collect();
    let cases: Vec<(Problem, Settings)> = vec![
        (uniform().into(), Settings::default()),
        (uniform().into(), clk(1).with("colonies", "2").unwrap()),
        (uniform().into(), Settings::named("clk").unwrap().with("walks", "0").unwrap()),
        (qap::generate(12, 1).unwrap().into(), clk(1)),
        (uniform().open_path(Some(3), None).unwrap().into(), clk(1)),
        (uniform().with_fixed_edges(&[[3, 9]]).unwrap().into(), clk(1)),
        (crate::instance::tsp::Instance::from_matrix("matrix", 60, matrix).unwrap().into(), clk(1)),
        (generate(Kind::Uniform, 3, 1).unwrap().into(), clk(1)),
        (generate(Kind::Uniform, 300, 1).unwrap().into(), clk(1)),
    ];
    let count = cases.len();
    let left = outcomes(Box::new(CpuBackend::new()), cases, &stop());
    assert_eq!(left.iter().filter(|outcome| matches!(outcome, Outcome::Left(_))).count(), count);
    for stop in [Stop::target(5).or(stop()), Stop::length(5.0).or(stop()), Stop::iterations(3), Stop::rounds(2)] {
        assert!(Packs::<u32>::on(&Target::Wgpu(None), &stop).unwrap().is_none());
    }
    assert!(Packs::<u32>::on(&Target::Cpu, &stop()).unwrap().is_none());
}

/// Time does not run out while others are waited for.
#[test]
fn time_counts_from_the_first_dispatch() {
    let stop = Stop::time(Duration::from_secs(60)).or(stop());
    let mut packs = Packs::of(Box::new(CpuBackend::new()), &stop);
    let Some(started) = Instant::now().checked_sub(Duration::from_secs(90)) else { return };
    let (problem, settings) = (tours().remove(0), clk(1));
    assert!(packs.take(Taken { index: 0, key: 7, problem, settings, started }).is_empty());
    let all = found(packs.finish());
    assert_eq!(all[0].1.solution.ended, Ended::Converged);
    assert!(all[0].1.solution.seconds < 60.0);
}

/// A limit of time, or a token, ends all with the best that they have.
#[test]
fn time_and_tokens_end_packs() {
    let problems: Vec<_> =
        tours().into_iter().map(|problem| (problem, clk(1).with("steps", "100000").unwrap())).collect();
    let cancelled = Cancel::new();
    cancelled.cancel();
    let rules = [
        (Stop::time(Duration::from_millis(300)).or(Stop::rounds(1)), Ended::Time),
        (Stop::cancelled_by(&cancelled).or(Stop::rounds(1)), Ended::Cancelled),
    ];
    for (stop, ended) in rules {
        let began = Instant::now();
        let all = found(outcomes(Box::new(CpuBackend::new()), problems.clone(), &stop));
        assert!(began.elapsed() < Duration::from_secs(20));
        for (_, Found { problem, solution, .. }) in &all {
            assert_eq!((solution.ended, problem.cost(&solution.permutation).unwrap()), (ended, solution.cost));
        }
    }
}

/// A device that is lost in a submission.
struct Lost(CpuBackend, u32);

impl Backend for Lost {
    fn name(&self) -> &'static str {
        "lost"
    }

    fn capabilities(&self) -> &Capabilities {
        self.0.capabilities()
    }

    fn fresh(&self) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Self(CpuBackend::new(), self.1)))
    }

    fn buffer_with(&mut self, label: &'static str, contents: Vec<u32>) -> Result<BufferId> {
        self.0.buffer_with(label, contents)
    }

    fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId> {
        self.0.buffer(label, words)
    }

    fn kernel(&mut self, spec: KernelSpec) -> Result<KernelId> {
        self.0.kernel(spec)
    }

    fn run(&mut self, calls: &[Call]) -> Result<()> {
        self.1 =
            self.1.checked_sub(1).ok_or_else(|| Error::Device { device: "lost".into(), message: "gone".into() })?;
        self.0.run(calls)
    }

    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
        self.0.read(buffer, words)
    }

    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
        self.0.write(buffer, contents)
    }

    fn timings(&self) -> Vec<KernelTiming> {
        Vec::new()
    }
}

#[test]
fn what_a_lost_device_had_is_left_to_solvers() {
    for submissions in [0, 2] {
        let problems = tours().into_iter().map(|problem| (problem, clk(1))).collect();
        let left = outcomes(Box::new(Lost(CpuBackend::new(), submissions)), problems, &stop());
        assert_eq!(left.len(), tours().len());
        assert!(left.iter().all(|outcome| matches!(outcome, Outcome::Left(_))));
    }
}
