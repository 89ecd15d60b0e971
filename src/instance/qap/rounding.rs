//! Whole numbers from 0 up for entries with more digits than are counted: what all have in common is taken off, the rest is scaled by as
//! much as fits, and rounded.

use super::bounds::greatest_change;
use super::given::{Given, Origin, Shifts};
use super::instance::{Instance, MAX_ENTRY, Whole};
use super::scaling::{Factors, MOST, Powers, entry_of, padded, refuse, shown, too_large};
use crate::error::Result;

/// The part of what costs may change by that is used first, and what is left of it in each further attempt.
const ROOM: f64 = 0.95;
const LESS: f64 = 0.8;
const ATTEMPTS: usize = 60;
/// Entries are scaled to so much where no factor is too large, since all assignments cost the same.
const ANY: f64 = (1u64 << 15) as f64;

/// The instance of entries that are scaled by as much as fits, and rounded.
pub(super) fn nearly(name: &str, sizes: [usize; 2], origin: Origin, fixed: &[[u32; 2]]) -> Result<Instance> {
    let (powers, raised) = (Powers::of(&origin), Raised::of(sizes, &origin));
    let mut most = raised.most(fixed);
    let mut refused = too_large();
    for _ in 0..ATTEMPTS {
        let factors = raised.factors(powers, most);
        match raised.attempt(name, factors, fixed) {
            Ok(instance) => return raised.rounded(instance, origin, factors),
            Err(error) => refused = error,
        }
        most *= LESS;
    }
    Err(refused)
}

/// Real numbers from 0 up, n x n.
struct Square {
    entries: Vec<f64>,
    /// What was taken off beside the diagonal, and on it.
    least: [f64; 2],
    /// The greatest entry before that, without its sign.
    greatest: f64,
}

/// The entries beside the diagonal, or on it.
fn part(n: usize, entries: &[f64], on: bool) -> impl Iterator<Item = f64> {
    entries.iter().enumerate().filter(move |(at, _)| (at / n == at % n) == on).map(|(_, entry)| *entry)
}

fn greatest(entries: impl Iterator<Item = f64>) -> f64 {
    entries.fold(0.0, |most: f64, entry| most.max(entry.abs()))
}

fn range(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::MIN, f64::max) - row.iter().copied().fold(f64::MAX, f64::min)
}

impl Square {
    fn of(n: usize, mut entries: Vec<f64>) -> Self {
        let greatest = greatest(entries.iter().copied());
        let least = [false, true].map(|on| part(n, &entries, on).reduce(f64::min).unwrap_or(0.0));
        entries.iter_mut().enumerate().for_each(|(at, entry)| *entry -= least[usize::from(at / n == at % n)]);
        Self { entries, least, greatest }
    }

    /// The largest factor with which entries fit. A matrix of zeros takes any, which the costs of placing may need.
    fn limit(&self) -> f64 {
        let over = |most: f64, greatest: f64| if greatest > 0.0 { most / greatest } else { f64::INFINITY };
        let raised = greatest(self.entries.iter().copied());
        over(f64::from(MAX_ENTRY - 1), raised).min(over(0.5 * MOST, self.greatest))
    }

    /// Of entries that may lose something: those of empty facilities are 0, and so exact.
    fn mean(&self) -> f64 {
        let above = self.entries.iter().filter(|entry| **entry > 0.0);
        let mean = above.clone().sum::<f64>() / above.count() as f64;
        if mean > 0.0 { mean } else { 1.0 }
    }

    fn of_lines(&self, n: usize, lines: &[usize]) -> Vec<f64> {
        lines.iter().flat_map(|&row| lines.iter().map(move |&column| self.entries[row * n + column])).collect()
    }
}

/// The matrices of an instance, each from 0 up, empty facilities with them.
struct Raised {
    facilities: usize,
    n: usize,
    flows: Square,
    distances: Square,
    /// Of each facility at each location, each row from 0 up, and what was taken off.
    placing: Option<(Vec<f64>, Vec<f64>)>,
    /// The greatest cost of placing before that.
    dearest: f64,
}

impl Raised {
    fn of([facilities, n]: [usize; 2], origin: &Origin) -> Self {
        let placing = origin.placing.as_deref().map(|costs| {
            let least = |row: &[f64]| row.iter().copied().fold(f64::INFINITY, f64::min);
            let all: Vec<f64> = costs.chunks(n).map(least).collect();
            let raised = costs.chunks(n).zip(&all).flat_map(|(row, least)| row.iter().map(move |cost| cost - least));
            (raised.collect(), all)
        });
        Self {
            facilities,
            n,
            flows: Square::of(n, padded(&origin.flows, facilities, n, |entry| entry)),
            distances: Square::of(n, origin.distances.clone()),
            placing,
            dearest: greatest(origin.placing.iter().flatten().copied()),
        }
    }

