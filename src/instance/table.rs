//! Tables of text: comma-separated values (RFC 4180) and their like, with any usual delimiter.

use std::cell::RefCell;

use csv::{ReaderBuilder, Trim};

use super::delimiter::{between_blanks, count_outside_quotes, delimiter, lines, unquoted};
use crate::error::{Error, Result};
use crate::text::{quote, without_mark};

mod marks;
mod names;

use marks::Marks;

/// Rows of a file that all have as many fields.
pub(super) struct Table<'a> {
    pub file: &'a str,
    pub rows: Vec<Row>,
    /// Whether the first line has the names of a matrix, as its corner tells, which is blank or says what they are.
    pub is_headed: bool,
    /// What stands between fields; `None`: blanks.
    delimiter: Option<u8>,
    marks: RefCell<Marks>,
}

/// Fields with the line that they begin in.
pub(super) struct Row {
    pub line: usize,
    pub fields: Vec<String>,
}

/// What to do where a field goes on behind the end of its line.
const OPEN_QUOTE: &str =
    "; the quotation mark of a field is still open at the end of its line: close it, or double it within a name";
/// What to do with decimals behind commas.
pub(super) const DECIMAL_COMMAS: &str =
    "; where decimals come after a comma, put semicolons or tabs between the fields, or write them with points";

/// What to do where there is no way.
const NO_WAY: &str = "; write inf for a way that is not there (flows of an assignment go with --distances)";

/// What to do where a facility must not be.
const NO_PLACE: &str = "; write inf for a place where the facility must not be";

/// Whether the first line is one word, and no number.
fn is_word(text: &str) -> bool {
    let first = lines(text).next().unwrap_or_default();
    !first.contains(char::is_whitespace) && first.parse::<f64>().is_err()
}

impl<'a> Table<'a> {
    /// The rows of `text`. A first line that is nothing but the number of lines which follow is left out.
    pub fn new(text: &str, file: &'a str) -> Result<Self> {
        let delimiter = delimiter(text);
        let mut rows = match delimiter {
            // Below a word alone each line is a name, which may have blanks.
            None if is_word(text) => separated(text, file, b'\t')?,
            None => blanks(text),
            Some(delimiter) => separated(text, file, delimiter)?,
        };
        without_empty_ends(&mut rows);
        if let Some(delimiter) = delimiter {
            comments_like_rows(text, file, delimiter, &mut rows)?;
        }
        let announced = rows.first().filter(|row| row.fields.len() == 1).and_then(|row| row.fields[0].parse().ok());
        if announced.is_some_and(|count: usize| count > 0 && count == rows.len() - 1) {
            rows.remove(0);
        }
        let mut this = Self { file, rows, is_headed: false, delimiter, marks: RefCell::default() };
        if let Some(message) = this.title() {
            return Err(this.error(this.rows[0].line, message));
        }
        let Some(first) = this.rows.first() else { return Err(this.error(1, "the file has no rows")) };
        if let Some(row) = this.open_quote(text) {
            return Err(this.error(row.line, OPEN_QUOTE.trim_start_matches("; ")));
        }
        let width = first.fields.len();
        match this.rows.iter().find(|row| row.fields.len() != width) {
            Some(row) => {
                let (line, first, found) = (row.line, first.line, row.fields.len());
                // Commas of decimals make fields of their own.
                let hint = match delimiter {
                    Some(b',') if found > width => DECIMAL_COMMAS,
                    _ if row.fields.iter().any(|field| field.contains('\n')) => OPEN_QUOTE,
                    _ => "",
                };
                let message = format!("{found} fields, but line {first} has {width}; every line needs as many{hint}");
                Err(this.error(line, message))
            }
            None => {
                this.is_headed = this.has_headed_corner();
                Ok(this)
            }
        }
    }

    /// Whether the corner of a square is blank, or has a word above rows that are called as the columns are. A word that says nothing, such as x,
    /// may be a field of the diagonal.
    fn has_headed_corner(&self) -> bool {
        let corner = &self.rows[0].fields[0];
        let is_square = self.width() > 2 && self.rows.len() == self.width();
        let says_what = || !is_nothing(corner) && self.is_corner_alone() && self.other_name().is_none();
        is_square && (corner.is_empty() || says_what())
    }

    /// Whether the corner of a square has no number, and what it says is nowhere else on the diagonal.
    pub fn is_corner_alone(&self) -> bool {
        let corner = &self.rows[0].fields[0];
        let mut others = self.rows.iter().enumerate().skip(1).map(|(at, row)| &row.fields[at]);
        self.number(corner).is_none() && !others.any(|field| field.eq_ignore_ascii_case(corner))
    }

