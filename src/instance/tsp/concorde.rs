//! Tours as Concorde and its linkern keep them (Applegate, Bixby, Chvatal and Cook 2006). Both count cities from 0.

use std::io::{self, Write};

use super::instance::Instance;
use super::listed::too_short;
use super::tour::{check_tour, in_order};
use crate::error::{Error, Result};
use crate::text::quote;

/// Cities in a line that is written.
const IN_A_LINE: usize = 10;

/// A solution (`.sol`), which has the number of cities and then the cities in order, or a list of edges.
pub(super) fn parse(
    text: &str,
    file: &str,
    cities: usize,
    instance: Option<&Instance>,
) -> Result<Option<Vec<(u32, usize)>>> {
    if is_list_of_edges(text, cities) {
        return Edges::parse(text, file, cities)?.tour(instance).map(Some);
    }
    let numbered =
        || text.lines().zip(1..).flat_map(|(line, number)| line.split_whitespace().map(move |it| (it, number)));
    let mut tokens = numbered();
    let announced = tokens.next().and_then(|(token, _)| token.parse().ok());
    if announced != Some(cities) || !numbered().all(|(token, _)| token.parse::<u32>().is_ok()) {
        return Ok(None);
    }
    let mut seen = vec![false; cities];
    let mut tour = Vec::with_capacity(cities);
    for (token, line) in tokens {
        let city = token.parse::<usize>().ok().filter(|city| *city < cities);
        let Some(city) = city else { return Err(unknown(token, (file, line), cities)) };
        if std::mem::replace(&mut seen[city], true) {
            return Err(Error::parse(file, line, format!("city {city} is visited twice")));
        }
        tour.push((city as u32, line));
    }
    match tour.len() {
        found if found == cities => Ok(Some(tour)),
        found => {
            let line = text.lines().count().max(1);
            Err(Error::parse(file, line, too_short(found, &seen, 0)))
        }
    }
}

fn unknown(token: &str, (file, line): (&str, usize), cities: usize) -> Error {
    let message = format!("expected a city from 0 to {}, not {}", cities.saturating_sub(1), quote(token));
    Error::parse(file, line, message)
}

/// Lines that are not blank, in words, with their numbers.
fn rows(text: &str) -> impl Iterator<Item = (Vec<&str>, usize)> {
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.zip(1..).filter(|(words, _)| !words.is_empty())
}

/// Whether a text begins as linkern's lists of edges do: the numbers of cities and of edges alone in the first line. In a solution a second number there
/// is a city.
fn is_list_of_edges(text: &str, cities: usize) -> bool {
    let mut rows = rows(text);
    let Some((head, _)) = rows.next() else { return false };
    let head: Vec<Option<usize>> = head.iter().map(|word| word.parse().ok()).collect();
    let [Some(n), Some(edges)] = head[..] else { return false };
    if n != cities || n == 0 {
        return false;
    }
    if edges == n {
        return true;
    }
    // A city then: unless all other lines have three words, as edges do.
    let others: Vec<usize> = rows.map(|(words, _)| words.len()).collect();
    !others.is_empty() && others.iter().all(|words| *words == 3) && others.len() * 3 + 1 != n
}

/// A tour as linkern writes it: the numbers of cities and of edges, then the edges, each in a line with its length.
struct Edges<'a> {
    file: &'a str,
    cities: usize,
    /// With their lines.
    edges: Vec<([u32; 2], usize)>,
}

impl<'a> Edges<'a> {
    fn parse(text: &str, file: &'a str, cities: usize) -> Result<Self> {
        let (mut edges, mut last) = (Vec::with_capacity(cities), 1);
        for (words, line) in rows(text).skip(1) {
            let [from, to, _] = words[..] else {
                let message = format!("expected an edge, two cities and a length, not {}", quote(&words.join(" ")));
                return Err(Error::parse(file, line, message));
            };
            if edges.len() == cities {
                return Err(Error::parse(file, line, format!("more than the {cities} edges of a tour")));
            }
            let city = |word: &str| {
                let city = word.parse::<u32>().ok().filter(|city| (*city as usize) < cities);
                city.ok_or_else(|| unknown(word, (file, line), cities))
            };
            let edge = [city(from)?, city(to)?];
            if edge[0] == edge[1] && cities > 1 {
                return Err(Error::parse(file, line, format!("the edge {from} - {to} leads from a city to itself")));
            }
            edges.push((edge, line));
            last = line;
        }
        if edges.len() < cities {
            let message = format!("only {} of {cities} edges; the file is cut off", edges.len());
            return Err(Error::parse(file, last, message));
        }
        Ok(Self { file, cities, edges })
    }

