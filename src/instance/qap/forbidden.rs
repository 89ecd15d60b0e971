//! Costs of placing that are so great that they only say where a facility must not be.

use super::given::Origin;

/// A cost of placing is lowered to so many times what assignments without any such cost may differ by.
const ABOVE: f64 = 2.0;

/// The share of what is added up that floating-point numbers may be off by.
const NOISE: f64 = 1e-12;

/// Costs of placing with lower ones.
pub(super) struct Lowered {
    pub placing: Vec<f64>,
    /// What assignments without a lowered cost may differ by.
    pub differ: f64,
}

/// The costs of placing of an instance, where some are so much above the least of their rows that every assignment with one of them costs more than all
/// without, of which there are some: these lowered as far as that stays so. So they take no digits from the others.
pub(super) fn lowered([facilities, n]: [usize; 2], origin: &Origin, fixed: &[[u32; 2]]) -> Option<Lowered> {
    let costs = origin.placing.as_ref()?;
    let above: Vec<Vec<f64>> = costs
        .chunks(n)
        .map(|row| {
            let least = least(row);
            row.iter().map(|cost| cost - least).collect()
        })
        .collect();
    let products = products_differ_by([facilities, n], origin)?;
    let (mut place, mut held) = (vec![None; facilities], vec![false; n]);
    for [facility, location] in fixed.iter().map(|pair| pair.map(|number| number as usize)) {
        (place[facility], held[location]) = (Some(location), true);
    }
    let all_placed = |most: f64| {
        let allowed = |facility: usize, location: usize| match place[facility] {
            Some(there) => there == location,
            None => !held[location] && above[facility][location] <= most,
        };
        can_all_be_placed([facilities, n], allowed)
    };
    let mut differ = if products == 0.0 { least_difference(costs, n, &above) } else { products };
    loop {
        differ = with_costs_like_others(differ, products, &above);
        // Where every assignment has some that is greater, which ones counts.
        let next = above.iter().flatten().copied().filter(|cost| *cost > ABOVE * differ).fold(f64::INFINITY, f64::min);
        if next == f64::INFINITY {
            return None;
        }
        if all_placed(ABOVE * differ) {
            break;
        }
        differ = next.max(2.0 * differ);
    }
    let most = ABOVE * differ;
    let row = |(costs, above): (&[f64], &Vec<f64>)| {
        let lowest = least(costs);
        let lowered = costs.iter().zip(above).map(|(cost, above)| if *above > most { lowest + most } else { *cost });
        lowered.collect::<Vec<f64>>()
    };
    let placing = costs.chunks(n).zip(&above).flat_map(row).collect();
    Some(Lowered { placing, differ })
}

fn least(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::INFINITY, f64::min)
}

/// By how much sums of products of flows and distances may differ, those on the diagonals by themselves; `None` where they are too great to be told.
pub(super) fn products_differ_by([facilities, n]: [usize; 2], origin: &Origin) -> Option<f64> {
    let parts = [false, true].map(|on| {
        let part = |matrix: &[f64], side: usize| {
            let mut part: Vec<f64> = (0..n * n)
                .filter(|at| (at / n == at % n) == on)
                .map(|at| [at / n, at % n])
                .map(|[row, column]| if row < side && column < side { matrix[row * side + column] } else { 0.0 })
                .collect();
            part.sort_unstable_by(f64::total_cmp);
            part
        };
        Sums::of(&part(&origin.flows, facilities), &part(&origin.distances, n))
    });
    let (differ, size) = (parts[0].differ + parts[1].differ, parts[0].size + parts[1].size);
    // Of equal flows, or distances, nothing is left but what sums were rounded by.
    size.is_finite().then_some(if differ <= NOISE * size { 0.0 } else { differ })
}

