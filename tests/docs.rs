//! Pages that sources and other pages name exist, and what they show of the command line and the library is so.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let each = entries.map(|entry| entry.unwrap().path()).map(|path| match path.is_dir() {
        true => files(&path, extensions),
        false => vec![path],
    });
    let known = |path: &PathBuf| path.extension().is_some_and(|it| extensions.iter().any(|known| it == *known));
    each.flatten().filter(known).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn pages_that_sources_name_exist() {
    let folders = ["src", "shaders", "tests", "examples", "benches", "docs"];
    let mut named = 0;
    let mut missing = Vec::new();
    for path in folders.iter().flat_map(|folder| files(&root().join(folder), &["rs", "wgsl", "md", "sh", "json"])) {
        let text = read(&path);
        for (at, _) in text.match_indices("docs/") {
            let name: String = text[at..].chars().take_while(|c| c.is_alphanumeric() || "/_.-".contains(*c)).collect();
            let name = name.trim_end_matches(['.', '/']);
            // Dated pages tell of files of their day.
            let dated = path.to_string_lossy().contains("2026-");
            if name.len() > "docs/".len() && !dated && path.file_name() != Path::new(file!()).file_name() {
                named += 1;
                if !root().join(name).exists() {
                    missing.push(format!("{} names {name}", path.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(named > 20, "only {named} pages are named");
}

/// Comments and pages lead to files that are there.
#[test]
fn files_that_comments_name_exist() {
    let folders = ["src", "shaders", "tests", "benches", "examples", "docs/maintain", "docs/algorithms", "docs/guide"];
    let mut missing = Vec::new();
    for path in folders.iter().flat_map(|folder| files(&root().join(folder), &["rs", "wgsl", "md"])) {
        let text = read(&path);
        for prefix in ["src/", "shaders/"] {
            for (at, _) in text.match_indices(prefix) {
                let name: String =
                    text[at..].chars().take_while(|c| c.is_alphanumeric() || "/_.-".contains(*c)).collect();
                let is_file = name.ends_with(".rs") || name.ends_with(".wgsl");
                // Those of the adding page are still to be written.
                if is_file && !name.contains("moves_or_3opt") && !root().join(&name).exists() {
                    missing.push(format!("{} names {name}", path.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut pages = files(&root().join("docs"), &["md"]);
    pages.push(root().join("README.md"));
    for page in pages {
        let text = read(&page);
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap_or_default().split('#').next().unwrap_or_default();
            if target.is_empty() || target.starts_with("http") {
                continue;
            }
            assert!(page.parent().unwrap().join(target).exists(), "{}: {target}", page.display());
        }
    }
}

/// Whatever follows `myrmex` in a line of a page that is not dated is taken by the program: its command and options are known.
#[test]
fn words_of_the_command_line_are_known() {
    let mut pages = files(&root().join("docs"), &["md"]);
    pages.push(root().join("README.md"));
    pages.retain(|page| !page.to_string_lossy().contains("/results/"));
    let help = |command: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_myrmex")).args([command, "--help"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let commands = ["solve", "plan", "parameters", "presets", "devices", "bench", "check", "generate"];
    let known: String = commands.iter().map(|command| help(command)).collect();
    let others = [
        "--release",
        "--path",
        "--raw-output",
        "--features",
        "--example",
        "--bench",
        "--test",
        "--best",
        "--times",
        "--seeds",
        "--data",
        "--directory",
        "--table",
        "--all-targets",
        "--ignored",
        "--nocapture",
        "--offline",
        "--test-threads",
    ];
    for page in pages {
        let text = read(&page);
        for word in
            text.split(|c: char| c.is_whitespace() || "`[]()|,.;:=*".contains(c)).filter(|word| word.starts_with("--"))
        {
            let option = word.trim_end_matches(['\'', '"']);
            if option.len() > 2 && option.chars().nth(2).is_some_and(char::is_alphabetic) {
                assert!(known.contains(option) || others.contains(&option), "{}: {option}", page.display());
            }
        }
    }
}
