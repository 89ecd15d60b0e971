//! Seeded instances, the same on every machine.

use std::f64::consts::TAU;
use std::fmt;
use std::str::FromStr;

use glam::DVec2;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::dimacs;
use super::instance::Instance;
use super::metric::Metric;
use crate::error::{Error, Result};

/// The side of the square that uniform and clustered cities lie in.
const SIDE: f64 = 1_000_000.0;
/// The spacing of a lattice.
const SPACING: usize = 100;

/// The kinds of instances that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Cities spread evenly over a square.
    Uniform,
    /// Cities in clouds around one centre for each hundred cities.
    Clustered,
    /// A rectangular grid; the cost of its best tour is known.
    Lattice,
    /// A circle; its cities in order are its best tour, up to the rounding of distances.
    Circle,
    /// The random uniform instances of the DIMACS challenge (Johnson and McGeoch 2002): with 1,000,000 cities and this seed it is E1M.0.
    DimacsUniform,
    /// Its random clustered instances, of 100 cities at least: with 3,162 cities and this seed it is C3k.0.
    DimacsClustered,
}

const KINDS: [(Kind, &str); 6] = [
    (Kind::Uniform, "uniform"),
    (Kind::Clustered, "clustered"),
    (Kind::Lattice, "lattice"),
    (Kind::Circle, "circle"),
    (Kind::DimacsUniform, "dimacs-uniform"),
    (Kind::DimacsClustered, "dimacs-clustered"),
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KINDS.iter().find(|(kind, _)| kind == self).map_or("", |(_, word)| word))
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = || KINDS.map(|(_, word)| word).join(", ");
        let found = KINDS.iter().find(|(_, word)| *word == text).map(|(kind, _)| *kind);
        found.ok_or_else(|| format!("expected one of {}, not '{text}'", words()))
    }
}

/// Makes an instance of `n` cities (EUC_2D, whole coordinates); same kind, n and seed, same instance.
///
/// # Errors
/// [`Error::Config`] for n = 0 or more than 2²⁴, for a lattice whose n has no even grid of at least 2 × 2, and for what the DIMACS
/// challenge's generators do not make: clouds of fewer than 100 cities, seeds of 10⁹ or more.
pub fn generate(kind: Kind, n: usize, seed: u64) -> Result<Instance> {
    if n == 0 || n > 1 << 24 {
        return Err(Error::Config(format!("an instance has 1 to {} cities, not {n}", 1 << 24)));
    }
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut cities = match kind {
        Kind::Uniform => (0..n).map(|_| DVec2::new(unit(&mut rng) * SIDE, unit(&mut rng) * SIDE)).collect(),
        Kind::Clustered => clustered(n, &mut rng),
        Kind::Lattice => lattice(n)?,
        Kind::Circle => circle(n),
        Kind::DimacsUniform => dimacs::uniform(n, seed)?,
        Kind::DimacsClustered => dimacs::clustered(n, seed)?,
    };
    if !matches!(kind, Kind::DimacsUniform | Kind::DimacsClustered) {
        for city in &mut cities {
            *city = city.floor();
        }
        // Fisher-Yates, so that the order of a lattice or circle does not give its tour away.
        for i in (1..n).rev() {
            cities.swap(i, (unit(&mut rng) * (i + 1) as f64) as usize);
        }
    }
    let instance = Instance::from_coords(format!("{kind}{n}.s{seed}"), Metric::Euc2d, &cities)?;
    let optimum = known_cost(kind, &instance).map_or(String::new(), |cost| format!(", known tour {cost}"));
    Ok(instance.with_comment(format!("{kind}, {n} cities, seed {seed}{optimum}")))
}

/// The cost of a tour known to be good of an instance that [`generate`] made.
///
/// On a lattice with an even number of rows or columns a tour takes n steps of the spacing, and none can be shorter. On
/// a circle it is the order of the hull, the best there is before distances are rounded.
pub fn known_cost(kind: Kind, instance: &Instance) -> Option<u64> {
    match kind {
        Kind::Lattice => Some((instance.len() * SPACING) as u64),
        Kind::Circle => {
            let centre = SIDE;
            let angle = |p: &DVec2| libm::atan2(p.y - centre, p.x - centre);
            let places = instance.layout()?;
            let mut tour: Vec<u32> = (0..instance.len() as u32).collect();
            tour.sort_by(|&a, &b| angle(&places[a as usize]).total_cmp(&angle(&places[b as usize])));
            instance.tour_cost(&tour).ok()
        }
        _ => None,
    }
}

