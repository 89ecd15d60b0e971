//! On the CPU an iteration is interrupted when time is up and goes on later: what comes out is the same. What it has found by then is kept, on
//! GPUs too.

mod common;
use std::time::{Duration, Instant};

use myrmex::tsp::{Instance, Kind, generate};
use myrmex::{Ended, Problem, Settings, Solver, Stop, Target, qap};

/// Settings of each family of kernels whose twins look at the clock, with a problem whose iterations take milliseconds.
fn runs() -> Vec<(&'static str, Problem, Settings, u32)> {
    let settings = |algorithm: &str, parameters: &[(&str, &str)]| {
        let named = Settings::named(algorithm).unwrap();
        parameters.iter().fold(named, |settings, (name, value)| settings.with(name, value).unwrap()).seed(3)
    };
    let tour = |n: usize| Problem::from(&generate(Kind::Clustered, n, 2).unwrap());
    let layout = |n: usize| Problem::from(&qap::generate(n, 2).unwrap());
    let open = |n: usize| {
        let instance = generate(Kind::Clustered, n, 2).unwrap();
        Problem::from(instance.open_path(Some(7), None).unwrap().with_fixed_edges(&[[3, 4], [20, 9]]).unwrap())
    };
    // A way back takes longer, or less long, than the way there.
    let asymmetric = |n: usize| {
        let there = generate(Kind::Uniform, n, 2).unwrap().distance_matrix();
        let cost = |(at, &far): (usize, &u32)| if far == 0 { 0 } else { far / 2 + (at * 7919 % 401) as u32 };
        Problem::from(Instance::from_matrix("asymmetric", n, there.iter().enumerate().map(cost).collect()).unwrap())
    };
    let tabu = ("local_search", "tabu");
    let whole = [("memory", "matrix"), ("ants", "60"), ("local_search", "none")];
    vec![
        ("lk", tour(3000), settings("lk", &[("steps", "20000")]), 4),
        ("clk", tour(1500), settings("clk", &[("steps", "30000"), ("walks", "6")]), 4),
        ("eax", tour(3000), settings("eax", &[("population", "24")]), 6),
        ("lk-eax", tour(1200), settings("lk-eax", &[("population", "16"), ("windows", "32")]), 60),
        ("lk open", open(3000), settings("lk", &[("steps", "20000")]), 4),
        ("lk-eax open", open(1200), settings("lk-eax", &[("population", "16"), ("windows", "32")]), 60),
        ("mmas lk open", open(2000), settings("mmas", &[("local_search", "lk"), ("ants", "40")]), 4),
        ("eax asymmetric", asymmetric(400), settings("eax", &[("population", "24")]), 6),
        ("mmas lk", tour(2000), settings("mmas", &[("local_search", "lk"), ("ants", "40")]), 4),
        ("mmas 2opt", tour(2000), settings("mmas", &[("local_search", "2opt"), ("ants", "60")]), 4),
        ("mmas matrix", tour(900), settings("mmas", &whole), 3),
        ("acs", tour(1000), settings("acs", &[("ants", "40")]), 3),
        ("faco", tour(2000), settings("faco", &[("ants", "256")]), 4),
        ("as", tour(400), settings("as", &[]), 3),
        ("cas", layout(90), settings("cas", &[("units", "12")]), 3),
        ("memetic", layout(90), settings("memetic", &[("population", "40"), ("search_iterations", "2000"), tabu]), 3),
        ("memetic 2opt", layout(200), settings("memetic", &[("population", "40")]), 3),
        ("cas 2opt", layout(90), settings("cas", &[("units", "60"), ("local_search", "2opt")]), 3),
    ]
}

#[test]
fn interrupted_runs_find_what_others_find() {
    for (name, problem, settings, iterations) in runs() {
        let mut whole = Solver::new(&problem, &settings, Target::Cpu).unwrap();
        whole.step(iterations).unwrap();
        let expected = whole.solution().unwrap();
        let mut parts = Solver::new(&problem, &settings, Target::Cpu).unwrap();
        let mut turns = 0;
        let found = loop {
            let stop = Stop::iterations(iterations).or(Stop::time(Duration::from_millis(1)));
            let solution = parts.run(&stop).unwrap();
            assert_eq!(solution.cost, problem.cost(&solution.permutation).unwrap(), "{name}");
            turns += 1;
            if solution.ended == Ended::Iterations {
                break solution;
            }
            assert_eq!(solution.ended, Ended::Time, "{name}");
        };
        assert!(turns > iterations || name.starts_with("lk-eax"), "{name}: {turns} turns interrupt no iteration");
        // What an interrupted run has seen of an iteration under way may be better than what the iteration ends with.
        assert!(found.cost <= expected.cost, "{name}: {} and {}", found.cost, expected.cost);
        let [a, b] = [&mut whole, &mut parts].map(|solver| {
            // SAFETY: nothing is run or written.
            let colony = unsafe { solver.colony() }.unwrap();
            (colony.state().unwrap(), colony.best_solution().unwrap())
        });
        assert_eq!(a, b, "{name}");
    }
}

#[test]
fn a_turn_ends_in_time_however_long_an_iteration_takes() {
    let tour = Problem::from(&generate(Kind::Uniform, 1000, 1).unwrap());
    let layout = Problem::from(&qap::generate(200, 1).unwrap());
    let endless = |algorithm: &str, name: &str| Settings::named(algorithm).unwrap().with(name, "16777216").unwrap();
    for (problem, settings) in [(tour, endless("lk", "steps")), (layout, endless("cas", "search_iterations"))] {
        let mut solver = Solver::new(&problem, &settings, Target::Cpu).unwrap();
        for _ in 0..5 {
            let began = Instant::now();
            let solution = solver.run(&Stop::time(Duration::from_millis(16))).unwrap();
            assert_eq!((solution.ended, solution.iterations), (Ended::Time, 0));
            // An iteration takes minutes.
            assert!(began.elapsed() < common::FAR_LESS, "{:?}", began.elapsed());
        }
    }
}

/// A search that is cut by the end of time has found something.
#[test]
fn what_a_gpu_has_under_way_is_kept() {
    let layout = Problem::from(&qap::generate(120, 1).unwrap());
    let endless = Settings::named("memetic").unwrap().with("population", "8").unwrap();
    let endless = endless.with("local_search", "tabu").unwrap().with("search_iterations", "16777216").unwrap();
    let mut solver = Solver::new(&layout, &endless, common::target()).unwrap();
    let began = solver.progress().cost;
    let solution = solver.run(&Stop::time(Duration::from_secs(3))).unwrap();
    assert_eq!((solution.ended, solution.iterations), (Ended::Time, 0));
    assert!(solution.cost < began, "nothing was found in {} s", solution.seconds);
    assert_eq!(solution.cost, layout.cost(&solution.permutation).unwrap());
}
