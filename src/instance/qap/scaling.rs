//! Whole numbers from 0 up for entries with signs and decimals, exactly where they fit.

use super::forbidden::{Lowered, lowered};
use super::given::{Given, Origin, Shifts};
use super::instance::{Instance, MAX_ENTRY, Whole, check_count};
use super::rounding::nearly;
use crate::error::{Error, Result};

/// Powers of ten that are tried to make entries whole: 1 to 10⁹.
const POWERS: i32 = 9;
/// Scaled entries are less, so that products of them, and sums of these, are exact in 128 bits.
pub(super) const MOST: f64 = (1u64 << 46) as f64;
/// The greatest product of a flow and a distance is no less, so that what costs are multiplied by is a number, and no more, so that sums of costs are.
const LEAST_PRODUCT: f64 = 1e-297;
const MOST_PRODUCT: f64 = 1e290;
/// The greatest cost of placing, so that sums of costs are numbers.
const MOST_COST: f64 = 1e300;
/// What costs of placing are called in errors.
const PLACING: &str = "costs of placing";
/// Costs of placing are counted as less where rounding changes more than such a part of what assignments differ by.
const FINE: f64 = 1e-6;

/// What flows and distances are multiplied by; costs are by the product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Factors {
    pub flows: f64,
    pub distances: f64,
}

impl Factors {
    pub const ONE: Self = Self { flows: 1.0, distances: 1.0 };

    pub fn cost(self) -> f64 {
        self.flows * self.distances
    }
}

/// The instance of whole entries that stands for `origin`, some facilities being fixed.
pub(super) fn scaled(
    name: &str,
    [facilities, locations]: [usize; 2],
    origin: Origin,
    fixed: &[[u32; 2]],
) -> Result<Instance> {
    let sizes = [facilities, locations];
    check(sizes, &origin)?;
    match origin.without_infinite() {
        Some(finite) => Ok(finite_scaled(name, sizes, finite, fixed)?.with_source(origin)),
        None => finite_scaled(name, sizes, origin, fixed),
    }
}

/// The same where no entry is infinite.
fn finite_scaled(name: &str, sizes: [usize; 2], origin: Origin, fixed: &[[u32; 2]]) -> Result<Instance> {
    if let Some(instance) = exact(name, sizes, &origin, fixed) {
        return Ok(instance);
    }
    let plain = nearly(name, sizes, origin.clone(), fixed);
    match lowered(sizes, &origin, fixed) {
        Some(Lowered { placing, differ }) if !plain.as_ref().is_ok_and(|it| it.cost_error() <= FINE * differ) => {
            let low = Origin { placing: Some(placing), ..origin.clone() };
            let counted = exact(name, sizes, &low, fixed).map_or_else(|| nearly(name, sizes, low, fixed), Ok);
            // Assignments with a lowered cost cost more than all others by that much, which rounding has to leave.
            match counted {
                Ok(instance) if 2.0 * instance.cost_error() < differ => Ok(instance.with_source(origin)),
                _ => plain,
            }
        }
        _ => plain,
    }
}

/// The instance of entries that powers of ten make whole, where they fit: as they are, or else less the least ones.
fn exact(name: &str, sizes: [usize; 2], origin: &Origin, fixed: &[[u32; 2]]) -> Option<Instance> {
    let factors = Powers::of(origin).exact()?;
    let of = |counted: Counted| counting(name, sizes, origin, fixed, factors, counted).ok();
    of(Counted::FromZero).or_else(|| of(Counted::FromLeast))
}

/// What entries are counted from.
#[derive(Clone, Copy, PartialEq)]
enum Counted {
    /// 0 where none is negative and they fit.
    FromZero,
    FromLeast,
}

/// The instance of `origin` in entries that these factors make whole.
fn counting(
    name: &str,
    sizes: [usize; 2],
    origin: &Origin,
    fixed: &[[u32; 2]],
    factors: Factors,
    counted: Counted,
) -> Result<Instance> {
    let (whole, shifts) = whole(sizes, origin, factors, counted).ok_or_else(too_large)?;
    let offset = offset(sizes[1], &whole, &shifts);
    let instance = Instance::of_whole(name, sizes, whole).checked()?;
    let plain = Shifts::none(shifts.placing.len());
    let instance = match (factors, shifts == plain) {
        (Factors::ONE, true) => instance,
        _ => instance.with_given(Given { factors, shifts, offset, error: 0.0, source: None, lowered: false }),
    };
    instance.with_checked_fixed(fixed)
}

