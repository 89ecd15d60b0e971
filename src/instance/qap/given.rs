//! What was given, where whole numbers from 0 up stand for it: entries with signs or decimals.

use std::io::{self, Write};
use std::sync::Arc;

use super::forbidden::products_differ_by;
use super::instance::Instance;
use super::scaling::{Factors, scaled};
use crate::error::Result;

/// What an instance was made of, as [`Instance::from_matrices_f64`] takes it: what another process, or a file, needs to make it again.
/// [`Instance::fixed`] comes beside it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Origin {
    /// Flows, row-major facilities × facilities.
    pub flows: Vec<f64>,
    /// Distances, row-major locations × locations.
    pub distances: Vec<f64>,
    /// What each facility costs at each location by itself, row-major facilities × locations; infinite where it must not be.
    pub placing: Option<Vec<f64>>,
}

impl Shifts {
    /// Nothing, where so many facilities have costs of placing.
    pub fn none(facilities: usize) -> Self {
        Self { flows: [0; 2], distances: [0; 2], placing: vec![0; facilities] }
    }
}

impl Origin {
    /// The same with a great cost in place of each infinite one, so great that every assignment with one costs more than all without. `None` where there
    /// are no infinite ones.
    pub(super) fn without_infinite(&self) -> Option<Self> {
        let costs = self.placing.as_ref().filter(|costs| costs.contains(&f64::INFINITY))?;
        let n = self.distances.len().isqrt();
        let ends = |row: &[f64]| {
            let finite = || row.iter().copied().filter(|cost| cost.is_finite());
            [finite().reduce(f64::min), finite().reduce(f64::max)].map(Option::unwrap_or_default)
        };
        let ends: Vec<[f64; 2]> = costs.chunks(n).map(ends).collect();
        let products = products_differ_by([costs.len() / n, n], self);
        let size = |matrix: &[f64]| matrix.iter().map(|entry| entry.abs()).sum::<f64>();
        let products = products.unwrap_or_else(|| 2.0 * size(&self.flows) * size(&self.distances));
        let differ = products + ends.iter().map(|[least, greatest]| greatest - least).sum::<f64>();
        // Once would do, but for what is rounded in sums. The same above the least cost of each row, so that fewer infinite ones are better than more.
        let above = if differ > 1e-300 { one_digit(2.0 * differ) } else { 1.0 };
        let row = |(row, [least, _]): (&[f64], &[f64; 2])| {
            let never = as_decimal(least + above);
            row.iter().map(|cost| if cost.is_finite() { *cost } else { never }).collect::<Vec<f64>>()
        };
        let placing = costs.chunks(n).zip(&ends).flat_map(row).collect();
        Some(Self { placing: Some(placing), ..self.clone() })
    }

    /// Whether a facility has no flows but what all have in common, beside the diagonal and on it, and costs the same at all locations.
    pub(super) fn is_idle(&self, facility: usize, common: [f64; 2]) -> bool {
        let facilities = self.flows.len().isqrt();
        let of = |other: usize| [facility * facilities + other, other * facilities + facility];
        let placing = self.placing.as_ref().map(|costs| costs.chunks(costs.len() / facilities).nth(facility));
        let is_common = |other: usize, at: usize| self.flows[at] == common[usize::from(other == facility)];
        (0..facilities).all(|other| of(other).into_iter().all(|at| is_common(other, at)))
            && placing.flatten().is_none_or(|costs| costs.iter().all(|cost| *cost == costs[0]))
    }
}

/// The next number of one digit, so that it takes none that other entries do not have.
fn one_digit(number: f64) -> f64 {
    let power = number.log10().floor() as i32;
    match power >= 0 {
        true => (number / 10f64.powi(power)).ceil() * 10f64.powi(power),
        false => (number * 10f64.powi(-power)).ceil() / 10f64.powi(-power),
    }
}

/// A sum of decimals, which rounding may have put beside the nearest number to it, as that.
fn as_decimal(sum: f64) -> f64 {
    let decimal = (sum * 1e9).round() / 1e9;
    if (decimal - sum).abs() <= f64::EPSILON * sum.abs() { decimal } else { sum }
}

