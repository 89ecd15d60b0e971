//! Solutions in files: read in every form that is known, written in the one that the ending of the file asks for.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::Problem;
use crate::error::{Error, Result};
use crate::files::write_file;
use crate::instance::{qap, tsp};
use crate::text::read_text;

/// The form in which a file holds a solution, or cities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileForm {
    /// TSPLIB's (`.tour`, `.tsp`) or QAPLIB's (`.sln`, `.dat`).
    Library,
    /// Comma-separated values (`.csv`).
    Table,
    /// A line in GeoJSON (`.geojson`), of cities with longitudes and latitudes.
    GeoJson,
    /// Concorde's solution of a tour (`.sol`); of an assignment QAPLIB's.
    Concorde,
}

/// Endings that promise what is not written.
const OTHERS: [&str; 31] = [
    "jpg", "jpeg", "gif", "webp", "htm", "geojsonl", "json", "jsonl", "ndjson", "svg", "png", "pdf", "html", "xlsx",
    "xls", "ods", "tsv", "gpx", "kml", "shp", "gz", "zip", "npy", "parquet", "yaml", "yml", "toml", "xml", "md",
    "docx", "cyc",
];

impl FileForm {
    /// The form that the ending of a file asks for: TSPLIB's or QAPLIB's where it says nothing.
    ///
    /// ```
    /// use myrmex::FileForm;
    ///
    /// assert_eq!(FileForm::of("berlin52.tour")?, FileForm::Library);
    /// assert_eq!(FileForm::of("berlin52.csv")?, FileForm::Table);
    /// assert_eq!(FileForm::of("berlin52.sol")?, FileForm::Concorde);
    /// assert!(FileForm::of("berlin52.xlsx").is_err());
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for an ending that promises another form.
    pub fn of(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("csv") => Ok(Self::Table),
            Some("geojson") => Ok(Self::GeoJson),
            Some("sol") => Ok(Self::Concorde),
            Some(other) if OTHERS.contains(&other) => Err(Error::Config(format!(
                "{}: .{other} is not written here; name a file .csv, or .tour, .tsp, .sln, .dat as TSPLIB and QAPLIB have it, or .sol as Concorde does",
                path.display()
            ))),
            _ => Ok(Self::Library),
        }
    }
}

impl Problem {
    /// Reads a solution: of tours in TSPLIB's format, as a list, a table, a line in GeoJSON or a JSON report ([`tsp::parse_solution`]), of assignments in
    /// QAPLIB's, a table or a report ([`qap::parse_solution`]). What the file says that it costs may be wrong.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Parse`] with file and line where it holds no solution of this problem.
    pub fn read_solution(&self, path: impl AsRef<Path>) -> Result<Vec<u32>> {
        let (text, file) = read_text(path.as_ref())?;
        self.parse_solution(&text, &file)
    }

    /// The same from text (see [`crate::decode`]); `file` names it in errors.
    ///
    /// # Errors
    /// As [`Problem::read_solution`].
    pub fn parse_solution(&self, text: &str, file: &str) -> Result<Vec<u32>> {
        match self {
            Self::Tsp(instance) => tsp::parse_solution(text, file, instance),
            Self::Qap(instance) => Ok(qap::parse_solution(text, file, instance)?.permutation),
        }
    }

    /// Writes a solution into a file in the form that its ending asks for ([`FileForm::of`]). The file appears whole ([`write_file`]). Closed tours are
    /// written from their first city on, so that equal ones give equal files ([`tsp::write_tour`]).
    ///
    /// ```
    /// use myrmex::{Problem, tsp::Instance};
    ///
    /// let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("square.tour");
    /// let square = Problem::from(Instance::from_points(&[[0.0, 0.0], [5.0, 5.0], [5.0, 0.0], [0.0, 5.0]])?);
    /// square.write_solution(&path, &[0, 2, 1, 3])?;
    /// assert_eq!(square.read_solution(&path)?, [0, 2, 1, 3]);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Tour`] or [`Error::Assignment`] when `permutation` is no solution, [`Error::Config`] where the ending promises what is not
    /// written, or a line on a map of cities that have no longitudes and latitudes; [`Error::Io`].
    pub fn write_solution(&self, path: impl AsRef<Path>, permutation: &[u32]) -> Result<()> {
        let (path, _) = (path.as_ref(), self.cost(permutation)?);
        let form = self.file_form(path)?;
        write_file(path, |mut out| self.write_solution_to(&mut out, form, permutation))
    }

