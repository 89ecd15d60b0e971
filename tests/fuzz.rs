//! Every reader on damaged texts, settings in all combinations, and what is written read again: nothing panics, what is wrong is told in
//! a line, and what is taken makes sense. About a million inputs, the same ones each time; with `MYRMEX_FUZZ_SECONDS` others for so long.

#[path = "fuzz/draw.rs"]
mod draw;
#[cfg(feature = "cli")]
#[path = "../src/bin/myrmex/settings_file.rs"]
mod settings_file;
#[path = "fuzz/texts.rs"]
mod texts;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use draw::Draw;
use myrmex::settings::{Parameter, Request, Value};
use myrmex::tsp::{self, Distances, Instance};
use myrmex::{Algorithm, Colonies, Effort, Error, Execution, PRESETS, Problem, Settings, Solver, Stop, Target, qap};

/// What became of an input.
enum Fate {
    Taken,
    Refused,
}

/// What is tried, on how many inputs, and how many in a thousand of them are taken at least and refused at least.
struct Trial {
    name: &'static str,
    inputs: u64,
    least: [u64; 2],
    /// The input of a number, made and tried; texts of regressions have none.
    run: fn(u64) -> Result<Fate, String>,
}

/// Tries inputs of a trial from a number on; what went wrong.
fn tried(trial: &Trial, numbers: std::ops::Range<u64>, counts: &[AtomicU64; 2]) -> Vec<String> {
    let (next, failures) = (AtomicU64::new(numbers.start), Mutex::new(Vec::new()));
    let some = || {
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && number < numbers.end
        {
            let told = match catch_unwind(AssertUnwindSafe(|| (trial.run)(number))) {
                Ok(Ok(fate)) => {
                    counts[matches!(fate, Fate::Refused) as usize].fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                Ok(Err(told)) => told,
                Err(_) => "it panics".to_owned(),
            };
            failures.lock().unwrap().push(format!("{} input {number}: {told}", trial.name));
        }
    };
    // Threads of rayon's would begin other inputs while they wait for one, each on the stack of the one before.
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(some);
        }
    });
    failures.into_inner().unwrap()
}

const TRIALS: [Trial; 10] = [
    Trial { name: "instances", inputs: 350_000, least: [50, 300], run: |number| instance(&texts::instance(number)) },
    Trial { name: "tours", inputs: 100_000, least: [50, 300], run: |number| tour(&texts::tour(number)) },
    Trial {
        name: "tours of named cities",
        inputs: 50_000,
        least: [50, 300],
        run: |number| named_tour(&texts::named_tour(number)),
    },
    Trial {
        name: "assignments",
        inputs: 100_000,
        least: [30, 300],
        run: |number| assignment(&texts::assignment(number)),
    },
    Trial { name: "two tables", inputs: 50_000, least: [50, 300], run: tables },
    Trial { name: "gzip", inputs: 50_000, least: [5, 300], run: |number| compressed(texts::compressed(number)) },
    #[cfg(feature = "cli")]
    Trial { name: "settings in TOML", inputs: 100_000, least: [50, 200], run: |number| toml(&texts::toml(number)) },
    #[cfg(not(feature = "cli"))]
    Trial { name: "nothing", inputs: 0, least: [0, 0], run: |_| Ok(Fate::Taken) },
    Trial { name: "settings in JSON", inputs: 100_000, least: [50, 200], run: |number| json(&texts::json(number)) },
    Trial { name: "options", inputs: 100_000, least: [50, 100], run: options },
    Trial { name: "what is written", inputs: 50_000, least: [1000, 0], run: written },
];

