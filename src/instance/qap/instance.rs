//! Instances: two square matrices, and one more where facilities cost something by themselves.

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use crate::error::{Error, Flaw, Result};
use crate::text::clean;

/// The largest entry of a matrix.
pub(super) const MAX_ENTRY: u32 = (1 << 31) - 1;
/// Up to so many facilities a second bound is tried, which takes longer.
const REFINED: usize = 1000;
/// The most facilities: kernels number pairs of them in 32 bits.
pub(super) const MAX_FACILITIES: usize = 32_767;

/// Flows between facilities and distances between locations, and what it costs to place each facility at each location, where that is
/// given. Clones share the matrices.
#[derive(Clone, Debug)]
pub struct Instance {
    name: String,
    facilities: usize,
    flows: Arc<[u32]>,
    distances: Arc<[u32]>,
    placing: Option<Arc<[u32]>>,
}

/// What the matrices of an instance look like: defaults differ by that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Structure {
    /// None is to be seen: entries as if drawn at random.
    Random,
    /// One of the matrices keeps to the triangle inequality but for one triple in fifty, as distances between places do.
    Places,
    /// The entries of one differ very much ([`Instance::is_structured`]).
    Dominant,
}

impl Instance {
    /// An instance from its matrices, row-major `facilities` × `facilities`: `flows[i][j]` from facility i to facility j,
    /// `distances[k][l]` from location k to location l. Neither has to be symmetric, diagonals count.
    ///
    /// ```
    /// use myrmex::qap::Instance;
    ///
    /// let pair = Instance::from_matrices("pair", 2, vec![0, 3, 1, 0], vec![0, 5, 7, 0])?;
    /// assert_eq!((pair.cost(&[0, 1])?, pair.cost(&[1, 0])?), (22, 26));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for no facility or too many, a wrong length, an entry above 2³¹ − 1, costs beyond 63 bits, or
    /// matrices by which exchanging two facilities may change the cost by more than 2³¹ − 1.
    pub fn from_matrices(
        name: impl Into<String>,
        facilities: usize,
        flows: Vec<u32>,
        distances: Vec<u32>,
    ) -> Result<Self> {
        let refuse = |message: String| Err(Error::Instance(message));
        match facilities {
            0 => return refuse("it has no facility".into()),
            1..=MAX_FACILITIES => {}
            _ => return refuse(format!("{facilities} facilities are more than {MAX_FACILITIES}")),
        }
        for (what, matrix) in [("flows", &flows), ("distances", &distances)] {
            if matrix.len() != facilities * facilities {
                let entries = matrix.len();
                return refuse(format!(
                    "{facilities} facilities need {facilities} x {facilities} {what}, not {entries}"
                ));
            }
            let largest = matrix.iter().copied().max().unwrap_or_default();
            if largest > MAX_ENTRY {
                return refuse(format!("one of the {what} is {largest}, which passes {MAX_ENTRY}"));
            }
        }
        let (flows, distances) = (flows.into(), distances.into());
        Self { name: clean(&name.into()), facilities, flows, distances, placing: None }.checked()
    }

    /// The same instance with a linear term: `costs`, row-major facilities × locations, say what each facility costs at each location by
    /// itself (Koopmans and Beckmann 1957). An assignment costs Σᵢⱼ aᵢⱼ · b_φ(i)φ(j) + Σᵢ cᵢφ(i) then.
    ///
    /// ```
    /// use myrmex::qap::Instance;
    ///
    /// let pair = Instance::from_matrices("pair", 2, vec![0, 3, 1, 0], vec![0, 5, 7, 0])?;
    /// let placed = pair.with_placing_costs(vec![10, 0, 0, 0])?;
    /// assert_eq!((placed.cost(&[0, 1])?, placed.cost(&[1, 0])?), (32, 26));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for a wrong length, an entry above 2³¹ − 1, and costs or changes of costs as large as
    /// [`Instance::from_matrices`] refuses.
    pub fn with_placing_costs(self, costs: Vec<u32>) -> Result<Self> {
        let n = self.facilities;
        if costs.len() != n * n {
            let entries = costs.len();
            return Err(Error::Instance(format!("{n} facilities need {n} x {n} costs of placing them, not {entries}")));
        }
        if let Some(largest) = costs.iter().find(|cost| **cost > MAX_ENTRY) {
            return Err(Error::Instance(format!("one of the costs of placing is {largest}, which passes {MAX_ENTRY}")));
        }
        Self { placing: Some(costs.into()), ..self }.checked()
    }

