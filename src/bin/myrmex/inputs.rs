//! The files that runs are of.

use std::collections::HashSet;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use myrmex::{Error, Result};

use crate::print::errln;
use crate::{outputs, telling};

/// Endings of the files of a folder that are instances.
const ENDINGS: [&str; 6] = ["tsp", "atsp", "dat", "csv", "tsv", "geojson"];
/// Endings of others that may be instances, and may be something else: these have to be named.
const AMBIGUOUS: [&str; 2] = ["json", "txt"];

/// The files that are asked for, of paths that lead to one the first; of a folder all instances in it, by name.
pub fn files(asked: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let (mut files, mut empty) = (Vec::new(), Vec::new());
    for path in asked {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| Error::io(path, error))?;
        let (mut found, mut left_out) = (Vec::new(), 0);
        for entry in entries {
            let entry = entry.map_err(|error| Error::io(path, error))?.path();
            // A link that leads nowhere is told when it is read.
            if is_special(&entry) || is_hidden(&entry) {
                continue;
            }
            match ends_in(&entry, &ENDINGS) {
                true => found.push(entry),
                false => left_out += usize::from(ends_in(&entry, &AMBIGUOUS)),
            }
        }
        if left_out > 0 {
            let (count, endings) =
                (telling::count(left_out, "file", "files"), AMBIGUOUS.map(|it| format!(".{it}")).join(" or "));
            errln!(
                "myrmex: {}: {count} that may be something else, {endings}, left out; name what is to be solved",
                path.display()
            );
        }
        if found.is_empty() {
            empty.push(path);
        }
        found.sort();
        files.extend(found);
    }
    let endings = ENDINGS.map(|it| format!(".{it}")).join(", ");
    let what = |path: &PathBuf| {
        format!("{}: the folder has no file that ends in {endings} (or these and .gz)", path.display())
    };
    match empty.first() {
        Some(folder) if files.is_empty() => return Err(Error::Config(what(folder))),
        _ => empty.into_iter().for_each(|folder| errln!("myrmex: {}; the others are solved", what(folder))),
    }
    let mut known = HashSet::new();
    files.retain(|path| known.insert(outputs::identity(path)));
    Ok(files)
}

/// Whether it is a folder, or a pipe or a device, which may never end.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|known| !known.is_file())
}

/// Whether it is hidden, as what systems keep beside files is.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Refuses what is named as a folder and is not there.
pub fn check_folders(asked: &[PathBuf]) -> Result<()> {
    let is_folder = |path: &Path| path.extension().is_none() || path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR]);
    let is_missing = |path: &&PathBuf| path.as_os_str() != "-" && is_folder(path) && !path.exists();
    match asked.iter().find(is_missing) {
        Some(path) => Err(Error::Config(format!(
            "{}: there is no such folder or file here; check how its path is written",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Whether a file's name, or what is compressed in it, ends in one of these.
fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    endings.iter().any(|ending| name.rsplit_once('.').is_some_and(|(_, found)| found == *ending))
}

/// Refuses a table on standard input, which can be read once, where there are several problems.
pub fn check_tables<'a>(mut tables: impl Iterator<Item = &'a Path>) -> Result<()> {
    match tables.any(|table| table.as_os_str() == "-") {
        true => Err(Error::Config(
            "standard input can be read only once, and each problem needs the table: name a file".into(),
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Args;

    #[test]
    fn help_names_the_endings_of_a_folder() {
        let program = Args::command();
        for (command, argument) in [("solve", "files"), ("batch", "paths")] {
            let mut all = program.find_subcommand(command).unwrap().get_arguments();
            let help = all.find(|it| it.get_id() == argument).unwrap().get_help().unwrap().to_string();
            assert!(ENDINGS.iter().all(|ending| help.contains(&format!(".{ending}"))), "{command}: {help}");
            assert!(!AMBIGUOUS.iter().any(|ending| help.contains(&format!(".{ending}"))), "{command}: {help}");
        }
    }
}
