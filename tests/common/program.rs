//! The program as a process.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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
