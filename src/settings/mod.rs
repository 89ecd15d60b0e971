//! What a person says of a run, and the one resolver that makes a [`Recipe`] of it.
//!
//! [`Settings`] leave open what nobody asked for. [`Settings::recipe`] fills every gap from the problem (and, where the effort asks for
//! that, from the device), checks ranges and combinations, and refuses what means nothing to the algorithm that runs. The command
//! line without options, the algorithm `auto` and [`Settings::default`] are the same.

use crate::algorithm::choices::{Topology, choice};
pub use crate::algorithm::value::Value;
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem, Shape, ShapeKind};
use crate::instance::qap;

mod algorithm;
mod asked;
mod assignments;
mod automatic;
mod by_name;
mod construct;
mod parameter;
mod passes;
mod presets;
mod recipe;
mod request;
mod serialized;
mod several;
mod system;
mod tours;

pub use algorithm::Algorithm;
pub use asked::{
    AntColonySystem, AntSystem, Chained, Colonies, Cunning, Eax, Execution, Faco, LkEax, MaxMin, Memetic, Windows,
};
use assignments::Assignments;
use automatic::{automatic, bits_too_many};
use construct::Tours;
use parameter::Named;
pub use parameter::Parameter;
pub(crate) use passes::Pass;
pub use presets::{PRESETS, Preset};
pub use recipe::{Begins, CrossoverWindows, Ends, Every, Migration, Phase, Recipe, Restart};
pub use request::{AskedFor, Request};
pub use system::System;
use tours::Improved;
pub(crate) use tours::MOST_EAX_WINDOWS;

choice! {
    /// How much is done side by side where nobody says: windows, individuals, units.
    #[derive(Default, PartialOrd, Ord, serde::Deserialize)]
    Effort {
        /// What suits the device: `Large` for a large GPU, `Small` for a processor (the CPU, software adapters), `Standard` for other GPUs.
        #[default]
        Auto = "auto",
        /// What a processor gets through, which searches few windows at a time.
        Small = "small",
        /// What the instance alone suggests: the same on every device.
        Standard = "standard",
        /// What fills a large GPU.
        Large = "large",
    }
}

choice! {
    /// What a run does when its device fails: lost, or with wrong answers.
    #[derive(Default)]
    OnDeviceLost {
        /// It ends with [`Error::Device`]; `Solver::salvage` has the best solution so far.
        #[default]
        Stop = "stop",
        /// It goes on on the CPU, from the best solution that the host has a copy of: the phases begin again with it. Reports tell so. From then on
        /// it no longer holds that a seed gives one solution everywhere.
        Cpu = "cpu",
    }
}

/// What to run. What is left open is resolved from the problem, see [`Settings::recipe`].
///
/// ```
/// use myrmex::{MaxMin, Settings};
///
/// let default = Settings::default();
/// let ants = Settings { seed: 7, ..Settings::of(MaxMin { ants: Some(64), ..MaxMin::default() }) };
/// let same = Settings::named("mmas")?.with("ants", "64")?.seed(7);
/// assert_eq!(ants, same);
/// # Ok::<(), myrmex::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The algorithm with its parameters.
    pub algorithm: Algorithm,
    /// Same recipe, seed and iterations: same solution, on every device (except with relaxed local updates, colonies that give on their bests by the
    /// clock, and where the CPU has taken over from a device that failed).
    pub seed: u64,
    /// How much is done side by side.
    pub effort: Effort,
    /// Several colonies, which pass on their bests.
    pub colonies: Colonies,
    /// How a device runs ants that construct.
    pub execution: Execution,
    /// What happens when the device fails. It is no part of the recipe.
    pub on_device_lost: OnDeviceLost,
}

impl Default for Settings {
    /// The default algorithm with seed 1.
    fn default() -> Self {
        Self::of(Algorithm::Auto)
    }
}

impl Settings {
    /// Settings for an algorithm, with seed 1.
    pub fn of(algorithm: impl Into<Algorithm>) -> Self {
        Self {
            algorithm: algorithm.into(),
            seed: 1,
            effort: Effort::Auto,
            colonies: Colonies::default(),
            execution: Execution::default(),
            on_device_lost: OnDeviceLost::Stop,
        }
    }