/// How the matrices of an instance stand for what was given: an entry is `given · factor`, rounded, less the least one where that is negative, or where entries are rounded.
#[derive(Debug)]
pub(super) struct Given {
    pub factors: Factors,
    pub shifts: Shifts,
    /// What costs have more than the product of the factors times what was given, in every assignment.
    pub offset: i128,
    /// By how much a cost may differ at most from that of what was given, in its unit.
    pub error: f64,
    /// Where entries are rounded, or some costs of placing are counted as less.
    pub source: Option<Origin>,
    /// Whether some are.
    pub lowered: bool,
}

/// What was taken off entries.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shifts {
    /// Beside the diagonal and on it.
    pub flows: [i64; 2],
    pub distances: [i64; 2],
    /// Of each row.
    pub placing: Vec<i64>,
}

impl Instance {
    /// An instance from matrices in any unit, row-major: `flows` facilities × facilities, `distances` locations × locations, and `placing`,
    /// what each facility costs at each location by itself, facilities × locations. There may be fewer facilities than locations: some of
    /// these stay empty then. Entries may be negative or have decimals.
    ///
    /// Flows and distances are each scaled by the smallest power of ten (from 1 on) that makes them whole, with negative ones counted
    /// from the least, exactly: an assignment's cost changes by a factor and a constant. Where costs so scaled do not fit in what
    /// [`Instance::from_matrices`] takes, matrices are counted from their least entries, scaled by the largest factors that do, and rounded; then the cost of an
    /// assignment differs by at most [`Instance::cost_error`]. [`Instance::length`] and the length of a solution are of the entries as given.
    ///
    /// A facility that must not be at some location costs [`f64::INFINITY`] there; an assignment with such a place has that length. A great number, 10⁹ or
    /// 10¹² say, does the same: where there are no digits for all, costs of placing so great that every assignment with one of them costs more
    /// than all without are counted as less, as far as that stays so. Whole entries stay exact beside either; beside ones with decimals that are rounded, they
    /// take about a digit.
    ///
    /// ```
    /// use myrmex::qap::Instance;
    ///
    /// let (flows, distances) = (vec![0.0, 0.5, -1.5, 0.0], vec![0.0, 1.0, 4.0, 1.0, 0.0, 2.0, 4.0, 2.0, 0.0]);
    /// let two_of_three = Instance::from_matrices_f64("pair", [2, 3], flows, distances, None)?;
    /// assert_eq!((two_of_three.length(&[0, 2])?, two_of_three.length(&[1, 0])?), (-4.0, -1.0));
    /// assert_eq!((two_of_three.empty_locations(&[0, 2])?, two_of_three.cost_error()), (vec![1], 0.0));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::Error::Instance`] for no facility, more facilities than locations, a wrong length, an entry that is not finite (but for infinite costs of
    /// placing), and where all that a facility or a location has is so small beside other entries that it rounds to 0.
    pub fn from_matrices_f64(
        name: impl Into<String>,
        [facilities, locations]: [usize; 2],
        flows: Vec<f64>,
        distances: Vec<f64>,
        placing: Option<Vec<f64>>,
    ) -> Result<Self> {
        let origin = Origin { flows, distances, placing };
        scaled(&name.into(), [facilities, locations], origin, &[])
    }

    /// The same entries with other costs of placing, which are counted in the unit of what was given.
    pub(super) fn remade_with_placing(&self, costs: Vec<u32>) -> Result<Self> {
        let origin = Origin { placing: Some(costs.into_iter().map(f64::from).collect()), ..self.origin() };
        Ok(scaled(self.name(), [self.len(), self.locations()], origin, &self.fixed)?.named_as(self))
    }

