//! Assignment problems from two or three tables, as spreadsheets have them: flows between facilities, distances between locations, and what
//! each facility costs at each location by itself.

use super::instance::{Instance, check_count};
use crate::error::{Error, Result};
use crate::instance::sums::added;
use crate::instance::table::{Row, Table, is_nothing};
use crate::instance::tsp;
use crate::instance::ways::{DISTANCES, FLOWS, Ways, ends};
use crate::text::quote;

/// A square table of numbers, and what its rows are called.
struct Square {
    side: usize,
    entries: Vec<f64>,
    names: Option<Vec<String>>,
}

impl Instance {
    /// The problem of two or three tables, each with the name of its file: flows from the facility of a row to that of a column, distances from the
    /// location of a row to that of a column, and, where it is given, what the facility of a row costs at the location of a column by itself. Names
    /// may stand in the first line and column, and are those of facilities and of locations then ([`Instance::facility_names`]); the third table
    /// may have them in another order. A field without anything in it is no flow; of distances it may be on the diagonal alone.
    /// It may have fewer facilities than locations.
    ///
    /// Flows and distances may also have a row for each, below a header with `from` (`origin`, `source`), `to` (`destination`, `target`) and one
    /// more column. A flow without a row is none; of distances all are there, those in one direction count in both where none has two that differ.
    /// Instead of distances the second table may have the places of locations, a row each, in columns that [`tsp::Instance::parse`] knows:
    /// distances are straight lines between points, or metres on the globe.
    ///
    /// ```
    /// use myrmex::qap::Instance;
    ///
    /// let (flows, distances) = (",Sales,Stock\nSales,,4\nStock,1,\n", ";R1;R2;R3\nR1;0;2,5;1\nR2;2;0;3\nR3;1;3;0\n");
    /// let rooms = Instance::parse_tables([flows, "flows.csv"], [distances, "rooms.csv"], None)?;
    /// assert_eq!((rooms.len(), rooms.locations(), rooms.length(&[0, 1])?), (2, 3, 4.0 * 2.5 + 1.0 * 2.0));
    /// let flows = "from,to,trips\nSales,Stock,4\nStock,Sales,1\n";
    /// let rent = ",R3,R2,R1\nSales,9,7,8\nStock,0,0.5,0\n";
    /// let rented = Instance::parse_tables([flows, "flows.csv"], [distances, "rooms.csv"], Some([rent, "rent.csv"]))?;
    /// assert_eq!(rented.length(&[0, 1])?, 4.0 * 2.5 + 1.0 * 2.0 + 8.0 + 0.5);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parse`] with file and line for what is no square of numbers, for more facilities than locations, for costs of others than these,
    /// and for what [`Instance::from_matrices_f64`] refuses.
    pub fn parse_tables(
        [flows, of_flows]: [&str; 2],
        [distances, of_distances]: [&str; 2],
        placing: Option<[&str; 2]>,
    ) -> Result<Self> {
        for (text, file) in
            [(flows, of_flows), (distances, of_distances)].into_iter().chain(placing.map(|[text, file]| (text, file)))
        {
            if text.trim_start().starts_with(['{', '[']) {
                let message = "flows, distances and costs of placing are tables (CSV) here: JSON of them is not read";
                return Err(Error::parse(file, 1, message));
            }
        }
        let flows = square(flows, of_flows, true)?;
        let distances = square(distances, of_distances, false)?;
        let sizes = [flows.side, distances.side];
        if sizes[0] > sizes[1] {
            let [facilities, locations] = sizes;
            let message = format!(
                "{facilities} facilities, and {locations} locations in {of_distances}: each needs one of its own; are the two files swapped?"
            );
            return Err(Error::parse(of_flows, 1, message));
        }
        let placing = placing
            .map(|[text, file]| costs([text, file], [(&flows, of_flows), (&distances, of_distances)]))
            .transpose()?;
        let made = Self::from_matrices_f64("tables", sizes, flows.entries, distances.entries, placing);
        let made = made.map_err(|error| match error {
            Error::Instance(message) => Error::Instance(format!("with {of_distances}: {message}")),
            other => other,
        });
        made.map_err(|error| error.in_file(of_flows, 1))?.with_names(flows.names, distances.names)
    }
}

