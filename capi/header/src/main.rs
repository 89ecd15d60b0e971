//! Makes `capi/include/myrmex.h` of the sources in `capi/src`; with `--check` it only says whether the file is what it would make.

use std::path::Path;
use std::process::ExitCode;

/// The version of the library as macros.
fn version(folder: &Path) -> Result<String, String> {
    let path = folder.join("Cargo.toml");
    let told = |what: String| format!("{}: {what}", path.display());
    let manifest = std::fs::read_to_string(&path).map_err(|error| told(error.to_string()))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    let numbers: Vec<&str> = version.unwrap_or_default().split(['.', '-', '+']).collect();
    let [major, minor, patch, ..] = numbers[..] else { return Err(told("there is no version in it".into())) };
    Ok(format!(
        "\n/* The version of this header; myrmex_version() tells that of the library. */\n#define MYRMEX_VERSION_MAJOR {major}\n#define MYRMEX_VERSION_MINOR {minor}\n#define MYRMEX_VERSION_PATCH {patch}"
    ))
}

/// The header, or why there is none.
fn header(folder: &Path) -> Result<String, String> {
    let mut config = cbindgen::Config::from_file(folder.join("cbindgen.toml"))?;
    config.after_includes = Some(version(folder)?);
    // By its source: cbindgen would ask cargo for all dependencies otherwise.
    let builder = cbindgen::Builder::new().with_config(config).with_src(folder.join("src/lib.rs"));
    let mut text = Vec::new();
    builder.generate().map_err(|error| error.to_string())?.write(&mut text);
    String::from_utf8(text).map_err(|error| error.to_string())
}

fn run(check: bool) -> Result<(), String> {
    // Of this call: a program built in another copy of the sources would look there.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("this is run by cargo: cargo run -p myrmex-header")?;
    let folder = Path::new(&own).parent().ok_or("there is no folder")?;
    let path = folder.join("include/myrmex.h");
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    let made = header(folder)?;
    if !check {
        return std::fs::write(&path, made).map_err(told);
    }
    match std::fs::read_to_string(&path).map_err(told)? == made {
        true => Ok(()),
        false => Err(format!("{} is not what capi/src says; make it by 'cargo run -p myrmex-header'", path.display())),
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => run(false),
        ["--check"] => run(true),
        _ => Err("usage: myrmex-header [--check]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