    /// The cities in order, each with the line of the edge that leads on from it. Edges that lead from each city once, and to each, have a direction;
    /// others, which may stand in any order, have none.
    fn tour(&self, instance: Option<&Instance>) -> Result<Vec<(u32, usize)>> {
        let ends = self.ends()?;
        let leads_once = |end: usize| {
            let mut seen = vec![false; self.cities];
            self.edges.iter().all(|(edge, _)| !std::mem::replace(&mut seen[edge[end] as usize], true))
        };
        if instance.is_some_and(|instance| !instance.is_symmetric()) && !(leads_once(0) && leads_once(1)) {
            let (edge, line) = self.edges[0];
            let message = format!(
                "the edges, from {} - {} on, have no common direction, which these distances need: list each from a city to the next one",
                edge[0], edge[1]
            );
            return Err(Error::parse(self.file, line, message));
        }
        let (mut tour, mut is_used) = (Vec::with_capacity(self.cities), vec![false; self.cities]);
        let (mut at, [mut city, _]) = (0, self.edges[0].0);
        while !std::mem::replace(&mut is_used[at], true) {
            let ([from, to], line) = self.edges[at];
            tour.push((city, line));
            city = if city == from { to } else { from };
            let [one, other] = ends[city as usize];
            at = if one == at { other } else { one };
        }
        match is_used.iter().position(|is_used| !is_used) {
            None => Ok(tour),
            Some(other) => {
                let ([from, to], line) = self.edges[other];
                let message = format!(
                    "the edges make several tours: that of {from} - {to} does not come to city {}, with which the file begins",
                    self.edges[0].0[0]
                );
                Err(Error::parse(self.file, line, message))
            }
        }
    }

    /// The two edges at each city.
    fn ends(&self) -> Result<Vec<[usize; 2]>> {
        let mut ends = vec![Vec::with_capacity(2); self.cities];
        for (at, (edge, line)) in self.edges.iter().enumerate() {
            for &city in edge {
                let here: &mut Vec<usize> = &mut ends[city as usize];
                if here.len() == 2 {
                    let [from, to] = edge;
                    let message = format!("the edge {from} - {to} is the third one at city {city}");
                    return Err(Error::parse(self.file, *line, message));
                }
                here.push(at);
            }
        }
        // As many edges as cities, and no third one anywhere: two everywhere.
        Ok(ends.into_iter().map(|here| [here[0], here[1]]).collect())
    }
}