pub(super) fn refuse<T>(message: String) -> Result<T> {
    Err(Error::Instance(message))
}

/// A number as people write it; a power of ten stands beside very great and very small ones.
pub(super) fn shown(number: f64) -> String {
    if number == 0.0 || (1e-5..1e15).contains(&number.abs()) { number.to_string() } else { format!("{number:e}") }
}

pub(super) fn too_large() -> Error {
    Error::Instance("its entries lie too far apart for numbers of 31 bits".into())
}

fn costs_of(origin: &Origin) -> impl Iterator<Item = f64> {
    origin.placing.iter().flatten().copied()
}

/// Refuses matrices of wrong sizes, and entries that are no numbers.
fn check([facilities, locations]: [usize; 2], origin: &Origin) -> Result<()> {
    check_count("facilities", facilities)?;
    check_count("locations", locations)?;
    if facilities > locations {
        return refuse(format!(
            "{facilities} facilities have only {locations} location{}: leave facilities out, or add locations (flows come first, then \
             distances)",
            if locations == 1 { "" } else { "s" }
        ));
    }
    let no_costs = Vec::new();
    let costs = origin.placing.as_ref().map(|costs| (PLACING, costs, [facilities, locations]));
    let all = [("flows", &origin.flows, [facilities; 2]), ("distances", &origin.distances, [locations; 2])];
    for (what, matrix, [rows, columns]) in all.into_iter().chain([costs.unwrap_or(("", &no_costs, [0; 2]))]) {
        if matrix.len() != rows * columns {
            let entries = matrix.len();
            return refuse(format!(
                "{facilities} facilities and {locations} locations need {rows} x {columns} {what}, not {entries}"
            ));
        }
        let is_placing = what == PLACING;
        let fits = |entry: f64| entry.is_finite() || is_placing && entry == f64::INFINITY;
        if let Some(at) = matrix.iter().position(|entry| !fits(*entry)) {
            let (row, column, entry) = (at / columns, at % columns, matrix[at]);
            let remedy = match is_placing {
                true => "infinity says where a facility must not be",
                false => "give what must not be a cost greater than any assignment's",
            };
            return refuse(format!(
                "row {row}, column {column} (counted from 0) of the {what} is {entry}, which is not finite; {remedy}"
            ));
        }
    }
    if let Some(cost) = costs_of(origin).find(|cost| cost.is_finite() && cost.abs() > MOST_COST) {
        return refuse(format!("a cost of placing is {cost:e}: write inf for a place where a facility must not be"));
    }
    let greatest = |matrix: &[f64]| matrix.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    let (flow, distance) = (greatest(&origin.flows), greatest(&origin.distances));
    let [flow_said, distance_said] = [flow, distance].map(shown);
    if flow * distance > MOST_PRODUCT {
        return refuse(format!(
            "there are flows of {flow_said} and distances of {distance_said}: their products are greater than floating-point numbers hold; divide the \
             flows or the distances by the same number"
        ));
    }
    if flow > 0.0 && distance > 0.0 && flow * distance < LEAST_PRODUCT {
        return refuse(format!(
            "no flow is above {flow_said} and no distance above {distance_said}: their products are smaller than floating-point numbers hold; multiply the \
             flows or the distances by the same number"
        ));
    }
    Ok(())
}

/// The smallest powers of ten that make matrices whole, where any do.
#[derive(Clone, Copy)]
pub(super) struct Powers {
    pub flows: Option<i32>,
    pub distances: Option<i32>,
    placing: Option<i32>,
}

impl Powers {
    pub fn of(origin: &Origin) -> Self {
        let power = |matrix: &[f64]| {
            let is_whole =
                |scale: f64| matrix.iter().all(|x| (x * scale).abs() < MOST && (x * scale).round() / scale == *x);
            (0..=POWERS).find(|&power| is_whole(10f64.powi(power)))
        };
        let placing = origin.placing.as_deref().map_or(Some(0), power);
        Self { flows: power(&origin.flows), distances: power(&origin.distances), placing }
    }

