//! Matrices from tables with a row and a column for each city.

use super::instance::Instance;
use crate::error::Result;
use crate::instance::sums::added;
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
    let heads = names && first == 1 && table.is_named_square();
    let numbers = numbers || upper_half(table, rows, column).is_some();
    let is_matrix = numbers && (heads || n > 2 && says_nothing(n, |i, j| table.number(&rows[i].fields[column + j])));
    is_matrix.then_some(names)
}

/// Whether the diagonal of so many rows and columns says nothing, as in a matrix: it has no number or 0, one number everywhere (from four rows on), or
/// less than all others of its row (from five on). A name and a few coordinates, or records of customers, may make a square, too: those have no
/// diagonal.
pub(super) fn says_nothing(n: usize, number: impl Fn(usize, usize) -> Option<f64>) -> bool {
    let diagonal = || (0..n).filter_map(|i| number(i, i));
    let is = |other: f64| diagonal().all(|number| number == other);
    // Noise, or a stray number, is less than any way.
    let is_least = |i: usize| {
        let others = (0..n).filter(|j| *j != i).filter_map(|j| number(i, j)).fold(f64::INFINITY, f64::min);
        number(i, i).is_none_or(|own| own.abs() < others)
    };
    is(0.0) || n > 3 && diagonal().next().is_none_or(is) || n > 4 && (0..n).all(is_least)
}

/// Whether a table with a header of as many words as it has rows below is a matrix, whatever these words are: 0 on its diagonal, and nowhere else.
pub(super) fn is_plain(table: &Table<'_>) -> bool {
    let rows = &table.rows[1..];
    let is_zero = |(i, row): (usize, &Row)| {
        row.fields
            .iter()
            .enumerate()
            .all(|(j, field)| table.number(field).is_some_and(|number| (number == 0.0) == (i == j)))
    };
    rows.len() > 3 && table.width() == rows.len() && rows.iter().enumerate().all(is_zero)
}

/// Of a matrix that has one half alone, as charts of distances do, whether that is the upper one; the fields of the other half are blank.
fn upper_half(table: &Table<'_>, rows: &[Row], column: usize) -> Option<bool> {
    let pairs = || (0..rows.len()).flat_map(|i| (0..i).map(move |j| [i, j]));
    let field = |[i, j]: [usize; 2]| &rows[i].fields[column + j];
    let is_half = |upper: &bool| {
        pairs().all(|[i, j]| {
            let [here, beyond] = if *upper { [[j, i], [i, j]] } else { [[i, j], [j, i]] };
            table.number(field(here)).is_some() && field(beyond).is_empty()
        })
    };
    [true, false].into_iter().find(is_half)
}

/// Tells the first field that keeps the rows from `first` on from being a matrix, where they have its shape, and the names of its columns before them,
/// numbers in most fields, or, without a header, 0 in each field of the diagonal.
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
    let is_named = first == 1 && column == 1 && table.other_name().is_none();
    let is_zero = |(_, j, row): (usize, usize, &Row)| table.number(&row.fields[column + j]) == Some(0.0);
    let is_likely = match first {
        0 => fields().filter(|(i, j, _)| i == j).all(is_zero),
        _ => is_named || in_each && 2 * numbers > rows.len() * rows.len(),
    };
    if is_likely {
        for (_, j, row) in fields().filter(|(i, j, _)| i != j) {
            table.weight(row, column + j, "a weight of the matrix")?;
        }
    }
    Ok(())
}

/// Whether the first column of a matrix without a header has names: words, among them 01067, or whole numbers that grow from row to row. Others
/// may be weights.
fn are_names(table: &Table<'_>) -> bool {
    let is_padded = |field: &str| matches!(field.as_bytes(), [b'0', b'0'..=b'9', ..]);
    let number = |row: &Row| table.number(&row.fields[0]).filter(|_| !is_padded(&row.fields[0]));
    let numbers: Vec<f64> = table.rows.iter().map_while(number).collect();
    let is_whole = |number: &f64| *number >= 0.0 && number.fract() == 0.0;
    numbers.len() < table.rows.len() || numbers.iter().all(is_whole) && numbers.is_sorted_by(|a, b| a < b)
}

