//! Instances: two square matrices, and one more where facilities cost something by themselves, as kernels count them: whole numbers from 0
//! up.

use std::sync::Arc;

use super::bounds::greatest_change;
use super::given::Given;
use super::structure::Making;
use crate::error::{Error, Flaw, Result};
use crate::text::clean;

/// The largest entry of a matrix.
pub(super) const MAX_ENTRY: u32 = (1 << 31) - 1;
/// The most facilities: kernels number pairs of them in 32 bits.
pub(crate) const MAX_FACILITIES: usize = 32_767;

/// Flows between facilities and distances between locations, and what it costs to place each facility at each location, where that is
/// given; some facilities may be fixed at their locations. Clones share the matrices.
///
/// Where there are fewer facilities than locations, an *empty* facility without flows stands for each location that is left, behind the others
/// in the matrices. Solutions do not have them.
#[derive(Clone)]
pub struct Instance {
    name: String,
    facilities: usize,
    locations: usize,
    flows: Arc<[u32]>,
    distances: Arc<[u32]>,
    placing: Option<Arc<[u32]>>,
    /// Of the form for kernels: so many facilities, the last ones, are empty ones of the instance itself.
    pub(super) empty: usize,
    /// And how its matrices came about.
    pub(super) making: Option<Making>,
    pub(super) fixed: Arc<[[u32; 2]]>,
    pub(super) given: Option<Arc<Given>>,
    /// What facilities and locations are called, where that is known.
    names: [Option<Arc<[String]>>; 2],
}

/// Matrices of whole numbers, row-major, all with as many rows and columns as there are locations.
pub(super) struct Whole {
    pub flows: Vec<u32>,
    pub distances: Vec<u32>,
    pub placing: Option<Vec<u32>>,
}

/// What it is, without its entries.
impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut told = f.debug_struct("Instance");
        told.field("name", &self.name).field("facilities", &self.facilities).field("locations", &self.locations);
        told.finish_non_exhaustive()
    }
}

