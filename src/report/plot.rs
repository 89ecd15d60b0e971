//! What runs gained over time as a plot.

use std::io::{self, Write};

use plotters::prelude::*;

use super::axis::Axis;
use crate::run::TracePoint;

const WIDTH: u32 = 960;
const HEIGHT: u32 = 600;
/// The most curves that are told apart by a legend.
const MOST_NAMED: usize = 12;
const COLOURS: [RGBColor; 6] = [
    RGBColor(0x7a, 0x3b, 0x1d),
    RGBColor(0x1f, 0x6f, 0x8b),
    RGBColor(0xe0, 0x9f, 0x1f),
    RGBColor(0x4c, 0x7a, 0x34),
    RGBColor(0x8a, 0x3a, 0x7d),
    RGBColor(0x55, 0x55, 0x55),
];

/// What a plot measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Costs or lengths, on a linear axis.
    Cost,
    /// Percent above an optimum, on a logarithmic axis; its lowest line is 0.
    Gap,
}

/// The gains of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What the legend calls it.
    pub name: String,
    /// Seconds and value of each gain, in order.
    pub gains: Vec<[f64; 2]>,
    /// Seconds at the end of the run.
    pub end: f64,
}

impl Curve {
    /// The gains of a trace, each cost through `value`; the run ended after `end` seconds.
    pub fn of(name: String, trace: &[TracePoint], end: f64, value: impl Fn(u64) -> f64) -> Self {
        let mut least = None;
        let mut gains = Vec::new();
        for point in trace {
            if least.is_none_or(|least| point.cost < least) {
                least = Some(point.cost);
                gains.push([point.seconds, value(point.cost)]);
            }
        }
        Self { name, gains, end }
    }
}

/// Writes a plot of the curves of one or more runs as SVG, titled `title`. The axis of seconds is logarithmic. A value holds until the
/// next gain, so that curves are stairs.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] where no curve has a gain, and what the writer reports.
pub fn write_plot(writer: &mut impl Write, title: &str, measure: Measure, curves: &[Curve]) -> io::Result<()> {
    let values = || curves.iter().flat_map(|curve| curve.gains.iter().map(|gain| gain[1]));
    if values().next().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no gain to plot"));
    }
    let ends = curves.iter().flat_map(|curve| curve.gains.iter().map(|gain| gain[0]).chain([curve.end]));
    let time = Axis::times(ends);
    let height = match measure {
        Measure::Cost => Axis::linear(values()),
        Measure::Gap => Axis::gaps(values()),
    };
    let mut svg = String::new();
    draw(&mut svg, title, measure, curves, (time, height)).map_err(|error| io::Error::other(error.to_string()))?;
    writer.write_all(svg.as_bytes())
}

fn draw(
    svg: &mut String,
    title: &str,
    measure: Measure,
    curves: &[Curve],
    (time, height): (Axis, Axis),
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let root = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
    root.fill(&RGBColor(0xfd, 0xfc, 0xf8))?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(92)
        .build_cartesian_2d(time, height)?;
    chart
        .configure_mesh()
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .light_line_style(TRANSPARENT)
        .x_desc("seconds")
        .y_desc(match measure {
            Measure::Cost => "cost",
            Measure::Gap => "percent above the optimum",
        })
        .draw()?;
    for (curve, colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let mut points: Vec<(f64, f64)> = Vec::with_capacity(2 * curve.gains.len());
        for &[seconds, value] in &curve.gains {
            points.extend(points.last().map(|(_, before)| (seconds, *before)));
            points.push((seconds, value));
        }
        points.extend(points.last().map(|(_, last)| (curve.end, *last)));
        let drawn = chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
        if (2..=MOST_NAMED).contains(&curves.len()) {
            let line = |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2));
            drawn.label(&curve.name).legend(line);
        }
    }
    if (2..=MOST_NAMED).contains(&curves.len()) {
        let legend = &mut chart.configure_series_labels();
        legend.position(SeriesLabelPosition::LowerLeft).label_font(("sans-serif", 14));
        legend.background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3)).draw()?;
    }
    root.present()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, gains: &[[f64; 2]]) -> Curve {
        Curve { name: name.into(), gains: gains.to_vec(), end: 5.0 }
    }

    fn plot(title: &str, measure: Measure, curves: &[Curve]) -> String {
        let mut svg = Vec::new();
        write_plot(&mut svg, title, measure, curves).unwrap();
        String::from_utf8(svg).unwrap()
    }

    /// The points of each curve.
    fn points(svg: &str) -> Vec<usize> {
        let lines = svg.split("<polyline ").skip(1).filter(|line| line.contains("stroke-width=\"2\""));
        let points = lines.filter_map(|line| line.split("points=\"").nth(1)?.split('"').next());
        points.map(|points| points.split_whitespace().count()).filter(|count| *count > 2).collect()
    }

    #[test]
    fn a_gain_is_a_step_of_the_stairs() {
        let gains = [[0.01, 120.0], [0.1, 110.0], [2.0, 101.5]];
        let svg = plot("a < b", Measure::Cost, &[curve("seed 1", &gains)]);
        assert_eq!(points(&svg), [6]);
        for text in ["a &lt; b", "seconds", "cost", "0.1", "105"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(!svg.contains("seed 1") && !svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn several_runs_have_a_legend_and_gaps_reach_zero() {
        let runs =
            [curve("seed 1", &[[0.01, 12.0], [0.1, 0.02]]), curve("seed 2", &[[0.02, 12.0], [0.3, 1.0], [1.0, 0.0]])];
        let svg = plot("pr1002", Measure::Gap, &runs);
        assert_eq!(points(&svg), [4, 6]);
        let texts: Vec<&str> = svg.lines().map(str::trim).collect();
        for text in ["seed 1", "seed 2", "0", "0.01", "0.1", "1", "10", "percent above the optimum"] {
            assert!(texts.contains(&text), "{text}: {svg}");
        }
    }

    #[test]
    fn axes_hold_whatever_comes() {
        for gains in [&[[0.0, 5.0]] as &[_], &[[0.0, -3.0], [1e9, -3e12]], &[[1e-9, 1e-9]], &[[5.0, 0.0]]] {
            for measure in [Measure::Cost, Measure::Gap] {
                let svg = plot("", measure, &[curve("", gains)]);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{gains:?}: {svg}");
                assert!(svg.matches("<text").count() > 3, "{gains:?}: {svg}");
            }
        }
        assert!(write_plot(&mut Vec::new(), "", Measure::Cost, &[curve("", &[])]).is_err());
    }

    #[test]
    fn traces_become_gains() {
        let point =
            |seconds, cost, shared_edges| TracePoint { seconds, iteration: 0, cost, length: None, shared_edges };
        let trace = [point(0.1, 9, None), point(0.2, 9, Some(0.5)), point(0.3, 7, None)];
        let curve = Curve::of("run".into(), &trace, 1.0, |cost| cost as f64 * 2.0);
        assert_eq!(curve.gains, [[0.1, 18.0], [0.3, 14.0]]);
    }
}
