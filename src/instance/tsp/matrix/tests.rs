use super::*;

/// In floating point 0.1 + 0.2 + 0.3 is 0.6000000000000001.
#[test]
fn lengths_have_the_decimals_that_weights_have() {
    let three = |a: f64, b: f64, c: f64| Instance::from_matrix_f64(3, vec![0.0, a, b, a, 0.0, c, b, c, 0.0]).unwrap();
    assert_eq!(three(0.1, 0.3, 0.2).length(&[0, 1, 2]).unwrap(), 0.6);
    assert_eq!(three(-0.1, 0.3, -0.7).length(&[0, 1, 2]).unwrap(), -0.5);
    let thirds = three(1.0 / 3.0, 1.0 / 7.0, 2.0 / 3.0);
    assert_eq!(thirds.length(&[0, 1, 2]).unwrap(), 1.0 / 3.0 + 2.0 / 3.0 + 1.0 / 7.0);
}

/// Where there are digits for all, none is counted as less: costs tell lengths.
#[test]
fn equal_weights_and_great_ones_keep_their_digits() {
    let equal = Instance::from_matrix_f64(3, vec![1.5; 9]).unwrap();
    assert_eq!((equal.scale(), equal.tour_cost(&[0, 1, 2]).unwrap(), equal.length_of(45)), (10.0, 45, 4.5));
    let far = Instance::from_matrix_f64(3, vec![0.0, 0.25, 1e6, 0.25, 0.0, 0.5, 1e6, 0.5, 0.0]).unwrap();
    assert_eq!((far.scale(), far.edge_error(), far.distance(0, 2)), (100.0, 0.0, 100_000_000));
    // Beyond that ways that are not there take no digits from the others.
    let farther = Instance::from_matrix_f64(3, vec![0.0, 0.25, 1e9, 0.25, 0.0, 0.5, 1e9, 0.5, 0.0]).unwrap();
    assert_eq!((farther.scale(), farther.edge_error(), farther.length(&[0, 1, 2]).unwrap()), (100.0, 0.0, 1e9 + 0.75));
    assert!(farther.distance(0, 2) < 10_000);
}

/// Where ends or fixed edges leave no solution without great weights, these tell which solution is the best.
#[test]
fn what_constraints_force_into_a_solution_is_counted_as_it_is() {
    let symmetric = |n: usize, upper: &[f64]| {
        let at = |a: usize, b: usize| (0..a).map(|row| n - 1 - row).sum::<usize>() + b - a - 1;
        let weight = |i: usize| (i / n != i % n).then(|| upper[at((i / n).min(i % n), (i / n).max(i % n))]);
        Instance::from_matrix_f64(n, (0..n * n).map(|i| weight(i).unwrap_or_default()).collect()).unwrap()
    };
    let best = |instance: Instance| {
        let form = crate::instance::problem::Problem::from(instance.clone()).form_apart(false).unwrap();
        instance.length(&form.solution(form.best_of_few())).unwrap()
    };
    let whole = [1e9, 2e9, 1.0, 2.0, 2.0, 1.0, 1.0, 15e8, 1.0, 6e8];
    let ways = symmetric(5, &whole).open_path(Some(0), Some(1)).unwrap();
    assert_eq!(best(ways), 600_000_004.0);
    let decimals = [1e5, 7e5, 0.875, 1.875, 1.625, 0.75, 0.25, 5e5, 0.125, 1e5];
    assert_eq!(best(symmetric(5, &decimals).open_path(Some(0), Some(1)).unwrap()), 100_002.625);
    // A path that begins elsewhere needs none of them: they take no digits from the others.
    let free = symmetric(5, &decimals).open_path(Some(3), None).unwrap();
    assert_eq!((free.edge_error(), free.most_counted().is_some(), best(free) < 10.0), (0.0, true, true));
}

