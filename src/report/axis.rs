//! The axes of plots.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::prelude::Ranged;

/// Seconds that an axis can begin at.
const EARLIEST: f64 = 1e-3;

/// An axis of a plot.
#[derive(Clone, Debug)]
pub enum Axis {
    /// From the least to the largest value, with lines so far apart.
    Linear { least: f64, most: f64, step: f64 },
    /// The same of logarithms to base 10; less than the least stands where that stands.
    Logarithmic { least: f64, most: f64, has_zero: bool },
}

impl Axis {
    /// Of costs.
    pub fn linear(values: impl Iterator<Item = f64>) -> Self {
        let (least, most) = extent(values);
        // Values that are all the same stand in the middle.
        let (least, most) = if most > least { (least, most) } else { (least - 1.0, most + 1.0) };
        let rough = (most - least) / 6.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0].map(|it| it * power).into_iter().find(|step| *step >= rough).unwrap_or(10.0 * power);
        Self::Linear { least: (least / step).floor() * step, most, step }
    }

    /// Of seconds.
    pub fn times(values: impl Iterator<Item = f64>) -> Self {
        let (least, most) = extent(values.map(|seconds| seconds.max(EARLIEST).log10()));
        Self::Logarithmic { least, most: most.max(least + 0.1), has_zero: false }
    }

    /// Of percents. Where some are 0 its lowest line, a decade below the least of the others, stands for it.
    pub fn gaps(values: impl Iterator<Item = f64> + Clone) -> Self {
        let has_zero = values.clone().any(|value| value <= 0.0);
        let (least, most) = extent(values.filter(|value| *value > 0.0).map(f64::log10));
        // Where all are 0 the line above is 1%.
        let (least, most) = if least.is_finite() { (least.floor(), most) } else { (0.0, 0.0) };
        Self::Logarithmic { least: if has_zero { least - 1.0 } else { least }, most: most.max(least + 0.5), has_zero }
    }

    /// Where a value stands between the ends of [`Axis::range`].
    fn place(&self, value: f64) -> f64 {
        match self {
            Self::Linear { .. } => value,
            Self::Logarithmic { least, .. } => value.max(f64::MIN_POSITIVE).log10().max(*least),
        }
    }

    /// The values at its lines.
    fn lines(&self) -> Vec<f64> {
        match *self {
            Self::Linear { least, most, step } => {
                let count = ((most - least) / step).floor() as i32;
                (0..=count).map(|line| least + f64::from(line) * step).collect()
            }
            Self::Logarithmic { least, most, has_zero } => {
                let each: &[f64] = if most - least > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
                let lowest = if has_zero { least + 1.0 } else { least } - 1e-9;
                let decades = least.floor() as i32..=most.ceil() as i32;
                let lines = decades.flat_map(|power| each.iter().map(move |it| it * 10f64.powi(power)));
                let lines = lines.filter(|line| (lowest..=most).contains(&line.log10()));
                has_zero.then_some(0.0).into_iter().chain(lines).collect()
            }
        }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let (Self::Linear { least, most, .. } | Self::Logarithmic { least, most, .. }) = self;
        from + (f64::from(to - from) * (self.place(*value) - least) / (most - least)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.lines()
    }

    fn range(&self) -> Range<f64> {
        match *self {
            Self::Linear { least, most, .. } => least..most,
            Self::Logarithmic { least, most, has_zero } => {
                let lowest = if has_zero { 0.0 } else { 10f64.powf(least) };
                lowest..10f64.powf(most)
            }
        }
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let unit = match self {
            Self::Linear { step, .. } => *step,
            Self::Logarithmic { .. } if *value <= 0.0 => return "0".into(),
            Self::Logarithmic { .. } => *value,
        };
        let decimals = (-(unit.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize;
        format!("{value:.decimals$}")
    }
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.lines().iter().map(|line| axis.format_ext(line)).collect()
    }

    #[test]
    fn lines_stand_at_round_values() {
        assert_eq!(labels(&Axis::linear([101.5, 120.0].into_iter())), ["100", "105", "110", "115", "120"]);
        assert_eq!(labels(&Axis::linear([0.01, 0.032].into_iter())), ["0.010", "0.015", "0.020", "0.025", "0.030"]);
        assert_eq!(labels(&Axis::times([0.03, 4.0].into_iter())), ["0.05", "0.1", "0.2", "0.5", "1", "2"]);
        assert_eq!(labels(&Axis::times([0.0, 40.0].into_iter())), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&Axis::gaps([12.0, 0.02, 0.0].into_iter())), ["0", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&Axis::gaps([0.0].into_iter())), ["0", "1", "2"]);
    }

    #[test]
    fn values_stand_in_proportion() {
        let times = Axis::times([0.01, 100.0].into_iter());
        assert_eq!([0.0, 0.01, 1.0, 100.0].map(|value| times.map(&value, (100, 500))), [100, 100, 300, 500]);
        let gaps = Axis::gaps([10.0, 0.01, 0.0].into_iter());
        assert_eq!([-1.0, 0.0, 0.01, 0.1, 10.0].map(|value| gaps.map(&value, (400, 0))), [400, 400, 300, 200, 0]);
    }
}
