//! The nearest others of a city, of all or by a k-d tree.
//!
//! Where distances are not Euclidean the tree holds the cities at places where what is near is near, too, and all cities that could be
//! among the nearest are compared by their distances.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::num::NonZero;

use glam::DVec3;

use super::instance::Instance;
use super::metric::{GEO_RADIUS, Metric, radians};
use super::tree::Tree;

/// More than what rounding can change in an angle between two places on the globe: an arc cosine near 1 is off by 2·10⁻⁸.
const ANGLE: f64 = 1e-6;

/// Widens a radius by more than what rounding can change in a squared distance.
const WIDER: f64 = 1.0 + 1e-12;

impl Instance {
    /// The `count` nearest others of a city with what decides it, in no order.
    pub(super) fn nearest_of_all(&self, city: usize, count: usize) -> Vec<(f64, u32)> {
        let euclidean = self.metric().is_euclidean();
        let key = |other: usize| match euclidean {
            true => self.coords()[city].distance_squared(self.coords()[other]),
            false => f64::from(self.distance(city, other)),
        };
        let mut others: Vec<(f64, u32)> =
            self.open_to(city, 0..self.len() as u32).map(|other| (key(other as usize), other)).collect();
        if count < others.len() && count > 0 {
            others.select_nth_unstable_by(count - 1, nearer);
        }
        others.truncate(count);
        others
    }

    /// Those among `others` that a city may have as neighbours.
    fn open_to(&self, city: usize, others: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
        let (city, form) = (city as u32, self.kernel_form);
        others.filter(move |&other| other != city && !form.is_closed_to(city, other))
    }

    /// The same by a tree of all cities, nearest first.
    pub(super) fn nearest_in(&self, tree: &Tree, city: usize, wanted: usize) -> Vec<(f64, u32)> {
        // As many more as may be none.
        let count = wanted + self.most_closed();
        // The city itself is among them, or as many others at distance 0; and one more, which tells whether the last one has a tie.
        let asked = NonZero::<usize>::MIN.saturating_add(count + 1);
        let here = self.coords()[city];
        let mut found = tree.nearest(here, asked);
        let radius = found.get(count).map_or(0.0, |last| last.distance) * WIDER;
        if found.get(count + 1).is_none_or(|next| next.distance <= radius) {
            found = tree.within(here, radius);
        }
        let (from, form) = (city as u32, self.kernel_form);
        let mut others: Vec<(f64, u32)> = found
            .iter()
            .map(|found| tree.city(found))
            .filter(|&(other, _)| other != from && !form.is_closed_to(from, other))
            .map(|(other, place)| (here.distance_squared(place), other))
            .collect();
        others.sort_unstable_by(nearer);
        others.truncate(wanted);
        others
    }

    /// The places of the cities for a tree: their coordinates; of cities on the globe points of the unit sphere, whose straight distances
    /// grow with those along great circles.
    pub(super) fn tree_places(&self) -> Cow<'_, [DVec3]> {
        let on_sphere = |place: &DVec3| {
            let (latitude, longitude) = (radians(place.x), radians(place.y));
            let (sin, cos) = (libm::sin(latitude), libm::cos(latitude));
            DVec3::new(cos * libm::cos(longitude), cos * libm::sin(longitude), sin)
        };
        match self.metric() {
            Metric::Geo => Cow::Owned(self.coords().iter().map(on_sphere).collect()),
            _ => Cow::Borrowed(self.coords()),
        }
    }

    /// The `count` others of a city that are nearest by (distance, index), by a tree of all cities at `places`; the lowest of all for the gap of
    /// an open path, which is as near to all.
    pub(super) fn nearest_by_distance(&self, tree: &Tree, places: &[DVec3], city: usize, count: usize) -> Vec<u32> {
        if self.kernel_form.gap == Some(city as u32) {
            return self.open_to(city, 0..self.len() as u32).take(count).collect();
        }
        let here = places[city];
        let by_distance = |others: Vec<u32>| {
            let open = self.open_to(city, others.into_iter());
            let mut keyed: Vec<(u32, u32)> = open.map(|other| (self.distance(city, other as usize), other)).collect();
            keyed.sort_unstable();
            keyed.truncate(count);
            keyed
        };
        // The city itself is among them, or as many others in its place; and so are as many as may be none.
        let asked = NonZero::<usize>::MIN.saturating_add(count + self.most_closed());
        let first = by_distance(tree.nearest(here, asked).iter().map(|found| tree.city(found).0).collect());
        let farthest = first.last().map_or(0, |last| last.0);
        let reach = reach(self.metric(), farthest);
        let all = tree.within(here, reach * reach * WIDER);
        let row = by_distance(all.iter().map(|found| tree.city(found).0).collect());
        row.into_iter().map(|(_, other)| other).collect()
    }
}

