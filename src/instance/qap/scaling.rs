//! Whole numbers from 0 up for entries with signs and decimals.

use super::bounds::greatest_change;
use super::forbidden::{Lowered, lowered};
use super::given::{Given, Origin, Shifts};
use super::instance::{Instance, MAX_ENTRY, Whole, check_count};
use crate::error::{Error, Result};

/// Powers of ten that are tried to make entries whole: 1 to 10⁹.
const POWERS: i32 = 9;
/// Scaled entries are less, so that products of them, and sums of these, are exact in 128 bits.
const MOST: f64 = (1u64 << 46) as f64;
/// The part of what costs may change by that is used first where entries are rounded, and what is left of it in each further attempt.
const ROOM: f64 = 0.95;
const LESS: f64 = 0.8;
const ATTEMPTS: usize = 60;
/// The greatest product of a flow and a distance is no less, so that what costs are multiplied by is a number, and no more, so that sums of costs are.
const LEAST_PRODUCT: f64 = 1e-297;
const MOST_PRODUCT: f64 = 1e290;
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

/// The instance of `origin` in whole entries, by factors.
fn attempt(name: &str, sizes: [usize; 2], origin: &Origin, fixed: &[[u32; 2]], factors: Factors) -> Result<Instance> {
    let (whole, shifts) = whole(sizes, origin, factors).ok_or_else(too_large)?;
    let offset = offset(sizes[1], &whole, &shifts);
    let instance = Instance::of_whole(name, sizes, whole).checked()?;
    let plain = Shifts::none(shifts.placing.len());
    let instance = match (factors, shifts == plain) {
        (Factors::ONE, true) => instance,
        _ => instance.with_given(Given { factors, shifts, offset, error: 0.0, source: None, lowered: false }),
    };
    instance.with_checked_fixed(fixed)
}

/// The instance of entries that powers of ten make whole, where they fit.
fn exact(name: &str, sizes: [usize; 2], origin: &Origin, fixed: &[[u32; 2]]) -> Option<Instance> {
    attempt(name, sizes, origin, fixed, Powers::of(origin).exact()?).ok()
}

/// The instance of entries that are scaled by as much as fits, and rounded.
fn nearly(name: &str, sizes: [usize; 2], origin: Origin, fixed: &[[u32; 2]]) -> Result<Instance> {
    let powers = Powers::of(&origin);
    let mut most = most(sizes, &origin);
    let mut refused = too_large();
    for _ in 0..ATTEMPTS {
        let factors = rounding(&origin, powers, most);
        match attempt(name, sizes, &origin, fixed, factors) {
            Ok(instance) => return rounded(instance, sizes, origin, factors),
            Err(error) => refused = error,
        }
        most *= LESS;
    }
    Err(refused)
}

fn refuse<T>(message: String) -> Result<T> {
    Err(Error::Instance(message))
}

/// A number as people write it; a power of ten stands beside very great and very small ones.
fn shown(number: f64) -> String {
    if number == 0.0 || (1e-5..1e15).contains(&number.abs()) { number.to_string() } else { format!("{number:e}") }
}

