//! Checkpoints: a run between two iterations, apart from any device, to be resumed on the same one or another.

use std::path::Path;

use serde::{Deserialize, Serialize};
use web_time::Instant;
use xxhash_rust::xxh3::xxh3_64;

use super::clock::Clock;
use super::devices::{Devices, Failure, Part};
use super::lost::on_devices_or_cpu;
use super::migration::NextMigration;
use super::setup::advised;
use super::{Run, Shared, Solver, Target};
use crate::error::{Error, Result};
use crate::files::{write_file, write_file_again};
use crate::instance::problem::{Form, Problem};
use crate::settings::{OnDeviceLost, Recipe, Settings};

mod format;
mod keeper;
mod state;

pub(super) use keeper::Keeper;
pub(super) use state::{RecordState, RunState, Undo};

/// A run between two iterations: everything that its next iterations depend on. A run that goes on from it finds the same solutions as
/// one that was never stopped, on any device.
///
/// ```
/// use std::ops::ControlFlow;
/// use myrmex::{Checkpoint, Settings, Solver, Stop, Target, tsp::{Kind, generate}};
///
/// let instance = generate(Kind::Uniform, 100, 1)?;
/// let mut whole = Solver::new(&instance, &Settings::default(), Target::Cpu)?;
/// let expected = whole.run(&Stop::iterations(40))?;
///
/// let mut first = Solver::new(&instance, &Settings::default(), Target::Cpu)?;
/// first.run(&Stop::iterations(15))?;
/// let bytes = first.checkpoint()?.to_bytes()?;
/// let mut resumed = Solver::resume(&instance, Checkpoint::from_bytes(&bytes)?, Target::Cpu)?;
/// assert_eq!(resumed.progress().iteration, 15);
/// let found = resumed.run(&Stop::iterations(40))?;
/// assert_eq!(found.permutation, expected.permutation);
/// # Ok::<(), myrmex::Error>(())
/// ```
///
/// It is no type of serde: its bytes ([`Checkpoint::to_bytes`]) have all that there is.
#[derive(Clone, Debug)]
pub struct Checkpoint(Content);

/// What is in a checkpoint; the words of its runs stand behind it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Content {
    /// The version of the program that made it.
    program: String,
    instance: Known,
    /// Whether each city is a city of its own in the run's form, however many lie in one place.
    apart: bool,
    settings: Settings,
    /// Tells the recipe from others.
    recipe: u64,
    backend: String,
    device: String,
    seconds: f64,
    /// The iteration of the next migration.
    migration: Option<u32>,
    runs: Vec<RunState>,
}

/// An instance, as far as it is known again.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Known {
    name: String,
    size: usize,
    fingerprint: u64,
}

/// Where a resumed run went on from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Resumed {
    /// The iterations that were made before.
    pub iteration: u32,
    /// The seconds that the run had taken.
    pub seconds: f64,
}

impl Checkpoint {
    /// The settings of the run, the algorithm and the effort chosen.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The same, but this happens when the device of the run that goes on from it fails.
    #[must_use]
    pub fn with_on_device_lost(mut self, on_device_lost: OnDeviceLost) -> Self {
        self.0.settings.on_device_lost = on_device_lost;
        self
    }

    /// Iterations that every colony has made.
    pub fn iterations(&self) -> u32 {
        self.0.runs.iter().map(|run| run.progress.iteration).min().unwrap_or_default()
    }

    /// Seconds that the run had taken.
    pub fn seconds(&self) -> f64 {
        self.0.seconds
    }

    /// The name of its instance.
    pub fn instance(&self) -> &str {
        &self.0.instance.name
    }

