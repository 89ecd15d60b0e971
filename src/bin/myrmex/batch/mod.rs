//! `myrmex batch`: many problems, several at a time, a line of JSON for each as it ends.

use std::collections::{HashMap, HashSet};
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use myrmex::report::Report;
use myrmex::tsp::{self, Kind};
use myrmex::{Batch, Cancel, Effort, Ended, Error, Found, Problem, Result, Settings, Solved, Stop, Target, qap};

use crate::args::{ReadArgs, StopArgs, SystemArgs};
use crate::asked::Asked;
use crate::exit::Exit;
use crate::failed::{Failure, about};
use crate::inputs;
use crate::outputs;
use crate::print::errln;
use crate::signals::on_signals;
use crate::system;
use crate::target;

mod lines;
mod list;

use lines::{Done, Lines, Version};

const EXAMPLES: &str = "Examples:
  myrmex batch problems/ --output found.jsonl --solutions tours/
  find . -name '*.tsp' | myrmex batch - > found.jsonl
  myrmex batch problems/ --time 2s --seed 7 --output found.jsonl    (again: goes on where it ended)

Without a rule that ends them problems end when they have converged: --rounds 1 --stagnation 100. Where no device is named they are solved on
the CPU, one on each thread.";

/// Many problems.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct BatchArgs {
    /// Folders, of which all .tsp, .atsp, .dat, .csv, .tsv and .geojson files are taken by name, and files; '-' for a list of them on standard input, one a
    /// line (blank lines and those that begin with '#' are skipped)
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub system: SystemArgs,
    #[command(flatten)]
    pub stop: StopArgs,
    /// Problems at a time [default: a thread each; 4 on a GPU, 8 with 'clk' or 'memetic']
    #[arg(long, value_name = "N", value_parser = workers, allow_negative_numbers = true)]
    pub workers: Option<NonZeroUsize>,
    /// Append the lines to this file; problems that it has lines of are skipped, unless they failed or were interrupted. '-' for standard
    /// output
    #[arg(long, value_name = "FILE.jsonl|-", default_value = "-", hide_default_value = true, help_heading = "Output")]
    pub output: PathBuf,
    /// Refused with a word on --output, which a person who knows 'solve' may look for
    #[arg(long, hide = true, num_args = 0..=1, value_name = "OUT")]
    pub json: Option<Option<PathBuf>>,
    /// Replace the output file, and skip nothing
    #[arg(long, help_heading = "Output")]
    pub again: bool,
    /// Write each solution into this folder by the name of its problem's file: in TSPLIB's or QAPLIB's format, of a .csv as a table
    #[arg(long, visible_alias = "tours", value_name = "FOLDER", help_heading = "Output")]
    pub solutions: Option<PathBuf>,
    /// Print nothing but errors and the lines that were asked for
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

fn workers(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| {
        "expected 1 problem at a time or more; without --workers there are as many as suit the device".into()
    })
}

pub fn run(args: &BatchArgs) -> Result<Exit> {
    let started = Instant::now();
    if args.json.is_some() {
        return Err(Error::Config(
            "batch always writes JSON, a line for each problem: leave --json out, and name a file by --output".into(),
        ));
    }
    inputs::check_folders(&args.paths)?;
    let paths = inputs::files(&list::listed(&args.paths)?)?;
    if let Some(inside) = paths.iter().find(|path| path.as_os_str() == "-") {
        return Err(Error::Config(format!(
            "'{}' among other paths is no file; give it alone, for a list",
            inside.display()
        )));
    }
    let asked = Asked::of(&args.system)?;
    let located = |error| asked.located(error);
    let settings = settings_of_any(&asked).map_err(located)?;
    let target = target::of(&args.system)?;
    let tables: Vec<&Path> = args.read.tables().map(|(path, _)| path.as_path()).collect();
    if paths.len() > 1 {
        inputs::check_tables(tables.iter().copied())?;
    }
    let read: Vec<&Path> = tables.iter().copied().chain(args.system.settings.as_deref()).collect();
    if let Some(other) = read.iter().find(|other| is_output(args, other)) {
        let (output, other) = (args.output.display(), other.display());
        return Err(Error::Config(format!(
            "--output {output} would overwrite {other}, which is read; name another file"
        )));
    }
    let names = args.solutions.as_deref().map(|folder| solution_files(folder, &paths, (&read, &args.output)));
    let names = names.transpose()?;
    if args.again && args.output.as_os_str() != "-" && !matches!(target, Target::Auto) {
        // Before a file is emptied: where no device opens it keeps what it has.
        target.clone().opened()?;
    }
    let (mut lines, done) = Lines::open(&args.output, args.again, &paths, (&system::asked(&args.read), &tables))?;
    let to_do: Vec<&PathBuf> = paths.iter().filter(|path| !done.problems.contains(&lines::place(path))).collect();
    if !args.quiet {
        tell_done(args, (to_do.len(), paths.len()), &done);
    }
    let cancel = interrupts()?;
    let batch = Batch {
        stop: stop(&args.stop).or(Stop::cancelled_by(&cancel)),
        target,
        workers: args.workers,
        // How many workers suit is told by the algorithm; each problem brings settings of its own.
        settings,
    };
    let all_to_do = to_do.len();
    let bar = bar(all_to_do, args.quiet);
    let problems = to_do.into_iter().map(|path| {
        let asked = &asked;
        let source = move || {
            let problem = system::problem(path, &args.read).map_err(|error| list::told(path, error))?;
            let settings = asked.settings(&problem, args.stop.iterations).map_err(|error| asked.located(error))?;
            Ok((problem, settings))
        };
        // It is read after that.
        (File { path, version: Version::of(path, &tables) }, source)
    });
    let mut all = All { args, asked: &asked, names: names.as_ref(), counts: Counts::default() };
    let mut failure = None;
    let ended = batch.solve(problems, |solved| match all.told(&solved, &mut lines, &bar) {
        Ok(()) => {
            bar.inc(1);
            ControlFlow::Continue(())
        }
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    });
    bar.finish_and_clear();
    let finished = lines.finish(&tables);
    ended?;
    if let Some(error) = failure {
        return Err(error);
    }
    finished?;
    let counts = all.counts;
    if !args.quiet {
        let seconds = started.elapsed().as_secs_f64();
        errln!("{} in {seconds:.2} s, {:.1} a second", counts.told(all_to_do), counts.solved as f64 / seconds);
    }
    Ok(if cancel.is_cancelled() { Exit::Interrupted } else { counts.worst })
}

