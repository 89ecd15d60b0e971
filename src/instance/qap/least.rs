//! The best assignment of few facilities: all are gone through, but those that have become as dear as the best one before they are whole.

use super::given::Origin;
use super::instance::Instance;

/// The most assignments that are gone through, multiplied by the facilities that are placed, and the most products that are added up meanwhile, for empty
/// facilities or for what rounding changes.
const MOST_PLACED: usize = 9 * 362_880;
const MOST_PRODUCTS: usize = 100_000_000;

/// How many assignments of so many facilities to so many locations there are, where they are so few that all are soon gone through.
fn count_if_few(facilities: usize, locations: usize) -> Option<usize> {
    let count = (0..facilities).try_fold(1usize, |count, placed| count.checked_mul(locations - placed))?;
    (count.saturating_mul(facilities) <= MOST_PLACED).then_some(count)
}

impl Instance {
    /// Whether an instance in the form for kernels has so few assignments, empty facilities not told apart, that all of them are soon gone
    /// through.
    pub(in crate::instance) fn has_few_assignments(&self) -> bool {
        let (n, empty) = (self.locations(), self.empty_facilities());
        let Some(count) = count_if_few(n - empty, n) else { return false };
        // Where flows are negative, empty facilities have some as they are counted, and each assignment is added up to its end.
        !self.has_flows_of_empty() || count.saturating_mul(empty).saturating_mul(n) <= MOST_PRODUCTS
    }

    /// Whether empty facilities of an instance in the form for kernels have flows, which are those of the last one.
    fn has_flows_of_empty(&self) -> bool {
        let n = self.locations();
        self.empty_facilities() > 0 && self.flows()[n * (n - 1)..].iter().any(|flow| *flow > 0)
    }

    /// An assignment of an instance in the form for kernels that costs the least of all.
    pub(in crate::instance) fn best_assignment(&self) -> Vec<u32> {
        let mut search = Search {
            instance: self,
            ends: if self.has_flows_of_empty() { self.locations() } else { self.len() - self.empty_facilities() },
            placed: self.len() - self.empty_facilities(),
            free: vec![true; self.locations()],
            at: Vec::new(),
            best: (u64::MAX, Vec::new()),
        };
        search.place(0);
        search.best.1
    }
}

impl Instance {
    /// Whether no assignment is better, by the entries as they were given, than any that costs `least` as it is counted, which is the least
    /// of these costs. All assignments are gone through where entries are rounded.
    pub(in crate::instance) fn rounding_keeps(&self, least: u64) -> bool {
        if self.cost_error() == 0.0 {
            return true;
        }
        // What a facility has may be so little that none of it is counted; and to count each assignment takes as many products as entries.
        let products = |count: usize| count.saturating_mul(self.locations()).saturating_mul(self.locations());
        if self.count_as_given().is_none_or(|count| products(count) > MOST_PRODUCTS) {
            return false;
        }
        let (best, worst) = self.gone_through(Some(least));
        // As many sums in another order differ by less.
        worst <= best.0 + 1e-12 * (best.0.abs() + self.cost_error())
    }

    /// An assignment that costs the least of all by the entries as they were given, where there are few.
    pub(in crate::instance) fn best_as_given(&self) -> Vec<u32> {
        self.gone_through(None).0.1
    }

    /// Whether entries are rounded, and so few assignments differ by what was given that they are compared by that.
    pub(in crate::instance) fn is_compared_as_given(&self) -> bool {
        match self.making {
            Some(making) => making.compared,
            None => self.cost_error() > 0.0 && self.count_as_given().is_some(),
        }
    }

    /// How many assignments differ by what was given, where these are few.
    fn count_as_given(&self) -> Option<usize> {
        let source = self.given.as_ref()?.source.as_ref()?;
        let common = self.in_common(source);
        let is_fixed = |facility: usize| self.fixed().iter().any(|pair| pair[0] as usize == facility);
        let free = self.locations() - self.fixed().len();
        let moved = (0..self.len()).filter(|&facility| !is_fixed(facility) && !source.is_idle(facility, common));
        count_if_few(moved.count(), free)
    }

    /// What all flows have in common beside the diagonal and on it, which costs the same in all assignments where no location stays empty.
    fn in_common(&self, origin: &Origin) -> [f64; 2] {
        let n = self.locations();
        if self.len() < n {
            return [0.0; 2];
        }
        let part = |on: bool| origin.flows.iter().enumerate().filter(move |(at, _)| (at / n == at % n) == on);
        [false, true].map(|on| part(on).map(|(_, flow)| *flow).reduce(f64::min).unwrap_or(0.0))
    }

