//! The house's floors: imports run downwards only, and no two modules of the crate import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use myrmex::kernels::compose::MODULES;

/// The modules of the crate, each with those that it may import: `docs/maintain/architecture.md` says why.
const MAY_IMPORT: [(&str, &[&str]); 12] = [
    ("error", &[]),
    ("wgsl", &[]),
    ("files", &["error"]),
    ("text", &["error"]),
    ("instance", &["error", "files", "text", "wgsl"]),
    ("algorithm", &["error", "wgsl"]),
    ("settings", &["algorithm", "error", "instance"]),
    ("backend", &["error"]),
    ("kernels", &["algorithm", "backend", "error", "instance", "settings", "wgsl"]),
    ("colony", &["algorithm", "backend", "error", "instance", "kernels"]),
    ("run", &["algorithm", "backend", "colony", "error", "files", "instance", "kernels", "settings"]),
    ("report", &["backend", "error", "instance", "run", "settings"]),
];

/// The folders and files of `src/kernels`: data at the bottom, then the families, at the top what makes plans and asks all of them.
const MAY_IMPORT_IN_KERNELS: [(&str, &[&str]); 13] = [
    ("buffers", &[]),
    ("compose", &[]),
    ("plan", &[]),
    ("shared", &["compose", "plan"]),
    ("pheromone", &["compose", "plan", "shared"]),
    ("construct", &["compose", "pheromone", "plan", "shared"]),
    ("two_opt", &["compose", "plan", "shared"]),
    ("lin_kernighan", &["compose", "plan", "shared"]),
    ("windows", &["compose", "lin_kernighan", "plan", "shared"]),
    ("merge", &["compose", "plan", "shared", "windows"]),
    ("eax", &["compose", "plan", "shared"]),
    ("qap", &["compose", "plan", "shared"]),
    ("planner", &["construct", "eax", "lin_kernighan", "merge", "plan", "qap", "shared", "two_opt", "windows"]),
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let each = entries.map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    each.flatten().filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// A source without its tests, which may import what they like: items under `#[cfg(test)]`, to the brace or semicolon that ends them.
fn without_tests(source: &str) -> String {
    let mut parts = source.split("#[cfg(test)]");
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (mut depth, mut end) = (0usize, part.len());
        for (at, letter) in part.char_indices() {
            depth = match letter {
                '{' => depth + 1,
                '}' => depth.saturating_sub(1),
                _ => depth,
            };
            if depth == 0 && matches!(letter, '}' | ';') {
                end = at + 1;
                break;
            }
        }
        code += &part[end..];
    }
    code
}

/// The names that a group of a `use` begins with: of `{a::{b, c}, d}` a and d.
fn group(text: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut names) = (0usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(text[begin..at].trim());
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    names
}

/// What a source names behind `prefix`, tests aside.
fn imports(source: &str, prefix: &str) -> BTreeSet<String> {
    let code = without_tests(source);
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        // `$crate::` in a macro, too.
        let rest = &code[at + prefix.len()..];
        for name in rest.strip_prefix('{').map_or_else(|| vec![rest], group) {
            let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.insert(name);
        }
    }
    found
}

#[test]
fn imports_are_found_in_all_their_forms() {
    let source = "use crate::{a::{b, c}, d};\n#[cfg(test)]\nuse crate::x::{y};\n#[cfg(test)]\nfn f() { crate::z(); }\nuse crate::e;\n\
                  #[cfg(test)]\nmod tests {\n    use crate::w;\n}\n";
    assert_eq!(imports(source, "crate::"), ["a", "d", "e"].map(str::to_owned).into());
    let called = "use crate::{run, settings::Recipe};\nfn f() { crate::report::g() }\n";
    assert_eq!(imports(called, "crate::"), ["report", "run", "settings"].map(str::to_owned).into());
}

/// Each module of a folder of the crate with what its files name behind `prefix`.
fn graph(folder: &str, prefix: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files(&root) {
        let relative = path.strip_prefix(&root).unwrap();
        let module = relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if ["lib", "bin", "mod"].contains(&module.as_str()) {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        // Else a module could be reached without its name.
        let is_outermost =
            relative.components().count() == 1 || relative.components().count() == 2 && path.ends_with("mod.rs");
        assert!(!is_outermost || imports(&source, "use super::").is_empty(), "{} imports by 'super'", path.display());
        graph.entry(module).or_default().extend(imports(&source, prefix));
    }
    graph
}

/// Each module imports what the table allows, and the table has all modules.
fn check(graph: &BTreeMap<String, BTreeSet<String>>, table: &[(&str, &[&str])]) {
    let modules: BTreeSet<&str> = table.iter().map(|(module, _)| *module).collect();
    assert_eq!(
        graph.keys().map(String::as_str).collect::<BTreeSet<_>>(),
        modules,
        "modules without a floor, or floors without"
    );
    for (module, allowed) in table {
        let above: Vec<&String> = graph[*module]
            .iter()
            .filter(|name| modules.contains(name.as_str()) && name != module && !allowed.contains(&name.as_str()))
            .collect();
        assert!(above.is_empty(), "{module} imports {above:?}");
    }
}

/// What is imported by the name of a type, from the root that re-exports it.
fn types<'a>(graph: &'a BTreeMap<String, BTreeSet<String>>, module: &str) -> BTreeSet<&'a str> {
    graph[module].iter().map(String::as_str).filter(|name| name.starts_with(char::is_uppercase)).collect()
}

#[test]
fn imports_run_downwards_only() {
    let graph = graph("src", "crate::");
    check(&graph, &MAY_IMPORT);
    for (module, _) in MAY_IMPORT {
        // What the crate re-exports would hide where it comes from.
        let types = types(&graph, module);
        assert!(types.iter().all(|name| *name == "Error"), "{module} imports {types:?} from the crate's root");
    }
}

/// The page about the architecture says the same.
#[test]
fn the_page_has_the_table() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/maintain/architecture.md"));
    let page = page.unwrap();
    for (module, allowed) in MAY_IMPORT {
        let is_row = |line: &&str| {
            [format!("| `src/{module}/`"), format!("| `src/{module}.rs`")].iter().any(|it| line.starts_with(it))
        };
        let row = page.lines().find(is_row).unwrap_or_else(|| panic!("no row of {module}"));
        let told = row.trim_end_matches('|').rsplit('|').next().unwrap().trim();
        let expected = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
        assert_eq!(told, expected, "{module}");
    }
}

#[test]
fn imports_among_kernels_run_downwards_only() {
    let graph = graph("src/kernels", "crate::kernels::");
    check(&graph, &MAY_IMPORT_IN_KERNELS);
    for (module, _) in MAY_IMPORT_IN_KERNELS {
        // These are in `buffers` and in `kernels` itself, which are below all.
        let types = types(&graph, module);
        let below = ["Buffer", "BufferPlan", "Buffers", "KernelError"];
        assert!(types.iter().all(|name| below.contains(name)), "{module} imports {types:?}");
    }
}

/// The tables themselves have no circle: each module stands above all that it may import.
#[test]
fn floors_have_an_order() {
    for table in [&MAY_IMPORT as &[(&str, &[&str])], &MAY_IMPORT_IN_KERNELS] {
        let mut placed: BTreeSet<&str> = BTreeSet::new();
        while placed.len() < table.len() {
            let next: Vec<&str> = table
                .iter()
                .filter(|(module, allowed)| {
                    !placed.contains(module) && allowed.iter().all(|name| placed.contains(name))
                })
                .map(|(module, _)| *module)
                .collect();
            assert!(!next.is_empty(), "a circle among those besides {placed:?}");
            placed.extend(next);
        }
    }
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