#[test]
fn nothing_that_comes_in_breaks_anything() {
    let seconds = std::env::var("MYRMEX_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let counts: [[AtomicU64; 2]; TRIALS.len()] = Default::default();
    let mut failures = Vec::new();
    for round in 0.. {
        for (trial, counts) in TRIALS.iter().zip(&counts) {
            let first = round * trial.inputs;
            failures.extend(tried(trial, first..first + trial.inputs, counts));
        }
        if failures.len() > 20 || until.is_none_or(|until| Instant::now() >= until) {
            break;
        }
    }
    for (trial, counts) in TRIALS.iter().zip(&counts) {
        let [taken, refused] = counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        println!("{}: {taken} taken, {refused} refused", trial.name);
        let all = (taken + refused).max(1);
        let shares = [taken, refused].map(|count| 1000 * count / all);
        assert!(
            !failures.is_empty() || shares[0] >= trial.least[0] && shares[1] >= trial.least[1],
            "{}: {shares:?} of a thousand",
            trial.name
        );
    }
    failures.truncate(20);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Reads a text and holds what comes of it.
type Read = fn(&str) -> Result<Fate, String>;

/// Texts that once went wrong.
const REGRESSIONS: [(Read, &str); 2] = [
    // The number of lines that are announced, and the line itself, passed 64 bits.
    (instance, "18446744073709551615\n1 2\n3 4\n"),
    (instance, "18446744073709551615\n1,2\n3,4\n"),
];

#[test]
fn what_once_went_wrong_goes_right() {
    for (run, text) in REGRESSIONS {
        run(text).unwrap();
    }
}

/// Holds an error to its form: one line, which names the file and a line of the text where it is one of reading.
fn refused(error: &Error, text: &str) -> Result<Fate, String> {
    let message = error.to_string();
    // After the last line break there is one more.
    let lines = text.split('\n').count();
    match error {
        Error::Parse { file, line, .. } if file == "file" && (1..=lines).contains(line) => {}
        _ => return Err(format!("{message:?} names no line of {text:?}")),
    }
    match message.chars().any(char::is_control) {
        true => Err(format!("{message:?} is more than a line, of {text:?}")),
        false => Ok(Fate::Refused),
    }
}

/// An assignment problem of a table that is damaged and others that are whole: what is written of it is read.
fn tables(number: u64) -> Result<Fate, String> {
    const FLOWS: &str = "A,B,C\n0,1,2\n3,0,4\n5,6,0\n";
    let costs = number % 3 == 2;
    let text = if costs { texts::costs(number) } else { texts::square(number) };
    let [flows, distances, placing] = match number % 3 {
        0 => [text.as_str(), texts::ROOMS, ""],
        1 => ["0 1\n2 0\n", &text, ""],
        _ => [FLOWS, texts::ROOMS, &text],
    };
    let placing = costs.then_some([placing, "file"]);
    let instance = match qap::Instance::parse_tables([flows, "file"], [distances, "file"], placing) {
        Ok(instance) => instance,
        Err(error) => return refused(&error, &text),
    };
    let permutation: Vec<u32> = (0..instance.len() as u32).rev().collect();
    let told = |error: &dyn std::fmt::Display| format!("{error}, of {text:?}");
    let cost = instance.cost(&permutation).map_err(|error| told(&error))?;
    let mut table = Vec::new();
    qap::write_csv(&mut table, &instance, &permutation).map_err(|error| told(&error))?;
    let table = String::from_utf8(table).map_err(|error| told(&error))?;
    let read = qap::parse_solution(&table, "again", &instance).map_err(|error| told(&error))?;
    same("an assignment", &read.permutation, &permutation, &text)?;
    same("its cost", instance.cost(&read.permutation).ok(), Some(cost), &text)?;
    Ok(Fate::Taken)
}

/// What `found` is, if it is what was expected.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T, text: &str) -> Result<(), String> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("{what}: {found:?} and not {expected:?}, of {text:?}")),
    }
}