/// A number in 0 (included) to 1 (excluded), from the upper bits of a word: what `rand` guarantees to stay the same.
fn unit(rng: &mut Pcg64Mcg) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn clustered(n: usize, rng: &mut Pcg64Mcg) -> Vec<DVec2> {
    let centres: Vec<DVec2> = (0..n.div_ceil(100)).map(|_| DVec2::new(unit(rng) * SIDE, unit(rng) * SIDE)).collect();
    let spread = SIDE / (n as f64).sqrt();
    let mut city = || {
        let centre = centres[(unit(rng) * centres.len() as f64) as usize];
        // Box and Muller's normal deviates.
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(rng))) * spread;
        let angle = TAU * unit(rng);
        let place = centre + radius * DVec2::new(libm::cos(angle), libm::sin(angle));
        place.clamp(DVec2::ZERO, DVec2::splat(SIDE - 1.0))
    };
    (0..n).map(|_| city()).collect()
}

/// Rows and columns of the squarest grid with n places, at least two of each and an even number of places.
fn grid(n: usize) -> Option<(usize, usize)> {
    let rows = (2..=n.isqrt()).rev().find(|rows| n.is_multiple_of(*rows))?;
    n.is_multiple_of(2).then_some((rows, n / rows))
}

fn lattice(n: usize) -> Result<Vec<DVec2>> {
    let Some((_, columns)) = grid(n) else {
        let next = (n + 1..).find(|&n| grid(n).is_some()).unwrap_or(4);
        return Err(Error::Config(format!(
            "no grid of rows and columns, two or more of each, has {n} places and a tour of steps between neighbours, which takes an even number; the next \
             larger one has {next}"
        )));
    };
    Ok((0..n).map(|i| DVec2::new((i % columns * SPACING) as f64, (i / columns * SPACING) as f64)).collect())
}

fn circle(n: usize) -> Vec<DVec2> {
    let place = |i: usize| {
        let angle = TAU * i as f64 / n as f64;
        DVec2::new(libm::cos(angle), libm::sin(angle)) * SIDE + SIDE
    };
    (0..n).map(|i| (place(i) + 0.5).floor()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_instance() {
        for (kind, _) in KINDS {
            let [a, b, c] = [1, 1, 2].map(|seed| generate(kind, 120, seed).unwrap().distance_matrix());
            assert_eq!(a, b, "{kind}");
            assert_ne!(a, c, "{kind}");
        }
    }

    #[test]
    fn lattices_have_the_tour_they_promise() {
        let instance = generate(Kind::Lattice, 6 * 8, 5).unwrap();
        assert_eq!(known_cost(Kind::Lattice, &instance), Some(4800));
        assert!(instance.nearest_neighbour_tour(0).len() == 48);
        assert!(generate(Kind::Lattice, 49, 1).unwrap_err().to_string().contains("has 50"));
        assert!(generate(Kind::Lattice, 7, 1).unwrap_err().to_string().contains("has 8"));
        assert!(generate(Kind::Lattice, 2, 1).is_err());
    }

    #[test]
    fn the_circle_is_convex_and_its_tour_close_to_its_circumference() {
        let instance = generate(Kind::Circle, 500, 5).unwrap();
        let cost = known_cost(Kind::Circle, &instance).unwrap() as f64;
        assert!((cost / (TAU * SIDE) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn kinds_are_words() {
        for (kind, word) in KINDS {
            assert_eq!(word.parse(), Ok(kind));
            assert_eq!(kind.to_string(), word);
        }
        assert!("round".parse::<Kind>().unwrap_err().contains("uniform, clustered"));
        assert!(generate(Kind::Uniform, 0, 1).is_err());
    }
}
