//! Where to run, in words: for files, other languages, and whoever reads words. What devices a target names.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "cuda")]
use crate::backend::cuda;
use crate::backend::wgpu::{Device, hardware};
use crate::error::{Error, Result};

/// Where to run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Target {
    /// The most capable GPU; the CPU where there is none.
    #[default]
    Auto,
    /// A GPU through wgpu: the adapter with this index or with this text in its name; without a choice the most capable
    /// one, software adapters included.
    Wgpu(Option<String>),
    /// An NVIDIA GPU through CUDA: the device with this index or with this text in its name; without a choice the first.
    #[cfg(feature = "cuda")]
    Cuda(Option<String>),
    /// An NVIDIA GPU that was opened through CUDA; solvers on it share what is compiled for it.
    #[cfg(feature = "cuda")]
    ExistingCuda(cuda::CudaDevice),
    /// The CPU.
    Cpu,
    /// A device and queue that the host application owns.
    Existing(Device),
    /// Several devices that work on one problem side by side ([`Settings::for_devices`](crate::settings::Settings::for_devices) says what each does).
    /// One that is named twice counts as two, which share it; the CPU named k times shares its threads among them.
    Several(Vec<Target>),
    /// Every GPU: all CUDA devices, where this crate is built with that feature and the driver has any, else all adapters of wgpu but
    /// software. Never the CPU.
    All,
}

impl Target {
    /// The same with its GPUs opened, for several solvers on one device: what is compiled for it is kept. [`Target::Auto`] becomes the GPU, or
    /// the CPU where there is none.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] where the GPU that was asked for is not there, [`Error::Device`] where it does not open.
    pub fn opened(self) -> Result<Self> {
        Ok(match self {
            Self::Auto => match Device::open_hardware() {
                Ok(device) => Self::Existing(device),
                Err(error) => {
                    log::info!("running on the CPU: {error}");
                    Self::Cpu
                }
            },
            Self::Wgpu(choice) => Self::Existing(Device::open(choice.as_deref())?),
            #[cfg(feature = "cuda")]
            Self::Cuda(choice) => Self::ExistingCuda(cuda::CudaDevice::open(choice.as_deref())?),
            Self::Several(devices) => Self::Several(devices.into_iter().map(Self::opened).collect::<Result<_>>()?),
            Self::All => Self::Several(all()?.into_iter().map(Self::opened).collect::<Result<_>>()?),
            #[cfg(feature = "cuda")]
            Self::ExistingCuda(_) => self,
            Self::Cpu | Self::Existing(_) => self,
        })
    }
}

/// What words there are.
const EXPECTED: &str = "expected 'auto', 'all', 'cpu', 'wgpu', 'cuda', one of the last two with an index or a part of a name, as in \
                        'wgpu:0' or 'cuda:H100', or several of them with commas between";

impl Target {
    /// The devices that it names, one by one: of a list its members, of [`Target::All`] the GPUs that are there.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] where there is no GPU to take all of, [`Error::Config`] for a list without a member.
    pub fn devices(self) -> Result<Vec<Self>> {
        match self {
            Self::Several(targets) if targets.is_empty() => {
                Err(Error::Config("device: the list of devices is empty; name at least one".into()))
            }
            Self::Several(targets) => {
                let each: Vec<_> = targets.into_iter().map(Self::devices).collect::<Result<_>>()?;
                Ok(each.concat())
            }
            Self::All => all(),
            one => Ok(vec![one]),
        }
    }
}

impl Target {
    /// How many devices it names; one where that is a driver's to say.
    pub(super) fn named(&self) -> usize {
        match self {
            Self::Several(targets) => targets.iter().map(Self::named).sum(),
            _ => 1,
        }
    }

