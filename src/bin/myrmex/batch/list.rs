//! Lists of problems: a path a line, on standard input.

use std::io::Read;
use std::path::{Path, PathBuf};

use myrmex::{Error, Result};

use crate::system;

/// The paths that are asked for, those of a list on standard input in its place.
pub fn listed(asked: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let [only] = asked else { return Ok(asked.to_vec()) };
    if only.as_os_str() != "-" {
        return Ok(asked.to_vec());
    }
    let mut text = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut text);
    read.map_err(|error| Error::io("standard input", error))?;
    if text.starts_with(&[0xFF, 0xFE]) || text.starts_with(&[0xFE, 0xFF]) {
        // UTF-16, as some shells write lists.
        text = myrmex::decode(text, "standard input")?.into_bytes();
    }
    let paths: Vec<PathBuf> = paths(&text).collect();
    match paths.is_empty() {
        true => Err(Error::Config("standard input has no path; give one a line".into())),
        false => Ok(paths),
    }
}

/// The paths in a list: blank lines and remarks are none.
fn paths(text: &[u8]) -> impl Iterator<Item = PathBuf> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let is_path = |line: &&[u8]| line.trim_ascii_start().first().is_some_and(|first| *first != b'#');
    lines.filter(is_path).map(system::path_of)
}

/// What is wrong with a problem's file: where it is a list of others, what to do with that.
pub fn told(path: &Path, error: Error) -> Error {
    let Error::Parse { file, .. } = &error else { return error };
    // A pipe can be read only once.
    let text = if path.is_file() { system::text(path) } else { return error };
    match text.ok().and_then(|(text, _)| paths(text.as_bytes()).next()) {
        Some(first) if first.is_file() => {
            let message = format!("this is a list of paths and no problem: give it by 'myrmex batch - < {file}'");
            Error::parse(file.as_str(), 1, message)
        }
        _ => error,
    }
}
