//! The text of instance and solution files: lines and numbers, with the place of each for error messages.

use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use flate2::read::MultiGzDecoder;
use rayon::prelude::*;

use crate::error::{Error, Result};

/// The most bytes that a file may hold, as it is and decompressed.
const MOST_BYTES: u64 = 1 << 32;

/// Bytes of a file that are looked at for what no text holds.
const BEGINNING: usize = 1 << 16;

/// How compressed files begin.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// A file's text, decompressed if need be, and its name for messages.
pub(crate) fn read_text(path: &Path) -> Result<(String, String)> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|error| Error::io(path, error))?;
    Ok((decode_from(file, &name)?, name))
}

/// The text of a file or a pipe as [`decode`] gives it. It is read to an end, 4 GiB at most, unless it begins with what is no text.
///
/// # Errors
/// [`Error::Io`] with the name `file` where the reader fails, and [`Error::Parse`] as [`decode`], also for more than 4 GiB.
pub fn decode_from(reader: impl Read, file: &str) -> Result<String> {
    let bytes = read_bytes(reader, file, MOST_BYTES, |error| Error::io(file, error))?;
    decode(bytes, file)
}

/// All bytes of a reader, `most` at most; its beginning tells first what is no text.
fn read_bytes(mut reader: impl Read, file: &str, most: u64, failed: impl Fn(io::Error) -> Error) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.by_ref().take(BEGINNING as u64).read_to_end(&mut bytes).map_err(&failed)?;
    if !bytes.starts_with(&GZIP)
        && !is_utf_16(&bytes)
        && let Some(message) = other(&bytes)
    {
        return Err(Error::parse(file, 1, message));
    }
    reader.take((most + 1).saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(Error::parse(file, 1, format!("more than {most} bytes, which is the most that a file may hold")));
    }
    Ok(bytes)
}

/// The text of a file that was read elsewhere, as readers of files take it: decompressed where it is compressed by gzip, UTF-16 where it begins
/// with that one's mark, taken for Windows-1252 where it is not UTF-8, and without a mark of that one; where no line ends in LF but some in CR
/// these are line ends; `file` names it in errors.
///
/// # Errors
/// [`Error::Parse`] for what begins as gzip and is damaged, or holds more than 4 GiB, for zip archives, web pages, XML, PDF and what is no text.
pub fn decode(bytes: Vec<u8>, file: &str) -> Result<String> {
    let bytes = if bytes.starts_with(&GZIP) { decompress(&bytes, file)? } else { bytes };
    if let Some(text) = utf_16(&bytes) {
        return Ok(in_lines(text));
    }
    if let Some(message) = other(&bytes) {
        return Err(Error::parse(file, 1, message));
    }
    let mut text = String::from_utf8(bytes).unwrap_or_else(|error| windows_1252(error.as_bytes()));
    // It is no part of the text (as [`without_mark`] has it), which is not copied for that.
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(in_lines(text))
}

/// A text whose lines end as they do here, also one of old spreadsheets, whose lines end in CR alone.
fn in_lines(text: String) -> String {
    if text.contains('\n') || !text.contains('\r') { text } else { text.replace('\r', "\n") }
}

/// What a file is that no reader of instances or solutions knows, and what to do.
fn other(bytes: &[u8]) -> Option<&'static str> {
    const MARKED: [(&[u8], &str); 5] = [
        (b"PK\x03\x04", "this is a zip archive, as spreadsheets are kept in: unpack it, or save the table as CSV"),
        (b"%PDF", "this is a PDF: save the table in it as CSV"),
        (b"<!doctype html", "this is a web page, which servers send in place of a file, too: fetch the file itself"),
        (b"<html", "this is a web page, which servers send in place of a file, too: fetch the file itself"),
        (b"<?xml", "this is XML (GPX, KML), which is not read: save the points as CSV or GeoJSON"),
    ];
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let begins = |mark: &[u8]| start.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    let marked = MARKED.iter().find(|(mark, _)| begins(mark)).map(|(_, message)| *message);
    let is_text = !bytes.iter().take(BEGINNING).any(|&byte| byte == 0);
    marked.or((!is_text).then_some("this is no text: give a table (CSV), JSON, or a TSPLIB or QAPLIB file"))
}

/// Whether bytes begin with a byte order mark of UTF-16, whose texts have bytes of 0.
fn is_utf_16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}

/// The text that follows a byte order mark of UTF-16, which spreadsheets write as "Unicode text".
fn utf_16(bytes: &[u8]) -> Option<String> {
    let (words, _) = bytes.get(2..)?.as_chunks::<2>();
    let words: Vec<u16> = match bytes[..2] {
        [0xFF, 0xFE] => words.iter().map(|word| u16::from_le_bytes(*word)).collect(),
        [0xFE, 0xFF] => words.iter().map(|word| u16::from_be_bytes(*word)).collect(),
        _ => return None,
    };
    Some(String::from_utf16_lossy(&words))
}

