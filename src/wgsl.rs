//! What WGSL and Rust share. Constants: a shader declares them, and Rust reads them from its source when the crate is compiled. Blocks: Rust
//! writes them as their shader has them, and a test holds one against the other.

/// A constant of a shader module, as `u32`: `constant!("eax/offspring", "PATHS")`. Where `#if` chooses between several declarations, a
/// third argument counts to the one that is meant, from 0 on.
///
/// The crate does not compile when the module does not declare the constant as one unsigned literal.
macro_rules! constant {
    ($module:literal, $name:literal) => {
        $crate::wgsl::find(constant!(@source $module), $name, None)
    };
    ($module:literal, $name:literal, $which:literal) => {
        $crate::wgsl::find(constant!(@source $module), $name, Some($which))
    };
    (@source $module:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $module, ".wgsl"))
    };
}
pub(crate) use constant;

/// A block of words that a shader reads or writes, with the fields of its WGSL struct, which documents them, in the same order. `FIELDS` has
/// their names and offsets in bytes, padding included: `tests/shaders.rs` holds them against the shader.
macro_rules! block {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$of_field:meta])* pub $field:ident: $kind:ty),+ $(,)? }) => {
        $(#[$about])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
        #[allow(missing_docs, reason = "documented once, in the WGSL struct")]
        pub struct $name {
            $($(#[$of_field])* pub $field: $kind,)+
        }

        impl $name {
            #[doc(hidden)]
            pub const FIELDS: &[(&str, usize)] = &[$((stringify!($field), std::mem::offset_of!(Self, $field))),+];
        }
    };
}
pub(crate) use block;

/// The value that the lines `const NAME: u32 = VALUE;` of `source` give to `name`; `which` of them where there are several.
///
/// # Panics
/// Without such a line, for a value that is not one unsigned literal, and where several lines declare the name and `which` is `None`.
/// Constants alone call it, so that the compiler reports this.
pub(crate) const fn find(source: &str, name: &str, which: Option<usize>) -> u32 {
    let (text, mut at, mut seen, mut value) = (source.as_bytes(), 0, 0, None);
    while at < text.len() {
        if let Some(name_at) = behind(text, at, "const ")
            && let Some(type_at) = behind(text, name_at, name)
            && let Some(value_at) = behind(text, type_at, ": u32 = ")
        {
            assert!(
                seen == 0 || which.is_some(),
                "the shader declares this constant more than once: say which is meant"
            );
            match which {
                Some(which) if which != seen => {}
                _ => value = Some(literal(text, value_at)),
            }
            seen += 1;
        }
        while at < text.len() && text[at] != b'\n' {
            at += 1;
        }
        at += 1;
    }
    value.expect("the shader declares no such constant")
}

/// The index behind `word`, where `text` has it at `at`.
const fn behind(text: &[u8], at: usize, word: &str) -> Option<usize> {
    let (word, mut i) = (word.as_bytes(), 0);
    while i < word.len() {
        if at + i >= text.len() || text[at + i] != word[i] {
            return None;
        }
        i += 1;
    }
    Some(at + i)
}

/// The value of a literal like `64u` or `0x1235u` that ends its line.
const fn literal(text: &[u8], at: usize) -> u32 {
    let (mut at, base) = match behind(text, at, "0x") {
        Some(digits) => (digits, 16),
        None => (at, 10),
    };
    let (first, mut value) = (at, 0u64);
    while at < text.len()
        && let Some(digit) = (text[at] as char).to_digit(base)
    {
        value = value * base as u64 + digit as u64;
        assert!(value <= u32::MAX as u64, "the shader's constant has more than 32 bits");
        at += 1;
    }
    assert!(at > first && behind(text, at, "u;\n").is_some(), "the shader's constant is no unsigned literal");
    value as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// const A: u32 = 1u;\nconst A: u32 = 7u;\nconst AB: u32 = 0xBEEFu;\n    const C: u32 = 2u;\n#if X\nconst D: u32 = 6u;\n\
        #else\nconst D: u32 = 12u;\n#endif\nconst E: u32 = 2u * A;\nconst F: i32 = 1;\nconst G: u32 = 4294967295u;\n\
        const H: u32 = 4294967296u;\nconst I: u32 = u;\n";

    #[test]
    fn literals_are_read() {
        assert_eq!(["A", "AB", "G"].map(|name| find(SOURCE, name, None)), [7, 0xBEEF, u32::MAX]);
        assert_eq!([0, 1].map(|which| find(SOURCE, "D", Some(which))), [6, 12]);
        assert_eq!(constant!("eax/offspring", "PATHS"), 256);
        assert_eq!(constant!("lin_kernighan/moves", "DEPTH", 3), 12);
    }

    /// Neither a comment, an indented line nor the beginning of another name is a declaration.
    #[test]
    fn what_is_no_declaration_of_a_literal_is_refused() {
        for (name, which) in
            [("B", None), ("C", None), ("D", None), ("D", Some(2)), ("E", None), ("F", None), ("H", None), ("I", None)]
        {
            let found = std::panic::catch_unwind(|| find(SOURCE, name, which));
            assert!(found.is_err(), "{name} {which:?}: {found:?}");
        }
    }
}
