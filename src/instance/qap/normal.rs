//! The form in which kernels know an instance: as many facilities as locations, none fixed.
//!
//! - *Fewer facilities than locations.* The empty facilities become facilities like others, without flows. They are the last ones, and
//!   searches do not exchange two of them. Where several facilities have no flows and cost the same at all locations, they count as empty.
//! - *Fixed facilities* drop out, with their locations. What others exchange with them is a cost of placing: facility i costs at location k
//!   Σ (aᵢf · b_kl + a_fi · b_lk) more, the sum over all f that are fixed at l. What is the least of a row of these costs is taken off the row.
//!
//! Costs in this form differ from those of the instance by a constant, [`Normal::offset`].

use super::instance::{Instance, MAX_ENTRY, Whole};
use super::scaling::scaled;
use super::structure::Making;
use crate::error::{Error, Result};
use crate::text::quote;

/// An instance in the form that kernels know, with the way back.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    instance: Instance,
    original: Instance,
    /// Of each facility and each location in this form that of the instance, empty facilities behind the others.
    facilities: Vec<u32>,
    locations: Vec<u32>,
    offset: u64,
}

/// The place, counted from 1, of the one that is called so, if no other one is.
pub(super) fn called_alone(names: &[String], word: &str) -> Option<u32> {
    let mut places = (1..).zip(names).filter(|(_, name)| *name == word).map(|(place, _)| place);
    places.next().filter(|_| places.next().is_none())
}

/// The place, counted from 1, that a word stands for: a name that no other one has, or else a number. Where names are numbers, a number is a name.
pub(super) fn called(names: Option<&[String]>, word: &str) -> Option<u32> {
    let names = names.unwrap_or_default();
    let counts = !names.iter().any(|name| name.parse::<u64>().is_ok());
    called_alone(names, word).or_else(|| word.parse().ok().filter(|_| counts))
}

impl Instance {
    /// The same instance, each of whose assignments has these facilities at these locations: pairs of a facility and its location, both
    /// counted from 0, in place of all that were fixed before. Where what the others exchange with the fixed ones changes costs by more than
    /// [`Instance::from_matrices`] takes, entries are scaled and rounded as by [`Instance::from_matrices_f64`].
    ///
    /// ```
    /// use myrmex::qap::Instance;
    ///
    /// let pair = Instance::from_matrices("pair", 2, vec![0, 3, 1, 0], vec![0, 5, 7, 0])?.with_fixed(&[[0, 1]])?;
    /// assert!(pair.cost(&[1, 0]).is_ok() && pair.cost(&[0, 1]).is_err());
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for a facility or a location that does not exist or is there twice.
    pub fn with_fixed(self, pairs: &[[u32; 2]]) -> Result<Self> {
        self.check_fixed(pairs, 0, &|_, number| number.to_string())?;
        self.fixed_at(pairs)
    }

    /// The same from words such as `3=7`: facility 3 at location 7, both by names that no other one has, or else counted from 1, as files
    /// count them. Where names are numbers, a number is a name.
    ///
    /// # Errors
    /// As [`Instance::with_fixed`], and for other words.
    pub fn with_fixed_called<T: AsRef<str>>(self, words: &[T]) -> Result<Self> {
        let pair = |word: &T| {
            let word = word.as_ref();
            let wrong = |message: String| {
                Error::Instance(format!("{message}; a facility comes first, then its location, as in 3=7"))
            };
            let (facility, location) =
                word.split_once('=').ok_or_else(|| wrong(format!("there is no = in {}", quote(word))))?;
            let find = |what: &str, names, word: &str| {
                let found = called(names, word.trim()).and_then(|number| number.checked_sub(1));
                let known = "by its number from 1, or a name that no other one has";
                found.ok_or_else(|| wrong(format!("{} is no {what} ({known})", quote(word.trim()))))
            };
            let facility = find("facility", self.facility_names(), facility)?;
            Ok([facility, find("location", self.location_names(), location)?])
        };
        let pairs: Vec<[u32; 2]> = words.iter().map(pair).collect::<Result<_>>()?;
        let label = |side: usize, number: usize| {
            let names = [self.facility_names(), self.location_names()][side].unwrap_or_default();
            let name = names.get(number - 1).filter(|name| called_alone(names, name).is_some());
            name.map_or_else(|| number.to_string(), |name| quote(name))
        };
        self.check_fixed(&pairs, 1, &label)?;
        self.fixed_at(&pairs)
    }

