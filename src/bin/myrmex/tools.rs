//! `myrmex presets`, `devices`, `check`, `generate`, `completions` and `man`.

use clap::CommandFactory;
use myrmex::{DeviceInfo, Error, FileForm, PRESETS, Result, qap, tsp};
use serde::Serialize;

use crate::args::{Args, CheckArgs, GenerateArgs, ListArgs, MadeKind};
use crate::exit::Exit;
use crate::outputs::{check_path, named, to_file};
use crate::print::{errln, outln};
use crate::{system, telling};

/// Prints a value as JSON.
pub fn print_json(value: &impl serde::Serialize) -> Result<Exit> {
    let text = serde_json::to_string(value).map_err(|error| Error::Config(format!("cannot print: {error}")))?;
    outln!("{text}");
    Ok(Exit::Done)
}

pub fn presets(args: &ListArgs) -> Result<Exit> {
    if args.json {
        return print_json(&PRESETS);
    }
    for preset in PRESETS {
        outln!("{:<20} {} ({})", preset.name, preset.summary, preset.source);
    }
    Ok(Exit::Done)
}

/// A device with the word that `--devices` takes for it.
#[derive(Serialize)]
struct Listed<'a> {
    word: String,
    #[serde(flatten)]
    device: &'a DeviceInfo,
}

pub fn devices(args: &ListArgs) -> Result<Exit> {
    let devices = myrmex::devices();
    if args.json {
        let rows: Vec<_> = devices.iter().map(|device| Listed { word: device.word(), device }).collect();
        return print_json(&rows);
    }
    for device in &devices {
        outln!(
            "{}: {} ({}, {}, {}), buffers to {} MiB, workgroup memory {} KiB, subgroups of {} to {}",
            device.word(),
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
        outln!("no Vulkan, Metal or DX12 adapter; the CPU backend is used");
    }
    Ok(Exit::Done)
}

pub fn check(args: &CheckArgs) -> Result<Exit> {
    system::once([args.file.as_path(), &args.solution])?;
    let problem = system::problem(&args.file, &args.read)?;
    let (text, name) = system::text(&args.solution)?;
    let checked = system::checked_solution(&text, &name, &problem)?;
    let length = problem.length(&checked.permutation)?;
    let shown = telling::shown(&problem, length, problem.cost(&checked.permutation)?);
    outln!("valid {} of {}, {shown}", system::kind_of_solution(&problem), telling::size(&problem));
    if let Some(note) = system::note(&args.solution.display().to_string(), &problem, &checked, length) {
        errln!("note: {note}");
    }
    problem.warnings_of(&checked.permutation)?.iter().for_each(|text| errln!("note: {text}"));
    Ok(Exit::Done)
}

pub fn generate(args: &GenerateArgs) -> Result<Exit> {
    let form = named("-o", &args.output, FileForm::of(&args.output))?;
    if args.output.as_os_str() != "-" {
        check_path(&args.output)?;
    }
    let comment = match args.kind {
        MadeKind::Tsp(_) if form == FileForm::GeoJson => {
            let message = "GeoJSON takes longitudes and latitudes, which made cities do not have: write .csv or .tsp";
            return Err(Error::Config(format!("-o {}: {message}", args.output.display())));
        }
        MadeKind::Tsp(_) if form == FileForm::Concorde => {
            let message = "a .sol holds a solution: write .tsp or .csv";
            return Err(Error::Config(format!("-o {}: {message}", args.output.display())));
        }
        MadeKind::Tsp(kind) => {
            let instance = tsp::generate(kind, args.n, args.seed)?;
            to_file(&args.output, &|mut out| match form {
                FileForm::Table => {
                    writeln!(out, "x,y")?;
                    instance.points().iter().try_for_each(|place| writeln!(out, "{},{}", place.x, place.y))
                }
                _ => instance.write(&mut out),
            })?;
            instance.comment().to_owned()
        }
        MadeKind::Layout if form != FileForm::Library => {
            let message = "a layout is two matrices, which no table holds: give another ending, such as .dat";
            return Err(Error::Config(format!("-o {}: {message}", args.output.display())));
        }
        MadeKind::Layout => {
            let instance = qap::generate(args.n, args.seed)?;
            to_file(&args.output, &|mut out| instance.write(&mut out))?;
            format!("{} facilities", instance.len())
        }
    };
    if args.output.as_os_str() != "-" {
        outln!("{}: {comment}", args.output.display());
    }
    Ok(Exit::Done)
}

pub fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "myrmex", &mut text);
    print_text(&text)
}

pub fn man(command: Option<&str>) -> Result<Exit> {
    let mut program = Args::command();
    // So that commands know what they are called in full.
    program.build();
    let asked = match command {
        None => Ok(program),
        Some(name) => program.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
            Error::Config(format!("there is no command '{name}': choose one of {}", names.join(", ")))
        }),
    };
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(asked?);
    page.render(&mut text).map_err(|error| Error::Config(format!("cannot make the page: {error}")))?;
    print_text(&text)
}

fn print_text(text: &[u8]) -> Result<Exit> {
    outln!("{}", String::from_utf8_lossy(text).trim_end());
    Ok(Exit::Done)
}
