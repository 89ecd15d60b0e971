//! Programs that read many problems on rayon's threads: where a small problem were shared out, a thread that waits for its shares would begin
//! another problem within it, on and on, until its stack is full.

use std::cell::Cell;
use std::time::{Duration, Instant};

use myrmex::qap;
use myrmex::tsp::{self, Instance, Kind};
use rayon::prelude::*;

/// How many are read, so that threads take from each other.
const PROBLEMS: u64 = 4_000;

/// How many calls of `read` lie on one stack at most.
fn depth(problems: u64, read: impl Fn(u64) + Sync) -> u32 {
    thread_local!(static BEGUN: Cell<u32> = const { Cell::new(0) });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).stack_size(64 << 20).build().unwrap();
    let one = |number: u64| {
        let begun = BEGUN.replace(BEGUN.get() + 1) + 1;
        read(number);
        BEGUN.set(BEGUN.get() - 1);
        begun
    };
    pool.install(|| (0..problems).into_par_iter().map(one).max().unwrap())
}

#[test]
fn small_problems_begin_no_other_within_them() {
    let text = |instance: &Instance| {
        let mut text = Vec::new();
        instance.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    };
    let uniform = tsp::generate(Kind::Uniform, 60, 1).unwrap();
    let matrix = Instance::from_matrix("matrix", 60, uniform.distance_matrix()).unwrap();
    let texts = [text(&uniform), text(&matrix), "x,y,name\n0,0,a\n0.5,2,b\n1,3,c\n4,4,d\n".to_owned()];
    let found = depth(PROBLEMS, |number| {
        let n = 3 + number as usize % 30;
        let at = |k: usize| (number as usize * 31 + k * 7919) % 997;
        let points: Vec<[f64; 2]> = (0..n).map(|k| [at(2 * k) as f64 / 8.0, at(2 * k + 1) as f64]).collect();
        let cells = |k: usize| at(k) as f64 * 0.37;
        let weights: Vec<f64> = (0..n * n).map(|k| if k % 11 == 5 { f64::INFINITY } else { cells(k) }).collect();
        let table: Vec<f64> = (0..n * n).map(cells).collect();
        let instance = match number % 7 {
            0 => Instance::from_points(&points),
            1 => Instance::from_lon_lat(&points.iter().map(|p| [p[0] - 60.0, p[1] / 20.0]).collect::<Vec<_>>()),
            2 => Instance::from_matrix_f64(n, weights),
            3 => Instance::from_matrix_i64(n, table.iter().map(|&weight| weight as i64 - 40).collect()),
            4 => Instance::parse(&texts[number as usize / 7 % texts.len()], "text"),
            5 => Instance::from_points(&points).and_then(|instance| instance.open_path(Some(0), None)),
            _ => {
                let of = qap::Instance::from_matrices_f64("tables", [n, n], table.clone(), table, None);
                assert_eq!(of.unwrap().len(), n);
                return;
            }
        };
        let instance = instance.unwrap();
        let tour: Vec<u32> = (0..instance.len() as u32).collect();
        instance.neighbours(5);
        instance.length(&tour).unwrap();
    });
    assert_eq!(found, 1);
}

/// What the test above tells is there to be told.
#[test]
fn large_problems_are_shared_out() {
    let read = |number: u64| {
        let n = 300;
        let weights = (0..n * n).map(|k| ((number as usize + k * 7919) % 997) as f64).collect();
        Instance::from_matrix_f64(n, weights).unwrap();
    };
    // When threads take from each other is a matter of chance.
    let began = Instant::now();
    while depth(200, read) == 1 {
        assert!(began.elapsed() < Duration::from_secs(60), "no thread has taken a share of another's");
    }
}