/// Reads a table of flows or of distances, with a line and a column for each end or with a row for each way.
fn square(text: &str, file: &str, are_flows: bool) -> Result<Square> {
    let table = Table::new(text, file)?;
    let header: Vec<String> = table.rows[0].fields.iter().map(|field| field.to_lowercase()).collect();
    if let Some(ends) = ends(&header).filter(|_| table.rows.len() > 1 && !table.is_named_square()) {
        let ways = Ways::of(&table, ends, if are_flows { &FLOWS } else { &DISTANCES }, None)?;
        let what = if are_flows { "facilities" } else { "locations" };
        check_count(what, ways.names.len()).map_err(|error| error.in_file(file, 1))?;
        let entries = if are_flows { ways.flows() } else { ways.matrix()? };
        let names: Vec<String> = ways.names.iter().map(|&name| name.to_owned()).collect();
        return Ok(Square { side: names.len(), entries, names: Some(names) });
    }
    if !are_flows && tsp::has_places(&table, &header) {
        return between_places(text, file);
    }
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
        table.same_names(true)?;
    }
    let what = if are_flows { "a flow" } else { "a distance" };
    let mut entries = Vec::with_capacity(side * side);
    for (i, row) in rows.iter().enumerate() {
        for j in 0..side {
            let field = &row.fields[column + j];
            let is_empty = field.is_empty() && are_flows || i == j && is_nothing(field);
            entries.push(if is_empty { 0.0 } else { table.entry(row, column + j, what)? });
        }
    }
    table.no_thousands()?;
    let names: Option<Vec<String>> = match (heads, column) {
        (_, 1) => Some(rows.iter().map(|row| row.fields[0].clone()).collect()),
        (1, _) => Some(table.rows[0].fields.clone()),
        _ => None,
    };
    let name = names.as_ref().and_then(|names| names.last()).map(String::as_str);
    if let Some(message) = added(side, |i, j| entries[i * side + j], name) {
        return Err(table.error(rows[side - 1].line, message));
    }
    Ok(Square { side, entries, names })
}

/// The distances between the places of a table.
fn between_places(text: &str, file: &str) -> Result<Square> {
    let places = tsp::Instance::parse(text, file)?;
    let side = places.len();
    check_count("locations", side).map_err(|error| error.in_file(file, 1))?;
    let way = |from: usize, to: usize| if from == to { 0.0 } else { places.way(from, to) };
    let entries = (0..side * side).map(|at| way(at / side, at % side)).collect();
    Ok(Square { side, entries, names: places.city_names().map(<[String]>::to_vec) })
}

/// Reads what each facility costs at each location, in the order of the other two tables.
fn costs([text, file]: [&str; 2], [facilities, locations]: [(&Square, &str); 2]) -> Result<Vec<f64>> {
    let table = Table::new(text, file)?;
    let [m, n] = [facilities.0.side, locations.0.side];
    let (lines, columns) = (table.rows.len(), table.width());
    // A blank corner has names behind it and below.
    let corner = usize::from(table.rows[0].fields[0].is_empty());
    let (Some(heads @ (0 | 1)), Some(names @ (0 | 1))) = (lines.checked_sub(m), columns.checked_sub(n)) else {
        return Err(misshapen(&table, [m, n], corner));
    };
    if corner == 1 && (heads, names) != (1, 1) {
        return Err(misshapen(&table, [m, n], corner));
    }
    let rows = &table.rows[heads..];
    let called: Option<Vec<(&str, usize)>> =
        (names == 1).then(|| rows.iter().map(|row| (row.fields[0].as_str(), row.line)).collect());
    let at_rows = places(&table, m, called, ("facility", facilities))?;
    let head: Option<&Row> = (heads == 1).then(|| &table.rows[0]);
    let called = head.map(|row| row.fields[names..].iter().map(|field| (field.as_str(), row.line)).collect());
    let at_columns = places(&table, n, called, ("location", locations))?;
    let mut costs = vec![0.0; m * n];
    for (row, facility) in rows.iter().zip(at_rows) {
        for (column, location) in at_columns.iter().enumerate() {
            costs[facility * n + location] = table.cost(row, names + column)?;
        }
    }
    table.no_thousands()?;
    Ok(costs)
}

