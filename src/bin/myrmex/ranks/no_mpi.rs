//! In place of MPI, in a program that is built without it.

use std::sync::mpsc::Receiver;

use myrmex::ranks::Transport;
use myrmex::{Error, Result};

use super::launch::{ALONE, Launched};

pub fn open(launched: &Launched) -> Result<(Box<dyn Transport>, Receiver<bool>)> {
    let count = launched.count.map_or_else(|| "several times".into(), |count| format!("{count} times"));
    Err(Error::Config(format!(
        "this program was started {count} ({}), and was built without MPI, so that all would solve the same: build it with '--features mpi' to \
         let them work together, or set {ALONE}=1 to let each work for itself",
        launched.by
    )))
}