    /// Refuses pairs that no assignment has together; errors count from `first`, and call facilities (0) and locations (1) by `label`.
    fn check_fixed(&self, pairs: &[[u32; 2]], first: usize, label: &dyn Fn(usize, usize) -> String) -> Result<()> {
        let sizes = [self.len(), self.locations()];
        for (at, pair) in pairs.iter().enumerate() {
            let [facility, location] = pair.map(|number| number as usize + first);
            for (side, many) in ["facilities", "locations"].into_iter().enumerate() {
                if pair[side] as usize >= sizes[side] {
                    return Err(Error::Instance(format!(
                        "facility {facility} is to be fixed at location {location}, but {many} go from {first} to {}",
                        sizes[side] + first - 1
                    )));
                }
            }
            let [facility, location] = [label(0, facility), label(1, location)];
            let taken = |side: usize| {
                let other = pairs[..at].iter().find(|other| other[side] == pair[side]);
                other.map(|other| label(1 - side, other[1 - side] as usize + first))
            };
            if let Some(other) = taken(0) {
                return Err(Error::Instance(format!(
                    "facility {facility} is fixed twice, at location {other} and at location {location}: leave one out"
                )));
            }
            if let Some(other) = taken(1) {
                return Err(Error::Instance(format!(
                    "two facilities, {other} and {facility}, are fixed at location {location}: fix one of them elsewhere, or not at all"
                )));
            }
        }
        Ok(())
    }

    /// The same with pairs that are possible together.
    fn fixed_at(self, pairs: &[[u32; 2]]) -> Result<Self> {
        // What does not fit takes other factors.
        let again = || {
            let made = scaled(self.name(), [self.len(), self.locations()], self.origin(), pairs)?;
            Ok(made.named_as(&self))
        };
        if self.given.as_ref().is_some_and(|given| given.lowered) {
            // With other pairs other costs may count.
            return again();
        }
        self.clone().with_checked_fixed(pairs).or_else(|_| again())
    }

    /// The same with pairs that are known to be possible, if costs fit in the form that kernels know.
    pub(super) fn with_checked_fixed(mut self, pairs: &[[u32; 2]]) -> Result<Self> {
        self.fixed = pairs.into();
        if !pairs.is_empty() {
            self.normal()?.instance.checked()?;
        }
        Ok(self)
    }

    /// The pairs of a facility and the location where it is fixed, in the order in which they were given.
    pub fn fixed(&self) -> &[[u32; 2]] {
        &self.fixed
    }

    /// The instance in the form that kernels know.
    ///
    /// # Errors
    /// [`Error::Instance`] where costs of placing do not fit.
    pub(crate) fn normal(&self) -> Result<Normal> {
        let n = self.locations();
        let mut fixed: Vec<[usize; 2]> = self.fixed.iter().map(|pair| pair.map(|number| number as usize)).collect();
        // Kernels know no instance without a facility; where all are fixed, the empty ones may be anywhere.
        let last = if fixed.len() == self.len() { fixed.pop() } else { None };
        let is_free = |side: usize, number: usize| fixed.iter().all(|pair| pair[side] != number);
        let [facilities, locations]: [Vec<usize>; 2] = match last {
            Some(last) => last.map(|number| vec![number]),
            None => [0, 1].map(|side| (0..n).filter(|&number| is_free(side, number)).collect()),
        };
        let part = |matrix: &[u32], rows: &[usize], columns: &[usize]| -> Vec<u32> {
            rows.iter().flat_map(|&row| columns.iter().map(move |&column| matrix[row * n + column])).collect()
        };
        let with = |facilities: &[usize]| -> Result<Self> {
            let placing = match fixed.is_empty() {
                true => self.placing_costs().map(|costs| part(costs, facilities, &locations)),
                false => Some(self.placing_with(&fixed, facilities, &locations)?),
            };
            let whole = Whole {
                flows: part(self.flows(), facilities, facilities),
                distances: part(self.distances(), &locations, &locations),
                placing,
            };
            Ok(Self::of_whole(self.name(), [facilities.len(); 2], whole))
        };
        let mut instance = with(&facilities)?;
        let mut idle = match facilities.iter().position(|&facility| facility >= self.len()) {
            Some(empty) => (0..facilities.len()).map(|facility| instance.are_alike(facility, empty)).collect(),
            None => instance.idle(),
        };
        let sorted = idle.is_sorted();
        // Kernels know no instance without a facility.
        idle[0] &= !idle.iter().all(|idle| *idle);
        let (last, first): (Vec<_>, Vec<_>) = facilities.iter().zip(idle).partition(|(_, idle)| *idle);
        let facilities: Vec<usize> = first.iter().chain(&last).map(|(facility, _)| **facility).collect();
        if !sorted {
            instance = with(&facilities)?;
        }
        instance.empty = last.len();
        let making = self.making();
        let left = last.iter().filter(|(facility, _)| **facility >= self.len()).count() + making.left;
        instance.making = Some(Making { left: left.min(instance.empty), ..making });
        let narrow = |numbers: Vec<usize>| numbers.into_iter().map(|number| number as u32).collect();
        let (facilities, locations) = (narrow(facilities), narrow(locations));
        let mut normal = Normal { instance, original: self.clone(), facilities, locations, offset: 0 };
        // Every assignment differs by the same.
        let own: Vec<u32> = (0..normal.instance.len() as u32).collect();
        normal.offset = self.cost(&normal.solution(&own))? - normal.instance.cost(&own)?;
        Ok(normal)
    }