fn instance(text: &str) -> Result<Fate, String> {
    let distances = [Distances::Stated, Distances::Stated, Distances::Plane, Distances::Globe][text.len() % 4];
    let problem = match Problem::parse(text, "file", distances) {
        Ok(problem) => problem,
        Err(error) => return refused(&error, text),
    };
    let told = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}, of {text:?}");
    if problem.len() <= 64 {
        let solution = problem.solution_at_once().map_err(|error| told("a first solution", &error))?;
        problem.cost(&solution).map_err(|error| told("its cost", &error))?;
    }
    let mut again = Vec::new();
    match &problem {
        Problem::Tsp(instance) => {
            instance.write(&mut again).map_err(|error| told("writing", &error))?;
            let again = String::from_utf8(again).map_err(|error| told("writing", &error))?;
            let read = Instance::parse(&again, "again").map_err(|error| told(&again, &error))?;
            same("cities", (read.len(), read.is_open()), (instance.len(), instance.is_open()), text)?;
            let n = instance.len();
            for (a, b) in (0..n.min(20)).flat_map(|a| (0..n.min(20)).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                same("a distance", read.distance(a, b), instance.distance(a, b), text)?;
            }
        }
        Problem::Qap(instance) => {
            instance.write(&mut again).map_err(|error| told("writing", &error))?;
            let again = String::from_utf8(again).map_err(|error| told("writing", &error))?;
            let read = qap::Instance::parse(&again, "again").map_err(|error| told(&again, &error))?;
            same("flows", read.flows(), instance.flows(), text)?;
            same("distances", read.distances(), instance.distances(), text)?;
            same("costs of placing", read.placing_costs(), instance.placing_costs(), text)?;
            same("sizes", (read.len(), read.locations()), (instance.len(), instance.locations()), text)?;
            same("an error", read.cost_error(), instance.cost_error(), text)?;
        }
        other => return Err(format!("{other:?} is unknown here")),
    }
    Ok(Fate::Taken)
}

fn tour(text: &str) -> Result<Fate, String> {
    match tsp::parse_tour(text, "file", texts::CITIES) {
        Ok(tour) => {
            let mut sorted = tour.clone();
            sorted.sort_unstable();
            same("cities", sorted, (0..texts::CITIES as u32).collect(), text)?;
            Ok(Fate::Taken)
        }
        Err(error) => refused(&error, text),
    }
}

/// What contradicts the instance is refused here: what is taken is a tour all the same.
fn named_tour(text: &str) -> Result<Fate, String> {
    match tsp::parse_solution(text, "file", texts::named()) {
        Ok(tour) => {
            same("the same without names", tsp::parse_tour(text, "file", texts::CITIES).ok(), Some(tour), text)?;
            self::tour(text)
        }
        Err(error) => refused(&error, text),
    }
}

fn assignment(text: &str) -> Result<Fate, String> {
    let instance = match text.len() % 2 {
        0 => qap::generate(9, 1).unwrap(),
        _ => texts::some_of_eleven(),
    };
    match qap::parse_solution(text, "file", &instance) {
        Ok(stated) => instance.cost(&stated.permutation).map(|_| Fate::Taken).map_err(|error| error.to_string()),
        Err(error) => refused(&error, text),
    }
}

fn compressed(bytes: Vec<u8>) -> Result<Fate, String> {
    let shown = format!("{bytes:?}");
    match myrmex::decode(bytes, "file") {
        Ok(text) if text.len() <= 1 << 20 => Ok(Fate::Taken),
        Ok(text) => Err(format!("{} bytes of {shown}", text.len())),
        Err(error) => refused(&error, &shown),
    }
}

/// Problems that settings are tried on: symmetric, asymmetric, an open path, with a metric that takes a matrix, assignments.
fn problem(number: u64) -> Problem {
    static PROBLEMS: Mutex<Vec<Problem>> = Mutex::new(Vec::new());
    let mut problems = PROBLEMS.lock().unwrap();
    if problems.is_empty() {
        let uniform = tsp::generate(tsp::Kind::Uniform, 30, 1).unwrap();
        let weights = (0..20 * 20).map(|at| at * 7919 % 97).collect();
        problems.push(Problem::Tsp(uniform.clone()));
        problems.push(Problem::Tsp(Instance::from_matrix("one way", 20, weights).unwrap()));
        problems.push(Problem::Tsp(uniform.clone().open_path(Some(3), None).unwrap()));
        problems.push(Problem::Tsp(Instance::from_matrix("matrix", 30, uniform.distance_matrix()).unwrap()));
        problems.push(Problem::Qap(qap::generate(9, 1).unwrap()));
        problems.push(Problem::Qap(texts::some_of_eleven()));
    }
    problems[number as usize % problems.len()].clone()
}

