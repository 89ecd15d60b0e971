//! A new user's path: `docs/guide/first_steps.md`, line by line, and what other programs make of the files; then the lines of the README and
//! of the guide's other pages.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use resvg::tiny_skia::Pixmap;
use serde_json::Value;

/// A fenced block of a page.
#[derive(Debug, PartialEq)]
struct Block<'a> {
    language: &'a str,
    /// The file that it is the content of.
    file: Option<&'a str>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(_), true) => inside = false,
            (Some(words), false) => {
                let mut words = words.split_whitespace();
                let language = words.next().unwrap_or_default();
                blocks.push(Block { language, file: words.next(), text: String::new() });
                inside = true;
            }
            (None, true) => {
                let text = &mut blocks.last_mut().unwrap().text;
                text.push_str(line);
                text.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks
}

/// What a shell says to lines in a folder, where `myrmex` is this program. All of them have to succeed.
fn shell(folder: &Path, lines: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_myrmex")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-euc", &format!("exec 2>&1\n{lines}")])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{lines}\n{said}");
    said
}

/// Writes a page's files, runs its lines and compares what it shows of their output; how many lines ran.
fn follow(page: &str, folder: &Path) -> usize {
    let blocks = blocks(page);
    let mut ran = 0;
    for (at, block) in blocks.iter().enumerate() {
        match (block.language, block.file) {
            ("sh", None) => {
                let said = shell(folder, &block.text);
                ran += block.text.lines().count();
                if let Some(shown) = blocks.get(at + 1).filter(|next| next.language == "text") {
                    // Drivers may say something of their own before.
                    let told: Vec<&str> = said.lines().collect();
                    let shown: Vec<&str> = shown.text.lines().collect();
                    assert!(told.ends_with(&shown), "{}{said}\nbut the page shows {shown:#?}", block.text);
                }
            }
            ("text", None) => {}
            (_, Some(name)) => std::fs::write(folder.join(name), &block.text).unwrap(),
            other => panic!("nobody knows what to do with {other:?}"),
        }
    }
    ran
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/first_steps.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_first_steps_go_as_the_guide_says() {
    let folder = tempfile::tempdir().unwrap();
    let ran = follow(&page(), folder.path());
    assert!(ran >= 10, "{ran} lines");
    let at = |name: &str| -> PathBuf { folder.path().join(name) };
    let text = |name: &str| std::fs::read_to_string(at(name)).unwrap();
    let json = |name: &str| -> Value { serde_json::from_str(&text(name)).unwrap() };

    assert_eq!(text("tour.svg").matches("<circle").count(), 12);
    for name in ["tour.png", "path.png", "towns.png", "gains.png"] {
        let picture = Pixmap::load_png(at(name)).unwrap();
        assert_eq!(picture.width().max(picture.height()), 2000, "{name}");
        let corner = picture.pixel(0, 0).unwrap();
        let drawn = picture.pixels().iter().filter(|pixel| **pixel != corner).count();
        assert!(drawn * 300 > picture.pixels().len(), "{name}: {drawn} pixels");
    }
    assert!(text("gains.svg").contains("seed 2"));
    let line = json("tour.geojson").to_string();
    assert!(line.contains("LineString") && line.contains("13.405"), "{line}");
    // A path has the length that its report says, whoever adds it up.
    let report = json("report.json");
    let names: Vec<&str> = report["tour_names"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let order: Vec<String> =
        text("tour.csv").lines().skip(1).map(|line| line.split(',').nth(2).unwrap().to_owned()).collect();
    assert_eq!(names.len(), order.len());
    assert!(order.iter().all(|name| names.contains(&name.as_str())));
    assert_eq!(report["cost"], 2_059_001);
}

/// Lines that are for another machine, or that another test runs.
const ELSEWHERE: [&str; 11] = [
    // This very command, and the page's.
    "bash tests/run.sh",
    "bash web/build.sh",
    "python3 -m http.server",
    // `tests/window.rs`, and `tests/mpi.rs` and what it needs.
    "cargo run --release --features window",
    "mpirun ",
    "apt-get ",
    "cargo build --release --features mpi",
    // A cluster's, a container's, several GPUs'.
    "srun ",
    "docker ",
    "myrmex solve FILE --devices all",
    "myrmex solve FILE --devices cuda:0,cuda:1",
];

/// A line of a page as this machine can run it, soon: its instances are small ones, its time is short.
fn at_hand(line: &str) -> String {
    let line = line.split(" #").next().unwrap_or_default().trim_end().replace("cargo run --release -- ", "myrmex ");
    let seconds = if line.contains("--resume") { "0.4" } else { "0.2" };
    let mut words: Vec<&str> = line.split(' ').collect();
    let limits = ["--time", "--iterations"].map(|limit| words.iter().position(|word| *word == limit));
    match (limits, words.iter().position(|word| ["solve", "batch"].contains(word))) {
        ([Some(time), _], _) => words[time + 1] = seconds,
        ([None, None], Some(verb)) => words.splice(verb + 1..verb + 1, ["--time", seconds]).for_each(drop),
        _ => {}
    }
    words.join(" ").replace("FILE", "uniform200.tsp").replace("FOLDER", "problems")
}

#[test]
fn the_lines_of_all_other_pages_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_dir(root.join("docs/guide")).unwrap().map(|entry| entry.unwrap().path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md") && !path.ends_with("first_steps.md");
    let mut pages: Vec<PathBuf> = guide.filter(is_page).chain([root.join("README.md")]).collect();
    pages.sort();
    let mut elsewhere = ELSEWHERE.to_vec();
    let mut ran = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        // What the lines name.
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink(root.join("instances"), at("instances")).unwrap();
        std::fs::create_dir(at("problems")).unwrap();
        for copy in ["uniform200.tsp", "problems/uniform200.tsp", "problems/circle150.tsp"] {
            std::fs::copy(root.join("instances").join(copy.trim_start_matches("problems/")), at(copy)).unwrap();
        }
        std::fs::write(at("stops.csv"), "name,x,y\nDepot,0,0\nA,3,1\nB,2,5\nHome,7,7\n").unwrap();
        std::fs::write(at("run.toml"), "algorithm = \"eax\"\npopulation = 20\n").unwrap();
        for seed in ["1", "2"] {
            let words =
                ["--iterations 1 --backend cpu --quiet --seed", seed, "--solution", &format!("4711.{seed}.tour")];
            shell(folder.path(), &format!("myrmex solve uniform200.tsp {}", words.join(" ")));
        }
        let blocks = blocks(&text);
        for block in &blocks {
            if let Some(name) = block.file {
                std::fs::write(at(name), &block.text).unwrap();
            }
        }
        for line in blocks.iter().filter(|block| block.language == "sh").flat_map(|block| block.text.lines()) {
            if let Some(known) = ELSEWHERE.iter().find(|known| line.starts_with(**known)) {
                elsewhere.retain(|left| left != known);
                continue;
            }
            shell(folder.path(), &at_hand(line));
            ran += 1;
        }
    }
    assert!(ran >= 15, "{ran} lines");
    assert!(elsewhere.is_empty(), "no page has {elsewhere:?} any more");
}

#[test]
fn lines_of_pages_are_made_short() {
    for (line, short) in [
        ("cargo run --release -- solve a.tsp --time 10 --seed 1", "myrmex solve a.tsp --time 0.2 --seed 1"),
        ("myrmex solve FILE --iterations 200   # so many", "myrmex solve uniform200.tsp --iterations 200"),
        ("find . | myrmex batch - > found", "find . | myrmex batch --time 0.2 - > found"),
        ("myrmex solve FOLDER --resume a --time 10h", "myrmex solve problems --resume a --time 0.4"),
        ("myrmex plan FILE", "myrmex plan uniform200.tsp"),
    ] {
        assert_eq!(at_hand(line), short);
    }
}

/// The page is followed for certain: what differs from it, or fails, is told.
#[test]
fn pages_that_are_wrong_are_caught() {
    let folder = tempfile::tempdir().unwrap();
    let fails = |page: &str| std::panic::catch_unwind(|| follow(page, folder.path())).is_err();
    assert!(!fails("```sh\necho one\n```\n\n```text\none\n```\n"));
    assert!(fails("```sh\necho one\n```\n\n```text\ntwo\n```\n"));
    assert!(fails("```sh\nfalse\necho one\n```\n"));
    assert!(fails("```sh\nmyrmex solve nowhere.csv\n```\n"));
    assert!(fails("```toml\nx = 1\n```\n"));
    assert!(!fails("```csv a.csv\nx,y\n```\n\n```sh\ngrep x,y a.csv\n```\n"));
}
