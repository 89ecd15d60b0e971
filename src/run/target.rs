//! Where to run, in one word: for files, other languages, and whoever reads words.

use std::str::FromStr;

use super::Target;
use crate::backend::wgpu::Device;
use crate::error::{Error, Result};

impl Target {
    /// The same with its GPU opened, for several solvers on one device: what is compiled for it is kept. [`Target::Auto`] becomes the GPU, or
    /// the CPU where there is none.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] where the GPU that was asked for is not there, [`Error::Device`] where it does not open.
    pub fn opened(self) -> Result<Self> {
        Ok(match self {
            Self::Auto => Device::open(None, false).map_or(Self::Cpu, Self::Existing),
            Self::Wgpu(choice) => Self::Existing(Device::open(choice.as_deref(), true)?),
            other => other,
        })
    }
}

/// What words there are.
const EXPECTED: &str = "expected 'auto', 'cpu', 'wgpu', 'cuda', or one of the last two with an index or a part of a name, as in \
                        'wgpu:0' or 'cuda:H100'";

impl FromStr for Target {
    type Err = Error;

    /// `auto`, `cpu`, `wgpu` or `cuda`, the last two with `:` and an index or a part of the device's name where one is chosen.
    ///
    /// ```
    /// use myrmex::Target;
    ///
    /// assert!(matches!("wgpu:H100".parse()?, Target::Wgpu(Some(name)) if name == "H100"));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for other words, and for `cuda` where this crate was built without that feature.
    fn from_str(words: &str) -> Result<Self> {
        let (backend, choice) = match words.split_once(':') {
            Some((backend, choice)) => (backend, Some(choice.to_owned())),
            None => (words, None),
        };
        match (backend, choice) {
            ("auto", None) => Ok(Self::Auto),
            ("cpu", None) => Ok(Self::Cpu),
            ("wgpu", choice) => Ok(Self::Wgpu(choice)),
            #[cfg(feature = "cuda")]
            ("cuda", choice) => Ok(Self::Cuda(choice)),
            #[cfg(not(feature = "cuda"))]
            ("cuda", _) => {
                let remedy = "build it with the feature 'cuda', or choose 'wgpu', which runs on NVIDIA's GPUs too";
                Err(Error::Config(format!("device: this library was built without the CUDA backend; {remedy}")))
            }
            _ => Err(Error::Config(format!("device: {EXPECTED}, not '{words}'"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_a_target() {
        let is = |words: &str, expected: fn(&Target) -> bool| assert!(expected(&words.parse().unwrap()), "{words}");
        is("auto", |target| matches!(target, Target::Auto));
        is("cpu", |target| matches!(target, Target::Cpu));
        is("wgpu", |target| matches!(target, Target::Wgpu(None)));
        is("wgpu:1", |target| matches!(target, Target::Wgpu(Some(choice)) if choice == "1"));
        #[cfg(feature = "cuda")]
        is("cuda:H100", |target| matches!(target, Target::Cuda(Some(choice)) if choice == "H100"));
        for words in ["", "gpu", "cpu:0", "auto:1", "CPU"] {
            let error = words.parse::<Target>().unwrap_err().to_string();
            assert!(error.contains("expected 'auto'") && error.contains(&format!("not '{words}'")), "{error}");
        }
    }
}
