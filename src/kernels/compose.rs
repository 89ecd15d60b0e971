//! Joins WGSL modules into one shader: `#include module`, `#if NAME`, `#else`, `#endif`, each alone on its line; and writes the lines
//! between `#repeat NAME` and `#end` as often as asked for, `$i` being the number of the copy, so that what is indexed by it can stay in
//! registers.
//!
//! A module is included at most once. An include step of this size, with naga validating each result, is all that a few
//! dozen kernels need; the crates that do more (naga_oil, WESL) were weighed in `docs/maintain/architecture.md`.

use std::collections::{BTreeSet, HashMap};
use std::sync::{LazyLock, PoisonError, RwLock};

macro_rules! modules {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../shaders/", $name, ".wgsl")))),+]
    };
}

/// Every WGSL module by name, embedded so that a dependent crate needs no files.
pub const MODULES: &[(&str, &str)] = modules![
    "pheromone/best",
    "pheromone/deposit",
    "pheromone/deposit_amount",
    "pheromone/serial_update",
    "construct/deviates",
    "eax/edge_overlap",
    "pheromone/trail_update",
    "pheromone/unit_best",
    "construct/construct",
    "construct/among_subgroup",
    "construct/among_workgroup",
    "construct/crew_single",
    "construct/crew_workgroup",
    "construct/deviates_row",
    "construct/entry",
    "construct/found",
    "construct/greediest",
    "construct/key",
    "construct/class_sums",
    "construct/linear",
    "construct/row_ahead",
    "construct/rows_candidates",
    "construct/rows_full",
    "construct/rows_listed",
    "construct/rows_selective",
    "construct/rows_still",
    "construct/rows_trails",
    "construct/rwm_single",
    "construct/rwm_subgroups",
    "construct/rwm_workgroup",
    "construct/selection",
    "construct/visited_bt",
    "construct/visited_ct",
    "construct/visited_halves",
    "construct/visited_lc",
    "construct/visited_octets",
    "construct/visited_register",
    "construct/walk_assignment",
    "construct/walk_tour",
    "construct/weights",
    "construct/wheel",
    "construct/wrs",
    "construct/wrs_one",
    "construct/wrs_octets",
    "shared/probe",
    "qap/assignment_cost",
    "qap/change",
    "qap/crossover",
    "qap/cost_of",
    "qap/cost_ranks",
    "qap/survivors",
    "qap/succession",
    "qap/changes_pairs",
    "qap/changes_products",
    "qap/tabu_search",
    "qap/delta_table",
    "qap/matrices",
    "qap/memory",
    "qap/pairs",
    "qap/products_in_registers",
    "qap/products_in_storage",
    "qap/products_in_workgroup",
    "qap/table_in_storage",
    "qap/table_in_workgroup",
    "shared/call",
    "shared/deviates",
    "shared/exp2",
    "shared/fixed",
    "shared/gumbel",
    "shared/heuristic",
    "shared/least",
    "shared/least_subgroups",
    "shared/limit",
    "shared/pairs",
    "shared/log2",
    "shared/progress",
    "shared/search_tags",
    "two_opt/progress",
    "lin_kernighan/progress",
    "qap/progress",
    "shared/random",
    "shared/state",
    "shared/sum",
    "shared/wide",
    "eax/replace",
    "shared/array_tour",
    "shared/array_tour/load_tour",
    "shared/array_tour/queue",
    "shared/array_tour/queue_in_storage",
    "shared/array_tour/queue_in_workgroup",
    "shared/array_tour/slices",
    "shared/array_tour/tour_in_storage",
    "shared/array_tour/tour_in_words",
    "shared/array_tour/tour_in_workgroup",
    "eax/recombine",
    "eax/entropy",
    "eax/edge_counts",
    "eax/offspring",
    "eax/progress",
    "eax/sub_tours",
    "eax/ab_cycles",
    "lin_kernighan/chained",
    "lin_kernighan/chained_search",
    "lin_kernighan/journal",
    "lin_kernighan/moves",
    "lin_kernighan/offers",
    "lin_kernighan/places",
    "shared/distance",
    "shared/distance_order",
    "shared/distance_coordinates",
    "shared/euclidean",
    "shared/site",
    "shared/space",
    "construct/focus",
    "pheromone/global_update",
    "lin_kernighan/lin_kernighan",
    "pheromone/local_rule",
    "pheromone/local_update",
    "lin_kernighan/chained_progress",
    "windows/window_search",
    "windows/removed_edges",
    "windows/window_order",
    "windows/window_place",
    "two_opt/pieces",
    "lin_kernighan/double_bridge",
    "lin_kernighan/ruin_and_recreate",
    "pheromone/selective",
    "merge/independent_set",
    "merge/conflicts",
    "merge/removed_list",
    "merge/mark",
    "merge/path_list",
    "merge/paths",
    "merge/order_index",
    "merge/scatter",
    "shared/tour_cost",
    "pheromone/trail_place",
    "two_opt/two_opt",
    "two_opt/changes",
    "two_opt/moves_insertion",
    "two_opt/moves_two_half_opt",
    "two_opt/moves_or_opt",
    "two_opt/moves_two_opt",
];

