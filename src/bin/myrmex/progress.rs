//! What is seen of a run on its way: a bar on a terminal, plain lines in a pipe, JSON for other programs.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use myrmex::{Observer, Problem, Progress, Recipe, Solution, Stop};
use serde::Serialize;

use crate::args::{ProgressArg, SolveArgs};
use crate::print::errln;
use crate::telling::{gap, percent};
use crate::window::View;

/// Time between plain lines, and between lines of JSON when nothing is gained.
const LINE_EVERY: Duration = Duration::from_secs(1);

/// The part of the run's time that may go into showing its solutions in a window.
const SHOWING: f64 = 0.1;

/// What is watched.
pub struct Watch<'a> {
    pub problem: &'a Problem,
    pub recipe: Recipe,
    pub stop: &'a Stop,
    pub optimum: Option<f64>,
    pub started: Instant,
    /// Iterations that were made before, where the run was resumed, and the seconds that they took.
    pub before: u32,
    pub seconds_before: f64,
    /// Whether others follow, or came before, with other seeds.
    pub is_one_of_several: bool,
}

pub struct Display<'a> {
    watch: Watch<'a>,
    form: Form,
    view: Option<&'a View>,
    /// When the window was last found ready for a solution, and from when on it gets another.
    asked: Instant,
    next: Instant,
    /// What is done when the device has failed, until it is.
    loses_device: Option<&'a dyn Fn()>,
}

enum Form {
    Quiet,
    Lines { last: Option<Instant> },
    Bar(ProgressBar),
    Json { last: Option<(Instant, u64, u32)> },
}

/// A line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    instance: &'a str,
    seed: u64,
    seconds: f64,
    iteration: u32,
    cost: u64,
    /// `null` where costs do not tell it.
    length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    best_iteration: u32,
    best_seconds: f64,
    /// Counted from 0, as in the recipe.
    phase: usize,
    algorithm: &'a str,
    round: u32,
    /// Whether the device has failed, and the run goes on on the CPU.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    device_lost: bool,
    /// Why the run ended, in its last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'static str>,
}

impl<'a> Display<'a> {
    pub fn new(args: &SolveArgs, watch: Watch<'a>, view: Option<&'a View>, loses_device: &'a dyn Fn()) -> Self {
        let form = match args.progress {
            ProgressArg::Json => Form::Json { last: None },
            ProgressArg::Auto if args.quiet => Form::Quiet,
            ProgressArg::Auto if !std::io::stderr().is_terminal() => Form::Lines { last: None },
            ProgressArg::Auto => {
                let bar = ProgressBar::new(1000);
                let style = ProgressStyle::with_template("{elapsed:>4} [{bar:30}] {msg}")
                    .map(|style| style.progress_chars("=> "));
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                Form::Bar(bar)
            }
        };
        let now = Instant::now();
        Self { watch, form, view, asked: now, next: now, loses_device: Some(loses_device) }
    }

    /// Tells once that the device has failed and the run goes on on the CPU.
    fn tell_loss(&mut self) {
        let Some(loses_device) = self.loses_device.take() else { return };
        loses_device();
        let tell = || errln!("myrmex: the device failed, the run goes on on the CPU");
        match &mut self.form {
            Form::Bar(bar) => bar.suspend(tell),
            // The next line has it.
            Form::Json { last } => *last = None,
            Form::Lines { .. } | Form::Quiet => tell(),
        }
    }

    fn show(&mut self, now: &Progress) {
        match &mut self.form {
            Form::Quiet => {}
            Form::Lines { last } => {
                if last.is_none_or(|last| last.elapsed() >= LINE_EVERY) {
                    *last = Some(Instant::now());
                    errln!("{}", self.watch.line(now));
                }
            }
            Form::Bar(bar) => {
                bar.set_position((self.watch.share(now) * 1000.0) as u64);
                let left = self.watch.left(now).map_or_else(String::new, |left| format!(", {left:.0} s left"));
                bar.set_message(format!("{}{left}", self.watch.line(now)));
            }
            Form::Json { last } => {
                let known = |(at, cost, phase): (Instant, u64, u32)| {
                    at.elapsed() < LINE_EVERY && cost == now.cost && phase == now.phase
                };
                if !last.is_some_and(known) {
                    *last = Some((Instant::now(), now.cost, now.phase));
                    // Numbers and strings always have a form.
                    if let Ok(line) = serde_json::to_string(&self.watch.json(now)) {
                        errln!("{line}");
                    }
                }
            }
        }
    }