/// Where products tell nothing apart costs of placing alone do: the least difference between them, or what they are about.
fn least_difference(costs: &[f64], n: usize, above: &[Vec<f64>]) -> f64 {
    let about = costs.chunks(n).map(least).fold(1.0, |most: f64, cost| most.max(cost.abs()));
    let is_one = |(cost, above): &(&f64, f64)| *above > NOISE * cost.abs().max((*cost - above).abs());
    let all = above.iter().flatten().copied();
    costs.iter().zip(all).filter(is_one).map(|(_, above)| above).fold(about, f64::min)
}

/// What assignments may differ by grows with what counts as a cost like others, and the other way round.
fn with_costs_like_others(mut differ: f64, products: f64, above: &[Vec<f64>]) -> f64 {
    loop {
        let greatest = |row: &Vec<f64>| row.iter().copied().filter(|cost| *cost <= ABOVE * differ).fold(0.0, f64::max);
        let sum = products + above.iter().map(greatest).sum::<f64>();
        if sum <= differ {
            return differ;
        }
        differ = sum;
    }
}

/// Whether there are different locations for all facilities where they are allowed, by augmenting paths (Kuhn 1955).
fn can_all_be_placed([facilities, n]: [usize; 2], allowed: impl Fn(usize, usize) -> bool) -> bool {
    let mut taken: Vec<Option<usize>> = vec![None; n];
    (0..facilities).all(|facility| {
        // Facilities that look for a location, each with the next one to try there, and the locations that were looked at.
        let mut path = vec![(facility, 0)];
        let mut seen = vec![false; n];
        while let Some((one, next)) = path.last_mut() {
            let found = (*next..n).find(|&location| !seen[location] && allowed(*one, location));
            let Some(location) = found else {
                path.pop();
                continue;
            };
            (*next, seen[location]) = (location + 1, true);
            match taken[location] {
                Some(other) => path.push((other, 0)),
                None => {
                    // Each moves to the location that it tried last.
                    path.iter().for_each(|&(one, next)| taken[next - 1] = Some(one));
                    return true;
                }
            }
        }
        false
    })
}

/// Sums of products of numbers with others, each with another one.
struct Sums {
    /// By how much they may differ.
    differ: f64,
    /// The greatest sum of the products' sizes.
    size: f64,
}

impl Sums {
    /// Of numbers that are in order of size.
    fn of(one: &[f64], other: &[f64]) -> Self {
        let along = || one.iter().zip(other).map(|(a, b)| a * b);
        let against: f64 = one.iter().zip(other.iter().rev()).map(|(a, b)| a * b).sum();
        Self { differ: along().sum::<f64>() - against, size: along().map(f64::abs).sum() }
    }
}

#[cfg(test)]
mod tests {
    use crate::Problem;
    use crate::instance::qap::Instance;

    fn number(at: usize) -> f64 {
        f64::from((at as u32).wrapping_mul(2_654_435_761) >> 20) / 100.0
    }

    /// Facilities of which two must not be at some locations: the cost of that, however great, changes no digit of the others.
    #[test]
    fn what_must_not_be_takes_no_digits() {
        for (facilities, n, seed) in [(5, 5, 1), (7, 7, 2), (4, 9, 3), (7, 7, 4)] {
            let matrix = |side: usize, from: usize| (0..side * side).map(|at| number(at + from)).collect::<Vec<f64>>();
            let with = |penalty: f64| {
                let mut placing: Vec<f64> = (0..facilities * n).map(|at| number(at + 500 * seed) / 10.0).collect();
                (placing[0], placing[n + 1], placing[n + 2]) = (penalty, penalty, penalty);
                let [flows, distances] = [matrix(facilities, seed), matrix(n, 99 * seed)];
                Instance::from_matrices_f64("q", [facilities, n], flows, distances, Some(placing)).unwrap()
            };
            let best = |instance: &Instance| {
                let problem = Problem::from(instance);
                let solution = crate::solve(&problem, std::time::Duration::from_secs(5)).unwrap();
                assert_eq!(problem.least_cost(), Some(solution.cost));
                solution
            };
            let known = best(&with(1e5));
            for penalty in [1e6, 1e9, 1e12, 1e15] {
                let instance = with(penalty);
                let found = best(&instance);
                assert_eq!(found.permutation, known.permutation, "{penalty:e}");
                assert!(instance.cost_error() < 1e-4 * known.length, "{penalty:e}: {}", instance.cost_error());
                assert!((found.length - known.length).abs() < 1e-6, "{} {}", found.length, known.length);
                // Lengths are of what was given.
                let forbidden: Vec<u32> = (0..facilities as u32).collect();
                assert!(instance.length(&forbidden).unwrap() >= 2.0 * penalty);
            }
        }
    }

