//! Tables of text that are read, and what is told of others.

use super::*;

fn fields(text: &str) -> Vec<Vec<String>> {
    Table::new(text, "t").unwrap().rows.into_iter().map(|row| row.fields).collect()
}

#[test]
fn delimiters_are_told_by_the_lines() {
    for text in ["a,b\n1,2\n", "a;b\n1;2", "\u{feff}a\tb\r\n1\t2\r\n", "# a comment, here\n a   b\n\n 1 2\n", "1\n1 2"]
    {
        assert_eq!(fields(text).last().unwrap(), &["1", "2"], "{text:?}");
    }
    assert_eq!(fields("name,x\n\"Berlin, Mitte\",1")[1], ["Berlin, Mitte", "1"]);
    assert_eq!(fields("name;x\nA, B;1,5")[1], ["A, B", "1,5"]);
    assert_eq!(fields("name\n\"Berlin Mitte\"\nSt. Pauli\n"), [["name"], ["Berlin Mitte"], ["St. Pauli"]]);
    let table = Table::new("1,5;2\n3;4", "t").unwrap();
    assert_eq!(table.number("1,5"), Some(1.5));
    assert_eq!(Table::new("1,5\n3,4", "t").unwrap().number("1,5"), None);
}

#[test]
fn quotes_hold_line_breaks_and_begin_with_a_field() {
    assert_eq!(fields("name,x\n\"A\nB\",1\nC,2")[1], ["A\nB", "1"]);
    assert_eq!(fields("name,x\nD 5\" pipe,1\n\"E \"\"F\"\"\",2")[1..], [["D 5\" pipe", "1"], ["E \"F\"", "2"]]);
    assert_eq!(fields("x;y;\n1;2;\n3;4;;\n"), [["x", "y"], ["1", "2"], ["3", "4"]]);
}

#[test]
fn two_quotation_marks_within_a_field_are_one() {
    assert_eq!(fields("\"A \"\"b\"\"; c\",1\n\"D \"\"e\"\"; f\",2"), [["A \"b\"; c", "1"], ["D \"e\"; f", "2"]]);
    assert_eq!(fields("x,y,name\n1,2,A\n3,4,\"Cafe\n\"\"Rose\"\",\"\n")[2], ["3", "4", "Cafe\n\"Rose\","]);
    assert_eq!(fields("\"\",\"\"\"\",\"\"\"a\"\",\"\nb,c,d")[0], ["", "\"", "\"a\","]);
}

#[test]
fn quotes_between_blanks_are_no_part_of_a_name() {
    let rows = fields("name x y\n\"A\" 1 2\n\"B  c\" 3 4\n  \"D \"\"E\"\"\"\t5 7\n\"\" 6 8\n");
    assert_eq!(rows[1..], [["A", "1", "2"], ["B  c", "3", "4"], ["D \"E\"", "5", "7"], ["", "6", "8"]]);
    // Marks that hold no field are a part of it.
    assert_eq!(fields("5\" 1 \"A\n\"B\"c 2 \"\n"), [["5\"", "1", "\"A"], ["\"B\"c", "2", "\""]]);
}

#[test]
fn comments_that_look_like_rows_are_told() {
    assert_eq!(fields("#;x;y\n1;3;4\n")[0], ["#", "x", "y"]);
    assert_eq!(fields("# x,y\n1,2\n# 3,4\n"), [["1", "2"]]);
    let refused = Table::new("name;x;y\nA;0;0\n#12 Elm St;1;2\n", "t").err().unwrap().to_string();
    assert!(refused.starts_with("t:3: '#12 Elm St' begins a comment"), "{refused}");
    assert_eq!(fields("name;x\n\"#12\";1")[1], ["#12", "1"]);
    assert_eq!(fields("name;x\n\"A\n#12\";1")[1], ["A\n#12", "1"]);
}

