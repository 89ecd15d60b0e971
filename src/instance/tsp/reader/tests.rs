//! What TSPLIB files say, and where it is told that they are wrong.

use super::sections::MAX_MATRIX_CITIES;
use super::*;
use crate::instance::tsp::instance::MAX_DISTANCE;

fn parse(text: &str) -> Result<Instance> {
    Instance::parse(text, "f")
}

fn message(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

const HEAD: &str = "NAME:x\nTYPE : TSP (A. Person)\nDIMENSION: 3\nEDGE_WEIGHT_TYPE :EUC_2D\n";

#[test]
fn odd_spacing_is_read() {
    let text =
        format!("{HEAD}COMMENT: a\r\nCOMMENT : b\n\nNODE_COORD_SECTION \r\n 3\t4 0 \r\n1 0 0.0e+00\r\n  2 0 -3\n\n");
    let instance = parse(&text).unwrap();
    assert_eq!((instance.name(), instance.comment(), instance.len()), ("x", "a b", 3));
    assert_eq!(instance.tour_cost(&[0, 1, 2]).unwrap(), 12);
    let zero_based = format!("{HEAD}NODE_COORD_SECTION\n0 0 0\n1 0 -3\n2 4 0\nEOF\nrubbish");
    let zero_based = parse(&zero_based).unwrap();
    assert_eq!(zero_based.tour_cost(&[0, 1, 2]).unwrap(), 12);
    // Its cities are called as it calls them.
    assert_eq!((zero_based.city_called("0").unwrap(), zero_based.city_label(2).as_str()), (0, "2"));
    let tour = |cities: &str| crate::tsp::parse_solution(&format!("TOUR_SECTION\n{cities}\n-1\n"), "t", &zero_based);
    assert_eq!((tour("0 2 1").unwrap(), tour("1 3 2").unwrap()), (vec![0, 2, 1], vec![0, 2, 1]));
    assert!(tour("0 3 1").unwrap_err().to_string().contains("from 0 to 2, not '3'"));
    // In any order, and up to a line that says -1.
    let ended = format!("{HEAD}COMMENT: at 7:30\nNODE_COORD_SECTION\n1 0 -3\n2 4 0\n0 0 0\n-1\nEOF\n");
    let instance = parse(&ended).unwrap();
    assert_eq!((instance.comment(), instance.points()[1].y), ("at 7:30", -3.0));
}

#[test]
fn each_layout_gives_the_same_matrix() {
    let head = "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: ";
    for (format, entries) in [
        ("FULL_MATRIX", "0 1 2\n1 0 3\n2 3 0"),
        ("UPPER_ROW", "1 2 3"),
        ("LOWER_ROW", "1\n2 3"),
        ("UPPER_DIAG_ROW", "9 1 2 9\n3 9"),
        ("LOWER_DIAG_ROW", "9 1 9 2 3 9"),
        ("UPPER_COL", "1 2 3"),
        ("LOWER_COL", "1 2 3"),
        ("UPPER_DIAG_COL", "9 1 9 2 3 9"),
        ("LOWER_DIAG_COL", "9 1 2 9 3 9"),
    ] {
        let instance = parse(&format!("{head}{format}\nEDGE_WEIGHT_SECTION\n{entries}\nEOF")).unwrap();
        assert_eq!(instance.distance_matrix(), [0, 1, 2, 1, 0, 3, 2, 3, 0], "{format}");
    }
}

#[test]
fn broken_coordinates_name_their_line() {
    let nodes = |rows: &str| message(&format!("{HEAD}NODE_COORD_SECTION\n{rows}"));
    assert!(nodes("1 0 0\n2 0 3\n").starts_with("f:7: only 2 of 3 nodes"));
    assert!(nodes("1 0 0\n2 0 3\n3 1 1\n4 1 1\n").starts_with("f:9: more than the 3"));
    assert!(nodes("1 0 0\n2 0 3\n2 1 1\n").starts_with("f:8: node 2 appears twice"));
    assert!(nodes("1 0 0\n2 0 3\n7 1 1\n").starts_with("f:8: node 7 is beyond"));
    assert!(nodes("2 0 0\n2 0 3\n1 1 1\n").starts_with("f:7: node 2 appears twice"));
    assert!(nodes("1 0 0\n7 0 3\n2 1 1\n").starts_with("f:7: node 7 is beyond"));
    // Nodes count from 0 or from 1.
    assert!(nodes("2 0 0\n3 0 3\n4 1 1\n").starts_with("f:8: node 4 is beyond"));
    assert!(nodes("1 0 0\n2\n3 1 1\n").starts_with("f:7: node 2 has 0 coordinates and needs 2"));
    assert!(nodes("1 0 0\n-1 0 3\n3 1 1\n").starts_with("f:7: expected a node number, not '-1'"));
    assert!(nodes("1 0 0\n2 nan 3\n3 1 1\n").starts_with("f:7: coordinate 'nan'"));
    assert!(nodes("1 0 0\n2 inf 3\n3 1 1\n").starts_with("f:7: coordinate 'inf'"));
    assert!(nodes("1 0 0\n2 1e300 3\n3 1 1\n").starts_with("f:7: coordinate '1e300'"));
    let far = nodes("1 0 0\n2 1e12 3\n3 1 1\n");
    assert!(far.starts_with("f:8: ") && far.contains("scale them down"), "{far}");
    assert!(nodes("1 0 0\n2 x 3\n3 1 1\n").contains("expected a coordinate, not 'x'"));
    assert!(nodes("1 0 0\n2 5\n3 1 1\n").contains("has 1 coordinates and needs 2"));
    assert!(nodes("1 0 0\n2 5 5 5\n3 1 1\n").contains("more than 2 coordinates"));
    assert!(nodes("1 0 0 1\n").ends_with("more than 2 coordinates: '1'; EDGE_WEIGHT_TYPE EUC_3D takes three"));
    assert!(nodes("1 0 0 1 1\n").ends_with("more than 2 coordinates: '1'"));
}

#[test]
fn places_off_the_globe_name_their_line() {
    let head = HEAD.replace("EUC_2D", "GEO");
    let nodes = |rows: &str| message(&format!("{head}NODE_COORD_SECTION\n{rows}"));
    assert!(nodes("1 1 1\n3 5 5\n2 1 -200\n").starts_with("f:8: the city has latitude 1 and longitude -200"));
    assert!(nodes("1 1 1\n3 1 -200\n2 5 5\n").starts_with("f:7: the city has latitude 1 and longitude -200"));
    let odd = nodes("1 1 1\n3 52.52 13.405\n2 48.8566 2.3522\n");
    assert!(odd.starts_with("f:8: the city has 48.8566") && odd.contains("the metric 'globe'"), "{odd}");
}

#[test]
fn distances_may_be_other_than_stated() {
    let read = |metric: &str, distances| {
        let head = HEAD.replace("EUC_2D", metric);
        let rows = "NODE_COORD_SECTION\n1 52.52 13.405\n2 48.8566 2.3522\n3 51.5072 -0.1276\n";
        Instance::parse_as(&format!("{head}{rows}"), "f", distances)
    };
    let globe = read("GEO", Distances::Globe).unwrap();
    assert_eq!((globe.name(), globe.distance(0, 1)), ("x", 877_465));
    let plane = read("EUC_2D", Distances::Plane).unwrap();
    let [first, second] = [plane.points()[0], plane.points()[1]];
    assert!((f64::from(plane.distance(0, 1)) / plane.scale() - first.distance(second)).abs() < 1e-5);
    let off = read("EUC_2D", Distances::Globe).unwrap();
    assert!(off.distance(0, 1) != globe.distance(0, 1), "the longitude comes first");
    let rows = "NODE_COORD_SECTION\n1 1 1\n2 565 5\n3 1 1\n";
    let wrong = Instance::parse_as(&format!("{HEAD}{rows}"), "f", Distances::Globe).unwrap_err().to_string();
    assert!(wrong.starts_with("f:7: the city has longitude 565 and latitude 5"), "{wrong}");
    let plane = Instance::parse_as(&format!("{HEAD}{rows}"), "f", Distances::Plane).unwrap();
    assert_eq!(plane.points().iter().map(|p| (p.x, p.y)).collect::<Vec<_>>(), [(1.0, 1.0), (565.0, 5.0), (1.0, 1.0)]);
    // Tables and GeoJSON too, which are named after the file.
    for text in ["x,y\n13,52\n2,48\n", "{\"type\":\"MultiPoint\",\"coordinates\":[[13,52],[2,48]]}"] {
        let read = |distances| Instance::parse_as(text, "folder/places.txt", distances).unwrap();
        let [plane, globe] = [read(Distances::Plane), read(Distances::Globe)];
        assert_eq!([plane.metric(), globe.metric()], [Metric::Euc2d, Metric::Haversine], "{text}");
        assert_eq!([plane.name(), globe.name()], ["places"; 2], "{text}");
    }
    // Latitudes come first in TSPLIB's files of the globe.
    let head = HEAD.replace("EUC_2D", "GEO");
    let east = format!("{head}NODE_COORD_SECTION\n1 1 120\n2 5 130\n3 1 140\n");
    assert_eq!(Instance::parse_as(&east, "f", Distances::Globe).unwrap().len(), 3);
    let head = HEAD.replace("EUC_2D", "EUC_3D");
    let space = format!("{head}NODE_COORD_SECTION\n1 0 0 0\n2 1 2 2\n3 0 0 0\n");
    let space = Instance::parse_as(&space, "f", Distances::Plane).unwrap();
    assert_eq!((space.metric(), space.length(&[0, 1, 2]).unwrap()), (Metric::Euc3d, 6.0));
    let matrix = "DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1\n";
    for distances in [Distances::Plane, Distances::Globe] {
        assert!(Instance::parse_as(matrix, "f", distances).unwrap_err().to_string().contains("leave the metric out"));
    }
}

#[test]
fn broken_matrices_name_their_line() {
    let head = "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: ";
    let matrix = |rest: &str| message(&format!("{head}{rest}"));
    assert!(matrix("UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2\n").starts_with("f:5: only 2 of 3 weights"));
    assert!(matrix("UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3 4\n").contains("more than the 3 weights"));
    assert!(matrix("UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 -2 3\n").contains("not '-2'"));
    assert!(matrix("UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2.5 3\n").contains("not '2.5'"));
    assert!(matrix("UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 3000000000 3\n").contains("not '3000000000'"));
    let asymmetric = matrix("FULL_MATRIX\nTYPE: TSP (of ways)\nEDGE_WEIGHT_SECTION\n0 1 2 1 0 3 2 4 0\n");
    assert!(asymmetric.starts_with("f:6: the matrix is asymmetric"), "{asymmetric}");
    for odd in ["SPIRAL", "UPPER", "UPPER_ROWS"] {
        let told = matrix(&format!("{odd}\nEDGE_WEIGHT_SECTION\n1\n"));
        assert!(told.starts_with(&format!("f:3: EDGE_WEIGHT_FORMAT '{odd}'")), "{told}");
    }
}

#[test]
fn wrong_headers_name_their_line() {
    assert!(message("").starts_with("f:1: the file is empty"));
    assert!(message("NAME: x\n").contains("EDGE_WEIGHT_TYPE is missing"));
    assert!(message("hello\n").starts_with("f:1: not a TSPLIB file"));
    assert!(message("hello: you\n").starts_with("f:1: not a TSPLIB file"));
    assert!(
        message(&format!("{HEAD}DEPOT_SECTION\n1\n")).starts_with("f:5: DEPOT_SECTION is not supported: take it out")
    );
    assert!(message(&format!("{HEAD}DEMAND_SECTION:\n1 4\n")).ends_with("DISPLAY_DATA_SECTION, FIXED_EDGES_SECTION"));
    assert!(
        message("EDGE_DATA_SECTION\n1 2\n").contains("EDGE_DATA_SECTION is not supported: write a table with a row")
    );
    assert!(message("NAME: x\nTYPE: CVRP\n").contains("'CVRP'"));
    assert!(message("DIMENSION: 0\n").starts_with("f:1: DIMENSION must lie in 1"));
    assert!(message("dimension : 0\n").starts_with("f:1: DIMENSION must lie in 1"));
    assert!(message("DIMENSION: 99999999999\n").contains("99999999999"));
    assert!(message("DIMENSION: many\n").contains("'many'"));
    assert!(message("EDGE_WEIGHT_TYPE: XRAY1\n").contains("supported are EUC_2D"));
    assert!(message("EDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 1 1\n").contains("DIMENSION is missing"));
    assert!(message(&format!("{HEAD}FIXED_EDGES_SECTION\n1 2 3\n")).contains("two nodes of a fixed edge, not '1 2 3'"));
}

/// Keywords of other programs that change the problem are refused, and others are remarks.
#[test]
fn keywords_that_ask_for_another_problem_are_refused() {
    let whole = |keyword: &str| format!("{HEAD}{keyword}\nNODE_COORD_SECTION\n1 0 0\n2 0 3\n3 4 0\nEOF\n");
    for (keyword, told) in [
        ("SALESMEN : 3", "SALESMEN '3' asks for several tours, which is not supported: take the line out"),
        ("salesmen: 2", "SALESMEN '2' asks for several tours"),
        ("MTSP_MIN_SIZE : 2", "MTSP_MIN_SIZE '2' asks for several tours"),
        ("VEHICLES: 4", "VEHICLES '4' asks for routes of several vehicles"),
        ("CAPACITY : 100", "CAPACITY '100' asks for routes that a vehicle's load limits"),
        ("DEMAND_DIMENSION : 2", "DEMAND_DIMENSION '2' asks"),
        ("DISTANCE: 50.5", "DISTANCE '50.5' asks for routes up to a length"),
        ("RISK_THRESHOLD : 7", "RISK_THRESHOLD '7' asks"),
        ("SERVICE_TIME : 10", "SERVICE_TIME '10' asks for time at each city"),
        ("SCALE : 100", "SCALE '100' asks for distances that are multiplied before they are rounded"),
    ] {
        let found = message(&whole(keyword));
        assert!(found.starts_with(&format!("f:5: {told}")), "{keyword}: {found}");
    }
    for keyword in ["SALESMEN : 1", "VEHICLES : 1", "SERVICE_TIME : 0.0", "SCALE : 1", "DEPOT : 2", "AUTHOR : me"] {
        assert_eq!(parse(&whole(keyword)).unwrap().tour_cost(&[0, 1, 2]).unwrap(), 12, "{keyword}");
    }
}

#[test]
fn keywords_are_read_in_any_letters_and_remarks_left_out() {
    let text = "# by hand\nname : x\nType: TSP\n# more\nComment: a\nDimension : 3\nEdge_Weight_Type: EUC_2D\nnode_coord_section\n1 0 0\n2 0 3\n3 4 0\nfixed_edges_section\n1 3\n-1\neof\nrubbish";
    let instance = parse(text).unwrap();
    assert_eq!((instance.name(), instance.comment(), instance.fixed_edges()), ("x", "a", &[[0, 2]][..]));
}

#[test]
fn weights_beside_measured_coordinates_are_refused() {
    let weights = "EDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3\n";
    let nodes = "NODE_COORD_SECTION\n1 0 0\n2 0 3\n3 4 0\n";
    let told = "EDGE_WEIGHT_TYPE EUC_2D measures coordinates, and here are weights: write EDGE_WEIGHT_TYPE : EXPLICIT, or take this section out";
    assert_eq!(message(&format!("{HEAD}{nodes}{weights}")), format!("f:10: {told}"));
    assert_eq!(message(&format!("{HEAD}{weights}")), format!("f:6: {told}"));
    // The type may come behind them, and no format is needed to tell.
    let late = format!("DIMENSION: 3\n{weights}EDGE_WEIGHT_TYPE: EUC_2D\n{nodes}");
    assert_eq!(message(&late), format!("f:3: {told}"));
    assert_eq!(message(&format!("{HEAD}EDGE_WEIGHT_SECTION\n1 2 3\n{nodes}")), format!("f:5: {told}"));
}

#[test]
fn what_is_told_twice_is_refused() {
    let whole = format!("{HEAD}NODE_COORD_SECTION\n1 0 0\n2 0 3\n3 4 0\nFIXED_EDGES_SECTION\n1 3\n-1\n");
    assert_eq!(parse(&whole).unwrap().fixed_edges(), [[0, 2]]);
    let second = message(&format!("{whole}FIXED_EDGES_SECTION\n1 2\n-1\n"));
    assert!(second.starts_with("f:12: a second FIXED_EDGES_SECTION"), "{second}");
    assert!(message(&format!("{whole}NODE_COORD_SECTION\n1 0 0\n")).contains("a second NODE_COORD_SECTION"));
    assert!(parse(&format!("{whole}DIMENSION: 3\n")).is_ok());
    let other = message(&format!("{whole}DIMENSION: 4\n"));
    assert!(other.starts_with("f:12: DIMENSION is '4' here and '3' in line "), "{other}");
}

#[test]
fn fixed_edges_are_of_the_files_nodes() {
    let rows = |first: usize| (0..3).map(|i| format!("{} {i} {}\n", first + i, i * i)).collect::<String>();
    let fixed = |first: usize, edges: &str| {
        parse(&format!("{HEAD}NODE_COORD_SECTION\n{}FIXED_EDGES_SECTION\n{edges}", rows(first)))
    };
    for first in [0, 1] {
        let [low, high] = [first, first + 2];
        let read = fixed(first, &format!("{low} {high}\n-1\nEOF\n")).unwrap();
        assert_eq!(read.fixed_edges(), [[0, 2]]);
        // Of two lines the second one is wrong.
        let wrong = fixed(first, &format!("{low} {high}\n{low} {}\n-1\n", high + 1)).unwrap_err().to_string();
        let expected = format!("f:11: node {} does not exist; nodes go from {low} to {high}", high + 1);
        assert!(wrong.starts_with(&expected), "{wrong}");
    }
    let below = fixed(1, "1 2\n0 2\n").unwrap_err().to_string();
    assert!(below.starts_with("f:11: node 0 does not exist"), "{below}");
    let contradict = fixed(1, "1 2\n2 3\n3 1\n2 1\n").unwrap_err().to_string();
    assert_eq!(contradict, "f:13: the edge from city 2 to city 1 is fixed twice");
    let circle = fixed(0, "0 1\n1 0\n").unwrap_err().to_string();
    assert_eq!(circle, "f:11: the edge from city 1 to city 0 is fixed twice");
    let itself = fixed(1, "3 3\n").unwrap_err().to_string();
    assert_eq!(itself, "f:10: the fixed edge 3 - 3 leads from a city to itself");
    assert!(fixed(1, "1\n").unwrap_err().to_string().starts_with("f:10: expected the two nodes"));
    assert!(fixed(1, "-1\n").unwrap().fixed_edges().is_empty());
    // Lines may break anywhere.
    for free in ["1 2 2 3 -1\nEOF\n", "1\n2 2\n3\n-1\n", "1 2\n2 3 -1\n", "1 2 2 3\n"] {
        assert_eq!(fixed(1, free).unwrap().fixed_edges(), [[0, 1], [1, 2]], "{free}");
    }
    let behind = fixed(1, "1 2 -1 2 3\n").unwrap_err().to_string();
    assert_eq!(behind, "f:10: expected nothing more behind the -1 that ends the section, not '2'");
    let lonely = fixed(1, "1 2\n3 -1\n").unwrap_err().to_string();
    assert_eq!(lonely, "f:11: expected the two nodes of a fixed edge, not '3 -1'");
    assert!(fixed(1, "1 2\n-1\n2 3\n").unwrap_err().to_string().starts_with("f:12: expected a keyword, not '2 3'"));
    // Cities of a matrix count from 1.
    let matrix =
        "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3\n";
    let read = parse(&format!("{matrix}FIXED_EDGES_SECTION\n1 3\n-1\n")).unwrap();
    assert_eq!((read.fixed_edges(), read.is_open()), (&[[0, 2]][..], false));
}

#[test]
fn a_hamiltonian_path_is_open() {
    let text = format!("{HEAD}NODE_COORD_SECTION\n1 0 0\n2 0 3\n3 0 9\n");
    let [closed, open] = [text.clone(), text.replace("TYPE : TSP", "TYPE : HPP")].map(|text| parse(&text).unwrap());
    assert!(!closed.is_open() && open.is_open());
    assert_eq!([&closed, &open].map(|instance| instance.tour_cost(&[0, 1, 2]).unwrap()), [18, 9]);
}

#[test]
fn weights_are_whole_and_not_too_large() {
    let matrix = |weight: &str| {
        parse(&format!(
            "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 {weight}\n"
        ))
    };
    for (weight, expected) in
        [("0", 0), ("7.0", 7), ("-0.0", 0), ("3e2", 300), ("2147483647", MAX_DISTANCE), ("2147483647.0", MAX_DISTANCE)]
    {
        assert_eq!(matrix(weight).unwrap().distance(1, 2), expected, "{weight}");
    }
    for weight in ["2147483648", "2147483648.0", "4294967295", "-1.0", "0.5", "nan", "inf"] {
        let message = matrix(weight).unwrap_err().to_string();
        assert!(message.starts_with("f:6: ") && message.contains(&format!("'{weight}'")), "{message}");
    }
}

#[test]
fn coordinates_end_where_they_are_damage() {
    let nodes = |x: &str| message(&format!("{HEAD}NODE_COORD_SECTION\n1 0 0\n2 {x} 3\n3 1 1\n"));
    for (usable, damaged) in [("1e15", "1.001e15"), ("-1e15", "-1.001e15")] {
        assert!(nodes(usable).contains("scale them down"), "{}", nodes(usable));
        assert_eq!(nodes(damaged), format!("f:7: coordinate '{damaged}' is not usable"));
    }
}

#[test]
fn sizes_have_their_limits() {
    let matrix = |n: usize| {
        message(&format!(
            "DIMENSION: {n}\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1\n"
        ))
    };
    let most = MAX_MATRIX_CITIES;
    assert!(matrix(most).contains(&format!("only 1 of {} weights", most * (most - 1) / 2)));
    assert!(matrix(most + 1).contains("is too large; the limit is 1048576"));
    let head = |n: usize| message(&format!("DIMENSION: {n}\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 1 1\n"));
    assert!(head(MAX_CITIES).contains(&format!("only 1 of {MAX_CITIES} nodes")));
    assert!(head(MAX_CITIES + 1).starts_with(&format!("f:1: DIMENSION must lie in 1 to {MAX_CITIES}, not")));
    assert_eq!(parse("DIMENSION: 1\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 4 4\n").unwrap().len(), 1);
}

#[test]
fn keywords_are_capitals_digits_and_underscores() {
    assert!(["NAME", "EDGE_WEIGHT_TYPE", "A1"].iter().all(|key| is_key(key)));
    assert!(!["", "name", "A B", "A-B", "Ä"].iter().any(|key| is_key(key)));
}

/// What belongs to another kind of file, or is missing, is told.
#[test]
fn sections_belong_to_the_metric() {
    assert!(message("TYPE: TOUR\n").contains("this is a tour: the instance comes first"));
    assert!(message(&format!("{HEAD}TOUR_SECTION\n1 2 3\n")).starts_with("f:5: this is a tour"));
    assert!(message(HEAD).contains("NODE_COORD_SECTION is missing"));
    let explicit = HEAD.replace("EUC_2D", "EXPLICIT");
    assert!(message(&explicit).contains("EDGE_WEIGHT_SECTION is missing"));
    assert!(message(&format!("{explicit}EDGE_WEIGHT_SECTION\n1\n")).contains("EDGE_WEIGHT_FORMAT is missing"));
    assert!(message(&format!("{HEAD}5 6\n")).starts_with("f:5: expected a keyword, not '5 6'"));
    let shown =
        "EDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3\nDISPLAY_DATA_SECTION\n1 5 6\n2 7 8\n3 9 9\n";
    let instance = parse(&format!("{explicit}{shown}")).unwrap();
    assert_eq!(instance.display().unwrap()[1], DVec2::new(7.0, 8.0));
    // Only a matrix that says so may be asymmetric.
    let directed =
        "DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1\n2 0\n";
    assert!(["TYPE: ATSP\n", ""].iter().all(|kind| !parse(&format!("{kind}{directed}")).unwrap().is_symmetric()));
    // Coordinates beside a matrix are places in the plane.
    let beside = format!("{explicit}NODE_COORD_SECTION\n1 5 6\n2 7 8\n3 9 9\n{shown}");
    assert_eq!(parse(&beside).unwrap().distance(0, 2), 2);
    assert!(message(&format!("TYPE: TSP\n{directed}")).contains("asymmetric"));
}

#[test]
fn keywords_may_be_in_small_letters() {
    let nodes = "dimension: 3\nedge_weight_type: EUC_2D\nnode_coord_section\n1 0 0\n2 0 3\n3 4 0\n";
    for first in ["node_coord_type: TWOD_COORDS", "display_data_type: COORD_DISPLAY"] {
        assert_eq!(parse(&format!("{first}\n{nodes}")).unwrap().len(), 3, "{first}");
    }
    let small = "name: x\nauthor: me\ntype: TSP\ndimension: 3\nedge_weight_type: EUC_2D\nnode_coord_type: twod_coords\nnode_coord_section\n1 0 0\n2 0 3\n3 4 0\neof\n";
    assert_eq!(Instance::parse(small, "f").unwrap().len(), 3);
    assert!(
        message(&small.replace("author: me", "mtsp_min_size: 2")).contains("MTSP_MIN_SIZE '2' asks for several tours")
    );
    assert!(
        message(&small.replace("node_coord_section", "demand_section")).contains("DEMAND_SECTION is not supported")
    );
}
