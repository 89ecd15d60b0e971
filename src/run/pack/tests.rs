use std::ops::Range;
use std::time::Duration;

use super::*;
use crate::backend::{BackendKind, BufferId, Call, Capabilities, CpuBackend, KernelId, KernelSpec, KernelTiming};
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

fn memetic(seed: u64) -> Settings {
    Settings::named("memetic").unwrap().seed(seed).for_iterations(Some(0))
}

/// Small assignments that share what they can: of several sizes, with flows and distances that are symmetric and not, with facilities that are
/// alike, with costs of placing, with empty locations.
fn assignments() -> Vec<Problem> {
    let mut all: Vec<Problem> = (0..5).map(|seed| qap::generate(12, seed).unwrap().into()).collect();
    all.extend((0..3).map(|seed| Problem::from(qap::generate(9, seed).unwrap())));
    let word = |at: usize, seed: usize| (at * (2 * seed + 37) % 101 + at * at % 29) as u32;
    let made = |n: usize, seed: usize, entry: &dyn Fn(usize) -> u32| {
        let distances = (0..n * n).map(|at| (at / n).abs_diff(at % n) as u32 * (1 + (at % n % 3) as u32)).collect();
        qap::Instance::from_matrices(format!("made{seed}"), n, (0..n * n).map(entry).collect(), distances).unwrap()
    };
    all.extend((0..3).map(|seed| Problem::from(made(11, seed, &|at| word(at, seed)))));
    // Facilities 0 to 4 have the same flows to all others.
    all.extend((0..2).map(|seed| {
        let kind = |facility: usize| facility.saturating_sub(4);
        let between =
            |i: usize, j: usize| if i == j { 0 } else { word(kind(i).min(kind(j)) * 7 + kind(i).max(kind(j)), seed) };
        Problem::from(made(10, seed, &|at| between(at / 10, at % 10)))
    }));
    let placing = (0..81).map(|at| word(at, 5)).collect();
    all.push(qap::generate(9, 7).unwrap().with_placing_costs(placing).unwrap().into());
    all
}

