//! QAPLIB files: the number of facilities, then two matrices, then, where there is a linear term, its matrix; line breaks mean nothing, but
//! where the first line has two numbers alone, those of facilities and of locations, or a number of facilities and the best known cost. Lines that begin with `#`
//! are comments, as in tables.

use std::borrow::Cow;
use std::path::Path;
use std::str::FromStr;

use super::given::Origin;
use super::instance::Instance;
use super::scaling::scaled;
use crate::error::{Error, Result};
use crate::instance::table::is_lost;
use crate::text::{Lines, Numbers, fields, quote, read_text, stem, without_mark};

impl Instance {
    /// Reads a QAPLIB file (.dat). The instance is named after the file.
    ///
    /// # Errors
    /// [`crate::Error::Io`], or [`crate::Error::Parse`] with file and line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let (text, file) = read_text(path.as_ref())?;
        Ok(Self::parse(&text, &file)?.with_name(stem(&file)))
    }

    /// The same from text; `file` names it in errors and is the instance's name. Beyond what the library's files have, entries may be negative
    /// or have decimals, a third matrix may say what each facility costs at each location, and the first line may tell two numbers: those
    /// of facilities and of locations, where there are more of these. The best known cost behind the number of facilities, as in Taillard's files, is passed over. See
    /// [`Instance::from_matrices_f64`].
    ///
    /// ```
    /// use myrmex::qap::Instance;
    ///
    /// let two_of_three = Instance::parse("2 3\n\n0 2.5\n2.5 0\n\n0 1 4\n1 0 2\n4 2 0\n", "text")?;
    /// assert_eq!((two_of_three.len(), two_of_three.locations()), (2, 3));
    /// assert_eq!(two_of_three.length(&[2, 0])?, 20.0);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Instance::read`].
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let text = &*without_comments(text);
        if let Some((line, token)) = decimal_comma(text) {
            let message = format!("{} would be two numbers: decimals have points, not commas", quote(token));
            return Err(Error::parse(file, line, message));
        }
        let mut numbers = Numbers::new(text, file);
        let has_best = has_best_known(text);
        let sizes = sizes(text).filter(|_| !has_best);
        let facilities =
            numbers.next::<usize>("the number of facilities, behind which flows and distances stand without names (tables with names: --distances FILE)")?;
        let locations = if sizes.is_some() { numbers.next("the number of locations")? } else { facilities };
        if has_best {
            numbers.next_with::<Entry>(KIND, || "the best known cost".into())?;
        }
        if facilities == 0 {
            return Err(numbers.error("expected the number of facilities, at least 1"));
        }
        let entries = locations.checked_mul(locations).filter(|entries| *entries <= text.len());
        if entries.is_none() {
            return Err(numbers.error(match sizes {
                None => format!("the file is too short for two matrices of {facilities} x {facilities}"),
                Some(_) => format!("the file is too short for a matrix of {locations} x {locations}"),
            }));
        }
        let matrix = |numbers: &mut Numbers<'_>, [rows, columns]: [usize; 2], which: &str| -> Result<Vec<f64>> {
            let mut matrix = Vec::with_capacity(rows * columns);
            for index in 0..rows * columns {
                let (row, column) = (index / columns + 1, index % columns + 1);
                let what = || format!("row {row}, column {column} of the {which} matrix");
                matrix.push(numbers.next_with::<Entry>(KIND, what)?.0);
            }
            Ok(matrix)
        };
        let flows = matrix(&mut numbers, [facilities; 2], "first")?;
        let distances = matrix(&mut numbers, [locations; 2], "second")?;
        let read = 1 + usize::from(sizes.is_some() || has_best) + flows.len() + distances.len();
        let more = fields(text).count() - read;
        if more > 0 && more < facilities * locations {
            numbers.more();
            return Err(numbers.error(format!(
                "{more} more {} behind two matrices, where a third one has {facilities} x {locations}; decimals have points, not commas",
                if more == 1 { "number stands" } else { "numbers stand" }
            )));
        }
        let placing = match more > 0 {
            true => {
                let cost = |at: usize| {
                    let what =
                        || format!("row {}, column {} of the third matrix", at / locations + 1, at % locations + 1);
                    Ok(numbers.next_with::<Cost>(COST_KIND, what)?.0)
                };
                Some((0..facilities * locations).map(cost).collect::<Result<_>>()?)
            }
            false => None,
        };
        numbers.end("the matrices")?;
        let last = numbers.line();
        let instance = scaled(file, [facilities, locations], Origin { flows, distances, placing }, &[]);
        instance.map_err(|error| error.in_file(file, last))
    }
}

