//! How ranks begin a run: each tells what it has, rank 0 compares it and tells all.

use std::ops::ControlFlow::{Break, Continue};

use web_time::Instant;
use xxhash_rust::xxh3::xxh3_64;

use super::{Among, Group, Hello, Message, Transport, Welcome};
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem};
use crate::run::devices::Devices;
use crate::run::migration::NextMigration;
use crate::run::setup::{advised, begun_with, check_settings, first_solution};
use crate::run::{Solver, Stop, Target};
use crate::settings::{Effort, OnDeviceLost, Settings};

impl Solver {
    /// As [`Solver::new`], or as [`Solver::with_start`], on the devices of several processes together, which `transport` connects. Each calls it
    /// with the same problem and settings, and with its own devices as the target; then each calls [`Solver::run`] once, with the rules of `stop`,
    /// which are to be the same, too. Rank 0 has the solution of all; what the others find is that of their own colonies.
    ///
    /// # Errors
    /// As those, and [`Error::Rank`] where ranks have different problems, settings or rules, or another one fails.
    #[doc(hidden)]
    pub fn among(
        problem: impl Into<Problem>,
        settings: &Settings,
        target: Target,
        start: Option<&[u32]>,
        stop: &Stop,
        transport: Box<dyn Transport>,
    ) -> Result<Self> {
        let problem = problem.into();
        let mut group = Group::new(transport);
        match advised(target, |target| Self::begin_among(&problem, settings, target, (start, stop), &mut group)) {
            Ok(mut solver) => {
                group.moves = solver.migration.is_some();
                let meets = NextMigration::Iterations { every: super::MEETS_EVERY, next: super::MEETS_EVERY };
                solver.migration.get_or_insert(meets);
                // What is so small that all solutions are tried at once needs no other rank.
                if !solver.form.problem().is_trivial() {
                    solver.group = Some(group);
                } else {
                    group.left = true;
                }
                Ok(solver)
            }
            Err(error) => {
                group.leave(&error.to_string());
                Err(error)
            }
        }
    }

    fn begin_among(
        problem: &Problem,
        settings: &Settings,
        target: Target,
        (start, stop): (Option<&[u32]>, &Stop),
        group: &mut Group,
    ) -> Result<Self> {
        let started = Instant::now();
        let form = match start {
            Some(start) => settings.form_from(problem, start)?,
            None => settings.form(problem)?,
        };
        check_settings(settings, &form, &target, group.count())?;
        let given = start.map(|start| form.own_solution(start)).transpose()?;
        let mut devices = Devices::open(target, settings.on_device_lost)?;
        let hello = hello(&form, settings, (start, stop), &devices, group)?;
        devices.join(group.introduce(hello)?);
        let (settings, recipe) = devices.recipe(settings, &form)?;
        let start = match given {
            Some(given) => begun_with(given, &recipe, form.problem())?,
            None => (first_solution(recipe.phases[0].begins, form.problem()), false),
        };
        Self::begin(started, form, (settings, recipe), devices, start)
    }
}

/// Tells the other ranks that this one ends with an error before it has a solver.
pub fn give_up(transport: Box<dyn Transport>, why: &Error) {
    Group::new(transport).leave(&why.to_string());
}

/// What this rank has.
fn hello(
    form: &Form,
    settings: &Settings,
    (start, stop): (Option<&[u32]>, &Stop),
    devices: &Devices,
    group: &Group,
) -> Result<Hello> {
    let problem = form.original();
    let words: Vec<u8> = start.unwrap_or_default().iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(Hello {
        program: env!("CARGO_PKG_VERSION").into(),
        machine: group.transport.machine().to_owned(),
        problem: format!("'{}' of size {}", problem.name(), problem.len()),
        fingerprint: problem.fingerprint(),
        // It changes nothing as long as nothing fails, and is for GPUs alone.
        settings: serde_json::to_string(&Settings { on_device_lost: OnDeviceLost::Stop, ..*settings })
            .map_err(|error| Error::Fault(format!("settings have no JSON: {error}")))?,
        start: xxh3_64(&words),
        ends: rules(stop),
        suits: devices.suits(),
        devices: devices.own_shares(),
    })
}

