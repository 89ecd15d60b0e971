use super::*;

#[test]
fn what_rounds_to_nothing_is_refused() {
    let made = |n: usize, more: f64| {
        let flow = |at: usize| match (at / n, at % n) {
            (row, column) if row == column => 0.0,
            (2, _) | (_, 2) => 0.001 * (at % 3) as f64 + more,
            _ => 1e9 / 3.0 + more,
        };
        let distances = (0..n * n).map(|at| if at / n == at % n { 0.0 } else { at as f64 / 7.0 }).collect();
        Instance::from_matrices_f64("many", [n; 2], (0..n * n).map(flow).collect(), distances, None)
    };
    let refused = |more: f64| made(10, more).unwrap_err().to_string();
    let told = "facility 2 (counted from 0), 0.002 at most, round to nothing beside 333333333.3333333: ";
    assert!(refused(0.0).contains(told), "{}", refused(0.0));
    let told = " above the least at most, round to nothing beside 333333333.333333";
    assert!(refused(-0.5).contains(told), "{}", refused(-0.5));
    // So few that all are compared by what was given.
    assert!(made(9, 0.0).is_ok());
}

/// Entries that differ from the least one by the noise of floating-point numbers are as good as it.
#[test]
fn what_is_nearly_the_least_entry_is_kept() {
    let n = 12;
    let first = |at: usize| at < n || at.is_multiple_of(n);
    let drawn = |at: usize| if first(at) { 0.1 * 3.0 } else { 0.3 + (at * 37 % 101) as f64 / 7.0 };
    let flat = |at: usize| if at.is_multiple_of(2) { 0.3 } else { 0.1 * 3.0 };
    let square = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..n * n).map(|at| if at / n == at % n { 0.0 } else { of(at) }).collect()
    };
    for flows in [square(&drawn), square(&flat)] {
        let made = Instance::from_matrices_f64("noise", [n; 2], flows, square(&drawn), None).unwrap();
        assert!(made.cost(&(0..n as u32).collect::<Vec<_>>()).is_ok());
    }
    // What the diagonal has in common keeps nothing beside it.
    let tiny = |at: usize| if at.is_multiple_of(2) { 1e-12 } else { 2e-12 };
    let mut flows = square(&|at| if first(at) { tiny(at) } else { 1e6 * drawn(at) });
    flows.iter_mut().step_by(n + 1).for_each(|own| *own = 5e5);
    let told = Instance::from_matrices_f64("own", [n; 2], flows, square(&drawn), None).unwrap_err().to_string();
    assert!(told.contains("the flows of facility 0 (counted from 0)"), "{told}");
}

/// What all flows, or all distances, have in common takes no digits from what they differ by.
#[test]
fn common_parts_are_not_rounded() {
    let drawn = |at: usize, seed: usize| {
        let word = ((at * 31 + seed) as u32).wrapping_mul(2_654_435_761);
        f64::from((word ^ word >> 15).wrapping_mul(0x85EB_CA6B)) / 2f64.powi(32)
    };
    let matrix = |seed: usize, more: f64| -> Vec<f64> {
        (0..36).map(|at| if at / 6 == at % 6 { 0.0 } else { drawn(at, seed) + more }).collect()
    };
    let orders = (0..6).fold(vec![Vec::new()], |orders: Vec<Vec<u32>>, _| {
        let longer = |order: Vec<u32>| {
            let free: Vec<u32> = (0..6).filter(|at| !order.contains(at)).collect();
            free.into_iter().map(move |at| [&order[..], &[at]].concat())
        };
        orders.into_iter().flat_map(longer).collect()
    });
    for (seed, [flow, distance]) in
        [[0.0, 1e4], [1e4, 0.0], [0.0, 1e6], [300.0, -2e5], [-1e3, 1e3]].into_iter().enumerate()
    {
        let made = |facilities: usize| {
            let flows = matrix(seed, flow);
            let flows = (0..facilities * facilities).map(|at| flows[at / facilities * 6 + at % facilities]).collect();
            Instance::from_matrices_f64("six", [facilities, 6], flows, matrix(seed + 100, distance), None).unwrap()
        };
        let instance = made(6);
        assert!((0.0..1e-3).contains(&instance.cost_error()), "{seed}: {}", instance.cost_error());
        for instance in [instance, made(4)] {
            let length = |order: &Vec<u32>| instance.length(&order[..instance.len()]).unwrap();
            let counted = |order: &Vec<u32>| instance.length_of(instance.cost(&order[..instance.len()]).unwrap());
            let best = orders.iter().map(length).fold(f64::INFINITY, f64::min);
            let found = orders.iter().min_by(|a, b| counted(a).total_cmp(&counted(b))).unwrap();
            assert!(length(found) <= best + 2.0 * instance.cost_error() + 1e-12 * best.abs(), "{seed}");
            for order in &orders {
                let off = (length(order) - counted(order)).abs();
                assert!(off <= instance.cost_error() + 1e-11 * length(order).abs(), "{seed}: {off}");
            }
        }
    }
}

