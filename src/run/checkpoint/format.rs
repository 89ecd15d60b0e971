//! A checkpoint as bytes: a mark, the version of the form, the length of the head, the head in JSON, words in little-endian order, and a
//! checksum of all that (XXH3, 64 bits).

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Checkpoint, Content};
use crate::error::{Error, Result};

/// What every checkpoint begins with.
const MARK: &[u8; 8] = b"myrmexCK";
/// The version of the form.
const VERSION: u32 = 6;
/// Mark, version, length of the head; checksum.
const BEFORE: usize = 8 + 4 + 8;
const BEHIND: usize = 8;

#[derive(Serialize)]
struct HeadRef<'a> {
    checkpoint: &'a Content,
    /// How long the lists of words are.
    lengths: Vec<u64>,
}

#[derive(Deserialize)]
struct Head {
    checkpoint: Content,
    lengths: Vec<u64>,
}

fn refuse<T>(message: &str) -> Result<T> {
    Err(Error::Checkpoint(message.into()))
}

impl Checkpoint {
    /// The bytes of a file.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] when the head has no form in JSON, which does not happen with finite numbers.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let words: Vec<&Vec<u32>> = self.0.runs.iter().flat_map(|run| run.words()).collect();
        let head = HeadRef { checkpoint: &self.0, lengths: words.iter().map(|list| list.len() as u64).collect() };
        let head = serde_json::to_vec(&head).map_err(|error| Error::Checkpoint(error.to_string()))?;
        let mut bytes = MARK.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((head.len() as u64).to_le_bytes());
        bytes.extend(head);
        bytes.reserve_exact(words.iter().map(|list| 4 * list.len()).sum::<usize>() + BEHIND);
        words.into_iter().flatten().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Whether bytes begin as those of a checkpoint do, of this version of the program or another, whole or damaged.
    pub fn is_begun(bytes: &[u8]) -> bool {
        bytes.starts_with(MARK)
    }

    /// The checkpoint in such bytes.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] for bytes that are none, are damaged, or are of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const DAMAGED: &str = "the checkpoint is damaged; take an earlier one, or begin the run again";
        if !Self::is_begun(bytes) {
            return refuse("this is no checkpoint of myrmex");
        }
        let Some((body, checksum)) = bytes.split_last_chunk::<BEHIND>().filter(|(body, _)| body.len() >= BEFORE) else {
            return refuse(DAMAGED);
        };
        let (version, rest) = body[MARK.len()..]
            .split_first_chunk()
            .map_or((0, body), |(version, rest)| (u32::from_le_bytes(*version), rest));
        if xxh3_64(body).to_le_bytes() != *checksum {
            return match version {
                VERSION => refuse(DAMAGED),
                _ => refuse(&other_version(version)),
            };
        }
        if version != VERSION {
            return refuse(&other_version(version));
        }
        let Some((length, rest)) = rest.split_first_chunk().map(|(length, rest)| (u64::from_le_bytes(*length), rest))
        else {
            return refuse(DAMAGED);
        };
        let Some((head, mut words)) = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length))
        else {
            return refuse(DAMAGED);
        };
        let Head { mut checkpoint, lengths } = serde_json::from_slice(head).map_err(|error| {
            Error::Checkpoint(format!("the checkpoint cannot be read ({error}); go on with the version that made it"))
        })?;
        let mut lengths = lengths.into_iter();
        for list in checkpoint.runs.iter_mut().flat_map(|run| run.words_mut()) {
            let bytes = lengths.next().and_then(|length| usize::try_from(length).ok()?.checked_mul(4));
            let Some((own, others)) = bytes.and_then(|bytes| words.split_at_checked(bytes)) else {
                return refuse(DAMAGED);
            };
            *list = own.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
            words = others;
        }
        match (words.is_empty(), lengths.next()) {
            (true, None) => Ok(Self(checkpoint)),
            _ => refuse(DAMAGED),
        }
    }
}

fn other_version(version: u32) -> String {
    format!(
        "the checkpoint has form {version}, this program reads form {VERSION}: it is damaged, or of another version to go on with"
    )
}
