//! Lines of JSON, one a problem, and what a file has of them already.

use std::collections::{HashMap, HashSet};
use std::fs::{File, Metadata, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use myrmex::{Error, Result, write_file};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::outputs;

/// How lines begin: reports, and those of problems that failed.
const BEGINNINGS: [&[u8]; 2] = [b"{\"schema\":", b"{\"path\":"];

/// Where lines go.
pub struct Lines {
    /// `None`: standard output.
    file: Option<File>,
    path: PathBuf,
    /// The problems that are asked for, by [`place`].
    inputs: HashSet<PathBuf>,
}

/// What is looked for in a line.
#[derive(Deserialize)]
struct Line {
    path: String,
    /// The same from the root on.
    file: Option<PathBuf>,
    /// What its file was when it was read; problems that failed have neither.
    modified: Option<f64>,
    bytes: Option<u64>,
    /// What was asked of it.
    asked: Option<String>,
    /// Why the run ended; problems that failed have none.
    ended: Option<String>,
    /// What was wrong with it.
    error: Option<IgnoredAny>,
}

impl Line {
    /// The file of its problem: where that has been moved the one that its path leads to now, if it is the same.
    fn problem(&self, tables: &[&Path]) -> PathBuf {
        let (path, file) = (Path::new(&self.path), self.file.as_deref().unwrap_or(Path::new(&self.path)));
        outputs::identity(if file.exists() || self.is_old(path, tables) { file } else { path })
    }

    /// Whether its problem was solved as far as it was to be.
    fn is_whole(&self) -> bool {
        self.ended.as_deref().is_some_and(|ended| !["cancelled", "failed"].contains(&ended))
    }

    /// Whether its problem's file, or a table that is read beside it, has changed since.
    fn is_old(&self, problem: &Path, tables: &[&Path]) -> bool {
        let now = Version::of(problem, tables);
        let differ = |then: Option<f64>, now: Option<f64>| then.zip(now).is_some_and(|(then, now)| then != now);
        differ(self.modified, now.modified) || self.bytes.zip(now.bytes).is_some_and(|(then, now)| then != now)
    }
}

/// What tells one version of a problem's file, and of the tables that are read beside it, from another; nothing where the system does not say.
#[derive(Clone, Copy)]
pub struct Version {
    /// When one of them was last changed, in seconds since 1970.
    pub modified: Option<f64>,
    /// How long they are together.
    pub bytes: Option<u64>,
}

impl Version {
    pub fn of(path: &Path, tables: &[&Path]) -> Self {
        let all: Option<Vec<Metadata>> = [path].iter().chain(tables).map(|path| path.metadata().ok()).collect();
        let all = all.as_ref();
        let changed = |known: &Metadata| {
            let since = known.modified().ok()?.duration_since(UNIX_EPOCH);
            since.ok().map(|since| since.as_secs_f64())
        };
        Self {
            modified: all.and_then(|all| all.iter().map(changed).try_fold(0.0, |last: f64, at| Some(at?.max(last)))),
            bytes: all.map(|all| all.iter().map(Metadata::len).sum()),
        }
    }
}

/// What a file has lines of.
#[derive(Default)]
pub struct Done {
    /// The problems for which there is nothing more to do, by [`place`].
    pub problems: HashSet<PathBuf>,
    /// How many others there were whose files have changed since, and of which something else was asked.
    pub changed: usize,
    pub others: usize,
}

impl Lines {
    /// Lines that go on a file, and what it has lines of; `again` when it is to be replaced. What was interrupted or failed, and what is of a file that has
    /// changed or of another question, stays until another line takes its place ([`Lines::finish`]).
    pub fn open(
        path: &Path,
        again: bool,
        inputs: &[PathBuf],
        (asked, tables): (&str, &[&Path]),
    ) -> Result<(Self, Done)> {
        if path.as_os_str() == "-" {
            return match again {
                true => Err(Error::Config("--again replaces a file: name one by --output".into())),
                false => {
                    Ok((Self { file: None, path: "standard output".into(), inputs: HashSet::new() }, Done::default()))
                }
            };
        }
        let inputs: HashSet<PathBuf> = inputs.iter().map(|input| place(input)).collect();
        if inputs.contains(&place(path)) {
            let path = path.display();
            return Err(Error::Config(format!("--output {path} would overwrite a problem; name another file")));
        }
        outputs::check_path(path)?;
        let was_there = path.is_file();
        // Until what is to go has been taken out of it.
        let before = held(alone(path)?);
        let done = match was_there && !again {
            true => {
                compact(path, &inputs, tables)?;
                done(path, &inputs, asked, tables)?
            }
            false => Done::default(),
        };
        if again && was_there {
            // Other names of the file keep what it was.
            write_file(path, |_| Ok(()))?;
        }
        drop(before);
        Ok((Self { file: Some(alone(path)?), path: path.into(), inputs }, done))
    }

    /// Takes lines out of the file in whose place others have come.
    pub fn finish(self, tables: &[&Path]) -> Result<()> {
        let Self { file, path, inputs } = self;
        // Pipes and devices hold nothing that could be taken out.
        let Some(file) = file.filter(|_| path.is_file()) else { return Ok(()) };
        let held = held(file);
        let compacted = compact(&path, &inputs, tables);
        drop(held);
        compacted
    }

    /// Writes a line, whole.
    pub fn add(&mut self, line: &impl Serialize) -> Result<()> {
        let mut bytes = serde_json::to_vec(line).map_err(|error| Error::io(&self.path, error.into()))?;
        bytes.push(b'\n');
        let written = match &mut self.file {
            Some(file) => file.write_all(&bytes),
            None => {
                let mut out = stdout().lock();
                out.write_all(&bytes).and_then(|()| out.flush())
            }
        };
        match written {
            // Whoever has seen enough may close it: there is nobody left to solve for.
            Err(error) if self.file.is_none() && error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            written => written.map_err(|error| Error::io(&self.path, error)),
        }
    }
}

/// Where a file is, as a line can tell it: names are not always UTF-8.
pub fn place(path: &Path) -> PathBuf {
    outputs::identity(path).to_string_lossy().into_owned().into()
}

/// The file for as long as its lock is to be held; where there is none it would keep another one from taking its place.
fn held(file: File) -> Option<File> {
    cfg!(unix).then_some(file)
}

/// A file to write behind its end, which on Unix no other process writes into at the same time.
fn alone(path: &Path) -> Result<File> {
    let file = File::options().append(true).create(true).open(path).map_err(|error| Error::io(path, error))?;
    // Elsewhere a lock keeps others, and this process too, from reading what is written.
    let locked = if cfg!(unix) { file.try_lock() } else { Ok(()) };
    match locked {
        Err(TryLockError::WouldBlock) => {
            let path = path.display();
            Err(Error::Config(format!(
                "--output {path}: another run writes into it; wait for its end, or name another file"
            )))
        }
        // Some file systems know no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// The problems that a file has lines of which are done, and how many are to be solved again.
fn done(path: &Path, inputs: &HashSet<PathBuf>, asked: &str, tables: &[&Path]) -> Result<Done> {
    let mut done = Done::default();
    each_line(path, |_, line| {
        let Some(line) = line.filter(Line::is_whole) else { return Ok(()) };
        let problem = line.problem(tables);
        let is_asked = inputs.contains(&problem);
        let is_old = is_asked && line.is_old(&problem, tables);
        let is_other = is_asked && !is_old && line.asked.as_deref() != Some(asked);
        (done.changed, done.others) = (done.changed + usize::from(is_old), done.others + usize::from(is_other));
        done.problems.extend((!is_old && !is_other).then_some(problem));
        Ok(())
    })?;
    Ok(done)
}

/// Takes out of a file what is torn, and of each problem that is asked for all but the last line that is whole and what came behind it last. Lines of others
/// stay, whatever they say.
fn compact(path: &Path, inputs: &HashSet<PathBuf>, tables: &[&Path]) -> Result<()> {
    let mut stays = Vec::new();
    // The lines that a problem has so far: a whole one, and one of a run that failed or was interrupted.
    let mut last: HashMap<PathBuf, [Option<usize>; 2]> = HashMap::new();
    each_line(path, |_, line| {
        let at = stays.len();
        stays.push(line.is_some());
        let Some(line) = line else { return Ok(()) };
        let problem = line.problem(tables);
        if inputs.contains(&problem) {
            let [whole, other] = last.entry(problem).or_default();
            let before = match line.is_whole() {
                true => [whole.replace(at), other.take()],
                false => [None, other.replace(at)],
            };
            before.into_iter().flatten().for_each(|before| stays[before] = false);
        }
        Ok(())
    })?;
    if !stays.contains(&false) {
        return Ok(());
    }
    write_file(path, |out: &mut dyn Write| {
        let mut stays = stays.iter();
        let copied = each_line(path, |bytes, _| match stays.next() {
            Some(true) => out.write_all(bytes).map_err(|error| Error::io(path, error)),
            _ => Ok(()),
        });
        copied.map_err(std::io::Error::other)
    })
}

/// Hands each line of a file over, with what it says: nothing where it is torn, or empty, as a system that went down leaves the end of a file.
fn each_line(path: &Path, mut each: impl FnMut(&[u8], Option<Line>) -> Result<()>) -> Result<()> {
    let io = |error| Error::io(path, error);
    let mut reader = BufReader::new(File::open(path).map_err(io)?);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(io)? == 0 {
            break;
        }
        let is_empty = bytes.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace());
        let ends = bytes.ends_with(b"\n");
        let begins = |known: &&[u8]| bytes.starts_with(known) || (!ends && known.starts_with(&bytes));
        let said: Option<Line> = serde_json::from_slice(&bytes).ok().filter(|_| ends);
        let is_own = match &said {
            Some(line) => line.asked.is_some() || line.error.is_some(),
            None => !ends,
        };
        let is_line = is_own && BEGINNINGS.iter().any(begins);
        if !is_empty && !is_line {
            let message =
                "this is no line of 'myrmex batch': take it out, name another file, or replace this one with --again";
            return Err(Error::parse(path.display().to_string(), number, message));
        }
        each(&bytes, said)?;
    }
    Ok(())
}
