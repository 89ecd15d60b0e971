//! Paths, their ends and fixed edges, as the program takes them.

use super::*;

/// An open path between named cities, a Hamiltonian path problem with fixed edges, and what is refused.
#[test]
fn open_paths_and_fixed_edges_are_told_solved_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (table, input) = file(&folder, "cities.csv");
    std::fs::write(&table, "name,x,y\nA,0,0\nB,9,1\nC,1,8\nD,8,9\nE,4,4\nF,2,3\nG,7,5\nH,5,8\nI,3,1\n").unwrap();
    let (drawing, svg) = file(&folder, "path.svg");
    let (_, solution) = file(&folder, "path.csv");
    let ends = ["--start", "C", "--end", "2"];
    let run = ["solve", &input, "--backend", "cpu", "--iterations", "30", "--svg", &svg, "--solution", &solution];
    let output = myrmex(&[&run[..], &ends, &["--json", "-"]].concat());
    assert!(output.status.success(), "{}", complaint(&output));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> = json["tour_names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!((names.len(), names[0], names[8]), (9, "C", "B"));
    assert_eq!(json["open"], true);
    assert!(std::fs::read_to_string(drawing).unwrap().contains("<polyline"));
    let checked = myrmex(&[&["check", &input, &solution][..], &ends].concat());
    assert!(stdout(&checked).contains(&format!("cost {}", json["cost"])), "{}", stdout(&checked));
    let wrong_end = myrmex(&["check", &input, &solution, "--start", "C", "--end", "A"]);
    let told = complaint(&wrong_end);
    assert!(told.ends_with("path.csv:10: the path ends at city 2 ('B'), not at city 1 ('A')"), "{told}");

    let (fixed, hpp) = file(&folder, "path.tsp");
    let nodes: String = (1..10).map(|i| format!("{i} {} {}\n", i * 7 % 10, i * 3 % 10)).collect();
    let header = "NAME : path\nTYPE : HPP\nDIMENSION : 9\nEDGE_WEIGHT_TYPE : EUC_2D\n";
    let write = |edges: &str| {
        let sections = format!("NODE_COORD_SECTION\n{nodes}FIXED_EDGES_SECTION\n{edges}-1\nEOF\n");
        std::fs::write(&fixed, format!("{header}{sections}")).unwrap();
    };
    write("1 9\n4 2\n");
    let output = myrmex(&["solve", &hpp, "--backend", "cpu", "--iterations", "20", "--json", "-"]);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let tour: Vec<u64> = json["tour"].as_array().unwrap().iter().map(|city| city.as_u64().unwrap()).collect();
    for edge in [[0, 8], [3, 1]] {
        assert!(tour.windows(2).any(|pair| pair == edge || [pair[1], pair[0]] == edge), "{tour:?}");
    }
    let (parted, tour) = file(&folder, "parted.tour");
    std::fs::write(&parted, "TOUR_SECTION\n1\n2\n3\n4\n5\n6\n7\n8\n9\n-1\n").unwrap();
    let told = complaint(&myrmex(&["check", &hpp, &tour]));
    assert!(told.ends_with("parted.tour:2: city 9 does not follow city 1, though their edge is fixed"), "{told}");
    for (edges, word) in
        [("1 11\n", "path.tsp:16: node 11 does not exist"), ("1 2\n2 3\n3 1\n", "path.tsp:18: the fixed edges")]
    {
        write(edges);
        let output = myrmex(&["solve", &hpp]);
        assert_eq!(output.status.code(), Some(2));
        assert!(complaint(&output).contains(word), "{}", complaint(&output));
    }
    let (twice, same) = file(&folder, "twice.csv");
    std::fs::write(&twice, "name,x,y\nA,0,0\nA,9,1\nB,1,8\nC,4,4\n").unwrap();
    for (arguments, word) in [
        (&["solve", &input, "--start", "Z"][..], "there is no city 'Z'"),
        (&["solve", &same, "--start", "A"], "2 cities are called 'A': give a number from 1 to 4"),
        (&["solve", &instance("layout40.dat"), "--open"], "are for tours"),
        (&["solve", &input, "--open", "--start", "A", "--end", "1"], "begin and end at the same city"),
    ] {
        let output = myrmex(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(complaint(&output).contains(word), "{}", complaint(&output));
    }
}

/// With one city as its start and its end a tour is a closed one that is told from there on, in every form; it is the same tour.
#[test]
fn a_closed_tour_begins_and_ends_where_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let (table, input) = file(&folder, "shops.csv");
    std::fs::write(&table, "name,lon,lat\nA,8,50\nB,9,51\nC,8.5,52\nDepot,10,50\nE,11,53\nF,7,51\n").unwrap();
    let [csv, tour, line] = ["out.csv", "out.tour", "out.geojson"].map(|name| file(&folder, name));
    let run = ["solve", &input, "--backend", "cpu", "--iterations", "20", "--json", "-"];
    let solved = |ends: &[&str]| -> Value {
        let outputs = ["--solution", &csv.1, "--solution", &tour.1, "--solution", &line.1];
        let output = myrmex(&[&run[..], &outputs, ends].concat());
        assert!(output.status.success(), "{}", complaint(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let free = solved(&[]);
    let json = solved(&["--start", "Depot", "--end", "4"]);
    assert_eq!(
        (&json["open"], &json["cost"], &json["tour_names"][0]),
        (&Value::from(false), &free["cost"], &"Depot".into())
    );
    let text = |path: &std::path::Path| std::fs::read_to_string(path).unwrap();
    assert!(text(&csv.0).lines().nth(1).unwrap().contains("Depot"), "{}", text(&csv.0));
    assert!(text(&tour.0).contains("TOUR_SECTION\n4\n"), "{}", text(&tour.0));
    let feature: Value = serde_json::from_str(&text(&line.0)).unwrap();
    let places = feature["geometry"]["coordinates"].as_array().unwrap();
    assert_eq!((places.len(), &places[0], &places[6]), (7, &serde_json::json!([10.0, 50.0]), &places[0]));
    for solution in [&csv.1, &tour.1] {
        assert!(stdout(&myrmex(&["check", &input, solution])).starts_with("valid tour"), "{solution}");
    }
}

/// Where a table has ids a number is one of them, not a row.
#[test]
fn ends_of_a_path_are_given_by_ids_where_there_are_some() {
    let folder = tempfile::tempdir().unwrap();
    let (table, input) = file(&folder, "stops.csv");
    std::fs::write(&table, "id,name,x,y\n4,A,0,0\n2,B,9,1\n1,C,1,8\n30,D,8,9\n5,E,4,4\n").unwrap();
    let run = ["solve", &input, "--backend", "cpu", "--iterations", "2", "--quiet", "--json", "-"];
    let output = myrmex(&[&run[..], &["--start", "1", "--end", "4"]].concat());
    assert!(output.status.success(), "{}", complaint(&output));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["tour_names"][0], &json["tour_names"][4]), (&"C".into(), &"A".into()));
    let refused = complaint(&myrmex(&[&run[..], &["--start", "3"]].concat()));
    assert!(refused.ends_with("there is no city '3': give an id as in the file, or a name"), "{refused}");
}