    /// About the largest factor that costs can be scaled by.
    fn most(&self, fixed: &[[u32; 2]]) -> f64 {
        let n = self.n;
        let (flows, distances) = (&self.flows.entries, &self.distances.entries);
        let placing = self.placing.iter().flat_map(|(costs, _)| costs.chunks(n).map(range)).fold(0.0, f64::max);
        let mut change = greatest_change(n, flows, distances, 0.0) + 2.0 * placing;
        if !fixed.is_empty() {
            change = change.max(self.change_beside(fixed));
        }
        let all =
            greatest(flows.iter().copied()) * greatest(distances.iter().copied()) * (n * n) as f64 + placing * n as f64;
        let limits = [f64::from(i32::MAX) / change, (1u64 << 62) as f64 / all, MOST / self.dearest];
        ROOM * limits.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// By how much exchanges may change costs in the form for kernels: what facilities exchange with fixed ones is a cost of placing there.
    fn change_beside(&self, fixed: &[[u32; 2]]) -> f64 {
        let n = self.n;
        let fixed: Vec<[usize; 2]> = fixed.iter().map(|pair| pair.map(|number| number as usize)).collect();
        let free = |side: usize| -> Vec<usize> {
            (0..n).filter(|number| fixed.iter().all(|pair| pair[side] != *number)).collect()
        };
        let [facilities, locations] = [free(0), free(1)];
        if locations.is_empty() {
            return 0.0;
        }
        let (flows, distances) = (&self.flows.entries, &self.distances.entries);
        let cost = |facility: usize, location: usize| -> f64 {
            let exchanged = fixed.iter().map(|&[other, there]| {
                flows[facility * n + other] * distances[location * n + there]
                    + flows[other * n + facility] * distances[there * n + location]
            });
            let own = self.placing.as_ref().and_then(|(costs, _)| costs.get(facility * n + location));
            own.unwrap_or(&0.0) + exchanged.sum::<f64>()
        };
        // All empty facilities are alike.
        let different = facilities.iter().take_while(|facility| **facility <= self.facilities);
        let ranges = different
            .map(|&facility| range(&locations.iter().map(|&location| cost(facility, location)).collect::<Vec<_>>()));
        let placing = ranges.fold(0.0, f64::max);
        let of = |square: &Square, lines: &[usize]| square.of_lines(n, lines);
        let (flows, distances) = (of(&self.flows, &facilities), of(&self.distances, &locations));
        greatest_change(locations.len(), &flows, &distances, 0.0) + 2.0 * placing
    }

    /// Factors whose product is `most`, or less where entries allow no more: those of the smallest error. A matrix that a power of ten makes
    /// whole keeps to that where the other one can have the rest.
    fn factors(&self, powers: Powers, most: f64) -> Factors {
        let both = [&self.flows, &self.distances];
        if most == f64::INFINITY {
            let [flows, distances] = both.map(|it| if it.greatest > 0.0 { ANY / it.greatest } else { 1.0 });
            return Factors { flows, distances };
        }
        let (means, limits) = (both.map(Square::mean), both.map(Square::limit));
        let whole = [powers.flows, powers.distances].map(|power| power.map(|power| 10f64.powi(power)));
        let balanced = (most * means[1] / means[0]).sqrt();
        let of = |flows: f64| {
            let flows = flows.min(limits[0]);
            let distances = (most / flows).min(limits[1]);
            Factors { flows: (most / distances).min(limits[0]), distances }
        };
        // What rounding costs: each mean times the other's error.
        let error = |factors: &Factors| {
            let part =
                |side: usize, factor: f64| if whole[side] == Some(factor) { 0.0 } else { means[1 - side] / factor };
            part(0, factors.flows) + part(1, factors.distances)
        };
        let kept = [
            whole[0].map(|flows| Factors { flows, distances: (most / flows).min(limits[1]) }),
            whole[1].map(|distances| Factors { flows: (most / distances).min(limits[0]), distances }),
        ];
        let fits = |factors: &Factors| {
            factors.cost() <= most * (1.0 + 1e-9) && factors.flows <= limits[0] && factors.distances <= limits[1]
        };
        let kept = kept.into_iter().flatten().filter(fits);
        kept.chain([of(balanced)]).min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or(Factors::ONE)
    }

    /// The instance of entries that are scaled by these factors.
    fn attempt(&self, name: &str, factors: Factors, fixed: &[[u32; 2]]) -> Result<Instance> {
        let n = self.n;
        let round = |entries: &[f64], factor: f64| -> Result<Vec<u32>> {
            let all = entries.iter().map(|entry| entry_of((entry * factor).round() as i64));
            all.collect::<Option<_>>().ok_or_else(too_large)
        };
        let placing = |(costs, _): &(Vec<f64>, Vec<f64>)| {
            let mut all = round(costs, factors.cost())?;
            all.resize(n * n, 0);
            Ok(all)
        };
        let whole = Whole {
            flows: round(&self.flows.entries, factors.flows)?,
            distances: round(&self.distances.entries, factors.distances)?,
            placing: self.placing.as_ref().map(placing).transpose()?,
        };
        Instance::of_whole(name, [self.facilities, n], whole).checked()?.with_checked_fixed(fixed)
    }

    /// The instance with the error of rounding.
    fn rounded(&self, instance: Instance, origin: Origin, factors: Factors) -> Result<Instance> {
        let (n, cost) = (self.n, factors.cost());
        let nearest =
            |whole: &[u32], factor: f64| -> Vec<f64> { whole.iter().map(|entry| f64::from(*entry) / factor).collect() };
        let flows = nearest(instance.flows(), factors.flows);
        let distances = nearest(instance.distances(), factors.distances);
        let sorted = |mut all: Vec<f64>| {
            all.sort_unstable_by(|a, b| b.total_cmp(a));
            all
        };
        let differences = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect::<Vec<f64>>();
        // Products of one matrix's entries with those of the other, in any order, sum to no more than in order of size.
        let dot = |a: Vec<f64>, b: Vec<f64>| sorted(a).iter().zip(&sorted(b)).map(|(a, b)| a * b).sum::<f64>();
        let lost = [differences(&self.flows.entries, &flows), differences(&self.distances.entries, &distances)];
        // What was taken off costs the same in all assignments.
        let (mut error, mut constant) = (0.0, 0.0);
        for on in [false, true] {
            let of = |entries: &[f64]| part(n, entries, on).collect::<Vec<f64>>();
            error += dot(of(&lost[0]), of(&self.distances.entries)) + dot(of(&flows), of(&lost[1]));
            let (flow, distance) = (self.flows.least[usize::from(on)], self.distances.least[usize::from(on)]);
            let sum = |square: &Square| part(n, &square.entries, on).sum::<f64>();
            constant += flow * part(n, &origin.distances, on).sum::<f64>() + distance * sum(&self.flows);
        }
        let mut placing_shifts = Vec::new();
        if let (Some((costs, least)), Some(whole)) = (&self.placing, instance.placing_costs()) {
            let lost = differences(costs, &nearest(whole, cost));
            error += lost.chunks(n).map(|row| greatest(row.iter().copied())).sum::<f64>();
            constant += least.iter().sum::<f64>();
            placing_shifts = least.iter().map(|least| (least * cost).round() as i64).collect();
        }
        let offset = (-constant * cost).round();
        error += (offset + constant * cost).abs() / cost;
        let taken = |square: &Square, factor: f64| square.least.map(|least| (least * factor).round() as i64);
        let shifts = Shifts {
            flows: taken(&self.flows, factors.flows),
            distances: taken(&self.distances, factors.distances),
            placing: placing_shifts,
        };
        let given = Given { factors, shifts, offset: offset as i128, error, source: Some(origin), lowered: false };
        let made = instance.with_given(given);
        // Few assignments are compared by what was given, whatever is left of it here.
        if !made.is_compared_as_given() {
            self.check_kept(["facility", "flows"], self.facilities, (&self.flows, factors.flows), &flows)?;
            self.check_kept(["location", "distances"], n, (&self.distances, factors.distances), &distances)?;
        }
        Ok(made)
    }

    /// Refuses to round all that a facility or a location has to 0: it might be anywhere then. What lies so near the least entry, from which entries are
    /// counted, is no such thing, unless that rounds to 0, too.
    fn check_kept(
        &self,
        [one, what]: [&str; 2],
        side: usize,
        (given, factor): (&Square, f64),
        nearest: &[f64],
    ) -> Result<()> {
        let (n, dearest) = (self.n, self.dearest);
        let is_lost =
            |at: usize| given.entries[at] > 0.0 && given.least[usize::from(at / n == at % n)].abs() * factor < 0.5;
        if !(0..n * n).any(is_lost) {
            return Ok(());
        }
        let most = greatest(given.entries.iter().copied());
        let [most_said, dearest_said] = [most, dearest].map(shown);
        let above = if given.least == [0.0; 2] { "" } else { " above the least" };
        if most > 0.0 && dearest > 0.0 && greatest(nearest.iter().copied()) == 0.0 {
            return refuse(format!(
                "all {what}, {most_said}{above} at most, round to nothing beside costs of placing of {dearest_said}: costs are counted in 31 bits. \
                 If these stand for places where a facility must not be, no assignment keeps all facilities off such places: allow more places; \
                 otherwise make these costs smaller"
            ));
        }
        for line in 0..side {
            let of = |matrix: &[f64]| greatest((0..n).flat_map(|k| [line * n + k, k * n + line]).map(|at| matrix[at]));
            if of(nearest) > 0.0 || !(0..n).any(|k| is_lost(line * n + k) || is_lost(k * n + line)) {
                continue;
            }
            let own = shown(of(&given.entries));
            return refuse(match dearest > most {
                true => format!(
                    "the {what} of {one} {line} (counted from 0) round to nothing beside costs of placing of {dearest_said}: costs are counted in 31 bits, \
                     and no assignment keeps all facilities off places that cost so much; allow more places, or make these costs smaller"
                ),
                false => format!(
                    "the {what} of {one} {line} (counted from 0), {own}{above} at most, round to nothing beside {most_said}: costs are counted in 31 \
                     bits; make them 0, or the largest smaller"
                ),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