/// What is not UTF-8 is taken for Windows-1252, which older spreadsheets write and which has Latin-1 (WHATWG Encoding Standard, section 9).
fn windows_1252(bytes: &[u8]) -> String {
    const FROM_0X80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
    ];
    bytes
        .iter()
        .map(|&byte| if (0x80..0xA0).contains(&byte) { FROM_0X80[usize::from(byte) - 0x80] } else { byte.into() })
        .collect()
}

fn decompress(bytes: &[u8], file: &str) -> Result<Vec<u8>> {
    let damaged = |error| Error::parse(file, 1, format!("damaged gzip: {error}"));
    read_bytes(MultiGzDecoder::new(bytes), file, MOST_BYTES, damaged)
}

/// A text without the mark of UTF-8, which some editors and shells write before it.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The name of a file without the ending that a compressed one has, in any case.
pub(crate) fn unpacked(file: &str) -> &str {
    let at = file.len().saturating_sub(".gz".len());
    if file.get(at..).is_some_and(|ending| ending.eq_ignore_ascii_case(".gz")) { &file[..at] } else { file }
}

/// The name of a file without folder and endings such as `.tsp` and `.csv.gz`.
pub(crate) fn stem(file: &str) -> String {
    let path = Path::new(unpacked(file));
    path.file_stem().map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// What stands in a file, in quotes, cut to a length that fits in a message.
pub(crate) fn quote(text: &str) -> String {
    let text = text.trim();
    let shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().count() > 40 { format!("'{shown}...'") } else { format!("'{shown}'") }
}

/// An instance's name as it may stand in a line of a terminal, of a tour file and of a drawing: control characters and marks that turn
/// the direction of writing are replaced, breaks of lines and tabs by blanks.
pub(crate) fn clean(name: &str) -> String {
    let turns =
        |c: char| matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let blank = |c: char| matches!(c, '\n' | '\r' | '\t');
    name.chars()
        .map(|c| {
            if blank(c) {
                ' '
            } else if c.is_control() || turns(c) || c == '\u{2028}' || c == '\u{2029}' {
                '\u{FFFD}'
            } else {
                c
            }
        })
        .collect()
}

/// Bytes of a section that one processor reads at a time.
const PIECE: usize = 1 << 20;

/// The lines of a text that are not blank, trimmed, each with its number.
pub(crate) struct Lines<'a> {
    rest: &'a str,
    file: &'a str,
    number: usize,
    put_back: Option<&'a str>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str, file: &'a str) -> Self {
        let text = without_mark(text);
        Self { rest: text, file, number: 0, put_back: None }
    }

    pub(crate) fn next(&mut self) -> Option<&'a str> {
        if let Some(line) = self.put_back.take() {
            return Some(line);
        }
        while !self.rest.is_empty() {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            (self.rest, self.number) = (rest, self.number + 1);
            let line = line.trim();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }

    /// Whether there is no line left.
    pub(crate) fn is_empty(&mut self) -> bool {
        let line = self.next();
        self.put_back = line;
        line.is_none()
    }

    /// The next line if it continues a section of numbers; keywords stay for the next call of [`Lines::next`].
    pub(crate) fn next_data(&mut self) -> Option<&'a str> {
        let line = self.next()?;
        if is_keyword(line) {
            self.put_back = Some(line);
            return None;
        }
        Some(line)
    }

    /// The lines of a section of numbers up to a keyword, which stays for the next call of [`Lines::next`], or to the one that
    /// ends the section, which is taken; each with its number. All processors read a long one.
    pub(crate) fn section(&mut self, end: Option<&str>) -> Vec<(usize, &'a str)> {
        let mut lines = Vec::new();
        if self.put_back.is_some() || self.rest.len() < 2 * PIECE {
            self.take_section(end, &mut lines);
            return lines;
        }
        let read = |piece: &'a str| {
            let (mut own, mut lines) = (Self { rest: piece, file: self.file, number: 0, put_back: None }, Vec::new());
            let ended = own.take_section(end, &mut lines);
            (piece, own, lines, ended)
        };
        let pieces: Vec<_> = pieces(self.rest).into_par_iter().map(read).collect();
        let (mut before, mut taken) = (self.number, 0);
        for (piece, own, own_lines, ended) in pieces {
            lines.extend(own_lines.into_iter().map(|(number, line)| (before + number, line)));
            (before, taken) = (before + own.number, taken + piece.len() - own.rest.len());
            if ended {
                self.put_back = own.put_back;
                break;
            }
        }
        (self.rest, self.number) = (&self.rest[taken..], before);
        lines
    }

    /// Whether the section has ended before the text.
    fn take_section(&mut self, end: Option<&str>, lines: &mut Vec<(usize, &'a str)>) -> bool {
        while let Some(line) = self.next_data() {
            if Some(line) == end {
                return true;
            }
            lines.push((self.number(), line));
        }
        self.put_back.is_some()
    }

    /// The file's name.
    pub(crate) fn file(&self) -> &'a str {
        self.file
    }

    /// The number of the line read last, from 1; 1 for an empty file.
    pub(crate) fn number(&self) -> usize {
        self.number.max(1)
    }

    /// An error at the line read last.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        self.error_at(self.number(), message)
    }

    /// An error at a line.
    pub(crate) fn error_at(&self, line: usize, message: impl Into<String>) -> Error {
        Error::parse(self.file, line, message)
    }

    /// A number of the line read last.
    pub(crate) fn number_in<T: FromStr>(&self, token: &str, what: &str) -> Result<T> {
        self.number_at(self.number(), token, what)
    }

    /// A number of a line.
    pub(crate) fn number_at<T: FromStr>(&self, line: usize, token: &str, what: &str) -> Result<T> {
        token.parse().map_err(|_| self.error_at(line, format!("expected {what}, not {}", quote(token))))
    }
}