/// Locations that stay empty take no digits: what few facilities exchange is counted as finely at many locations as at few.
#[test]
fn empty_facilities_take_no_digits() {
    let drawn = |at: usize| f64::from((at as u32).wrapping_mul(2_654_435_761)) / 2f64.powi(32);
    let square =
        |n: usize| -> Vec<f64> { (0..n * n).map(|at| if at / n == at % n { 0.0 } else { drawn(at + n) }).collect() };
    let error = |facilities: usize, n: usize| {
        Instance::from_matrices_f64("few", [facilities, n], square(facilities), square(n), None).unwrap().cost_error()
    };
    for facilities in [5, 10, 20] {
        let [few, many] = [facilities, 20 * facilities].map(|n| error(facilities, n));
        assert!(many < 3.0 * few, "{facilities}: {many} and {few}");
    }
}

/// Where all assignments cost the same, any factors will do; also where some facilities are fixed.
#[test]
fn equal_flows_take_any_factor() {
    let n = 7;
    let apart = |at: usize| (((at / n) as f64).sqrt() - ((at % n) as f64).sqrt()).abs();
    let all: Vec<u32> = (0..n as u32).collect();
    for flow in [0.0, 1.0, 1.0 / 3.0] {
        let flows = (0..n * n).map(|at| if at / n == at % n { 0.0 } else { flow }).collect();
        let distances = (0..n * n).map(apart).collect();
        let free = Instance::from_matrices_f64("equal", [n, n], flows, distances, None).unwrap();
        for instance in [free.clone(), free.with_fixed(&[[0, 1], [4, 2]]).unwrap()] {
            let order: Vec<u32> = if instance.fixed().is_empty() { all.clone() } else { vec![1, 0, 3, 4, 2, 5, 6] };
            let off = instance.length(&order).unwrap() - instance.length_of(instance.cost(&order).unwrap());
            assert!(off.abs() <= instance.cost_error() + 1e-12, "{off}");
        }
    }
}

/// Flows that hardly differ take a great factor, but what facilities exchange with fixed ones has to fit.
#[test]
fn fixed_facilities_count_in_the_factor() {
    let n = 9;
    let apart = |at: usize| (((at / n) as f64).sqrt() - ((at % n) as f64).sqrt()).abs() * 1e3;
    let free = |less: f64| {
        // Those of the first facility are others, so that nothing is in common.
        let flow = |at: usize| match (at / n, at % n) {
            (row, column) if row == column => 1.0,
            (0, _) | (_, 0) => 1.0 - less,
            _ => 1.0,
        };
        let flows = (0..n * n).map(flow).collect();
        Instance::from_matrices_f64("nearly", [n, n], flows, (0..n * n).map(apart).collect(), None).unwrap()
    };
    for less in [1e-3, 1e-6] {
        let fixed = free(less).with_fixed(&[[0, 1], [3, 3]]).unwrap();
        let order = [1, 0, 2, 3, 4, 5, 6, 7, 8];
        let off = fixed.length(&order).unwrap() - fixed.length_of(fixed.cost(&order).unwrap());
        assert!(off.abs() <= fixed.cost_error() + 1e-9, "{off}");
    }
}
