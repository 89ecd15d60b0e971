//! Places in space for devices: three whole numbers of 21 bits a city, counted in a power of two of the unit, so that a box around all cities
//! is used. Cities of the globe are points of a sphere, whose distances are chords with a correction.

use std::borrow::Cow;

use glam::DVec3;
use rayon::prelude::*;

use super::instance::Instance;
use super::metric::{GEO_RADIUS, Metric};
use crate::instance::share;
use crate::wgsl::constant;

/// Bits of a coordinate.
const AXIS_BITS: u32 = constant!("shared/space", "AXIS_BITS");
/// The first of two words has all of x and the upper bits of z, and no sign; the second one y and the others.
const LOWER_BITS: u32 = 32 - AXIS_BITS;
/// Powers of two of parts in a unit: finer ones would show nowhere; with coarser ones distances were longer than windows take.
const POWERS: std::ops::RangeInclusive<i32> = -7..=8;
/// The sphere's diameter in parts is at least this, so that its inverse fits in a word.
const LEAST_DIAMETER: f64 = (1u64 << 20) as f64;
/// `Sphere::inverse` is this over the diameter.
const INVERSE_UNIT: f64 = (1u64 << 51) as f64;
/// No two places of a sphere in a box whose diagonal is less than so many radii are more than a quarter of a circle apart.
const QUARTER: f64 = 1.41;
/// By how many parts a distance is off at most: places by half a part along each of three axes at both ends, its root by half of one; an
/// arc changes by up to 1.42 times as much, its series and its rounding add less than one; farther than a quarter of a circle the centre of
/// the sphere is off, too.
const OFF: f64 = 2.25;
const OFF_ALONG: f64 = 4.2;
const OFF_AROUND: f64 = 6.5;

/// How distances come from places in space ([`super::Rounding::Space`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Space {
    /// Places are counted in 2 to the power of minus this of the unit.
    pub power: i32,
    /// What is added to a distance before its parts are cut off: half a unit rounds it to the nearest.
    pub add: u32,
    /// The sphere on which all places lie, along which distances are measured.
    pub sphere: Option<Sphere>,
}

/// A sphere, in the parts in which places are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Sphere {
    /// 2⁵¹ over its diameter.
    pub inverse: u32,
    /// Half of its circumference; 0 where no two places are more than a quarter of a circle apart.
    pub half_way: u32,
    /// Twice the place of its centre, where some are.
    pub centre: [i32; 3],
}

/// How the places of an instance are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The corner from which they are.
    low: DVec3,
    space: Space,
    exact: bool,
}

impl Frame {
    /// That of a box around all cities; `None` for a matrix, for metrics that space does not have, and for cities that span too much.
    pub fn of(instance: &Instance) -> Option<Self> {
        let metric = instance.metric();
        let places = in_unit(instance)?;
        let low = places.iter().copied().reduce(DVec3::min)?;
        let size = places.iter().copied().reduce(DVec3::max)? - low;
        let fits = |power: i32| size.max_element() * parts(power) + 1.0 < f64::from(1 << AXIS_BITS);
        // On one thread, as `Instance::counting`.
        let whole = |p: &DVec3| p.to_array().iter().all(|x| x.fract() == 0.0);
        let exact = metric == Metric::Euc3d && fits(0) && places.iter().all(whole);
        let power = if exact { 0 } else { POWERS.rev().find(|power| fits(*power))? };
        let unit = 1u32 << power.max(0);
        let add = match metric {
            Metric::Geo => unit,
            Metric::Att | Metric::Ceil2d => unit - 1,
            _ => unit / 2,
        };
        let sphere = match metric {
            Metric::Geo => Some(GEO_RADIUS),
            Metric::Haversine => Some(places[0].length()),
            _ => None,
        };
        let sphere = match sphere {
            Some(radius) => Some(Sphere::of(radius * parts(power), low * parts(power), size * parts(power))?),
            None => None,
        };
        Some(Self { low, space: Space { power, add, sphere }, exact })
    }

    pub fn space(&self) -> Space {
        self.space
    }

    /// Whether distances are always those of the instance.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// By how much they may differ from those.
    pub fn error(&self) -> f64 {
        let off = match self.space.sphere {
            _ if self.exact => return 0.0,
            None => OFF,
            Some(Sphere { half_way: 0, .. }) => OFF_ALONG,
            Some(_) => OFF_AROUND,
        };
        // Both are rounded to the unit.
        off / parts(self.space.power) + 1.0
    }

    /// The places of all cities, in two words each.
    pub fn places(&self, instance: &Instance) -> Vec<[i32; 2]> {
        let parts = parts(self.space.power);
        let most = f64::from((1 << AXIS_BITS) - 1);
        let place = |p: &DVec3| {
            // Cities of a window lie in the box of the whole.
            let [x, y, z] = ((*p - self.low) * parts).round().to_array().map(|x| x.clamp(0.0, most) as u32);
            let words = [x | (z >> LOWER_BITS) << AXIS_BITS, y | (z & ((1 << LOWER_BITS) - 1)) << AXIS_BITS];
            words.map(u32::cast_signed)
        };
        in_unit(instance).unwrap_or_default().par_iter().with_min_len(share::ENTRIES).map(place).collect()
    }
}

impl Sphere {
    /// Around the origin, with a box of places from `low` on, all in parts.
    fn of(radius: f64, low: DVec3, size: DVec3) -> Option<Self> {
        let diameter = 2.0 * radius;
        if diameter < LEAST_DIAMETER {
            return None;
        }
        let inverse = (INVERSE_UNIT / diameter).round() as u32;
        if size.length() < QUARTER * radius {
            return Some(Self { inverse, ..Self::default() });
        }
        let half_way = (std::f64::consts::PI * radius).round() as u32;
        let centre = (low * -2.0).round().to_array().map(|coordinate| coordinate as i32);
        Some(Self { inverse, half_way, centre })
    }
}

/// Parts in a unit.
fn parts(power: i32) -> f64 {
    let whole = f64::from(1u32 << power.unsigned_abs());
    if power < 0 { 1.0 / whole } else { whole }
}

/// Places in the unit of distances, so that these are Euclidean, or go along a sphere around the origin.
fn in_unit(instance: &Instance) -> Option<Cow<'_, [DVec3]>> {
    let spots = instance.coords();
    match instance.metric() {
        Metric::Euc2d | Metric::Ceil2d | Metric::Euc3d | Metric::Haversine => Some(spots.into()),
        Metric::Att => Some(spots.iter().map(|p| *p / 10f64.sqrt()).collect::<Vec<_>>().into()),
        Metric::Geo => Some(instance.tree_places().iter().map(|p| *p * GEO_RADIUS).collect::<Vec<_>>().into()),
        Metric::Man2d | Metric::Max2d | Metric::Explicit => None,
    }
}
