//! Which of several devices words mean.

/// Numbers below this are places and no part of a name, as the 15 of a version is.
const LEAST_OF_NAMES: usize = 100;

/// The place of the device that is meant among so many: its place, counted from 0, or the first whose name has these words as a part, in upper or lower case.
/// A number from 100 on, as in RTX 4090, may be a word of a name.
pub(super) fn place(words: &str, count: usize, name: impl Fn(usize) -> Option<String>) -> Option<usize> {
    let words = words.trim().to_lowercase();
    let is_called =
        |is: &dyn Fn(&str) -> bool| (0..count).find(|at| name(*at).is_some_and(|name| is(&name.to_lowercase())));
    match words.parse::<usize>() {
        Ok(number) if number < count => Some(number),
        Ok(..LEAST_OF_NAMES) => None,
        Ok(_) => is_called(&|name| name.split(|c: char| !c.is_alphanumeric()).any(|word| word == words)),
        Err(_) => is_called(&|name| !words.is_empty() && name.contains(&words)),
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn numbers_are_places_and_words_parts_of_names() {
        let names = ["NVIDIA H200", "llvmpipe (LLVM 15.0.6, 256 bits)", "AMD Radeon", "NVIDIA GeForce RTX 4090"];
        let found = |words: &str| place(words, names.len(), |at| names.get(at).map(|name| (*name).to_owned()));
        for (words, expected) in [
            ("0", Some(0)),
            ("2", Some(2)),
            ("4", None),
            ("15", None),
            ("", None),
            ("4090", Some(3)),
            ("409", None),
            ("h200", Some(0)),
            ("LLVM 15", Some(1)),
            ("intel", None),
        ] {
            assert_eq!(found(words), expected, "{words}");
        }
        // A device that does not tell its name.
        assert_eq!(place("H200", 1, |_| None), None);
    }
}
