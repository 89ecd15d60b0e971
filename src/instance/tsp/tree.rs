//! A k-d tree of cities.

use std::borrow::Cow;
use std::num::NonZero;

use glam::DVec3;
use kiddo::{ImmutableKdTree, QueryResultItem, SquaredEuclidean};

use super::extent::extent;
use super::piles::Piles;

/// Cities, of which it tells the nearest to a place.
pub(super) struct Tree<'a> {
    cities: Cow<'a, [u32]>,
    places: Vec<DVec3>,
    axes: Axes,
    /// Whether the two axes are the sum and the difference of x and y.
    turned: bool,
}

/// A strip so many times as long as it is wide is turned.
const THIN: f64 = 64.0;

/// Each level of a tree halves its cities along the next axis. One along which they all are the same halves nothing: of a million
/// cities in the plane a leaf then holds up to 978 with three axes, and 31 with two. In a strip along an axis every second level halves little: it is
/// turned by an eighth, so that both axes run along it.
enum Axes {
    Two(ImmutableKdTree<f64, 2>),
    Three(ImmutableKdTree<f64, 3>),
}

/// An index in the list of cities, and a squared distance.
type Found = QueryResultItem<(), u32, f64>;

impl<'a> Tree<'a> {
    /// A tree of `cities`, which are all those that lie at `coords`, to ask for the `most` nearest others at most; it answers sooner when cities that
    /// follow each other are near. Of more cities in one place it holds the lowest `most` + 1, before which no other comes. `None`
    /// when it refuses the places.
    pub(super) fn new(coords: &[DVec3], cities: &'a [u32], most: usize) -> Option<Self> {
        let piles = Piles::of_more_than(most + 1, coords);
        let comes = |city: &u32| piles.holding(*city).is_none_or(|pile| pile[..=most].binary_search(city).is_ok());
        let cities = match piles.is_empty() {
            true => Cow::Borrowed(cities),
            false => Cow::Owned(cities.iter().copied().filter(comes).collect()),
        };
        let places: Vec<DVec3> = cities.iter().map(|&city| coords[city as usize]).collect();
        let is_plane = places.iter().all(|place| place.z == places[0].z);
        let turned = is_plane && is_thin(&places) && places.iter().all(|place| sum_is_exact(place.x, place.y));
        let axes = match is_plane {
            true => {
                let points: Vec<[f64; 2]> = places.iter().map(|place| in_plane(*place, turned)).collect();
                Axes::Two(ImmutableKdTree::new_from_slice(&points).ok()?)
            }
            false => {
                let points: Vec<[f64; 3]> = places.iter().map(|place| place.to_array()).collect();
                Axes::Three(ImmutableKdTree::new_from_slice(&points).ok()?)
            }
        };
        Some(Self { cities, places, axes, turned })
    }

    /// The city that was found, and where it lies.
    pub(super) fn city(&self, found: &Found) -> (u32, DVec3) {
        let index = found.item as usize;
        (self.cities[index], self.places[index])
    }

    /// The `count` nearest to a place, nearest first, ties in any order.
    pub(super) fn nearest(&self, place: DVec3, count: NonZero<usize>) -> Vec<Found> {
        let mut found = match &self.axes {
            Axes::Two(tree) => {
                tree.query(&in_plane(place, self.turned)).nearest_n::<SquaredEuclidean<f64>>(count).execute()
            }
            Axes::Three(tree) => tree.query(&place.to_array()).nearest_n::<SquaredEuclidean<f64>>(count).execute(),
        };
        found.iter_mut().for_each(|found| found.distance /= self.stretch());
        found
    }

    /// All within a squared radius, in any order; how far they are is not told.
    pub(super) fn within(&self, place: DVec3, radius: f64) -> Vec<Found> {
        let radius = radius * self.stretch();
        match &self.axes {
            Axes::Two(tree) => {
                let place = in_plane(place, self.turned);
                tree.query(&place).within::<SquaredEuclidean<f64>>(radius).unsorted().execute()
            }
            Axes::Three(tree) => {
                tree.query(&place.to_array()).within::<SquaredEuclidean<f64>>(radius).unsorted().execute()
            }
        }
    }

    /// How many times as great squared distances are along its axes.
    fn stretch(&self) -> f64 {
        if self.turned { 2.0 } else { 1.0 }
    }
}

/// A place along two axes.
fn in_plane(place: DVec3, turned: bool) -> [f64; 2] {
    if turned { [place.x + place.y, place.x - place.y] } else { [place.x, place.y] }
}