/// The rules that end a run in words which are the same on every rank; moments and tokens are each rank's own.
fn rules(stop: &Stop) -> String {
    let Stop { iterations, cost, target, stagnation, stagnation_time, rounds, .. } = stop;
    let times = (stop.shortest_time(), stagnation_time);
    format!("{:?}", (iterations, cost, target, stagnation, rounds, times))
}

impl Hello {
    /// What keeps a rank from working with rank 0, if anything does.
    fn differs(&self, first: &Self) -> Option<String> {
        if self.program != first.program {
            return Some(format!(
                "runs version {}, rank 0 on {} version {}; start the same program everywhere",
                self.program, first.machine, first.program
            ));
        }
        if self.fingerprint != first.fingerprint {
            return Some(format!(
                "has another problem, {}, than rank 0 on {}, {}; every rank must read the same file in the same way",
                self.problem, first.machine, first.problem
            ));
        }
        let what = if self.settings != first.settings {
            "other settings"
        } else if self.start != first.start {
            "another solution to begin with"
        } else if self.ends != first.ends {
            "other rules that end the run"
        } else {
            return None;
        };
        Some(format!("has {what} than rank 0 on {}; start every rank with the same words and files", first.machine))
    }
}

impl Group {
    pub fn new(transport: Box<dyn Transport>) -> Self {
        Self {
            transport,
            arrived: Default::default(),
            machines: Vec::new(),
            moves: true,
            called: None,
            over: None,
            left: false,
            gone: None,
            done: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Tells rank 0 what this rank has, and gets to know what all have.
    fn introduce(&mut self, hello: Hello) -> Result<Among> {
        let rank = self.rank();
        let welcome = match rank {
            0 => self.welcome(hello)?,
            _ => {
                self.send(0, &Message::Hello(hello), &[]);
                let welcome = |arrived| match arrived {
                    (_, Message::Welcome(welcome), _) => Break(welcome),
                    other => Continue(other),
                };
                self.wait(welcome, |_| {})?
            }
        };
        let all = welcome.devices;
        let machine = |rank| all.iter().find(|share| share.rank == Some(rank)).and_then(|share| share.machine.clone());
        self.machines = (0..self.count()).map(|rank| machine(rank).unwrap_or_default()).collect();
        let first = all.iter().take_while(|share| share.rank != Some(rank)).count();
        Ok(Among { first, suits: welcome.suits, all })
    }

    /// Waits for what all have, and tells it to all.
    fn welcome(&mut self, own: Hello) -> Result<Welcome> {
        let mut all = vec![Some(own)];
        all.resize_with(self.count(), || None);
        while all.iter().any(Option::is_none) {
            let hello = |arrived| match arrived {
                (from, Message::Hello(hello), _) => Break((from, hello)),
                other => Continue(other),
            };
            let (from, hello) = self.wait(hello, |_| {})?;
            all[from] = Some(hello);
        }
        let all: Vec<Hello> = all.into_iter().flatten().collect();
        for (rank, hello) in all.iter().enumerate() {
            if let Some(message) = hello.differs(&all[0]) {
                let error = Error::Rank { rank, machine: hello.machine.clone(), message };
                return Err(self.broken(error));
            }
        }
        let suits = all.iter().map(|hello| hello.suits).min().unwrap_or(Effort::Standard);
        let mut devices = Vec::new();
        for (rank, hello) in all.into_iter().enumerate() {
            for share in hello.devices {
                devices.push(crate::run::DeviceShare {
                    rank: Some(rank),
                    machine: Some(hello.machine.clone()),
                    ..share
                });
            }
        }
        let welcome = Welcome { suits, devices };
        self.send_to_others(&Message::Welcome(welcome.clone()));
        Ok(welcome)
    }
}