    /// Settings for the algorithm of this name (see [`Algorithm::NAMES`]) with everything left open.
    ///
    /// # Errors
    /// [`Error::Config`] with the names that there are.
    pub fn named(name: &str) -> Result<Self> {
        let unknown = || {
            let names = Algorithm::NAMES.join(", ");
            Error::Config(match Preset::find(name).is_ok() {
                true => format!("'{name}' is no algorithm, but a preset; algorithms are {names}"),
                false => format!("there is no algorithm '{name}'; choose one of {names}"),
            })
        };
        Ok(Self::of(Algorithm::named(name).ok_or_else(unknown)?))
    }

    /// The same with another seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same for a run that ends after a number of iterations, where there is one: [`Effort::Auto`] is then [`Effort::Standard`], which
    /// follows from the instance alone, so that the run can be repeated on any device.
    #[must_use]
    pub fn for_iterations(self, iterations: Option<u32>) -> Self {
        match (self.effort, iterations) {
            (Effort::Auto, Some(_)) => Self { effort: Effort::Standard, ..self },
            _ => self,
        }
    }

    /// Everything that is given by name: parameters of the algorithm, of several colonies, of execution.
    pub fn given(&self) -> Vec<(&'static str, Value)> {
        [self.algorithm.given(), self.colonies.given(), self.execution.given()].concat()
    }
}

/// The most cities, twice as many where asymmetric distances are made symmetric, and the gap of an open path.
const MOST_CITIES: usize = (1 << 25) + 2;
/// The most colonies.
const MAX_COLONIES: u32 = 256;
/// Iterations between migrations when not asked for; `docs/results` has the measurements.
const DEFAULT_MIGRATION: u32 = 50;

/// What to say where a shape alone is to choose an algorithm.
fn nothing_to_choose_by() -> Error {
    Error::Config("algorithm 'auto' is chosen for a problem: ask for the recipe of one, or name an algorithm".into())
}

impl Settings {
    /// The same with [`Algorithm::Auto`] replaced by what it stands for on `problem`, whose parameters can then be given.
    #[must_use]
    pub fn for_problem(mut self, problem: &Problem) -> Self {
        if self.algorithm == Algorithm::Auto {
            self.algorithm = automatic(problem);
        }
        self
    }

    /// What will run on `problem`, nothing left open, on a device that `suits`: the effort that [`Effort::Auto`] stands for
    /// ([`Effort::Auto`] itself is [`Effort::Standard`]).
    ///
    /// # Errors
    /// [`Error::Config`] for a parameter out of its range, for a combination that makes no sense and for what means nothing to the
    /// algorithm, each with the reason and the remedy.
    pub fn recipe(&self, problem: &Problem, suits: Effort) -> Result<Recipe> {
        let asked = self.for_problem(problem);
        let form = asked.form_of_shape(problem)?;
        let shape = form.problem().shape();
        let doubled = asked.algorithm.needs_symmetry() && matches!(shape.kind, ShapeKind::Tour { directed: true, .. });
        let recipe = asked.recipe_for_shape(&if doubled { shape.doubled() } else { shape }, suits)?;
        Ok(Recipe { cost_unit: form.unit(), ..recipe })
    }

    /// A form that tells the shape of that which kernels know, on which a recipe depends, and the unit; but for the unit of asymmetric distances, which is
    /// known when a solver makes them symmetric. That takes long.
    fn form_of_shape(&self, problem: &Problem) -> Result<Form> {
        self.form_by(problem, |problem, _| problem.form(false))
    }

    /// The problem in the form that kernels of the algorithm know.
    ///
    /// # Errors
    /// [`Error::Instance`] where that algorithm cannot take it.
    pub(crate) fn form(&self, problem: &Problem) -> Result<Form> {
        self.form_by(problem, Problem::form)
    }

    /// The same with each city a city of its own, however many lie in one place.
    ///
    /// # Errors
    /// As [`Settings::form`].
    pub(crate) fn form_apart(&self, problem: &Problem) -> Result<Form> {
        self.form_by(problem, Problem::form_apart)
    }