/// The instance of a matrix whose rows begin at `first`, with names before them or not.
pub(super) fn read(table: &Table<'_>, first: usize, names: bool) -> Result<Instance> {
    let (rows, column) = (&table.rows[first..], usize::from(names));
    let n = rows.len();
    match (names, first) {
        (true, 0) if !are_names(table) => {
            let message = format!(
                "the numbers before the {n} rows may be names or weights: if they are names, put a line above that has a word and then the same \
                 names; if they are weights, a row is missing"
            );
            return Err(table.error(rows[0].line, message));
        }
        (true, 1) => table.same_names(false)?,
        (false, 0) if table.is_corner_alone() => {
            let message = "the first line and the first column may be names or weights: if they are names, write the same ones in both, and a word \
                           such as city in the corner; if they are weights, write 0 in the corner";
            return Err(table.error(rows[0].line, message));
        }
        _ => {}
    }
    let half = upper_half(table, rows, column);
    let weight = |i: usize, j: usize| match (i == j, half) {
        (true, _) => Ok(0.0),
        (_, None) => table.weight(&rows[i], column + j, "a weight"),
        (_, Some(true)) => table.weight(&rows[i.min(j)], column + i.max(j), "a weight"),
        (_, Some(false)) => table.weight(&rows[i.max(j)], column + i.min(j), "a weight"),
    };
    let mut weights = Vec::with_capacity(n * n);
    for i in 0..n {
        for j in 0..n {
            weights.push(weight(i, j)?);
        }
    }
    table.no_thousands()?;
    let corner = table.number(&rows[n - 1].fields[column + n - 1]);
    let name = match names {
        true => Some(rows[n - 1].fields[0].as_str()),
        false if first == 1 => table.rows[0].fields.last().map(String::as_str),
        false => None,
    };
    if let Some(message) = odd(n, &weights, corner, name) {
        return Err(table.error(rows[n - 1].line, message));
    }
    let instance = of_weights(n, weights).map_err(|error| error.in_file(table.file, rows[n - 1].line))?;
    if names {
        return instance.with_city_names(rows.iter().map(|row| &row.fields[0]));
    }
    match first {
        0 => Ok(instance),
        _ => instance.with_city_names(&table.rows[0].fields),
    }
}

/// What makes a matrix look like something else: a half that spreadsheets have filled with zeros, and sums or means of the others; `corner` is
/// what stands in its last field, `name` what its last row is called.
pub(super) fn odd(n: usize, weights: &[f64], corner: Option<f64>, name: Option<&str>) -> Option<String> {
    let pairs = || (0..n).flat_map(|i| (0..i).map(move |j| [weights[i * n + j], weights[j * n + i]]));
    let is_empty = |half: usize| pairs().all(|pair| pair[half] == 0.0 && pair[1 - half] != 0.0);
    if n > 2 && (is_empty(0) || is_empty(1)) {
        let message = "all weights on one side of the diagonal are 0, and none on the other: leave them blank where each way is as long as that back";
        return Some(message.into());
    }
    let entry = |i: usize, j: usize| match i == n - 1 && j == n - 1 {
        true => corner.unwrap_or_default(),
        false => weights[i * n + j],
    };
    added(n, entry, name)
}