    /// The run is over: where other programs listen a last line says how it ended.
    pub fn finish(&mut self, solution: Option<&Solution>, now: &Progress) {
        match &self.form {
            Form::Bar(bar) => bar.finish_and_clear(),
            Form::Json { .. } => {
                if let Some(solution) = solution {
                    let &Solution { cost, length, iterations: iteration, .. } = solution;
                    let gap = self.watch.optimum.and_then(|optimum| gap(length, optimum));
                    let ended = Some(solution.ended.name());
                    let line = Line { cost, length: Some(length), iteration, gap, ended, ..self.watch.json(now) };
                    if let Ok(line) = serde_json::to_string(&line) {
                        errln!("{line}");
                    }
                }
            }
            Form::Quiet | Form::Lines { .. } => {}
        }
    }
}

/// How long a window waits for the next solution after one that it took so long to show.
fn pause(took: Duration) -> Duration {
    took.div_f64(SHOWING)
}

impl Observer for Display<'_> {
    fn progress(&mut self, now: &Progress) -> ControlFlow<()> {
        if now.device_lost {
            self.tell_loss();
        }
        self.show(now);
        if let Some(view) = self.view {
            view.say(self.watch.line(now));
        }
        ControlFlow::Continue(())
    }

    fn is_ready(&mut self) -> bool {
        self.asked = Instant::now();
        self.asked >= self.next && self.view.is_some_and(View::is_ready)
    }

    fn gain(&mut self, _: &Progress, solution: &[u32]) -> ControlFlow<()> {
        if let Some(view) = self.view {
            view.show(solution);
        }
        // The solution was copied and checked for this.
        self.next = Instant::now() + pause(self.asked.elapsed());
        ControlFlow::Continue(())
    }
}

impl Watch<'_> {
    fn gap(&self, now: &Progress) -> Option<f64> {
        // Of what counts as less than it is no gap is known before the end.
        let optimum = self.optimum.filter(|_| !self.problem.counts_less())?;
        gap(self.problem.length_of(now.cost), optimum)
    }

    /// How much of the run is over, as far as time and iterations tell.
    fn share(&self, now: &Progress) -> f64 {
        let by = |part: f64, whole: f64| part / whole.max(1e-9);
        let time = self.stop.time.map_or(0.0, |limit| by(self.started.elapsed().as_secs_f64(), limit.as_secs_f64()));
        let count =
            self.stop.iterations.map_or(0.0, |all| by(self.made(now), f64::from(all.saturating_sub(self.before))));
        time.max(count).min(1.0)
    }

    /// The seconds that are left if it goes on as it did, where time or iterations tell.
    fn left(&self, now: &Progress) -> Option<f64> {
        let share = self.share(now);
        (share > 0.0).then(|| self.started.elapsed().as_secs_f64() * (1.0 / share - 1.0))
    }

    /// Iterations of this run.
    fn made(&self, now: &Progress) -> f64 {
        f64::from(now.iteration.saturating_sub(self.before))
    }

    fn algorithm(&self, now: &Progress) -> &'static str {
        self.recipe.phases.get(now.phase as usize).map_or(self.recipe.algorithm, |phase| phase.system.name())
    }

    fn line(&self, now: &Progress) -> String {
        let rate = self.made(now) / self.started.elapsed().as_secs_f64().max(1e-9);
        // Of several colonies the best may be further on than the last.
        let since = match now.best_iteration <= now.iteration {
            true => format!(" (iteration {})", now.best_iteration),
            false => String::new(),
        };
        let gap = self.gap(now).map_or_else(String::new, |gap| format!(", gap {}", percent(gap)));
        let phase = match self.recipe.phases.len() {
            1 => String::new(),
            all => format!("phase {}/{all} {}, ", now.phase + 1, self.algorithm(now)),
        };
        let seed = if self.is_one_of_several { format!("seed {}, ", self.recipe.seed) } else { String::new() };
        let best = self.problem.display_length(self.problem.length_of(now.cost));
        let best = if self.problem.length_error() > 0.0 { format!("about {best}") } else { best.to_string() };
        format!("{seed}{phase}iteration {}, best {best}{since}{gap}, {rate:.0}/s", now.iteration)
    }

    fn json(&self, now: &Progress) -> Line<'_> {
        Line {
            instance: self.problem.name(),
            seed: self.recipe.seed,
            seconds: self.started.elapsed().as_secs_f64() + self.seconds_before,
            iteration: now.iteration,
            cost: now.cost,
            length: (!self.problem.counts_less()).then(|| self.problem.length_of(now.cost)),
            gap: self.gap(now),
            best_iteration: now.best_iteration,
            best_seconds: now.best_seconds,
            phase: now.phase as usize,
            algorithm: self.algorithm(now),
            round: now.round,
            device_lost: now.device_lost,
            ended: None,
        }
    }
}

#[cfg(test)]
mod tests;