    /// The instance, if costs and their changes fit in the numbers that kernels have.
    fn checked(self) -> Result<Self> {
        let n = self.facilities;
        let largest = |matrix: &[u32]| u128::from(matrix.iter().copied().max().unwrap_or_default());
        let placing = self.placing.as_deref().map_or(0, largest);
        let most = largest(&self.flows) * largest(&self.distances) * (n * n) as u128 + placing * n as u128;
        if most >= 1 << 63 {
            let message = "its costs may pass 63 bits; divide the flows or the distances by a common factor";
            return Err(Error::Instance(message.into()));
        }
        let mut change = self.greatest_change();
        if change >= f64::from(i32::MAX) && n <= REFINED {
            change = change.min(self.greatest_change_by_place());
        }
        // Two facilities move, each from the dearest to the cheapest place or back.
        change += 2.0 * placing as f64;
        if change >= f64::from(i32::MAX) {
            return Err(Error::Instance(format!(
                "exchanging two facilities may change the cost by up to {change:.0}, which passes {}; divide the flows or \
                 the distances by a common factor{}",
                i32::MAX,
                if placing > 0 { ", and the costs of placing by the same" } else { "" }
            )));
        }
        Ok(self)
    }

    /// The same instance under another name.
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: clean(&name.into()), ..self }
    }

    /// Its name, control characters replaced.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of facilities, and of locations; at least 1.
    pub fn len(&self) -> usize {
        self.facilities
    }

    /// Never: an instance has at least one facility.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The flows, row-major facilities × facilities.
    pub fn flows(&self) -> &[u32] {
        &self.flows
    }

    /// The distances, row-major locations × locations.
    pub fn distances(&self) -> &[u32] {
        &self.distances
    }

    /// What each facility costs at each location by itself, row-major facilities × locations, where that is given.
    pub fn placing_costs(&self) -> Option<&[u32]> {
        self.placing.as_deref()
    }

    /// The cost of an assignment: for each facility its location, counted from 0.
    ///
    /// # Errors
    /// [`Error::Assignment`] when `locations` does not hold each location once.
    pub fn cost(&self, locations: &[u32]) -> Result<u64> {
        let n = self.facilities;
        if locations.len() != n {
            return Err(Error::Assignment(Flaw::Length { found: locations.len(), expected: n }));
        }
        let mut taken = vec![false; n];
        for &location in locations {
            match taken.get_mut(location as usize) {
                None => return Err(Error::Assignment(Flaw::Unknown { number: location, below: n })),
                Some(true) => return Err(Error::Assignment(Flaw::Twice { number: location })),
                Some(taken) => *taken = true,
            }
        }
        Ok(cost([&self.flows, &self.distances, self.placing.as_deref().unwrap_or_default()], locations))
    }

    /// Writes the instance in QAPLIB's format, costs of placing as a third matrix.
    ///
    /// # Errors
    /// What the writer reports.
    pub fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        writeln!(writer, "{}", self.facilities)?;
        for matrix in [Some(&self.flows), Some(&self.distances), self.placing.as_ref()].into_iter().flatten() {
            writeln!(writer)?;
            for row in matrix.chunks(self.facilities) {
                let entries: Vec<String> = row.iter().map(u32::to_string).collect();
                writeln!(writer, "{}", entries.join(" "))?;
            }
        }
        Ok(())
    }

    /// Whether one of the matrices equals its transpose: then both directions of a pair count as one.
    pub fn is_symmetric_in_one(&self) -> bool {
        self.is_symmetric(&self.flows) || self.is_symmetric(&self.distances)
    }

    pub(crate) fn is_symmetric(&self, matrix: &[u32]) -> bool {
        let n = self.facilities;
        (0..n).all(|i| (0..i).all(|j| matrix[i * n + j] == matrix[j * n + i]))
    }

    /// Whether the entries of one of the matrices differ so much, as those of real layouts do, that local optima lie close
    /// together: a standard deviation above 1.5 times the mean (Taillard 1995 calls this the flow dominance).
    pub fn is_structured(&self) -> bool {
        let spread = |matrix: &[u32]| {
            let count = matrix.len() as f64;
            let mean = matrix.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
            let square = matrix.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / count;
            square > (1.0 + 1.5 * 1.5) * mean * mean
        };
        spread(&self.flows) || spread(&self.distances)
    }

    /// What its matrices look like.
    pub fn structure(&self) -> Structure {
        if self.is_structured() {
            Structure::Dominant
        } else if self.has_distances_of_places(&self.flows) || self.has_distances_of_places(&self.distances) {
            Structure::Places
        } else {
            Structure::Random
        }
    }

    /// Whether few of some triples, a few for each pair, break the triangle inequality.
    fn has_distances_of_places(&self, matrix: &[u32]) -> bool {
        const BY_WAY_OF: usize = 16;
        let n = self.facilities;
        let at = |i: usize, j: usize| u64::from(matrix[i * n + j]);
        let (mut all, mut broken) = (0, 0);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            for k in (0..BY_WAY_OF).map(|turn| (7 * i + 13 * j + 31 * turn) % n) {
                if i != j && k != i && k != j {
                    all += 1;
                    broken += usize::from(at(i, j) > at(i, k) + at(k, j));
                }
            }
        }
        50 * broken <= all
    }

    /// The facilities with most flow at the most central locations; ties in the order of their numbers.
    pub fn simple_assignment(&self) -> Vec<u32> {
        let n = self.facilities;
        let sums = |matrix: &[u32]| -> Vec<u64> {
            let both = |i: usize| (0..n).map(|j| u64::from(matrix[i * n + j]) + u64::from(matrix[j * n + i])).sum();
            (0..n).map(both).collect()
        };
        let (flow, distance) = (sums(&self.flows), sums(&self.distances));
        let mut facilities: Vec<usize> = (0..n).collect();
        facilities.sort_by_key(|&facility| (u64::MAX - flow[facility], facility));
        let mut locations: Vec<usize> = (0..n).collect();
        locations.sort_by_key(|&location| (distance[location], location));
        let mut assignment = vec![0; n];
        for (facility, location) in facilities.into_iter().zip(locations) {
            assignment[facility] = location as u32;
        }
        assignment
    }

    /// Another bound, in time n³: no more changes than what both facilities cost where they come to, each at most the sum of
    /// its sorted flows times the sorted distances there.
    fn greatest_change_by_place(&self) -> f64 {
        let n = self.facilities;
        let sorted = |matrix: &[u32], columns: bool| -> Vec<Vec<f64>> {
            let line = |i: usize| {
                let mut line: Vec<f64> =
                    (0..n).map(|k| f64::from(matrix[if columns { k * n + i } else { i * n + k }])).collect();
                line.sort_by(f64::total_cmp);
                line
            };
            (0..n).map(line).collect()
        };
        let [flows, distances] = [&self.flows, &self.distances].map(|m| [sorted(m, false), sorted(m, true)]);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let at_most = |facility: usize, location: usize| -> f64 {
            (0..2).map(|side| dot(&flows[side][facility], &distances[side][location])).sum()
        };
        let mut places: Vec<(f64, usize, usize)> =
            (0..n * n).map(|index| (at_most(index / n, index % n), index / n, index % n)).collect();
        places.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut most = 0.0f64;
        for (first, (cost, facility, location)) in places.iter().enumerate() {
            if 2.0 * cost <= most {
                break;
            }
            let other = places[first + 1..].iter().find(|place| place.1 != *facility && place.2 != *location);
            most = most.max(cost + other.map_or(0.0, |place| place.0));
        }
        most
    }

    /// No exchange of two facilities changes the cost of any assignment by more than this.
    ///
    /// An exchange of r and s adds Σₖ (aₖᵣ − aₖₛ)(b_φ(k)φ(s) − b_φ(k)φ(r)), the same along rows, and a term of the four
    /// entries at r and s; Hölder's inequality bounds the sums by norms of differences of columns and rows.
    fn greatest_change(&self) -> f64 {
        let n = self.facilities;
        let [flows, distances] = [&self.flows, &self.distances].map(|matrix| {
            let column = differences(n, |line, k| matrix[k * n + line]);
            let row = differences(n, |line, k| matrix[line * n + k]);
            let corner = (0..n).flat_map(|r| (0..r).map(move |s| (r, s))).map(|(r, s)| {
                let at = |i: usize, j: usize| f64::from(matrix[i * n + j]);
                (at(r, r) + at(s, s) - at(r, s) - at(s, r)).abs()
            });
            (column, row, corner.fold(0.0, f64::max))
        });
        let sum = |a: Norms, b: Norms| (a.sum * b.greatest).min(a.greatest * b.sum).min(a.length * b.length);
        sum(flows.0, distances.0) + sum(flows.1, distances.1) + flows.2 * distances.2
    }
}