    /// The form that `form` makes of a problem, and of whether the algorithm takes symmetric distances only; in a larger unit where the algorithm cannot
    /// count otherwise.
    fn form_by(&self, problem: &Problem, form: impl Fn(&Problem, bool) -> Result<Form>) -> Result<Form> {
        let algorithm = self.for_problem(problem).algorithm;
        let symmetric = algorithm.needs_symmetry();
        let exact = || form(problem, symmetric);
        let Some(bits) = bits_too_many(&algorithm, problem).filter(|bits| *bits > 0) else { return exact() };
        let larger = || Ok(form(&problem.in_larger_unit(bits)?, symmetric)?.in_larger_unit_of(problem, bits));
        // Of asymmetric distances it is what is left of them that counts, and where all solutions are tried they are compared as they are.
        match problem {
            Problem::Tsp(instance) if !instance.is_symmetric() => exact().or_else(|_| larger()),
            _ => {
                let larger = larger()?;
                if larger.problem().is_trivial() { exact() } else { Ok(larger) }
            }
        }
    }

    /// The form in which a run goes on from a solution: that in which it costs no more than it does.
    ///
    /// # Errors
    /// As [`Settings::form`]; [`Error::Tour`] and [`Error::Assignment`] when it is none.
    pub(crate) fn form_from(&self, problem: &Problem, solution: &[u32]) -> Result<Form> {
        let form = self.form(problem)?;
        let own_solution = form.own_solution(solution)?;
        let own = form.problem().cost(&own_solution)?;
        // Cities in one place that lie apart can save what rounding of distances leaves.
        let costs_more =
            !form.is_apart() && form.exact_cost(&form.solution(own_solution), own) > problem.cost(solution)?;
        if costs_more { self.form_apart(problem) } else { Ok(form) }
    }

    pub(crate) fn recipe_for_form(&self, form: &Form, suits: Effort) -> Result<Recipe> {
        let recipe = self.for_problem(form.original()).recipe_for_shape(&form.problem().shape(), suits)?;
        Ok(Recipe { cost_unit: form.unit(), ..recipe })
    }

    /// What will run on problems of this shape, for any algorithm but [`Algorithm::Auto`], which takes a problem to choose by.
    ///
    /// # Errors
    /// As [`Settings::recipe`]; [`Error::Config`] for a size that no problem has.
    pub fn recipe_for_shape(&self, shape: &Shape, suits: Effort) -> Result<Recipe> {
        let (most, parts) = match shape.kind {
            ShapeKind::Assignment { .. } => (qap::MAX_FACILITIES, "facilities"),
            ShapeKind::Tour { .. } => (MOST_CITIES, "cities"),
        };
        if !(1..=most).contains(&shape.size) {
            return Err(Error::Config(format!("a problem has 1 to {most} {parts}, not {}", shape.size)));
        }
        let effort = match (self.effort, suits) {
            (Effort::Auto, Effort::Auto) => Effort::Standard,
            (Effort::Auto, suits) => suits,
            (effort, _) => effort,
        };
        let algorithm = self.algorithm;
        let recipe = self.with_colonies(Recipe {
            size: shape.size,
            algorithm: algorithm.name(),
            effort,
            seed: self.seed,
            colonies: 1,
            migration: None,
            eax_up_to: None,
            windows: None,
            cost_unit: 1,
            phases: Vec::new(),
            restart: None,
        })?;
        match shape.kind {
            ShapeKind::Assignment { structure, asymmetric, empty, alike } => {
                let (facilities, seed, execution) = (shape.size, self.seed, &self.execution);
                let known = Assignments { facilities, structure, asymmetric, empty, alike, seed, effort, execution };
                self.for_assignments(&known, algorithm, recipe)
            }
            ShapeKind::Tour { directed, .. } => self.for_tours(shape, directed, algorithm, recipe),
        }
    }

    fn for_assignments(&self, assignments: &Assignments<'_>, algorithm: Algorithm, recipe: Recipe) -> Result<Recipe> {
        let construct = match &algorithm {
            Algorithm::Cas(asked) => assignments.cunning(asked)?,
            Algorithm::Memetic(asked) => assignments.memetic(asked)?,
            Algorithm::Mmas(asked) => assignments.max_min(asked)?,
            Algorithm::Auto => return Err(nothing_to_choose_by()),
            other => {
                let (name, those) = (other.name(), Algorithm::names_of(Algorithm::solves_assignments));
                return Err(Error::Config(format!(
                    "algorithm '{name}' solves tours; choose {} for assignments",
                    algorithm::either(&those)
                )));
            }
        };
        let (phase, restart) = assignments.phase(construct);
        Ok(Recipe { phases: vec![phase], restart, ..recipe })
    }

