//! Assignment problems as people have them: fixed facilities, fewer facilities than locations, negative entries, decimals. Every small problem
//! against all its solutions, with costs summed from what was given; the same answer on every backend; what is refused.

use crate::common::program::{complaint, file, instance, myrmex, stdout};
use crate::common::target;
use myrmex::qap::{Instance, parse_solution, write_solution};
use myrmex::{Checkpoint, Ended, Problem, Settings, Solution, Solver, Stop, Target};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_pcg::Pcg64Mcg;
use serde_json::Value;
use std::time::Duration;

#[path = "facilities/forbidden.rs"]
mod forbidden;
#[path = "facilities/rounded.rs"]
mod rounded;

/// What a person has.
#[derive(Clone, Debug)]
struct Given {
    facilities: usize,
    locations: usize,
    flows: Vec<f64>,
    distances: Vec<f64>,
    placing: Option<Vec<f64>>,
    fixed: Vec<[u32; 2]>,
}

/// What entries are like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Entries {
    /// Whole numbers from 0 up.
    Whole,
    /// Whole numbers of both signs.
    Signed,
    /// Two decimals, both signs.
    Decimals,
    /// More decimals than 31 bits hold.
    Fractions,
}

impl Given {
    fn random(entries: Entries, [facilities, locations]: [usize; 2], seed: u64) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let symmetric = seed.is_multiple_of(3);
        let mut entry = || match entries {
            Entries::Whole => f64::from(random.random_range(0..100)),
            Entries::Signed => f64::from(random.random_range(-50..50)),
            Entries::Decimals => f64::from(random.random_range(-5000..5000)) / 100.0,
            Entries::Fractions => (random.random::<f64>() - 0.4) * 1e-3,
        };
        let mut square = |side: usize| {
            let mut matrix: Vec<f64> = (0..side * side).map(|_| entry()).collect();
            if symmetric {
                (0..side * side)
                    .for_each(|at| matrix[at] = matrix[(at % side).max(at / side) * side + (at % side).min(at / side)]);
            }
            matrix
        };
        let (flows, distances) = (square(facilities), square(locations));
        let placing = seed.is_multiple_of(2).then(|| (0..facilities * locations).map(|_| entry()).collect());
        let count = if seed % 5 < 2 { 0 } else { random.random_range(0..=facilities) };
        let mut numbers = |below: usize| {
            let mut numbers: Vec<u32> = (0..below as u32).collect();
            numbers.shuffle(&mut random);
            numbers
        };
        let pairs = numbers(facilities).into_iter().zip(numbers(locations)).take(count);
        let fixed = pairs.map(|(facility, location)| [facility, location]).collect();
        Self { facilities, locations, flows, distances, placing, fixed }
    }

    fn instance(&self) -> Instance {
        let Self { facilities, locations, flows, distances, placing, fixed } = self.clone();
        let free = Instance::from_matrices_f64("small", [facilities, locations], flows, distances, placing).unwrap();
        free.with_fixed(&fixed).unwrap()
    }

    /// Σᵢⱼ aᵢⱼ · b_φ(i)φ(j) + Σᵢ cᵢφ(i).
    fn cost(&self, assignment: &[u32]) -> f64 {
        let at = |i: usize| assignment[i] as usize;
        let pairs = (0..self.facilities).flat_map(|i| (0..self.facilities).map(move |j| (i, j)));
        let quadratic: f64 = pairs
            .map(|(i, j)| self.flows[i * self.facilities + j] * self.distances[at(i) * self.locations + at(j)])
            .sum();
        let costs =
            self.placing.iter().flat_map(|costs| (0..self.facilities).map(|i| costs[i * self.locations + at(i)]));
        quadratic + costs.sum::<f64>()
    }

    /// All assignments that have the fixed facilities where they are fixed.
    fn all(&self) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new()];
        for facility in 0..self.facilities as u32 {
            let fixed = self.fixed.iter().find(|pair| pair[0] == facility).map(|pair| pair[1]);
            let longer = |before: &Vec<u32>| -> Vec<Vec<u32>> {
                let free = (0..self.locations as u32).filter(|location| !before.contains(location));
                let may = free.filter(|&location| match fixed {
                    Some(there) => location == there,
                    None => self.fixed.iter().all(|pair| pair[1] != location),
                });
                may.map(|location| [&before[..], &[location]].concat()).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    fn least(&self) -> f64 {
        self.all().iter().map(|assignment| self.cost(assignment)).fold(f64::INFINITY, f64::min)
    }
}

fn solve(instance: &Instance, target: Target, iterations: u32) -> Solution {
    let settings = Settings::default().for_iterations(Some(iterations));
    let mut solver = Solver::new(instance, &settings, target).unwrap();
    solver.run(&Stop::iterations(iterations)).unwrap()
}

const ALL: [Entries; 4] = [Entries::Whole, Entries::Signed, Entries::Decimals, Entries::Fractions];

/// Numbers of facilities and locations.
const SIZES: [[usize; 2]; 12] =
    [[1, 1], [1, 3], [2, 2], [2, 5], [3, 3], [3, 7], [4, 4], [4, 6], [5, 5], [5, 7], [6, 6], [7, 7]];

#[test]
fn small_problems_are_solved_to_the_least_cost_of_all_assignments() {
    let (mut fixed, mut empty, mut rounded, mut negative) = (0, 0, 0, 0);
    for entries in ALL {
        for (sizes, seed) in SIZES.into_iter().flat_map(|sizes| (0..10).map(move |seed| (sizes, seed))) {
            let given = Given::random(entries, sizes, seed);
            let instance = given.instance();
            let solution = solve(&instance, Target::Cpu, 6);
            let (found, least) = (given.cost(&solution.permutation), given.least());
            let told = format!("{entries:?} {sizes:?} {seed}: {solution:?}");
            // Sums of floating-point numbers in another order differ a little.
            let near = |a: f64, b: f64| {
                (a - b).abs() <= 1e-9 * (1.0 + b.abs()) * if entries == Entries::Fractions { 1e-3 } else { 1.0 }
            };
            assert!(near(solution.length, found), "{found} {told}");
            assert!(found <= least + 2.0 * instance.cost_error() + 1e-9, "{least} {told}");
            // Fractions by which all assignments cost the same are exact, too.
            assert!(entries == Entries::Fractions || instance.cost_error() == 0.0, "{told}");
            if instance.cost_error() == 0.0 {
                assert!(near(found, least), "{least} {told}");
            }
            assert_eq!(instance.cost(&solution.permutation).unwrap(), solution.cost, "{told}");
            let counted = given.all().into_iter().map(|assignment| instance.cost(&assignment).unwrap()).min();
            assert_eq!(Problem::from(&instance).least_cost(), counted, "{told}");
            fixed += usize::from(!given.fixed.is_empty());
            empty += usize::from(sizes[0] < sizes[1]);
            rounded += usize::from(instance.cost_error() > 0.0);
            negative += usize::from(least < 0.0);
        }
    }
    assert!(fixed > 100 && empty > 100 && rounded > 80 && negative > 100, "{fixed} {empty} {rounded} {negative}");
}

/// What is said of the error holds for every assignment, and costs in the user's unit order assignments as they are.
#[test]
fn costs_differ_by_no_more_than_the_error() {
    for entries in ALL {
        for seed in 0..10 {
            let given = Given::random(entries, [4, 6], seed);
            let instance = given.instance();
            let mut most = 0.0f64;
            for assignment in given.all() {
                let (cost, true_cost) = (instance.cost(&assignment).unwrap(), given.cost(&assignment));
                let differs = (instance.length_of(cost) - true_cost).abs();
                most = most.max(differs);
                assert!(differs <= instance.cost_error() + 1e-9 * true_cost.abs().max(1e-6), "{entries:?} {seed}");
                let length = instance.length(&assignment).unwrap();
                assert!((length - true_cost).abs() <= 1e-9 * true_cost.abs().max(1e-6), "{length} {true_cost}");
                // A target is the greatest cost that is no more.
                assert_eq!(instance.cost_of(instance.length_of(cost)), cost);
            }
            // It is a bound, and not far from what there is.
            if instance.cost_error() > 0.0 {
                assert!(most > 0.0 && instance.cost_error() < 1e-4 * given.flows.iter().map(|x| x.abs()).sum::<f64>());
            }
        }
    }
}

/// Kernels on another backend find the same, with targets and costs in the original problem's terms.
#[test]
fn answers_are_the_same_on_every_backend() {
    for (entries, sizes, seed) in [
        (Entries::Whole, [7, 9], 3),
        (Entries::Signed, [8, 8], 4),
        (Entries::Decimals, [6, 9], 8),
        (Entries::Fractions, [8, 9], 14),
    ] {
        let instance = Given::random(entries, sizes, seed).instance();
        let [on_cpu, on_gpu] = [Target::Cpu, target()].map(|target| solve(&instance, target, 5));
        assert_eq!((on_cpu.permutation, on_cpu.cost), (on_gpu.permutation, on_gpu.cost), "{entries:?}");
        assert_eq!(on_cpu.length, on_gpu.length);
        let costs = |solution: &[myrmex::TracePoint]| solution.iter().map(|point| point.cost).collect::<Vec<_>>();
        assert_eq!(costs(&on_cpu.trace), costs(&on_gpu.trace));
    }
}

/// A run with everything at once: it begins with a given assignment, ends at a target in the user's unit, and goes on from a checkpoint.
#[test]
fn runs_speak_of_the_problem_as_it_was_given() {
    let given = Given::random(Entries::Decimals, [6, 8], 19);
    assert!(!given.fixed.is_empty() && given.fixed.len() < 5);
    let instance = given.instance();
    let (problem, least) = (Problem::from(&instance), given.least());
    let settings = Settings::default().for_iterations(Some(10));
    let worst = given.all().into_iter().max_by(|a, b| given.cost(a).total_cmp(&given.cost(b))).unwrap();
    let mut solver = Solver::with_start(&problem, &settings, Target::Cpu, &worst).unwrap();
    assert_eq!(solver.incumbent().get(), Some((worst.clone(), instance.cost(&worst).unwrap())));
    let target = Stop::cost(problem.cost_of(least)).or(Stop::iterations(1000));
    let solution = solver.run(&target).unwrap();
    assert_eq!(solution.ended, Ended::Target);
    assert!((solution.length - least).abs() < 1e-6, "{} {least}", solution.length);
    assert!((problem.length_of(solution.trace[0].cost) - given.cost(&worst)).abs() < 1e-6);
    assert_eq!(problem.length_of(solution.trace.last().unwrap().cost), solution.length);
    let bytes = solver.checkpoint().unwrap().to_bytes().unwrap();
    let checkpoint = Checkpoint::from_bytes(&bytes).unwrap();
    assert_eq!(checkpoint.solution(&problem).unwrap(), solution.permutation);
    let resumed = Solver::resume(&problem, checkpoint.clone(), Target::Cpu).unwrap();
    assert_eq!(resumed.incumbent().get().unwrap().0, solution.permutation);
    // Other facilities fixed, or fewer locations left empty, is another problem.
    let elsewhere = instance.clone().with_fixed(&given.fixed[1..]).unwrap();
    assert!(checkpoint.check(&elsewhere.into()).is_err());
    // A start that has a facility elsewhere is none.
    let [facility, location] = given.fixed[0];
    let moved: Vec<u32> = given.all()[0].iter().map(|&it| (it + 1) % 8).collect();
    let error = Solver::with_start(&problem, &settings, Target::Cpu, &moved).err().unwrap().to_string();
    let told = format!(
        "invalid assignment: facility {facility} is at location {}, not at location {location}",
        (location + 1) % 8
    );
    assert!(error.starts_with(&told) || error.contains("where it is fixed"), "{error}");
}

/// Every solution in its file is read again, and an instance in its file, too.
#[test]
fn what_is_written_is_read() {
    for (entries, seed) in ALL.into_iter().zip([2, 8, 14, 4]) {
        let given = Given::random(entries, [4, 5], seed);
        let instance = given.instance();
        for assignment in given.all() {
            let mut text = Vec::new();
            write_solution(&mut text, instance.length(&assignment).unwrap(), &assignment).unwrap();
            let read = parse_solution(std::str::from_utf8(&text).unwrap(), "t", &instance).unwrap();
            assert!(read.is_true(&instance).unwrap());
            assert_eq!(read.permutation, assignment);
        }
        let mut text = Vec::new();
        instance.write(&mut text).unwrap();
        let read = Instance::parse(std::str::from_utf8(&text).unwrap(), "t").unwrap();
        let origin = read.origin();
        assert_eq!(
            (&origin.flows, &origin.distances, &origin.placing),
            (&given.flows, &given.distances, &given.placing)
        );
        let again = read.with_fixed(&given.fixed).unwrap();
        assert_eq!((again.flows(), again.distances()), (instance.flows(), instance.distances()));
    }
}

/// Entries that fit as they are make the instance that they always made.
#[test]
fn whole_entries_are_counted_as_they_are() {
    let given = Given { fixed: Vec::new(), ..Given::random(Entries::Whole, [6, 6], 4) };
    let whole = |matrix: &[f64]| matrix.iter().map(|entry| *entry as u32).collect::<Vec<_>>();
    let plain = Instance::from_matrices("plain", 6, whole(&given.flows), whole(&given.distances)).unwrap();
    let plain = plain.with_placing_costs(whole(given.placing.as_ref().unwrap())).unwrap();
    let instance = given.instance();
    assert_eq!((instance.flows(), instance.distances()), (plain.flows(), plain.distances()));
    assert_eq!((instance.placing_costs(), instance.scale(), instance.cost_error()), (plain.placing_costs(), 1.0, 0.0));
    let [one, other] = [&instance, &plain].map(|instance| solve(instance, Target::Cpu, 4));
    assert_eq!((one.permutation, one.cost as f64), (other.permutation, other.length));
}

#[test]
fn what_means_nothing_is_refused() {
    let made = |sizes, flows: &[f64], distances: &[f64], placing: Option<&[f64]>| {
        Instance::from_matrices_f64("", sizes, flows.to_vec(), distances.to_vec(), placing.map(<[f64]>::to_vec))
    };
    let message = |result: myrmex::Result<Instance>| result.unwrap_err().to_string();
    let two = [0.0, 1.5, 1.5, 0.0];
    assert!(message(made([3, 2], &[0.0; 9], &two, None)).contains("3 facilities have only 2 locations"));
    assert!(message(made([2, 2], &two, &[0.0; 9], None)).contains("2 x 2 distances, not 9"));
    assert!(message(made([1, 2], &[0.0], &two, Some(&[1.0]))).contains("1 x 2 costs of placing, not 1"));
    assert!(message(made([0, 2], &[], &two, None)).contains("no facility"));
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let told = message(made([2, 2], &two, &[0.0, 1.0, wrong, 0.0], None));
        assert!(told.contains(&format!("row 1, column 0 (counted from 0) of the distances is {wrong}")), "{told}");
    }
    // All that facility 2 has is nothing beside the others' flows, and there are too many assignments to compare all.
    let square = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (0..100).map(|at| if at / 10 == at % 10 { 0.0 } else { entry(at / 10, at % 10) }).collect()
    };
    let flows = square(&|a, b| if a == 2 || b == 2 { 1e-14 * ((a + b) % 2) as f64 } else { 1.0 / 3.0 });
    let far = square(&|a, b| (10 * a + b) as f64 / 7.0);
    let told = message(made([10, 10], &flows, &far, None));
    assert!(told.contains("the flows of facility 2 (counted from 0), 1e-14 at most, round to nothing"), "{told}");
    // All of both is nothing beside what one place costs, which one of them takes.
    let costs: Vec<f64> = (0..100).map(|at| if at % 10 == 0 { 1e30 + 1e29 * (at / 10) as f64 } else { 0.25 }).collect();
    let told = message(made([10, 10], &square(&|a, b| [1.5, 0.0][(a + b) % 2]), &far, Some(&costs)));
    assert!(told.contains("1.5 at most, round to nothing beside costs of placing of 1.9e30"), "{told}");
    assert!(made([2, 2], &two, &two, Some(&[1e30, 0.25, 0.0, 0.5])).is_ok());

    let five = || Given::random(Entries::Signed, [4, 5], 1).instance();
    for (pairs, told) in [
        (&[[4, 0]][..], "facility 4 is to be fixed at location 0, but facilities go from 0 to 3"),
        (&[[0, 5]], "facility 0 is to be fixed at location 5, but locations go from 0 to 4"),
        (&[[1, 2], [1, 3]], "facility 1 is fixed twice, at location 2 and at location 3: leave one out"),
        (&[[1, 2], [0, 2]], "two facilities, 1 and 0, are fixed at location 2: fix one of them elsewhere"),
    ] {
        assert!(message(five().with_fixed(pairs)).contains(told), "{}", message(five().with_fixed(pairs)));
    }
    for word in ["1", "1=", "=2", "a=2", "0=1", "1=0", "-1=2", "1=2=3", "1.5=2"] {
        assert!(message(five().with_fixed_called(&[word])).contains("as in 3=7"), "{word}");
    }
    assert!(message(five().with_fixed_called(&["5=1"])).contains("facilities go from 1 to 4"));
    assert_eq!(five().with_fixed_called(&["4=5", " 1 = 2 "]).unwrap().fixed(), [[3, 4], [0, 1]]);
}

