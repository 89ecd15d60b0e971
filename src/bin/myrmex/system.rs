//! From the command line's words to a problem, solutions and rules.

use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::PossibleValue;
use myrmex::tsp::{Distances, Reading};
use myrmex::{Checkpoint, Error, Problem, Result, Stop, qap, tsp};

use crate::args::{MetricArg, ProblemArg, ReadArgs, SolveArgs, Stagnation, StopArgs};
use crate::asked::Asked;

/// The text of a file or, for `-`, of standard input, and its name for messages.
pub fn text(file: &Path) -> Result<(String, String)> {
    if file.as_os_str() == "-" {
        let name = "standard input".to_owned();
        return Ok((myrmex::decode_from(io::stdin().lock(), &name)?, name));
    }
    let name = file.display().to_string();
    let opened = File::open(file).map_err(|error| Error::io(file, error))?;
    Ok((myrmex::decode_from(opened, &name)?, name))
}

impl ReadArgs {
    /// The files that are read beside the instance's, and what they are.
    pub fn tables(&self) -> impl Iterator<Item = (&PathBuf, &'static str)> {
        let tables = [(&self.distances, "the distances"), (&self.placing, "the costs of placing")];
        tables.into_iter().filter_map(|(path, what)| Some((path.as_ref()?, what)))
    }
}

/// The name of a file, without the ending that a compressed one has.
pub fn unpacked(file: &Path) -> &Path {
    let is_packed = file.extension().is_some_and(|it| it.eq_ignore_ascii_case("gz"));
    Path::new(if is_packed { file.file_stem() } else { file.file_name() }.unwrap_or_default())
}

