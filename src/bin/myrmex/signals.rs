//! What ends the program from outside: Ctrl-C, SIGTERM, a console that is closed; and how it ends at once.
#![allow(unsafe_code, reason = "the process is ended")]

use std::time::{Duration, Instant};

use myrmex::{Error, Result};

use crate::exit::Exit;
use crate::print;

/// Signals that come so soon behind the first were sent with it: `timeout` sends one to the program and one to its group.
const TOGETHER: Duration = Duration::from_millis(500);

/// Listens for Ctrl-C and SIGTERM, on Windows also for a console that is closed and a session that ends. The first signal calls `interrupt`, which
/// ends the run in order and tells whether something else did before; a later one ends the program at once.
///
/// # Errors
/// [`Error::Config`] when the system does not let it.
pub fn on_signals(interrupt: impl Fn() -> bool + Clone + Send + Sync + 'static) -> Result<()> {
    let mut first: Option<Instant> = None;
    let of_console = interrupt.clone();
    let listens = ctrlc::set_handler(move || {
        let again = match first {
            Some(at) => at.elapsed() >= TOGETHER,
            None => interrupt(),
        };
        first.get_or_insert_with(Instant::now);
        if again {
            leave(Exit::Interrupted);
        }
    });
    let told = |error| format!("cannot wait for Ctrl-C: {error}; does the system allow more threads (ulimit -u)?");
    listens.map_err(|error| Error::Config(told(error)))?;
    #[cfg(windows)]
    console::on_close(of_console);
    #[cfg(not(windows))]
    drop(of_console);
    Ok(())
}

/// Ends the program without a word to drivers at work: to wait for them is what cannot be done.
pub fn leave(exit: Exit) -> ! {
    let code = print::ended(exit).code();
    #[cfg(unix)]
    // SAFETY: it ends the process and touches no memory.
    unsafe {
        libc::_exit(i32::from(code))
    }
    #[cfg(windows)]
    console::leave(code);
    #[cfg(not(any(unix, windows)))]
    std::process::exit(i32::from(code))
}

/// Windows ends a process whose console is closed, or whose session ends, as soon as each handler of that has returned, and some seconds later anyway:
/// one that does not return gives the run the time to write what it has.
#[cfg(windows)]
mod console {
    use std::ffi::c_void;
    use std::sync::OnceLock;
    use std::time::Duration;

    const CTRL_CLOSE_EVENT: u32 = 2;
    const CTRL_LOGOFF_EVENT: u32 = 5;
    const CTRL_SHUTDOWN_EVENT: u32 = 6;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn SetConsoleCtrlHandler(handler: Option<unsafe extern "system" fn(u32) -> i32>, add: i32) -> i32;
        fn GetCurrentProcess() -> *mut c_void;
        fn TerminateProcess(process: *mut c_void, code: u32) -> i32;
    }

    static INTERRUPT: OnceLock<Box<dyn Fn() -> bool + Send + Sync>> = OnceLock::new();

    unsafe extern "system" fn handler(event: u32) -> i32 {
        if !matches!(event, CTRL_CLOSE_EVENT | CTRL_LOGOFF_EVENT | CTRL_SHUTDOWN_EVENT) {
            // Another one's.
            return 0;
        }
        if let Some(interrupt) = INTERRUPT.get() {
            interrupt();
        }
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Calls `interrupt` at these events.
    pub fn on_close(interrupt: impl Fn() -> bool + Send + Sync + 'static) {
        if INTERRUPT.set(Box::new(interrupt)).is_ok() {
            // SAFETY: the handler is a function of the program, and what it reads was written before. It is asked before those that were there.
            unsafe { SetConsoleCtrlHandler(Some(handler), 1) };
        }
    }

    /// Ends the process without what other ways to end it call in each library, which may wait for a lock of a thread that is gone.
    pub fn leave(code: u8) -> ! {
        // SAFETY: it ends this process.
        unsafe { TerminateProcess(GetCurrentProcess(), u32::from(code)) };
        std::process::exit(i32::from(code))
    }
}