    /// The least of all assignments as they were given, and the greatest cost of those that cost `counted` as it is counted.
    fn gone_through(&self, counted: Option<u64>) -> ((f64, Vec<u32>), f64) {
        let origin = self.origin();
        let origin = origin.without_infinite().unwrap_or(origin);
        let mut free = vec![true; self.locations()];
        let mut at = vec![None; self.len()];
        let mut order: Vec<usize> = Vec::new();
        for &[facility, location] in self.fixed() {
            (at[facility as usize], free[location as usize]) = (Some(location), false);
            order.push(facility as usize);
        }
        let fixed = order.len();
        let common = self.in_common(&origin);
        let (idle, moved): (Vec<usize>, Vec<usize>) =
            (0..self.len()).filter(|facility| at[*facility].is_none()).partition(|&it| origin.is_idle(it, common));
        order.extend(moved);
        let n = self.locations();
        let taken = |at: usize| common[usize::from(at / n == at % n)] * origin.distances[at];
        let taken: f64 = if common == [0.0; 2] { 0.0 } else { (0..n * n).map(taken).sum() };
        let own = |facility: &usize| origin.placing.as_ref().map_or(0.0, |costs| costs[facility * n]);
        let idle: f64 = idle.iter().map(own).sum();
        let mut search = Real {
            instance: self,
            common,
            origin: &origin,
            order,
            at,
            free,
            counted: counted.map(|cost| (cost, self.length_of(cost) + self.cost_error() - taken)),
            best: (f64::INFINITY, Vec::new()),
            worst: f64::NEG_INFINITY,
        };
        let before = |at: usize| (at, search.at[search.order[at]].unwrap_or_default() as usize);
        let cost = idle + (0..fixed).map(before).map(|(placed, location)| search.more(placed, location)).sum::<f64>();
        search.place(fixed, cost);
        (search.best, search.worst)
    }
}

/// A walk through all assignments by what they cost as it was given.
struct Real<'a> {
    instance: &'a Instance,
    origin: &'a Origin,
    /// What is taken off flows.
    common: [f64; 2],
    /// The facilities in the order in which they are placed: those that are fixed first. Others cost the same wherever they are, and take what is left.
    order: Vec<usize>,
    /// Where facilities are: those that are fixed from the beginning on.
    at: Vec<Option<u32>>,
    free: Vec<bool>,
    /// The least cost as it is counted, and what assignments of that cost are not above.
    counted: Option<(u64, f64)>,
    /// The least of all with its assignment, and the greatest of those whose cost is counted as the least.
    best: (f64, Vec<u32>),
    worst: f64,
}

impl Real<'_> {
    /// Places facilities, where so many are placed and these cost `cost`.
    fn place(&mut self, placed: usize, cost: f64) {
        let Some(&facility) = self.order.get(placed) else { return self.compare(cost) };
        for location in 0..self.free.len() {
            if std::mem::replace(&mut self.free[location], false) {
                self.at[facility] = Some(location as u32);
                self.place(placed + 1, cost + self.more(placed, location));
                self.at[facility] = None;
                self.free[location] = true;
            }
        }
    }

    /// Compares an assignment that is whole but for those that may be anywhere.
    fn compare(&mut self, cost: f64) {
        let counted = self.counted.filter(|(_, most)| cost <= *most);
        if counted.is_none() && cost >= self.best.0 {
            return;
        }
        let mut left = (0..).zip(&self.free).filter(|(_, free)| **free).map(|(location, _)| location);
        let locations: Vec<u32> = self.at.iter().map_while(|at| at.or_else(|| left.next())).collect();
        if let Some((least, _)) = counted
            && self.instance.cost(&locations).is_ok_and(|cost| cost == least)
        {
            self.worst = self.worst.max(cost);
        }
        if cost < self.best.0 {
            self.best = (cost, locations);
        }
    }

    /// What the facility behind so many others costs at a location: by itself, and by what it exchanges with those.
    fn more(&self, placed: usize, location: usize) -> f64 {
        let (facility, facilities, n) = (self.order[placed], self.at.len(), self.free.len());
        let Origin { flows, distances, placing } = self.origin;
        let flow = |i: usize, j: usize| flows[i * facilities + j] - self.common[usize::from(i == j)];
        let product = |i: usize, j: usize, p: usize, q: usize| flow(i, j) * distances[p * n + q];
        let own = placing.as_ref().map_or(0.0, |costs| costs[facility * n + location]);
        let others = self.order[..placed].iter().filter_map(|&other| Some((other, self.at[other]? as usize)));
        let others =
            others.map(|(other, at)| product(facility, other, location, at) + product(other, facility, at, location));
        own + product(facility, facility, location, location) + others.sum::<f64>()
    }
}

