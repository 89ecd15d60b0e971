//! From the command line's words to where a run is.

use clap::ValueEnum;
use myrmex::{Error, Result, Target};

use crate::args::{BackendArg, SystemArgs};

/// Where to run: of all GPUs those that are there.
pub fn of(args: &SystemArgs) -> Result<Target> {
    match &args.devices {
        Some(devices) => single(devices.clone()),
        None => backend(args.backend, args.device.as_ref()),
    }
}

/// Where one of several ranks runs, the so-manyth of those that see the same GPUs.
pub fn of_rank(args: &SystemArgs, (index, count): (usize, usize)) -> Result<Target> {
    let asked = args.devices.clone().map_or_else(|| backend(args.backend, args.device.as_ref()), Ok)?;
    single(asked.share(index, count)?)
}

/// A list of one device as that device.
fn single(target: Target) -> Result<Target> {
    let mut each = target.devices()?;
    Ok(if each.len() == 1 { each.swap_remove(0) } else { Target::Several(each) })
}

/// Whether only the CPU is asked for.
pub fn is_cpu(args: &SystemArgs) -> bool {
    match &args.devices {
        Some(Target::Several(devices)) => devices.iter().all(|device| matches!(device, Target::Cpu)),
        Some(device) => matches!(device, Target::Cpu),
        None => matches!(backend(args.backend, args.device.as_ref()), Ok(Target::Cpu)),
    }
}

/// Whether a device is called as the CPU is.
fn names_cpu(device: &str) -> bool {
    device.eq_ignore_ascii_case("cpu")
}

/// Whether a device is called as `--devices` takes it: by a backend, or all.
fn is_target(device: &str) -> bool {
    matches!(device.split(':').next(), Some("auto" | "all" | "wgpu" | "cuda"))
}

/// The target for a backend and a device.
pub fn backend(backend: BackendArg, device: Option<&String>) -> Result<Target> {
    match (backend, device) {
        (BackendArg::Auto, None) => Ok(Target::Auto),
        (BackendArg::Cpu, None) => Ok(Target::Cpu),
        (BackendArg::Auto | BackendArg::Cpu, Some(device)) if names_cpu(device) => Ok(Target::Cpu),
        // A word of 'myrmex devices' names a backend, too.
        (BackendArg::Auto, Some(device)) if is_target(device) => device.parse(),
        (BackendArg::Cpu, Some(_)) => {
            Err(Error::Config("--device chooses a GPU; leave it out with --backend cpu".into()))
        }
        (backend, Some(device)) if names_cpu(device) => {
            let word = if backend == BackendArg::Cuda { "cuda" } else { "wgpu" };
            Err(Error::Config(format!(
                "--backend {word} and --device {device} contradict each other: leave one of them out"
            )))
        }
        (BackendArg::Cuda, device) => cuda(device.cloned()),
        (_, device) => Ok(Target::Wgpu(device.cloned())),
    }
}

#[cfg(feature = "cuda")]
fn cuda(device: Option<String>) -> Result<Target> {
    Ok(Target::Cuda(device))
}

#[cfg(not(feature = "cuda"))]
fn cuda(_device: Option<String>) -> Result<Target> {
    let remedy = "build with '--features cuda', or use --backend wgpu, which runs on NVIDIA's GPUs too";
    Err(Error::Config(format!("this program was built without the CUDA backend; {remedy}")))
}

/// An error of what ran where this was asked for: one about a GPU that is not there is told with the options that asked for it.
pub fn located(error: Error, args: &SystemArgs) -> Error {
    of_options(error, args.backend, args.device.as_deref(), args.devices.as_ref())
}

/// The same of a command that takes one device.
pub fn of_options(error: Error, backend: BackendArg, device: Option<&str>, devices: Option<&Target>) -> Error {
    let Error::NoAdapter(message) = error else { return error };
    let backend = backend.to_possible_value().filter(|_| backend != BackendArg::Auto);
    let given = [
        backend.map(|backend| format!("--backend {}", backend.get_name())),
        device.map(|device| format!("--device {device}")),
        devices.map(|devices| format!("--devices {devices}")),
    ];
    let given: Vec<String> = given.into_iter().flatten().collect();
    Error::NoAdapter(if given.is_empty() { message } else { format!("{}: {message}", given.join(" ")) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::solve_args;

    #[test]
    fn a_gpu_that_is_not_there_is_told_with_the_options_that_asked_for_it() {
        let told = |words: &[&str]| {
            located(Error::NoAdapter("none is called so".into()), &solve_args(words).system).to_string()
        };
        for (words, given) in [
            (&[] as &[&str], ""),
            (&["--device", "X"], "--device X: "),
            (&["--backend", "wgpu", "--device", "X"], "--backend wgpu --device X: "),
            (&["--devices", "wgpu:X,cpu"], "--devices wgpu:X,cpu: "),
        ] {
            assert_eq!(told(words), format!("no usable GPU: {given}none is called so"));
        }
        let other = Error::Config("another".into());
        assert_eq!(
            located(other, &solve_args(&["--device", "X"]).system).to_string(),
            "invalid configuration: another"
        );
    }
}