    /// What to say of a first line that says one thing, where a header follows within three lines.
    fn title(&self) -> Option<String> {
        let first = self.rows.first()?;
        let mut said = first.fields.iter().filter(|field| !field.is_empty());
        let (title, None) = (said.next()?, said.next()) else { return None };
        let width = self.rows.last()?.fields.len();
        let below = &self.rows[1..];
        let is_head = |row: &Row| {
            let words = row.fields.iter().filter(|field| !field.is_empty() && self.number(field).is_none()).count();
            row.fields.len() == width && words > 1 && row.fields.iter().all(|field| self.number(field).is_none())
        };
        let head = below.iter().take(3).position(is_head)?;
        let rows = &below[head..];
        let is_title = self.number(title).is_none() && width > 1 && rows.len() > 1;
        let are_full = rows.iter().all(|row| row.fields.len() == width);
        (is_title && first.fields[0] == *title && are_full && (first.fields.len() == 1 || width > 2))
            .then(|| format!("the first line says {} alone: delete what stands above the header", quote(title)))
    }

    /// Whether commas stand between fields.
    pub fn has_commas(&self) -> bool {
        self.delimiter == Some(b',')
    }

    /// Fields in each row.
    pub fn width(&self) -> usize {
        self.rows.first().map_or(0, |row| row.fields.len())
    }

