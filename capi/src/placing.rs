//! Where facilities must not be: infinite costs of placing, which the library takes as costs that no assignment has without them.

/// The costs of placing with a great one in place of each infinite one, and the most that an assignment without these costs: infinite where
/// there are none.
pub fn finite(flows: &[f64], distances: &[f64], placing: &[f64], locations: usize) -> (Vec<f64>, f64) {
    let is_never = |cost: &f64| *cost == f64::INFINITY;
    if !placing.iter().any(is_never) {
        return (placing.to_vec(), f64::INFINITY);
    }
    let size = |cost: &f64| if is_never(cost) { 0.0 } else { cost.abs() };
    let largest = |numbers: &[f64]| numbers.iter().map(size).fold(0.0, f64::max);
    // What the products of all assignments lie between, and what costs by themselves do.
    let products = flows.iter().map(|flow| flow.abs()).sum::<f64>() * largest(distances);
    let placed: f64 = placing.chunks(locations.max(1)).map(largest).sum();
    let most = products + placed;
    let never = 2.0 * most + placed + 1.0;
    let costs = placing.iter().map(|cost| if is_never(cost) { never } else { *cost });
    // Half way to what assignments with one cost at least: sums are not exact.
    (costs.collect(), most + 0.5 * (placed + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_not_be_costs_more_than_all_else() {
        let (flows, distances) = ([0.0, 2.0, -1.0, 0.0], [0.0, 5.0, 3.0, 0.0]);
        let plain = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(finite(&flows, &distances, &plain, 2), (plain.to_vec(), f64::INFINITY));
        // 3 * 5 and 2 + 4.
        let made = finite(&flows, &distances, &[f64::INFINITY, 2.0, 3.0, -4.0], 2);
        assert_eq!(made, (vec![49.0, 2.0, 3.0, -4.0], 24.5));
    }
}
