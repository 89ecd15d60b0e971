//! QAPLIB solution files: the number of facilities and a cost in the unit of the instance, then the location of each facility, counted from 1.

use std::io::{self, Write};
use std::path::Path;

use super::instance::Instance;
use crate::error::{Error, Flaw, Result};
use crate::text::{Numbers, read_text};

/// What a solution file says.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedSolution {
    /// The location of each facility, counted from 0.
    pub permutation: Vec<u32>,
    /// The cost that the file states in the unit of what was given, which may be wrong.
    pub cost: f64,
}

impl StatedSolution {
    /// Whether the assignment costs what is stated; of entries that are not counted exactly to nine digits.
    ///
    /// # Errors
    /// As [`Instance::cost`].
    pub fn is_true(&self, instance: &Instance) -> Result<bool> {
        let (length, exact) = (instance.length(&self.permutation)?, instance.cost_error() == 0.0);
        let differs = (length - self.cost).abs();
        Ok(differs == 0.0 || (!exact && differs <= 1e-9 * length.abs().max(self.cost.abs())))
    }
}

/// Reads a QAPLIB solution (.sln) of `instance`.
///
/// Some files of the library list for each location its facility instead. The list is taken as such where only that agrees
/// with the stated cost.
///
/// # Errors
/// [`Error::Io`], or [`Error::Parse`] with file and line.
pub fn read_solution(path: impl AsRef<Path>, instance: &Instance) -> Result<StatedSolution> {
    let (text, file) = read_text(path.as_ref())?;
    parse_solution(&text, &file, instance)
}

/// The same from text; `file` names it in errors.
///
/// # Errors
/// As [`read_solution`].
pub fn parse_solution(text: &str, file: &str, instance: &Instance) -> Result<StatedSolution> {
    let (n, locations) = (instance.len(), instance.locations());
    let mut numbers = Numbers::new(text, file);
    let size = numbers.next::<usize>("the number of facilities")?;
    if size != n {
        return Err(numbers.error(format!("a solution of {size} facilities, but the instance has {n}")));
    }
    let cost = numbers.next::<f64>("the cost")?;
    if !cost.is_finite() {
        return Err(numbers.error(format!("expected the cost, not '{cost}'")));
    }
    let mut permutation = Vec::with_capacity(n);
    for facility in 1..=n {
        let location = numbers.next_with::<u32>("", || format!("the location of facility {facility}"))?;
        if !(1..=locations as u32).contains(&location) {
            return Err(numbers.error(format!("expected a location from 1 to {locations}, not {location}")));
        }
        if permutation.contains(&(location - 1)) {
            return Err(numbers.error(format!("location {location} is taken twice")));
        }
        permutation.push(location - 1);
    }
    numbers.end("the last location")?;
    let listed = StatedSolution { permutation, cost };
    let is_true = listed.is_true(instance);
    if n == locations && !matches!(is_true, Ok(true)) {
        let mut inverse = vec![0; n];
        for (facility, &location) in listed.permutation.iter().enumerate() {
            inverse[location as usize] = facility as u32;
        }
        let inverse = StatedSolution { permutation: inverse, cost };
        if matches!(inverse.is_true(instance), Ok(true)) {
            return Ok(inverse);
        }
    }
    match is_true {
        Err(Error::Assignment(Flaw::Moved { facility, found, expected })) => Err(Error::parse(
            file,
            1,
            format!(
                "facility {} is at location {}, but it is fixed at location {}",
                facility + 1,
                found + 1,
                expected + 1
            ),
        )),
        Err(error) => Err(Error::parse(file, 1, error.to_string())),
        Ok(_) => Ok(listed),
    }
}

/// Writes an assignment in QAPLIB's format: its cost in the unit of what was given, and for each facility its location, counted from 1.
///
/// # Errors
/// What the writer reports.
pub fn write_solution(writer: &mut impl Write, length: f64, permutation: &[u32]) -> io::Result<()> {
    writeln!(writer, "{} {length}", permutation.len())?;
    for chunk in permutation.chunks(20) {
        let line: Vec<String> = chunk.iter().map(|location| (location + 1).to_string()).collect();
        writeln!(writer, "{}", line.join(" "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_inverse_lists_are_recognised() {
        let instance = crate::instance::qap::generate(30, 3).unwrap();
        let permutation: Vec<u32> = (0..30).map(|i| (i * 7 + 4) % 30).collect();
        let cost = instance.length(&permutation).unwrap();
        let mut text = Vec::new();
        write_solution(&mut text, cost, &permutation).unwrap();
        let text = String::from_utf8(text).unwrap();
        let read = parse_solution(&text, "t", &instance).unwrap();
        assert_eq!(read, StatedSolution { permutation: permutation.clone(), cost });
        let mut inverse = vec![0; 30];
        for (facility, &location) in permutation.iter().enumerate() {
            inverse[location as usize] = facility as u32;
        }
        let mut text = Vec::new();
        write_solution(&mut text, cost, &inverse).unwrap();
        let read = parse_solution(&String::from_utf8(text).unwrap(), "t", &instance).unwrap();
        assert_eq!(read.permutation, permutation);
    }

    #[test]
    fn broken_solutions_name_their_line() {
        let instance = crate::instance::qap::generate(3, 1).unwrap();
        let message = |text: &str| parse_solution(text, "t", &instance).unwrap_err().to_string();
        assert!(message("4 1").contains("instance has 3"));
        assert!(message("3 1\n1 2\n2").starts_with("t:3: location 2 is taken twice"));
        assert!(message("3 1\n1 2 4").contains("from 1 to 3, not 4"));
        assert!(message("3 1\n1 2").contains("ends before the location of facility 3"));
        assert!(message("3 1\n1, 2, 3, 4").contains("nothing more after the last location"));
        assert!(message("3 x").contains("expected the cost, not 'x'"));
    }
}
