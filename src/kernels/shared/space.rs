//! Distances of places in space: twin of `shaders/shared/space.wgsl`, function by function.

use crate::algorithm::fixed::mul_high;
use crate::instance::tsp::{Space, Sphere};
use crate::wgsl::constant;

const AXIS_BITS: u32 = constant!("shared/space", "AXIS_BITS");
const COARSE_BITS: u32 = constant!("shared/space", "COARSE_BITS");
/// The two last ones are taken off.
const SERIES: [u32; 7] = [
    constant!("shared/space", "SERIES_0"),
    constant!("shared/space", "SERIES_1"),
    constant!("shared/space", "SERIES_2"),
    constant!("shared/space", "SERIES_3"),
    constant!("shared/space", "SERIES_4"),
    constant!("shared/space", "SERIES_5"),
    constant!("shared/space", "SERIES_6"),
];

/// A shader's constants for places that are counted so.
pub(super) fn constants(space: Space) -> Vec<(&'static str, u32)> {
    let Space { power, add, sphere } = space;
    let mut constants = vec![
        ("SPACE_UP", power.min(0).unsigned_abs()),
        ("SPACE_DOWN", power.max(0).unsigned_abs()),
        ("SPACE_ADD", add),
    ];
    if let Some(Sphere { inverse, half_way, centre: [x, y, z] }) = sphere {
        constants.extend([("SPHERE_INVERSE", inverse), ("SPHERE_HALF_WAY", half_way)]);
        constants.extend(
            [("SPHERE_CENTRE_X", x), ("SPHERE_CENTRE_Y", y), ("SPHERE_CENTRE_Z", z)]
                .map(|(name, value)| (name, value.cast_unsigned())),
        );
    }
    constants
}

