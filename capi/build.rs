//! The name by which programs that link an installed shared library find it. It changes with what may break them: before 1.0 with every
//! second number of the version. `capi/install.sh` asks for it; without that programs look for the file that was built.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=MYRMEX_SONAME");
    // Apple's linker would write the path of the build into the library, where no other machine has it.
    if std::env::var("CARGO_CFG_TARGET_VENDOR").is_ok_and(|vendor| vendor == "apple") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libmyrmex_capi.dylib");
    }
    if let Ok(name) = std::env::var("MYRMEX_SONAME") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}");
    }
}