/// The name of a file without its endings, that of a compressed one too.
pub fn stem(file: &Path) -> String {
    unpacked(file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The instance in a file.
pub fn problem(file: &Path, args: &ReadArgs) -> Result<Problem> {
    let distances = match args.metric {
        MetricArg::Auto => Distances::Stated,
        MetricArg::Plane => Distances::Plane,
        MetricArg::Globe => Distances::Globe,
    };
    if args.problem == ProblemArg::Qap && distances != Distances::Stated {
        return Err(Error::Config(
            "--metric measures distances between cities; leave it out with --problem qap".into(),
        ));
    }
    if args.weight.is_some() && (args.problem == ProblemArg::Qap || args.distances.is_some()) {
        return Err(Error::Config(
            "--weight chooses the weights of ways between cities; leave it out of assignments".into(),
        ));
    }
    if let Some(other) = &args.distances {
        return assignment(file, other, args);
    }
    if args.placing.is_some() {
        return Err(Error::Config(
            "--placing goes with --distances, where FILE has flows; of a QAPLIB file it is the third matrix".into(),
        ));
    }
    let (text, name) = text(file)?;
    let reading = match &args.weight {
        Some(weight) => Reading::from(distances).weighed_by(weight),
        None => distances.into(),
    };
    let problem = match args.problem {
        ProblemArg::Auto => Problem::parse(&text, &name, reading)?,
        ProblemArg::Tsp => Problem::Tsp(tsp::Instance::parse_as(&text, &name, reading)?),
        ProblemArg::Qap => Problem::Qap(qap::Instance::parse(&text, &name)?.with_name(stem(file))),
    };
    fixed(path(problem, args)?, args)
}

/// The options that say how a file is read and what its solutions keep to, as on a command line.
pub fn asked(args: &ReadArgs) -> String {
    let mut words = Vec::new();
    let name = |value: Option<PossibleValue>| value.map_or_else(String::new, |value| value.get_name().to_owned());
    let (problem, metric) = (args.problem.to_possible_value(), args.metric.to_possible_value());
    words.extend((args.problem != ProblemArg::Auto).then(|| format!("--problem {}", name(problem))));
    words.extend((args.metric != MetricArg::Auto).then(|| format!("--metric {}", name(metric))));
    words.extend(args.weight.iter().map(|name| format!("--weight {name}")));
    words.extend(args.open.then(|| "--open".to_owned()));
    words.extend(args.start.iter().map(|city| format!("--start {city}")));
    words.extend(args.end.iter().map(|city| format!("--end {city}")));
    words.extend(args.distances.iter().map(|file| format!("--distances {}", file.display())));
    words.extend(args.placing.iter().map(|file| format!("--placing {}", file.display())));
    words.extend(args.fix.iter().map(|pair| format!("--fix {pair}")));
    words.join(" ")
}

/// The assignment problem of a table of flows, one of distances and, where it is given, one of costs.
fn assignment(file: &Path, other: &Path, args: &ReadArgs) -> Result<Problem> {
    if args.problem == ProblemArg::Tsp || args.metric != MetricArg::Auto {
        return Err(Error::Config(
            "--distances makes an assignment problem of two tables; leave --problem tsp and --metric out".into(),
        ));
    }
    once(args.tables().map(|(path, _)| path.as_path()).chain([file]))?;
    let ((flows, name), (distances, of_distances)) = (text(file)?, text(other)?);
    let placing = args.placing.as_deref().map(text).transpose()?;
    let placing = placing.as_ref().map(|(costs, name)| [costs.as_str(), name]);
    let instance = qap::Instance::parse_tables([&flows, &name], [&distances, &of_distances], placing)?;
    let instance = instance.with_name(stem(file));
    fixed(path(Problem::Qap(instance), args)?, args)
}

/// What an option's words come to; what is wrong with them is told with the option.
fn of_option<T>(option: &str, read: Result<T>) -> Result<T> {
    read.map_err(|error| match error {
        Error::Instance(message) | Error::Config(message) => Error::Config(format!("{option}: {message}")),
        other => other,
    })
}

/// The problem with facilities at their locations, or with edges that each tour has, where that is asked for.
fn fixed(problem: Problem, args: &ReadArgs) -> Result<Problem> {
    match problem {
        problem if args.fix.is_empty() => Ok(problem),
        Problem::Qap(instance) => of_option("--fix", instance.with_fixed_called(&args.fix)).map(Problem::Qap),
        Problem::Tsp(instance) => of_option("--fix", instance.with_fixed_edges_between(&args.fix)).map(Problem::Tsp),
        _ => Err(Error::Config("--fix is for tours and assignments; leave it out".into())),
    }
}

/// The problem as one of an open path, where that is asked for.
fn path(problem: Problem, args: &ReadArgs) -> Result<Problem> {
    if !args.open && args.start.is_none() && args.end.is_none() {
        return Ok(problem);
    }
    let Problem::Tsp(instance) = problem else {
        return Err(Error::Config("--open, --start and --end are for tours; leave them out for assignments".into()));
    };
    let city = |option: &str, word: &Option<String>| {
        word.as_deref().map(|word| of_option(option, instance.city_called(word))).transpose()
    };
    let (start, end) = (city("--start", &args.start)?, city("--end", &args.end)?);
    Ok(Problem::Tsp(instance.with_ends(args.open.then_some(true), start, end)?))
}

/// The solution in a file that a run begins with, and what to say where it is read in another way than it looks.
pub fn initial(file: &Path, problem: &Problem) -> Result<(Vec<u32>, Option<String>)> {
    let (text, name) = text(file)?;
    let Problem::Qap(instance) = problem else { return Ok((problem.parse_solution(&text, &name)?, None)) };
    let stated = qap::parse_solution(&text, &name, instance)?;
    Ok((stated.permutation, stated.inverse.then(|| as_inverse(&name))))
}

/// A solution that is to be told of.
pub struct Checked {
    pub permutation: Vec<u32>,
    /// The length that its file states; of assignments only where that is wrong.
    stated: Option<f64>,
    /// Whether it is the inverse of what its file lists.
    inverse: bool,
}

/// What to say of an assignment that is the inverse of what its file lists.
fn as_inverse(place: &str) -> String {
    format!("{place} is read as the facility of each location: only so does it cost what it states")
}

/// The solution of a text and what that states. A report says whether it is of an open path.
pub fn checked_solution(text: &str, name: &str, problem: &Problem) -> Result<Checked> {
    if let Some(message) = is_of_another_kind(text, problem) {
        return Err(Error::parse(name, 1, message));
    }
    // Of a report, and of a line on a map.
    let of_json = || {
        let json: serde_json::Value = serde_json::from_str(text).ok()?;
        json["length"].as_f64().or(json["properties"]["length"].as_f64())
    };
    match problem {
        Problem::Qap(instance) => {
            let stated = qap::parse_solution(text, name, instance)?;
            let is_true = stated.is_true(instance)?;
            let (permutation, inverse) = (stated.permutation, stated.inverse);
            let length = instance.length(&permutation)?;
            let of_report = of_json().filter(|told| is_other(*told, length));
            Ok(Checked { permutation, stated: of_report.or((!is_true).then_some(stated.cost)), inverse })
        }
        _ => {
            let permutation = problem.parse_solution(text, name)?;
            Ok(Checked { permutation, stated: stated_length(text).or_else(of_json), inverse: false })
        }
    }
}

/// Whether a stated length is another one; a whole number may be a rounded one.
fn is_other(stated: f64, length: f64) -> bool {
    let rounded = if stated.fract() == 0.0 { 0.5 } else { 0.0 };
    match stated.is_finite() && length.is_finite() {
        true => (stated - length).abs() > 1e-6 * length.abs() + rounded,
        false => stated != length,
    }
}

/// What to say of a solution whose file states something else than its length, or lists its inverse.
pub fn note(place: &str, problem: &Problem, checked: &Checked, length: f64) -> Option<String> {
    match checked.inverse {
        true => Some(as_inverse(place)),
        false => contradiction(problem, checked, length).map(|what| format!("{place} {what}")),
    }
}

/// What to say of a solution whose file states something else than its length, behind the file's name.
pub fn contradiction(problem: &Problem, checked: &Checked, length: f64) -> Option<String> {
    let (stated, told) = (checked.stated?, problem.display_length(length));
    match problem {
        Problem::Qap(_) => Some(format!("states a cost of {stated}, and this assignment costs {told}")),
        Problem::Tsp(instance) if is_other(stated, length) => {
            let hint =
                if instance.is_open() { "Of a closed tour leave --open out" } else { "Of an open path say --open" };
            Some(format!(
                "states a length of {stated}, and this {} has {told}: is it of this instance? {hint}, of other distances see --metric",
                kind_of_solution(problem)
            ))
        }
        _ => None,
    }
}

/// What a solution of a problem is called.
pub fn kind_of_solution(problem: &Problem) -> &'static str {
    match problem {
        Problem::Qap(_) => "assignment",
        Problem::Tsp(instance) if instance.is_open() => "path",
        _ => "tour",
    }
}

/// The path that these bytes of a list are.
pub fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        std::ffi::OsStr::from_bytes(bytes).into()
    }
    #[cfg(not(unix))]
    {
        String::from_utf8_lossy(bytes).into_owned().into()
    }
}