const PROBLEM: &str = "3 4\n0 2.5 -1\n2.5 0 3\n-1 3 0\n\n0 1 4 2\n1 0 2 6\n4 2 0 3\n2 6 3 0\n";

/// The command line: what is told, written, checked, and refused.
#[test]
fn the_program_tells_costs_as_they_were_given() {
    let folder = tempfile::tempdir().unwrap();
    let (path, input) = file(&folder, "rooms.dat");
    std::fs::write(path, PROBLEM).unwrap();
    let (written, solution) = file(&folder, "rooms.sln");
    let (table, csv) = file(&folder, "rooms.csv");
    // Facility 1 at location 4: the others take 1 and 3, or what is left.
    let run = ["solve", &input, "--backend", "cpu", "--iterations", "3", "--fix", "1=4"];
    let output = myrmex(&[&run[..], &["--json", "-", "--solution", &solution, "--solution", &csv]].concat());
    assert!(output.status.success(), "{}", complaint(&output));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cost = |places: [usize; 3]| {
        let distance = [[0, 1, 4, 2], [1, 0, 2, 6], [4, 2, 0, 3], [2, 6, 3, 0]];
        let pairs = [(0, 1, 2.5), (0, 2, -1.0), (1, 2, 3.0)];
        pairs.map(|(a, b, flow)| 2.0 * flow * f64::from(distance[places[a]][places[b]])).iter().sum::<f64>()
    };
    let all = (0..3).flat_map(|b| (0..3).filter(move |c| *c != b).map(move |c| [3, b, c]));
    let best = all.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap();
    assert_eq!(json["permutation"], serde_json::json!(best));
    assert_eq!((json["length"].as_f64(), json["n"].as_u64()), (Some(cost(best)), Some(3)));
    assert_eq!((&json["locations"], &json["fixed"]), (&serde_json::json!(4), &serde_json::json!([[0, 3]])));
    let empty: Vec<usize> = (0..4).filter(|location| !best.contains(location)).collect();
    assert_eq!(json["empty_locations"], serde_json::json!(empty));
    let of_file = format!("3 {}\n{} {} {}\n", cost(best), best[0] + 1, best[1] + 1, best[2] + 1);
    assert_eq!(std::fs::read_to_string(written).unwrap(), of_file);
    assert_eq!(std::fs::read_to_string(table).unwrap().lines().nth(1), Some("1,4"));
    let told = stdout(&myrmex(&["check", &input, &solution, "--fix", "1=4"]));
    assert!(
        told.starts_with(&format!("valid assignment of 3 facilities, 4 locations, 1 fixed, cost {}", cost(best))),
        "{told}"
    );
    let moved = complaint(&myrmex(&["check", &input, &solution, "--fix", "1=3"]));
    assert!(moved.ends_with("facility 1 is at location 4, but it is fixed at location 3"), "{moved}");
    // An optimum that is negative has a gap, one of 0 has none.
    let gap = |optimum: &str| -> Value {
        let output = myrmex(&[&run[..], &["--json", "-", "--optimum", optimum]].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(told.contains(" (an optimum of 0 has no percents) after "), optimum == "0", "{told}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["gap"].clone()
    };
    assert_eq!(gap("-50").as_f64(), Some((cost(best) + 50.0) / 50.0 * 100.0));
    assert_eq!(gap("0"), Value::Null);
    for (arguments, word) in [
        (&["--fix", "1=5"][..], "--fix: facility 1 is to be fixed at location 5, but locations go from 1 to 4"),
        (&["--fix", "4=1"], "--fix: facility 4 is to be fixed at location 1, but facilities go from 1 to 3"),
        (&["--fix", "1=2", "--fix", "1=3"], "--fix: facility 1 is fixed twice, at location 2 and at location 3"),
        (&["--fix", "1=2", "--fix", "3=2"], "--fix: two facilities, 1 and 3, are fixed at location 2"),
        (
            &["--fix", "A=2"],
            "'A' is no facility (by its number from 1, or a name that no other one has); a facility comes first",
        ),
    ] {
        let output = myrmex(&[&["solve", &input][..], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(complaint(&output).contains(word), "{}", complaint(&output));
    }
}

/// A file called `.dat` is an assignment problem where it can be read as one, also where its lines look like those of a table.
#[test]
fn files_called_dat_are_assignments() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "2 2\n0 1\n1 0\n0 3\n4 0\n";
    for (name, kind) in [("rooms.dat", "qap"), ("places.csv", "tsp")] {
        let (path, input) = file(&folder, name);
        std::fs::write(path, lines).unwrap();
        let output = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--json", "-"]);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", complaint(&output)));
        assert_eq!(json["problem"], kind);
    }
    for (name, lines, told) in [
        ("cut.dat", "3 5\n1 2 3\n", "too short for a matrix of 5 x 5"),
        ("more.dat", &format!("5 3\n{}", "1 ".repeat(34)), "5 facilities have only 3 locations"),
        ("comma.dat", "2\n0 1,5 1 0\n0 3 4 0\n", "1 more number stands behind two matrices"),
    ] {
        let (path, input) = file(&folder, name);
        std::fs::write(path, lines).unwrap();
        let output = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1"]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(complaint(&output).contains(told), "{}", complaint(&output));
    }
}