/// A walk through all assignments.
struct Search<'a> {
    instance: &'a Instance,
    /// What more than so many facilities cost is nothing.
    ends: usize,
    /// So many facilities are tried everywhere; those behind, which are all alike, go to the locations that are left in their order.
    placed: usize,
    free: Vec<bool>,
    /// The locations of those that are.
    at: Vec<u32>,
    /// The best assignment so far, with its cost.
    best: (u64, Vec<u32>),
}

impl Search<'_> {
    /// Places the next facilities, where those placed before cost `cost`.
    fn place(&mut self, cost: u64) {
        // Nothing costs less than nothing.
        if cost >= self.best.0 {
            return;
        }
        if self.at.len() == self.ends {
            let left = (0..).zip(&self.free).filter(|(_, free)| **free).map(|(location, _)| location);
            self.best = (cost, self.at.iter().copied().chain(left).collect());
            return;
        }
        let first = self.free.iter().position(|free| *free).filter(|_| self.at.len() >= self.placed);
        for location in first.map_or(0..self.free.len(), |first| first..first + 1) {
            if std::mem::replace(&mut self.free[location], false) {
                let more = self.more(location);
                self.at.push(location as u32);
                self.place(cost + more);
                self.at.pop();
                self.free[location] = true;
            }
        }
    }

    /// What the next facility costs at a location: by itself, and by what it exchanges with those placed before.
    fn more(&self, location: usize) -> u64 {
        let (n, facility) = (self.instance.locations(), self.at.len());
        let (flows, distances) = (self.instance.flows(), self.instance.distances());
        let product = |flow: usize, distance: usize| u64::from(flows[flow]) * u64::from(distances[distance]);
        let placing = self.instance.placing_costs().map_or(0, |costs| costs[facility * n + location].into());
        let pairs = self.at.iter().enumerate().map(|(other, &at)| {
            let at = at as usize;
            product(facility * n + other, location * n + at) + product(other * n + facility, at * n + location)
        });
        placing + product(facility * n + facility, location * n + location) + pairs.sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_assignment_costs_less() {
        let numbers = |count: usize, seed: u32| -> Vec<u32> {
            (0..count as u32).map(|at| (at + 31 * seed).wrapping_mul(2_654_435_761) >> 25).collect()
        };
        for (n, seed) in (1..=6).flat_map(|n| (1..=3).map(move |seed| (n, seed))) {
            let square = Instance::from_matrices("q", n, numbers(n * n, seed), numbers(n * n, seed + 9)).unwrap();
            let mut kinds = vec![square.clone(), square.with_placing_costs(numbers(n * n, seed + 20)).unwrap()];
            if n > 2 {
                kinds.push(kinds[1].clone().with_fixed(&[[1, 0]]).unwrap());
            }
            for (kind, instance) in kinds.into_iter().enumerate() {
                let problem = crate::Problem::from(&instance);
                let mut orders = vec![Vec::new()];
                for _ in 0..n {
                    orders = orders
                        .iter()
                        .flat_map(|order: &Vec<u32>| {
                            (0..n as u32).filter(|at| !order.contains(at)).map(|at| [&order[..], &[at]].concat())
                        })
                        .collect();
                }
                let least = orders.iter().filter_map(|order| instance.cost(order).ok()).min();
                assert_eq!(problem.least_cost(), least, "{n} facilities, seed {seed}, kind {kind}");
            }
        }
    }

    /// Where rounding makes one assignment as cheap as another, which is better as it was given, nothing is proved.
    #[test]
    fn what_rounding_decides_is_not_proved() {
        let made = |flows: Vec<f64>, distances: Vec<f64>| {
            Instance::from_matrices_f64("three", [3, 3], flows, distances, None).unwrap()
        };
        let distances = || vec![2.0, 9.0, 2.0, 1.0, 9.0, 4.0, 6.0, 1.0, 4.0];
        let coarse = made(vec![2.0, 1e9, 0.0, 3.0, 2.0, 3.0, 1.0, 6.0, 7.0], distances());
        let fine = made(vec![2.0, 1.0 / 3.0, 0.0, 3.0, 2.0, 3.0, 1.0, 6.0, 7.0], distances());
        let whole = made(vec![2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 1.0, 6.0, 7.0], distances());
        for (instance, keeps) in [(&coarse, false), (&fine, true), (&whole, true)] {
            let least = crate::Problem::from(instance).least_cost().unwrap();
            assert_eq!(instance.rounding_keeps(least), keeps, "{}", instance.cost_error());
        }
        // Of three fixed ones there is one assignment.
        let fixed = coarse.with_fixed(&[[0, 0], [1, 2]]).unwrap();
        assert!(fixed.rounding_keeps(crate::Problem::from(&fixed).least_cost().unwrap()));
    }

    /// Each assignment that is better than all before it is soon whole, however many locations stay empty.
    #[test]
    fn two_at_a_thousand_locations_are_soon_gone_through() {
        let n = 1000;
        let falling: Vec<u32> = (0..n * n).map(|at| (n * n - at) as u32).collect();
        let away = falling.iter().map(|away| f64::from(*away)).collect();
        let pair = Instance::from_matrices_f64("pair", [2, n], vec![0.0, 1.0, 0.0, 0.0], away, None).unwrap();
        let began = std::time::Instant::now();
        let problem = crate::Problem::from(&pair);
        assert_eq!(problem.least_cost().map(|cost| problem.length_of(cost)), Some(2.0));
        // A hundredth of what it took to place the empty ones one by one at 400.
        assert!(began.elapsed().as_secs() < 20);
    }

    /// Where nearly all of them may be the best as they are counted, that is not looked at for each: the run compares all in any case.
    #[test]
    fn two_at_many_locations_are_soon_compared() {
        let n = 700;
        let wide = |at: usize| 10f64.powf(f64::from((at as u32).wrapping_mul(2_654_435_761) >> 12) / 174_763.0 - 3.0);
        let square =
            |side: usize| (0..side * side).map(|at| if at / side == at % side { 0.0 } else { wide(at + 7) }).collect();
        let pair = Instance::from_matrices_f64("wide", [2, n], square(2), square(n), None).unwrap();
        let (flows, away): (Vec<f64>, Vec<f64>) = (square(2), square(n));
        let cost = |a: usize, b: usize| flows[1] * away[a * n + b] + flows[2] * away[b * n + a];
        let best =
            (0..n * n).filter(|at| at / n != at % n).map(|at| cost(at / n, at % n)).fold(f64::INFINITY, f64::min);
        let began = std::time::Instant::now();
        let found = crate::solve(&pair, std::time::Duration::from_secs(60)).unwrap();
        assert!(found.ended == crate::Ended::Trivial && began.elapsed().as_secs() < 20);
        assert!((found.length - best).abs() <= 1e-12 * best, "{} {best}", found.length);
    }

    /// The best of few assignments is found also where rounding makes a worse one as cheap: beside one great entry, and where facilities are fixed or alike in
    /// all but what is lost.
    #[test]
    fn few_assignments_are_compared_by_what_was_given() {
        let number = |at: usize| f64::from((at as u32).wrapping_mul(2_654_435_761) >> 12) / f64::from(1 << 20);
        let (mut cases, mut differ) = (0, 0);
        for (seed, [facilities, n]) in
            [[3, 3], [4, 4], [5, 5], [3, 6], [4, 4], [5, 5]].into_iter().cycle().enumerate().take(60)
        {
            let matrix = |side: usize, from: usize| -> Vec<f64> {
                (0..side * side).map(|at| 1.0 / 3.0 + number(at + 100 * seed + from)).collect()
            };
            let (flows, mut distances) = (matrix(facilities, 7), matrix(n, 50));
            (distances[1], distances[n]) = (1e4, 3e4);
            // All distances of a location may be nothing beside these.
            let Ok(made) = Instance::from_matrices_f64("few", [facilities, n], flows, distances, None) else {
                continue;
            };
            let fixed = made.clone().with_fixed(&[[1, 0]]).unwrap();
            for instance in [made, fixed] {
                let orders = (0..facilities).fold(vec![Vec::new()], |orders: Vec<Vec<u32>>, _| {
                    let longer = |order: Vec<u32>| {
                        let free: Vec<u32> = (0..n as u32).filter(|at| !order.contains(at)).collect();
                        free.into_iter().map(move |at| [&order[..], &[at]].concat())
                    };
                    orders.into_iter().flat_map(longer).collect()
                });
                let orders = || orders.iter().filter(|order| instance.cost(order).is_ok());
                let length = |order: &Vec<u32>| instance.length(order).unwrap();
                let best = orders().map(length).fold(f64::INFINITY, f64::min);
                let counted = orders().min_by_key(|order| instance.cost(order).unwrap()).unwrap();
                cases += 1;
                differ += usize::from(length(counted) > best + 1e-9 * best);
                let found = crate::solve(&instance, std::time::Duration::from_secs(60)).unwrap();
                assert_eq!(found.ended, crate::Ended::Trivial);
                assert!(found.length <= best + 1e-9 * best, "{seed}: {} {best}", found.length);
            }
        }
        assert!(cases > 40 && differ > 0, "{differ} of {cases}");
    }

    /// Facilities that nothing flows between are not tried everywhere: there are 20! ways to place these, and 6,840 that differ.
    #[test]
    fn idle_facilities_are_placed_in_one_way() {
        let n = 20;
        let flow = |at: usize| match (at / n, at % n) {
            (a, b) if a < 3 && b < 3 && a != b => 1.0 / (1 + a + 2 * b) as f64,
            _ => 0.0,
        };
        let away = |at: usize| ((at / n) as f64 - (at % n) as f64).hypot(0.3).sqrt();
        let matrix = |entry: &dyn Fn(usize) -> f64| (0..n * n).map(entry).collect::<Vec<_>>();
        let sparse = Instance::from_matrices_f64("idle", [n, n], matrix(&flow), matrix(&away), None).unwrap();
        let problem = crate::Problem::from(&sparse);
        let least = problem.least_cost().unwrap();
        assert!(sparse.cost_error() > 0.0 && sparse.rounding_keeps(least));
        // What is rounded to nothing may decide, and differs in too many assignments.
        let tiny = |at: usize| if at / n > 14 && at % n == 7 { 1.0 + 1e-12 } else { 1.0 };
        let costs = Some(matrix(&tiny));
        let sparse = Instance::from_matrices_f64("tiny", [n, n], matrix(&flow), matrix(&away), costs).unwrap();
        assert!(!sparse.rounding_keeps(crate::Problem::from(&sparse).least_cost().unwrap()));
    }

    /// To place two facilities is soon done, to count what 598 empty ones have by their shifted flows is not.
    #[test]
    fn many_empty_locations_are_not_gone_through_for_negative_flows() {
        let n = 1000;
        let away: Vec<f64> = (0..n * n).map(|at| f64::from((at as u32).wrapping_mul(2_654_435_761) >> 20)).collect();
        let least = |flow: f64, most: usize| {
            let away = (0..most * most).map(|at| away[at / most * n + at % most]).collect();
            let pair = Instance::from_matrices_f64("pair", [2, most], vec![0.0, flow, 2.0, 0.0], away, None);
            crate::Problem::from(pair.unwrap()).least_cost()
        };
        assert!(
            [least(-1.0, 600), least(1.0, 600), least(1.0, 1000), least(-1.0, 30)].map(|least| least.is_some())
                == [false, true, true, true]
        );
    }

    #[test]
    fn locations_may_stay_empty() {
        let distances = [0., 9., 8., 1., 9., 0., 7., 6., 8., 7., 0., 5., 1., 6., 5., 0.].to_vec();
        let pair = Instance::from_matrices_f64("pair", [2, 4], vec![0.0, 3.0, 3.0, 0.0], distances, None).unwrap();
        let problem = crate::Problem::from(pair);
        assert_eq!(problem.least_cost().map(|cost| problem.length_of(cost)), Some(6.0));
        // Where flows are negative empty facilities have some, too, as they are counted.
        let signed = Instance::from_matrices_f64(
            "signed",
            [2, 3],
            vec![0.0, -9.0, -8.0, 0.0],
            vec![0.0, 1.0, 5.0, 2.0, 0.0, 4.0, 4.0, 9.0, 0.0],
            None,
        );
        let problem = crate::Problem::from(signed.unwrap());
        assert_eq!(problem.least_cost().map(|cost| problem.length_of(cost)), Some(-113.0));
        let ten = crate::Problem::from(Instance::from_matrices("ten", 10, vec![1; 100], vec![1; 100]).unwrap());
        assert_eq!(ten.least_cost(), None);
    }
}
