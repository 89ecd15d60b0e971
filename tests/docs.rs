//! Pages that sources and other pages name exist, and what they show of the command line and the library is so.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
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

/// Every page: those of the book, and those that lie beside what they are about.
fn pages() -> Vec<PathBuf> {
    let beside = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "python/README.md", "capi/README.md"];
    let mut pages = files(&root().join("docs"), &["md"]);
    pages.extend(beside.iter().chain(&["instances/README.md"]).map(|name| root().join(name)));
    assert!(pages.len() > 50, "only {} pages", pages.len());
    pages
}

/// What links lead to within a page: its headings in small letters, with hyphens for spaces and without other marks.
fn anchors(text: &str) -> Vec<String> {
    let mut is_code = false;
    let is_heading = |line: &&str| {
        is_code ^= line.starts_with("```");
        !is_code && line.starts_with('#')
    };
    let anchor = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
    };
    text.lines().filter(is_heading).map(anchor).collect()
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

/// The cells of the table's rows under a head, its first cells.
fn table<'a>(text: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let rows = text.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    let cells = |line: &'a str| line.trim_matches('|').split(" | ").map(str::trim).collect();
    rows.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// Every preset says where it is described and in what it deviates, and every deviation names a parameter and its reason.
#[test]
fn presets_and_their_deviations_are_told() {
    let page = read(&root().join("docs/algorithms/papers.md"));
    let papers = table(&page, "| number | paper |");
    let presets = table(&page, "| preset | paper |");
    let deviations = table(&page, "| deviation | parameter |");
    let of = |name: &&str| myrmex::Algorithm::named(name).unwrap().parameters();
    let all = myrmex::Algorithm::NAMES.iter().flat_map(of).chain(myrmex::Execution::PARAMETERS);
    let known: Vec<&str> = all.map(|parameter| parameter.name).collect();
    let described = myrmex::PRESETS.iter();
    assert_eq!(presets.len(), described.clone().count());
    let mut used = Vec::new();
    for (preset, row) in described.zip(&presets) {
        let [name, number, place, kept] = row[..] else { panic!("{row:?}") };
        assert_eq!(name, format!("`{}`", preset.name));
        let paper = papers.iter().find(|paper| paper[0] == number).unwrap_or_else(|| panic!("{name}: {number}"));
        assert_eq!(format!("{}, {place}", paper[1]), preset.source);
        assert!(["section", "equation"].iter().all(|word| place.contains(word)), "{name}: {place}");
        let keys = kept.strip_prefix("deviates: ").map(|keys| keys.split(", ").collect::<Vec<_>>());
        assert!(kept == "faithful" || keys.is_some(), "{name}: {kept}");
        used.extend(keys.unwrap_or_default());
    }
    for row in &deviations {
        let [key, parameters, reason] = row[..] else { panic!("{row:?}") };
        assert!(used.contains(&key), "no preset has deviation '{key}'");
        let words = parameters.split(", ").map(|name| name.trim_matches('`'));
        words.for_each(|name| assert!(known.contains(&name), "{key}: there is no parameter '{name}'"));
        assert!(reason.split(". ").count() > 1, "'{key}' does not say why: {reason}");
    }
    for key in used {
        assert_eq!(deviations.iter().filter(|row| row[0] == key).count(), 1, "deviation '{key}'");
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let (mut links, mut places) = (0, 0);
    for page in pages() {
        let text = read(&page);
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap_or_default();
            if target.starts_with("http") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(file.exists(), "{}: {target}", page.display());
            links += 1;
            if !anchor.is_empty() {
                places += 1;
                assert!(anchors(&read(&file)).iter().any(|it| it == anchor), "{}: {target}", page.display());
            }
        }
    }
    assert!(links > 300 && places > 50, "only {links} links, {places} to a place in a page");
}

/// The book (packaging/book.sh) has every page, once, and no other.
#[test]
fn the_book_has_every_page() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let named =
        |line: &str| line.split_once("](").and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name.into());
    let mut named: Vec<String> = summary.lines().filter_map(named).collect();
    let mut pages: Vec<String> = files(&docs, &["md"])
        .iter()
        .map(|path| path.strip_prefix(&docs).unwrap().to_string_lossy().replace('\\', "/"))
        .filter(|name| name != "SUMMARY.md")
        .collect();
    pages.extend(
        ["../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md", "../python/README.md", "../capi/README.md"]
            .map(String::from),
    );
    named.sort();
    pages.sort();
    assert_eq!(named, pages);
}

/// The words of a text that are long options.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "`[]()|,.;:=*'\"".contains(c));
    words.filter(|word| {
        word.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic) && !name.ends_with('-'))
    })
}