/// Σᵢⱼ aᵢⱼ · b_φ(i)φ(j) + Σᵢ cᵢφ(i), the third matrix being empty where there are no costs of placing.
pub(crate) fn cost([flows, distances, placing]: [&[u32]; 3], locations: &[u32]) -> u64 {
    let n = locations.len();
    let row = |facility: usize| -> u64 {
        let location = locations[facility] as usize;
        let distances = &distances[location * n..][..n];
        let pairs = flows[facility * n..][..n].iter().zip(locations);
        let flows: u64 = pairs.map(|(&flow, &other)| u64::from(flow) * u64::from(distances[other as usize])).sum();
        flows + placing.get(facility * n + location).map_or(0, |cost| u64::from(*cost))
    };
    (0..n).map(row).sum()
}

/// The greatest norms of a difference of two lines of a matrix.
#[derive(Clone, Copy)]
struct Norms {
    sum: f64,
    length: f64,
    greatest: f64,
}

fn differences(n: usize, at: impl Fn(usize, usize) -> u32) -> Norms {
    let mut most = Norms { sum: 0.0, length: 0.0, greatest: 0.0 };
    // Beyond a size where all pairs of lines take long, a bound by single lines does.
    if n > 512 {
        for line in 0..n {
            let entries = (0..n).map(|k| f64::from(at(line, k)));
            let sum: f64 = entries.clone().sum();
            let square: f64 = entries.clone().map(|x| x * x).sum();
            most.sum = most.sum.max(2.0 * sum);
            most.length = most.length.max(2.0 * square.sqrt());
            most.greatest = most.greatest.max(entries.fold(0.0, f64::max));
        }
        return most;
    }
    for r in 0..n {
        for s in 0..r {
            let (mut sum, mut square, mut greatest) = (0.0, 0.0, 0.0f64);
            for k in 0..n {
                let difference = (f64::from(at(r, k)) - f64::from(at(s, k))).abs();
                sum += difference;
                square += difference * difference;
                greatest = greatest.max(difference);
            }
            most.sum = most.sum.max(sum);
            most.length = most.length.max(square.sqrt());
            most.greatest = most.greatest.max(greatest);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_checked_and_summed() {
        let three = Instance::from_matrices("", 3, vec![0, 5, 2, 5, 0, 3, 2, 3, 0], vec![0, 1, 9, 1, 0, 4, 9, 4, 7]);
        let three = three.unwrap();
        assert_eq!(three.cost(&[0, 1, 2]).unwrap(), 2 * (5 + 18 + 12));
        assert_eq!(three.cost(&[2, 0, 1]).unwrap(), 2 * (45 + 8 + 3));
        for (locations, word) in
            [(vec![0, 1], "2 locations"), (vec![0, 1, 3], "location 3 does not exist"), (vec![0, 1, 1], "there twice")]
        {
            assert!(three.cost(&locations).unwrap_err().to_string().contains(word));
        }
    }

    #[test]
    fn impossible_instances_are_refused() {
        let message = |n, a, b| Instance::from_matrices("", n, a, b).unwrap_err().to_string();
        assert!(message(0, vec![], vec![]).contains("no facility"));
        assert!(message(2, vec![0; 4], vec![0; 3]).contains("2 x 2 distances"));
        assert!(message(1, vec![1 << 31], vec![1]).contains("passes"));
        assert!(message(2, vec![0, 1 << 20, 1 << 20, 0], vec![0, 1 << 20, 1 << 20, 1 << 20]).contains("exchanging"));
        let big = (1 << 31) - 1;
        assert!(message(4, vec![big; 16], vec![big; 16]).contains("63 bits"));
    }

    #[test]
    fn costs_of_placing_are_checked_and_counted() {
        let three = || {
            Instance::from_matrices("", 3, vec![0, 5, 2, 5, 0, 3, 2, 3, 0], vec![0, 1, 9, 1, 0, 4, 9, 4, 7]).unwrap()
        };
        let placed = three().with_placing_costs(vec![1, 10, 100, 2, 20, 200, 3, 30, 300]).unwrap();
        assert_eq!(placed.cost(&[2, 0, 1]).unwrap(), three().cost(&[2, 0, 1]).unwrap() + 100 + 2 + 30);
        let message = |costs| three().with_placing_costs(costs).unwrap_err().to_string();
        assert!(message(vec![0; 8]).contains("3 x 3 costs of placing"));
        assert!(message(vec![1 << 31; 9]).contains("passes"));
        assert!(message(vec![1 << 30; 9]).contains("costs of placing by the same"));
    }

    #[test]
    fn structures_are_told_apart() {
        let n = 20;
        let matrix = |of: &dyn Fn(u32, u32) -> u32| -> Vec<u32> {
            (0..n * n).map(|at| if at / n == at % n { 0 } else { of(at / n, at % n) }).collect()
        };
        let random = matrix(&|i, j| (i.max(j) * 20 + i.min(j)).wrapping_mul(2_654_435_761) >> 26);
        let places = matrix(&|i, j| (i / 5).abs_diff(j / 5) + (i % 5).abs_diff(j % 5));
        let dominant = matrix(&|i, j| if (i + j) % 9 == 0 { 1000 } else { 1 });
        let structure =
            |a: &[u32], b: &[u32]| Instance::from_matrices("", 20, a.to_vec(), b.to_vec()).unwrap().structure();
        assert_eq!(structure(&random, &random), Structure::Random);
        assert_eq!(structure(&random, &places), Structure::Places);
        assert_eq!(structure(&places, &random), Structure::Places);
        assert_eq!(structure(&dominant, &places), Structure::Dominant);
    }

    /// Every exchange in random assignments stays within the bound.
    #[test]
    fn no_exchange_changes_the_cost_by_more_than_the_bound() {
        let instance = crate::instance::qap::generate(9, 5).unwrap();
        let bound = instance.greatest_change();
        let mut locations: Vec<u32> = (0..9).collect();
        let mut most = 0;
        for turn in 0..2000usize {
            let before = instance.cost(&locations).unwrap();
            locations.swap(turn * 7 % 9, (turn * 5 + turn / 9 + 1) % 9);
            most = most.max(before.abs_diff(instance.cost(&locations).unwrap()));
        }
        let by_place = instance.greatest_change_by_place();
        assert!(most as f64 <= by_place && by_place < 20.0 * most as f64, "{most} {by_place}");
        assert!(most as f64 <= bound && bound < 20.0 * most as f64, "{most} {bound}");
    }
}