    /// The column that the first row calls so, in any case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.rows.first()?.fields.iter().position(|field| field.eq_ignore_ascii_case(name))
    }

    /// The number in a field; decimals may come after a comma where that does not stand between fields.
    pub fn number(&self, field: &str) -> Option<f64> {
        let with_comma = || {
            let may = self.delimiter != Some(b',') && field.matches(',').count() == 1 && !field.contains('.');
            may.then(|| field.replace(',', ".").parse().ok()).flatten()
        };
        field.parse().ok().or_else(with_comma)
    }

    /// The first row a field of which has line breaks and ends at a quotation mark with something behind it, which is rather the beginning of another
    /// field; or the last row where no mark ends its field before the text does.
    fn open_quote(&self, text: &str) -> Option<&Row> {
        let delimiter = self.delimiter?;
        let breaks = |row: &Row| row.fields.iter().map(|field| field.matches('\n').count()).sum::<usize>();
        let rows: Vec<(&Row, usize)> = self.rows.iter().map(|row| (row, breaks(row))).filter(|row| row.1 > 0).collect();
        if rows.is_empty() {
            return None;
        }
        let lines: Vec<&str> = text.lines().collect();
        let goes_on = |(row, breaks): &(&Row, usize)| {
            let last = lines.get(row.line - 1 + breaks).copied().unwrap_or_default();
            let behind = last.split_once('"').map_or("", |(_, behind)| behind.trim_start_matches(' '));
            !behind.is_empty() && !behind.starts_with([char::from(delimiter), '"'])
        };
        let mut is_open = false;
        for line in lines.iter().copied() {
            if is_open || !line.starts_with('#') {
                count_outside_quotes(line, delimiter, &mut is_open);
            }
        }
        let last = rows.last().filter(|(row, _)| is_open && std::ptr::eq(*row, &self.rows[self.rows.len() - 1]));
        rows.iter().find(|row| goes_on(row)).or(last).map(|(row, _)| *row)
    }

    /// The number in column `column` of a row, which is finite.
    pub fn finite(&self, row: &Row, column: usize, what: &str) -> Result<f64> {
        self.number_that(f64::is_finite, (row, column), what, None)
    }

    /// The same of an entry, which no rounding of what is read may make 0.
    pub fn entry(&self, row: &Row, column: usize, what: &str) -> Result<f64> {
        let fits = |number: f64| number.is_finite() && !is_lost(&row.fields[column], number);
        self.number_that(fits, (row, column), what, None)
    }

    /// The same of what a place costs, which every field has to say; infinite where a facility must not be.
    pub fn cost(&self, row: &Row, column: usize) -> Result<f64> {
        let field = &row.fields[column];
        let is_word = !field.contains(|c: char| c.is_ascii_digit());
        let fits = |number: f64| match number == f64::INFINITY {
            true => is_word,
            false => number.is_finite() && !is_lost(field, number),
        };
        self.number_that(fits, (row, column), "a cost", Some(NO_PLACE))
    }

    /// The same of a weight, which is infinite where there is no way.
    pub fn weight(&self, row: &Row, column: usize, what: &str) -> Result<f64> {
        self.number_that(|number| number.is_finite() || number == f64::INFINITY, (row, column), what, Some(NO_WAY))
    }

    /// A number that fits. Where every field has to say one, there are words for a field that says nothing.
    fn number_that(
        &self,
        fits: impl Fn(f64) -> bool,
        (row, column): (&Row, usize),
        what: &str,
        of_nothing: Option<&str>,
    ) -> Result<f64> {
        let field = &row.fields[column];
        match self.number(field).filter(|number| fits(*number)) {
            Some(number) => self.one_mark(row, field).map(|()| number),
            None => {
                let hint = match self.delimiter {
                    _ if is_nothing(field) && of_nothing.is_some() => of_nothing.unwrap_or_default(),
                    _ if self.number(field).is_some_and(|number| is_lost(field, number)) => {
                        ", which is nearer to 0 than 1e-300: write 0 for it, or take another unit"
                    }
                    Some(b',') if field.replacen(',', ".", 1).parse().is_ok_and(f64::is_finite) => DECIMAL_COMMAS,
                    _ => "",
                };
                let found = match field.trim() {
                    "" if of_nothing.is_some() => "which is empty: fill it in".into(),
                    "" => "which is empty: fill it in, or leave the row out".into(),
                    _ => format!("not {}", quote(field)),
                };
                let message = format!("expected a number for {what} in column {}, {found}{hint}", column + 1);
                Err(self.error(row.line, message))
            }
        }
    }

    /// Checks that decimals of all numbers come after the same mark: the other one may stand for thousands.
    fn one_mark(&self, row: &Row, field: &str) -> Result<()> {
        let mut marks = self.marks.borrow_mut();
        marks.note(field, row.line);
        if let Some(mark) = [',', '.'].iter().position(|mark| field.contains(*mark)) {
            marks.decimals[mark].get_or_insert_with(|| field.to_owned());
        }
        match &marks.decimals {
            [Some(comma), Some(point)] => Err(self.error(
                row.line,
                format!(
                    "decimals come after a comma in {} and after a point in {}: write all numbers with the same mark, and none for thousands",
                    quote(comma),
                    quote(point)
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Checks that marks are not of thousands, as far as numbers tell: all that have one would have thousands, and none without one is greater.
    pub fn no_thousands(&self) -> Result<()> {
        match &*self.marks.borrow() {
            Marks { groups: Some((group, line)), small: Some(small), grouped: 2.., others: false, .. } => {
                let message = format!(
                    "{} may be a thousand or more, beside {}, or have decimals: write no mark for thousands, or {small}.0 for {small}",
                    quote(group),
                    quote(small)
                );
                Err(self.error(*line, message))
            }
            _ => Ok(()),
        }
    }

    /// An error at a line.
    pub fn error(&self, line: usize, message: impl Into<String>) -> Error {
        Error::parse(self.file, line, message)
    }
}

/// The first column of a header, in lower case, that one of these words calls, by the words' order.
pub(super) fn find(header: &[String], words: &[&str]) -> Option<usize> {
    words.iter().find_map(|word| header.iter().position(|field| field == word))
}

/// What keeps numbers from being a table, where their first line has several fields: else they were meant as something else.
pub(super) fn table_error(text: &str, file: &str) -> Option<Error> {
    let first = lines(text).next()?;
    let several =
        first.split(|c: char| c.is_whitespace() || "\t;,".contains(c)).filter(|it| !it.is_empty()).count() > 1;
    several.then(|| Table::new(text, file).err()).flatten()
}

/// What to say of a whole number and lines of two or three fields, which may be points that are counted wrongly; else nothing.
pub(super) fn miscounted(text: &str) -> String {
    let mut lines = lines(text);
    let announced = lines.next().and_then(|first| first.trim().parse::<usize>().ok());
    let width =
        |line: &str| line.split(|c: char| c.is_whitespace() || ";,".contains(c)).filter(|it| !it.is_empty()).count();
    let widths: Vec<usize> = lines.map(width).collect();
    let are_points = matches!(widths[..], [2 | 3, ..]) && widths.iter().all(|width| *width == widths[0]);
    match announced {
        // Where lines have as many numbers as the first one says these are a matrix.
        Some(announced) if are_points && ![widths.len(), widths[0]].contains(&announced) => {
            format!("; if these are points the first line has to say how many, {}, or nothing", widths.len())
        }
        _ => String::new(),
    }
}

/// A whole number that is written with one decimal, as programs do where other rows of a column have none: 7 for 7.0.
pub(super) fn whole(field: &str) -> Option<&str> {
    let digits = field.strip_suffix(".0")?;
    (!digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())).then_some(digits)
}

/// Whether a number is nearer to 0 than 1e-300, or read as 0, though the text that it is read from is none.
pub(super) fn is_lost(text: &str, number: f64) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    number.abs() < 1e-300 && (number != 0.0 || mantissa.contains(|c: char| ('1'..='9').contains(&c)))
}

/// A field without that decimal.
fn without_decimal(field: &str) -> &str {
    whole(field).unwrap_or(field)
}

/// The fields of a column, without that decimal where all of them have it.
pub(super) fn wholes<'a>(fields: impl Iterator<Item = &'a str> + Clone) -> impl Iterator<Item = &'a str> + Clone {
    let are_whole = fields.clone().all(|field| whole(field).is_some());
    fields.map(move |field| if are_whole { without_decimal(field) } else { field })
}