/// Every option on a page that is not dated is one of the program's, or of another one that is known.
#[test]
fn words_of_the_command_line_are_known() {
    let mut pages = pages();
    pages.retain(|page| !page.to_string_lossy().contains("/results/"));
    let help = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_myrmex")).args(words).arg("--help").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let all = help(&[]);
    let commands = all.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(["solve", "batch", "merge", "completions", "man"].iter().all(|it| commands.contains(it)), "{commands:?}");
    let helps: Vec<String> = commands.iter().filter(|it| **it != "help").map(|command| help(&[command])).collect();
    let known: BTreeSet<&str> = helps.iter().chain([&all]).flat_map(|text| options(text)).collect();
    assert!(known.contains("--time") && !known.contains("--tim") && known.len() > 50, "{known:?}");
    let others = [
        "--release",
        "--path",
        "--raw-output",
        "--rawfile",
        "--features",
        "--example",
        "--bench",
        "--test",
        "--best",
        "--data",
        "--directory",
        "--table",
        "--all-targets",
        "--ignored",
        "--nocapture",
        "--offline",
        "--test-threads",
        "--dry-run",
        "--rm",
        "--user",
        "--gpus",
        // Of launchers.
        "--hostfile",
        "--mpi",
        "--bind-to",
        "--map-by",
        "--kill-on-bad-exit",
        "--enable-recovery",
        "--cpus-per-task",
        "--signal",
        // Of what compiles and links programs in C.
        "--crate-type",
        "--print",
        "--cflags",
        "--libs",
        "--strip-debug",
    ];
    for page in pages {
        for option in options(&read(&page)) {
            assert!(known.contains(option) || others.contains(&option), "{}: {option}", page.display());
        }
    }
}

/// A step of a job has the cores that the job asks for where they are handed on, and a job that is started again writes over nothing.
#[test]
fn scripts_for_slurm_hand_cores_on_and_write_files_of_their_own() {
    let scripts = files(&root().join("docs/guide/slurm"), &["sh"]);
    assert!(scripts.len() > 2);
    for script in scripts {
        let (text, name) = (read(&script), script.display());
        let steps = text.find("\nsrun ").unwrap_or_else(|| panic!("{name} has no step"));
        let handed_on = text.find("\nexport SRUN_CPUS_PER_TASK=\"$SLURM_CPUS_PER_TASK\"\n");
        assert!(text.contains("--cpus-per-task=") && handed_on.is_some_and(|at| at < steps), "{name}");
        let words: Vec<&str> = text[steps..].split_whitespace().collect();
        let outputs = words.windows(2).filter(|pair| ["--solution", "--json"].contains(&pair[0]));
        let outputs: Vec<&str> = outputs.map(|pair| pair[1]).collect();
        assert!(!outputs.is_empty() && outputs.iter().all(|output| output.contains("JOB_ID")), "{name}: {outputs:?}");
    }
}

/// All files with `unsafe` code are in the table of the page on architecture, and no others.
#[test]
fn unsafe_code_is_where_the_page_says() {
    let page = read(&root().join("docs/maintain/architecture.md"));
    let rows = table(&page, "| file | why |");
    let told: Vec<&str> = rows.iter().flat_map(|row| row[0].split(", ")).map(|name| name.trim_matches('`')).collect();
    let folders = ["src", "capi/src", "python/src", "web/src"].map(|folder| root().join(folder));
    // Of modules that a file has, too.
    let words = ["unsafe {", "unsafe fn", "unsafe extern", "unsafe impl", "#[unsafe("];
    let code = |line: &str| line.split("//").next().is_some_and(|code| words.iter().any(|word| code.contains(word)));
    let has_unsafe = |path: &PathBuf| read(path).lines().any(code);
    let found: Vec<String> = folders
        .iter()
        .flat_map(|folder| files(folder, &["rs"]))
        .filter(has_unsafe)
        .map(|path| path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"))
        .collect();
    // A row may name a folder.
    let is_of = |file: &str, name: &str| file == name || name.ends_with('/') && file.starts_with(name);
    for file in &found {
        assert!(told.iter().any(|name| is_of(file, name)), "{file} is not in the table");
    }
    for name in told {
        assert!(found.iter().any(|file| is_of(file, name)), "{name} has no unsafe code");
    }
    for crate_root in ["src/lib.rs", "src/bin/myrmex/main.rs", "capi/src/lib.rs", "python/src/lib.rs"] {
        assert!(read(&root().join(crate_root)).contains("#![deny(unsafe_code)]"), "{crate_root}");
    }
}

/// Packages bring copies of the licences: links are no files everywhere.
#[test]
fn licences_of_the_python_package_are_those_of_the_crate() {
    for (copy, whole) in [("python/LICENSE", "LICENSE"), ("python/LICENSE-font", "src/report/font/LICENSE")] {
        let [copy, whole] = [copy, whole].map(|name| root().join(name));
        assert!(!copy.is_symlink() && read(&copy) == read(&whole), "{}", copy.display());
    }
}

#[test]
fn the_page_on_tests_has_every_file() {
    let page = read(&root().join("docs/maintain/testing.md"));
    for path in files(&root().join("tests"), &["rs"]).iter().filter(|path| path.parent().unwrap().ends_with("tests")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(page.contains(&format!("`{name}`")) || page.contains(&format!("`tests/{name}`")), "{name}");
    }
}

/// The tests that Windows and macOS run are some that there are, all that hold a kernel against its twin among them.
#[test]
fn workflows_name_tests_that_there_are() {
    let workflow = read(&root().join(".github/workflows/ci.yml"));
    let named: Vec<&str> = workflow.split_whitespace().filter_map(|word| word.strip_suffix("::")).collect();
    let all = read(&root().join("tests/all.rs"));
    let modules: Vec<&str> = all
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .filter(|it| *it != "common")
        .collect();
    assert!(named.len() > 20 && named.iter().all(|name| modules.contains(name)), "{named:?}");
    for module in modules {
        let compares = read(&root().join(format!("tests/{module}.rs"))).contains("are_caught()");
        let is_of_pages = ["docs", "first_run"].contains(&module);
        assert!(!compares || is_of_pages || named.contains(&module), "ci.yml leaves out {module}::");
    }
}