    /// The distance between two locations in the unit of what was given.
    pub(in crate::instance) fn distance(&self, from: usize, to: usize) -> f64 {
        let n = self.locations();
        let given = self.given.as_deref();
        match given.and_then(|given| given.source.as_ref()) {
            Some(source) => source.distances[from * n + to],
            None => {
                let shift = given.map_or(0, |given| given.shifts.distances[usize::from(from == to)]);
                let factor = given.map_or(Factors::ONE, |given| given.factors).distances;
                (i64::from(self.distances()[from * n + to]) + shift) as f64 / factor
            }
        }
    }

    /// What a facility costs at a location by itself, in the unit of what was given.
    pub(in crate::instance) fn placing_cost(&self, facility: usize, location: usize) -> Option<f64> {
        let at = facility * self.locations() + location;
        let given = self.given.as_deref();
        match given.and_then(|given| given.source.as_ref()) {
            Some(source) => source.placing.as_ref().map(|costs| costs[at]),
            None => self.placing_costs().map(|costs| {
                let shift = given.map_or(0, |given| given.shifts.placing[facility]);
                (i64::from(costs[at]) + shift) as f64 / given.map_or(Factors::ONE, |given| given.factors).cost()
            }),
        }
    }

    /// What the instance was made of, in the unit of what was given.
    pub fn origin(&self) -> Origin {
        if let Some(source) = self.given.as_ref().and_then(|given| given.source.as_ref()) {
            return source.clone();
        }
        let (facilities, n) = (self.len(), self.locations());
        let given = self.given.as_deref();
        let entry = |whole: u32, shift: i64, factor: f64| (i64::from(whole) + shift) as f64 / factor;
        let square = |matrix: &[u32], side: usize, shifts: [i64; 2], factor: f64| -> Vec<f64> {
            let all = (0..side).flat_map(|i| (0..side).map(move |j| (i, j)));
            all.map(|(i, j)| entry(matrix[i * n + j], shifts[usize::from(i == j)], factor)).collect()
        };
        let (flow_shifts, distance_shifts) =
            given.map_or(([0; 2], [0; 2]), |it| (it.shifts.flows, it.shifts.distances));
        let factors = given.map_or(Factors::ONE, |given| given.factors);
        let placing = self.placing_costs().map(|costs| {
            let shift = |at: usize| given.map_or(0, |given| given.shifts.placing[at / n]);
            (0..facilities * n).map(|at| entry(costs[at], shift(at), factors.cost())).collect()
        });
        Origin {
            flows: square(self.flows(), facilities, flow_shifts, factors.flows),
            distances: square(self.distances(), n, distance_shifts, factors.distances),
            placing,
        }
    }

    /// The cost of an assignment in the unit of what was given, of entries that are not rounded.
    ///
    /// # Errors
    /// As [`Instance::cost`].
    pub fn length(&self, locations: &[u32]) -> Result<f64> {
        Ok(self.length_at(locations, self.cost(locations)?))
    }

    /// The same of what is known to be an assignment, with its cost.
    pub(crate) fn length_at(&self, locations: &[u32], cost: u64) -> f64 {
        let Some(source) = self.given.as_ref().and_then(|given| given.source.as_ref()) else {
            return self.length_of(cost);
        };
        let (facilities, n) = (self.len(), self.locations());
        let at = |facility: usize| locations[facility] as usize;
        let row = |i: usize| -> f64 {
            let distance = |j: usize| source.distances[at(i) * n + at(j)];
            let flows: f64 = (0..facilities).map(|j| source.flows[i * facilities + j] * distance(j)).sum();
            flows + source.placing.as_ref().map_or(0.0, |costs| costs[i * n + at(i)])
        };
        (0..facilities).map(row).sum()
    }

    /// What a cost is in the unit of what was given: exactly, but for [`Instance::cost_error`].
    pub fn length_of(&self, cost: u64) -> f64 {
        match &self.given {
            Some(given) => (i128::from(cost) - given.offset) as f64 / given.factors.cost(),
            None => cost as f64,
        }
    }