/// Tells what is not solved again, and what is since something has changed; `to_do` problems of all.
fn tell_done(args: &BatchArgs, (to_do, all): (usize, usize), done: &Done) {
    let output = args.output.display();
    if to_do < all {
        errln!(
            "{} of {all} problems are skipped: {output} has them, with the settings of that time{} (--again solves all)",
            all - to_do,
            if args.solutions.is_some() { "; --solutions gets none of these" } else { "" }
        );
    }
    if done.changed > 0 {
        errln!("files that have changed since {output} told of them: {}; they are solved again", done.changed);
    }
    if done.others > 0 {
        errln!(
            "problems of which something else was asked when {output} told of them: {}; they are solved again",
            done.others
        );
    }
}

/// How many problems were solved, failed, and were interrupted, and what the worst failure was.
#[derive(Default)]
struct Counts {
    solved: usize,
    failed: usize,
    interrupted: usize,
    worst: Exit,
}

impl Counts {
    fn fail(&mut self, exit: Exit) {
        self.failed += 1;
        self.worst = self.worst.max(exit);
    }

    /// How many of all ended how.
    fn told(&self, all: usize) -> String {
        let Self { solved, failed, interrupted, .. } = self;
        let besides =
            [(*failed, "failed"), (*interrupted, "interrupted"), (all - solved - failed - interrupted, "not begun")];
        let besides = besides.into_iter().filter(|(count, _)| *count > 0);
        let besides: String = besides.map(|(count, what)| format!(", {count} {what}")).collect();
        format!("{solved} solved{besides}")
    }
}

/// A problem's file, and which version of it was read.
struct File<'a> {
    path: &'a Path,
    version: Version,
}

/// All that problems are told by when they end.
struct All<'a> {
    args: &'a BatchArgs,
    asked: &'a Asked,
    names: Option<&'a HashMap<&'a Path, PathBuf>>,
    counts: Counts,
}

impl All<'_> {
    /// Writes what was found for a problem: first the solution, then the line that says that it is there.
    fn told(&mut self, solved: &Solved<File<'_>>, lines: &mut Lines, bar: &ProgressBar) -> Result<()> {
        let File { path: file, version: Version { modified, bytes } } = solved.key;
        let (path, place) = (file.to_string_lossy(), lines::place(file));
        let place = place.to_string_lossy();
        let wrong = |error: &Error| bar.suspend(|| errln!("myrmex: {}", about(&path, error)));
        let found = match &solved.result {
            Ok(found) => found,
            Err(error) => {
                wrong(error);
                self.counts.fail(Exit::of(error));
                return lines.add(&Failure::of(&path, Some(&*place), error));
            }
        };
        let Found { problem, settings, solution, failure, .. } = found;
        // The others are solved all the same, and this one again when it is asked for again: as a run that failed it is not done.
        let mut unwritten = None;
        if let Some(file) = self.names.and_then(|names| names.get(file)) {
            let ending = match (file.extension(), problem) {
                (Some(ending), _) if ending == TABLE => TABLE,
                (_, Problem::Qap(_)) => "sln",
                _ => "tour",
            };
            unwritten = outputs::write_solution(&file.with_extension(ending), problem, &solution.permutation).err();
        }
        let asked_for = &self.asked.request().asked_for(settings);
        let ended = if failure.is_some() || unwritten.is_some() { Ended::Failed } else { solution.ended };
        let (report, asked) = (Report::of(problem, solution), system::asked(&self.args.read));
        let mut report = report.with_asked_for(asked_for).with_stop(&stop(&self.args.stop));
        (report.path, report.file, report.asked) = (Some(&*path), Some(&*place), Some(asked.as_str()));
        (report.modified, report.bytes, report.ended) = (modified, bytes, ended);
        let why = [
            failure.as_ref().map(ToString::to_string),
            unwritten.as_ref().map(|it| format!("its solution was not written: {it}")),
        ];
        report.warnings.extend(why.into_iter().flatten());
        lines.add(&report)?;
        if let Some(error) = &unwritten {
            wrong(error);
        }
        match failure {
            Some(error) => {
                wrong(error);
                self.counts.fail(Exit::of_run(error));
            }
            None if unwritten.is_some() => self.counts.fail(Exit::WrongInput),
            None if ended == Ended::Cancelled => self.counts.interrupted += 1,
            None => self.counts.solved += 1,
        }
        Ok(())
    }
}