/// What settings come to: a recipe, or an error that says why not.
fn resolved(settings: &Settings, number: u64, text: &str) -> Result<Fate, String> {
    let problem = problem(number);
    match settings.recipe(&problem, Effort::ALL[(number / 64) as usize % Effort::ALL.len()]) {
        Ok(recipe) => {
            same("size", recipe.phases.is_empty(), false, text)?;
            serde_json::to_string(&recipe).map_err(|error| error.to_string())?;
            Ok(Fate::Taken)
        }
        Err(error @ Error::Config(_)) => match error.to_string().chars().any(char::is_control) {
            true => Err(format!("{error} is more than a line, of {text:?}")),
            false => Ok(Fate::Refused),
        },
        Err(error) => Err(format!("{error}, of {text:?}")),
    }
}

#[cfg(feature = "cli")]
fn toml(text: &str) -> Result<Fate, String> {
    let number = text.len() as u64;
    let pairs = match settings_file::parse(text, "file") {
        Ok(pairs) => pairs,
        Err(Error::Parse { file, line, message }) if file == "file" && line > 0 && !message.contains('\n') => {
            return Ok(Fate::Refused);
        }
        Err(error) => return Err(format!("{error} does not name the file, of {text:?}")),
    };
    if pairs.iter().any(|pair| !(1..=text.lines().count().max(1)).contains(&pair.line)) {
        return Err(format!("a line that is none, of {text:?}"));
    }
    let pairs = pairs.iter().map(|pair| (pair.name.as_str(), pair.value.clone()));
    match Request::of(pairs).and_then(|request| request.settings(&problem(number))) {
        Ok(settings) => resolved(&settings, number, text),
        Err(Error::Config(_)) => Ok(Fate::Refused),
        Err(error) => Err(format!("{error}, of {text:?}")),
    }
}

fn json(text: &str) -> Result<Fate, String> {
    let Ok(settings) = serde_json::from_str::<Settings>(text) else { return Ok(Fate::Refused) };
    let again = serde_json::to_string(&settings).map_err(|error| format!("{error}, of {text:?}"))?;
    let read = serde_json::from_str::<Settings>(&again).map_err(|error| format!("{error} in {again}, of {text:?}"))?;
    same("settings", read, settings, text)?;
    resolved(&settings, text.len() as u64, text)
}

/// Parameters of an algorithm, colonies and execution with values by chance. What is taken makes a plan; now and then it runs for a moment.
fn options(number: u64) -> Result<Fate, String> {
    let mut draw = Draw::new(number);
    let problem = problem(number);
    let mut settings = match draw.below(4) {
        0 => PRESETS[draw.below(PRESETS.len())].settings(problem.len()),
        _ => Settings::named(Algorithm::NAMES[draw.below(Algorithm::NAMES.len())]).unwrap().for_problem(&problem),
    };
    let all: Vec<&Parameter> =
        [settings.algorithm.parameters(), Colonies::PARAMETERS, Execution::PARAMETERS].into_iter().flatten().collect();
    let mut text = format!("{}:", settings.algorithm.name());
    for _ in 0..draw.below(4) {
        let parameter = all[draw.below(all.len())];
        let value = match draw.below(3) {
            0 => parameter.range.split([',', ' ']).filter(|word| !word.is_empty()).nth(draw.below(4)).unwrap_or("1"),
            1 => ["0", "1", "2", "3", "8", "0.5", "1.5", "64"][draw.below(8)],
            _ => texts::NUMBERS[draw.below(texts::NUMBERS.len())],
        };
        text += &format!(" {}={value}", parameter.name);
        if settings.set(parameter.name, &Value::from_text(value)).is_err() {
            return Ok(Fate::Refused);
        }
    }
    let fate = resolved(&settings, number, &text)?;
    if matches!(fate, Fate::Refused) || !number.is_multiple_of(16) {
        return Ok(fate);
    }
    let outlook = match Solver::outlook(&problem, &settings, Target::Cpu) {
        Ok(outlook) => outlook,
        Err(Error::TooLarge { .. }) => return Ok(Fate::Refused),
        Err(error) => return Err(format!("{error}, of {text}")),
    };
    let words: u64 = outlook.plans.iter().flat_map(|plan| plan.buffers()).map(|buffer| buffer.words).sum();
    if !number.is_multiple_of(512) || words * u64::from(settings.colonies.colonies.unwrap_or(1)) > 1 << 20 {
        return Ok(fate);
    }
    let mut solver = Solver::new(&problem, &settings, Target::Cpu).map_err(|error| format!("{error}, of {text}"))?;
    let stop = Stop::iterations(3).or(Stop::time(Duration::from_millis(20)));
    let solution = solver.run(&stop).map_err(|error| format!("{error}, of {text}"))?;
    same("a cost", solution.cost, problem.cost(&solution.permutation).unwrap(), &text)?;
    Ok(fate)
}