/// What is wrong with the shape of a table of costs, `names` lines and columns of which are names.
fn misshapen(table: &Table<'_>, [m, n]: [usize; 2], names: usize) -> Error {
    let (lines, columns) = (table.rows.len() - names, table.width() - names);
    let beside = if names == 1 { " beside its names" } else { "" };
    let message = format!(
        "a table of {lines} lines and {columns} columns{beside}, where costs of placing have a line for each of {m} facilities and a column for \
         each of {n} locations, with names before both or none"
    );
    table.error(table.rows[0].line, message)
}

/// For each line or column which facility or location it is: those that are called so, or else in their order.
fn places(
    table: &Table<'_>,
    count: usize,
    called: Option<Vec<(&str, usize)>>,
    (what, (square, file)): (&str, (&Square, &str)),
) -> Result<Vec<usize>> {
    let (Some(called), Some(names)) = (called, &square.names) else { return Ok((0..count).collect()) };
    if called.iter().map(|(name, _)| name).eq(names.iter()) {
        return Ok((0..count).collect());
    }
    let mut places = Vec::with_capacity(count);
    for (name, line) in called {
        let place = names.iter().position(|known| known == name);
        let Some(place) = place else {
            return Err(table.error(line, format!("{} is no {what} of {file}", quote(name))));
        };
        if places.contains(&place) {
            return Err(table.error(line, format!("{what} {} comes twice", quote(name))));
        }
        places.push(place);
    }
    Ok(places)
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
        // What says nothing, or stands elsewhere on the diagonal, too, is a field of it.
        _ if is_word(corner) && width == lines && (is_nothing(corner) || !table.is_corner_alone()) => (0, 0),
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
            let made = Instance::parse_tables([flows, "f"], [ROOMS, "r"], None).unwrap();
            assert_eq!((made.len(), made.locations()), (2, 3), "{flows}");
            assert_eq!(made.length(&[2, 0]).unwrap(), 2.0 * 8.0 + 1.0 * 7.0);
            assert_eq!(made.location_names().unwrap(), ["R1", "R2", "R3"]);
            let names = made.facility_names().map(<[String]>::to_vec);
            assert_eq!(names.is_some(), flows.contains('A'), "{flows}");
            assert!(names.is_none_or(|names| names == ["A", "B"]), "{flows}");
        }
        // What says that there is nothing on the diagonal, and rows without flows between tabs.
        let dashes = Instance::parse_tables([",A,B\nA,-,2\nB,1,-\n", "f"], [&ROOMS.replace(",0", ",x"), "r"], None);
        assert_eq!(dashes.unwrap().length(&[2, 0]).unwrap(), 2.0 * 8.0 + 1.0 * 7.0);
        let tabs = Instance::parse_tables(["\tA\tB\nA\t\t2\nB\t\t\n", "f"], [ROOMS, "r"], None);
        assert_eq!(tabs.unwrap().length(&[2, 0]).unwrap(), 2.0 * 8.0);
        // Rooms whose names are numbers.
        let rooms = Instance::parse_tables([FLOWS, "f"], [",101,102\n101,0,5\n102,6,0\n", "r"], None).unwrap();
        assert_eq!((rooms.locations(), rooms.location_names().unwrap()), (2, &["101".to_owned(), "102".into()][..]));
        let fixed = rooms.clone().with_fixed_called(&["B=101"]).unwrap();
        assert_eq!((fixed.fixed(), fixed.location_names().unwrap().len()), (&[[1, 0]][..], 2));
        // Where names are numbers a number is a name; two of one name are none.
        assert!(rooms.with_fixed_called(&["B=1"]).unwrap_err().to_string().contains("'1' is no location"));
        let twice = Instance::parse_tables([",A,A\nA,,2\nA,1,\n", "f"], [ROOMS, "r"], None).unwrap();
        let told = twice.clone().with_fixed_called(&["A=R1"]).unwrap_err().to_string();
        assert!(told.contains("'A' is no facility") && twice.with_fixed_called(&["2=R1"]).is_ok(), "{told}");
    }

    #[test]
    fn what_is_no_square_is_told() {
        let message = |flows: &str, rooms: &str| match Instance::parse_tables([flows, "f"], [rooms, "r"], None) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{flows} {rooms}"),
        };
        let json = message("[[0, 1], [1, 0]]", ROOMS);
        assert!(json.starts_with("f:1: ") && json.ends_with("JSON of them is not read"), "{json}");
        assert!(message(FLOWS, "{}").starts_with("r:1: "));
        assert!(message(ROOMS, FLOWS).contains("are the two files swapped?"));
        assert!(message("0,2\n1,0\n3,3\n", ROOMS).starts_with("f:1: a table of 3 lines and 2 columns is no square"));
        // A blank corner below which numbers may be flows.
        for flows in
            [",5,3\n5,1,2\n3,2,1\n", ",1,\n1,0,2\n,2,0\n", ",3,3\n3,0,3\n3,3,0\n", ",1,4,3\n0,,1,4\n,2,,2\n3,4,3,2\n"]
        {
            let told = message(flows, ROOMS);
            assert!(told.starts_with("f:1: the first line and the first column may be names or weights: "), "{told}");
            let rooms = "0,1,2,3\n1,0,4,5\n2,4,0,6\n3,5,6,0\n";
            let weights = Instance::parse_tables([&format!("0{flows}"), "f"], [rooms, "r"], None).unwrap();
            assert_eq!((weights.len(), weights.facility_names()), (flows.lines().count(), None), "{flows}");
        }
        for small in ["1e-310", "-1e-400"] {
            let told = message(&format!("\tA\tB\nA\t\t{small}\nB\t1\t\n"), ROOMS);
            assert!(told.starts_with("f:2: expected a number for a flow in column 3, not"), "{told}");
            assert!(told.contains("nearer to 0 than 1e-300"), "{told}");
        }
        // Ids grow.
        let zones = Instance::parse_tables([",101,105\n101,5,2\n105,1,7\n", "f"], [ROOMS, "r"], None).unwrap();
        assert_eq!((zones.len(), zones.facility_names().unwrap()), (2, &["101".to_owned(), "105".into()][..]));
        assert!(message(",A,B\nB,0,2\nA,1,0\n", ROOMS).contains("the row is called 'B' and its column 'A'"));
        assert!(
            message(FLOWS, ",R1,R2\nR1,0,\nR2,1,0\n").starts_with("r:2: expected a number for a distance in column 3")
        );
        assert!(message(FLOWS, ",3,4\n3,,4\n4,3,\n").contains("may be names or weights"));
        assert!(message(FLOWS, ",R1,R2\nR1,0,far\nR2,1,0\n").contains("not 'far'"));
        let margins = message(",A,B,All\nA,0,4,4\nB,2,0,2\nAll,2,4,6\n", ROOMS);
        assert!(margins.starts_with("f:4: the last row and the last column are the sums of the others"), "{margins}");
        let means = message(FLOWS, ",R1,R2,Mean\nR1,0,4,2\nR2,2,0,1\nMean,1,2,0\n");
        assert!(means.starts_with("r:4: the last row and the last column are called 'Mean'"), "{means}");
    }

    #[test]
    fn flows_and_distances_may_have_a_row_each() {
        let flows = "From;To;Trips;Note\nA;B;2;x\nB;A;1;\nA;A;3;\n";
        let rooms = "origin,target,km\nR1,R2,5\nR2,R1,6\nR1,R3,7\nR3,R1,8\nR2,R3,1\nR3,R2,2\n";
        let made = Instance::parse_tables([flows, "f"], [rooms, "r"], None).unwrap();
        assert_eq!((made.facility_names().unwrap(), made.locations()), (&["A".to_owned(), "B".into()][..], 3));
        assert_eq!(made.length(&[2, 0]).unwrap(), 2.0 * 8.0 + 1.0 * 7.0);
        assert_eq!(made.length(&[0, 1]).unwrap(), 2.0 * 5.0 + 1.0 * 6.0);
        // A flow has one direction, a distance that has one counts in both.
        let made = Instance::parse_tables(["from,to,flow\nA,B,2\n", "f"], ["to,from,m\nY,X,5\n", "r"], None).unwrap();
        assert_eq!((made.length(&[0, 1]).unwrap(), made.length(&[1, 0]).unwrap()), (10.0, 10.0));
        let message = |flows: &str, rooms: &str| match Instance::parse_tables([flows, "f"], [rooms, "r"], None) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{flows} {rooms}"),
        };
        assert!(message("from,to,flow\nA,B,2\nA,B,3\n", rooms).starts_with("f:3: the flow from 'A' to 'B' is 3 here"));
        assert!(
            message("from,to,flow,n\nA,B,2,1\n", rooms).contains("a table of flows, and how much each is may stand")
        );
        let missing = message(flows, "from,to,m\nX,Y,5\nX,Z,5\n");
        assert!(missing.starts_with("r:3: no row has the way from 'Y' to 'Z'; each two locations need"), "{missing}");
        let infinite = message(flows, "from,to,m\nX,Y,5\nX,Z,5\nY,Z,inf\n");
        assert!(infinite.starts_with("r:4: expected a number for a distance in column 3, not 'inf'"), "{infinite}");
        let many: String = (0..40_000).map(|i| format!("a{i},b{i},1\n")).collect();
        assert!(message(&format!("from,to,flow\n{many}"), rooms).starts_with("f:1: 80000 facilities are more than"));
        assert!(message("from,to,flow\nA,B,much\n", rooms).contains("'much' in column 'flow' is no number"));
    }

    #[test]
    fn locations_may_be_places() {
        let rooms = |table: &str| Instance::parse_tables([FLOWS, "f"], [table, "r"], None);
        let plane = rooms("room,x,y\nR1,0,0\nR2,3,4\nR3,3,0\n").unwrap();
        assert_eq!((plane.locations(), &plane.location_names().unwrap()[1]), (3, &"R2".into()));
        assert_eq!(plane.length(&[0, 1]).unwrap(), 3.0 * 5.0);
        assert_eq!(plane.length(&[0, 2]).unwrap(), 3.0 * 3.0);
        let globe = rooms("lat;lon\n52,52;13,405\n48,8566;2,3522\n").unwrap();
        let metres = globe.length(&[0, 1]).unwrap() / 3.0;
        assert!((metres - 877_464.0).abs() < 2.0 && globe.location_names().is_none(), "{metres}");
        // Rooms that are called so.
        let called = rooms(",x,y\nx,0,5\ny,6,0\n").unwrap();
        assert_eq!((called.length(&[0, 1]).unwrap(), called.location_names().unwrap().len()), (2.0 * 5.0 + 6.0, 2));
        let message = rooms("room,x,y\nR1,0,0\nR2,3,far\n").unwrap_err().to_string();
        assert!(message.starts_with("r:3: "), "{message}");
    }

    #[test]
    fn costs_of_placing_go_by_names() {
        let made = |costs: &str| Instance::parse_tables([FLOWS, "f"], [ROOMS, "r"], Some([costs, "c"]));
        for costs in [
            "1,2,3\n4,5,6\n",
            ",R1,R2,R3\nA,1,2,3\nB,4,5,6\n",
            ";R3;R1;R2\nB;6;4;5\nA;3;1;2\n",
            "A,1,2,3\nB,4,5,6\n",
            "R2 R1 R3\n2 1 3\n5 4 6\n",
        ] {
            let made = made(costs).unwrap_or_else(|error| panic!("{costs}: {error}"));
            assert_eq!(made.length(&[2, 0]).unwrap(), 2.0 * 8.0 + 1.0 * 7.0 + 3.0 + 4.0, "{costs}");
        }
        let message = |costs: &str| made(costs).unwrap_err().to_string();
        assert!(
            message("1,2\n3,4\n").starts_with("c:1: a table of 2 lines and 2 columns, where costs of placing have")
        );
        assert_eq!(message(",R1,R2,R3\nA,1,2,3\nC,4,5,6\n"), "c:3: 'C' is no facility of f");
        assert_eq!(message(",R1,R2,R9\nA,1,2,3\nB,4,5,6\n"), "c:1: 'R9' is no location of r");
        assert_eq!(message(",R1,R2,R3\nA,1,2,3\nA,4,5,6\n"), "c:3: facility 'A' comes twice");
        assert!(message(",R1,R2,R3\nA,1,,3\nB,4,5,6\n").starts_with("c:2: expected a number for a cost in column 3"));
        for (table, shape) in [(",R1,R2\nA,1,2\nB,4,5\n", "2 lines and 2"), (",R1,R2,R3\nA,1,2,3\n", "1 lines and 3")] {
            let told = message(table);
            assert!(told.starts_with(&format!("c:1: a table of {shape} columns beside its names, where")), "{told}");
        }
        let apart = message("1,2,1e308\n4,5,-1e308\n");
        assert!(apart.starts_with("f:1: with r: "), "{apart}");
    }
}