    /// The best solution so far of `problem`, which it is of.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] when it is of another one.
    pub fn solution(&self, problem: &Problem) -> Result<Vec<u32>> {
        self.check(problem)?;
        let form = self.form(problem)?;
        let best = self.0.runs.iter().min_by_key(|run| run.kept_cost);
        let best = best.filter(|run| form.problem().cost(&run.kept).is_ok());
        let none = || Error::Checkpoint("it has no solution; take an earlier one, or begin the run again".into());
        Ok(form.solution(best.ok_or_else(none)?.kept.clone()))
    }

    /// The form that the run had.
    fn form(&self, problem: &Problem) -> Result<Form> {
        if self.0.apart { self.0.settings.form_apart(problem) } else { self.0.settings.form(problem) }
    }

    /// Reads one from a file.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Checkpoint`] for a file that is none, is damaged, or is of another version.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
        Self::from_bytes(&bytes).map_err(|error| match error {
            Error::Checkpoint(message) => Error::Checkpoint(format!("{}: {message}", path.display())),
            other => other,
        })
    }

    /// Writes it to a file, which appears whole: an earlier one stays until then.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let bytes = self.to_bytes()?;
        write_file(path, |out| out.write_all(&bytes))
    }

    /// The same of one of many, of which the next one is written soon.
    fn save_on_the_way(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes()?;
        write_file_again(path, |out| out.write_all(&bytes))
    }

    /// Checks that it is of this problem.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] when it is of another one.
    pub fn check(&self, problem: &Problem) -> Result<()> {
        let Known { name, size, fingerprint } = &self.0.instance;
        if problem.fingerprint() == *fingerprint {
            return Ok(());
        }
        if (name.as_str(), *size) == (problem.name(), problem.len()) {
            return Err(Error::Checkpoint(format!(
                "it is of another instance that is called '{name}' and has size {size}, too: distances or entries differ; give the file that \
                 the run began with, read in the same way (metric, open path, fixed edges or facilities)"
            )));
        }
        Err(Error::Checkpoint(format!(
            "it is of another instance: '{name}' of size {size}, not '{}' of size {}; give the file that the run began with, read \
             in the same way (metric, open path, fixed edges or facilities)",
            problem.name(),
            problem.len()
        )))
    }
}

/// Tells recipes apart, by what reports say of them.
fn fingerprint(recipe: &Recipe) -> Result<u64> {
    let told = serde_json::to_vec(recipe).map_err(|error| Error::Fault(format!("a recipe has no JSON: {error}")))?;
    Ok(xxh3_64(&told))
}

impl Solver {
    /// The run as it is after its last whole iteration, to go on from later or elsewhere ([`Solver::resume`]).
    ///
    /// Where an iteration is under way it is finished first, which may take as long as an iteration takes. With
    /// [`Solver::keep_checkpoint`] it is not: then the checkpoint is of the state before it.
    ///
    /// # Errors
    /// [`Error::Device`] when the device fails, unless the run is to go on on the CPU then ([`Settings::on_device_lost`]).
    pub fn checkpoint(&mut self) -> Result<Checkpoint> {
        self.try_checkpoint().map_err(|failure| *failure.error)
    }

    pub(super) fn try_checkpoint(&mut self) -> Result<Checkpoint, Failure> {
        if let Some(keeper) = &mut self.keeper {
            keeper.wait();
        }
        // A device that fails is left for the CPU, which does not.
        let runs = loop {
            self.leave_lost_devices()?;
            match self.states() {
                Ok(runs) => break runs,
                Err(failure) => self.lose_device(failure)?,
            }
        };
        Ok(Checkpoint(Content {
            program: env!("CARGO_PKG_VERSION").into(),
            instance: Known {
                name: self.form.original().name().into(),
                size: self.form.original().len(),
                fingerprint: self.fingerprint(),
            },
            apart: self.form.is_apart(),
            settings: self.settings,
            recipe: fingerprint(&self.recipe)?,
            backend: self.backend().name().into(),
            device: self.device().into(),
            seconds: self.clock.seconds(),
            migration: self.migration.and_then(|migration| migration.limit()),
            runs,
        }))
    }