fn too_large() -> Error {
    Error::Instance("its entries lie too far apart for numbers of 31 bits".into())
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
    let costs = origin.placing.as_ref().map(|costs| ("costs of placing", costs, [facilities, locations]));
    let all = [("flows", &origin.flows, [facilities; 2]), ("distances", &origin.distances, [locations; 2])];
    for (what, matrix, [rows, columns]) in all.into_iter().chain([costs.unwrap_or(("", &no_costs, [0; 2]))]) {
        if matrix.len() != rows * columns {
            let entries = matrix.len();
            return refuse(format!(
                "{facilities} facilities and {locations} locations need {rows} x {columns} {what}, not {entries}"
            ));
        }
        if let Some(at) = matrix.iter().position(|entry| !entry.is_finite()) {
            let (row, column, entry) = (at / columns, at % columns, matrix[at]);
            return refuse(format!(
                "row {row}, column {column} (counted from 0) of the {what} is {entry}, which is not finite; give what must not be a \
                 cost greater than any assignment's"
            ));
        }
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
struct Powers {
    flows: Option<i32>,
    distances: Option<i32>,
    placing: Option<i32>,
}

impl Powers {
    fn of(origin: &Origin) -> Self {
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

/// The matrices of real numbers with the empty facilities, from 0 up.
fn shifted([facilities, n]: [usize; 2], origin: &Origin) -> [Vec<f64>; 2] {
    let flows = padded(&origin.flows, facilities, n, |entry| entry);
    [flows, origin.distances.clone()].map(|mut matrix| {
        let least =
            |on: bool| (0..n * n).filter(|at| (at / n == at % n) == on).map(|at| matrix[at]).fold(0.0, f64::min);
        let least = [least(false), least(true)];
        matrix.iter_mut().enumerate().for_each(|(at, entry)| *entry -= least[usize::from(at / n == at % n)]);
        matrix
    })
}

/// A matrix of facilities with n rows and columns.
fn padded<T: Copy + Default>(matrix: &[f64], side: usize, n: usize, of: impl Fn(f64) -> T) -> Vec<T> {
    let mut all = vec![T::default(); n * n];
    for (row, from) in all.chunks_mut(n).zip(matrix.chunks(side)) {
        row.iter_mut().zip(from).for_each(|(entry, from)| *entry = of(*from));
    }
    all
}

/// About the largest factor that costs can be scaled by.
fn most(sizes: [usize; 2], origin: &Origin) -> f64 {
    let n = sizes[1];
    let [flows, distances] = shifted(sizes, origin);
    let range =
        |row: &[f64]| row.iter().copied().fold(f64::MIN, f64::max) - row.iter().copied().fold(f64::MAX, f64::min);
    let placing = origin.placing.as_deref().map_or(0.0, |costs| costs.chunks(n).map(range).fold(0.0, f64::max));
    let change = greatest_change(n, &flows, &distances, 0.0);
    let greatest = |matrix: &[f64]| matrix.iter().copied().fold(0.0, f64::max);
    let all = greatest(&flows) * greatest(&distances) * (n * n) as f64 + placing * n as f64;
    let dearest = origin.placing.iter().flatten().fold(0.0f64, |most, cost| most.max(cost.abs()));
    let limits = [f64::from(i32::MAX) / (change + 2.0 * placing), (1u64 << 62) as f64 / all, MOST / dearest];
    ROOM * limits.into_iter().fold(f64::INFINITY, f64::min)
}

/// Factors whose product is `most`, or less where entries allow no more: those of the smallest error. A matrix that a power of ten makes whole
/// keeps to that where the other one can have the rest.
fn rounding(origin: &Origin, powers: Powers, most: f64) -> Factors {
    let greatest = |matrix: &[f64]| matrix.iter().fold(0.0f64, |most, entry| most.max(entry.abs()));
    let mean = |matrix: &[f64]| matrix.iter().map(|entry| entry.abs()).sum::<f64>() / matrix.len() as f64;
    let means = [mean(&origin.flows), mean(&origin.distances)].map(|mean| if mean > 0.0 { mean } else { 1.0 });
    // Shifting may double entries. A matrix of zeros takes any factor, which the costs of placing may need.
    let limits = [&origin.flows, &origin.distances].map(|matrix| match greatest(matrix) {
        0.0 => f64::INFINITY,
        greatest => 0.5 * f64::from(MAX_ENTRY) / greatest,
    });
    let whole = [powers.flows, powers.distances].map(|power| power.map(|power| 10f64.powi(power)));
    let balanced = (most * means[1] / means[0]).sqrt();
    let of = |flows: f64| {
        let flows = flows.min(limits[0]);
        let distances = (most / flows).min(limits[1]);
        Factors { flows: (most / distances).min(limits[0]), distances }
    };
    // What rounding costs: each mean times the other's error.
    let error = |factors: &Factors| {
        let part = |side: usize, factor: f64| if whole[side] == Some(factor) { 0.0 } else { means[1 - side] / factor };
        part(0, factors.flows) + part(1, factors.distances)
    };
    let kept = [
        whole[0].map(|flows| Factors { flows, distances: (most / flows).min(limits[1]) }),
        whole[1].map(|distances| Factors { flows: (most / distances).min(limits[0]), distances }),
    ];
    let fits = |factors: &Factors| factors.cost() <= most * (1.0 + 1e-9);
    let kept = kept.into_iter().flatten().filter(fits);
    kept.chain([of(balanced)]).min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or(Factors::ONE)
}

/// Whole matrices from 0 up, and what was taken off; `None` where they do not fit.
fn whole([facilities, n]: [usize; 2], origin: &Origin, factors: Factors) -> Option<(Whole, Shifts)> {
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
        let shifts = [false, true].map(|on| least(part(on).map(|(_, entry)| *entry)));
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
                let shift = least(costs.iter().copied());
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

/// What to take off: nothing where entries are from 0 up and fit.
fn least(entries: impl Iterator<Item = i64> + Clone) -> i64 {
    let (low, high) = (entries.clone().min().unwrap_or(0), entries.max().unwrap_or(0));
    if low < 0 || high > i64::from(MAX_ENTRY) { low } else { 0 }
}

fn entry_of(entry: i64) -> Option<u32> {
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

/// The instance with the error of rounding.
fn rounded(instance: Instance, sizes: [usize; 2], origin: Origin, factors: Factors) -> Result<Instance> {
    let [facilities, n] = sizes;
    let nearest = |matrix: &[f64], factor: f64| -> Vec<f64> {
        matrix.iter().map(|entry| (entry * factor).round() / factor).collect()
    };
    let (flows, distances) = (nearest(&origin.flows, factors.flows), nearest(&origin.distances, factors.distances));
    let placing = origin.placing.as_ref().map(|costs| nearest(costs, factors.cost()));
    let dearest = origin.placing.iter().flatten().fold(0.0f64, |most, cost| most.max(cost.abs()));
    kept("facility", "flows", facilities, dearest, &origin.flows, &flows)?;
    kept("location", "distances", n, dearest, &origin.distances, &distances)?;
    let differences = |given: &[f64], nearest: &[f64]| -> Vec<f64> {
        let mut all: Vec<f64> = given.iter().zip(nearest).map(|(given, nearest)| (given - nearest).abs()).collect();
        all.sort_unstable_by(|a, b| b.total_cmp(a));
        all
    };
    let sizes_of = |matrix: &[f64]| differences(matrix, &vec![0.0; matrix.len()]);
    // Products of one matrix's entries with those of the other, in any order, sum to no more than in order of size.
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let of_placing =
        origin.placing.iter().zip(&placing).flat_map(|(costs, nearest)| costs.chunks(n).zip(nearest.chunks(n)));
    let error = dot(&differences(&origin.flows, &flows), &sizes_of(&origin.distances))
        + dot(&sizes_of(&flows), &differences(&origin.distances, &distances))
        + of_placing.map(|(costs, nearest)| differences(costs, nearest)[0]).sum::<f64>();
    let shifts = instance.given.as_ref().map(|given| (given.shifts.clone(), given.offset));
    let none = || (Shifts::none(if placing.is_some() { facilities } else { 0 }), 0);
    let (shifts, offset) = shifts.unwrap_or_else(none);
    let given = Given { factors, shifts, offset, error, source: Some(origin), lowered: false };
    Ok(instance.with_given(given))
}

/// Refuses to round all that a facility or a location has to 0: it might be anywhere then. `dearest` is the greatest cost of placing.
fn kept(one: &str, entries: &str, side: usize, dearest: f64, given: &[f64], nearest: &[f64]) -> Result<()> {
    let greatest_of = |matrix: &[f64]| matrix.iter().fold(0.0f64, |most, entry| most.max(entry.abs()));
    let greatest = greatest_of(given);
    let [greatest_said, dearest_said] = [greatest, dearest].map(shown);
    if greatest > 0.0 && dearest > 0.0 && greatest_of(nearest) == 0.0 {
        return refuse(format!(
            "all {entries}, {greatest_said} at most, round to nothing beside costs of placing of {dearest_said}: costs are counted in 31 bits; \
             make costs of placing smaller: what must not be needs one just greater than any assignment's"
        ));
    }
    for line in 0..side {
        let of = |matrix: &[f64]| {
            let places = (0..side).flat_map(|k| [line * side + k, k * side + line]);
            places.fold(0.0f64, |most, at| most.max(matrix[at].abs()))
        };
        let most = of(given);
        if most > 0.0 && of(nearest) == 0.0 && dearest > greatest {
            return refuse(format!(
                "the {entries} of {one} {line} (counted from 0) round to nothing beside costs of placing of {dearest_said}: costs are counted in 31 bits, and no \
                 assignment keeps all facilities off places that cost so much; allow more places, or make these costs smaller"
            ));
        }
        if most > 0.0 && of(nearest) == 0.0 {
            let most = shown(most);
            return refuse(format!(
                "the {entries} of {one} {line} (counted from 0), {most} at most, round to nothing beside {greatest_said}: costs are \
                 counted in 31 bits; make them 0, or the largest smaller"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_messages_are_as_people_write_them() {
        let numbers = [0.0, 1e-14, 0.25, 928_937_579.0, 9e14, 1e15, 2e30];
        assert_eq!(numbers.map(shown), ["0", "1e-14", "0.25", "928937579", "900000000000000", "1e15", "2e30"]);
        let (third, far) =
            (1e9 / 3.0, [0.0, 1.0 / 7.0, 2.0 / 7.0, 3.0 / 7.0, 0.0, 5.0 / 7.0, 6.0 / 7.0, 8.0 / 7.0, 0.0]);
        let flows = vec![0.0, third, 0.001, third, 0.0, 0.001, 0.001, 0.001, 0.0];
        let made = Instance::from_matrices_f64("three", [3; 2], flows, far.to_vec(), None);
        let told = made.unwrap_err().to_string();
        assert!(
            told.contains("facility 2 (counted from 0), 0.001 at most, round to nothing beside 333333333.3333333: "),
            "{told}"
        );
    }
}
