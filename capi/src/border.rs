//! Where values cross between C and Rust: plain pointers become slices and texts, errors and panics become a status.
#![allow(unsafe_code, reason = "pointers of the caller are read")]

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::status::{MyrmexError, MyrmexStatus};
use crate::threads;

/// What a call makes or fails with.
pub type Made<T> = Result<T, MyrmexError>;

/// A place of the caller's for an object, which may hold anything before.
/// (Functions of the header spell it out, which cbindgen needs.)
pub type Place<'a, T> = Option<&'a mut MaybeUninit<Option<Box<T>>>>;

/// Runs `work` and tells how it went; a panic is an error.
pub fn guarded(error: Place<'_, MyrmexError>, work: impl FnOnce() -> Made<()>) -> MyrmexStatus {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
    let failed = done.err();
    let status = failed.as_ref().map_or(MyrmexStatus::Ok, |error| error.status);
    if let Some(place) = error {
        place.write(failed.map(Box::new));
    }
    status
}

/// The same for a call that makes a problem: the place for it has NULL where it fails.
pub fn making<T>(place: Place<'_, T>, error: Place<'_, MyrmexError>, work: impl FnOnce() -> Made<T>) -> MyrmexStatus {
    guarded(error, || {
        let place = place.ok_or_else(|| MyrmexError::invalid("the place for what is made is NULL"))?.write(None);
        begin()?;
        *place = Some(Box::new(work()?));
        Ok(())
    })
}

/// Sees to it that this process can work: that it has the library's threads.
pub fn begin() -> Made<()> {
    refuse_forked()?;
    Ok(threads::ready()?)
}

/// The process that made or solved the first problem; 0 before.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Refuses to work in a child of that process: it has none of that one's threads, and would wait for them for ever.
fn refuse_forked() -> Made<()> {
    let own = std::process::id();
    match PROCESS.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != own => Err(MyrmexError::invalid(
            "this process was forked from one that has made or solved problems, whose threads it does not have: fork before that, or start \
             another program",
        )),
        _ => Ok(()),
    }
}

/// A panic as an error.
pub fn panicked(panic: &(dyn Any + Send)) -> MyrmexError {
    let words = myrmex::text_of(panic);
    MyrmexError::new(MyrmexStatus::Internal, format!("a fault of the library, please report it: {words}"))
}

/// Frees an object; a panic of what it drops, as a driver's device may have, ends here. (The hook of the process has told it.)
pub fn freed<T>(object: Option<Box<T>>) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(object)));
}

/// An object that is needed.
pub fn needed<'a, T>(object: Option<&'a T>, what: &str) -> Made<&'a T> {
    object.ok_or_else(|| MyrmexError::invalid(format!("{what} is NULL")))
}

/// A text.
///
/// # Safety
/// `text` is NULL or ends with a zero byte, and stays as it is for as long as the answer is used.
pub unsafe fn text<'a>(text: *const c_char, what: &str) -> Made<&'a str> {
    // SAFETY: the caller keeps to it.
    let bytes = unsafe { bytes(text, what) }?;
    bytes.to_str().map_err(|_| MyrmexError::invalid(format!("{what} is not UTF-8")))
}

/// The same in whatever encoding.
///
/// # Safety
/// As [`text`].
unsafe fn bytes<'a>(text: *const c_char, what: &str) -> Made<&'a CStr> {
    if text.is_null() {
        return Err(MyrmexError::invalid(format!("{what} is NULL")));
    }
    // SAFETY: the caller keeps to it.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// A path: on Unix any bytes.
///
/// # Safety
/// As [`text`].
pub unsafe fn path<'a>(text: *const c_char, what: &str) -> Made<&'a Path> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: the caller keeps to it.
        Ok(Path::new(std::ffi::OsStr::from_bytes(unsafe { bytes(text, what) }?.to_bytes())))
    }
    #[cfg(not(unix))]
    {
        // SAFETY: the caller keeps to it.
        Ok(Path::new(unsafe { self::text(text, what) }?))
    }
}

/// An array of `rows` times `columns` numbers.
///
/// # Safety
/// `numbers` is NULL or has so many numbers, which stay as they are for as long as the answer is used.
pub unsafe fn numbers<'a, T>(numbers: *const T, (rows, columns): (usize, usize), what: &str) -> Made<&'a [T]> {
    let count = rows.checked_mul(columns).filter(|&count| count <= isize::MAX as usize / size_of::<T>());
    let count =
        count.ok_or_else(|| MyrmexError::invalid(format!("{what}: no memory has {rows} x {columns} numbers")))?;
    if numbers.is_null() {
        return Err(MyrmexError::invalid(format!("{what} is NULL")));
    }
    if !numbers.is_aligned() {
        return Err(MyrmexError::invalid(format!("{what} does not lie where such numbers lie in memory")));
    }
    // SAFETY: the pointer is not NULL and aligned, the caller keeps to the rest.
    Ok(unsafe { std::slice::from_raw_parts(numbers, count) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_leaves_no_object() {
        let mut place = MaybeUninit::<Option<Box<u32>>>::uninit();
        let mut error = MaybeUninit::uninit();
        let panics = || -> Made<u32> { panic!("no {}", "luck") };
        assert_eq!(making(Some(&mut place), Some(&mut error), panics), MyrmexStatus::Internal);
        // SAFETY: both were written to.
        let (made, error) = unsafe { (place.assume_init(), error.assume_init()) };
        assert!(made.is_none());
        let message = crate::status::myrmex_error_message(error.as_deref());
        // SAFETY: the error is there still.
        let message = unsafe { text(message, "message") };
        assert!(message.is_ok_and(|words| words.ends_with(": no luck")));
        // Nobody asks why.
        assert_eq!(guarded(None, || panic!("no luck")), MyrmexStatus::Internal);
    }

    #[test]
    fn a_panic_while_an_object_is_freed_ends_there() {
        struct Driver<'a>(&'a AtomicU32);
        impl Drop for Driver<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
                panic!("no luck");
            }
        }
        let dropped = AtomicU32::new(0);
        freed(Some(Box::new(Driver(&dropped))));
        freed(None::<Box<Driver<'_>>>);
        assert_eq!(dropped.into_inner(), 1);
    }
}
