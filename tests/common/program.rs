//! The program as a process.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};

pub fn myrmex(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_myrmex")).args(arguments).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The last line of standard error: drivers may print theirs before it.
pub fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned()
}

/// One of the repository's instances.
pub fn instance(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instances").join(name).display().to_string()
}

/// A file in a folder, as path and text.
pub fn file(folder: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let path = folder.path().join(name);
    let text = path.display().to_string();
    (path, text)
}

/// A run that is under way: it has told `word` on standard error. The rest of that is to be kept open, where the run goes on to tell.
pub fn under_way(arguments: &[&str], word: &str) -> (Child, BufReader<ChildStderr>) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_myrmex"));
    let mut child = program.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(word) {
        line.clear();
        assert_ne!(told.read_line(&mut line).unwrap(), 0, "{arguments:?} ends without '{word}'");
    }
    (child, told)
}
