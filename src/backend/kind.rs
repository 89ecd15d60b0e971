//! The kinds of backends, and their names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a run is, or was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BackendKind {
    /// Vulkan, Metal or DX12 through wgpu, or WebGPU in a browser.
    Wgpu,
    /// NVIDIA's driver.
    Cuda,
    /// The CPU twins of the kernels.
    Cpu,
    /// Devices of several backends.
    Mixed,
    /// Nowhere: the set-up of the run was not waited for.
    None,
}

impl BackendKind {
    /// `wgpu`, `cuda`, `cpu`, `mixed` or `none`, as programs and reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wgpu => "wgpu",
            Self::Cuda => "cuda",
            Self::Cpu => "cpu",
            Self::Mixed => "mixed",
            Self::None => "none",
        }
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_and_programs_have_the_same_names() {
        for kind in [BackendKind::Wgpu, BackendKind::Cuda, BackendKind::Cpu, BackendKind::Mixed, BackendKind::None] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(serde_json::from_value::<BackendKind>(kind.name().into()).unwrap(), kind);
        }
    }
}
