//! Tables of places.

use super::super::Metric;
use super::*;

fn parse(text: &str) -> Result<Instance> {
    Instance::parse_table(text, "t", Distances::Stated)
}

fn message(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn columns_are_found_by_name_and_by_what_they_hold() {
    let unit = [[0.0, 0.0], [0.25, 0.0], [0.25, 0.5]];
    for text in [
        "x,y\n0,0\n0.25,0\n0.25,0.5\n",
        "0 0\n.25 0\n.25 .5",
        "3\n0 0\n.25 0\n.25 .5",
        "1 0 0\n2 .25 0\n3 .25 .5",
        "y;note;X\n0;a b;0\n0;;0,25\n0,5;c;0,25",
        "\"A, one\",0,0\nB,0.25,0\nC,0.25,0.5",
        "Population\tName\tEasting\tNorthing\n5\tA\t0\t0\n7\tB\t0.25\t0\n9\tC\t0.25\t0.5",
    ] {
        let instance = parse(text).unwrap();
        assert_eq!(instance.points().iter().map(|p| [p.x, p.y]).collect::<Vec<_>>(), unit, "{text}");
    }
    let names = |text| parse(text).unwrap().city_names().map(<[String]>::to_vec);
    assert_eq!(names("\"A, one\",0,0\nB,0.25,0").unwrap(), ["A, one", "B"]);
    assert_eq!(names("id,x,y,name\n1,0,0,A\n2,0,1,B").unwrap(), ["A", "B"]);
    assert_eq!(names("x,y,where\n0,0,A\n0,1,B").unwrap(), ["A", "B"]);
    assert_eq!(names("x,y\n0,0\n0,1"), None);
    for text in ["1;A;0;0\n2;B;3;4\n", "A;0;0;0\nB;1;3;4\n"] {
        let instance = parse(text).unwrap();
        assert_eq!((instance.length(&[0, 1]).unwrap(), names(text).unwrap()), (10.0, vec!["A".into(), "B".into()]));
    }
    let numbered = parse("Nr;Kunde;lat;lon\n7;A;50;8\n3;B;51;9\n").unwrap();
    assert_eq!((numbered.city_called("7").unwrap(), numbered.city_called("B").unwrap()), (0, 1));
    // As a data frame is written, whose rows count from 0.
    for header in ["", "index", "stop_id"] {
        let indexed = parse(&format!("{header},name,lat,lon\n0,A,50,8\n1,B,51,9\n2,C,52,9\n")).unwrap();
        assert_eq!((indexed.city_called("1").unwrap(), indexed.city_called("C").unwrap()), (1, 2), "{header}");
    }
    let houses = parse("Nr;Kunde;lat;lon\n7;A;50;8\n7;B;51;9\n1;C;52;9\n").unwrap();
    assert_eq!(houses.city_called("1").unwrap(), 0);
    // What two cities share calls none of them.
    let customers = "customer,street,city,lat,lon\nA GmbH,Main,Berlin,52.5,13.4\nB KG,Main,Berlin,52.6,13.3\nC AG,Side,Potsdam,52.4,13.1\nD,Side,Berlin,52,13\n";
    assert_eq!(names(customers).unwrap(), ["A GmbH", "B KG", "C AG", "D"]);
    // Nor does a column of flags.
    assert_eq!(names("x,y,kind\n0,0,depot\n1,0,customer\n2,0,customer\n3,1,customer\n"), None);
    // Two of one name do not make all of them numbers.
    let twice = names("id,name,x,y\n4,Bo,0,0\n5,Al,1,0\n6,Bo,2,1\n").unwrap();
    assert_eq!(twice, ["Bo", "Al", "Bo"]);
    // An id is one, and the customer's name calls the city.
    let customers = parse("id,customer,lat,lon\n11,Miller,50,8\n13,Smith,51,9\n").unwrap();
    assert_eq!((customers.city_called("13").unwrap(), customers.city_called("Miller").unwrap()), (1, 0));
    assert_eq!(parse("X [m],Y [m],Z [m]\n0,0,0\n1,2,2\n").unwrap().length(&[0, 1]).unwrap(), 6.0);
    let broken = message("Site X,Site Y,Site Z,Site W\n0,1,2,3\n1,0,,5\n2,4,0,6\n3,5,6,0\n");
    assert!(broken.starts_with("t:3: expected a number for a weight of the matrix in column 3"), "{broken}");
    // Cities of a matrix may have such words in their names.
    let matrix = parse("Site X,Site Y,Site Z\n0,1,2\n1,0,3\n2,3,0\n").unwrap();
    assert_eq!((matrix.metric(), matrix.len()), (Metric::Explicit, 3));
    let plain = parse("W,X,Y,Z\n0,5,7,9\n5,0,4,6\n7,4,0,3\n9,6,3,0\n").unwrap();
    assert_eq!((plain.metric(), plain.length(&[0, 1, 2, 3]).unwrap()), (Metric::Explicit, 21.0));
    assert_eq!(names("city,x,y\nBerlin,0,0\nBerlin,1,0\n").unwrap(), ["Berlin", "Berlin"]);
    // Ids as programs write them that have decimals in other columns.
    let floats = parse("id,x,y\n7.0,0,0\n9.0,3,4\n").unwrap();
    assert_eq!((floats.city_called("9").unwrap(), floats.city_ids().unwrap()), (1, &["7".into(), "9".into()][..]));
    // Coordinates among other words.
    for header in ["stop_lat,stop_lon", "Lat (WGS84),Lon (WGS84)", "latitud,longitud"] {
        let instance = parse(&format!("{header}\n50,8\n51,9\n")).unwrap();
        assert_eq!((instance.metric(), instance.points()[1].x), (Metric::Haversine, 9.0), "{header}");
    }
    for header in ["POINT_X,POINT_Y", "X [m],Y [m]", "xcoord,ycoord"] {
        assert_eq!(parse(&format!("{header}\n0,0\n3,4\n")).unwrap().length(&[0, 1]).unwrap(), 10.0, "{header}");
    }
    assert!(message("from_x,from_y,to_x,to_y\n0,0,1,1\n2,2,3,3\n").contains("no column is called x and y"));
    // Demands are no heights.
    let demands = message("1 0 0 40\n2 10 0 5\n3 20 0 45\n4 20 10 0\n5 10 10 50\n6 0 10 3\n");
    assert!(demands.starts_with("t:1: three columns of numbers or more"), "{demands}");
    let globe = parse("City;Latitude;Longitude\nBerlin;52.52;13.405\nParis;48.8566;2.3522").unwrap();
    assert_eq!((globe.metric(), globe.distance(0, 1)), (Metric::Haversine, 877_465));
    let space = parse("x,y,z\n0,0,0\n1,2,2").unwrap();
    assert_eq!(space.length(&[0, 1]).unwrap(), 6.0);
    let told = |distances| Instance::parse_table("13.405 52.52\n2.3522 48.8566", "t", distances).unwrap();
    assert_eq!(told(Distances::Globe).distance(0, 1), 877_465);
    assert_eq!(told(Distances::Stated).metric(), Metric::Euc2d);
}

#[test]
fn broken_tables_name_their_line() {
    assert_eq!(
        message("x,y\n0,0\n1,\n"),
        "t:3: expected a number for y in column 2, which is empty: fill it in, or leave the row out"
    );
    assert!(message("1,5 2,5\n3,5 -4,5\n").starts_with("t:1: two numbers in one field; where decimals"));
    assert_eq!(parse("1,0,030 12\n2,1,030 13").unwrap().city_names().unwrap()[1], "030 13");
    assert!(message("x,y\n\"1,5\",2\n").ends_with("not '1,5'; where decimals come after a comma, put semicolons or tabs between the fields, or write them with points"));
    assert!(
        message("lon,lat\n0,0\n1,nan\n").starts_with("t:3: expected a number for the latitude in column 2, not 'nan'")
    );
    let off = message("lon,lat\n0,0\n5,91\n6,6\n");
    assert!(
        off.starts_with("t:3: longitude 5 and latitude 91 are off the globe") && off.contains("other's names"),
        "{off}"
    );
    assert!(message("lon,lat\n0,0\n500,91\n6,6\n").ends_with("latitudes in -90 to 90"));
    let bare = Instance::parse_table("5,91\n6,6\n", "t", Distances::Globe).unwrap_err().to_string();
    assert!(bare.ends_with("the longitude comes first where no header says otherwise"), "{bare}");
    let matrix = ",A,B,C\nA,0,5,9\nB,6,0,x\nC,8,4,0\n";
    let no_way =
        "t:3: expected a number for a weight of the matrix in column 4, not 'x'; write inf for a way that is not there";
    assert!(message(matrix).starts_with(no_way), "{}", message(matrix));
    let order = ",A,B,C\nA,0,1,2\nC,2,3,0\nB,1,0,3\n";
    assert_eq!(message(order), "t:3: the row is called 'C' and its column 'B': name both in the same order");
    assert!(message(",A,B,C\nA,0,1,2\nB,1,0,3\nE,2,3,0\n").starts_with("t:4: the row is called 'E'"));
    // A column of names, and as many rows as columns.
    assert!(message("a;b;c\nA;1,5;2\nB;3;4\nC;5;6\n").starts_with("t:1: no column is called x and y"));
    assert!(message("name,x,y\nA,0,0\nB,0,1\nTotal,0,1\n").starts_with("t:4: the last row is called 'Total'"));
    assert!(message("x,y,y\n0,0,1\n").ends_with("two columns are called 'y': rename one"));
    let marks = message("x;y\n1.234;2\n2;3,5\n");
    assert!(marks.starts_with("t:3: decimals come after a comma in '3,5' and after a point in '1.234'"), "{marks}");
    assert!(message("a,b\n0,0\n").starts_with("t:1: no column is called x and y"));
    // An id may stand on either side of a name.
    for text in ["5 0 0\n7 1 1\n", "5;A;50.1;8.2\n7;B;51;9\n", "A;5;50.1;8.2\nB;7;51;9\n", "1;A;5;8\n1;B;6;9\n"] {
        assert!(message(text).starts_with("t:1: three columns of numbers"), "{text}");
    }
    assert!(message("A,1\nB,2\n").contains("needs two coordinates"));
    assert_eq!(
        message("4,1,2\n1,0,x\n2,3,0"),
        "t:1: three columns of numbers or more: a header has to say which are x and y, or lon and lat (x,y,z; id,name,lon,lat); a matrix has 0 on its diagonal"
    );
    // With 0 on the diagonal it is a matrix, whatever stands beside that.
    for (text, line, column, field) in [
        ("0,1,2\n1,0,x\n2,3,0", 2, 3, "x"),
        ("0,12,n/a\n14,0,9\n24,10,0", 1, 3, "n/a"),
        ("A,0,12,25x\nB,14,0,9\nC,24,10,0", 1, 4, "25x"),
        ("0,\"1,5\",2\n3,0,4\n5,6,0", 1, 2, "1,5"),
        ("0,-,25,-\n14,0,9,1\n24,-,0,2\n3,-,5,0", 1, 2, "-"),
        ("0,1,2,3\n1,0,None,5\n2,None,0,6\n3,5,6,0", 2, 3, "None"),
    ] {
        let told = format!("t:{line}: expected a number for a weight of the matrix in column {column}, not '{field}'");
        assert!(message(text).starts_with(&told), "{}", message(text));
    }
    assert!(message("A,B\n").contains("needs two coordinates"));
    assert_eq!(message("lat,lon\n"), "t:1: there are no rows below the header");
    assert!(message("A,B,5\nB,C,6\n").starts_with("t:1: two words and a number"));
    assert!(message("from,to,lon,lat,minutes\nA,B,9,50,5\n").starts_with("t:1: a line may be a way"));
    assert_eq!(parse("name,from,to,x,y\nA,8,17,0,0\nB,9,12,3,4\n").unwrap().length(&[0, 1]).unwrap(), 10.0);
    // Names or weights?
    let symmetric = message(",3,4,5\n3,,6,7\n4,6,,8\n5,7,8,\n");
    assert!(symmetric.starts_with("t:1: the first line and the first column may be names or weights"), "{symmetric}");
    assert!(message(";3;4;5\n9;;6,1;7,1\n1;6,1;;8,1\n2;7,1;8,1;\n").starts_with("t:1: the first line"));
    assert_eq!(parse(",1,2,3\n1,,6,7\n2,6,,8\n3,7,8,\n").unwrap().len(), 3);
    assert_eq!(parse(",11,12,13\n11,0,6,7\n12,6,0,8\n13,7,8,0\n").unwrap().len(), 3);
    // Cities may be called as columns of places and of ways are.
    for [a, b] in [["X", "Y"], ["lon", "Lat"], ["from", "to"]] {
        let matrix = parse(&format!("name,{a},{b},C\n{a},0,6,7\n{b},5,0,8\nC,7,8,0\n")).unwrap();
        assert_eq!((matrix.metric(), matrix.is_symmetric(), matrix.len()), (Metric::Explicit, false, 3));
        assert_eq!(matrix.city_names().unwrap(), [a, b, "C"]);
    }
    let broken = message("name,X,Y,C\nX,0,5,-\nY,5,0,8\nC,7,8,0\n");
    assert!(broken.starts_with("t:2: expected a number for a weight of the matrix in column 4, not '-'"), "{broken}");
    let others = message(";A;B;C\nX;;6;7\nY;6;;8\nZ;7;8;\n");
    assert_eq!(others, "t:2: the row is called 'X' and its column 'A': name both in the same order");
    assert!(message(";A;B;C\nA;;900;1.500\nB;900;;2.500\nC;1.500;2.500;\n").contains("may be a thousand or more"));
}
