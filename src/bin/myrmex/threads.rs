//! The threads that the program runs on.

use std::env::VarError;
use std::num::NonZeroUsize;

use myrmex::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The variable that says how many there are, where no option does.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// The most threads for each processor.
const A_PROCESSOR: usize = 4;

/// Threads of the program's own: as many as the option or the variable asks for, up to four for each processor; else as many as there are processors, or as its
/// share of them is where it is one of several processes. Fewer where the system refuses, at last this one alone.
///
/// # Errors
/// [`Error::Config`] where the variable is no number of threads, [`Error::Threads`] where the system refuses even one.
pub fn pool(option: Option<NonZeroUsize>, share: Option<usize>) -> Result<ThreadPool> {
    let asked = match option {
        Some(count) => Some(count.get()),
        None => of_variable(std::env::var(VARIABLE))?,
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut threads = asked.or(share).unwrap_or(processors).min(A_PROCESSOR * processors);
    while threads > 1 {
        match ThreadPoolBuilder::new().num_threads(threads).stack_size(myrmex::STACK_BYTES).build() {
            Ok(pool) => return Ok(pool),
            Err(error) => log::debug!("{threads} threads: {error}"),
        }
        threads /= 2;
    }
    let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    alone.map_err(|error| Error::Threads(error.to_string()))
}

/// How many threads the variable asks for, if it does.
fn of_variable(value: Result<String, VarError>) -> Result<Option<usize>> {
    let text = match value {
        Ok(text) => text,
        Err(VarError::NotPresent) => return Ok(None),
        Err(VarError::NotUnicode(text)) => text.to_string_lossy().into_owned(),
    };
    match text.trim() {
        // As rayon has it.
        "" | "0" => Ok(None),
        text => text.parse::<NonZeroUsize>().map(|count| Some(count.get())).map_err(|_| {
            Error::Config(format!(
                "the variable {VARIABLE} is '{text}': set it to a number of threads from 1 up, or remove it"
            ))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_no_number_of_threads_is_refused() {
        let of = |text: &str| of_variable(Ok(text.to_owned())).map_err(|error| error.to_string());
        assert_eq!([of("3"), of(" 12 "), of(""), of("0")], [Ok(Some(3)), Ok(Some(12)), Ok(None), Ok(None)]);
        assert!(of_variable(Err(VarError::NotPresent)).unwrap().is_none());
        for text in ["abc", "-1", "2.5"] {
            let told = format!("the variable RAYON_NUM_THREADS is '{text}': set it to a number of threads from 1 up");
            assert!(of(text).is_err_and(|message| message.contains(&told)), "{text}");
        }
    }

    #[test]
    fn the_option_counts_more_than_a_share_and_stays_within_the_processors() {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = |option: usize| pool(NonZeroUsize::new(option), Some(2)).unwrap().current_num_threads();
        assert_eq!([threads(1), threads(3)], [1, 3]);
        assert_eq!(threads(100_000), A_PROCESSOR * processors);
    }
}