/// What each of the problems comes to in packs on a device.
fn outcomes(device: Box<dyn Backend>, problems: Vec<(Problem, Settings)>, stop: &Stop) -> Vec<Outcome<u32>> {
    let mut packs = Packs::of(device, stop);
    let mut all = Vec::new();
    for (index, (problem, settings)) in problems.into_iter().enumerate() {
        all.extend(packs.take(Taken {
            index,
            key: 7 + index as u32,
            problem,
            settings,
            started: Some(Instant::now()),
        }));
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
    are_as_they_are_alone(&problems, &stops(), || Box::new(CpuBackend::new()));
}

#[test]
fn each_assignment_is_the_one_that_it_is_alone() {
    let small = |seed, search| memetic(seed).with("population", "9").unwrap().with("local_search", search).unwrap();
    let with = |settings| assignments().into_iter().map(|problem| (problem, settings)).collect::<Vec<_>>();
    for settings in [small(3, "tabu"), small(4, "2opt")] {
        are_as_they_are_alone(&with(settings), &stops(), || Box::new(CpuBackend::new()));
    }
    are_as_they_are_alone(&with(Settings::default()), &[stop()], || Box::new(CpuBackend::new()));
}

/// The same through the kernels of a GPU, a software adapter's if there is no other.
#[test]
fn assignments_share_the_kernels_of_a_gpu() {
    let settings = memetic(5).with("population", "6").unwrap().with("search_iterations", "20").unwrap();
    let problems: Vec<_> = assignments().into_iter().map(|problem| (problem, settings)).collect();
    are_as_they_are_alone(&problems, &stops(), || Box::new(Faulty::of(gpu())));
}

/// Kernels that confuse problems find something else for one of them, or what does not cost what they say.
#[test]
fn broken_kernels_of_packs_are_caught() {
    // Too short to find the best assignment all the same.
    let settings = memetic(5).with("population", "6").unwrap().with("local_search", "tabu").unwrap();
    let settings = settings.with("search_iterations", "40").unwrap();
    let stop = Stop::rounds(1).or(Stop::iterations(3));
    let problems: Vec<_> = (0..3).map(|seed| (qap::generate(24, seed).unwrap().into(), settings)).collect();
    let alone: Vec<Solution> = problems.iter().map(|(problem, settings)| alone(problem, settings, &stop)).collect();
    for (kernel, good, bad) in [
        ("assignment_cost", "ant / params.ants * params.matrix_words", "0u"),
        ("crossover", "ant % params.ants", "ant"),
        ("crossover", "own - number + drawn", "drawn"),
        ("delta_table", "ant / params.ants * params.matrix_words", "0u"),
        ("tabu_search", "ant / params.ants * params.matrix_words", "0u"),
        ("tabu_search", "ant % params.ants", "ant"),
        ("cost_ranks", "let problem = unit / both", "let problem = 0u"),
        ("survivors", "let first = problem * both", "let first = 0u"),
        ("succession", "let population = own - number", "let population = 0u"),
    ] {
        let broken = Faulty { broken: Some((kernel, good, bad)), ..Faulty::of(gpu()) };
        let all = outcomes(Box::new(broken), problems.clone(), &stop);
        let same = |outcome: &Outcome<u32>| match outcome {
            Outcome::Over { index, found, .. } => {
                let (one, expected) = (&found.solution, &alone[*index]);
                one.permutation == expected.permutation
            }
            Outcome::Left(_) => false,
        };
        assert!(!all.iter().all(same), "'{bad}' for '{good}' in {kernel} changes nothing");
    }
}

/// A GPU.
fn gpu() -> Box<dyn Backend> {
    match std::env::var("MYRMEX_TEST_BACKEND").as_deref() {
        #[cfg(feature = "cuda")]
        Ok("cuda") => open(Target::Cuda(None)).unwrap(),
        Ok(other) => panic!("these tests have no backend '{other}'"),
        Err(_) => open(Target::Wgpu(std::env::var("MYRMEX_TEST_DEVICE").ok())).unwrap(),
    }
}

/// What a solver on the CPU finds.
fn alone(problem: &Problem, settings: &Settings, stop: &Stop) -> Solution {
    Solver::new(problem, settings, Target::Cpu).unwrap().run(stop).unwrap()
}

/// Rules that end phases and runs.
fn stops() -> [Stop; 5] {
    let by_iterations = |rounds, most| Stop::rounds(rounds).or(Stop::iterations(most));
    let stagnation = Stop::rounds(3).or(Stop::stagnation(30));
    [stop(), by_iterations(1, 3), Stop::rounds(2), stagnation, by_iterations(3, 60)]
}

fn are_as_they_are_alone(problems: &[(Problem, Settings)], stops: &[Stop], device: impl Fn() -> Box<dyn Backend>) {
    for stop in stops {
        let all = found(outcomes(device(), problems.to_vec(), stop));
        assert_eq!(all.len(), problems.len());
        for ((_, found), (problem, settings)) in all.iter().zip(problems) {
            let mut solver = Solver::new(problem, settings, Target::Cpu).unwrap();
            let alone = solver.run(stop).unwrap();
            let one = &found.solution;
            let key = |it: &Solution| (it.cost, it.permutation.clone(), it.iterations, it.ended, it.length.to_bits());
            assert_eq!(key(one), key(&alone), "{}", problem.name());
            let phases = |it: &Solution| {
                let of =
                    |it: &crate::run::PhaseRecord| (it.algorithm, it.iterations, it.cost_begin, it.cost_end, it.ended);
                it.phases.iter().map(of).collect::<Vec<_>>()
            };
            assert_eq!(phases(one), phases(&alone));
            assert_eq!(&found.solution.ran.recipe, solver.recipe());
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
        (qap::generate(12, 1).unwrap().into(), Settings::named("cas").unwrap()),
        (qap::generate(12, 1).unwrap().into(), memetic(1).with("colonies", "2").unwrap()),
        (qap::generate(70, 1).unwrap().into(), memetic(1)),
        (uniform().open_path(Some(3), None).unwrap().into(), clk(1)),
        (uniform().with_fixed_edges(&[[3, 9]]).unwrap().into(), clk(1)),
        (crate::instance::tsp::Instance::from_matrix("matrix", 60, matrix).unwrap().into(), clk(1)),
        (generate(Kind::Uniform, 3, 1).unwrap().into(), clk(1)),
        (generate(Kind::Uniform, 300, 1).unwrap().into(), clk(1)),
    ];
    let count = cases.len();
    let left = outcomes(Box::new(CpuBackend::new()), cases, &stop());
    for outcome in &left {
        assert!(matches!(outcome, Outcome::Left(_)), "{outcome:?}");
    }
    assert_eq!(left.len(), count);
    for stop in [Stop::cost(5).or(stop()), Stop::target(5.0).or(stop()), Stop::iterations(3)] {
        assert!(Packs::<u32>::on(&Target::Wgpu(None), &stop).unwrap().is_none());
    }
    assert!(Packs::<u32>::on(&Target::Cpu, &stop()).unwrap().is_none());
}

/// A population that never begins again comes to no end of rounds: its own solver says so.
#[test]
fn what_would_not_end_is_left() {
    let endless = memetic(1).with("stagnation", "0").unwrap();
    let problem: Problem = qap::generate(12, 1).unwrap().into();
    let left = |stop: &Stop| {
        let all = outcomes(Box::new(CpuBackend::new()), vec![(problem.clone(), endless)], stop);
        matches!(all[..], [Outcome::Left(_)])
    };
    assert!(left(&Stop::rounds(1)));
    assert!(!left(&Stop::rounds(1).or(Stop::iterations(3))));
    assert!(Solver::new(&problem, &endless, Target::Cpu).unwrap().can_end(&Stop::rounds(1)).is_err());
}

/// Walks of a tour that a rule ends between two rounds make no step more, so that their tours cost what was noted.
#[test]
fn members_that_end_early_have_the_tours_that_they_noted() {
    for stop in [Stop::stagnation(3).or(Stop::rounds(1)), Stop::stagnation(1).or(Stop::rounds(2))] {
        let problems: Vec<_> = tours().into_iter().map(|problem| (problem, clk(3))).collect();
        let all = found(outcomes(Box::new(CpuBackend::new()), problems, &stop));
        assert!(all.iter().any(|(_, found)| found.solution.ended == Ended::Stagnation));
    }
}

/// Time does not run out while others are waited for.
#[test]
fn time_counts_from_the_first_dispatch() {
    let stop = Stop::time(Duration::from_secs(60)).or(stop());
    let mut packs = Packs::of(Box::new(CpuBackend::new()), &stop);
    let started = Instant::now().checked_sub(Duration::from_secs(90));
    let (problem, settings) = (tours().remove(0), clk(1));
    assert!(packs.take(Taken { index: 0, key: 7, problem, settings, started }).is_empty());
    let all = found(packs.finish());
    assert_eq!(all[0].1.solution.ended, Ended::Converged);
    assert!(all[0].1.solution.seconds < 60.0);
    assert!(all[0].1.solution.phases.iter().all(|phase| (0.0..60.0).contains(&phase.seconds)));
}

/// A limit of time, or a token, ends all with the best that they have.
#[test]
fn time_and_tokens_end_packs() {
    let mut problems: Vec<_> =
        tours().into_iter().map(|problem| (problem, clk(1).with("steps", "100000").unwrap())).collect();
    let long = memetic(1).with("search_iterations", "100000").unwrap().with("local_search", "tabu").unwrap();
    problems.extend(assignments().into_iter().map(|problem| (problem, long)));
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

/// A device that is lost after so many submissions, or breaks a kernel.
struct Faulty {
    inner: Box<dyn Backend>,
    submissions: u32,
    broken: Option<(&'static str, &'static str, &'static str)>,
}

impl Faulty {
    fn of(inner: Box<dyn Backend>) -> Self {
        Self { inner, submissions: u32::MAX, broken: None }
    }
}

impl Backend for Faulty {
    fn kind(&self) -> BackendKind {
        BackendKind::Wgpu
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn fresh(&self) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Self { inner: self.inner.fresh()?, ..*self }))
    }

    fn buffer_with(&mut self, label: &'static str, contents: Vec<u32>) -> Result<BufferId> {
        self.inner.buffer_with(label, contents)
    }

    fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId> {
        self.inner.buffer(label, words)
    }

    fn kernel(&mut self, mut spec: KernelSpec) -> Result<KernelId> {
        if let Some((_, good, bad)) = self.broken.filter(|(kernel, ..)| *kernel == spec.name) {
            assert!(spec.source.contains(good), "{}: there is no '{good}' to break", spec.name);
            spec.source = spec.source.replace(good, bad);
            // What does not compile is noticed by no comparison.
            let name = spec.name;
            let made = self.inner.kernel(spec);
            return Ok(made.unwrap_or_else(|error| panic!("{name} with '{bad}' for '{good}': {error}")));
        }
        self.inner.kernel(spec)
    }

    fn run(&mut self, calls: &[Call]) -> Result<()> {
        let gone = || Error::Device { device: "lost".into(), message: "gone".into() };
        self.submissions = self.submissions.checked_sub(1).ok_or_else(gone)?;
        self.inner.run(calls)
    }

    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
        self.inner.read(buffer, words)
    }

    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
        self.inner.write(buffer, contents)
    }

    fn timings(&self) -> Vec<KernelTiming> {
        Vec::new()
    }
}

#[test]
fn what_a_lost_device_had_is_left_to_solvers() {
    for submissions in [0, 2] {
        let problems: Vec<_> = tours().into_iter().map(|problem| (problem, clk(1))).collect();
        let assignments = assignments().into_iter().map(|problem| (problem, memetic(1)));
        let problems: Vec<_> = problems.into_iter().chain(assignments).collect();
        let (count, lost) = (problems.len(), Faulty { submissions, ..Faulty::of(Box::new(CpuBackend::new())) });
        let left = outcomes(Box::new(lost), problems, &stop());
        assert_eq!(left.len(), count);
        assert!(left.iter().all(|outcome| matches!(outcome, Outcome::Left(_))));
    }
}