    #[test]
    fn nothing_is_lowered_where_all_count() {
        let pair = |placing: Vec<f64>| {
            let matrices = [vec![0.0, 1.5, 2.5, 0.0], vec![0.0, 3.0, 1.0, 0.0]];
            let [flows, distances] = matrices;
            super::lowered([2, 2], &super::Origin { flows, distances, placing: Some(placing) }, &[])
                .map(|it| it.placing)
        };
        assert_eq!(pair(vec![1.0, 2.0, 0.5, 6.0]), None);
        // They differ by 2 and by 1 of the first row: 3, and the second row's by more than twice that.
        assert_eq!(pair(vec![1.0, 2.0, 0.5, 7.0e4]), Some(vec![1.0, 2.0, 0.5, 6.5]));
        // One of the two is in each assignment: what the lesser costs counts, and the greater one is more than twice that.
        assert_eq!(pair(vec![1.0, 2.0e4, 0.5, 7.0e4]), Some(vec![1.0, 2.0e4, 0.5, 40_002.5]));
        assert_eq!(pair(vec![1.0, 2.0e4, 0.5, 3.0e4]), None);
        // Where nothing flows the costs of placing alone tell.
        let placing = vec![2.0, 1.0, 3.0, 9.0e9];
        let still = super::Origin { flows: vec![0.0; 4], distances: vec![1.0; 4], placing: Some(placing) };
        assert_eq!(super::lowered([2, 2], &still, &[]).map(|it| it.placing), Some(vec![2.0, 1.0, 3.0, 5.0]));
    }

    /// Against all assignments, also where nothing flows, where small costs lie far apart, and where all but what must not be are equal.
    #[test]
    fn the_best_assignment_stays_the_best() {
        let never = 1e12;
        let mut cases = 0;
        for seed in 0..240 {
            let [facilities, n] = [[3, 3], [3, 4], [4, 4], [5, 5]][seed % 4];
            let draw = |at: usize, below: usize| (number(at * 31 + seed * 977) * 100.0) as usize % below;
            let matrix = |side: usize, from: usize| -> Vec<f64> {
                let entry = |at: usize| match (seed / 4 % 6, from) {
                    (0, _) => 0.0,
                    // Equal ones, whose products are the same in each assignment but for rounding.
                    (1, 100) => 1.0 / 3.0,
                    (2, 100) if at / side != at % side => 1.0,
                    (2, 100) => 0.0,
                    (3, _) => draw(at + from, 10) as f64,
                    _ => draw(at + from, 100) as f64 / 10.0,
                };
                (0..side * side).map(entry).collect()
            };
            let placing: Vec<f64> = (0..facilities * n)
                .map(|at| match (draw(at + 7000, 10), seed % 5) {
                    (0..4, _) => never,
                    (_, 0) => 1.0,
                    (_, 1) => draw(at, 1000) as f64 / 10.0,
                    (_, 2) => 0.1 * draw(at, 4) as f64 + 0.1 * draw(at + 50, 4) as f64,
                    _ => draw(at, 100) as f64,
                })
                .collect();
            let [flows, distances] = [matrix(facilities, 100), matrix(n, 4000)];
            let made = Instance::from_matrices_f64("q", [facilities, n], flows, distances, Some(placing));
            let all = orders(facilities, n);
            // Where each assignment has a great cost there may be no digits for the others.
            let Ok(instance) = made else { continue };
            let length = |at: &Vec<u32>| instance.length(at).unwrap();
            let best = all.iter().map(length).fold(f64::INFINITY, f64::min);
            if best >= never {
                continue;
            }
            cases += 1;
            let counted = all.iter().min_by_key(|at| instance.cost(at).unwrap()).unwrap();
            let most = 2.0 * instance.cost_error() + 1e-9;
            assert!(length(counted) - best < most, "{seed}: {} above {best}", length(counted));
            // What must not be costs no digits where there are enough for the others.
            assert!(instance.cost_error() < 1e-3, "{seed}: {}", instance.cost_error());
        }
        assert!(cases > 150, "{cases} cases");
    }

