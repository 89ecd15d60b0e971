//! Panics of a run as errors of that run.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result};

/// What a panic says.
#[doc(hidden)]
pub fn text_of(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic")
}

/// Does `work`, a panic of which is an error: whatever else there is goes on.
pub(super) fn caught<T>(error_of: impl FnOnce(String) -> Error, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(error_of(text_of(&*panic).to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_says_what_it_was() {
        let told = |work: &dyn Fn() -> i32| caught(Error::Fault, || Ok(work())).unwrap_err().to_string();
        assert!(told(&|| panic!("number {}", 7)).contains("number 7"));
        assert!(told(&|| panic!("of a literal")).contains("of a literal"));
        assert!(told(&|| std::panic::panic_any(7)).contains("a panic"));
        assert_eq!(caught(Error::Fault, || Ok(3)).unwrap(), 3);
    }
}