    /// The form that a solution in a file of this name has.
    ///
    /// # Errors
    /// [`Error::Config`] as [`FileForm::of`], and for a line on a map where cities have no longitudes and latitudes
    /// ([`tsp::Instance::lon_lat`]).
    pub fn file_form(&self, path: impl AsRef<Path>) -> Result<FileForm> {
        let path = path.as_ref();
        match FileForm::of(path)? {
            FileForm::GeoJson if !matches!(self, Self::Tsp(instance) if instance.lon_lat().is_some()) => {
                Err(Error::Config(format!("{}: {}", path.display(), self.lacks_places())))
            }
            form => Ok(form),
        }
    }

    /// Why there is no line on a map, and what there is.
    fn lacks_places(&self) -> String {
        let other = if matches!(self, Self::Qap(_)) { ".sln" } else { ".tour" };
        format!("GeoJSON takes longitudes and latitudes, which {} does not have; write .csv or {other}", self.name())
    }

    /// The same to any writer, in a form ([`Problem::file_form`] says which one a file of some name has).
    ///
    /// # Errors
    /// What the writer reports, and [`ErrorKind::InvalidInput`] when `permutation` is no solution, and for a line on a map where cities have no longitudes
    /// and latitudes.
    pub fn write_solution_to(&self, writer: &mut impl Write, form: FileForm, permutation: &[u32]) -> io::Result<()> {
        let cost = || self.cost(permutation).map_err(|error| io::Error::new(ErrorKind::InvalidInput, error));
        match (self, form) {
            (Self::Tsp(instance), FileForm::Library) => tsp::write_tour(writer, instance, cost()?, permutation),
            (Self::Tsp(instance), FileForm::Table) => tsp::write_csv(writer, instance, permutation),
            (Self::Tsp(instance), FileForm::Concorde) => tsp::write_sol(writer, instance, permutation),
            (Self::Tsp(instance), FileForm::GeoJson) => tsp::write_geojson(writer, instance, cost()?, permutation),
            (Self::Qap(instance), FileForm::Library | FileForm::Concorde) => {
                qap::write_solution(writer, instance.length_at(permutation, cost()?), permutation)
            }
            (Self::Qap(instance), FileForm::Table) => {
                cost().and_then(|_| qap::write_csv(writer, instance, permutation))
            }
            (Self::Qap(_), FileForm::GeoJson) => Err(io::Error::new(ErrorKind::InvalidInput, self.lacks_places())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn solutions_come_back_from_every_form() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let degrees = [[13.4, 52.5], [2.35, 48.86], [-0.13, 51.5], [12.5, 41.9]];
        let towns = Problem::from(tsp::Instance::from_lon_lat(&degrees).unwrap());
        for name in ["a.tour", "a.csv", "a.CSV", "a", "a.geojson", "a.sol"] {
            towns.write_solution(at(name), &[0, 2, 1, 3]).unwrap();
            assert_eq!(towns.read_solution(at(name)).unwrap(), [0, 2, 1, 3], "{name}");
        }
        assert!(std::fs::read_to_string(at("a.geojson")).unwrap().contains("LineString"));
        let layout = Problem::from(qap::generate(5, 1).unwrap());
        // Concorde's form, and of an assignment QAPLIB's as before.
        assert_eq!(std::fs::read_to_string(at("a.sol")).unwrap(), "4\n0 2 1 3\n");
        for name in ["b.sln", "b.csv", "b.sol"] {
            layout.write_solution(at(name), &[4, 2, 0, 1, 3]).unwrap();
            assert_eq!(layout.read_solution(at(name)).unwrap(), [4, 2, 0, 1, 3], "{name}");
        }
        assert!(message(layout.write_solution(at("b.geojson"), &[0, 1, 2, 3, 4])).contains("write .csv or .sln"));
        // What a file says that it costs may be wrong.
        assert_eq!(layout.parse_solution("5 1\n1 2 3 4 5\n", "<text>").unwrap(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_is_no_solution_or_no_form_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let square = Problem::from(tsp::generate(tsp::Kind::Lattice, 4, 1).unwrap());
        assert!(message(square.write_solution(at("c.tour"), &[0, 1, 1, 2])).contains("twice"));
        assert!(message(square.write_solution(at("c.xlsx"), &[0, 1, 2, 3])).contains(".xlsx is not written"));
        let cycle = message(square.write_solution(at("c.cyc"), &[0, 1, 2, 3]));
        assert!(cycle.contains(".cyc is not written") && cycle.ends_with("or .sol as Concorde does"), "{cycle}");
        assert!(message(square.write_solution(at("c.geojson"), &[0, 1, 2, 3])).contains("write .csv or .tour"));
        let layout = Problem::from(qap::generate(4, 1).unwrap());
        for problem in [&square, &layout] {
            let error = problem.write_solution_to(&mut Vec::new(), FileForm::GeoJson, &[0, 1, 2, 3]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
        }
        assert!(!at("c.tour").exists() && !at("c.geojson").exists());
    }
}
