//! A tour as a picture.

use std::io::{self, Write};

use glam::DVec2;

/// Width and height of the drawing area, without its margin.
const SIZE: f64 = 960.0;
const MARGIN: f64 = 20.0;

/// Writes a tour over cities at `layout` as an SVG picture titled `title`; `open`: it is a path that does not lead back.
///
/// # Errors
/// What the writer reports; [`io::ErrorKind::InvalidInput`] for a city that has no place, or a place that is no number.
pub fn write_svg(writer: &mut impl Write, title: &str, layout: &[DVec2], tour: &[u32], open: bool) -> io::Result<()> {
    let invalid = |message: String| Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    if let Some(city) = layout.iter().position(|place| !place.is_finite()) {
        return invalid(format!("city {} cannot be drawn at {}", city + 1, layout[city]));
    }
    if let Some(city) = tour.iter().find(|&&city| city as usize >= layout.len()) {
        return invalid(format!("city {} has no place: there are {}", u64::from(*city) + 1, layout.len()));
    }
    let low = layout.iter().copied().reduce(DVec2::min).unwrap_or_default();
    let high = layout.iter().copied().reduce(DVec2::max).unwrap_or_default();
    let extent = high - low;
    let scale = SIZE / extent.max_element().max(1e-100);
    // SVG counts y downwards, maps count it upwards.
    let at = |p: DVec2| DVec2::new((p.x - low.x) * scale + MARGIN, (high.y - p.y) * scale + MARGIN);
    let size = extent * scale + 2.0 * MARGIN;
    let (width, height) = (size.x.ceil(), size.y.ceil());
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    writeln!(
        writer,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">"#
    )?;
    writeln!(writer, "<title>{title}</title>")?;
    writeln!(writer, r##"<rect width="100%" height="100%" fill="#fdfcf8"/>"##)?;
    let points = |writer: &mut dyn Write| -> io::Result<()> {
        for &city in tour {
            let p = at(layout[city as usize]);
            write!(writer, "{:.1},{:.1} ", p.x, p.y)?;
        }
        Ok(())
    };
    let thickness = (60.0 / (tour.len().max(1) as f64).sqrt()).clamp(0.3, 2.5);
    let shape = if open { r#"<polyline fill="none""# } else { r##"<polygon fill="#e9b44c" fill-opacity="0.25""## };
    write!(writer, r##"{shape} stroke="#7a3b1d" stroke-width="{thickness:.2}""##)?;
    write!(writer, r#" stroke-linejoin="round" points=""#)?;
    points(writer)?;
    writeln!(writer, r#""/>"#)?;
    if tour.len() <= 20_000 {
        writeln!(writer, r##"<g fill="#1b1b1b">"##)?;
        for &p in layout {
            let p = at(p);
            writeln!(writer, r#"<circle cx="{:.1}" cy="{:.1}" r="{thickness:.2}"/>"#, p.x, p.y)?;
        }
        writeln!(writer, "</g>")?;
    }
    writeln!(writer, "</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_city_is_drawn_inside_the_picture() {
        let layout = [DVec2::new(-5.0, 0.0), DVec2::new(10.0, 3.0), DVec2::new(2.0, -9.0)];
        let mut text = Vec::new();
        write_svg(&mut text, "a < b", &layout, &[2, 0, 1], false).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.matches("<circle").count(), 3);
        assert!(text.contains("a &lt; b") && !text.contains("NaN"));
    }

    #[test]
    fn what_has_no_place_is_not_drawn_without_it() {
        let told = |layout: &[DVec2], tour: &[u32]| {
            let mut text = Vec::new();
            let error = write_svg(&mut text, "", layout, tour, false).unwrap_err();
            assert_eq!((error.kind(), text.len()), (io::ErrorKind::InvalidInput, 0));
            error.to_string()
        };
        let nowhere = told(&[DVec2::ONE, DVec2::new(f64::NAN, 2.0)], &[0, 1]);
        assert!(nowhere.starts_with("city 2 cannot be drawn at"), "{nowhere}");
        assert_eq!(told(&[DVec2::ONE; 2], &[0, 1, 2]), "city 3 has no place: there are 2");
    }

    #[test]
    fn coincident_cities_give_a_picture_too() {
        let mut text = Vec::new();
        write_svg(&mut text, "", &[DVec2::ONE; 4], &[0, 1, 2, 3], true).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
        assert!(text.contains("<polyline") && !text.contains("<polygon"));
    }
}