    /// All ways to give facilities locations.
    fn orders(facilities: usize, n: usize) -> Vec<Vec<u32>> {
        (0..facilities).fold(vec![Vec::new()], |all, _| {
            let more = |begun: Vec<u32>| {
                let free = (0..n as u32).filter(|location| !begun.contains(location)).collect::<Vec<_>>();
                free.into_iter().map(move |location| [&begun[..], &[location]].concat())
            };
            all.into_iter().flat_map(more).collect()
        })
    }

    /// Entries whose products are beyond floating-point numbers are refused, soon.
    #[test]
    fn costs_beyond_all_numbers_come_to_an_end() {
        let huge = |entry: f64| vec![0.0, entry, -entry, 0.0];
        let placing = Some(vec![0.0, 1.0, 1e300, -1e300]);
        assert!(Instance::from_matrices_f64("huge", [2, 2], huge(1e200), huge(1e200), placing.clone()).is_err());
        let still = super::Origin { flows: vec![0.0; 4], distances: vec![1.0; 4], placing };
        assert!(super::lowered([2, 2], &still, &[]).is_none_or(|it| it.placing.iter().all(|cost| cost.is_finite())));
    }

    /// Where something is fixed later there may be no assignment left without a great cost.
    #[test]
    fn fixed_facilities_are_heeded() {
        let mut placing: Vec<f64> = (0..9).map(|at| number(at + 3) / 7.0).collect();
        (placing[0], placing[1], placing[4]) = (1e9, 3e9, 1.5e9);
        let matrix = |from: usize| (0..9).map(|at| number(at + from) / 3.0).collect::<Vec<f64>>();
        let free = Instance::from_matrices_f64("three", [3, 3], matrix(20), matrix(40), Some(placing)).unwrap();
        assert!(free.cost_error() < 1.0);
        // Facility 0 has to be where it must not be: to have facility 1 there, too, costs less than the other way round.
        let fixed = free.with_fixed(&[[2, 2]]).unwrap();
        assert_eq!(crate::solve(&fixed, std::time::Duration::from_secs(1)).unwrap().permutation, [0, 1, 2]);
        let costs = [[0, 1, 2], [1, 0, 2]].map(|at| (fixed.length(&at).unwrap() / 1e8).round());
        assert_eq!(costs, [25.0, 30.0]);
    }

    #[test]
    fn locations_are_found_for_all_where_there_are_some() {
        let table = |rows: &[&str]| {
            let allowed = |row: usize, column: usize| rows[row].as_bytes()[column] == b'x';
            super::can_all_be_placed([rows.len(), rows[0].len()], allowed)
        };
        assert!(
            table(&["xx.", "x..", ".xx"]) && table(&["xxx", "xx.", "x.."]) && table(&["x.", ".x"]) && table(&["xx"])
        );
        assert!(!table(&["xx.", "x..", ".x."]) && !table(&["x.", "x."]) && !table(&[".x", ".."]));
    }
}