    fn states(&mut self) -> Result<Vec<RunState>, Failure> {
        let Self { devices, runs, .. } = self;
        let states = match &mut runs[..] {
            [one] => vec![one.state()],
            all => {
                let each = all.iter_mut().enumerate().map(|(colony, run)| (devices.of_colony(colony), run));
                devices.each(each, Run::state)
            }
        };
        states.into_iter().enumerate().map(|(run, state)| state.map_err(|error| self.failure(run, error))).collect()
    }

    fn fingerprint(&mut self) -> u64 {
        *self.fingerprint.get_or_insert_with(|| self.form.original().fingerprint())
    }

    /// A solver that goes on from a checkpoint, on any target: it finds what the run would have found without a stop.
    ///
    /// `problem` is the one that the run began with. Iterations and seconds count on: [`Stop::iterations`](super::Stop::iterations) is of all of
    /// them, those before included, while a time limit begins with the call of [`Solver::run`].
    ///
    /// # Errors
    /// [`Error::Checkpoint`] when it is of another problem, or of a version whose defaults were others; as [`Solver::new`].
    pub fn resume(problem: impl Into<Problem>, checkpoint: Checkpoint, target: Target) -> Result<Self> {
        let began = Instant::now();
        let problem = problem.into();
        checkpoint.check(&problem)?;
        let form = checkpoint.form(&problem)?;
        let recipe = checkpoint.0.settings.recipe_for_form(&form, crate::settings::Effort::Standard)?;
        if fingerprint(&recipe)? != checkpoint.0.recipe {
            return Err(Error::Checkpoint(format!(
                "version {} of the program made it, whose recipe for the same settings was another one; go on with that version",
                checkpoint.0.program
            )));
        }
        advised(target, |target| {
            let devices = Devices::open(target, checkpoint.0.settings.on_device_lost)?;
            if recipe.windows.is_none() && recipe.colonies < devices.len() && !form.problem().is_trivial() {
                return Err(Error::Config(format!(
                    "the run that goes on has {} colonies, fewer than the {} devices; name no more devices than colonies",
                    recipe.colonies,
                    devices.len()
                )));
            }
            Self::go_on(began, form, recipe, devices, checkpoint)
        })
    }

    pub(super) fn go_on(
        began: Instant,
        form: Form,
        recipe: Recipe,
        devices: Devices,
        checkpoint: Checkpoint,
    ) -> Result<Self> {
        let problem = form.problem();
        let resumed = Resumed { iteration: checkpoint.iterations(), seconds: checkpoint.0.seconds };
        let clock = Clock { began, before: checkpoint.0.seconds };
        let colonies = if problem.is_trivial() { 1 } else { recipe.colonies };
        if checkpoint.0.runs.len() != colonies {
            return Err(Error::Checkpoint(format!(
                "it has {} colonies, its recipe {colonies}",
                checkpoint.0.runs.len()
            )));
        }
        let kept = Shared::default();
        let run = |part: Part| {
            let state = checkpoint.0.runs[part.colony].clone();
            Run::restored(clock, problem, part, state, kept.clone())
        };
        let make = |devices: &Devices| devices.runs(&recipe, (0..colonies).collect(), run);
        let (runs, devices, lost) = on_devices_or_cpu(checkpoint.0.settings.on_device_lost, clock, devices, make)?;
        let settings = checkpoint.0.settings;
        let mut solver = Self::of(form, (settings, recipe), devices, (runs, kept), clock);
        if let (Some(NextMigration::Iterations { next, .. }), Some(known)) =
            (&mut solver.migration, checkpoint.0.migration)
        {
            *next = known;
        }
        let fingerprint = Some(checkpoint.0.instance.fingerprint);
        Ok(Self { lost, fingerprint, resumed: Some(resumed), ..solver })
    }

    /// Where the run went on from, if it was resumed.
    pub fn resumed(&self) -> Option<Resumed> {
        self.resumed
    }
}
