//! Infinite costs of placing, which say where a facility must not be.

use super::*;

/// An infinite cost says where a facility must not be: no assignment with one is better than one without, and each of them has an infinite length, also
/// from a file.
#[test]
fn infinite_costs_are_avoided_where_they_can_be() {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    let mut needed = 0;
    for (facilities, locations) in [(3, 3), (3, 4), (4, 4), (4, 5)].into_iter().cycle().take(40) {
        let digits = [1.0, 3.0, 10.0][needed % 3];
        let mut drawn =
            |count: usize| -> Vec<f64> { (0..count).map(|_| f64::from(random.random_range(-3..9)) / digits).collect() };
        let (flows, distances) = (drawn(facilities * facilities), drawn(locations * locations));
        let mut costs = drawn(facilities * locations);
        costs.iter_mut().for_each(|cost| *cost = if random.random_bool(0.5) { f64::INFINITY } else { *cost });
        let given = Given { facilities, locations, flows, distances, placing: Some(costs), fixed: Vec::new() };
        let (instance, all, best) = (given.instance(), given.all(), given.least());
        let found = myrmex::solve(&instance, Duration::from_secs(60)).unwrap();
        assert!(found.length == best || (found.length - best).abs() < 1e-9, "{} {best}", found.length);
        let told = Problem::from(&instance).warnings_of(&found.permutation).unwrap();
        assert_eq!(told.iter().any(|text| text.contains("where it must not be")), best == f64::INFINITY, "{told:?}");
        needed += usize::from(best == f64::INFINITY);
        // No more of them than are needed; and beside them whole entries, and decimals, stay exact.
        let costs = given.placing.unwrap();
        let infinite = |order: &Vec<u32>| {
            order
                .iter()
                .enumerate()
                .filter(|(facility, at)| costs[facility * locations + **at as usize].is_infinite())
                .count()
        };
        assert_eq!(Some(infinite(&found.permutation)), all.iter().map(infinite).min());
        assert_eq!(instance.cost_error() > 0.0, digits == 3.0);
        let mut text = Vec::new();
        instance.write(&mut text).unwrap();
        let again = Instance::parse(std::str::from_utf8(&text).unwrap(), "never").unwrap();
        assert_eq!(again.origin(), instance.origin());
        // Whoever fixes a facility there gets it there.
        if let Some(at) = costs.iter().position(|cost| cost.is_infinite()) {
            let pair = [(at / locations) as u32, (at % locations) as u32];
            let fixed = myrmex::solve(instance.with_fixed(&[pair]).unwrap(), Duration::from_secs(60)).unwrap();
            assert_eq!((fixed.permutation[pair[0] as usize], fixed.length), (pair[1], f64::INFINITY));
        }
    }
    assert!((5..35).contains(&needed), "{needed}");
    // Of more than can be gone through, a search keeps off such places, too. Of 14 numbers, one more has the remainder 1 than 2.
    for (n, can_be_kept_off) in [(15, true), (14, false)] {
        let square = |seed: usize| (0..n * n).map(|at| ((at * 37 + seed) % 101) as f64 / 3.0).collect::<Vec<_>>();
        let costs = (0..n * n).map(|at| if (at / n + at % n) % 3 == 0 { 0.25 } else { f64::INFINITY }).collect();
        let many = Instance::from_matrices_f64("many", [n, n], square(1), square(40), Some(costs)).unwrap();
        let mut solver = Solver::new(&many, &Settings::default(), Target::Cpu).unwrap();
        assert_eq!(solver.run(&Stop::iterations(30)).unwrap().length.is_finite(), can_be_kept_off, "{n}");
    }
}

/// A file says what an assignment with an infinite cost costs.
#[test]
fn infinite_costs_are_read_back() {
    let matrix = vec![0.0, 3.0, 1.0, 4.0, 0.0, 2.0, 6.0, 1.0, 0.0];
    let costs = vec![f64::INFINITY, f64::INFINITY, f64::INFINITY, 0.0, 2.0, 1.0, 4.0, 0.0, 0.0];
    let made = Instance::from_matrices_f64("never", [3, 3], matrix.clone(), matrix, Some(costs)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [(problem, problem_path), (list, list_path), (_, report_path)] =
        ["never.dat", "never.sln", "never.json"].map(|name| file(&folder, name));
    made.write(&mut std::fs::File::create(problem).unwrap()).unwrap();
    let solve = ["solve", &problem_path, "--backend", "cpu", "--iterations", "3"];
    let run = myrmex(&[&solve[..], &["--solution", &list_path, "--json", &report_path]].concat());
    assert!(String::from_utf8_lossy(&run.stderr).contains("where it must not be"));
    assert!(std::fs::read_to_string(list).unwrap().starts_with("3 inf\n"));
    let told = |arguments: &[&str]| {
        let output = myrmex(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        stdout(&output)
    };
    for solution in [&list_path, &report_path] {
        assert!(told(&["check", &problem_path, solution]).contains("cost inf"), "{solution}");
        assert!(told(&["merge", &problem_path, solution]).contains("inf"), "{solution}");
        told(&[&solve[..], &["--initial", solution]].concat());
    }
}