/// The instance of so many cities whose weights may have decimals, exactly where all are whole and devices count so far.
pub(super) fn of_weights(n: usize, weights: Vec<f64>) -> Result<Instance> {
    // Up to 2⁵³ floating-point numbers hold every whole number.
    let is_whole = |weight: &f64| weight.fract() == 0.0 && weight.abs() < (1u64 << 53) as f64;
    match weights.iter().all(is_whole) {
        true => Instance::from_matrix_i64(n, weights.iter().map(|&weight| weight as i64).collect())
            .or_else(|_| Instance::from_matrix_f64(n, weights)),
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
        assert_eq!(parse(",B,A\nB,0,3\nA,4,0").err().map(|error| error.to_string()), None);
        // The first number on the diagonal may stand below a blank.
        assert_eq!(parse("-,1,9,5\n2,-,3,4\n5,6,7,7\n1,2,3,7").unwrap().distance(0, 2), 9);
        let noise = parse("0,3,4,5,6\n3,1e-9,4,5,6\n4,4,1,5,6\n5,5,5,0,6\n6,6,6,6,0").unwrap();
        assert_eq!((noise.len(), noise.distance(4, 0)), (5, 6));
        // Five rows of five numbers may be five customers.
        for text in [
            "1 2 3 4 5\n6 7 8 9 1\n2 3 4 5 6\n7 8 9 1 2\n3 4 5 6 7",
            "CUST,EAST,NORTH,DEMAND,READY\n1,35,35,0,0\n2,41,49,10,161\n3,35,17,7,50\n4,55,45,13,116\n5,55,20,19,149",
        ] {
            assert!(parse(text).unwrap_err().to_string().contains("diagonal"), "{text}");
        }
        // Two rows are points, and so are numbers with a number before them.
        for text in ["0,1\n2,0", "5,1\n2,5", "0 0 1\n1 1 0"] {
            assert_eq!(parse(text).unwrap().metric(), Metric::Euc2d, "{text}");
        }
        for text in [
            "9,1,2\n1,9,3\n2,3,9",
            "-1,1,9\n2,-1,3\n5,6,-1",
            "1,2,3,4\n5,6,7,8\n9,1,2,3\n4,5,6,7",
            ",A\nA,0",
            "city,a,b\nP,1,2\nQ,3,4",
            "A,B,C,D,E,F,G\n1,2,3,4,5,6,7\n1,2,3,4,5,6,7\n1,2,3,4,5,6,7\n1,2,3,4,5,6,7\n1,2,3,4,5,6,7",
        ] {
            let told = parse(text).unwrap_err().to_string();
            assert!(["t:1: no column", "t:1: three columns"].iter().any(|words| told.starts_with(words)), "{told}");
        }
        // Three points in space, by their header.
        assert_eq!(parse("x,y,z\n0,1,2\n1,0,3\n2,3,0").unwrap().metric(), Metric::Euc3d);
    }

    #[test]
    fn cities_have_the_names_beside_the_matrix_or_above_it() {
        let names = |text: &str| parse(text).unwrap().city_names().map(<[String]>::to_vec);
        let [a, b, c] = ["A", "B", "C"].map(String::from);
        assert_eq!(names("0,1,2\n1,0,3\n2,3,0"), None);
        assert_eq!(names("A,B,C\n0,1,2\n1,0,3\n2,3,0"), Some(vec![a.clone(), b.clone(), c.clone()]));
        assert_eq!(names("C 0 1 2\nB 1 0 3\nA 2 3 0"), Some(vec![c, b, a]));
    }

    #[test]
    fn numbers_before_rows_are_names_where_they_grow() {
        let named = |ids: [&str; 4]| {
            let [a, b, c, d] = ids;
            format!("{a},0,22,37,18\n{b},22,0,9,53\n{c},37,9,0,26\n{d},18,53,26,0\n")
        };
        for ids in [
            ["1", "2", "3", "4"],
            ["0", "1", "2", "3"],
            ["7", "12", "13", "40"],
            ["31", "62", "B", "15"],
            ["10115", "80331", "01067", "50667"],
        ] {
            assert_eq!(parse(&named(ids)).unwrap().city_names().unwrap(), ids);
        }
        for ids in [
            ["31", "62", "15", "40"],
            ["5", "7", "7", "9"],
            ["1", "2.5", "3", "4"],
            ["5", "0.5", "0", "4"],
            ["-1", "2", "3", "4"],
            ["1", "2", "3", "inf"],
        ] {
            let told = parse(&named(ids)).unwrap_err().to_string();
            assert!(told.starts_with("t:1: the numbers before the 4 rows may be names or weights"), "{told}");
            // As it says.
            let remedy = format!("city,{}\n{}", ids.join(","), named(ids));
            assert_eq!(parse(&remedy).unwrap().city_names().unwrap(), ids);
        }
    }

    /// Programs that write a table's index say in the corner what it is called.
    #[test]
    fn a_word_in_the_corner_leaves_numbers_to_be_names() {
        let rows = "7,0,1,2,3\n5,1,0,4,5\n9,2,4,0,6\n8,3,5,6,0\n";
        for head in ["city,7,5,9,8", "id,7,5,9,8", ",7,5,9,8", "city,7.0,5.0,9.0,8.0"] {
            for diagonal in ["0", "3"] {
                let instance = parse(&format!("{head}\n{}", rows.replace(",0", &format!(",{diagonal}")))).unwrap();
                assert_eq!(
                    (instance.len(), instance.city_names().unwrap()),
                    (4, &["7", "5", "9", "8"].map(String::from)[..])
                );
                assert_eq!((instance.distance(0, 3), instance.distance(1, 2)), (3, 4), "{head}");
            }
        }
        // What stands elsewhere on the diagonal, too, is none of a header.
        for corner in ["x", "self", "-"] {
            let text = format!("{corner},7,5,9\n7,{corner},1,2\n5,1,{corner},4\n9,2,4,{corner}\n");
            assert_eq!((parse(&text).unwrap().len(), parse(&text).unwrap().city_names()), (4, None), "{text}");
        }
    }

    /// As pandas writes a named index and a diagonal of NaN.
    #[test]
    fn a_word_in_the_corner_tells_names_where_the_diagonal_is_blank() {
        let rows = "7,,1,2,3\n5,1,,4,5\n9,2,4,,6\n8,3,5,6,\n";
        let named = parse(&format!("city,7,5,9,8\n{rows}")).unwrap();
        assert_eq!(named.city_names().unwrap(), ["7", "5", "9", "8"]);
        let told = parse(&format!(",7,5,9,8\n{rows}")).unwrap_err().to_string();
        assert!(told.contains("since the whole diagonal is blank"), "{told}");
    }

    #[test]
    fn a_corner_that_leaves_names_and_weights_open_is_refused() {
        let rows = "7,0,1,2,3\n5,1,0,4,5\n9,2,4,0,6\n8,3,5,6,0\n";
        for head in ["x,7,5,9,8", "-,7,5,9,8", "na,7,5,9,8", "none,7,5,9,8", "nil,7,5,9,8", "city,7,5,9,6"] {
            for rows in [rows, &rows.replace(",0", ",")] {
                let told = parse(&format!("{head}\n{rows}")).unwrap_err().to_string();
                assert!(told.starts_with("t:1: the first line and the first column may be names or weights"), "{told}");
                // As it says.
                let weights = parse(&format!("0{}\n{rows}", &head[head.find(',').unwrap()..])).unwrap();
                assert_eq!((weights.len(), weights.city_names()), (5, None), "{head}");
            }
        }
        assert_eq!(parse(&format!("city,7,5,9,8\n{rows}")).unwrap().len(), 4);
        assert!(parse("x,1,9,5\n2,7,3,4\n5,6,7,7\n1,2,3,7").unwrap_err().to_string().contains("names or weights"));
    }

    #[test]
    fn what_is_almost_a_matrix_names_its_first_field_that_is_no_number() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        let weight = "expected a number for a weight of the matrix in column";
        for (text, line, column) in [
            ("A,B,C\n0,1,2\n1,0,x\n2,3,0", 3, 3),
            (",A,B,C\nA,,5,9\nB,6,,x\nC,8,4,\n", 3, 4),
            (",A,B,C\nA,0,5,9\nB,6,0,7\nC,8,x,0\n", 4, 3),
        ] {
            let told = message(text);
            assert!(told.starts_with(&format!("t:{line}: {weight} {column}, not 'x'")), "{told}");
        }
        // Where rows are called as columns are it is one, whatever its fields are.
        let times = message(",A,B,C\nA,0:00,0:12,0:20\nB,0:12,0:00,0:09\nC,0:20,0:09,0:00\n");
        assert!(times.starts_with(&format!("t:2: {weight} 3, not '0:12'")), "{times}");
        // A column of text, a number on the diagonal in it or not, and a table of which half is text.
        for text in [
            "city,a,b,note\nP,1,2,x\nQ,3,4,y\nR,5,6,z\n",
            "city,a,b,note\nP,1,2,x\nQ,3,4,y\nR,5,6,7\n",
            "a,b,c,d\nx,1,2,3\n4,x,5,x\n6,7,x,x\nx,8,x,x\n",
        ] {
            assert!(message(text).starts_with("t:1: no column is called x and y"), "{}", message(text));
        }
        let apart = message(",A,B\nA,0,-1e308\nB,1e308,0\n");
        assert!(apart.starts_with("t:3: the weights lie further apart"), "{apart}");
    }

    #[test]
    fn whole_weights_count_exactly_as_far_as_floating_point_numbers_do() {
        let limit = (1u64 << 53) as f64;
        let is_exact = |weight: f64| of_weights(2, vec![0.0, weight, weight + 2.0, 0.0]).unwrap().edge_error() == 0.0;
        assert!([7.0, limit - 4.0, 2.0 - limit].into_iter().all(is_exact));
        assert!(![limit - 2.0, limit + 2.0, -limit, -limit - 4.0].into_iter().any(is_exact));
    }

    #[test]
    fn half_a_matrix_is_mirrored() {
        for text in [
            ",A,B,C\nA,,1,2\nB,,,3\nC,,,\n",
            ";A;B;C\nA;0;;\nB;1;0;\nC;2;3;0\n",
            "A,,1,2\nB,,,3\nC,,,\n",
            "A,B,C\n0,1,2\n,0,3\n,,0\n",
        ] {
            assert_eq!(parse(text).unwrap().distance_matrix(), [0, 1, 2, 1, 0, 3, 2, 3, 0], "{text}");
        }
        assert!(parse(",A,B,C\nA,,1,2\nB,4,,3\nC,,,\n").is_err());
    }

    #[test]
    fn halves_of_zeros_and_sums_are_refused() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        let zeros = message(",A,B,C\nA,0,1,2\nB,0,0,3\nC,0,0,0\n");
        assert!(zeros.starts_with("t:4: all weights on one side of the diagonal are 0"), "{zeros}");
        let sums = message(",A,B,C,Total\nA,0,1,2,3\nB,4,0,3,7\nC,5,2,0,7\nTotal,9,3,5,17\n");
        assert!(sums.starts_with("t:5: the last row and the last column are called 'Total'"), "{sums}");
        let sums = message(",A,B,C,All\nA,0,1,2,3\nB,4,0,3,7\nC,5,2,0,7\nAll,9,3,5,17\n");
        assert!(sums.starts_with("t:5: the last row and the last column are the sums"), "{sums}");
        assert!(message("A,B,C,Mean\n0,1,2,3\n4,0,3,7\n5,2,0,7\n9,3,5,0\n").contains("are called 'Mean'"));
        // Sums by chance.
        assert!(parse(",A,B,C,D\nA,0,1,2,3\nB,1,0,4,5\nC,2,4,0,6\nD,3,5,6,0\n").is_ok());
        assert!(parse(",A,B,C\nA,0,0,0\nB,0,0,0\nC,0,0,0\n").is_ok());
    }
}
