//! Matrices from tables with a row for each way, as routing services and databases write them.

use super::instance::Instance;
use super::square::of_weights;
use crate::error::Result;
use crate::instance::table::Table;
use crate::instance::ways::{LENGTHS, Ways};

/// The instance of a table of ways, whose lengths are in the column called `weight`, or in the only one that may have them. Where no pair of cities has two ways that differ each counts in both directions.
pub(super) fn read(table: &Table<'_>, ends: [usize; 2], weight: Option<&str>) -> Result<Instance> {
    let ways = Ways::of(table, ends, &LENGTHS, weight)?;
    let weights = ways.matrix()?;
    let last = table.rows[table.rows.len() - 1].line;
    let instance = of_weights(ways.names.len(), weights).map_err(|error| error.in_file(table.file, last))?;
    instance.with_city_names(&ways.names)
}

#[cfg(test)]
mod tests {
    use super::super::{Distances, Reading};
    use super::*;

    fn parse(text: &str) -> Result<Instance> {
        Instance::parse_table(text, "t", Distances::Stated)
    }

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_row_a_way_makes_a_matrix() {
        // Each way counts in both directions where none has two.
        for text in [
            "from,to,km\nA,B,1\nA,C,2\nC,B,3\n",
            "Origin;Destination;Duration;Note\nA;B;1;x\nA;A;0;\nA;C;2;y\nB;C;3;z\n",
            "minutes\ttarget\tsource\n1\tB\tA\n2\tC\tA\n3\tB\tC\n1\tB\tA\n",
            "from,to,km\nA,B,1\nA,C,2\nC,B,3\nB,A,1\n",
            ",from,to,km\n0,A,B,1\n1,A,C,2\n2,C,B,3\n",
        ] {
            let instance = parse(text).unwrap();
            assert_eq!(instance.distance_matrix().len(), 9, "{text}");
            let way = |a, b| {
                let [a, b] = [a, b].map(|name| instance.city_called(name).unwrap() as usize);
                instance.distance(a, b)
            };
            assert_eq!([way("A", "B"), way("B", "A"), way("C", "A"), way("B", "C")], [1, 1, 2, 3], "{text}");
        }
        let directed = parse("from,to,weight\n7,5,1\n5,7,2.5\n").unwrap();
        assert_eq!((directed.city_names().unwrap(), directed.is_symmetric()), (&["7".into(), "5".into()][..], false));
        assert_eq!(directed.length(&[0, 1]).unwrap(), 3.5);
        assert_eq!([directed.distance(0, 1), directed.distance(1, 0)], [10, 25]);
    }

    #[test]
    fn of_several_columns_of_numbers_one_is_chosen() {
        let text = "from,to,minutes,km,note\nA,B,10,7,x\nB,C,20,9,y\nC,A,15,inf,z\n";
        let by = |name| Instance::parse_table(text, "t", Reading::default().weighed_by(name));
        assert_eq!(by("minutes").unwrap().length(&[0, 1, 2]).unwrap(), 45.0);
        assert_eq!(by("KM").unwrap().length(&[0, 1, 2]).unwrap(), f64::INFINITY);
        let several = message(text);
        assert!(
            several.ends_with(
                "may stand in 'minutes' or 'km': leave one of these columns in, or choose it (--weight NAME)"
            ),
            "{several}"
        );
        let other = by("hours").unwrap_err().to_string();
        assert!(
            other.contains("none of numbers is called 'hours'") && other.ends_with("in 'minutes' or 'km'"),
            "{other}"
        );
        let words = by("note").unwrap_err().to_string();
        assert!(words.ends_with("but 'x' in column 'note' is no number: write a number without its unit"), "{words}");
        let timed = "from,to,time,km\nA,B,0:10,7\nB,C,0:20,9\nC,A,0:15,8\n";
        let timed = Instance::parse_table(timed, "t", Reading::default().weighed_by("km")).unwrap();
        assert_eq!(timed.length(&[0, 1, 2]).unwrap(), 24.0);
        for text in ["x,y\n1,2\n3,4\n5,6\n", ",A,B\nA,0,1\nB,2,0\n"] {
            let none = Instance::parse_table(text, "t", Reading::default().weighed_by("km")).unwrap_err().to_string();
            assert!(none.contains("there are no such here"), "{none}");
        }
    }

    #[test]
    fn ways_that_are_missing_or_told_twice_are_refused() {
        let missing = message("from,to,km\nA,B,1\nA,C,2\n");
        assert!(
            missing.starts_with("t:3: no row has the way from 'B' to 'C'; give a way that is not there the weight inf"),
            "{missing}"
        );
        let direction = message("from,to,km\nA,B,1\nB,A,2\nA,C,2\nB,C,3\n");
        let why = "the way from 'C' to 'A'; each two need both directions, since those of 'A' and 'B' differ (line 3)";
        assert!(direction.contains(why), "{direction}");
        let twice = message("from,to,km\nA,B,1\nA,B,2\n");
        assert_eq!(twice, "t:3: the way from 'A' to 'B' is 2 here and 1 in line 2: leave one of them in");
        let twice = message("from,to,km\nA,B,2\nA,C,7\nA,B,1\n");
        assert_eq!(twice, "t:4: the way from 'A' to 'B' is 1 here and 2 in line 2: leave one of them in");
        let apart = message("from,to,km\nA,B,-1e308\nB,A,1e308\nA,A,0\n");
        assert!(apart.starts_with("t:4: the weights lie further apart"), "{apart}");
        assert!(message("from;to;km\nA;B;900\nA;C;1.500\nB;C;2.500\n").contains("may be a thousand or more"));
        let several = message("from,to,km,min\nA,B,1,2\n");
        assert!(
            several.contains("may stand in 'km' or 'min': leave one of these columns in, or choose it"),
            "{several}"
        );
        let alone = message("to,from\nA,B\n");
        assert!(
            alone.starts_with("t:1: columns 'from' and 'to' make this a table of ways, which needs one more"),
            "{alone}"
        );
        for text in ["from,to,km,Duration\nA,B,5,0:05\n", "from,to,duration\nA,B,0:05\n"] {
            assert!(
                message(text).starts_with("t:2: columns 'from' and 'to' make this a table of ways, but '0:05' in"),
                "{text}"
            );
        }
        assert_eq!(message("from,to,km\n"), "t:1: there are no rows below the header");
        assert!(message("from,to,km\nA,B,x\nA,C,1\n").starts_with("t:2: expected a number for a weight"));
        let metric = Instance::parse_table("from,to,km\nA,B,1\n", "t", Distances::Globe).unwrap_err().to_string();
        assert!(metric.contains("leave the metric out"), "{metric}");
    }
}
