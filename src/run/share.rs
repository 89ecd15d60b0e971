//! What one of several devices has to do.

use serde::{Deserialize, Deserializer, Serialize};

use super::lost::DeviceLost;

/// One of several devices that a problem was solved on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeviceShare {
    /// `wgpu`, `cuda` or `cpu`, where its part runs now.
    #[serde(deserialize_with = "backend")]
    pub backend: Name,
    /// The device's name.
    pub device: String,
    /// The colonies that run there, counted from 0. Where crossover takes windows of the tour of a single colony, every device has some of them.
    pub colonies: Vec<usize>,
    /// Where a problem is solved by several processes: the rank that has it, counted from 0, and that one's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(missing_docs, reason = "documented with rank")]
    pub machine: Option<String>,
    /// The device before, where that failed and the CPU took its part over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_lost: Option<DeviceLost>,
}

/// A word of this program's. (Behind a name of its own it is not taken for text that is borrowed from what is read.)
pub(super) type Name = &'static str;

/// The name of a backend.
pub(super) fn backend<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    let name = String::deserialize(from)?;
    Ok(["wgpu", "cuda", "cpu"].into_iter().find(|known| **known == name).unwrap_or("other"))
}