#[test]
fn negative_weights_are_shifted_exactly() {
    // Both directions of an asymmetric matrix, the diagonal ignored.
    let weights = vec![-99, -7, 2, 4, 0, i64::from(i32::MAX) - 7, -3, 1, 77];
    let instance = Instance::from_matrix_i64(3, weights).unwrap();
    assert!(!instance.is_symmetric());
    assert_eq!(instance.length(&[0, 1, 2]).unwrap(), -7.0 + 2_147_483_640.0 - 3.0);
    assert_eq!(instance.length(&[0, 2, 1]).unwrap(), 2.0 + 1.0 + 4.0);
    assert_eq!(instance.cost_of(7.0), instance.tour_cost(&[0, 2, 1]).unwrap());
    // Great weights that lie close together.
    let far = 1 << 40;
    let instance = Instance::from_matrix_i64(2, vec![0, far, far + 5, 0]).unwrap();
    assert_eq!(instance.length(&[0, 1]).unwrap(), (2 * far + 5) as f64);
    let message = |result: Result<Instance>| result.unwrap_err().to_string();
    let spread = vec![0, far, 2 * far, 3 * far, 0, 4 * far, 5 * far, 6 * far, 0];
    assert!(message(Instance::from_matrix_i64(3, spread)).contains("apart"));
    assert!(message(Instance::from_matrix_i64(2, vec![0, i64::MIN, i64::MAX, 0])).contains("divide them all"));
    assert!(message(Instance::from_matrix_i64(2, vec![0, 1, 2])).contains("2 x 2"));
    // What needs no shift is the same instance as before.
    let plain = Instance::from_matrix_i64(2, vec![9, 1, 2, 9]).unwrap();
    assert_eq!((plain.tour_cost(&[0, 1]).unwrap(), plain.length(&[0, 1]).unwrap()), (3, 3.0));
}

/// What all weights have in common takes no digits from what they differ by, whether they are whole, have decimals, or some ways are not there.
#[test]
fn weights_far_from_zero_keep_what_they_differ_by() {
    let apart = |a: usize, b: usize| ((a * 7919 + b * 104_729) % 97 + (b * 7919 + a * 104_729) % 89) as f64;
    let of = |more: f64, part: f64, missing: Option<f64>| {
        let weight = |at: usize| match [at / 8, at % 8] {
            [2, 5] | [5, 2] => missing.unwrap_or(more + part * apart(2, 5)),
            [a, b] => more + part * apart(a.min(b), a.max(b)),
        };
        Instance::from_matrix_f64(8, (0..64).map(weight).collect()).unwrap()
    };
    let tour = [0, 3, 1, 4, 2, 6, 5, 7];
    for missing in [None, Some(f64::INFINITY), Some(1e13)] {
        let (near, far) = (of(0.0, 1.0, missing), of(3e9, 1.0, missing));
        assert_eq!((far.edge_error(), far.scale()), (0.0, 1.0));
        assert_eq!(far.length(&tour).unwrap(), 24e9 + near.length(&tour).unwrap());
        assert_eq!(far.length_of(far.tour_cost(&tour).unwrap()), far.length(&tour).unwrap());
        let sevenths = of(1e7, 1.0 / 7.0, missing);
        assert!(sevenths.edge_error() < 1e-4, "{}", sevenths.edge_error());
    }
    // Nor does a weight that no tour needs, where many cities make it less than a tour of the others.
    let many = |at: usize| match (at / 200, at % 200) {
        (17, 31) => 1e9,
        (a, b) => 1e7 + apart(a, b) / 7.0,
    };
    let many = Instance::from_matrix_f64(200, (0..40_000).map(many).collect()).unwrap();
    assert!(many.edge_error() < 1e-3 && many.most_counted().is_some(), "{}", many.edge_error());
    // Nor where tours cost so much that a search would count them in a larger unit.
    let whole = |at: usize| if at / 100 == at % 100 { 0 } else { 1 + (at * 7919 % 97) as i64 };
    for more in [100_000_000, 1_000_000_000] {
        let as_whole = Instance::from_matrix_i64(100, (0..10_000).map(|at| more + whole(at)).collect()).unwrap();
        let as_floats = (0..10_000).map(|at| (more + whole(at)) as f64).collect();
        for instance in [as_whole, Instance::from_matrix_f64(100, as_floats).unwrap()] {
            assert_eq!((instance.edge_error(), instance.distance(0, 1)), (0.0, whole(1) as u32 - 1));
            let tour: Vec<u32> = (0..100).collect();
            assert_eq!(instance.length_of(instance.tour_cost(&tour).unwrap()), instance.length(&tour).unwrap());
        }
    }
    // As large as what they differ by is what is meant.
    let weights = (0..49).map(|at| 1e7 + apart(at / 7, at % 7 + 1) / 7.0).collect();
    assert!(!Instance::from_matrix_f64(7, weights).unwrap().is_symmetric());
    // Those that have their digits, and those that do not lie near each other, are counted from zero.
    for (more, part) in [(100.0, 0.5), (1.0, 1.0 / 7.0)] {
        assert_eq!(of(more, part, None).in_common(), 0.0);
    }
    // Whole numbers that are given as such, with one that is far longer.
    let weight = |at: usize| if at == 8 { 10i64.pow(13) } else { 10i64.pow(11) + apart(at / 8, at % 8) as i64 };
    let whole = Instance::from_matrix_i64(8, (0..64).map(weight).collect()).unwrap();
    assert_eq!((whole.edge_error(), whole.scale(), whole.way(0, 1)), (0.0, 1.0, 1e11 + apart(0, 1)));
    assert_eq!(whole.length_of(whole.tour_cost(&tour).unwrap()), whole.length(&tour).unwrap());
}