    /// The greatest cost whose [`Instance::length_of`] is `length` or less: what a target in the user's unit is as a cost.
    pub fn cost_of(&self, length: f64) -> u64 {
        let Some(given) = &self.given else { return length as u64 };
        // Decimals have no exact binary form: 7.7 times 10⁶ may come out a little below 7,700,000.
        let own = (length * given.factors.cost() * (1.0 + f64::EPSILON * 4.0 * length.signum())).floor();
        // A conversion from floating point stays within the type.
        (own as i128).saturating_add(given.offset).clamp(0, u64::MAX.into()) as u64
    }

    /// By how much the cost of any assignment may differ at most from what the solver counts, in the unit of what was given, but for those with
    /// costs of placing that are counted as less ([`Instance::from_matrices_f64`]);
    /// 0 where all entries are counted exactly. So the least cost as it is counted is at most twice that above the least cost.
    pub fn cost_error(&self) -> f64 {
        self.given.as_ref().map_or(0.0, |given| given.error)
    }

    /// Whether some costs of placing are counted as less than they are.
    pub(in crate::instance) fn counts_less(&self) -> bool {
        self.given.as_ref().is_some_and(|given| given.lowered)
    }

    /// What costs are scaled by; 1 where entries were given whole.
    pub fn scale(&self) -> f64 {
        self.given.as_ref().map_or(1.0, |given| given.factors.cost())
    }

    /// The same with lengths that are of `source`, some of whose costs of placing are counted as less.
    pub(super) fn with_source(self, source: Origin) -> Self {
        let facilities = if source.placing.is_some() { self.len() } else { 0 };
        let given = match self.given.as_deref() {
            Some(Given { factors, shifts, offset, error, .. }) => Given {
                factors: *factors,
                shifts: shifts.clone(),
                offset: *offset,
                error: *error,
                source: Some(source),
                lowered: true,
            },
            None => Given {
                factors: Factors::ONE,
                shifts: Shifts::none(facilities),
                offset: 0,
                error: 0.0,
                source: Some(source),
                lowered: true,
            },
        };
        self.with_given(given)
    }

    pub(super) fn with_given(mut self, given: Given) -> Self {
        self.given = Some(Arc::new(given));
        self
    }

    /// Writes the instance in QAPLIB's format, in the unit of what was given: the number of facilities and, where it is another, that of
    /// locations, flows, distances, and costs of placing as a third matrix. The format has no fixed facilities: they are left out.
    ///
    /// # Errors
    /// What the writer reports.
    pub fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        let (facilities, locations) = (self.len(), self.locations());
        match facilities == locations {
            true => writeln!(writer, "{facilities}")?,
            false => writeln!(writer, "{facilities} {locations}")?,
        }
        let Origin { flows, distances, placing } = self.origin();
        let both = [(flows, facilities), (distances, locations)];
        for (matrix, columns) in both.into_iter().chain(placing.map(|costs| (costs, locations))) {
            writeln!(writer)?;
            for row in matrix.chunks(columns) {
                let entries: Vec<String> = row.iter().map(f64::to_string).collect();
                writeln!(writer, "{}", entries.join(" "))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told one by one is what all together are.
    #[test]
    fn entries_are_those_of_the_origin() {
        let entries = |seed: usize, unit: f64, least: f64| -> Vec<f64> {
            (0..9).map(|at| ((at * 7 + seed) % 11) as f64 * unit + least).collect()
        };
        let placed = [None, Some(entries(3, 1.0, 0.0)), Some(entries(4, 0.5, -3.0))];
        for (unit, least) in [(1.0, 0.0), (1.0, -5.0), (0.5, 0.0), (1.0 / 3.0, -1.0)] {
            for placing in placed.clone() {
                let [flows, distances] = [1, 2].map(|seed| entries(seed, unit, least));
                let instance = Instance::from_matrices_f64("made", [3, 3], flows, distances, placing).unwrap();
                let origin = instance.origin();
                for (from, to) in (0..9).map(|at| (at / 3, at % 3)) {
                    assert_eq!(instance.distance(from, to), origin.distances[from * 3 + to]);
                    let cost = origin.placing.as_ref().map(|costs| costs[from * 3 + to]);
                    assert_eq!(instance.placing_cost(from, to), cost);
                }
            }
        }
    }
}