impl Instance {
    /// An instance from its matrices, row-major `facilities` × `facilities`: `flows[i][j]` from facility i to facility j,
    /// `distances[k][l]` from location k to location l. Neither has to be symmetric, diagonals count. For fewer facilities than locations and
    /// for entries with signs or decimals there is [`Instance::from_matrices_f64`].
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
        check_count("facilities", facilities)?;
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
        let whole = Whole { flows, distances, placing: None };
        Self::of_whole(name, [facilities; 2], whole).checked()
    }

    /// An instance of so many facilities and locations, whose costs may not fit.
    pub(super) fn of_whole(
        name: impl Into<String>,
        [facilities, locations]: [usize; 2],
        Whole { flows, distances, placing }: Whole,
    ) -> Self {
        let (flows, distances) = (flows.into(), distances.into());
        let (placing, name) = (placing.map(Into::into), clean(&name.into()));
        let fixed = Arc::new([]);
        let names = [None, None];
        let (empty, making, given) = (0, None, None);
        Self { name, facilities, locations, flows, distances, placing, empty, making, fixed, given, names }
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
        let (facilities, n) = (self.facilities, self.locations);
        if costs.len() != facilities * n {
            let entries = costs.len();
            return Err(Error::Instance(format!(
                "{facilities} facilities need {facilities} x {n} costs of placing them, not {entries}"
            )));
        }
        if let Some(largest) = costs.iter().find(|cost| **cost > MAX_ENTRY) {
            return Err(Error::Instance(format!("one of the costs of placing is {largest}, which passes {MAX_ENTRY}")));
        }
        if !self.is_free() || self.given.is_some() {
            return self.remade_with_placing(costs);
        }
        Self { placing: Some(costs.into()), ..self }.checked()
    }

    /// Whether every location takes a facility and none is fixed.
    pub(crate) fn is_free(&self) -> bool {
        self.facilities == self.locations && self.fixed.is_empty()
    }

    /// The instance, if costs and their changes fit in the numbers that kernels have.
    pub(super) fn checked(self) -> Result<Self> {
        let n = self.locations;
        let largest = |matrix: &[u32]| u128::from(matrix.iter().copied().max().unwrap_or_default());
        let placing = self.placing.as_deref().map_or(0, largest);
        let most = largest(&self.flows) * largest(&self.distances) * (n * n) as u128 + placing * n as u128;
        if most >= 1 << 63 {
            let message = "its costs may pass 63 bits; divide the flows or the distances by a common factor";
            return Err(Error::Instance(message.into()));
        }
        // Two facilities move, each from the dearest to the cheapest place or back.
        let placed = 2.0 * placing as f64;
        let most = f64::from(i32::MAX);
        let change = greatest_change(n, &self.flows, &self.distances, most - placed) + placed;
        if change >= most {
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
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: clean(&name.into()), ..self }
    }

    /// The same instance with names of its facilities and of its locations, control characters replaced; `None`: they have none.
    ///
    /// # Errors
    /// [`Error::Instance`] for another number of names than there are facilities or locations.
    pub fn with_names(self, facilities: Option<Vec<String>>, locations: Option<Vec<String>>) -> Result<Self> {
        let sizes = [("facilities", self.facilities), ("locations", self.locations)];
        for (names, (what, size)) in [&facilities, &locations].into_iter().zip(sizes) {
            if let Some(names) = names.as_ref().filter(|names| names.len() != size) {
                return Err(Error::Instance(format!("{size} {what} need as many names, not {}", names.len())));
            }
        }
        let cleaned = |names: Vec<String>| names.iter().map(|name| clean(name)).collect();
        Ok(Self { names: [facilities, locations].map(|names| names.map(cleaned)), ..self })
    }

    /// The same with the names of another one of its size.
    pub(super) fn named_as(mut self, other: &Self) -> Self {
        self.names.clone_from(&other.names);
        self
    }

    /// What the facilities are called, where that is known.
    pub fn facility_names(&self) -> Option<&[String]> {
        self.names[0].as_deref()
    }

    /// What the locations are called, where that is known.
    pub fn location_names(&self) -> Option<&[String]> {
        self.names[1].as_deref()
    }

    /// Its name, control characters replaced.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of facilities, at least 1: solutions have a location for each.
    pub fn len(&self) -> usize {
        self.facilities
    }

    /// The number of locations, at least that of facilities.
    pub fn locations(&self) -> usize {
        self.locations
    }

    /// How many of the facilities in the matrices are empty: the last ones, which may exchange their locations at no cost.
    pub(crate) fn empty_facilities(&self) -> usize {
        self.empty + self.locations - self.facilities
    }

    /// Never: an instance has at least one facility.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The flows as they are counted, row-major; with fewer facilities than locations empty ones come behind them, locations × locations in
    /// all. [`Instance::origin`] has what was given.
    pub fn flows(&self) -> &[u32] {
        &self.flows
    }

    /// The distances as they are counted, row-major locations × locations.
    pub fn distances(&self) -> &[u32] {
        &self.distances
    }

    /// What each facility, and each empty one, costs at each location by itself, as it is counted, row-major locations × locations, where that
    /// is given.
    pub fn placing_costs(&self) -> Option<&[u32]> {
        self.placing.as_deref()
    }

    /// The cost of an assignment, for each facility its location, counted from 0, as the solver counts it: [`Instance::length`] is that in the
    /// unit of what was given.
    ///
    /// # Errors
    /// [`Error::Assignment`] when `locations` does not hold as many different locations as there are facilities, or does not have a fixed
    /// facility where it is fixed.
    pub fn cost(&self, locations: &[u32]) -> Result<u64> {
        let placing = self.placing.as_deref().unwrap_or_default();
        Ok(cost([&self.flows, &self.distances, placing], &self.completed(locations)?))
    }

    /// An assignment with empty facilities at the locations that it leaves, in their order.
    ///
    /// # Errors
    /// As [`Instance::cost`].
    pub(super) fn completed(&self, locations: &[u32]) -> Result<Vec<u32>> {
        let n = self.locations;
        if locations.len() != self.facilities {
            return Err(Error::Assignment(Flaw::Length { found: locations.len(), expected: self.facilities }));
        }
        let mut taken = vec![false; n];
        for &location in locations {
            match taken.get_mut(location as usize) {
                None => return Err(Error::Assignment(Flaw::Unknown { number: location, below: n })),
                Some(true) => return Err(Error::Assignment(Flaw::Twice { number: location })),
                Some(taken) => *taken = true,
            }
        }
        for &[facility, expected] in &*self.fixed {
            let found = locations[facility as usize];
            if found != expected {
                return Err(Error::Assignment(Flaw::Moved { facility, found, expected }));
            }
        }
        let free = (0..n as u32).filter(|&location| !taken[location as usize]);
        Ok(locations.iter().copied().chain(free).collect())
    }

    /// The locations that an assignment leaves empty, in their order.
    ///
    /// # Errors
    /// As [`Instance::cost`].
    pub fn empty_locations(&self, locations: &[u32]) -> Result<Vec<u32>> {
        Ok(self.completed(locations)?.split_off(self.facilities))
    }

    /// Whether one of the matrices equals its transpose: then both directions of a pair count as one.
    pub fn is_symmetric_in_one(&self) -> bool {
        self.is_symmetric(&self.flows) || self.is_symmetric(&self.distances)
    }

    pub(crate) fn is_symmetric(&self, matrix: &[u32]) -> bool {
        let n = self.locations;
        (0..n).all(|i| (0..i).all(|j| matrix[i * n + j] == matrix[j * n + i]))
    }

    /// The facilities with most flow at the most central locations; ties in the order of their numbers. Fixed facilities are where they are
    /// fixed.
    pub fn simple_assignment(&self) -> Vec<u32> {
        let n = self.locations;
        let sums = |matrix: &[u32]| -> Vec<u64> {
            let both = |i: usize| (0..n).map(|j| u64::from(matrix[i * n + j]) + u64::from(matrix[j * n + i])).sum();
            (0..n).map(both).collect()
        };
        let (flow, distance) = (sums(&self.flows), sums(&self.distances));
        let is_free = |side: usize, number: usize| self.fixed.iter().all(|pair| pair[side] as usize != number);
        let mut facilities: Vec<usize> = (0..self.facilities).filter(|&facility| is_free(0, facility)).collect();
        facilities.sort_by_key(|&facility| (u64::MAX - flow[facility], facility));
        let mut locations: Vec<usize> = (0..n).filter(|&location| is_free(1, location)).collect();
        locations.sort_by_key(|&location| (distance[location], location));
        let mut assignment = vec![0; self.facilities];
        self.fixed.iter().for_each(|&[facility, location]| assignment[facility as usize] = location);
        for (facility, location) in facilities.into_iter().zip(locations) {
            assignment[facility] = location as u32;
        }
        assignment
    }
}

/// Refuses none, and more than kernels number.
pub(super) fn check_count(what: &str, count: usize) -> Result<()> {
    match count {
        0 if what == "facilities" => Err(Error::Instance("it has no facility".into())),
        0 => Err(Error::Instance(format!("it has no {what}"))),
        1..=MAX_FACILITIES => Ok(()),
        _ => Err(Error::Instance(format!("{count} {what} are more than {MAX_FACILITIES}"))),
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
}