    /// Whether it is in the form that kernels know.
    pub(crate) fn is_in_kernel_form(&self) -> bool {
        self.is_free() && !self.idle().contains(&true)
    }

    /// Of each facility whether it has no flows and costs the same at all locations.
    pub(super) fn idle(&self) -> Vec<bool> {
        let n = self.locations();
        let mut idle: Vec<bool> = match self.placing_costs() {
            Some(costs) => costs.chunks(n).map(|row| row.iter().all(|cost| *cost == row[0])).collect(),
            None => vec![true; n],
        };
        for (at, _) in self.flows().iter().enumerate().filter(|(_, flow)| **flow > 0) {
            (idle[at / n], idle[at % n]) = (false, false);
        }
        idle
    }

    /// The instance in the form that kernels know, for tests that look inside.
    ///
    /// # Errors
    /// [`Error::Instance`] where costs of placing do not fit.
    #[doc(hidden)]
    pub fn in_kernel_form(&self) -> Result<Self> {
        self.normal().map(|normal| normal.instance)
    }

    /// What facilities cost at locations, with what they exchange with those that are fixed; each row from 0 up.
    fn placing_with(&self, fixed: &[[usize; 2]], facilities: &[usize], locations: &[usize]) -> Result<Vec<u32>> {
        let n = self.locations();
        let at = |matrix: &[u32], row: usize, column: usize| u128::from(matrix[row * n + column]);
        let mut all = Vec::with_capacity(facilities.len() * locations.len());
        for &facility in facilities {
            let cost = |&location: &usize| -> u128 {
                let exchanged = fixed.iter().map(|&[other, there]| {
                    at(self.flows(), facility, other) * at(self.distances(), location, there)
                        + at(self.flows(), other, facility) * at(self.distances(), there, location)
                });
                self.placing_costs().map_or(0, |costs| at(costs, facility, location)) + exchanged.sum::<u128>()
            };
            let row: Vec<u128> = locations.iter().map(cost).collect();
            let least = row.iter().copied().min().unwrap_or(0);
            for cost in row {
                let cost = u32::try_from(cost - least).ok().filter(|cost| *cost <= MAX_ENTRY);
                all.push(cost.ok_or_else(|| {
                    Error::Instance(format!(
                        "what facility {facility} (counted from 0) exchanges with fixed ones makes its costs at two locations differ by more \
                         than {MAX_ENTRY}; divide the flows or the distances by a common factor"
                    ))
                })?);
            }
        }
        Ok(all)
    }
}

impl Normal {
    /// The instance in this form.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The solution of the instance that one in this form stands for.
    pub fn solution(&self, own: &[u32]) -> Vec<u32> {
        let mut solution = vec![0; self.original.len()];
        self.original.fixed.iter().for_each(|&[facility, location]| solution[facility as usize] = location);
        for (&facility, &own) in self.facilities.iter().zip(own) {
            if let Some(location) = solution.get_mut(facility as usize) {
                *location = self.locations[own as usize];
            }
        }
        solution
    }

    /// The solution in this form that stands for one of the instance.
    ///
    /// # Errors
    /// [`Error::Assignment`] when it is none.
    pub fn own_solution(&self, solution: &[u32]) -> Result<Vec<u32>> {
        let all = self.original.completed(solution)?;
        let mut own = vec![0; self.original.locations()];
        self.locations.iter().zip(0..).for_each(|(&location, number)| own[location as usize] = number);
        Ok(self.facilities.iter().map(|&facility| own[all[facility as usize] as usize]).collect())
    }

    /// What a cost of the instance has more than one in this form.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}