pub(super) fn nearer(a: &(f64, u32), b: &(f64, u32)) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// How far from a city's place those may lie whose distance is `distance` or less.
fn reach(metric: Metric, distance: u32) -> f64 {
    // Rounded to the nearest, halves up.
    let below = f64::from(distance) + 0.5;
    match metric {
        Metric::Max2d => below * std::f64::consts::SQRT_2,
        Metric::Geo => {
            // Rounded down after 1 was added.
            let angle = f64::from(distance) / GEO_RADIUS + ANGLE;
            2.0 * libm::sin(angle.min(std::f64::consts::PI) / 2.0)
        }
        // What lies so far away along both axes lies nearer along the straight line.
        _ => below,
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;
    use proptest::prelude::*;

    use super::*;

    /// Instances of the other metrics, of the ways in which cities can lie that are hard for a tree.
    fn instances() -> impl Strategy<Value = Instance> {
        let places = (60usize..220).prop_flat_map(|n| prop::collection::vec((-18_000..18_000i32, -9_000..9_000i32), n));
        let metric = prop_oneof![Just(Metric::Man2d), Just(Metric::Max2d), Just(Metric::Geo)];
        (places, metric, 0..7).prop_map(|(places, metric, shape)| {
            // Degrees and minutes, of which there are less than 60.
            let minutes = |hundredths: i32| f64::from(hundredths / 100) + f64::from(hundredths % 100) * 0.006;
            let place = |(a, b): (i32, i32)| match shape {
                0 => [minutes(b), minutes(a)],
                // Many ties, and many distances of 0 or 1.
                1 => [f64::from(a % 12), f64::from(b % 12)],
                // Near each other on the globe; elsewhere rounding would leave nothing of that.
                2 if metric == Metric::Geo => [f64::from(a) / 1e5, f64::from(b) / 1e5],
                2 => [f64::from(a) / 1e2, f64::from(b) / 1e2],
                // Many in the same place, or all.
                3 => [f64::from(a % 3), f64::from(b % 2)],
                4 => [1.0, 1.0],
                // A line; the poles, and the border of longitudes.
                5 => [minutes(b), 7.0],
                _ => [f64::from(a % 2 * 90), f64::from(b % 3 * 90)],
            };
            let places = places.into_iter().map(|at| DVec2::from_array(place(at)).extend(0.0)).collect();
            Instance::of_coords("places".into(), metric, places)
        })
    }

    /// The definition: the nearest by (distance, index).
    fn nearest(instance: &Instance, city: usize, k: usize) -> Vec<u32> {
        let mut row: Vec<u32> = (0..instance.len() as u32).filter(|&other| other as usize != city).collect();
        row.sort_by_key(|&other| (instance.distance(city, other as usize), other));
        row.truncate(k);
        row
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn neighbours_are_those_of_the_definition(instance in instances(), k in 1usize..14) {
            let near = instance.neighbours(k);
            for city in 0..instance.len() {
                prop_assert_eq!(near.row(city), nearest(&instance, city, k), "{:?} {}", instance.metric(), city);
            }
        }
    }
}
