//! `myrmex presets`, `devices`, `check` and `generate`.

use std::process::ExitCode;

use myrmex::tsp::{self, Instance, read_tour};
use myrmex::{Error, PRESETS, Result};

use crate::args::{CheckArgs, GenerateArgs, ListArgs};
use crate::outputs::to_file;

/// Prints a value as JSON.
pub fn print_json(value: &impl serde::Serialize) -> Result<ExitCode> {
    let text = serde_json::to_string(value).map_err(|error| Error::Config(format!("cannot print: {error}")))?;
    println!("{text}");
    Ok(ExitCode::SUCCESS)
}

pub fn presets(args: &ListArgs) -> Result<ExitCode> {
    if args.json {
        return print_json(&PRESETS);
    }
    for preset in PRESETS {
        println!("{:<15} {} ({})", preset.name, preset.summary, preset.source);
    }
    Ok(ExitCode::SUCCESS)
}

pub fn devices(args: &ListArgs) -> Result<ExitCode> {
    let devices = myrmex::devices();
    if args.json {
        return print_json(&devices);
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