#[test]
fn decimals_are_kept_or_told() {
    let message = |result: Result<Instance>| result.unwrap_err().to_string();
    let long = vec![0.0, 1e308, 1e308, 1e308, 0.0, 1e308, 1.0, 1e308, 0.0];
    assert!(message(Instance::from_matrix_f64(3, long)).contains("longer than floating-point numbers hold"));
    let error = message(Instance::from_matrix_f64(2, vec![0.0, 1.0, f64::NEG_INFINITY, 0.0]));
    assert!(error.contains("from city 1 to city 0"), "{error}");
    let n = 40;
    let weights: Vec<f64> = (0..n * n).map(|at| ((at * 7919) % 1000) as f64 / 7.0 - 20.0).collect();
    let instance = Instance::from_matrix_f64(n, weights.clone()).unwrap();
    assert!(instance.edge_error() > 0.0 && instance.edge_error() < 1e-4);
    let tour: Vec<u32> = (0..n as u32).rev().collect();
    let sum: f64 = (0..n).map(|a| weights[((a + 1) % n) * n + a]).sum();
    assert!((instance.length(&tour).unwrap() - sum).abs() < 1e-9);
    let told = instance.length_of(instance.tour_cost(&tour).unwrap());
    assert!((told - sum).abs() <= n as f64 * instance.edge_error() + 1e-9, "{told} {sum}");
    // Small ones and great ones.
    for size in [1e-12, 1e300] {
        let instance = Instance::from_matrix_f64(2, vec![0.0, size, 2.0 * size / 3.0, 0.0]).unwrap();
        assert!(instance.tour_cost(&[0, 1]).unwrap() > 10_000_000);
    }
    assert_eq!(Instance::from_matrix_f64(2, vec![0.0; 4]).unwrap().length(&[0, 1]).unwrap(), 0.0);
}

/// All tours of a few cities, the best of them first.
fn best_by_weights(n: usize, weights: &[f64]) -> f64 {
    let mut rest: Vec<usize> = (1..n).collect();
    let mut best = f64::INFINITY;
    permutations(&mut rest, 0, &mut |order| {
        let around = [0].into_iter().chain(order.iter().copied()).chain([0]).collect::<Vec<usize>>();
        best = best.min(around.windows(2).map(|edge| weights[edge[0] * n + edge[1]]).sum());
    });
    best
}

fn permutations(items: &mut Vec<usize>, from: usize, look: &mut impl FnMut(&[usize])) {
    if from == items.len() {
        return look(items);
    }
    for next in from..items.len() {
        items.swap(from, next);
        permutations(items, from + 1, look);
        items.swap(from, next);
    }
}

/// Ways that are not there, of whatever weight, take no digits from the others, and the best tour is the best of the weights as given.
#[test]
fn ways_that_are_not_there_take_no_digits() {
    let n = 7;
    for (seed, absent) in (1usize..).zip([1e6, 1e9, 1e12, 1e300, 4e9]) {
        for least in [0.0, -35.0] {
            let weight = |at: usize| match (at * 7919 + seed * 104_729) % 1009 {
                word if word % 5 == 0 => absent,
                word => (word as f64 + 10.0 * least) / 10.0,
            };
            let weights: Vec<f64> = (0..n * n).map(weight).collect();
            let instance = Instance::from_matrix_f64(n, weights.clone()).unwrap();
            assert_eq!((instance.scale(), instance.edge_error()), (10.0, 0.0), "{absent} {least}");
            let mut best = (u64::MAX, 0.0);
            permutations(&mut (1..n).collect(), 0, &mut |order| {
                let tour: Vec<u32> = [0].into_iter().chain(order.iter().map(|&city| city as u32)).collect();
                let cost = instance.tour_cost(&tour).unwrap();
                if cost < best.0 {
                    best = (cost, instance.length(&tour).unwrap());
                }
            });
            assert!((best.1 - best_by_weights(n, &weights)).abs() < 1e-6, "{absent} {least}: {best:?}");
        }
    }
}