#[test]
fn thousands_are_told() {
    let read = |text: &str| {
        let table = Table::new(text, "t").unwrap();
        for row in &table.rows {
            (0..2).for_each(|column| _ = table.finite(row, column, "x").unwrap());
        }
        table.no_thousands().map_err(|error| error.to_string())
    };
    let refused = read("900;1.500\n2.500;800").unwrap_err();
    assert!(refused.starts_with("t:1: '1.500' may be a thousand or more, beside '900'"), "{refused}");
    assert!(read("900;1,500\n2,500;800").is_err());
    for fine in [
        "900;1.5\n2.500;1.125",
        "1900;1.500\n2.500;800",
        "0.125;2\n1.500;2.125",
        "1.500;2.500\n1.125;3.000",
        "5;1.125\n3;4",
    ] {
        assert!(read(fine).is_ok(), "{fine}");
    }
}

#[test]
fn titles_above_a_header_are_told() {
    let message = |text: &str| Table::new(text, "t").err().map(|error| error.to_string());
    for text in ["Customers 2026,,\nname,x,y\nA,1,2\n", "Customers 2026,,\n2026-11,,\nname,x,y\nA,1,2\nB,3,4\n"] {
        let told = message(text).unwrap_or_default();
        assert_eq!(
            told, "t:1: the first line says 'Customers 2026' alone: delete what stands above the header",
            "{text}"
        );
    }
    for text in [
        "x,y\n1,2\n3,4\n",
        "2\n1,2\n3,4\n",
        "name\nA\nB\n",
        ",A\nA,0\n",
        "A,,\nB,1,\nC,2,3\n",
        ";R1;R2\nR1;0;1\nR2;1;0\n",
    ] {
        assert_eq!(message(text), None, "{text}");
    }
}

#[test]
fn rows_of_another_width_name_their_line() {
    let message = |text| Table::new(text, "t").err().unwrap().to_string();
    assert_eq!(message("x;y\n1;2\n\n3;4;5\n"), "t:4: 3 fields, but line 1 has 2; every line needs as many");
    assert_eq!(message("x,y\n1,2\n1\n3,4\n"), "t:3: 1 fields, but line 1 has 2; every line needs as many");
    assert!(message("# nothing\n").contains("no rows"));
    // A matrix of one, not how many rows follow.
    assert_eq!(Table::new("0\n", "t").unwrap().rows.len(), 1);
    assert!(message("x,y\n1,5,2,5\n").ends_with("or write them with points"));
    let open = message("name,x,y\nRome,5,6\n\"Berlin,1,2\nParis,3,4\n");
    assert!(open.starts_with("t:3: the quotation mark") && open.ends_with("or double it within a name"), "{open}");
    // So it is where it takes the last field of its line, and the lines behind that with it.
    for (rows, line) in [("x,y,name\n1,2,A\n3,4,\"B\n5,6,C\n7,8,D\n", 3), ("1,2,\"A\n3,4,B\n", 1)] {
        assert!(message(rows).starts_with(&format!("t:{line}: the quotation mark")), "{}", message(rows));
    }
    // Where another name has one, too, the lines between both would be one field.
    let swallowed = message("A,1,2\n\"B,3,4\n\"C,5,6\nD,7,8\n");
    assert!(swallowed.starts_with("t:2: the quotation mark"), "{swallowed}");
    for text in [
        "\"A\nB, C\",1,2\nD,3,4\n",
        "id,x,note\n1,13,\"Main St 5\nBerlin\"\n2,3,Side\n",
        "\"Main St 1, Mitte, Berlin\nGermany\",52.5,13.4\nB,5,6\n",
    ] {
        assert!(
            Table::new(text, "t").unwrap().rows[..2].iter().flat_map(|row| &row.fields).any(|it| it.contains('\n'))
        );
    }
    // However many rows there are.
    let long: String = (0..200_000).map(|at| format!("{at},1,\"a\nb\"\n")).collect();
    assert_eq!(Table::new(&long, "t").unwrap().rows.len(), 200_000);
    assert!(!message("x,y,z\n1,5\n").contains("points"));
}
