//! What a person sees during a run: a bar on a terminal, plain lines in a pipe.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use myrmex::{Progress, Stop};

use crate::print::errln;

/// Seconds between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(1);

pub enum Display {
    Quiet,
    Lines { began: Instant, last: Option<Instant> },
    Bar { bar: ProgressBar, began: Instant, limit: Option<Duration>, iterations: Option<u32> },
}

impl Display {
    pub fn new(quiet: bool, stop: &Stop) -> Self {
        let began = Instant::now();
        if quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines { began, last: None };
        }
        let bar = ProgressBar::new(1000);
        let style =
            ProgressStyle::with_template("{elapsed:>4} [{bar:30}] {msg}").map(|style| style.progress_chars("=> "));
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self::Bar { bar, began, limit: stop.time, iterations: stop.iterations }
    }

    pub fn show(&mut self, now: &Progress) {
        match self {
            Self::Quiet => {}
            Self::Lines { began, last } => {
                if last.is_none_or(|last| last.elapsed() >= LINE_EVERY) {
                    *last = Some(Instant::now());
                    errln!("{}", line(now, began.elapsed()));
                }
            }
            Self::Bar { bar, began, limit, iterations } => {
                let by_time = limit.map_or(0.0, |limit| began.elapsed().as_secs_f64() / limit.as_secs_f64().max(1e-9));
                let by_count = iterations.map_or(0.0, |all| f64::from(now.iteration) / f64::from(all.max(1)));
                let share = by_time.max(by_count).min(1.0);
                bar.set_position((share * 1000.0) as u64);
                let left = match share > 0.0 {
                    true => format!(", {:.0} s left", began.elapsed().as_secs_f64() * (1.0 / share - 1.0)),
                    false => String::new(),
                };
                bar.set_message(format!("{}{left}", line(now, began.elapsed())));
            }
        }
    }

    pub fn finish(&mut self) {
        if let Self::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }
}

fn line(now: &Progress, elapsed: Duration) -> String {
    let rate = f64::from(now.iteration) / elapsed.as_secs_f64().max(1e-9);
    // Of several colonies the best may be further on than the last.
    let since = match now.best_iteration <= now.iteration {
        true => format!(" (iteration {})", now.best_iteration),
        false => String::new(),
    };
    format!("iteration {}, best {}{since}, {rate:.0}/s", now.iteration, now.cost)
}
