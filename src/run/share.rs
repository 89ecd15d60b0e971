//! What one of several devices has to do.

use serde::{Deserialize, Serialize};

use super::lost::DeviceLost;
use crate::backend::BackendKind;

/// One of several devices that a problem was solved on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeviceShare {
    /// Where its part runs now.
    pub backend: BackendKind,
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