    /// Factors with which all entries are whole: costs of placing are scaled as products are.
    fn exact(self) -> Option<Factors> {
        let (flows, distances) = (self.flows?, self.distances?);
        let flows = flows.max(self.placing? - distances);
        Some(Factors { flows: 10f64.powi(flows), distances: 10f64.powi(distances) })
    }
}

/// A matrix of facilities with n rows and columns.
pub(super) fn padded<T: Copy + Default>(matrix: &[f64], side: usize, n: usize, of: impl Fn(f64) -> T) -> Vec<T> {
    let mut all = vec![T::default(); n * n];
    for (row, from) in all.chunks_mut(n).zip(matrix.chunks(side)) {
        row.iter_mut().zip(from).for_each(|(entry, from)| *entry = of(*from));
    }
    all
}

/// Whole matrices from 0 up, and what was taken off; `None` where they do not fit.
fn whole([facilities, n]: [usize; 2], origin: &Origin, factors: Factors, counted: Counted) -> Option<(Whole, Shifts)> {
    let is_small = |factor: f64| move |entry: &f64| (entry * factor).abs() < MOST;
    let placing = origin.placing.as_deref().unwrap_or_default();
    let all_small = origin.flows.iter().all(is_small(factors.flows))
        && origin.distances.iter().all(is_small(factors.distances))
        && placing.iter().all(is_small(factors.cost()));
    if !all_small {
        return None;
    }
    let round = |factor: f64| move |entry: f64| (entry * factor).round() as i64;
    let square = |entries: Vec<i64>| -> Option<(Vec<u32>, [i64; 2])> {
        let part = |on: bool| entries.iter().enumerate().filter(move |(at, _)| (at / n == at % n) == on);
        let shifts = [false, true].map(|on| least(part(on).map(|(_, entry)| *entry), counted));
        let taken =
            entries.iter().enumerate().map(|(at, entry)| entry_of(entry - shifts[usize::from(at / n == at % n)]));
        Some((taken.collect::<Option<_>>()?, shifts))
    };
    let (flows, flow_shifts) = square(padded(&origin.flows, facilities, n, round(factors.flows)))?;
    let (distances, distance_shifts) =
        square(origin.distances.iter().copied().map(round(factors.distances)).collect())?;
    let mut shifts = Shifts { flows: flow_shifts, distances: distance_shifts, placing: Vec::new() };
    let placing = match &origin.placing {
        None => None,
        Some(costs) => {
            let mut all = vec![0; n * n];
            for (row, costs) in all.chunks_mut(n).zip(costs.chunks(n)) {
                let costs: Vec<i64> = costs.iter().copied().map(round(factors.cost())).collect();
                let shift = least(costs.iter().copied(), counted);
                for (entry, cost) in row.iter_mut().zip(costs) {
                    *entry = entry_of(cost - shift)?;
                }
                shifts.placing.push(shift);
            }
            Some(all)
        }
    };
    Some((Whole { flows, distances, placing }, shifts))
}

/// What to take off.
fn least(entries: impl Iterator<Item = i64> + Clone, counted: Counted) -> i64 {
    let (low, high) = (entries.clone().min().unwrap_or(0), entries.max().unwrap_or(0));
    if counted == Counted::FromLeast || low < 0 || high > i64::from(MAX_ENTRY) { low } else { 0 }
}

pub(super) fn entry_of(entry: i64) -> Option<u32> {
    u32::try_from(entry).ok().filter(|entry| *entry <= MAX_ENTRY)
}

/// What every assignment costs more than by what was given and scaled: that of facilities at the locations of the same numbers.
fn offset(n: usize, whole: &Whole, shifts: &Shifts) -> i128 {
    let mut offset = shifts.placing.iter().map(|shift| -i128::from(*shift)).sum();
    for at in 0..n * n {
        let on = usize::from(at / n == at % n);
        let (flow, distance) = (i128::from(whole.flows[at]), i128::from(whole.distances[at]));
        offset +=
            flow * distance - (flow + i128::from(shifts.flows[on])) * (distance + i128::from(shifts.distances[on]));
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_messages_are_as_people_write_them() {
        let numbers = [0.0, 1e-14, 0.25, 928_937_579.0, 9e14, 1e15, 2e30];
        assert_eq!(numbers.map(shown), ["0", "1e-14", "0.25", "928937579", "900000000000000", "1e15", "2e30"]);
    }
}
