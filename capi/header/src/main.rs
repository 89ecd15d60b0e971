//! Makes `capi/include/myrmex.h` of the sources in `capi/src`; with `--check` it only says whether the file is what it would make.

use std::path::Path;
use std::process::ExitCode;

/// The header, or why there is none.
fn header(folder: &Path) -> Result<String, String> {
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"))?;
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
