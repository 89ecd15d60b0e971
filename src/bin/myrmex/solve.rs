//! `myrmex solve`.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use myrmex::report::Report;
use myrmex::{Config, Ended, Error, Problem, Result, Solution, Solver, Stop, System};

use crate::args::SolveArgs;
use crate::outputs;
use crate::print::{self, errln};
use crate::progress::Display;
use crate::system;

/// Seconds a run takes when no stop rule is given.
const DEFAULT_SECONDS: f64 = 5.0;
/// Exit code after an interrupt, as shells expect it.
const INTERRUPTED: u8 = 130;
/// Exit code when the device failed during the run.
const DEVICE_FAILED: u8 = 3;

pub fn run(args: &SolveArgs, started: Instant) -> Result<ExitCode> {
    let cancel = cancel_on_interrupt()?;
    let problem = system::problem(&args.file, args.problem)?;
    log::debug!("{:.3} s to read the file", started.elapsed().as_secs_f64());
    outputs::check(args, &problem)?;
    let config = system::config(&args.system, &problem)?;
    let target = system::target(&args.system)?;
    let mut solver = match &args.initial {
        Some(file) => Solver::with_start(&problem, &config, target, &system::solution(file, &problem)?)?,
        None => Solver::new(&problem, &config, target)?,
    };
    let to_stdout = outputs::on_stdout(args);
    let say = |text: String| match (args.quiet, to_stdout) {
        (true, _) => {}
        (false, true) => errln!("{text}"),
        (false, false) => print::remark(&text),
    };
    say(format!(
        "{}: {} {}, {}seed {}, on {} ({})",
        problem.name(),
        problem.len(),
        problem.parts(),
        solver.plan().map_or_else(String::new, |plan| ants(&config, plan.ants())),
        args.system.seed,
        solver.device(),
        solver.backend()
    ));

    let unlimited = args.iterations.is_none() && args.time.is_none() && args.target.is_none();
    let stop = Stop {
        iterations: args.iterations,
        time: args.time.or(unlimited.then_some(DEFAULT_SECONDS)).map(Duration::from_secs_f64),
        clock: Some(started),
        target: args.target,
        cancel: Some(Arc::clone(&cancel)),
    };
    let mut display = Display::new(args.quiet, &stop);
    let result = solver.run(&stop, |progress| {
        display.show(progress);
        ControlFlow::Continue(())
    });
    display.finish();
    let (solution, failure) = match result {
        Ok(solution) => (solution, None),
        Err(error) => (solver.salvage(), Some(error)),
    };

    let report = report(args, &problem, &config, &solver, &solution, started)?;
    outputs::write(args, &problem, &solution, &report)?;
    say(format!(
        "cost {} after {} iteration{}, {:.2} s ({})",
        solution.cost,
        solution.iterations,
        if solution.iterations == 1 { "" } else { "s" },
        started.elapsed().as_secs_f64(),
        reason(solution.ended)
    ));
    if solution.iterations == 0 && matches!(solution.ended, Ended::Time | Ended::Cancelled) {
        let found =
            if solution.trace.len() > 1 { "the best of the ants that were done" } else { "what the run began with" };
        say(format!("no iteration was finished, this is {found}: give it more time, or fewer ants"));
    }
    if solution.cost == 0 && problem.len() > 3 && matches!(problem, Problem::Tsp(_)) {
        say("distances are rounded to whole numbers, as TSPLIB says: scale coordinates up if 0 is not what you expect"
            .into());
    }
    match failure {
        Some(error) => {
            errln!("myrmex: {error}; the best solution known before that was kept");
            Ok(ExitCode::from(DEVICE_FAILED))
        }
        None if cancel.load(Ordering::Relaxed) => Ok(ExitCode::from(INTERRUPTED)),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// How many ants, and of how many colonies where there are several.
fn ants(config: &Config, ants: usize) -> String {
    let several = config.colonies.filter(|count| *count > 1);
    let several = several.map_or_else(String::new, |count| format!("{count} colonies of "));
    format!("{several}{ants} ant{}, ", if ants == 1 { "" } else { "s" })
}

/// A flag that an interrupt sets. The first one ends the run in order, a second one at once.
fn cancel_on_interrupt() -> Result<Arc<AtomicBool>> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .map_err(|error| Error::Config(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(cancel)
}

fn report<'a>(
    args: &SolveArgs,
    problem: &'a Problem,
    config: &Config,
    solver: &'a Solver,
    solution: &'a Solution,
    started: Instant,
) -> Result<Report<'a>> {
    let system = System::new(&problem.shape(), config)?;
    let tour = matches!(problem, Problem::Tsp(_));
    Ok(Report {
        instance: problem.name(),
        problem: problem.kind(),
        n: problem.len(),
        algorithm: system.algorithm(),
        local_search: system.local_search,
        ants: solver.plan().map_or(0, |plan| plan.ants()),
        colonies: config.colonies.unwrap_or(1),
        exchange: config.exchange_period(),
        candidates: solver.plan().map_or(0, |plan| plan.system.candidates),
        preset: args.system.preset.name,
        plan: solver.plan(),
        backend: solver.backend(),
        device: solver.device(),
        seed: args.system.seed,
        iterations: solution.iterations,
        seconds: started.elapsed().as_secs_f64(),
        ended: solution.ended,
        cost: solution.cost,
        tour: tour.then_some(&solution.permutation),
        permutation: (!tour).then_some(&solution.permutation),
        trace: &solution.trace,
        kernels: &solution.kernels,
        longest_submission: solution.longest_submission,
    })
}

fn reason(ended: Ended) -> &'static str {
    match ended {
        Ended::Iterations => "all iterations made",
        Ended::Time => "time is up",
        Ended::Target => "target reached",
        Ended::Cancelled => "interrupted",
        Ended::Trivial => "all solutions tried",
        Ended::Failed => "the device failed",
        _ => "ended",
    }
}
