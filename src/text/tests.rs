//! How texts are decoded, limited and taken apart.

use super::*;

/// A long section is read in pieces, wherever lines and the end of the section lie among them.
#[test]
fn long_sections_are_read_as_short_ones() {
    let rows: String = (0..400_000).map(|row| format!("{row} {}\r\n\n", row % 7)).collect();
    for (cut, end) in
        [(rows.len(), ""), (0, "-1\nEOF\n"), (3_000_000, "-1\n5\nEOF\n"), (3_000_000, "TOUR_SECTION\n1\n-1\n7\n")]
    {
        let cut = rows[..cut].rfind('\n').map_or(0, |at| at + 1);
        let text = format!("NAME: x\n{}{end}{}", &rows[..cut], &rows[cut..]);
        let all = |at_once: bool| {
            let mut lines = Lines::new(&text, "t");
            assert_eq!(lines.next(), Some("NAME: x"));
            let mut section = Vec::new();
            if at_once {
                section = lines.section(Some("-1"));
            } else {
                lines.take_section(Some("-1"), &mut section);
            }
            (section, lines.number(), lines.next(), lines.number(), lines.rest.len())
        };
        assert!(text.len() > 2 * PIECE && all(true) == all(false), "{cut} {end}");
    }
}

#[test]
fn what_is_not_utf_8_is_windows_1252() {
    assert_eq!(decode("Zürich €".into(), "t").unwrap(), "Zürich €");
    assert_eq!(decode("\u{feff}{}\n".into(), "t").unwrap(), "{}\n");
    assert_eq!(decode(b"Z\xFCrich \x80 \x9F".to_vec(), "t").unwrap(), "Zürich € Ÿ");
}

#[test]
fn lines_may_end_in_cr_alone() {
    let wide: Vec<u8> = "\u{feff}a\r1".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(decode(wide, "t").unwrap(), "a\n1");
    for (bytes, text) in [("a,b\r1,2\r", "a,b\n1,2\n"), ("a\rb\r\n1\n", "a\rb\r\n1\n"), ("a", "a")] {
        assert_eq!(decode(bytes.into(), "t").unwrap(), text);
    }
}

#[test]
fn spreadsheets_texts_are_read_and_their_archives_refused() {
    let words = |mark: &[u8], to: fn(u16) -> [u8; 2]| {
        let text: Vec<u8> = "x\ty\nß\t2".encode_utf16().flat_map(to).collect();
        [mark, &text].concat()
    };
    for bytes in [words(&[0xFF, 0xFE], u16::to_le_bytes), words(&[0xFE, 0xFF], u16::to_be_bytes)] {
        assert_eq!(decode(bytes, "t").unwrap(), "x\ty\nß\t2");
    }
    let refused = decode(b"PK\x03\x04rest".to_vec(), "t").unwrap_err().to_string();
    assert_eq!(refused, "t:1: this is a zip archive, as spreadsheets are kept in: unpack it, or save the table as CSV");
}

#[test]
fn what_is_no_text_is_told_as_what_it_is() {
    for (bytes, words) in [
        (&b"%PDF-1.4\n"[..], "this is a PDF"),
        (b"<!DOCTYPE html>\n<html>", "this is a web page"),
        (b"<HTML><body>404</body></HTML>", "this is a web page"),
        (b"\xEF\xBB\xBF\n <!doctype HTML>", "this is a web page"),
        (b"<?xml version=\"1.0\"?><gpx/>", "this is XML"),
        (b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR", "this is no text"),
        (b"\x7FELF\x02\0", "this is no text"),
    ] {
        let told = decode(bytes.to_vec(), "t").unwrap_err().to_string();
        assert!(told.starts_with(&format!("t:1: {words}")), "{told}");
    }
    assert!(decode(b"<5 1\n".to_vec(), "t").is_ok());
}

#[test]
fn lines_count_blanks_and_stop_at_keywords() {
    let mut lines = Lines::new("\u{feff}A\r\n\n  1 2\t\r\nnan\nEOF\n", "f");
    assert_eq!((lines.next(), lines.number()), (Some("A"), 1));
    assert_eq!((lines.next_data(), lines.number()), (Some("1 2"), 3));
    assert_eq!(lines.next_data(), Some("nan"));
    assert_eq!((lines.next_data(), lines.next()), (None, Some("EOF")));
    assert_eq!((lines.next(), lines.number()), (None, 5));
}

#[test]
fn compressed_texts_are_told_by_their_content() {
    let pack = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    assert_eq!(decode(b"plain".to_vec(), "f").unwrap(), "plain");
    // Several pieces after one another are one file.
    assert_eq!(decode([pack("a\nb"), pack("c")].concat(), "f").unwrap(), "a\nbc");
    let mut cut = pack("a long line, and another one");
    cut.truncate(cut.len() - 9);
    assert!(decode(cut, "f").unwrap_err().to_string().starts_with("f:1: damaged gzip"));
    assert_eq!(
        [stem("/a/b.csv.gz"), stem("b.TSP.GZ"), stem("b.tsp"), stem("standard input")],
        ["b", "b", "b", "standard input"]
    );
}

/// What has no end, as `/dev/zero`, is refused without reading on, and so is a long text.
#[test]
fn what_has_no_end_is_refused() {
    /// Counts what is taken from an endless reader.
    struct Endless(io::Repeat, u64);
    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(into)?;
            self.1 += read as u64;
            Ok(read)
        }
    }
    let failed = |error| Error::io("t", error);
    let mut zeros = Endless(io::repeat(0), 0);
    let refused = read_bytes(&mut zeros, "t", 1 << 20, failed).unwrap_err().to_string();
    assert!(refused.starts_with("t:1: this is no text") && zeros.1 <= 2 * BEGINNING as u64, "{refused}, {}", zeros.1);
    let mut letters = Endless(io::repeat(b'y'), 0);
    let refused = read_bytes(&mut letters, "t", 1 << 20, failed).unwrap_err().to_string();
    assert_eq!(refused, "t:1: more than 1048576 bytes, which is the most that a file may hold");
    assert!(letters.1 <= 1 << 21, "{}", letters.1);
    let read = |most: u64| read_bytes(&b"12345678"[..], "t", most, failed).map(|bytes| bytes.len());
    assert_eq!((read(8).unwrap(), read(9).unwrap()), (8, 8));
    assert!(read(7).is_err());
    // A reader that fails is told by its name, and compressed text comes whole.
    assert!(read_text(Path::new("no such file")).unwrap_err().to_string().starts_with("no such file: "));
    assert_eq!(decode_from(&b"\xFF\xFEx\0"[..], "t").unwrap(), "x");
}

#[test]
fn quotes_are_short_and_on_one_line() {
    assert_eq!(quote(" a\nb "), r"'a\nb'");
    assert!(quote(&"x".repeat(100)).len() < 50);
}