/// The settings of tours, or else of assignments, before the first problem is read; refuses what means nothing to either.
fn settings_of_any(asked: &Asked) -> Result<Settings> {
    let check = |problem: Problem| {
        let settings = asked.settings(&problem, None)?;
        settings.recipe(&problem, Effort::Standard).map(|_| settings)
    };
    let tours = check(tsp::generate(Kind::Uniform, 1000, 1)?.into());
    tours.or_else(|error| check(qap::generate(40, 1)?.into()).map_err(|_| error))
}

/// The ending of tables, whose solutions are tables, too.
const TABLE: &str = "csv";

/// Whether lines go to this file.
fn is_output(args: &BatchArgs, file: &Path) -> bool {
    args.output.as_os_str() != "-" && outputs::identity(&args.output) == outputs::identity(file)
}

/// Where solutions go, endings left open but those of tables; the folder is made. None of them may be one of the files that are read beside the problems, or
/// that of the lines.
fn solution_files<'a>(
    folder: &Path,
    paths: &'a [PathBuf],
    (beside, lines): (&[&Path], &Path),
) -> Result<HashMap<&'a Path, PathBuf>> {
    let read: HashSet<PathBuf> = paths.iter().map(|path| outputs::identity(path)).collect();
    let others: HashMap<PathBuf, &Path> =
        beside.iter().chain([&lines]).map(|path| (outputs::identity(path), *path)).collect();
    let mut taken: HashMap<PathBuf, &Path> = HashMap::new();
    let mut names = HashMap::new();
    for path in paths {
        let name = system::unpacked(path);
        let is_table = name.extension().is_some_and(|it| it.eq_ignore_ascii_case(TABLE));
        // One more ending, which is replaced by that of the solution.
        let open = folder.join(name).with_extension("x");
        let file = if is_table { open.with_extension(TABLE) } else { open.clone() };
        if is_table && read.contains(&outputs::identity(&file)) {
            return Err(Error::Config(format!(
                "--solutions {} would overwrite a problem, {}; name another folder",
                folder.display(),
                file.display()
            )));
        }
        // Whether it is a tour or an assignment is not known yet.
        let endings = if is_table { &[TABLE][..] } else { &["tour", "sln"] };
        let mut files = endings.iter().map(|ending| outputs::identity(&open.with_extension(ending)));
        if let Some(other) = files.find_map(|file| others.get(&file)) {
            return Err(Error::Config(format!(
                "--solutions {} would overwrite {}; name another folder",
                folder.display(),
                other.display()
            )));
        }
        drop(files);
        if let Some(other) = taken.insert(outputs::alike(if is_table { &file } else { &open }), path) {
            return Err(Error::Config(format!(
                "--solutions: {} and {} would have one file; give them other names, or leave one out",
                other.display(),
                path.display()
            )));
        }
        names.insert(path.as_path(), file);
    }
    std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
    outputs::check_path(&folder.join("x"))?;
    Ok(names)
}

/// What ends each problem.
fn stop(args: &StopArgs) -> Stop {
    let stop = system::stop(args);
    if stop.is_empty() { Stop::converged() } else { stop }
}

/// A token that the first interrupt cancels; the second one ends the program.
fn interrupts() -> Result<Cancel> {
    let cancel = Cancel::new();
    let of_signals = cancel.clone();
    on_signals(move || of_signals.cancel())?;
    Ok(cancel)
}

/// What is seen on a terminal on the way.
fn bar(problems: usize, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(problems as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{elapsed:>4} [{bar:30}] {pos} of {len}, {per_sec}, {eta} left");
    bar.set_style(style.map(|style| style.progress_chars("=> ")).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
