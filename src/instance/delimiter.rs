//! What stands between the fields of a table of text.

use crate::text::without_mark;

/// What may stand between fields, besides blanks.
const DELIMITERS: [u8; 3] = [b'\t', b';', b','];
/// Delimiters are told by so many lines.
const LOOKED_AT: usize = 50;

/// The lines that hold something: neither blank nor a comment (`#`).
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    let text = without_mark(text);
    let tabs = has_tabs(text);
    text.lines().map(move |line| without_blanks(line, tabs)).filter(|line| holds_something(line))
}

/// Whether tabs stand within a line: there they may stand between fields that are empty, at its ends, too.
fn has_tabs(text: &str) -> bool {
    text.contains('\t') && text.lines().any(|line| line.trim().contains('\t'))
}

/// A line without what is blank around it.
fn without_blanks(line: &str, tabs: bool) -> &str {
    let inner = line.trim();
    match tabs && !inner.is_empty() && !inner.starts_with('#') {
        true => line.trim_matches(|c: char| c.is_whitespace() && c != '\t'),
        false => inner,
    }
}

fn holds_something(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#') && !says_delimiter(line)
}

/// Whether a line tells spreadsheets what stands between fields.
fn says_delimiter(line: &str) -> bool {
    line.strip_prefix("sep=").is_some_and(|rest| rest.chars().count() <= 1)
}

/// What stands between the fields of each line: a tab, a semicolon, a comma, or else (`None`) blanks.
pub(super) fn delimiter(text: &str) -> Option<u8> {
    // A line with a number of rows may come first.
    let skipped = usize::from(lines(text).take(2).count() > 1 && is_count(text));
    let tabs = has_tabs(text);
    let separates = |delimiter: &u8| {
        let (mut quoted, mut found, mut looked_at) = (false, true, 0);
        for line in without_mark(text).lines().map(|line| without_blanks(line, tabs)) {
            // A field in quotes may have line breaks, and anything behind them.
            let goes_on = quoted;
            if !goes_on && !holds_something(line) {
                continue;
            }
            looked_at += 1;
            if looked_at <= skipped {
                continue;
            }
            if looked_at > LOOKED_AT || !(goes_on || found) {
                break;
            }
            let count = count_outside_quotes(line, *delimiter, &mut quoted);
            found = count > 0 || goes_on && found;
        }
        found
    };
    DELIMITERS.into_iter().find(separates).or_else(|| delimiter_of_most(text))
}

/// The same of the first line and most of the others: some have too few fields, which is to be told.
fn delimiter_of_most(text: &str) -> Option<u8> {
    let mut all = lines(text).take(LOOKED_AT);
    let (first, others) = (all.next()?, all.collect::<Vec<_>>());
    let has = |line: &str, delimiter: u8| count_outside_quotes(line, delimiter, &mut false) > 0;
    let is_of_most = |&delimiter: &u8| {
        has(first, delimiter) && 2 * others.iter().filter(|line| has(line, delimiter)).count() > others.len()
    };
    DELIMITERS.into_iter().find(is_of_most)
}

/// How often a delimiter stands outside of quotes, which begin with a field; `quoted` says whether the line begins, and ends, inside of them.
pub(super) fn count_outside_quotes(line: &str, delimiter: u8, quoted: &mut bool) -> usize {
    let (mut count, mut begins) = (0, !*quoted);
    let mut bytes = line.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            // Two are one within the field.
            b'"' if *quoted && bytes.next_if_eq(&b'"').is_some() => {}
            b'"' if *quoted || begins => *quoted = !*quoted,
            byte if byte == delimiter && !*quoted => {
                (count, begins) = (count + 1, true);
                continue;
            }
            b' ' if begins => continue,
            _ => {}
        }
        begins = false;
    }
    count
}

/// The fields of a line between blanks. One that begins and ends with a quotation mark may have blanks.
pub(super) fn between_blanks(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim_start();
    std::iter::from_fn(move || {
        let end = quoted_length(rest).or_else(|| rest.find(char::is_whitespace)).unwrap_or(rest.len());
        let (field, behind) = rest.split_at(end);
        rest = behind.trim_start();
        (!field.is_empty()).then_some(field)
    })
}

/// How long a field in quotes is, with these, where a text begins with one that ends at a blank.
fn quoted_length(text: &str) -> Option<usize> {
    let mut end = 1;
    text.strip_prefix('"')?;
    loop {
        end += text[end..].find('"')? + 1;
        match text[end..].chars().next() {
            // Two are one within the field.
            Some('"') => end += 1,
            next => return next.is_none_or(char::is_whitespace).then_some(end),
        }
    }
}

/// What a field between blanks says.
pub(super) fn unquoted(field: &str) -> String {
    match quoted_length(field) {
        Some(length) if length == field.len() => field[1..length - 1].trim().replace("\"\"", "\""),
        _ => field.to_owned(),
    }
}

/// Whether the first line is a whole number alone.
fn is_count(text: &str) -> bool {
    lines(text).next().is_some_and(|line| line.parse::<usize>().is_ok())
}
