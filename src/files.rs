//! Files that appear whole: written beside their place and put there when they are done.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

use tempfile::NamedTempFile;
use web_time::Instant;

use crate::error::{Error, Result};

/// Writes a file by handing `write` a buffered writer. The file is written beside its place and put there when it is whole: what was
/// there before stays until then. A link to a file is followed, one that leads nowhere is replaced; what is no file, a device or a pipe, is written to as it is.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("numbers.txt");
/// myrmex::write_file(&path, |out| (1..4).try_for_each(|number| writeln!(out, "{number}")))?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1\n2\n3\n");
/// # Ok::<(), myrmex::Error>(())
/// ```
///
/// # Errors
/// [`Error::Io`] with the path; then nothing has changed. Where all is written but may not be put there, as where another program has the file open on
/// Windows, it stays beside its place, and the error says where.
pub fn write_file(path: impl AsRef<Path>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    written(path.as_ref(), true, write)
}

/// The same of a file that is written again and again: what may not be put there goes.
pub(crate) fn write_file_again(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    written(path, false, write)
}

fn written(path: &Path, keeps: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let attempt = || {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let known = path.metadata().ok();
        if known.as_ref().is_some_and(|known| !known.is_file()) {
            let mut out = BufWriter::new(File::options().write(true).open(&path)?);
            write(&mut out)?;
            return out.flush();
        }
        let mut out = BufWriter::new(beside(&path, known.map(|known| known.permissions()))?);
        write(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        put(file, &path, keeps)
    };
    attempt().map_err(|error| Error::io(path, error))
}

/// How long a place is asked for that another program holds, and how often.
const HELD: Duration = Duration::from_secs(2);
const ASKS_AGAIN: Duration = Duration::from_millis(20);

/// Puts a whole file there, or keeps it beside.
fn put(file: NamedTempFile, path: &Path, keeps: bool) -> io::Result<()> {
    let until = Instant::now() + HELD;
    let mut file = file;
    loop {
        let refused = match file.persist(path) {
            Ok(_) => return Ok(()),
            Err(refused) => refused,
        };
        // Programs that look at each new file, for viruses or to find it again, let go of it soon.
        let is_held = cfg!(windows) && refused.error.kind() == ErrorKind::PermissionDenied;
        if !is_held || Instant::now() >= until {
            let error = refused.error;
            if !keeps {
                return Err(error);
            }
            return Err(match refused.file.keep() {
                Ok((_, kept)) => io::Error::new(error.kind(), format!("{error}; it is in {}", kept.display())),
                Err(_) => error,
            });
        }
        file = refused.file;
        std::thread::sleep(ASKS_AGAIN);
    }
}

/// A file beside `path` that goes again unless it is put there; with the permissions of what is there, or those of new files.
fn beside(path: &Path, permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".myrmex-");
    #[cfg(unix)]
    let new = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(new);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = builder.tempfile_in(folder).map_err(|error| match error.kind() {
        // The error of the library tells of the file beside.
        ErrorKind::NotFound => io::Error::new(ErrorKind::NotFound, format!("there is no folder {}", folder.display())),
        kind @ (ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::StorageFull) => {
            io::Error::new(kind, format!("{kind} in the folder {}", folder.display()))
        }
        _ => error,
    })?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_put_there_stays_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("best.tour");
        // A folder comes between.
        let error = write_file(&path, |out| {
            std::fs::create_dir(&path)?;
            out.write_all(b"whole")
        });
        let told = error.unwrap_err().to_string();
        let kept = std::path::PathBuf::from(told.split("; it is in ").nth(1).unwrap());
        assert_eq!(std::fs::read(kept).unwrap(), b"whole");
        // What fails before that leaves nothing, and neither does what is written again.
        let before = std::fs::read_dir(folder.path()).unwrap().count();
        assert!(write_file_again(&path, |out| out.write_all(b"whole")).is_err());
        assert!(write_file(folder.path().join("other"), |_| Err(io::Error::other("no"))).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before);
    }
}