/// A composition by its module, flags and repeats.
type Composed = HashMap<(String, Vec<String>, Vec<(&'static str, u32)>), String>;

/// The source of module `root` with its includes, for the given flags. Its first line names the composition: the module, and those flags
/// that it has a condition for. It is kept for whoever asks for the same again: many small problems would spend much of their time here.
///
/// # Errors
/// A message that names module and line when an include or a condition is broken. The crate's own modules are all
/// composed in its tests, so this reaches nobody unless a module is edited.
pub fn compose(root: &str, flags: &[&str]) -> Result<String, String> {
    compose_repeating(root, flags, &[])
}

/// As [`compose`], with how often the lines of each `#repeat` are written.
///
/// # Errors
/// As for [`compose`].
pub fn compose_repeating(root: &str, flags: &[&str], repeats: &[(&'static str, u32)]) -> Result<String, String> {
    static KEPT: LazyLock<RwLock<Composed>> = LazyLock::new(RwLock::default);
    let asked = (root.to_owned(), flags.iter().map(|flag| (*flag).to_owned()).collect(), repeats.to_vec());
    if let Some(known) = KEPT.read().unwrap_or_else(PoisonError::into_inner).get(&asked) {
        return Ok(known.clone());
    }
    let mut composer = Composer { flags, repeats, included: Vec::new(), used: BTreeSet::new(), out: String::new() };
    composer.include(root)?;
    let used = composer.used.into_iter().fold(String::new(), |used, flag| used + " " + flag);
    let source = format!("// {root}{used}\n{}", composer.out);
    KEPT.write().unwrap_or_else(PoisonError::into_inner).insert(asked, source.clone());
    Ok(source)
}

struct Composer<'a> {
    flags: &'a [&'a str],
    repeats: &'a [(&'static str, u32)],
    included: Vec<String>,
    /// Flags that a condition has asked for, and that are given.
    used: BTreeSet<&'a str>,
    out: String,
}

impl Composer<'_> {
    fn include(&mut self, name: &str) -> Result<(), String> {
        if self.included.iter().any(|done| done == name) {
            return Ok(());
        }
        self.included.push(name.to_owned());
        let Some((_, source)) = MODULES.iter().find(|(module, _)| *module == name) else {
            return Err(format!("no shader module is called '{name}'"));
        };
        let lines: Vec<(usize, &str)> = source.lines().enumerate().collect();
        self.lines(name, &lines, None)
    }

    /// Writes lines of a module, in the given copy of a repeat.
    fn lines(&mut self, name: &str, lines: &[(usize, &str)], copy: Option<u32>) -> Result<(), String> {
        // For each open condition: whether its present branch counts, and whether an #else was seen.
        let mut conditions: Vec<(bool, bool)> = Vec::new();
        let mut rest = lines.iter();
        while let Some((index, line)) = rest.next() {
            let at = || format!("{name}.wgsl:{}", index + 1);
            let active = conditions.iter().all(|(holds, _)| *holds);
            let (word, operand) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            match word {
                "#include" if active => {
                    self.include(operand.trim()).map_err(|error| format!("{}: {error}", at()))?;
                }
                "#include" => {}
                "#if" => {
                    let flag = self.flags.iter().find(|flag| **flag == operand.trim());
                    self.used.extend(flag.filter(|_| active));
                    conditions.push((flag.is_some(), false));
                }
                "#else" => match conditions.last_mut() {
                    Some((holds, seen_else)) if !*seen_else => {
                        *holds = !*holds;
                        *seen_else = true;
                    }
                    _ => return Err(format!("{}: #else without #if", at())),
                },
                "#endif" => {
                    conditions.pop().ok_or_else(|| format!("{}: #endif without #if", at()))?;
                }
                "#repeat" => {
                    let from = rest.as_slice();
                    let end = from.iter().position(|(_, line)| line.trim() == "#end");
                    let end = end.ok_or_else(|| format!("{}: #repeat without #end", at()))?;
                    rest = from[end + 1..].iter();
                    if active {
                        let times = self.repeats.iter().find(|(name, _)| *name == operand.trim());
                        let (_, times) = *times.ok_or_else(|| format!("{}: how often is not said", at()))?;
                        (0..times).try_for_each(|copy| self.lines(name, &from[..end], Some(copy)))?;
                    }
                }
                _ if word.starts_with('#') => return Err(format!("{}: unknown directive {word}", at())),
                _ if active => {
                    match copy {
                        Some(copy) => self.out.push_str(&line.replace("$i", &copy.to_string())),
                        None => self.out.push_str(line),
                    }
                    self.out.push('\n');
                }
                _ => {}
            }
        }
        if conditions.is_empty() { Ok(()) } else { Err(format!("{name}.wgsl: #if without #endif")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_come_once_and_conditions_choose() {
        let one = compose("construct/construct", &["VISITED_BT"]).unwrap();
        let octets = compose("construct/construct", &["VISITED_BT", "OCTETS"]).unwrap();
        assert_eq!(one.matches("fn mul_high").count(), 1);
        assert!(one.contains("let found = option(city, i)") && !octets.contains("let found = option(city, i)"));
        assert!(!one.lines().any(|line| line.starts_with('#')));
        assert!(one.starts_with("// construct/construct VISITED_BT\n"), "{}", one.lines().next().unwrap_or_default());
        assert_eq!(compose("construct/construct", &["VISITED_BT", "NOBODY_ASKS"]).unwrap(), one);
    }

    #[test]
    fn repeated_lines_are_numbered() {
        let flags = ["PRODUCTS", "TABU"];
        let three = compose_repeating("qap/tabu_search", &flags, &[("EACH", 3), ("ROWS", 2)]).unwrap();
        for (line, times) in [("var<private> change_2: i32;", 1), ("change_3", 0), ("var<private> change_", 3)] {
            assert_eq!(three.matches(line).count(), times, "{line}");
        }
        let error = compose("qap/tabu_search", &flags).unwrap_err();
        assert!(error.contains("qap/changes_products.wgsl:") && error.contains("how often"), "{error}");
    }

    #[test]
    fn broken_names_are_told() {
        assert!(compose("eax/nothing", &[]).unwrap_err().contains("eax/nothing"));
    }
}