/// How places are counted that have these constants.
pub(super) fn of_constants(constants: &[(&'static str, u32)]) -> Space {
    let given = |name: &str| constants.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let word = |name: &str| given(name).unwrap_or_default();
    let sphere = given("SPHERE_INVERSE").map(|inverse| Sphere {
        inverse,
        half_way: word("SPHERE_HALF_WAY"),
        centre: ["SPHERE_CENTRE_X", "SPHERE_CENTRE_Y", "SPHERE_CENTRE_Z"].map(|name| word(name).cast_signed()),
    });
    let power = word("SPACE_DOWN").cast_signed() - word("SPACE_UP").cast_signed();
    Space { power, add: word("SPACE_ADD"), sphere }
}

/// A city's place.
#[inline(always)]
pub(in crate::kernels) fn place(site: [i32; 2]) -> [i32; 3] {
    let [first, second] = site.map(i32::cast_unsigned);
    let z = (first >> AXIS_BITS) << (32 - AXIS_BITS) | second >> AXIS_BITS;
    [first & ((1 << AXIS_BITS) - 1), second & ((1 << AXIS_BITS) - 1), z].map(u32::cast_signed)
}

/// The length of a vector, rounded to the nearest whole number.
#[inline(always)]
pub(super) fn root(apart: [i32; 3]) -> u32 {
    let square: i64 = apart.map(|x| i64::from(x) * i64::from(x)).iter().sum();
    // In a sum with 2⁵² the last bit counts ones: it is rounded to the nearest whole number.
    ((square as f64).sqrt() + (1u64 << 52) as f64).to_bits() as u32
}

/// The arc over a chord.
#[inline(always)]
pub(super) fn arc_over(inverse: u32, chord: u32) -> u32 {
    let share = mul_high(chord << 10, inverse) << 3;
    let y = mul_high(share, share);
    let mut series = SERIES[5] - mul_high(SERIES[6], y);
    series = SERIES[4] - mul_high(series, y);
    for term in [3, 2, 1, 0] {
        series = SERIES[term] + mul_high(series, y);
    }
    chord + ((mul_high(chord << 10, mul_high(series, y)) + 512) >> 10)
}

/// How far two places lie apart, in parts.
#[inline(always)]
fn parts_between(space: &Space, a: [i32; 3], b: [i32; 3]) -> u32 {
    let apart = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let Some(Sphere { inverse, half_way, centre }) = space.sphere else { return root(apart) };
    if half_way != 0 {
        let coarse = |place: [i32; 3], axis: usize| (2 * place[axis] - centre[axis]) >> COARSE_BITS;
        if (0..3).map(|axis| coarse(a, axis) * coarse(b, axis)).sum::<i32>() < 0 {
            let opposite = [0, 1, 2].map(|axis| a[axis] + b[axis] - centre[axis]);
            return half_way - arc_over(inverse, root(opposite));
        }
    }
    arc_over(inverse, root(apart))
}

/// The distance of two cities, none of which is the gap of an open path.
#[inline(always)]
pub(super) fn in_space(space: &Space, a: [i32; 2], b: [i32; 2]) -> u32 {
    let parts = parts_between(space, place(a), place(b));
    ((parts << space.power.min(0).unsigned_abs()) + space.add) >> space.power.max(0).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, DVec3};

    use super::*;
    use crate::instance::tsp::{Instance, Metric, Rounding, WholeCoordinates};
    use crate::kernels::shared::distances::rounded;

    /// Scattered numbers in 0 to 1.
    fn scattered(i: u64) -> f64 {
        let word = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (word >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Beside whole numbers, beside halves and anywhere, up to the longest that there are.
    #[test]
    fn roots_of_three_squares_are_rounded_exactly() {
        let check = |apart: [i32; 3]| {
            let square: i128 = apart.map(i128::from).iter().map(|x| x * x).sum();
            let root = i128::from(root(apart));
            assert!(
                (2 * root - 1).max(0).pow(2) <= 4 * square && 4 * square < (2 * root + 1).pow(2),
                "{apart:?}: {root}"
            );
        };
        // 2² + 3² + 6² = 7², and 1² + 2² + 2² = 3².
        for k in 0..(1 << 21) / 6 {
            for [x, y, z] in [[2 * k, 3 * k, 6 * k], [k, 2 * k, 2 * k]] {
                [[x, y, z], [x + 1, y, z], [x, -y, z - 1]].into_iter().for_each(check);
            }
        }
        let most = (1 << 21) - 1;
        for i in 0..200_000 {
            // The place opposite another one may lie twice as far along an axis.
            let word = |k: u64| (scattered(3 * i + k) * f64::from(2 * most)) as i32 - most;
            let [x, y, z] = [word(0), word(1), word(2)];
            [[x, y, z], [x % 1000, y % 1000, z % 1000], [most, y, most], [most, most, z]].into_iter().for_each(check);
            [[x.abs() / 2 * 3, 1, 0], [x / 2, 0, z / 2]].into_iter().for_each(check);
        }
        [[most; 3], [0; 3], [most - 1, most, most], [1, 0, 0], [1, 1, 0], [1, 1, 1]].into_iter().for_each(check);
    }

    /// Up to a little more than a quarter of a circle, for the least and for large spheres: within 0.85 parts of the arc.
    #[test]
    fn arcs_are_near_those_of_a_sphere() {
        for diameter in [f64::from(1 << 20), 1_273_999.7, 2_097_151.9, 5_140_000.3, 12.742e6, 3.3e9] {
            let inverse = ((1u64 << 51) as f64 / diameter).round() as u32;
            let longest = (diameter * 0.5025f64.sqrt()).min(3_700_000.0) as u32;
            for chord in (0..longest).step_by(577).chain(longest - 1000..=longest).chain(0..1000) {
                let arc = diameter * (f64::from(chord) / diameter).asin();
                let off = f64::from(arc_over(inverse, chord)) - arc;
                assert!(off.abs() < 0.85, "{chord} of {diameter}: {off}");
            }
        }
    }

    fn lon_lat(cities: u64, [west, south]: [f64; 2], [wide, high]: [f64; 2]) -> Vec<[f64; 2]> {
        (0..cities).map(|i| [west + wide * scattered(2 * i + 1), south + high * scattered(2 * i + 2)]).collect()
    }

    /// The worst difference from the instance's distances, of pairs near and far, and what is said of it.
    fn worst(instance: &Instance) -> (f64, f64, Rounding) {
        let WholeCoordinates { places, rounding, error, .. } = instance.whole_coordinates().expect("it has places");
        let n = instance.len();
        let off = |a: usize, b: usize| {
            let here = rounded(rounding, places[a], places[b]);
            assert_eq!(here, rounded(rounding, places[b], places[a]));
            f64::from(here.abs_diff(instance.distance(a, b)))
        };
        let near = instance.neighbours(5);
        let pairs = (0..n).flat_map(|a| (1..40).map(move |k| (a, (a + k * k * 37) % n)));
        let pairs =
            pairs.chain((0..n).flat_map(|a| near.row(a).iter().map(move |&b| (a, b as usize)))).filter(|(a, b)| a != b);
        (pairs.map(|(a, b)| off(a, b)).fold(0.0, f64::max), error, rounding)
    }

    #[test]
    fn distances_in_space_are_as_near_as_is_said() {
        let plane = |side: f64| -> Vec<DVec2> {
            (0..6000).map(|i| DVec2::new(scattered(2 * i + 1), scattered(2 * i + 2)) * side).collect()
        };
        let cube = |side: f64| -> Vec<DVec3> {
            (0..6000)
                .map(|i| DVec3::new(scattered(3 * i + 1), scattered(3 * i + 2), scattered(3 * i + 3)) * side)
                .collect()
        };
        let world = lon_lat(6000, [-180.0, -90.0], [360.0, 180.0]);
        let degrees: Vec<DVec2> =
            world.iter().map(|&[lon, lat]| DVec2::new(lat.trunc(), lon.trunc()) * 0.99).map(|p| p.trunc()).collect();
        let poles: Vec<[f64; 2]> = lon_lat(6000, [-180.0, 60.0], [360.0, 30.0])
            .into_iter()
            .enumerate()
            .map(|(i, [lon, lat])| [lon, if i % 2 == 0 { lat } else { -lat }])
            .collect();
        let list = [
            ("world", Instance::from_lon_lat(&world)),
            ("poles", Instance::from_lon_lat(&poles)),
            ("country", Instance::from_lon_lat(&lon_lat(6000, [5.0, 47.0], [10.0, 8.0]))),
            ("town", Instance::from_lon_lat(&lon_lat(6000, [179.9, -33.0], [0.1, 0.1]))),
            ("quarter", Instance::from_lon_lat(&lon_lat(6000, [0.0, -20.0], [85.0, 40.0]))),
            ("continent", Instance::from_lon_lat(&lon_lat(6000, [-10.0, -15.0], [60.0, 30.0]))),
            ("place", Instance::from_lon_lat(&[[7.0, 50.0]; 6000])),
            ("geo", Instance::from_coords("geo", Metric::Geo, &degrees)),
            ("att", Instance::from_coords("att", Metric::Att, &plane(20_000.0))),
            ("far att", Instance::from_coords("far att", Metric::Att, &plane(9e6))),
            ("plane", Instance::from_coords("plane", Metric::Euc2d, &plane(5e7))),
            ("ceiling", Instance::from_coords("ceiling", Metric::Ceil2d, &plane(5e4))),
            ("cube", Instance::from_coords_3d("cube", &cube(3000.0))),
            ("far cube", Instance::from_coords_3d("far cube", &cube(9e6))),
        ];
        for (name, instance) in list {
            let (off, error, rounding) = worst(&instance.unwrap());
            assert!(off <= error, "{name}: {off} of {error}");
            // The bound is no mere fear: it holds with a few times of what is seen.
            assert!(error < 4.0 * off + 2.2, "{name}: {off} of {error}");
            let Rounding::Space(Space { sphere, .. }) = rounding else { panic!("{name}: {rounding:?}") };
            assert_eq!(
                sphere.is_some_and(|sphere| sphere.half_way > 0),
                ["world", "poles", "quarter", "geo"].contains(&name),
                "{name}"
            );
        }
    }

    #[test]
    fn whole_places_in_space_are_exact_however_few() {
        let most = f64::from((1 << 21) - 2);
        let mut places: Vec<DVec3> = (0..300)
            .map(|i| (DVec3::new(scattered(3 * i + 1), scattered(3 * i + 2), scattered(3 * i + 3)) * most).round())
            .collect();
        places.extend([DVec3::ZERO, DVec3::splat(most)]);
        let instance = Instance::from_coords_3d("whole", &places).unwrap();
        let WholeCoordinates { places, rounding, exact, error } = instance.whole_coordinates().unwrap();
        assert!(exact && error == 0.0);
        for a in 0..places.len() {
            for b in 0..places.len() {
                assert_eq!(rounded(rounding, places[a], places[b]), instance.distance(a, b));
            }
        }
        // Near ones are for many cities.
        assert!(
            Instance::from_lon_lat(&lon_lat(5792, [5.0, 47.0], [10.0, 8.0])).unwrap().whole_coordinates().is_none()
        );
    }

    #[test]
    fn constants_are_read_as_they_are_written() {
        let sphere = Some(Sphere { inverse: 7, half_way: 9, centre: [-5, 6, -7] });
        for space in [Space { power: -3, add: 1, sphere }, Space { power: 4, add: 8, sphere: None }] {
            assert_eq!(of_constants(&constants(space)), space);
        }
    }
}
