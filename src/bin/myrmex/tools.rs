//! `myrmex devices`, `check` and `generate`.

use std::process::ExitCode;

use myrmex::tsp::{self, Instance, read_tour};
use myrmex::{Error, Result};

use crate::args::{CheckArgs, DevicesArgs, GenerateArgs};
use crate::outputs::to_file;

pub fn devices(args: &DevicesArgs) -> Result<ExitCode> {
    let devices = myrmex::devices();
    if args.json {
        let text = serde_json::to_string(&devices).map_err(|error| Error::Config(format!("cannot print: {error}")))?;
        println!("{text}");
        return Ok(ExitCode::SUCCESS);
    }
    for device in &devices {
        println!(
            "{}: {} ({}, {}, {}), buffers to {} MiB, workgroup memory {} KiB, subgroups of {} to {}",
            device.index,
            device.name,
            device.kind,
            device.api,
            device.driver,
            device.buffer_bytes >> 20,
            device.workgroup_bytes >> 10,
            device.subgroup.0,
            device.subgroup.1
        );
    }
    if devices.is_empty() {
        println!("no Vulkan, Metal or DX12 adapter; the CPU backend is used");
    }
    Ok(ExitCode::SUCCESS)
}

pub fn check(args: &CheckArgs) -> Result<ExitCode> {
    let instance = Instance::read(&args.file)?;
    let tour = read_tour(&args.tour, instance.len())?;
    println!("valid tour of {} cities, cost {}", instance.len(), instance.tour_cost(&tour)?);
    Ok(ExitCode::SUCCESS)
}

pub fn generate(args: &GenerateArgs) -> Result<ExitCode> {
    let instance = tsp::generate(args.kind, args.n, args.seed)?;
    to_file(&args.output, &|mut out| instance.write(&mut out))?;
    if args.output.as_os_str() != "-" {
        println!("{}: {}", args.output.display(), instance.comment());
    }
    Ok(ExitCode::SUCCESS)
}
