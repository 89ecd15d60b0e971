//! Makes of a compiled module what a page loads: the module without names, and JavaScript that calls it. It does what `wasm-bindgen
//! --target web` does, and takes a tenth of the time to build.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let [module, folder] = match <[String; 2]>::try_from(std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(paths) => paths,
        Err(_) => {
            eprintln!("usage: pack MODULE.wasm FOLDER");
            return ExitCode::from(2);
        }
    };
    let packed = Bindgen::new()
        .input_path(&module)
        .web(true)
        .and_then(|bindgen| bindgen.typescript(false).remove_name_section(true).generate(&folder));
    match packed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{module}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
