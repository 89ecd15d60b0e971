//! Parameter blocks as Mesa's software driver, lavapipe, takes them best.
//!
//! It takes uniforms as constants, and compiles a shader again in every dispatch when half of it or more depends on uniforms only. It does not
//! do so with storage. There each read is a loop over the lanes of a vector, and the time in which LLVM compiles a shader grows faster
//! than their number: so the block is read once, where the kernel begins.

const UNIFORM: &str = "var<uniform> params: ";
const MAIN: &str = "fn main(";

/// The shader with its parameter block in storage, read where the entry point begins; `None` of one that has no such block.
pub(super) fn stored_params(source: &str) -> Option<String> {
    let (head, declared) = source.split_once(UNIFORM)?;
    let (of_type, rest) = declared.split_once(';')?;
    let (between, entry) = rest.split_once(MAIN)?;
    let (signature, body) = entry.split_once('{')?;
    Some(format!(
        "{head}var<storage, read> stored_params: {of_type};\nvar<private> params: {of_type};{between}{MAIN}{signature}{{\n    \
         params = stored_params;{body}"
    ))
}

#[cfg(test)]
mod tests {
    use super::{MAIN, UNIFORM, stored_params};

    #[test]
    fn a_block_is_read_where_the_kernel_begins() {
        let source =
            "@group(0) @binding(0) var<uniform> params: Params;\nfn f() {\n}\nfn main(lane: u32) {\n    f();\n}\n";
        let stored = "@group(0) @binding(0) var<storage, read> stored_params: Params;\nvar<private> params: Params;\nfn f() {\n}\n\
                      fn main(lane: u32) {\n    params = stored_params;\n    f();\n}\n";
        assert_eq!(stored_params(source).as_deref(), Some(stored));
        assert_eq!(stored_params("fn main() {\n}\n"), None);
    }

    /// Entry points and blocks are written so in all files of shaders, of which a kernel may have them in two.
    #[test]
    fn all_kernels_have_such_a_block() {
        let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders"))];
        let mut found = [0, 0];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let source = std::fs::read_to_string(&path).unwrap();
                let says = [("@compute", MAIN), ("> params:", UNIFORM)];
                for (count, (_, written)) in found.iter_mut().zip(says).filter(|(_, (sign, _))| source.contains(sign)) {
                    *count += 1;
                    assert!(source.contains(written), "{}", path.display());
                }
            }
        }
        assert!(found.iter().all(|count| *count > 20), "{found:?}");
    }
}