    /// The share of one of `count` processes on a machine, `index` counted from 0. [`Target::All`], and a backend without a choice, become
    /// every so-manyth of these GPUs; where there are fewer than processes one, which others have, too. [`Target::Auto`] becomes the same
    /// of all GPUs, or the CPU where there is none. What is named stays.
    ///
    /// # Errors
    /// As [`Target::devices`]; [`Error::Config`] unless `index` is below `count`.
    pub fn share(self, index: usize, count: usize) -> Result<Self> {
        if index >= count {
            return Err(Error::Config(format!("there is no share {index} of {count}: they count from 0")));
        }
        let gpus = match &self {
            Self::Auto => all().unwrap_or_else(|_| vec![Self::Cpu]),
            Self::All => all()?,
            Self::Wgpu(None) => hardware().into_iter().map(|index| Self::Wgpu(Some(index.to_string()))).collect(),
            #[cfg(feature = "cuda")]
            Self::Cuda(None) => cuda::usable().into_iter().map(|index| Self::Cuda(Some(index.to_string()))).collect(),
            _ => Vec::new(),
        };
        Ok(match dealt(&gpus, index, count) {
            // A software adapter, or what says why there is none.
            own if own.is_empty() => self,
            mut own if own.len() == 1 => own.swap_remove(0),
            own => Self::Several(own),
        })
    }
}

/// What one of so many gets: every so-manyth; of fewer than there are takers one.
fn dealt<T: Clone>(all: &[T], index: usize, count: usize) -> Vec<T> {
    match all.len() {
        0 => Vec::new(),
        length if length < count => vec![all[index % length].clone()],
        _ => all.iter().skip(index).step_by(count).cloned().collect(),
    }
}

/// Every GPU.
fn all() -> Result<Vec<Target>> {
    #[cfg(feature = "cuda")]
    {
        let found = cuda::usable();
        if !found.is_empty() {
            return Ok(found.into_iter().map(|index| Target::Cuda(Some(index.to_string()))).collect());
        }
    }
    let found = hardware();
    if found.is_empty() {
        let message = "there is no GPU to take all of; name software adapters and the CPU, as in 'wgpu:0,cpu'";
        return Err(Error::NoAdapter(message.into()));
    }
    Ok(found.into_iter().map(|index| Target::Wgpu(Some(index.to_string()))).collect())
}

impl fmt::Display for Target {
    /// The words that name it; those of an opened device are no name of it.
    ///
    /// ```
    /// use myrmex::Target;
    ///
    /// for words in ["auto", "all", "cpu", "wgpu", "wgpu:H100", "wgpu:0,cpu"] {
    ///     assert_eq!(words.parse::<Target>()?.to_string(), words);
    /// }
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chosen = |f: &mut fmt::Formatter<'_>, backend: &str, choice: &Option<String>| match choice {
            Some(choice) => write!(f, "{backend}:{choice}"),
            None => f.write_str(backend),
        };
        match self {
            Self::Auto => f.write_str("auto"),
            Self::All => f.write_str("all"),
            Self::Cpu => f.write_str("cpu"),
            Self::Wgpu(choice) => chosen(f, "wgpu", choice),
            Self::Existing(_) => f.write_str("an opened device"),
            #[cfg(feature = "cuda")]
            Self::Cuda(choice) => chosen(f, "cuda", choice),
            #[cfg(feature = "cuda")]
            Self::ExistingCuda(_) => f.write_str("an opened device"),
            Self::Several(targets) => {
                for (place, target) in targets.iter().enumerate() {
                    let comma = if place > 0 { "," } else { "" };
                    write!(f, "{comma}{target}")?;
                }
                Ok(())
            }
        }
    }
}

impl FromStr for Target {
    type Err = Error;