/// Writes a tour of an instance.
type Write = fn(&mut Vec<u8>, &Instance, u64, &[u32]) -> std::io::Result<()>;

/// Tours and assignments in the forms that they are written in.
fn written(number: u64) -> Result<Fate, String> {
    let mut draw = Draw::new(number);
    let n = 1 + draw.below(40);
    let mut order: Vec<u32> = (0..n as u32).collect();
    for at in (1..n).rev() {
        order.swap(at, draw.below(at + 1));
    }
    let told = |error: &dyn std::fmt::Display| format!("{error}, of {order:?}");
    let spread = draw.below(1000) as f64 + 1.0;
    let points: Vec<[f64; 2]> = (0..n).map(|_| [0, 0].map(|_: i32| draw.below(1800) as f64 / 10.0 - 90.0)).collect();
    let instance = match number % 3 {
        0 => Instance::from_points(&points.iter().map(|p| p.map(|x| x * spread)).collect::<Vec<_>>()),
        1 => Instance::from_lon_lat(&points),
        _ => Instance::from_matrix("matrix", n, (0..n * n).map(|_| draw.below(1 << 20) as u32).collect()),
    };
    let instance = instance.map_err(|error| told(&error))?;
    let cost = instance.tour_cost(&order).map_err(|error| told(&error))?;
    let forms: [Write; 3] = [
        |out, instance, cost, tour| tsp::write_tour(out, instance, cost, tour),
        |out, instance, _, tour| tsp::write_csv(out, instance, tour),
        |out, instance, _, tour| tsp::write_sol(out, instance, tour),
    ];
    for write in forms {
        let mut text = Vec::new();
        write(&mut text, &instance, cost, &order).map_err(|error| told(&error))?;
        let text = String::from_utf8(text).map_err(|error| told(&error))?;
        let read = tsp::parse_tour(&text, "file", n).map_err(|error| told(&error))?;
        let found = instance.tour_cost(&read).map_err(|error| told(&error))?;
        same("a cost", found, cost, &text)?;
        same("a tour", tsp::canonical(&read), tsp::canonical(&order), &text)?;
    }
    if instance.lon_lat().is_some() {
        let mut text = Vec::new();
        tsp::write_geojson(&mut text, &instance, cost, &order).map_err(|error| told(&error))?;
        serde_json::from_slice::<serde_json::Value>(&text).map_err(|error| told(&error))?;
    }
    if n > 1 && n <= 12 {
        let instance = qap::generate(n, number).map_err(|error| told(&error))?;
        let cost = instance.length(&order).map_err(|error| told(&error))?;
        let mut text = Vec::new();
        qap::write_solution(&mut text, cost, &order).map_err(|error| told(&error))?;
        let text = String::from_utf8(text).map_err(|error| told(&error))?;
        let read = qap::parse_solution(&text, "file", &instance).map_err(|error| told(&error))?;
        same("an assignment", (read.permutation, read.cost), (order.clone(), cost), &text)?;
    }
    Ok(Fate::Taken)
}
