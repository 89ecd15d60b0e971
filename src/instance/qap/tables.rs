//! Assignment problems from two tables, as spreadsheets have them: flows between facilities, and distances between locations.

use super::instance::Instance;
use crate::error::{Error, Result};
use crate::instance::table::Table;

/// A square table of numbers, and what its rows are called.
struct Square {
    side: usize,
    entries: Vec<f64>,
    names: Option<Vec<String>>,
}

impl Instance {
    /// The problem of two tables and the names of their files: flows from the facility of a row to that of a column, and distances from the
    /// location of a row to that of a column. Names may stand in the first line and column, and are those of facilities and of
    /// locations then ([`Instance::facility_names`]). A field without anything in it is no flow; of distances it may be on the diagonal alone.
    /// It may have fewer facilities than locations.
    ///
    /// ```
    /// use myrmex::qap::Instance;
    ///
    /// let (flows, distances) = (",Sales,Stock\nSales,,4\nStock,1,\n", ";R1;R2;R3\nR1;0;2,5;1\nR2;2;0;3\nR3;1;3;0\n");
    /// let rooms = Instance::parse_tables([flows, "flows.csv"], [distances, "rooms.csv"])?;
    /// assert_eq!((rooms.len(), rooms.locations(), rooms.length(&[0, 1])?), (2, 3, 4.0 * 2.5 + 1.0 * 2.0));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parse`] with file and line for what is no square of numbers, for more facilities than locations, and for what
    /// [`Instance::from_matrices_f64`] refuses.
    pub fn parse_tables([flows, of_flows]: [&str; 2], [distances, of_distances]: [&str; 2]) -> Result<Self> {
        let flows = square(flows, of_flows, "a flow", true)?;
        let distances = square(distances, of_distances, "a distance", false)?;
        let sizes = [flows.side, distances.side];
        if sizes[0] > sizes[1] {
            let [facilities, locations] = sizes;
            let message = format!(
                "{facilities} facilities, and {locations} locations in {of_distances}: each needs one of its own; are the two files swapped?"
            );
            return Err(Error::parse(of_flows, 1, message));
        }
        let made = Self::from_matrices_f64("tables", sizes, flows.entries, distances.entries, None);
        made.map_err(|error| error.in_file(of_flows, 1))?.with_names(flows.names, distances.names)
    }
}

/// Reads a square table; whether fields off the diagonal may be empty, as 0.
fn square(text: &str, file: &str, what: &str, may_be_empty: bool) -> Result<Square> {
    let table = Table::new(text, file)?;
    let (heads, column) = labels(&table);
    let rows = &table.rows[heads..];
    let side = rows.len();
    if side == 0 || table.width() != side + column {
        let (lines, columns) = (table.rows.len(), table.width());
        let message = format!(
            "a table of {lines} lines and {columns} columns is no square: there is a line and a column for each, with names before both or none"
        );
        return Err(table.error(table.rows[0].line, message));
    }
    if heads == 1 && column == 1 {
        table.same_names()?;
    }
    let mut entries = Vec::with_capacity(side * side);
    for (i, row) in rows.iter().enumerate() {
        for j in 0..side {
            let is_empty = row.fields[column + j].is_empty() && (may_be_empty || i == j);
            entries.push(if is_empty { 0.0 } else { table.finite(row, column + j, what)? });
        }
    }
    table.no_thousands()?;
    let names = match (heads, column) {
        (_, 1) => Some(rows.iter().map(|row| row.fields[0].clone()).collect()),
        (1, _) => Some(table.rows[0].fields.clone()),
        _ => None,
    };
    Ok(Square { side, entries, names })
}

/// How many lines and columns of names stand before the numbers: one or none.
fn labels(table: &Table<'_>) -> (usize, usize) {
    let is_word = |field: &String| !field.is_empty() && table.number(field).is_none();
    let (first, others) = (&table.rows[0], &table.rows[1..]);
    let (lines, width) = (table.rows.len(), table.width());
    let heads = first.fields[1..].iter().any(is_word);
    let column = others.iter().any(|row| is_word(&row.fields[0]));
    let corner = &first.fields[0];
    match (heads, column) {
        (true, _) if width == lines => (1, 1),
        (_, true) if width == lines => (1, 1),
        (true, _) => (1, 0),
        (_, true) => (0, 1),
        // Numbers everywhere else: a corner without one says that they are names.
        _ if corner.is_empty() && lines > 2 => (1, 1),
        _ if is_word(corner) && width == lines => (1, 1),
        _ if is_word(corner) => (1, 0),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOWS: &str = ",A,B\nA,,2\nB,1,\n";
    const ROOMS: &str = ",R1,R2,R3\nR1,0,5,7\nR2,6,0,1\nR3,8,2,0\n";

    #[test]
    fn two_tables_are_a_problem() {
        for flows in [FLOWS, "A,B\n0,2\n1,0\n", "A,0,2\nB,1,0\n", "0,2\n1,0\n", "A;;2\nB;1;\n"] {
            let made = Instance::parse_tables([flows, "f"], [ROOMS, "r"]).unwrap();
            assert_eq!((made.len(), made.locations()), (2, 3), "{flows}");
            assert_eq!(made.length(&[2, 0]).unwrap(), 2.0 * 8.0 + 1.0 * 7.0);
            assert_eq!(made.location_names().unwrap(), ["R1", "R2", "R3"]);
            let names = made.facility_names().map(<[String]>::to_vec);
            assert_eq!(names.is_some(), flows.contains('A'), "{flows}");
            assert!(names.is_none_or(|names| names == ["A", "B"]), "{flows}");
        }
        // Rooms whose names are numbers.
        let rooms = Instance::parse_tables([FLOWS, "f"], [",101,102\n101,0,5\n102,6,0\n", "r"]).unwrap();
        assert_eq!((rooms.locations(), rooms.location_names().unwrap()), (2, &["101".to_owned(), "102".into()][..]));
        let fixed = rooms.clone().with_fixed_called(&["B=101"]).unwrap();
        assert_eq!((fixed.fixed(), fixed.location_names().unwrap().len()), (&[[1, 0]][..], 2));
        // Where names are numbers a number is a name; two of one name are none.
        assert!(rooms.with_fixed_called(&["B=1"]).unwrap_err().to_string().contains("'1' is no location"));
        let twice = Instance::parse_tables([",A,A\nA,,2\nA,1,\n", "f"], [ROOMS, "r"]).unwrap();
        let told = twice.clone().with_fixed_called(&["A=R1"]).unwrap_err().to_string();
        assert!(told.contains("'A' is no facility") && twice.with_fixed_called(&["2=R1"]).is_ok(), "{told}");
    }

    #[test]
    fn what_is_no_square_is_told() {
        let message = |flows: &str, rooms: &str| match Instance::parse_tables([flows, "f"], [rooms, "r"]) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{flows} {rooms}"),
        };
        assert!(message(ROOMS, FLOWS).contains("are the two files swapped?"));
        assert!(message("0,2\n1,0\n3,3\n", ROOMS).starts_with("f:1: a table of 3 lines and 2 columns is no square"));
        assert!(message(",A,B\nB,0,2\nA,1,0\n", ROOMS).contains("the row is called 'B' and its column 'A'"));
        assert!(
            message(FLOWS, ",R1,R2\nR1,0,\nR2,1,0\n").starts_with("r:2: expected a number for a distance in column 3")
        );
        assert!(message(FLOWS, ",3,4\n3,,4\n4,3,\n").contains("may be names or weights"));
        assert!(message(FLOWS, ",R1,R2\nR1,0,far\nR2,1,0\n").contains("not 'far'"));
    }
}