/// Infinite weights are ways that are not there: the best tour is the best of those without, and one that takes such a way is infinitely long.
#[test]
fn infinite_weights_are_ways_that_are_not_there() {
    let n = 7;
    for (seed, least) in (1usize..9).flat_map(|seed| [0.0, -35.0, 1e-3].map(|least| (seed, least))) {
        let weight = |at: usize| match (at * 7919 + seed * 104_729) % 1009 {
            word if word % 4 == 0 => f64::INFINITY,
            word if least == 1e-3 => word as f64 / 7.0,
            word => (word as f64 + 10.0 * least) / 10.0,
        };
        let weights: Vec<f64> = (0..n * n).map(weight).collect();
        let instance = Instance::from_matrix_f64(n, weights.clone()).unwrap();
        let mut best = (u64::MAX, 0.0);
        permutations(&mut (1..n).collect(), 0, &mut |order| {
            let tour: Vec<u32> = [0].into_iter().chain(order.iter().map(|&city| city as u32)).collect();
            let cost = instance.tour_cost(&tour).unwrap();
            if cost < best.0 {
                best = (cost, instance.length(&tour).unwrap());
            }
        });
        let wanted = best_by_weights(n, &weights);
        assert!(best.1 == wanted || (best.1 - wanted).abs() < 1e-6, "{seed} {least}: {best:?} {wanted}");
    }
    let ring = |n: usize, way: f64| {
        let weight = |at: usize| if [1, n - 1].contains(&((at / n + n - at % n) % n)) { way } else { f64::INFINITY };
        Instance::from_matrix_f64(n, (0..n * n).map(weight).collect()).unwrap()
    };
    for (n, way) in [(6, 0.7), (11, 1.0 / 3.0), (9, 2f64.sqrt())] {
        let around: Vec<u32> = (0..n as u32).collect();
        let across: Vec<u32> = [2, 1, 0].into_iter().chain(3..n as u32).collect();
        assert!((ring(n, way).length(&around).unwrap() - n as f64 * way).abs() < 1e-9);
        assert_eq!(ring(n, way).length(&across).unwrap(), f64::INFINITY);
        assert_eq!(ring(n, way).way(0, 3), f64::INFINITY);
    }
    let none = Instance::from_matrix_f64(2, vec![0.0, f64::INFINITY, f64::INFINITY, 0.0]).unwrap_err().to_string();
    assert!(none.contains("no way at all"), "{none}");
    let wrong = vec![0.0, f64::INFINITY, f64::NAN, 0.0];
    let wrong = Instance::from_matrix_f64(2, wrong).unwrap_err().to_string();
    assert!(wrong.contains("from city 1 to city 0 is NaN"), "{wrong}");
    // Ends that leave none but such ways: the fewest of them are taken.
    let path = ring(5, 0.7).open_path(Some(0), Some(2)).unwrap();
    // So they are where fixed edges are such ways: one, and two of a chain.
    let fixed = |edges: &[[u32; 2]]| ring(6, 0.7).with_fixed_edges(edges).unwrap();
    for (instance, fewest) in [(path, 1), (fixed(&[[0, 3]]), 2), (fixed(&[[0, 2], [2, 4]]), 4)] {
        let form = crate::instance::problem::Problem::from(instance.clone()).form_apart(false).unwrap();
        let best = form.solution(form.best_of_few());
        let next = best.iter().cycle().skip(1).take(if instance.is_open() { best.len() - 1 } else { best.len() });
        let missing =
            best.iter().zip(next).filter(|(a, b)| instance.way(**a as usize, **b as usize).is_infinite()).count();
        assert_eq!(missing, fewest, "{best:?}");
    }
}

