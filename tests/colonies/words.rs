//! How several colonies are asked for, what a plan and a report say of them, and what is refused.

use myrmex::tsp::Kind;
use myrmex::{Error, Problem, Solver, Target, qap};
use serde_json::Value;

use crate::common;
use crate::common::program::{instance, myrmex};
use crate::common::{Also, settings};

#[test]
fn what_makes_no_sense_is_refused_with_the_remedy() {
    let tour = Problem::Tsp(common::made(Kind::Uniform, 30, 1));
    let assignment = Problem::Qap(qap::generate(10, 1).unwrap());
    for (parameters, word) in [
        ("colonies=0", "colonies must lie in 1 to 256, not 0"),
        ("colonies=257", "colonies must lie in 1 to 256, not 257"),
        ("migration=10", "leave 'migration' out"),
        ("colonies=1 migration=0", "leave 'migration' out"),
        ("migration_time=1", "leave 'migration_time' out"),
        ("topology=complete", "leave 'topology' out"),
        ("colonies=3 migration=0 topology=ring", "leave 'topology' out"),
        ("colonies=2 migration_time=0.01", "must be 0.05 to 3600 seconds, not 0.01"),
        ("colonies=2 migration=9 migration_time=1", "give one of them"),
    ] {
        for problem in [&tour, &assignment] {
            let error = Solver::new(problem, &settings("auto").also(parameters), Target::Cpu).err().unwrap();
            assert!(matches!(error, Error::Config(_)) && error.to_string().contains(word), "{error}");
        }
    }
}

#[test]
fn the_command_line_has_words_for_it() {
    let input = instance("uniform200.tsp");
    let ring = ["--set", "colonies=3", "--set", "migration=4"];
    let solved = ["wgpu", "cpu"].map(|backend| {
        let run = ["solve", &input, "--backend", backend, "--set", "windows=5", "--iterations", "9", "--json", "-"];
        let output = myrmex(&[&run[..], &ring].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && told.contains("3 colonies"), "{told}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    });
    let [gpu, cpu] = &solved;
    assert_eq!((&gpu["tour"], &gpu["cost"]), (&cpu["tour"], &cpu["cost"]));
    // Several colonies run what one would.
    let recipe = &cpu["recipe"];
    assert_eq!(
        (&recipe["algorithm"], &recipe["colonies"], &recipe["migration"]),
        (&"lk-eax".into(), &3.into(), &4.into())
    );
    assert_eq!(cpu["iterations"], 9);

    let plan = myrmex(&[&["plan", &input, "--backend", "cpu"][..], &ring].concat());
    let plan = String::from_utf8(plan.stdout).unwrap();
    for words in ["3 colonies in a ring", "bests migrate every 4 iterations"] {
        assert!(plan.contains(words), "'{words}' is not in\n{plan}");
    }
    let complete = [&["plan", &input, "--backend", "cpu"][..], &ring, &["--set", "topology=complete"]].concat();
    let complete = String::from_utf8(myrmex(&complete).stdout).unwrap();
    assert!(complete.contains("3 colonies, the best of all migrates every 4 iterations"), "{complete}");
    let never = myrmex(&["plan", &input, "--backend", "cpu", "--set", "colonies=2", "--set", "migration=0"]);
    let never = String::from_utf8(never.stdout).unwrap();
    assert!(never.contains("2 colonies, nothing migrates"), "{never}");
    for algorithm in ["clk", "lk"] {
        let alone = myrmex(&["plan", &input, "--backend", "cpu", "--set", "colonies=2", "--algorithm", algorithm]);
        let alone = String::from_utf8(alone.stdout).unwrap();
        assert!(alone.contains("2 colonies, independent runs of which the best counts"), "{alone}");
    }
    let by_clock = myrmex(&["plan", &input, "--backend", "cpu", "--set", "colonies=2", "--set", "migration_time=1.5"]);
    let by_clock = String::from_utf8(by_clock.stdout).unwrap();
    assert!(by_clock.contains("2 colonies in a ring, bests migrate every 1.5 seconds"), "{by_clock}");

    for (parameter, reason) in [("migration=4", "at least 2 colonies"), ("colonies=0", "1 to 256")] {
        let output = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--set", parameter]);
        assert_eq!(output.status.code(), Some(2), "{parameter}");
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(complaint.contains(reason), "{complaint}");
    }
}