fn is_thin(places: &[DVec3]) -> bool {
    let sides = extent(places).truncate();
    sides.min_element() * THIN < sides.max_element()
}

/// Whether the sum and the difference of two numbers are floating-point numbers themselves (what is lost in a sum: Knuth 1969, section 4.2.2).
fn sum_is_exact(x: f64, y: f64) -> bool {
    [y, -y].into_iter().all(|y| {
        let sum = x + y;
        let of_y = sum - x;
        (x - (sum - of_y)) + (y - of_y) == 0.0
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Instance, Metric};
    use super::*;

    /// Instances with Euclidean metrics, of all the ways in which cities can lie that are hard for a tree.
    fn instances() -> impl Strategy<Value = Instance> {
        let places = prop_oneof![1usize..12, 40usize..220]
            .prop_flat_map(|n| prop::collection::vec((0..1000u32, 0..1000u32, 0..1000u32), n));
        let metric = prop_oneof![Just(Metric::Euc2d), Just(Metric::Ceil2d), Just(Metric::Att)];
        (places, metric, 0..11).prop_map(|(places, metric, shape)| {
            let place = |(a, b, c): (u32, u32, u32)| match shape {
                0 => [a, b, 0],
                1 => [a % 3 * 100_000 + b % 10, b % 2 * 100_000 + c % 10, 0],
                // Many ties.
                2 => [a % 12, b % 12, 0],
                // Many in the same place, or all.
                3 => [a % 3, b % 2, 0],
                4 => [1, 1, 0],
                // Lines.
                5 => [a, 7, 0],
                6 => [7, a % 50, 0],
                7 => [a, 2 * a, 0],
                8 => [a * 100, b % 4, 0],
                // Space, and a plane in it.
                9 => [a % 20, b % 20, c % 20],
                _ => [a, b, 5],
            };
            let places: Vec<DVec3> = places.into_iter().map(|p| place(p).map(|c| f64::from(c) / 8.0).into()).collect();
            // Eighths may lie too close together for rounded distances.
            let metric = if shape >= 9 { Metric::Euc3d } else { metric };
            Instance::of_coords("places".into(), metric, places)
        })
    }

    /// The definition: the nearest by (unrounded distance, index), then by (distance, index).
    fn nearest(instance: &Instance, city: usize, k: usize) -> Vec<u32> {
        let place = |city: u32| instance.coords()[city as usize];
        let mut row: Vec<u32> = (0..instance.len() as u32).filter(|&other| other as usize != city).collect();
        row.sort_by(|&a, &b| {
            let [a_far, b_far] = [a, b].map(|other| place(city as u32).distance_squared(place(other)));
            a_far.total_cmp(&b_far).then(a.cmp(&b))
        });
        row.truncate(k);
        row.sort_by_key(|&other| (instance.distance(city, other as usize), other));
        row
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn neighbours_are_those_of_the_definition(instance in instances(), k in 1usize..14) {
            let near = instance.neighbours(k);
            prop_assert_eq!(near.k(), k.min(instance.len() - 1));
            for city in 0..instance.len() {
                prop_assert_eq!(near.row(city), nearest(&instance, city, k));
            }
        }
    }

    #[test]
    fn strips_are_turned_where_that_is_exact() {
        let turned = |places: &[[f64; 2]]| {
            let places: Vec<DVec3> = places.iter().map(|[x, y]| DVec3::new(*x, *y, 0.0)).collect();
            let cities: Vec<u32> = (0..places.len() as u32).collect();
            Tree::new(&places, &cities, 8).unwrap().turned
        };
        assert!(turned(&[[0.0, 5.0], [1000.0, 5.5], [70.0, 7.0]]) && turned(&[[3.0, 0.0], [3.0, 4.0], [3.0, 9.25]]));
        assert!(
            !turned(&[[0.0, 0.0], [1000.0, 20.0]]) && !turned(&[[0.0, 0.0], [1e9, 0.1]]) && !turned(&[[1.0, 1.0]; 3])
        );
    }

    #[test]
    fn a_place_in_a_plane_has_two_axes() {
        let axes = |coords: &[DVec3]| {
            let cities: Vec<u32> = (0..coords.len() as u32).collect();
            match Tree::new(coords, &cities, 8).unwrap().axes {
                Axes::Two(_) => 2,
                Axes::Three(_) => 3,
            }
        };
        assert_eq!(axes(&[DVec3::ZERO, DVec3::X, DVec3::Y]), 2);
        assert_eq!(axes(&[DVec3::ONE, DVec3::Z]), 2);
        assert_eq!(axes(&[DVec3::ZERO, DVec3::Z]), 3);
    }
}