/// Whether a field says that there is nothing.
pub(super) fn is_nothing(field: &str) -> bool {
    let words = ["", "-", "--", "x", "na", "n/a", "#n/a", "#nv", "nan", "nil", "none", "null", "inf", "infinity", "∞"];
    words.iter().any(|word| field.trim_start_matches('+').eq_ignore_ascii_case(word))
}

/// Takes the empty fields off behind what the narrowest row has, and columns that are empty in all rows.
fn without_empty_ends(rows: &mut [Row]) {
    let Some(narrowest) = rows.iter().map(|row| row.fields.len()).min() else { return };
    for row in rows.iter_mut() {
        while row.fields.len() > narrowest && row.fields.last().is_some_and(String::is_empty) {
            row.fields.pop();
        }
    }
    let is_empty = |row: &Row| row.fields.len() == 1 || row.fields.last().is_some_and(|field| !field.is_empty());
    while rows.iter().all(|row| row.fields.len() > 1) && !rows.iter().any(is_empty) {
        rows.iter_mut().for_each(|row| _ = row.fields.pop());
    }
}

/// Comments with as many fields as the rows: a heading `#` begins no comment, and other names that begin with it are told.
fn comments_like_rows(text: &str, file: &str, delimiter: u8, rows: &mut Vec<Row>) -> Result<()> {
    let Some(width) = rows.first().map(|row| row.fields.len()) else { return Ok(()) };
    let mut quoted = false;
    for (index, line) in without_mark(text).lines().enumerate() {
        if quoted || !line.starts_with('#') {
            count_outside_quotes(line, delimiter, &mut quoted);
            continue;
        }
        if count_outside_quotes(line, delimiter, &mut false) + 1 != width {
            continue;
        }
        let fields: Vec<String> = line.split(char::from(delimiter)).map(|field| field.trim().to_owned()).collect();
        if fields[0] == "#" && rows.first().is_some_and(|row| index < row.line) {
            rows.insert(0, Row { line: index + 1, fields });
        } else if !line.starts_with("# ") {
            let first = quote(&fields[0]);
            let message = format!(
                "{first} begins a comment, but there are as many fields as in other lines: put it in quotes if it is a name, and a blank behind # if not"
            );
            return Err(Error::parse(file, index + 1, message));
        }
    }
    Ok(())
}

fn blanks(text: &str) -> Vec<Row> {
    let text = without_mark(text);
    let row =
        |(index, line): (usize, &str)| Row { line: index + 1, fields: between_blanks(line).map(unquoted).collect() };
    let rows = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#')).map(row);
    rows.filter(|row| !row.fields.is_empty()).collect()
}

fn separated(text: &str, file: &str, delimiter: u8) -> Result<Vec<Row>> {
    let text = without_mark(text);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(Trim::All)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(1, |position| position.line() as usize);
            Error::parse(file, line, format!("broken row: {error}"))
        })?;
        let line = record.position().map_or(1, |position| {
            // Blank lines and comments before a row count as its beginning.
            let rest = text.get(position.byte() as usize..).unwrap_or_default();
            let skipped = rest.lines().take_while(|line| line.is_empty() || line.starts_with('#')).count();
            position.line() as usize + skipped
        });
        let fields: Vec<String> = record.iter().map(str::to_owned).collect();
        // Spreadsheets leave lines of empty fields behind the last row.
        let says = fields[0].starts_with("sep=") && rows.is_empty();
        if fields.iter().any(|field| !field.is_empty()) && !says {
            rows.push(Row { line, fields });
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests;