/// The text with nothing in the lines that are comments, so that lines keep their numbers.
fn without_comments(text: &str) -> Cow<'_, str> {
    let is_comment = |line: &str| without_mark(line).trim_start().starts_with('#');
    if !text.contains('#') || !text.lines().any(is_comment) {
        return text.into();
    }
    text.lines().flat_map(|line| [if is_comment(line) { "" } else { line }, "\n"]).collect::<String>().into()
}

/// The first line with several numbers between blanks each of which has one comma inside, and the first of these.
fn decimal_comma(text: &str) -> Option<(usize, &str)> {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let has_one = |token: &&str| {
        let parts = token.split_once(',');
        parts.is_some_and(|(before, behind)| {
            is_digit(before.chars().last()) && is_digit(behind.chars().next()) && !behind.contains(',')
        })
    };
    text.lines().zip(1..).find_map(|(line, number)| {
        let mut found = line.split_whitespace().filter(has_one);
        found.next().zip(found.next()).map(|(first, _)| (number, first))
    })
}

/// What an entry has to be, in errors.
const KIND: &str = ", a number (0, or between 1e-300 and 1e300 without its sign)";

/// The same of a cost of placing.
const COST_KIND: &str =
    ", a number (0, or between 1e-300 and 1e300 without its sign), or inf where a facility must not be";

/// A cost of placing, infinite where a facility must not be.
struct Cost(f64);

impl FromStr for Cost {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_never =
            ["inf", "infinity"].iter().any(|word| text.strip_prefix('+').unwrap_or(text).eq_ignore_ascii_case(word));
        if is_never { Ok(Self(f64::INFINITY)) } else { text.parse().map(|Entry(cost)| Self(cost)) }
    }
}

/// An entry that is what was written, near enough.
struct Entry(f64);

impl FromStr for Entry {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let entry: f64 = text.parse().map_err(|_| ())?;
        // What is too large for floating point is read as infinite; nor is NaN at most anything.
        match !is_lost(text, entry) && entry.abs() <= 1e300 {
            true => Ok(Self(entry)),
            false => Err(()),
        }
    }
}

/// Whether the best known cost stands behind the number of facilities, in the same line or in one of its own: then there is one number more
/// than two matrices have, and lines with several of them follow.
fn has_best_known(text: &str) -> bool {
    let mut lines = Lines::new(text, "");
    let mut next = || lines.next().map_or_else(Vec::new, |line| fields(line).collect::<Vec<_>>());
    let first = next();
    let behind = match first.len() {
        1 => next().len() == 1 && next().len() > 1,
        count => count == 2 && next().len() > 1,
    };
    let entries = |n: usize| n.checked_mul(n)?.checked_mul(2)?.checked_add(2);
    behind && first[0].parse().ok().filter(|n| *n > 1).and_then(entries) == Some(fields(text).count())
}

