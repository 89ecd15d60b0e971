//! What is no checkpoint, or of another run, is refused.

use xxhash_rust::xxh3::xxh3_64;

use super::*;

fn message(result: myrmex::Result<Checkpoint>) -> String {
    match result {
        Err(Error::Checkpoint(message)) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn damaged_checkpoints_are_refused() {
    let tour = Problem::Tsp(common::made(Kind::Uniform, 40, 1));
    let mut solver = common::solver(&tour, &settings("lk windows=2 window_size=16 steps=50"), Target::Cpu);
    solver.step(3).unwrap();
    let bytes = solver.checkpoint().unwrap().to_bytes().unwrap();
    assert!(Checkpoint::from_bytes(&bytes).is_ok());
    for at in 0..bytes.len() {
        for flip in [1 << (at % 8), 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            message(Checkpoint::from_bytes(&damaged));
        }
        message(Checkpoint::from_bytes(&bytes[..at]));
    }
    message(Checkpoint::from_bytes(&[&bytes[..], &[0]].concat()));
    assert!(message(Checkpoint::from_bytes(b"NAME : uniform")).contains("no checkpoint of myrmex"));
    // A whole file of another form.
    let mut newer = bytes[..bytes.len() - 8].to_vec();
    let form = newer[8];
    newer[8] = form + 1;
    newer.extend(xxh3_64(&newer).to_le_bytes());
    assert!(
        message(Checkpoint::from_bytes(&newer)).contains(&format!("form {}, this program reads form {form}", form + 1))
    );
}

/// The same with a checksum that is right: what makes no sense is refused, too.
#[test]
fn checkpoints_that_contradict_themselves_are_refused() {
    let tour = Problem::Tsp(common::made(Kind::Uniform, 40, 1));
    let mut solver = common::solver(&tour, &settings("lk windows=2 window_size=16 steps=50"), Target::Cpu);
    solver.step(3).unwrap();
    let bytes = solver.checkpoint().unwrap().to_bytes().unwrap();
    let length = u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize;
    let head = std::str::from_utf8(&bytes[20..20 + length]).unwrap();
    let other = |find: &str, put: &str| {
        assert!(head.contains(find), "{head}");
        let head = head.replacen(find, put, 1);
        let mut whole = bytes[..12].to_vec();
        whole.extend((head.len() as u64).to_le_bytes());
        whole.extend(head.as_bytes());
        whole.extend(&bytes[20 + length..bytes.len() - 8]);
        whole.extend(xxh3_64(&whole).to_le_bytes());
        Checkpoint::from_bytes(&whole).and_then(|checkpoint| Solver::resume(&tour, checkpoint, Target::Cpu))
    };
    assert!(other("\"program\"", "\"program\"").is_ok());
    for (find, put) in [
        ("\"at\":{\"index\":0", "\"at\":{\"index\":7"),
        ("\"windows\":2", "\"windows\":3"),
        ("\"kept_cost\":", "\"kept_cost\":1"),
        ("\"halvings\":0", "\"halvings\":9"),
        ("\"earlier\":{\"iterations\":0", "\"earlier\":{\"iterations\":4294967295"),
        ("\"first_iteration\":0", "\"first_iteration\":4294967295"),
        ("\"buffers\":[\"state\"", "\"buffers\":[\"tours\""),
        ("\"lengths\":[40", "\"lengths\":[4000000000000000000"),
        ("\"lengths\":[40,40", "\"lengths\":[39,41"),
        ("\"runs\":[", "\"runs\":[],\"other\":["),
    ] {
        assert!(matches!(other(find, put), Err(Error::Checkpoint(_))), "{find} {put}");
    }
}

/// Whatever words stand in a buffer that is saved, with a checksum that is right: kernels, which trust what they take for cities and facilities, get none
/// that they could not have written. So twins, which check, never panic.
#[test]
fn words_that_no_kernel_writes_are_refused() {
    let n = 24;
    let word = |at: usize| (at as u32).wrapping_mul(2_654_435_761) >> 7;
    let matrix = |of: &dyn Fn(usize, usize) -> u32| {
        let entry = |at: usize| {
            let (i, j) = (at / n, at % n);
            if i == j { 0 } else { of(i.min(j), i.max(j)) }
        };
        (0..n * n).map(entry).collect::<Vec<u32>>()
    };
    // Half of the facilities have no flows, so that they are alike.
    let flows = matrix(&|i, j| if j < n / 2 { word(i * n + j) % 50 } else { 0 });
    let distances = matrix(&|i, j| 1 + word(i + n * j) % 90);
    let placed = Problem::Qap(qap::Instance::from_matrices("alike", n, flows, distances).unwrap());
    let tour = Problem::Tsp(common::made(Kind::Uniform, 80, 1));
    let of_tours = [
        "mmas",
        "mmas memory=matrix",
        "acs",
        "acs memory=selective",
        "as",
        "as candidates=all",
        "faco",
        "lk windows=2 window_size=16 steps=50",
        "clk",
        "eax population=8",
    ];
    let of_assignments = ["memetic population=8", "cas", "mmas"];
    let cases = of_tours.iter().map(|line| (&tour, line)).chain(of_assignments.iter().map(|line| (&placed, line)));
    let (mut refused, mut failed) = (0, Vec::new());
    for (problem, line) in cases {
        let mut solver = common::solver(problem, &settings(line), Target::Cpu);
        solver.step(2).unwrap();
        let bytes = solver.checkpoint().unwrap().to_bytes().unwrap();
        let length = u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize;
        let head: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        // Before these: the best solution, and an order.
        let buffers = &head["checkpoint"]["runs"][0]["colony"]["buffers"];
        let lengths: Vec<usize> =
            head["lengths"].as_array().unwrap().iter().map(|words| words.as_u64().unwrap() as usize).collect();
        for list in 0..lengths.len() {
            let begin = 20 + length + 4 * lengths[..list].iter().sum::<usize>();
            for most in [u32::MAX, problem.len() as u32 - 1] {
                let mut other = bytes[..bytes.len() - 8].to_vec();
                for at in 0..lengths[list] {
                    let drawn = word(at + 7 * list).wrapping_mul(0x9E37_79B1) % most.max(1);
                    other[begin + 4 * at..][..4].copy_from_slice(&drawn.to_le_bytes());
                }
                other.extend(xxh3_64(&other).to_le_bytes());
                let checkpoint = Checkpoint::from_bytes(&other).unwrap();
                let resumed = catch_unwind(AssertUnwindSafe(|| {
                    let mut again = Solver::resume(problem, checkpoint, Target::Cpu)?;
                    again.run(&Stop::iterations(3).or(Stop::time(Duration::from_millis(300))))
                }));
                let Ok(resumed) = resumed else {
                    failed.push(format!("{line}: list {list} of {buffers}, words up to {most}"));
                    continue;
                };
                refused += u32::from(matches!(resumed, Err(Error::Checkpoint(_))));
            }
        }
    }
    assert!(failed.is_empty() && refused > 60, "{refused} refused, panics: {failed:#?}");
}

#[test]
fn checkpoints_of_another_instance_are_refused() {
    let tour = |seed| common::made(Kind::Uniform, 60, seed);
    let mut solver = common::solver(Problem::Tsp(tour(1)), &settings("mmas ants=2"), Target::Cpu);
    let kept = solver.checkpoint().unwrap();
    for other in [
        Problem::Tsp(tour(2)),
        Problem::Tsp(tour(1).open_path(None, None).unwrap()),
        Problem::Tsp(tour(1).with_fixed_edges(&[[1, 2]]).unwrap()),
        Problem::Tsp(Instance::from_matrix("matrix", 60, tour(1).distance_matrix()).unwrap()),
        Problem::Qap(qap::generate(60, 1).unwrap()),
    ] {
        let Err(Error::Checkpoint(message)) = Solver::resume(&other, kept.clone(), Target::Cpu) else {
            panic!("a checkpoint of another instance was taken")
        };
        assert!(message.contains("it is of another instance"), "{message}");
        let alike = other.name() == Problem::Tsp(tour(1)).name() && other.len() == 60;
        assert_eq!(message.contains("that is called"), alike, "{message}");
    }
    assert!(Solver::resume(tour(1), kept, Target::Cpu).is_ok());
}
