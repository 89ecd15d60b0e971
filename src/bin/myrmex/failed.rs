//! What is told of one problem of several that was not solved.

use std::path::Path;

use myrmex::Error;
use serde::Serialize;

/// A line of JSON.
#[derive(Serialize)]
pub struct Failure<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    error: Told,
}

#[derive(Serialize)]
struct Told {
    kind: &'static str,
    message: String,
}

impl<'a> Failure<'a> {
    /// That of a problem's file as it was given, of a batch also from the root on.
    pub fn of(path: &'a str, file: Option<&'a str>, error: &Error) -> Self {
        Self { path, file, error: Told { kind: error.kind(), message: error.to_string() } }
    }
}

/// What is wrong with a problem, with its file.
pub fn about(path: &str, error: &Error) -> String {
    let has_it = match error {
        Error::Parse { file, .. } => file == path,
        Error::Io { path: file, .. } => file == Path::new(path),
        _ => false,
    };
    if has_it { error.to_string() } else { format!("{path}: {error}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_once() {
        assert_eq!(about("a", &Error::parse("a", 3, "a point is missing")), "a:3: a point is missing");
        assert_eq!(about("a", &Error::parse("b", 3, "a point is missing")), "a: b:3: a point is missing");
        assert_eq!(
            about("a", &Error::Instance("a city is far away".into())),
            "a: invalid instance: a city is far away"
        );
        let missing = Error::io("a", std::io::ErrorKind::NotFound.into());
        assert_eq!(about("a", &missing), missing.to_string());
    }
}