/// The numbers of facilities and of locations, where the first line tells both: there are two whole numbers in it, and as many numbers behind them
/// as matrices of these sizes have, or the second is not less and there are not as many as matrices of one size have.
fn sizes(text: &str) -> Option<[usize; 2]> {
    let first: Vec<&str> = fields(Lines::new(text, "").next()?).collect();
    let [facilities, locations] = first[..] else { return None };
    let [m, n]: [usize; 2] = [facilities.parse().ok()?, locations.parse().ok()?];
    if m < 1 || n < 1 {
        return None;
    }
    let found = fields(text).count();
    let is = |terms: &[(usize, usize)], more: usize| {
        let all = terms.iter().try_fold(more, |all, (a, b)| all.checked_add(a.checked_mul(*b)?));
        all == Some(found)
    };
    let of_both = is(&[(m, m), (n, n)], 2) || is(&[(m, m), (n, n), (m, n)], 2);
    let of_one = is(&[(m, m); 2], 1) || is(&[(m, m); 3], 1);
    // More facilities than locations are told as such.
    ((of_both && m < n) || (!of_one && (of_both || m <= n))).then_some([m, n])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_mean_nothing() {
        let read = Instance::parse("2 0\r\n1\n\n1 0\t0 3 4\n0", "t").unwrap();
        assert_eq!((read.len(), read.flows(), read.distances()), (2, &[0, 1, 1, 0][..], &[0, 3, 4, 0][..]));
    }

    #[test]
    fn comments_are_left_out_and_lines_keep_their_numbers() {
        let text = "# two rooms, 0,5 apart or 1,5\n  #\n2 # and no more\n0 1 1 0\n# distances\n0 3 4 0\n";
        let message = Instance::parse(text, "t").unwrap_err().to_string();
        assert!(message.starts_with("t:3: ") && message.contains("not '#'"), "{message}");
        let read = Instance::parse(&text.replace(" # and no more", ""), "t").unwrap();
        assert_eq!((read.flows(), read.distances()), (&[0, 1, 1, 0][..], &[0, 3, 4, 0][..]));
        let two_of_three = "\u{feff}# sizes\n2 3\n0 1 1 0\n# 3 x 3\n0 1 4\n1 0 2\n4 2 0\n#";
        for name in ["rooms.dat", "rooms.txt"] {
            let problem = crate::Problem::parse(two_of_three, name, crate::tsp::Distances::Stated).unwrap();
            assert_eq!((problem.kind(), problem.len(), problem.name()), ("qap", 2, "rooms"));
        }
        assert!(Instance::parse("# none\n", "t").unwrap_err().to_string().contains("number of facilities"));
    }

    #[test]
    fn decimal_commas_are_told() {
        let text = "2\n0,5 1,5\n2,5 0,5\n0 1\n1 0\n";
        let message = Instance::parse(text, "t").unwrap_err().to_string();
        assert_eq!(message, "t:2: '0,5' would be two numbers: decimals have points, not commas");
        assert!(Instance::parse("2\n0,5\n2,0\n0, 1\n1, 0\n", "t").is_ok());
        let message = Instance::parse("2\n-0,5 -1,5\n2,5 0,5\n0 1\n1 0\n", "t").unwrap_err().to_string();
        assert!(message.starts_with("t:2: '-0,5' would be two numbers"), "{message}");
        // Commas beside blanks or signs, or several, are no decimals.
        for matrices in ["0, 1, 1, 0\n0 1 1 0", "0 ,1 ,1 0\n0 1 1 0", "0,-1 1,-2\n0 1 1 0", "0,1,1,0 0,1,1,0"] {
            assert!(Instance::parse(&format!("2\n{matrices}\n"), "t").is_ok(), "{matrices}");
        }
    }

    #[test]
    fn a_third_matrix_is_what_placing_costs() {
        let read = Instance::parse("2\n0 1 1 0\n0 3 4 0\n\n9 8 7 6\n", "t").unwrap();
        assert_eq!(read.placing_costs(), Some(&[9, 8, 7, 6][..]));
        assert_eq!((read.cost(&[0, 1]).unwrap(), read.cost(&[1, 0]).unwrap()), (7 + 15, 7 + 15));
        let mut written = Vec::new();
        read.write(&mut written).unwrap();
        let again = Instance::parse(std::str::from_utf8(&written).unwrap(), "t").unwrap();
        assert_eq!(again.placing_costs(), read.placing_costs());
        assert!(Instance::parse("2 0 1 1 0 0 3 4 0", "t").unwrap().placing_costs().is_none());
    }

    #[test]
    fn two_numbers_alone_tell_facilities_and_locations() {
        let read = |text: &str| {
            let read = Instance::parse(text, "t").unwrap();
            let mut written = Vec::new();
            read.write(&mut written).unwrap();
            let again = Instance::parse(std::str::from_utf8(&written).unwrap(), "t").unwrap();
            assert_eq!((again.len(), again.locations(), again.origin()), (read.len(), read.locations(), read.origin()));
            (read.len(), read.locations(), read.origin().placing.map(|costs| costs.len()))
        };
        assert_eq!(read("1 2\n5\n0 3 4 0"), (1, 2, None));
        assert_eq!(read("\n1 2\n5\n0 -3 4.25 0 1 2"), (1, 2, Some(2)));
        assert_eq!(read("2 2\n0 1 1 0 0 3 4 0"), (2, 2, None));
        // Where they are entries, and the only ones of their line.
        assert_eq!(read("2 2\n1 1 0 0 3 4 0"), (2, 2, None));
        assert_eq!(read("1 7\n8"), (1, 1, None));
        assert_eq!(read(&format!("2 3\n{}", ["1"; 11].join(" "))), (2, 2, Some(4)));
        assert_eq!(read("1 1\n8\n9"), (1, 1, Some(1)));
        // Three matrices of 5 x 5 have as many numbers as these two.
        let both = |entries: usize| vec!["1"; entries].join(" ");
        assert_eq!(read(&format!("5 7\n{}", both(74))), (5, 7, None));
        assert_eq!(read(&format!("5\n7\n{}", both(74))), (5, 5, Some(25)));
        let message = |text: &str| Instance::parse(text, "t").unwrap_err().to_string();
        assert!(message("1 2\n5\n0 3 4").starts_with("t:3: the file ends before row 2, column 2 of the second"));
        assert!(
            message("1 2\n5\n0 3 4 0 7")
                .starts_with("t:3: 1 more number stands behind two matrices, where a third one has 1 x 2")
        );
        assert!(
            message("2 1\n0 3 4 0\n5").contains("2 facilities have only 1 location:"),
            "{}",
            message("2 1\n0 3 4 0\n5")
        );
        let located = message("3 1\n0 1 2 1 0 3 2 3 0\n5\n1 2 3");
        assert!(located.starts_with("t:4: 3 facilities have only 1 location:"), "{located}");
        assert!(message("2 99999\n5\n").starts_with("t:1: the file is too short for a matrix of 99999 x 99999"));
        assert!(message("1 10\n5\n0 3 4\n").starts_with("t:1: the file is too short for a matrix of 10 x 10"));
        assert!(message("4294967296 1\n7\n").starts_with("t:1: the file is too short for two matrices of 4294967296"));
        assert!(message("1 2\n5\n0 3 4 0\n1 x").starts_with("t:4: expected row 1, column 2 of the third matrix"));
        // Where neither fits the numbers are of facilities and locations if the second is not less and not 0.
        assert!(message("2 2\n0 1 1 0 0 3").contains("ends before row 2, column 1 of the second matrix"));
        assert!(message("3 1\n0 1 2 1 0 3").contains("ends before row 3, column 2 of the first matrix"));
        assert!(message("2 0\n1 2 3 4").contains("ends before row 1, column 2 of the second matrix"));
        assert!(message("1 2\n5\n0 3 4 0 7 8 9").contains("nothing more after the matrices, not '9'"));
    }

    #[test]
    fn best_known_costs_behind_the_size_are_passed_over() {
        let matrices = "0 1 2\n1 0 3\n2 3 0\n\n0 5 4\n5 0 7\n4 7 0\n";
        let expected = Instance::parse(&format!("3\n{matrices}"), "t").unwrap();
        for head in ["3 578", "3 2", "3\t-7.5", "\n3\n\n578", "# Taillard\n3 578", "3 3"] {
            let read = Instance::parse(&format!("{head}\n{matrices}"), "t").unwrap();
            assert_eq!((read.len(), read.locations(), read.origin()), (3, 3, expected.origin()), "{head:?}");
        }
        for name in ["tai3a.dat", "tai3a.txt"] {
            let text = format!("3 578\n{matrices}");
            assert_eq!(crate::Problem::parse(&text, name, crate::tsp::Distances::Stated).unwrap().kind(), "qap");
        }
        // A number more at the end is none, nor is one where each line has one number.
        let message = |text: String| Instance::parse(&text, "t").unwrap_err().to_string();
        assert!(message(format!("3\n{matrices}578\n")).contains("1 more number stands behind two matrices"));
        let each = format!("3\n{matrices}578\n").split_whitespace().collect::<Vec<_>>().join("\n");
        assert!(message(each).contains("1 more number stands behind two matrices"));
        assert!(message(format!("3 x\n{matrices}")).contains("expected the best known cost"));
        assert!(message(format!("3 578\n{matrices}7 8 9\n")).contains("too short for a matrix of 578 x 578"));
    }

    #[test]
    fn broken_files_name_their_line() {
        let message = |text: &str| Instance::parse(text, "t").unwrap_err().to_string();
        assert!(message("").contains("number of facilities"), "{}", message(""));
        assert!(message("2\n0 1 1 0\n0 1 x 0").starts_with("t:3: expected row 2, column 1 of the second matrix"));
        assert!(message("2\n0 1 1 0\n0 1 1").starts_with("t:3: the file ends before row 2, column 2"));
        let more = message("2\n0 1 1 0\n0 1 1 0\n7 8 9");
        assert!(
            more.starts_with("t:4: 3 more numbers stand behind two matrices, where a third one has 2 x 2"),
            "{more}"
        );
        assert!(
            message("2\n0 1 1 0\n0 1 1 0\n1 2 3 4\n5").starts_with("t:5: expected nothing more after the matrices")
        );
        let more = message("2\n0 1 1 0\n0 1 1 0\n7 8");
        assert!(more.starts_with("t:4: 2 more numbers stand behind two matrices"), "{more}");
        for wrong in ["nan", "inf", "1e400", "-1e-400", "0.0001e-310", "9e-400", "1.001e300", "-9.99e-301"] {
            let told = message(&format!("2\n0 1 1 0\n0 1 {wrong} 0"));
            assert!(told.starts_with("t:3: expected row 2, column 1 of the second matrix, a number"), "{told}");
            assert!(told.ends_with(&format!("not '{wrong}'")), "{told}");
        }
        assert!(message("99999999999").contains("too short"));
        assert!(message(&u64::MAX.to_string()).contains("too short"), "the square overflows");
        // The shortest text that is looked into has as many characters as a matrix has entries.
        assert!(message("3\n0 1 2").starts_with("t:1: the file is too short for two matrices of 3 x 3"));
        assert!(message("3\n0 1 2 ").starts_with("t:1: the file is too short for two matrices of 3 x 3"));
        assert!(message("3\n0 1 2 1").starts_with("t:2: the file ends before row 2, column 2 of the first matrix"));
        assert!(message("2\n0 1\n1 y\n0 1 1 0").starts_with("t:3: expected row 2, column 2 of the first matrix"));
        assert!(message("0").contains("at least 1"));
    }

    #[test]
    fn files_name_their_instances() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rooms.dat");
        std::fs::write(&path, "2\n0 1 1 0\n0 3 4 0\n").unwrap();
        assert_eq!(Instance::read(path).unwrap().name(), "rooms");
    }

    #[test]
    fn entries_are_read_up_to_their_limits() {
        for entry in ["1e300", "-1e300", "1e-300", "-1E-300"] {
            assert_eq!(entry.parse::<Entry>().map(|entry| entry.0), Ok(entry.parse().unwrap()), "{entry}");
        }
        // A zero is one whatever its exponent.
        for zero in ["0", "-0.00", "0e5", "0.0E-999", "0E7"] {
            assert_eq!(zero.parse::<Entry>().map(|entry| entry.0), Ok(0.0), "{zero}");
        }
    }
}
