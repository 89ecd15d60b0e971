//! Matrices from tables with a row and a column for each city.

use super::instance::Instance;
use crate::error::Result;
use crate::instance::table::{Row, Table};

/// Whether the rows from `first` on are a square matrix; then whether names stand before its rows.
pub(super) fn names(table: &Table<'_>, first: usize) -> Option<bool> {
    let rows = &table.rows[first..];
    let (n, width) = (rows.len(), table.width());
    let names = match width {
        _ if n < 2 => return None,
        width if width == n => false,
        width if width == n + 1 => true,
        _ => return None,
    };
    let column = usize::from(names);
    // What is no number may stand on the diagonal.
    let is_number = |field: &String| table.number(field).is_some();
    let numbers = rows
        .iter()
        .enumerate()
        .all(|(i, row)| row.fields[column..].iter().enumerate().all(|(j, field)| i == j || is_number(field)));
    let is = |number: f64| move |field: &String| table.number(field).is_none_or(|found| found == number);
    let diagonal = || rows.iter().enumerate().map(|(i, row)| &row.fields[column + i]);
    let zeros = diagonal().all(is(0.0));
    // A name and a few coordinates, or coordinates alone, may make a square too.
    let filled = n == 4 && diagonal().all(is(diagonal().find_map(|field| table.number(field)).unwrap_or_default()));
    let heads = names && first == 1 && {
        let mut of_rows: Vec<&String> = rows.iter().map(|row| &row.fields[0]).collect();
        let mut of_columns: Vec<&String> = table.rows[0].fields[1..].iter().collect();
        of_rows.sort();
        of_columns.sort();
        of_rows == of_columns
    };
    (numbers && (n > 4 || n > 2 && zeros || filled || heads)).then_some(names)
}

/// Tells the first field that keeps the rows from `first` on from being a matrix, where they have its shape and most fields are numbers.
pub(super) fn almost(table: &Table<'_>, first: usize) -> Result<()> {
    let rows = &table.rows[first..];
    let column = match table.width().checked_sub(rows.len()) {
        Some(names @ (0 | 1)) if rows.len() > 2 => names,
        _ => return Ok(()),
    };
    let fields = || rows.iter().enumerate().flat_map(|(i, row)| (0..rows.len()).map(move |j| (i, j, row)));
    let is_number = |(_, j, row): &(usize, usize, &Row)| table.number(&row.fields[column + j]).is_some();
    let numbers = fields().filter(is_number).count();
    // A column of names is none of a matrix.
    let in_each = (0..rows.len()).all(|j| fields().any(|field| field.1 == j && field.0 != j && is_number(&field)));
    if in_each && 2 * numbers > rows.len() * rows.len() {
        for (_, j, row) in fields().filter(|(i, j, _)| i != j) {
            table.finite(row, column + j, "a weight of the matrix")?;
        }
    }
    Ok(())
}

/// The instance of a matrix whose rows begin at `first`, with names before them or not.
pub(super) fn read(table: &Table<'_>, first: usize, names: bool) -> Result<Instance> {
    let (rows, column) = (&table.rows[first..], usize::from(names));
    let n = rows.len();
    if names && first == 1 {
        table.same_names()?;
    }
    let weight = |i: usize, j: usize| match i == j {
        true => Ok(0.0),
        false => table.finite(&rows[i], column + j, "a weight"),
    };
    let mut weights = Vec::with_capacity(n * n);
    for i in 0..n {
        for j in 0..n {
            weights.push(weight(i, j)?);
        }
    }
    table.no_thousands()?;
    let instance = of_weights(n, weights).map_err(|error| error.in_file(table.file, rows[n - 1].line))?;
    if names {
        return instance.with_city_names(rows.iter().map(|row| &row.fields[0]));
    }
    match first {
        0 => Ok(instance),
        _ => instance.with_city_names(&table.rows[0].fields),
    }
}

/// The instance of so many cities whose weights may have decimals, exactly where all are whole.
pub(super) fn of_weights(n: usize, weights: Vec<f64>) -> Result<Instance> {
    // Up to 2⁵³ floating-point numbers hold every whole number.
    let is_whole = |weight: &f64| weight.fract() == 0.0 && weight.abs() < (1u64 << 53) as f64;
    match weights.iter().all(is_whole) {
        true => Instance::from_matrix_i64(n, weights.into_iter().map(|weight| weight as i64).collect()),
        false => Instance::from_matrix_f64(n, weights),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Distances, Metric};
    use super::*;

    fn parse(text: &str) -> Result<Instance> {
        Instance::parse_table(text, "t", Distances::Stated)
    }

    #[test]
    fn matrices_are_told_from_points() {
        for text in [
            "0,1,2\n1,0,3\n2,3,0",
            ",A,B,C\nA,,1,2\nB,1,,3\nC,2,3,",
            "A,B,C\n0,1,2\n1,0,3\n2,3,0",
            "a 0 1 2\nb 1 0 3\nc 2 3 0",
            ",A,B,C\nA,-,1,2\nB,1,x,3\nC,2,3,-\n,,,\n",
            "sep=;\n;A;B;C\nA;-;1;2\nB;1;;3\nC;2;3;0\n",
        ] {
            assert_eq!(parse(text).unwrap().distance_matrix(), [0, 1, 2, 1, 0, 3, 2, 3, 0], "{text}");
        }
        assert_eq!(parse(",A,B,C\nA,,1,2\nB,1,,3\nC,2,3,").unwrap().city_names().unwrap(), ["A", "B", "C"]);
        assert_eq!(parse("0,-1.5,2\n1,0,3\n2,3,0").unwrap().length(&[0, 1, 2]).unwrap(), 3.5);
        // Whatever stands on the diagonal, where the head names the rows, or what else a small table could be makes no sense.
        for text in [
            ",A,B,C,D\nA,9,1,9,5\nB,2,9,3,4\nC,5,6,9,7\nD,1,2,3,9",
            ",A,B,C,D\nA,1,1,9,5\nB,2,2,3,4\nC,5,6,3,7\nD,1,2,3,4",
            "-1,1,9,5\n2,-1,3,4\n5,6,-1,7\n1,2,3,-1",
        ] {
            assert_eq!(
                parse(text).unwrap().distance_matrix(),
                [0, 1, 9, 5, 2, 0, 3, 4, 5, 6, 0, 7, 1, 2, 3, 0],
                "{text}"
            );
        }
        assert_eq!(parse(",A,B\nA,0,3\nB,4,0").unwrap().distance_matrix(), [0, 3, 4, 0]);
        // Three points in space, by their header.
        assert_eq!(parse("x,y,z\n0,1,2\n1,0,3\n2,3,0").unwrap().metric(), Metric::Euc3d);
    }
}
