//! What a text looks like.

use super::reader::is_key;
use crate::instance::delimiter::{between_blanks, count_outside_quotes, delimiter, lines};

/// Forms of instances, as far as a text's beginning and its lines tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// JSON.
    Json,
    /// Lines of fields: points or a matrix.
    Table,
    /// Numbers in another form, as in QAPLIB's files.
    Numbers,
    /// A parameter file of LKH, which names an instance and holds none.
    Parameters,
    /// Anything else, which a TSPLIB file may be.
    Words,
}

/// The lines in which a parameter file names its instance.
const LINES_OF_PARAMETERS: usize = 200;

impl Looks {
    /// What `text` looks like. Numbers in equal lines are a table, unless there are as many as in two square matrices of the size
    /// that the first one tells; so are a number alone and that many lines of two or three, or of as many, or one more.
    pub(crate) fn of(text: &str) -> Self {
        let first = lines(text).next().unwrap_or_default();
        match first.trim_start().chars().next() {
            Some('{' | '[') => return Self::Json,
            None => return Self::Words,
            Some(_) => {}
        }
        let between = delimiter(text);
        let separated = between.is_some();
        if !first.trim_start().starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
            let names_a_file = |line: &str| {
                line.strip_prefix("PROBLEM_FILE").is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
            };
            if lines(text).take(LINES_OF_PARAMETERS).any(names_a_file) {
                return Self::Parameters;
            }
            let keyword = first.split_once(':').map_or(first, |(key, _)| key).trim();
            let is_tsplib = is_key(keyword) && (first.contains(':') || keyword.ends_with("_SECTION"));
            return if !is_tsplib && (separated || equal(text, 1, between) > 1) { Self::Table } else { Self::Words };
        }
        let is_between = |c: char| between.map_or(c.is_whitespace(), |between| c == char::from(between));
        let mut fields = first.split(is_between).map(str::trim).filter(|field| !field.is_empty());
        let size = fields.next().and_then(|field| field.parse::<usize>().ok());
        let two_matrices = size.and_then(|n| n.checked_mul(n)?.checked_mul(2)?.checked_add(1));
        // QAPLIB's files have blanks between numbers.
        let is_csv = matches!(between, Some(b',' | b';'));
        let tokens = || {
            let mark = between.map_or(',', char::from);
            let split = move |line| str::split(line, move |c: char| c.is_whitespace() || c == mark);
            lines(text).flat_map(split).filter(|it| !it.is_empty())
        };
        let is_table = match widths(text, between).next() {
            Some(1) => {
                let (counted, wide) =
                    (size.filter(|n| *n > 1 && widths(text, between).count() - 1 == *n), equal(text, 1, between));
                counted.is_some_and(|n| matches!(wide, 2 | 3) || wide == n || wide == n + 1)
            }
            _ => {
                lines(text).count() > 1
                    && equal(text, 0, between) > 1
                    && (is_csv || two_matrices != Some(tokens().count()))
            }
        };
        if is_table { Self::Table } else { Self::Numbers }
    }
}

/// The number of fields of each row after the first `skip`, where that is the same everywhere; else 0.
fn equal(text: &str, skip: usize, between: Option<u8>) -> usize {
    let mut widths = widths(text, between).skip(skip);
    let first = widths.next().unwrap_or(0);
    if widths.all(|width| width == first) { first } else { 0 }
}

/// The number of fields of each row. A field in quotes may have what stands `between` others, and breaks of lines unless that is blanks.
fn widths(text: &str, between: Option<u8>) -> impl Iterator<Item = usize> {
    let mut lines = lines(text);
    std::iter::from_fn(move || {
        let mut line = lines.next();
        let Some(delimiter) = between else { return line.map(|line| between_blanks(line).count()) };
        let (mut quoted, mut width) = (false, line.map(|_| 1));
        while let (Some(part), Some(width)) = (line, &mut width) {
            *width += count_outside_quotes(part, delimiter, &mut quoted);
            line = if quoted { lines.next() } else { None };
        }
        width
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_apart() {
        for (text, looks) in [
            ("NAME : x\nTYPE : TSP\n", Looks::Words),
            ("NODE_COORD_SECTION\n1 2 3\n", Looks::Words),
            ("hello\n", Looks::Words),
            ("PROBLEM_FILE = a.tsp\nRUNS = 10\n", Looks::Parameters),
            ("# of mine\nSPECIAL\nMOVE_TYPE = 5 \nPROBLEM_FILE: a.tsp\n", Looks::Parameters),
            ("PROBLEM_FILE,x,y\na,1,2\n", Looks::Table),
            ("", Looks::Words),
            (" {\"type\": 1}", Looks::Json),
            ("x,y\n1,2\n", Looks::Table),
            ("x,y\n1,2\n1\n3,4\n", Looks::Table),
            ("name x y\na 1 2\nb 3 4", Looks::Table),
            ("\"A, b\",1,2\nC,2,3", Looks::Table),
            ("0.5 1\n1.5 2\n", Looks::Table),
            ("-1;2\n3;4", Looks::Table),
            ("1 2\n3 4\n5 6", Looks::Table),
            ("2\n1.5 2\n3 4\n", Looks::Table),
            ("2,52.5,13.4\n3,52.6,13.3\n7,52.4,13.1\n", Looks::Table),
            ("52.5;13.4;\"Berlin; Mitte\"\n48.1;11.6;Munich\n", Looks::Table),
            ("# towns\n52.5,13.4,\"Berlin, Mitte\"\n48.1,11.6,Munich\n", Looks::Table),
            ("52.5,13.4,\"Berlin\nMitte\"\n48.1,11.6,Munich\n", Looks::Table),
            ("52.5,13.4,\"Cafe \"\"Rose\"\", Berlin\"\n48.1,11.6,Munich\n", Looks::Table),
            ("52.5 13.4 \"Berlin Mitte\"\n48.1 11.6 Munich\n", Looks::Table),
            ("name x y\n\"A b\" 1 2\nC 3 4\n", Looks::Table),
            ("4\n0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0\n", Looks::Table),
            ("4\nA 0 1 2 3\nB 1 0 4 5\nC 2 4 0 6\nD 3 5 6 0\n", Looks::Table),
            // Decimals after a comma.
            ("2\t0,5\n1,5\t5\n2,5\t2\n", Looks::Table),
            ("0;0\n1;5\n2,5;2\n7;3\n", Looks::Table),
            ("2,25;0,5\n1,5;5,5\n2,5;2\n", Looks::Table),
            ("0;1,5;3\n2;0;5\n3;2,5;0\n", Looks::Table),
            // Two matrices, however the lines are broken.
            ("2\n0 1 1 0\n0 3 3 0", Looks::Numbers),
            ("2 0\r\n1\n\n1 0\t0 3 4\n0", Looks::Numbers),
            ("2 0 1\n1 0 0\n3 3 0", Looks::Numbers),
            ("\t2\t0\t1\n\t1\t0\t0\n\t3\t3\t0", Looks::Numbers),
            ("3 1\n1 2 3", Looks::Numbers),
            ("5", Looks::Numbers),
        ] {
            assert_eq!(Looks::of(text), looks, "{text:?}");
        }
    }
}
