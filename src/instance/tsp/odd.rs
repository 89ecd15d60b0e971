//! What of the ways of a matrix may be meant otherwise.

use super::instance::Instance;
use super::metric::Metric;

/// Ways are odd up to this share of all: one in so many.
const SHARE_TOLD: usize = 10;
/// Differences of the two directions are small below such a part of the shortest ways.
const SMALL_PART: u64 = 20;
/// The same of pairs of cities between which the two directions differ.
const PAIRS_TOLD: usize = 100;
/// The most cities whose ways without length are looked at, and the most such ways.
const MOST_LOOKED_AT: usize = 2_000;
const MOST_PAIRS: usize = 2_000;

/// What of the ways of a matrix may be meant otherwise.
#[derive(Clone, Debug)]
pub(in crate::instance) struct Odd {
    /// Whether one half of it is empty, as a table of distances may be that tells each once.
    pub is_half_empty: bool,
    /// How many ways are negative, and the first of them, where few are, or all of these alike: they may stand for ways that are not there.
    pub negative: Option<(usize, [usize; 2])>,
    /// Two cities between which both ways have weight 0, though a third one is more than twice as far from one as from the other: there may be no way.
    pub without_length: Option<[usize; 2]>,
    /// Between how many pairs of cities the two directions differ, and the first of them, where they do between few.
    pub directions: Option<(usize, [usize; 2])>,
    /// By how much ways and ways back differ at most, where each city's greatest difference is small beside its shortest way, in the mean.
    pub difference: Option<f64>,
}

impl Instance {
    /// What is odd in a matrix; `None` for others. It takes n² steps and is found once: reports, warnings and those who ask have the same.
    pub(in crate::instance) fn odd(&self) -> Option<&Odd> {
        (self.metric() == Metric::Explicit).then(|| self.odd.get_or_init(|| Odd::of(self)))
    }
}

impl Odd {
    fn of(instance: &Instance) -> Self {
        let directions = odd_directions(instance);
        Self {
            is_half_empty: is_half_empty(instance),
            negative: odd_negative(instance),
            without_length: far_without_length(instance),
            difference: if directions.is_none() { small_differences(instance) } else { None },
            directions,
        }
    }
}

/// Pairs of cities, the greater number first.
fn pairs(n: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..n).flat_map(|a| (0..a).map(move |b| [a, b]))
}

fn is_half_empty(instance: &Instance) -> bool {
    let n = instance.len();
    let is_empty = |turned: bool| {
        pairs(n).all(|[a, b]| {
            let [full, empty] = if turned { [[b, a], [a, b]] } else { [[a, b], [b, a]] };
            instance.way(empty[0], empty[1]) == 0.0 && instance.way(full[0], full[1]) != 0.0
        })
    };
    n > 2 && !instance.is_symmetric() && [false, true].into_iter().any(is_empty)
}

fn odd_negative(instance: &Instance) -> Option<(usize, [usize; 2])> {
    // A cost of 0 stands for something else where weights have signs.
    if instance.length_of(0) >= 0.0 {
        return None;
    }
    let n = instance.len();
    let ways = (0..n).flat_map(|a| (0..n).filter(move |b| *b != a).map(move |b| [a, b]));
    let mut negative = ways.filter(|&[a, b]| instance.way(a, b) < 0.0);
    let first = negative.next()?;
    let least = instance.way(first[0], first[1]);
    let (count, alike) =
        negative.fold((1, true), |(count, alike), [a, b]| (count + 1, alike && instance.way(a, b) == least));
    (alike || count * SHARE_TOLD <= n * (n - 1)).then_some((count, first))
}

fn far_without_length(instance: &Instance) -> Option<[usize; 2]> {
    let n = instance.len();
    // Among weights with signs 0 is one like others.
    if !instance.is_symmetric() || n > MOST_LOOKED_AT || instance.length_of(0) < 0.0 {
        return None;
    }
    let lie_apart = |&[a, b]: &[usize; 2]| {
        let others = (0..n).filter(|other| *other != a && *other != b);
        let differ = |one: f64, other: f64| (one - other).abs() > 0.5 * one.abs().max(other.abs());
        others.into_iter().any(|other| differ(instance.way(a, other), instance.way(b, other)))
    };
    let without = pairs(n).filter(|&[a, b]| instance.way(a, b) == 0.0).take(MOST_PAIRS);
    without.into_iter().find(lie_apart).map(|[a, b]| [b, a])
}

fn odd_directions(instance: &Instance) -> Option<(usize, [usize; 2])> {
    if instance.is_symmetric() {
        return None;
    }
    let n = instance.len();
    let mut differ = pairs(n).filter(|&[a, b]| instance.distance(a, b) != instance.distance(b, a));
    let [a, b] = differ.next()?;
    let count = 1 + differ.count();
    (count * PAIRS_TOLD <= n * (n - 1) / 2).then_some((count, [b, a]))
}

fn small_differences(instance: &Instance) -> Option<f64> {
    let n = instance.len();
    if instance.is_symmetric() || n > MOST_LOOKED_AT {
        return None;
    }
    let of = |city: usize| {
        let others = (0..n).filter(move |other| *other != city);
        others.fold((0u32, u32::MAX), |(differs, nearest), other| {
            let [there, back] = [instance.distance(city, other), instance.distance(other, city)];
            (differs.max(there.abs_diff(back)), nearest.min(there))
        })
    };
    let all: Vec<(u32, u32)> = (0..n).map(of).collect();
    let sum = |of: fn(&(u32, u32)) -> u32| all.iter().map(|city| u64::from(of(city))).sum::<u64>();
    let most = all.iter().map(|city| city.0).max()?;
    (sum(|city| city.0) * SMALL_PART < sum(|city| city.1)).then(|| f64::from(most) / instance.scale())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is odd is found once for all clones, under other names and with other ends too, and again for other weights.
    #[test]
    fn what_is_odd_is_found_once_for_each_matrix() {
        let weights = |absent: f64| (0..25).map(|at| if at == 7 { absent } else { 3.5 + f64::from(at % 4) }).collect();
        let made = |absent: f64| Instance::from_matrix_f64(5, weights(absent)).unwrap();
        let places = |instance: &Instance| instance.odd().map(std::ptr::from_ref);
        let first = made(-1.0);
        assert_eq!(first.odd().and_then(|odd| odd.negative), Some((1, [1, 2])));
        let named = first.clone().with_name("other").open_path(Some(1), None).unwrap();
        assert_eq!(places(&named), places(&first));
        assert!(made(4.0).odd().is_some_and(|odd| odd.negative.is_none()));
        // Where ends leave nothing but ways that are not there these are counted otherwise.
        let never = || (0..25).map(|at| if at / 5 < 2 && at % 5 > 1 { f64::INFINITY } else { 3.5 }).collect();
        let apart = Instance::from_matrix_f64(5, never()).unwrap();
        let before = apart.odd().map(|odd| odd.directions);
        let ended = apart.clone().open_path(Some(0), Some(4)).unwrap();
        assert!(before.is_some() && places(&ended) != places(&apart));
        assert!(crate::instance::tsp::generate(crate::instance::tsp::Kind::Uniform, 5, 1).unwrap().odd().is_none());
    }
}