/// Whole lines of a text, about [`PIECE`] bytes together.
fn pieces(mut text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while text.len() > PIECE {
        let end =
            text.as_bytes()[PIECE..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| PIECE + at + 1);
        let (piece, rest) = text.split_at(end);
        pieces.push(piece);
        text = rest;
    }
    pieces.push(text);
    pieces
}

/// Parts of a line.
type Split<'a> = std::str::Split<'a, fn(char) -> bool>;

/// The numbers of a text in which line breaks mean nothing, separated by blanks or commas.
pub(crate) struct Numbers<'a> {
    lines: Lines<'a>,
    rest: Split<'a>,
    /// A token that was looked at and not taken.
    again: Option<&'a str>,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(text: &'a str, file: &'a str) -> Self {
        Self { lines: Lines::new(text, file), rest: split(""), again: None }
    }

    fn token(&mut self) -> Option<&'a str> {
        if let Some(token) = self.again.take() {
            return Some(token);
        }
        loop {
            if let Some(token) = self.rest.by_ref().find(|token| !token.is_empty()) {
                return Some(token);
            }
            self.rest = split(self.lines.next()?);
        }
    }

    /// The next number; `what` says in errors what it stands for.
    pub(crate) fn next<T: FromStr>(&mut self, what: &str) -> Result<T> {
        self.next_with("", || what.to_owned())
    }

    /// The same, with words that are made only for an error, and what kind of number it has to be.
    pub(crate) fn next_with<T: FromStr>(&mut self, kind: &str, what: impl Fn() -> String) -> Result<T> {
        match self.token() {
            Some(token) => match token.parse() {
                Ok(number) => Ok(number),
                Err(_) => self.lines.number_in(token, &format!("{}{kind}", what())),
            },
            None => Err(self.error(format!("the file ends before {}", what()))),
        }
    }

    /// Whether another number follows.
    pub(crate) fn more(&mut self) -> bool {
        match self.token() {
            Some(token) => {
                // Back in front of it, on the line where it was found.
                self.again = Some(token);
                true
            }
            None => false,
        }
    }

    /// Makes sure that nothing follows.
    pub(crate) fn end(&mut self, after: &str) -> Result<()> {
        match self.token() {
            Some(token) => Err(self.error(format!("expected nothing more after {after}, not {}", quote(token)))),
            None => Ok(()),
        }
    }

    /// The line of the number read last.
    pub(crate) fn line(&self) -> usize {
        self.lines.number()
    }

    /// An error there.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        self.lines.error(message)
    }
}

/// The numbers of a text as [`Numbers`] separates them.
pub(crate) fn fields(text: &str) -> impl Iterator<Item = &str> {
    split(without_mark(text)).filter(|token| !token.is_empty())
}

fn split(line: &str) -> Split<'_> {
    let separates: fn(char) -> bool = |c| c.is_whitespace() || c == ',';
    line.split(separates)
}

/// Whether a line of a section is a keyword and not data. Data may say `nan` or `inf`, which is told as such.
fn is_keyword(line: &str) -> bool {
    let word = line.split([':', ' ', '\t']).next().unwrap_or_default();
    let number_like = ["nan", "inf", "infinity"].iter().any(|like| word.eq_ignore_ascii_case(like));
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && !number_like
}

#[cfg(test)]
mod tests;