/// What single precision leaves between the two directions does not make distances asymmetric, and what is meant does.
#[test]
fn noise_between_directions_is_no_asymmetry() {
    let places = super::super::generate::generate(super::super::generate::Kind::Uniform, 60, 1).unwrap();
    let way = |a: usize, b: usize| places.coords()[a].distance(places.coords()[b]) / 1_000.0;
    let all = |change: &dyn Fn(usize, usize) -> f64| {
        let weights = (0..3600).map(|at| way(at / 60, at % 60) * change(at / 60, at % 60)).collect();
        Instance::from_matrix_f64(60, weights).unwrap()
    };
    let (exact, noisy) = (all(&|_, _| 1.0), all(&|a, b| 1.0 + 1e-7 * ((a * 60 + b) % 7) as f64));
    let meant = all(&|a, b| if a < b { 1.0 } else { 1.01 });
    let one = all(&|a, b| if (a, b) == (7, 3) { 3.0 } else { 1.0 });
    assert_eq!([&exact, &noisy, &meant, &one].map(Instance::is_symmetric), [true, true, false, false]);
    let tour: Vec<u32> = (0..60).collect();
    for instance in [&exact, &noisy] {
        let (length, told) = (instance.length(&tour).unwrap(), instance.tour_cost(&tour).unwrap());
        assert!((length - instance.length_of(told)).abs() <= 60.0 * instance.edge_error());
    }
    assert!(noisy.edge_error() > 10.0 * exact.edge_error());
    // One pair among many cities, and one great negative weight, hide nothing that is meant.
    let many = super::super::generate::generate(super::super::generate::Kind::Uniform, 400, 1).unwrap();
    let odd = |change: &dyn Fn(usize, usize) -> f64| {
        let way = |a: usize, b: usize| many.coords()[a].distance(many.coords()[b]) / 1e6 + change(a, b);
        Instance::from_matrix_f64(400, (0..160_000).map(|at| way(at / 400, at % 400)).collect()).unwrap()
    };
    assert!(!odd(&|a, b| if (a, b) == (17, 311) { 0.004 } else { 0.0 }).is_symmetric());
    assert!(odd(&|a, b| if (a, b) == (17, 311) { 1e-8 } else { 0.0 }).is_symmetric());
    let negative = |a: usize, b: usize| match (a.min(b), a.max(b)) {
        (2, 5) => -1e6,
        _ => ((a * 31 + b * 17) % 97) as f64 / 7.0,
    };
    let weights = (0..900).map(|at| negative(at / 30, at % 30)).collect();
    assert!(!Instance::from_matrix_f64(30, weights).unwrap().is_symmetric());
    // What is counted again, since an edge forces a great weight into each solution, says once more whether it is symmetric.
    let way = |a: usize, b: usize| match [a, b] {
        [3, 5] | [5, 3] | [1, 9] | [9, 1] => 1e9,
        _ => (many.coords()[a].distance(many.coords()[b]) / 1e6) * (1.0 + 1e-7 * ((a * 60 + b) % 7) as f64),
    };
    let forced = Instance::from_matrix_f64(30, (0..900).map(|at| way(at / 30, at % 30)).collect()).unwrap();
    let forced = forced.with_fixed_edges(&[[3, 5]]).unwrap();
    let matrix = forced.distance_matrix();
    let is_symmetric = (0..900).all(|at| matrix[at] == matrix[at % 30 * 30 + at / 30]);
    assert!(forced.is_symmetric() && is_symmetric);
    // A way that is not there makes no other one smaller beside it.
    let missing = |meant: f64| {
        odd(&|a, b| match (a, b) {
            (0, 1) | (1, 0) => f64::INFINITY,
            (17, 311) => meant,
            _ => 0.0,
        })
    };
    assert_eq!([1e-8, 0.004].map(|meant| missing(meant).is_symmetric()), [true, false]);
    // Decimals are as they are meant.
    let decimals = Instance::from_matrix_f64(3, vec![0.0, 100.0, 200.0, 100.01, 0.0, 150.0, 200.0, 150.0, 0.0]);
    assert!(!decimals.unwrap().is_symmetric());
}

#[test]
fn whole_ways_that_are_not_there_take_no_digits_either() {
    let weight = |at: usize| if at % 5 == 3 { 1_000_000_000_000 } else { (at * 7919 % 97) as i64 };
    let weights: Vec<i64> = (0..64).map(weight).collect();
    let instance = Instance::from_matrix_i64(8, weights.clone()).unwrap();
    assert_eq!((instance.scale(), instance.edge_error()), (1.0, 0.0));
    assert!(instance.distance_matrix().iter().all(|&distance| distance < 1000));
    let tour: Vec<u32> = (0..8).collect();
    let sum: i64 = (0..8).map(|a| weights[a * 8 + (a + 1) % 8]).sum();
    assert_eq!(instance.length(&tour).unwrap(), sum as f64);
}
