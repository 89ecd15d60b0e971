//! Crossover of windows of a tour, one at a time and side by side.

use super::*;

/// Crossover of a window at a time makes the same tours everywhere, in coordinates, by a matrix, for a path between given ends; nothing
/// found is lost from window to window, and populations take turns with windows.
#[test]
fn a_window_at_a_time_makes_the_same_tours_everywhere() {
    let plane = common::made(Kind::Clustered, 700, 3);
    let matrix = Instance::from_matrix("matrix", 700, plane.distance_matrix()).unwrap();
    let path = plane.clone().open_path(Some(3), Some(90)).unwrap().with_fixed_edges(&[[5, 17], [17, 300]]).unwrap();
    let settings = windows(8, 64, 2000, 5).also("population=10").also("eax_up_to=300").also("eax_window=200");
    for instance in [plane, matrix, path] {
        let runs = common::targets().map(|target| {
            let mut solver = common::solver(&instance, &settings, target);
            let mut costs = vec![solver.progress().cost];
            for _ in 0..240 {
                costs.push(solver.step(1).unwrap().cost);
                assert!(costs.is_sorted_by(|before, after| before >= after));
            }
            let progress = solver.progress();
            assert!(progress.round >= 3, "only {} windows", progress.round);
            assert!(matches!(solver.plan(), Some(Plan::Construct(_) | Plan::Eax(_))));
            let solution = solver.solution().unwrap();
            assert_eq!(solution.cost, instance.tour_cost(&solution.permutation).unwrap());
            let phases: Vec<_> = solution.phases.iter().map(|phase| (phase.algorithm, phase.iterations)).collect();
            assert_eq!(phases.iter().map(|(_, iterations)| iterations).sum::<u32>(), 240);
            assert_eq!(phases.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["lk", "eax"]);
            assert!(solution.phases[1].cost_end < solution.phases[1].cost_begin, "windows gained nothing");
            (costs, phases, (solution.permutation, solution.cost))
        });
        assert_eq!(runs[0], runs[1], "{}", instance.name());
        // In turns of any length.
        let mut solver = common::solver(&instance, &settings, Target::Cpu);
        let moment = Stop::time(Duration::from_millis(3)).or(Stop::iterations(240));
        while solver.progress().iteration < 240 {
            solver.run(&moment).unwrap();
        }
        let solution = solver.solution().unwrap();
        assert_eq!((solution.permutation, solution.cost), runs[0].2);
    }
}

/// What windows gain is seen when they end: a rule of stagnation waits for that, and the run ends at the same tour however long its turns are.
#[test]
fn stagnation_waits_for_windows_to_end() {
    let plane = common::made(Kind::Clustered, 1300, 3);
    let settings = windows(8, 64, 2000, 5).also("population=6").also("eax_up_to=300").also("eax_window=200");
    for at_a_time in ["eax_windows=1", "eax_windows=3"] {
        let ends = |turn: Duration| {
            let mut solver = common::solver(&plane, &settings.also(at_a_time), Target::Cpu);
            let stop = Stop::stagnation(12).or(Stop::time(turn));
            while solver.advance(&stop).unwrap() != Ended::Stagnation {}
            solver.solution().unwrap()
        };
        let [quick, slow] = [3, 60_000].map(|millis| ends(Duration::from_millis(millis)));
        // Whoever looks at the solution on the way changes nothing, and the run goes on behind its end, from a checkpoint too.
        let mut solver = common::solver(&plane, &settings.also(at_a_time), Target::Cpu);
        let turn = Stop::stagnation(12).or(Stop::time(Duration::from_millis(3)));
        let looked = loop {
            let solution = solver.run(&turn).unwrap();
            if solution.ended == Ended::Stagnation {
                break solution;
            }
        };
        assert_eq!((&looked.permutation, looked.iterations), (&slow.permutation, slow.iterations), "{at_a_time}");
        let checkpoint = solver.checkpoint().unwrap();
        let mut again = Solver::resume(&plane, checkpoint, Target::Cpu).unwrap();
        let more = Stop::iterations(slow.iterations + 40);
        let [on, resumed] = [solver.run(&more).unwrap(), again.run(&more).unwrap()];
        assert_eq!((on.permutation, on.cost), (resumed.permutation, resumed.cost), "{at_a_time}");
        assert_eq!((&quick.permutation, quick.iterations), (&slow.permutation, slow.iterations), "{at_a_time}");
        let gains: Vec<u32> =
            slow.trace.iter().filter(|point| point.shared_edges.is_none()).map(|it| it.iteration).collect();
        // More than one window has gained something, and none did what was only seen when the run ended.
        let in_windows = slow.phases[0].iterations;
        assert!(gains.iter().filter(|gain| **gain > in_windows).count() > 1, "{gains:?} {in_windows}");
        assert!(slow.iterations >= gains.last().unwrap() + 12, "{gains:?} {}", slow.iterations);
    }
}

/// Windows that crossover improves side by side are taken over in the order in which they end, whatever each has to wait for.
#[test]
fn windows_side_by_side_make_the_same_tours_everywhere() {
    let plane = common::made(Kind::Clustered, 1300, 3);
    let path = plane.clone().open_path(Some(3), Some(90)).unwrap().with_fixed_edges(&[[5, 17], [17, 300]]).unwrap();
    let settings = windows(8, 64, 2000, 5).also("population=6").also("eax_up_to=300").also("eax_window=200");
    for instance in [plane, path] {
        let side_by_side = settings.also("eax_windows=3");
        let runs = common::targets().map(|target| {
            let mut solver = common::solver(&instance, &side_by_side, target);
            let mut costs = vec![solver.progress().cost];
            let mut rounds = Vec::new();
            for _ in 0..40 {
                costs.push(solver.step(5).unwrap().cost);
                rounds.push(solver.progress().round);
                assert!(costs.is_sorted_by(|before, after| before >= after));
            }
            assert!(rounds.last() > Some(&4), "{rounds:?}");
            let solution = solver.solution().unwrap();
            assert_eq!(solution.cost, instance.tour_cost(&solution.permutation).unwrap());
            (costs, rounds, solution.permutation)
        });
        assert_eq!(runs[0], runs[1], "{}", instance.name());
        // In turns of any length, looked at in between.
        let mut solver = common::solver(&instance, &side_by_side, Target::Cpu);
        let moment = Stop::time(Duration::from_millis(3)).or(Stop::iterations(200));
        while solver.progress().iteration < 200 {
            solver.run(&moment).unwrap();
        }
        assert_eq!(solver.solution().unwrap().permutation, runs[0].2);
        // One at a time is another algorithm.
        let mut alone = common::solver(&instance, &settings, Target::Cpu);
        alone.step(200).unwrap();
        assert_ne!(alone.solution().unwrap().permutation, runs[0].2);
    }
}