/// Writes a tour of `instance` as Concorde does (`.sol`): the number of cities, then the cities in order, counted from 0, ten in a line. It begins
/// where [`super::write_tour`] does.
///
/// # Errors
/// As [`super::write_tour`].
pub fn write_sol(writer: &mut impl Write, instance: &Instance, tour: &[u32]) -> io::Result<()> {
    check_tour(instance, tour)?;
    writeln!(writer, "{}", tour.len())?;
    for cities in in_order(instance, tour).chunks(IN_A_LINE) {
        let line: Vec<String> = cities.iter().map(u32::to_string).collect();
        writeln!(writer, "{}", line.join(" "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tour::{parse_solution, parse_tour};
    use super::*;

    fn told(text: &str) -> String {
        parse_tour(text, "t", 4).unwrap_err().to_string()
    }

    #[test]
    fn tours_of_concorde_are_read() {
        assert_eq!(parse_tour("5\n0 2 1 \n4 3\n", "t", 5).unwrap(), [0, 2, 1, 4, 3]);
        let message = |text: &str| parse_tour(text, "t", 3).unwrap_err().to_string();
        assert_eq!(message("3\n0 1\n1"), "t:3: city 1 is visited twice");
        assert_eq!(message("3\n0 1\n3"), "t:3: expected a city from 0 to 2, not '3'");
        assert_eq!(message("3\n0 1\n"), "t:2: the tour ends after 2 of 3 cities: city 2 is missing");
        assert!(message("4\n0 1 2 3\n").contains("no TOUR_SECTION"));
    }

    #[test]
    fn tours_of_linkern_are_read() {
        assert_eq!(parse_tour("4 4\n0 2 10\n2 1 7\n1 3 5\n3 0 9\n", "t", 4).unwrap(), [0, 2, 1, 3]);
        // Edges that do not follow one another are no tour, nor are those of fewer cities.
        for wrong in
            ["4 4\n0 2 10\n2 1 7\n3 1 5\n1 0 9\n", "4 4\n0 2 10\n2 1 7\n1 0 5\n", "4 4\n0 1 1\n1 0 1\n0 1 1\n1 0 1\n"]
        {
            assert!(parse_tour(wrong, "t", 4).is_err(), "{wrong}");
        }
    }

    /// Cities and edges in the first line make it a list of edges, whose flaws are told where they are.
    #[test]
    fn flaws_of_a_list_of_edges_are_told_where_they_are() {
        for (edges, message) in [
            ("4 4\n0 2 10\n2 1 7\n3 1 5\n1 0 9\n", "t:5: the edge 1 - 0 is the third one at city 1"),
            ("4 4\n0 2 10\n2 1 7\n1 0 5\n", "t:4: only 3 of 4 edges; the file is cut off"),
            ("4 3\n0 2 10\n2 1 7\n1 0 5\n", "t:4: only 3 of 4 edges; the file is cut off"),
            (
                "4 4\n0 1 1\n\n1 0 1\n2 3 1\n3 2 1\n",
                "t:5: the edges make several tours: that of 2 - 3 does not come to city 0, with which the file begins",
            ),
            ("4 4\n0 2 10\n2 4 7\n", "t:3: expected a city from 0 to 3, not '4'"),
            ("4 4\n0 2 10\n2 1\n", "t:3: expected an edge, two cities and a length, not '2 1'"),
            ("4 4\n0 2 10\n2 2 7\n", "t:3: the edge 2 - 2 leads from a city to itself"),
            ("4 4\n0 2 10\n2 1 7\n1 3 5\n3 0 9\n0 3 1\n", "t:6: more than the 4 edges of a tour"),
        ] {
            assert_eq!(told(edges), message, "{edges}");
        }
    }

    #[test]
    fn edges_are_put_together_in_any_order() {
        let read = |text: &str| parse_tour(text, "t", 4).unwrap();
        // With decimals, as other programs write lengths.
        for edges in ["0 2 10\n1 3 5\n2 1 7\n3 0 9\n", "0 2 1.5\n3 1 5\n2 1 7\n0 3 9\n"] {
            assert_eq!(read(&format!("4 4\n{edges}")), [0, 2, 1, 3], "{edges}");
        }
        assert_eq!(parse_tour("2 2\n0 1 5\n0 1 5\n", "t", 2).unwrap(), [0, 1]);
        assert_eq!(parse_tour("1 1\n0 0 0\n", "t", 1).unwrap(), [0]);
        // A way back that costs something else needs edges with a direction.
        let skew =
            Instance::from_matrix("skew", 4, (0..16).map(|i| if i % 5 == 0 { 0 } else { 1 + i }).collect()).unwrap();
        let solution = |edges: &str| parse_solution(&format!("4 4\n{edges}"), "t", &skew);
        assert_eq!(solution("0 2 1\n1 3 1\n2 1 1\n3 0 1\n").unwrap(), [0, 2, 1, 3]);
        let none = solution("0 2 1\n3 1 1\n2 1 1\n0 3 1\n").unwrap_err().to_string();
        assert!(none.starts_with("t:2: the edges, from 0 - 2 on, have no common direction"), "{none}");
        // A solution whose first line has a city beside their number is none of edges.
        assert_eq!(parse_tour("4 0 2\n1 3\n", "t", 4).unwrap(), [0, 2, 1, 3]);
        assert_eq!(parse_tour("4 2\n0 1 3\n", "t", 4).unwrap(), [2, 0, 1, 3]);
    }

    #[test]
    fn what_is_written_is_read() {
        let instance = crate::instance::tsp::generate(crate::instance::tsp::Kind::Uniform, 25, 1).unwrap();
        let tour: Vec<u32> = (0..25).collect();
        let mut text = Vec::new();
        write_sol(&mut text, &instance, &tour).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, "25\n0 1 2 3 4 5 6 7 8 9\n10 11 12 13 14 15 16 17 18 19\n20 21 22 23 24\n");
        assert_eq!(parse_solution(&text, "t", &instance).unwrap(), tour);
        assert!(write_sol(&mut Vec::new(), &instance, &[0; 25]).is_err());
    }
}
