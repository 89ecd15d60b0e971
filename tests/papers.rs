//! The page with the papers' tables has the papers' figures, and says below each table how many of its cells are worse.

use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../docs/results/papers.md");
const FIGURES: &str = include_str!("../examples/paper_tables/figures.csv");

/// `ours / the paper's` in a table; ours is `-` where nothing was measured to its end.
struct Cell {
    instance: &'static str,
    column: &'static str,
    ours: Option<f64>,
    paper: f64,
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("'{text}' is no number"))
}

/// The cells of all tables in a part of the page.
fn cells(text: &'static str) -> Vec<Cell> {
    let (mut columns, mut cells) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let row: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if row[0] == "instance" {
            columns = row;
            continue;
        }
        for (column, cell) in columns.iter().zip(&row).skip(1) {
            let Some((ours, paper)) = cell.split_once(" / ") else { continue };
            let ours = (ours != "-").then(|| number(ours));
            cells.push(Cell { instance: row[0], column, ours, paper: number(paper) });
        }
    }
    cells
}

/// How many cells are worse, and how many of each kind. The kind is the last part of a column's name; less is better in all.
fn count(cells: &[Cell]) -> String {
    let (mut measured, mut kinds) = (0, Vec::<(&str, usize)>::new());
    for Cell { column, ours, paper, .. } in cells {
        let Some(ours) = ours else { continue };
        measured += 1;
        let (kind, worse) = (column.rsplit('/').next().unwrap(), usize::from(ours > paper));
        match kinds.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, count)) => *count += worse,
            None => kinds.push((kind, worse)),
        }
    }
    kinds.retain(|(_, count)| *count > 0);
    let each: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    match kinds.iter().map(|(_, count)| count).sum::<usize>() {
        0 => format!("none of {measured} cells"),
        worse => format!("{worse} of {measured} cells ({})", each.join(", ")),
    }
}

#[test]
fn tables_have_the_papers_figures_and_count_what_is_worse() {
    let figures: BTreeMap<(&str, &str, &str), f64> = FIGURES
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|row| ((row[0], row[1], row[2]), number(row[3])))
        .collect();
    let mut seen = BTreeSet::new();
    for part in PAGE.split("\n## ").flat_map(|part| part.split("\n### ")) {
        let (heading, text) = part.split_once('\n').unwrap();
        let cells = cells(text);
        if cells.is_empty() {
            continue;
        }
        let table = heading.split('`').nth(1).unwrap_or_else(|| panic!("'{heading}' names no table"));
        for Cell { instance, column, paper, .. } in &cells {
            assert_eq!(figures.get(&(table, instance, column)), Some(paper), "{table}, {instance}, {column}");
        }
        // Of Friedman's test no figure is better than another.
        if table != "mmas-8" {
            let told: Vec<&str> = text
                .lines()
                .filter_map(|line| line.strip_prefix("Worse than the paper's: ")?.split('.').next())
                .collect();
            assert_eq!(told, [count(&cells)], "below {heading}");
        }
        seen.insert(table);
    }
    assert_eq!(seen, figures.keys().map(|(table, ..)| *table).collect(), "tables on the page, and all of the papers");
}