/// What to say of a report of an open path where closed tours are sought, or the other way round.
pub fn is_of_another_kind(text: &str, problem: &Problem) -> Option<&'static str> {
    let Problem::Tsp(instance) = problem else { return None };
    let report: serde_json::Value = serde_json::from_str(text).ok()?;
    match (report["open"].as_bool()?, instance.is_open()) {
        (true, false) => Some("this report is of an open path: say --open, and --start and --end where it had these"),
        (false, true) => {
            Some("this report is of a closed tour: leave --open out, and --start and --end where they differ")
        }
        _ => None,
    }
}

/// The length that a tour's file states: a comment in TSPLIB's format, of a table the last way and what is up to there, which is where its order ends.
fn stated_length(text: &str) -> Option<f64> {
    let in_comment = |line: &str| {
        let (key, value) = line.split_once(':')?;
        let mut words = value.split(|c: char| c.is_whitespace() || c == '=').filter(|word| !word.is_empty());
        (key.trim() == "COMMENT" && words.next()? == "Length").then(|| words.next()?.parse().ok())?
    };
    let in_table = || {
        let mut table = csv::Reader::from_reader(text.as_bytes());
        let at = |name: &str, headers: &csv::StringRecord| headers.iter().position(|it| it == name);
        let headers = table.headers().ok()?;
        let columns = [at("to_next", headers)?, at("so_far", headers)?];
        let order = at("order", headers);
        let place = |record: &csv::StringRecord| record.get(order?)?.parse::<f64>().ok();
        let records = table.records().collect::<Result<Vec<_>, _>>().ok()?;
        // Of rows that have no order the last one.
        let last = records.iter().max_by(|a, b| place(a).partial_cmp(&place(b)).unwrap_or(Ordering::Equal))?;
        let [way, so_far] = columns.map(|column| last.get(column).and_then(|field| field.parse::<f64>().ok()));
        Some(way? + so_far?)
    };
    text.lines().find_map(in_comment).or_else(in_table)
}

/// Refuses to read standard input twice.
pub fn once<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    match files.into_iter().filter(|file| file.as_os_str() == "-").count() > 1 {
        true => Err(Error::Config("standard input holds one file: name the others, of instances and solutions".into())),
        false => Ok(()),
    }
}

/// The rules that end a run.
pub fn stop(args: &StopArgs) -> Stop {
    let stop = match args.stagnation {
        Some(Stagnation::Iterations(count)) => Stop::stagnation(count),
        Some(Stagnation::Time(limit)) => Stop::stagnation_time(limit),
        None => Stop::default(),
    };
    let mut own = Stop::default();
    (own.time, own.iterations, own.rounds) = (args.time, args.iterations, args.rounds);
    stop.or(own)
}

/// The checkpoint to go on from, where there is one.
pub fn resumed(args: &SolveArgs, asked: &Asked, problem: &Problem) -> Result<Option<Checkpoint>> {
    let Some(path) = &args.resume else { return Ok(None) };
    let checkpoint = Checkpoint::read(path)?;
    checkpoint.check(problem)?;
    asked.agrees(problem, checkpoint.settings())?;
    Ok(Some(match asked.on_device_lost()? {
        Some(asked) => checkpoint.with_on_device_lost(asked),
        None => checkpoint,
    }))
}
