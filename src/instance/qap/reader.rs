//! QAPLIB files: the number of facilities, then two matrices, then, where there is a linear term, its matrix; line breaks mean nothing.

use std::path::Path;

use super::instance::{Instance, MAX_ENTRY};
use crate::error::Result;
use crate::text::{Numbers, read_text, stem};

impl Instance {
    /// Reads a QAPLIB file (.dat). The instance is named after the file.
    ///
    /// # Errors
    /// [`crate::Error::Io`], or [`crate::Error::Parse`] with file and line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let (text, file) = read_text(path.as_ref())?;
        Ok(Self::parse(&text, &file)?.with_name(stem(&file)))
    }

    /// The same from text; `file` names it in errors and is the instance's name.
    ///
    /// # Errors
    /// As [`Instance::read`].
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let mut numbers = Numbers::new(text, file);
        let size = numbers.next::<usize>("the number of facilities")?;
        if size == 0 {
            return Err(numbers.error("expected the number of facilities, at least 1"));
        }
        let entries = size.checked_mul(size).filter(|entries| *entries <= text.len());
        let Some(entries) = entries else {
            return Err(numbers.error(format!("the file is too short for two matrices of {size} x {size}")));
        };
        let kind = format!(", a whole number from 0 to {MAX_ENTRY}");
        let matrix = |numbers: &mut Numbers<'_>, which: &str| -> Result<Vec<u32>> {
            let mut matrix = Vec::with_capacity(entries);
            for index in 0..entries {
                let (row, column) = (index / size + 1, index % size + 1);
                let entry = numbers.next_with(&kind, || format!("row {row}, column {column} of the {which} matrix"))?;
                matrix.push(entry);
            }
            Ok(matrix)
        };
        let (flows, distances) = (matrix(&mut numbers, "first")?, matrix(&mut numbers, "second")?);
        let placing = if numbers.more() { Some(matrix(&mut numbers, "third")?) } else { None };
        numbers.end("the matrices")?;
        let last = numbers.line();
        let instance = Self::from_matrices(file, size, flows, distances);
        let instance = match placing {
            Some(costs) => instance.and_then(|instance| instance.with_placing_costs(costs)),
            None => instance,
        };
        instance.map_err(|error| error.in_file(file, last))
    }
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
    fn broken_files_name_their_line() {
        let message = |text: &str| Instance::parse(text, "t").unwrap_err().to_string();
        assert!(message("").contains("number of facilities"), "{}", message(""));
        assert!(message("2\n0 1 1 0\n0 1 x 0").starts_with("t:3: expected row 2, column 1 of the second matrix"));
        assert!(message("2\n0 1 1 0\n0 1 1").starts_with("t:3: the file ends before row 2, column 2"));
        let more = message("2\n0 1 1 0\n0 1 1 0\n7 8 9");
        assert!(more.starts_with("t:4: the file ends before row 2, column 2 of the third matrix"), "{more}");
        assert!(
            message("2\n0 1 1 0\n0 1 1 0\n1 2 3 4\n5").starts_with("t:5: expected nothing more after the matrices")
        );
        assert!(message("2\n0 1 1 0\n0 1 -1 0").ends_with("a whole number from 0 to 2147483647, not '-1'"));
        assert!(message("99999999999").contains("too short"));
        assert!(message(&u64::MAX.to_string()).contains("too short"), "the square overflows");
        // The shortest text that is looked into has as many characters as a matrix has entries.
        assert!(message("3\n0 1 2").starts_with("t:1: the file is too short for two matrices of 3 x 3"));
        assert!(message("3\n0 1 2 1 0").starts_with("t:2: the file ends before row 2, column 3 of the first matrix"));
        assert!(message("2\n0 1 1 0\n\n0 1 2147483648 0").starts_with("t:4: "));
        assert!(message("2\n0 1\n1 y\n0 1 1 0").starts_with("t:3: expected row 2, column 2 of the first matrix"));
        assert!(message("2\n0 99999999999 1 0").contains("'99999999999'"));
        assert!(message("0").contains("at least 1"));
    }
}
