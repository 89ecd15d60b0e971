//! Lines of JSON, one a problem, and what a file has of them already.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use myrmex::{Error, Result, write_file};
use serde::{Deserialize, Serialize};

use crate::outputs;

/// How lines begin: reports, and those of problems that failed.
const BEGINNINGS: [&[u8]; 2] = [b"{\"schema\":", b"{\"path\":"];

/// Where lines go.
pub struct Lines {
    /// `None`: standard output.
    file: Option<File>,
    path: PathBuf,
}

/// What is looked for in a line.
#[derive(Deserialize)]
struct Line {
    path: String,
    /// When its file was last changed; problems that failed have none.
    modified: Option<f64>,
    /// What was asked of it; lines of earlier versions do not tell.
    asked: Option<String>,
    /// Why the run ended; problems that failed have none.
    ended: Option<String>,
}

impl Line {
    /// Whether its problem was solved as far as it was to be.
    fn is_whole(&self) -> bool {
        self.ended.as_deref().is_some_and(|ended| !["cancelled", "failed"].contains(&ended))
    }

    /// Whether its problem's file, or a table that is read beside it, has changed since.
    fn is_old(&self, tables: &[&Path]) -> bool {
        let now = modified(Path::new(&self.path), tables);
        self.modified.zip(now).is_some_and(|(then, now)| then != now)
    }
}

/// What a file has lines of.
#[derive(Default)]
pub struct Done {
    /// The problems for which there is nothing more to do, by [`outputs::identity`].
    pub problems: HashSet<PathBuf>,
    /// How many others there were whose files have changed since, and of which something else was asked.
    pub changed: usize,
    pub others: usize,
}

/// When a file, or one of the tables that are read beside it, was last changed, in seconds since 1970, where the system says so.
pub fn modified(path: &Path, tables: &[&Path]) -> Option<f64> {
    let changed = |path: &Path| {
        let at = path.metadata().and_then(|metadata| metadata.modified()).ok()?;
        at.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs_f64())
    };
    [path].iter().chain(tables).map(|path| changed(path)).try_fold(0.0, |last, at| Some(at?.max(last)))
}

impl Lines {
    /// Lines that go on a file, and what it has lines of; `again` when it is to be replaced.
    /// Of the problems that are asked for what was interrupted or failed, and what is of a file that has changed or of another question, is taken out of it.
    pub fn open(
        path: &Path,
        again: bool,
        inputs: &[PathBuf],
        (asked, tables): (&str, &[&Path]),
    ) -> Result<(Self, Done)> {
        if path.as_os_str() == "-" {
            return match again {
                true => Err(Error::Config("--again replaces a file: name one by --output".into())),
                false => Ok((Self { file: None, path: path.into() }, Done::default())),
            };
        }
        let inputs: HashSet<PathBuf> = inputs.iter().map(|input| outputs::identity(input)).collect();
        if inputs.contains(&outputs::identity(path)) {
            let path = path.display();
            return Err(Error::Config(format!("--output {path} would overwrite a problem; name another file")));
        }
        outputs::check_path(path)?;
        let was_there = path.is_file();
        // Until what is to go has been taken out of it.
        let before = alone(path)?;
        let done = match was_there && !again {
            true => kept(path, &inputs, asked, tables)?,
            false => Done::default(),
        };
        if again && was_there {
            before.set_len(0).map_err(|error| Error::io(path, error))?;
        }
        drop(before);
        Ok((Self { file: Some(alone(path)?), path: path.into() }, done))
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

/// The problems that a file has lines of which are done; the other lines of those that are asked for are taken out of it, and a torn one. Lines of
/// problems that are not asked for stay, whatever they say.
fn kept(path: &Path, inputs: &HashSet<PathBuf>, asked: &str, tables: &[&Path]) -> Result<Done> {
    let mut done = Done::default();
    let mut stay = Vec::new();
    each_line(path, |_, line| {
        let Some(line) = line else {
            // It is torn.
            stay.push(false);
            return Ok(());
        };
        let problem = outputs::identity(Path::new(&line.path));
        let is_asked = inputs.contains(&problem);
        let is_old = is_asked && line.is_whole() && line.is_old(tables);
        let is_other =
            is_asked && line.is_whole() && line.asked.as_deref().is_some_and(|before| before != asked) && !is_old;
        let is_done = line.is_whole() && !is_old && !is_other;
        stay.push(is_done || !is_asked);
        (done.changed, done.others) = (done.changed + usize::from(is_old), done.others + usize::from(is_other));
        done.problems.extend(is_done.then_some(problem));
        Ok(())
    })?;
    if stay.contains(&false) {
        let kept = |out: &mut dyn Write| {
            let mut stay = stay.iter();
            let copied = each_line(path, |bytes, _| match stay.next() {
                Some(true) => out.write_all(bytes).map_err(|error| Error::io(path, error)),
                _ => Ok(()),
            });
            copied.map_err(std::io::Error::other)
        };
        write_file(path, kept)?;
    }
    Ok(done)
}

/// Hands each line of a file over, with what it says; nothing of a last line that is torn.
fn each_line(path: &Path, mut each: impl FnMut(&[u8], Option<Line>) -> Result<()>) -> Result<()> {
    let io = |error| Error::io(path, error);
    let mut reader = BufReader::new(File::open(path).map_err(io)?);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(io)? == 0 {
            break;
        }
        let is_torn = !bytes.ends_with(b"\n");
        let begins = |known: &&[u8]| bytes.starts_with(known) || (is_torn && known.starts_with(&bytes));
        let said = serde_json::from_slice(&bytes).ok().filter(|_| !is_torn);
        if !BEGINNINGS.iter().any(begins) || (said.is_none() && !is_torn) {
            let message = "this is no line of 'myrmex batch': name another file, or replace this one with --again";
            return Err(Error::parse(path.display().to_string(), number, message));
        }
        each(&bytes, said)?;
    }
    Ok(())
}
