//! The house's floors: imports run downwards only, and no two modules of the crate import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use myrmex::kernels::compose::MODULES;

/// The modules of the crate, each with those that it may import: `docs/maintain/architecture.md` says why.
const MAY_IMPORT: [(&str, &[&str]); 11] = [
    ("error", &[]),
    ("wgsl", &[]),
    ("text", &["error"]),
    ("instance", &["error", "text"]),
    ("algorithm", &["error", "wgsl"]),
    ("settings", &["algorithm", "error", "instance"]),
    ("backend", &["error"]),
    ("kernels", &["algorithm", "backend", "error", "instance", "settings", "wgsl"]),
    ("colony", &["algorithm", "backend", "error", "instance", "kernels"]),
    ("run", &["algorithm", "backend", "colony", "error", "instance", "kernels", "settings"]),
    ("report", &["backend", "error", "run", "settings"]),
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let each = entries.map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    each.flatten().filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The module that a file belongs to, and those of the crate that its text names; tests may import what they like.
fn imports(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` in a macro, too.
        let rest = &code[at + "crate::".len()..];
        let names: Vec<&str> = match rest.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or_default().split(',').map(str::trim).collect(),
            None => vec![rest],
        };
        for name in names {
            let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.insert(name);
        }
    }
    found
}

/// Each module of the crate with what its files import.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files(&root) {
        let relative = path.strip_prefix(&root).unwrap();
        let module = relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if ["lib", "bin"].contains(&module.as_str()) {
            continue;
        }
        let names = imports(&std::fs::read_to_string(&path).unwrap());
        graph.entry(module).or_default().extend(names);
    }
    graph
}

#[test]
fn imports_run_downwards_only() {
    let graph = graph();
    let modules: BTreeSet<&str> = MAY_IMPORT.iter().map(|(module, _)| *module).collect();
    assert_eq!(
        graph.keys().map(String::as_str).collect::<BTreeSet<_>>(),
        modules,
        "modules without a floor, or floors without"
    );
    for (module, allowed) in MAY_IMPORT {
        let above: Vec<&String> = graph[module]
            .iter()
            .filter(|name| modules.contains(name.as_str()) && *name != module && !allowed.contains(&name.as_str()))
            .collect();
        assert!(above.is_empty(), "{module} imports {above:?}");
        // What the crate re-exports would hide where it comes from.
        let types: Vec<&String> = graph[module].iter().filter(|name| name.starts_with(char::is_uppercase)).collect();
        assert!(types.iter().all(|name| *name == "Error"), "{module} imports {types:?} from the crate's root");
    }
}

/// The table itself has no circle: each module stands above all that it may import.
#[test]
fn floors_have_an_order() {
    let mut placed: BTreeSet<&str> = BTreeSet::new();
    while placed.len() < MAY_IMPORT.len() {
        let next: Vec<&str> = MAY_IMPORT
            .iter()
            .filter(|(module, allowed)| !placed.contains(module) && allowed.iter().all(|name| placed.contains(name)))
            .map(|(module, _)| *module)
            .collect();
        assert!(!next.is_empty(), "a circle among those besides {placed:?}");
        placed.extend(next);
    }
}

#[test]
fn imports_are_found_in_all_their_forms() {
    let source = "use crate::kernels::Buffer;\nuse crate::{run, settings::Recipe};\nfn f() { crate::report::g() }\n#[cfg(test)]\nuse crate::colony;";
    let names: Vec<String> = imports(source).into_iter().collect();
    assert_eq!(names, ["kernels", "report", "run", "settings"]);
}

/// `NAME` and `VALUE` of a line `const NAME: TYPE = VALUE;`, public or not.
fn declaration(line: &str) -> Option<(&str, &str)> {
    let (before, rest) = line.trim().split_once("const ")?;
    let (name, rest) = rest.split_once(": ")?;
    let value = rest.split_once(" = ")?.1;
    (before.is_empty() || before.starts_with("pub")).then_some((name, value))
}

/// A number that WGSL and Rust share is written in WGSL alone: what has the same name in a kernel's Rust side is read from there.
#[test]
fn no_constant_of_a_shader_is_written_again_in_rust() {
    let shaders: BTreeSet<&str> = MODULES
        .iter()
        .flat_map(|(_, source)| source.lines())
        .filter(|line| line.starts_with("const "))
        .filter_map(|line| Some(declaration(line)?.0))
        .collect();
    assert!(shaders.contains("JOURNAL") && shaders.len() > 40, "{shaders:?}");
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut again = Vec::new();
    let mut shared = 0;
    for path in ["algorithm", "kernels"].iter().flat_map(|folder| files(&src.join(folder))) {
        let source = std::fs::read_to_string(&path).unwrap();
        for (name, value) in source.lines().filter_map(declaration).filter(|(name, _)| shaders.contains(name)) {
            shared += 1;
            // The twin of tabu search has signed numbers, and so another one that stands for none.
            if !value.contains("constant!(") && value != "i32::MAX;" {
                again.push(format!("{}: {name} = {value}", path.display()));
            }
        }
    }
    assert!(again.is_empty(), "{again:#?}");
    assert!(shared > 30, "{shared}");
}