    /// `auto`, `all`, `cpu`, `wgpu` or `cuda`, the last two with `:` and an index or a part of the device's name where one is chosen; of
    /// several devices a list with commas.
    ///
    /// ```
    /// use myrmex::Target;
    ///
    /// assert!(matches!("wgpu:H100".parse()?, Target::Wgpu(Some(name)) if name == "H100"));
    /// assert!(matches!("wgpu:0,cpu".parse()?, Target::Several(devices) if devices.len() == 2));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for other words, and for `cuda` where this crate was built without that feature.
    fn from_str(words: &str) -> Result<Self> {
        if words.contains(',') {
            return words.split(',').map(|word| word.trim().parse()).collect::<Result<_>>().map(Self::Several);
        }
        let (backend, choice) = match words.split_once(':') {
            // Every name has the empty one as a part.
            Some((_, "")) => (words, None),
            Some((backend, choice)) => (backend, Some(choice.to_owned())),
            None => (words, None),
        };
        match (backend, choice) {
            ("auto", None) => Ok(Self::Auto),
            ("all", None) => Ok(Self::All),
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
        is("all", |target| matches!(target, Target::All));
        is("cpu", |target| matches!(target, Target::Cpu));
        is("wgpu", |target| matches!(target, Target::Wgpu(None)));
        is("wgpu:1", |target| matches!(target, Target::Wgpu(Some(choice)) if choice == "1"));
        #[cfg(feature = "cuda")]
        is("cuda:H100", |target| matches!(target, Target::Cuda(Some(choice)) if choice == "H100"));
        is("cpu, wgpu:1,cpu", |target| {
            let Target::Several(all) = target else { return false };
            matches!(&all[..], [Target::Cpu, Target::Wgpu(Some(choice)), Target::Cpu] if choice == "1")
        });
        for words in ["", "gpu", "cpu:0", "auto:1", "CPU", "all:1", "cpu,gpu", "cpu,", "wgpu:", "cuda:"] {
            let error = words.parse::<Target>().unwrap_err().to_string();
            let wrong = words.rsplit(',').next().unwrap();
            assert!(error.contains("expected 'auto'") && error.contains(&format!("not '{wrong}'")), "{error}");
        }
    }

    #[test]
    fn processes_share_what_a_machine_has() {
        let each = |devices: usize, count: usize| {
            let devices: Vec<usize> = (0..devices).collect();
            (0..count).map(|index| dealt(&devices, index, count)).collect::<Vec<_>>()
        };
        assert_eq!(each(4, 2), [[0, 2], [1, 3]]);
        assert_eq!(each(3, 2), [vec![0, 2], vec![1]]);
        assert_eq!(each(2, 4), [[0], [1], [0], [1]]);
        assert_eq!(each(0, 2), [vec![], Vec::<usize>::new()]);
        // What is named is named for each.
        assert!(matches!(Target::Cpu.share(1, 2).unwrap(), Target::Cpu));
        let named = Target::Several(vec![Target::Cpu, Target::Cpu]);
        assert_eq!(named.share(1, 2).unwrap().devices().unwrap().len(), 2);
        assert!(!matches!(Target::Auto.share(0, 2).unwrap(), Target::Auto));
    }

    #[test]
    fn lists_name_their_members() {
        let count = |target: Target| target.devices().map(|devices| devices.len());
        assert_eq!(count(Target::Auto).unwrap(), 1);
        let nested = Target::Several(vec![Target::Cpu, Target::Several(vec![Target::Cpu, Target::Wgpu(None)])]);
        assert_eq!(count(nested).unwrap(), 3);
        for empty in [Target::Several(Vec::new()), Target::Several(vec![Target::Cpu, Target::Several(Vec::new())])] {
            assert!(matches!(count(empty), Err(Error::Config(_))));
        }
        // What all are, the machine decides; never the CPU, and never a software adapter.
        match Target::All.devices() {
            Ok(devices) => assert!(!devices.is_empty() && !devices.iter().any(|it| matches!(it, Target::Cpu))),
            Err(error) => assert!(matches!(error, Error::NoAdapter(_)), "{error}"),
        }
        let listed = crate::devices();
        assert!(hardware().into_iter().all(|index| listed[index].kind != "software"));
    }
}
