//! An SVG picture as PNG.

use std::io::{self, Write};
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

/// Pixels of the longer side.
const SIDE: f32 = 2000.0;

/// Latin, Greek and Cyrillic letters of DejaVu Sans, so that pictures need no font of the machine's.
const FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");
const FAMILY: &str = "DejaVu Sans";

/// Writes an SVG picture as PNG; its longer side has 2,000 pixels. Letters come from a font of the crate's own, which has those of Latin,
/// Greek and Cyrillic scripts.
///
/// # Errors
/// For text that is no SVG, and what the writer reports.
pub fn write_png(writer: &mut impl Write, svg: &str) -> io::Result<()> {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    let options = Options { font_family: FAMILY.into(), fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(io::Error::other)?;
    let size = tree.size();
    let scale = SIDE / size.width().max(size.height());
    let pixels = |side: f32| (side * scale).round().max(1.0) as u32;
    let pixmap = Pixmap::new(pixels(size.width()), pixels(size.height()));
    let mut pixmap = pixmap.ok_or_else(|| io::Error::other("there is no memory for the picture"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    writer.write_all(&pixmap.encode_png().map_err(io::Error::other)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(svg: &str) -> Pixmap {
        let mut png = Vec::new();
        write_png(&mut png, svg).unwrap();
        Pixmap::decode_png(&png).unwrap()
    }

    #[test]
    fn a_picture_has_the_svgs_shape_and_colours() {
        let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10" width="40" height="10">
            <rect width="100%" height="100%" fill="#ffffff"/><rect width="20" height="10" fill="#ff0000"/></svg>"##;
        let pixmap = picture(svg);
        assert_eq!((pixmap.width(), pixmap.height()), (2000, 500));
        let colour = |x, y| pixmap.pixel(x, y).map(|it| (it.red(), it.green(), it.blue(), it.alpha()));
        assert_eq!((colour(500, 250), colour(1500, 250)), (Some((255, 0, 0, 255)), Some((255, 255, 255, 255))));
    }

    /// Each script's letters leave ink; those that the font lacks would leave none, or the same box.
    #[test]
    fn letters_need_no_font_of_the_machine() {
        let ink = |text: &str| {
            let svg = format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="100" height="20"><text x="5" y="15" font-family="sans-serif">{text}</text></svg>"#
            );
            picture(&svg).data().to_vec()
        };
        let drawn: Vec<_> = ["0", "8", "Aé", "Ωμ", "Жи"].into_iter().map(ink).collect();
        let blank = ink("");
        for (at, one) in drawn.iter().enumerate() {
            assert!(*one != blank && drawn[..at].iter().all(|other| other != one), "text {at}");
        }
    }

    #[test]
    fn what_is_no_svg_is_an_error() {
        for text in ["", "<svg", "<p>text</p>"] {
            assert!(write_png(&mut Vec::new(), text).is_err(), "{text}");
        }
    }
}
