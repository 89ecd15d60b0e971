//! The command line: words to settings, and what comes back to files and the terminal.
#![deny(unsafe_code)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use clap::Parser;
use myrmex::Result;

mod args;
mod asked;
mod batch;
mod bench;
mod bound;
mod exit;
mod failed;
mod inputs;
mod merge;
mod names;
mod one;
mod optima;
mod outputs;
mod parameters;
mod pictures;
mod plan;
mod print;
mod progress;
mod ranks;
mod results;
mod settings_file;
mod signals;
mod solve;
mod summary;
mod system;
mod target;
mod telling;
#[cfg(test)]
mod testing;
mod threads;
mod tools;
mod warnings;
mod watch;
#[cfg(feature = "window")]
mod window;
#[cfg(not(feature = "window"))]
#[path = "no_window.rs"]
mod window;

use exit::Exit;

fn main() -> Exit {
    let started = Instant::now();
    tell_faults();
    quiet_drivers();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    let args = args::Args::try_parse().unwrap_or_else(|error| match ranks::is_another() {
        true => ranks::let_the_first_tell(error.exit_code()),
        false => tell_words(&args::refined(error, std::env::args_os().skip(1))),
    });
    let code = match &args.command {
        args::Command::Solve(args) => ranks::solve(args, started),
        // What one process writes is not written by each of several that a launcher has started.
        args::Command::Merge(_) | args::Command::Generate(_) if ranks::is_another() => ranks::left_to_the_first(),
        _ => catch_unwind(AssertUnwindSafe(|| told(on_threads(&args).map_err(|error| args.command.located(error)))))
            .unwrap_or(Exit::Fault),
    };
    print::ended(code)
}

/// Tells what is wrong with a command line, or the help that it asks for, and ends the program.
fn tell_words(error: &clap::Error) -> ! {
    let written = error.print();
    if !error.use_stderr() {
        print::expected(written);
    }
    std::process::exit(error.exit_code())
}

thread_local! {
    /// Whether this thread tries what may panic, of which its caller tells.
    static IS_TRIED: Cell<bool> = const { Cell::new(false) };
}

/// What `work` returns, unless it panics.
fn tried<T>(work: impl FnOnce() -> T + std::panic::UnwindSafe) -> Option<T> {
    IS_TRIED.set(true);
    let result = catch_unwind(work);
    IS_TRIED.set(false);
    result.ok()
}

/// Makes a panic a message for people; with RUST_BACKTRACE also one for developers.
fn tell_faults() {
    let for_developers = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            for_developers(panic);
        }
        if IS_TRIED.get() {
            return;
        }
        let what = myrmex::text_of(panic.payload());
        let place = panic.location().map_or_else(String::new, |place| format!(" ({place})"));
        print::errln!(
            "myrmex: a fault of the program itself: {what}{place}; please report it with the command and its files"
        );
    }));
}

/// Keeps Mesa's layer that sorts GPUs by the display from looking for one where there is no session, which it complains of on standard
/// error. Devices are chosen by what they are, not by their order.
///
/// To be called before there are other threads.
fn quiet_drivers() {
    let (session, asked) = ("XDG_RUNTIME_DIR", "NODEVICE_SELECT");
    if cfg!(target_os = "linux") && [session, asked].into_iter().all(|name| std::env::var_os(name).is_none()) {
        #[allow(unsafe_code, reason = "no other thread reads the environment yet")]
        // SAFETY: this is the only thread.
        unsafe {
            std::env::set_var(asked, "1");
        }
    }
}

/// Runs a command on the threads that it asks for.
fn on_threads(args: &args::Args) -> Result<Exit> {
    threads::pool(args.command.threads(), None)?.install(|| run(args))
}

fn run(args: &args::Args) -> Result<Exit> {
    match &args.command {
        args::Command::Solve(_) => unreachable!("ranks::solve runs it"),
        args::Command::Batch(args) => ranks::alone().and_then(|()| batch::run(args)),
        args::Command::Plan(args) => plan::run(args),
        args::Command::Parameters(args) => parameters::run(args),
        args::Command::Presets(args) => tools::presets(args),
        args::Command::Devices(args) => tools::devices(args),
        args::Command::Bench(args) => bench::run(args),
        args::Command::Check(args) => tools::check(args),
        args::Command::Merge(args) => merge::run(args),
        args::Command::Generate(args) => tools::generate(args),
        args::Command::Completions { shell } => tools::completions(*shell),
        args::Command::Man { command } => tools::man(command.as_deref()),
    }
}

/// The exit code; what is wrong is told.
fn told(result: Result<Exit>) -> Exit {
    match result {
        Ok(code) => code,
        Err(error) => {
            print::errln!("myrmex: {error}");
            Exit::of(&error)
        }
    }
}