    fn for_tours(&self, shape: &Shape, directed: bool, algorithm: Algorithm, recipe: Recipe) -> Result<Recipe> {
        let (seed, execution, effort) = (self.seed, &self.execution, recipe.effort);
        let tours = Tours { shape, directed, seed, execution };
        let improved = Improved { shape, seed, effort, execution };
        if algorithm.needs_symmetry() {
            if directed {
                return Err(Error::Config(format!(
                    "algorithm '{}' takes asymmetric distances only after they are made symmetric: ask for the recipe of a problem, not \
                     of a shape",
                    algorithm.name()
                )));
            }
            if shape.is_doubled() && !matches!(algorithm, Algorithm::Eax(_)) {
                return Err(tours::refuse_directed(algorithm.name()));
            }
            let all: Vec<_> = Execution::PARAMETERS.iter().map(|parameter| parameter.name).collect();
            let reason = "which has one way to run and does not construct";
            construct::refuse_execution(execution, &all, &construct::named(algorithm.name()), reason)?;
        }
        let construct = match &algorithm {
            Algorithm::As(asked) => tours.ant_system(asked)?,
            Algorithm::Acs(asked) => tours.ant_colony_system(asked)?,
            Algorithm::Mmas(asked) => tours.max_min(asked)?,
            Algorithm::Faco(asked) => tours.faco(asked)?,
            Algorithm::Lk(asked) => return improved.lk(asked, recipe),
            Algorithm::Clk(asked) => return improved.clk(asked, recipe),
            Algorithm::Eax(asked) => return improved.eax(asked, recipe),
            Algorithm::LkEax(asked) => return improved.lk_eax(asked, recipe),
            Algorithm::Auto => return Err(nothing_to_choose_by()),
            Algorithm::Cas(_) | Algorithm::Memetic(_) => {
                let name = algorithm.name();
                return Err(Error::Config(format!(
                    "algorithm '{name}' solves assignments; leave it to 'auto' for tours ('myrmex parameters' lists all)"
                )));
            }
        };
        Ok(Recipe { phases: vec![Phase::alone(construct, Begins::NearestNeighbour)], ..recipe })
    }

    /// The recipe with colonies, iterations or seconds between migrations, and where solutions go.
    fn with_colonies(&self, recipe: Recipe) -> Result<Recipe> {
        let Colonies { colonies, migration, migration_time, topology } = self.colonies;
        let colonies = colonies.unwrap_or(1);
        crate::algorithm::range::whole("colonies", colonies, 1, MAX_COLONIES)?;
        let given = [
            ("migration", migration.is_some()),
            ("migration_time", migration_time.is_some()),
            ("topology", topology.is_some()),
        ];
        let given = given.into_iter().find_map(|(name, is_given)| is_given.then_some(name));
        if let Some(name) = given.filter(|_| colonies == 1) {
            return Err(Error::Config(format!(
                "one colony has no other to pass its best on to: ask for at least 2 colonies, or leave '{name}' out"
            )));
        }
        let every = match (migration, migration_time) {
            (Some(_), Some(_)) => {
                return Err(Error::Config(
                    "migration counts iterations, migration_time seconds: give one of them, and leave the other out"
                        .into(),
                ));
            }
            (_, Some(seconds)) if !(0.05..=3600.0).contains(&seconds) => {
                return Err(Error::Config(format!("migration_time must be 0.05 to 3600 seconds, not {seconds}")));
            }
            (_, Some(seconds)) => Some(Every::Seconds(seconds)),
            (every, None) => {
                let every = Some(every.unwrap_or(DEFAULT_MIGRATION)).filter(|&every| every > 0 && colonies > 1);
                every.map(Every::Iterations)
            }
        };
        if topology.is_some() && every.is_none() {
            return Err(Error::Config(
                "with migration=0 no solution migrates: leave 'topology' out, or let solutions migrate".into(),
            ));
        }
        let migration = every.map(|every| Migration { every, topology: topology.unwrap_or(Topology::Ring) });
        Ok(Recipe { colonies: colonies as usize, migration, ..recipe })
    }
}
