//! From an instance, a configuration and a device's capabilities to sizes: everything that is decided before the first
//! buffer exists, as data.
//!
//! What depends on the device (strategy, tabu list, lanes, budgets, where a tour is held) changes no result; what changes
//! results depends on the instance and the configuration alone (`System`).

use serde::Serialize;

use super::assemble::AssemblyPlan;
use super::buffers::BufferPlan;
use super::exchange_search::ExchangePlan;
use super::lin_kernighan;
use super::patch_order::PatchPlan;
use super::two_opt::SearchMemory;
use crate::aco::config::{Algorithm, Assignment, Config, LocalSearch, LocalUpdate, Memory, Selection, Strategy, Tabu};
use crate::aco::fixed;
use crate::aco::focused::MOST_COST;
use crate::aco::system::{MAX_CITIES, Parameters, System};
use crate::backend::{Capabilities, too_large};
use crate::error::{Error, Result};
use crate::problem::{Rounding, Shape, ShapeKind};

/// The most lanes of a workgroup that may be asked for.
const MOST_LANES: u32 = 1024;
/// The most neighbours a local search looks at.
const MAX_NEIGHBOURS: usize = 32;
/// Of steps beyond the candidates on TSPLIB instances nine in ten find a city among these (`docs/kernels/construct.md`).
const NEARBY: usize = 224;
/// Of tours of more cities a processor holds few at a time, where it tells nothing of its memory.
const FEW_TOURS: usize = 3_000;
/// Of tours of no more cities it holds three.
const THREE_TOURS: usize = 3_400;
/// Tours of no more cities take so little memory that twice the lanes fit beside all other ants, where memory is told.
const SHORT_TOUR: usize = 1_500;
/// Tours of more cities are long to reverse: it takes more lanes.
const LONG_TOUR: usize = 8000;
/// List compression and selective memories need one 16-bit number that is no city.
const MAX_LISTED_CITIES: usize = 65_535;

/// All sizes of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Cities.
    pub cities: usize,
    /// The ant system.
    pub system: System,
    /// Neighbours of a city that local search looks at.
    pub neighbours: usize,
    /// Cost of the solution that the colony begins with, which sets the first trail limits: of the nearest-neighbour tour, of greedy edges
    /// or along a space-filling order for focused ants, or the one that was given.
    pub reference_cost: u64,
    /// How distances come from coordinates in whole numbers; `None`: from a matrix. (Patches have their own.)
    pub rounding: Option<Rounding>,
    /// Whether ants that place a stretch anew take over the first best tour from the first iteration on.
    pub begun: bool,
    /// How ants are laid over invocations in construction.
    pub strategy: Strategy,
    /// How ants keep their visited cities.
    pub tabu: Tabu,
    /// Invocations a workgroup: construction, trail update, local search, sums over a tour, single workgroups.
    pub construct_lanes: u32,
    #[expect(missing_docs, reason = "documented with construct_lanes")]
    pub row_lanes: u32,
    #[expect(missing_docs, reason = "documented with construct_lanes")]
    pub search_lanes: u32,
    #[expect(missing_docs, reason = "documented with construct_lanes")]
    pub sweep_lanes: u32,
    #[expect(missing_docs, reason = "documented with construct_lanes")]
    pub single_lanes: u32,
    /// Lanes of a subgroup, where construction compares or adds up inside subgroups.
    pub subgroup: Option<u32>,
    /// Whether visited cities may be kept in registers that all lanes of a subgroup ask for.
    pub quick_exchange: bool,
    /// Whether looks beyond candidate lists take several cities at a time, whose loads are on their way together. A software adapter
    /// does not wait for loads, and looks at more than it needs to then.
    pub wide: bool,
    /// Lanes of a subgroup, where a local search of tours finds its least inside subgroups first.
    pub search_subgroup: Option<u32>,
    /// How assignments are searched; `None` for tours, and without a search.
    pub exchange: Option<ExchangePlan>,
    /// How focused ants' patches are laid out; `None` for ants that construct.
    pub patch: Option<PatchPlan>,
    /// How ants assemble tours from those of others; `None` for all other ants.
    pub assembly: Option<AssemblyPlan>,
    /// Positions between two cities, along the tour, up to which a Lin-Kernighan search takes the path between them for not long.
    pub long_path: u32,
    /// Where local search holds tour and queue.
    pub search_memory: SearchMemory,
    /// Loop turns an invocation may spend in one dispatch.
    pub loop_budget: u32,
    /// Ants of one invocation each that a software adapter runs in one thread, so that they share its loop turns.
    pub ants_a_thread: u32,
    /// Whether kernels end their work in one call whatever the budget.
    pub unbounded_calls: bool,
}

impl Plan {
    /// The same plan for ants that begin with a tour that is worth taking over.
    pub fn begun(self) -> Self {
        Self { begun: self.system.focus > 0, ..self }
    }

    /// The plan for an instance of this shape for which a simple solution costs `reference_cost`.
    ///
    /// # Errors
    /// [`Error::Config`] for a parameter out of range or a combination that makes no sense, [`Error::TooLarge`] when a
    /// buffer is beyond the device's limit.
    pub fn new(shape: &Shape, reference_cost: u64, config: &Config, device: &Capabilities) -> Result<Self> {
        let cities = shape.size;
        let system = System::new(shape, config)?;
        // Powers of two, whatever a device's limit.
        let most = 1 << device.workgroup_invocations.max(1).ilog2();
        let lanes = |wide: u32| if device.wide { wide.min(most) } else { 8 };
        let strategy = config.strategy.unwrap_or(Strategy::Fine);
        let listed = system.full && system.selection == Selection::Rwm && cities <= MAX_LISTED_CITIES;
        let tabu = config.tabu.unwrap_or(if listed && device.wide { Tabu::Ct } else { Tabu::Bt });
        let construct_lanes = match config.lanes {
            None => lanes(construct_lanes(cities, &system, strategy)),
            Some(wanted) => {
                let wheel = strategy == Strategy::Fine && system.selection == Selection::Rwm;
                let least = if wheel || config.assignment == Some(Assignment::Mata) { 2 } else { 1 };
                if !(least..=MOST_LANES).contains(&wanted) || !wanted.is_power_of_two() {
                    let range = format!("{least} to {MOST_LANES}");
                    return Err(Error::Config(format!("lanes must be a power of two from {range}, not {wanted}")));
                }
                wanted
            }
        };
        let search_lanes = lanes(match system.local_search {
            // Long reversals in storage.
            LocalSearch::LinKernighan if cities > LONG_TOUR => 128,
            LocalSearch::LinKernighan => 32,
            // Long reversals, and processors that hold few tours; three at a time have no registers for so many lanes of Or-opt.
            LocalSearch::OrOpt if cities <= THREE_TOURS => 256,
            _ if device.processors.is_none() && cities > FEW_TOURS => 512,
            // Who tells of its memory holds all ants' tours, and has lanes enough.
            LocalSearch::TwoOpt | LocalSearch::TwoHalfOpt if device.processors.is_some() && cities > SHORT_TOUR => 128,
            _ => 256,
        });
        let plan = Self {
            cities,
            system,
            neighbours: match (system.exchanges, system.local_search) {
                (Some(_), _) => 0,
                (_, LocalSearch::LinKernighan) => system.candidates.min(lin_kernighan::NEIGHBOURS),
                _ => system.candidates.min(MAX_NEIGHBOURS),
            },
            reference_cost,
            rounding: match shape.kind {
                ShapeKind::Tour { directed: false, rounding } if system.needs_no_matrix() => rounding,
                _ => None,
            },
            begun: false,
            strategy,
            tabu,
            construct_lanes,
            subgroup: device.subgroup_of(construct_lanes),
            quick_exchange: device.quick_exchange,
            wide: device.wide,
            row_lanes: lanes(if system.memory == Memory::Matrix { 128 } else { 32 }),
            search_lanes,
            long_path: lin_kernighan::LONG,
            search_subgroup: device.subgroup_of(search_lanes),
            sweep_lanes: lanes(64),
            single_lanes: lanes(256),
            exchange: system.exchanges.filter(|_| system.searches()).map(|exchanges| {
                ExchangePlan::new(cities, exchanges.asymmetric, (config.assignment, config.lanes), device)
            }),
            patch: match (system.parameters, shape.kind) {
                (Parameters::Focused(parameters), ShapeKind::Tour { rounding, .. }) if cities >= 4 => {
                    Some(PatchPlan::new(cities, &parameters, system.ants, rounding, device))
                }
                _ => None,
            },
            assembly: match system.parameters {
                Parameters::Assembly(parameters) => Some(AssemblyPlan::new(&parameters, cities, device)),
                _ => None,
            },
            search_memory: SearchMemory::choose(system.local_search, cities, system.ants, device),
            loop_budget: device.loop_budget,
            ants_a_thread: if device.wide || device.unbounded_calls { 1 } else { 8 },
            unbounded_calls: device.unbounded_calls,
        };
        plan.check(device)?;
        Ok(plan)
    }

    fn check(&self, device: &Capabilities) -> Result<()> {
        let too_large = |what, needed, limit| too_large(&device.device, what, needed, limit);
        let listed = self.tabu != Tabu::Bt || self.system.memory == Memory::Selective;
        let most = match (&self.patch, listed) {
            (Some(_), _) => usize::MAX,
            (None, true) => MAX_LISTED_CITIES,
            (None, false) => MAX_CITIES,
        };
        if self.cities > most {
            let limit = Error::TooLarge {
                device: device.device.clone(),
                what: format!("the instance for '{}'", self.system.algorithm()),
                needed: format!("{} cities", self.cities),
                limit: format!("{most} cities"),
                remedy: "use a smaller instance or, for symmetric tours, the default, focused ants".into(),
            };
            return Err(limit);
        }
        for BufferPlan { name, words } in self.buffers() {
            if words * 4 > device.buffer_bytes {
                let what = format!("buffer '{}' for {} cities and {} ants", name.name(), self.cities, self.system.ants);
                return Err(too_large(what, format!("{} bytes", words * 4), format!("{} bytes", device.buffer_bytes)));
            }
        }
        if let Some(patch) = &self.patch {
            let needs = (super::patch::longest_look(patch), super::patch::workgroup_bytes(patch));
            return self.check_search(("a look in a patch", needs.0, needs.1), device, too_large);
        }
        if self.assembly.is_some() {
            let needs = (super::assemble::longest_turn(self), super::assemble::workgroup_bytes(self));
            return self.check_search(("an attempt to assemble a tour", needs.0, needs.1), device, too_large);
        }
        let turns = super::construct::longest_step(self);
        if turns > self.loop_budget {
            let (needed, limit) = (format!("{turns} loop turns"), format!("{} loop turns", self.loop_budget));
            return Err(too_large(format!("a step with strategy '{}'", self.strategy), needed, limit));
        }
        if let Some(exchange) = &self.exchange {
            let (iteration, besides) = exchange.turns(self.cities);
            if iteration.saturating_add(besides) > self.loop_budget {
                let turns = iteration.saturating_add(besides);
                let (needed, limit) = (format!("{turns} loop turns"), format!("{} loop turns", self.loop_budget));
                let what = format!("an iteration of the search with assignment '{}'", exchange.assignment);
                return Err(too_large(what, needed, limit));
            }
            let memory = exchange.workgroup_bytes(self.cities);
            if memory > device.workgroup_bytes {
                let limit = format!("{} bytes", device.workgroup_bytes);
                return Err(too_large("workgroup memory for the search".into(), format!("{memory} bytes"), limit));
            }
        }
        if self.system.local_search == LocalSearch::LinKernighan && !self.unbounded_calls {
            let turns = lin_kernighan::longest_look(self);
            if turns > self.loop_budget {
                let (needed, limit) = (format!("{turns} loop turns"), format!("{} loop turns", self.loop_budget));
                return Err(too_large("a look of local search 'lk'".into(), needed, limit));
            }
        }
        let memory = super::construct::workgroup_bytes(self);
        if memory > device.workgroup_bytes {
            let limit = format!("{} bytes", device.workgroup_bytes);
            return Err(too_large("workgroup memory for the visited cities".into(), format!("{memory} bytes"), limit));
        }
        Ok(())
    }

    /// Checks what ants that have tours need for a turn of their search, called `what`: loop turns and workgroup memory.
    fn check_search(
        &self,
        (what, turns, memory): (&str, u32, u32),
        device: &Capabilities,
        too_large: impl Fn(String, String, String) -> Error,
    ) -> Result<()> {
        if turns > self.loop_budget {
            let (needed, limit) = (format!("{turns} loop turns"), format!("{} loop turns", self.loop_budget));
            return Err(too_large(what.into(), needed, limit));
        }
        if memory > device.workgroup_bytes {
            let limit = format!("{} bytes", device.workgroup_bytes);
            return Err(too_large(format!("workgroup memory for {what}"), format!("{memory} bytes"), limit));
        }
        // Gains within a tour are counted in 31 bits.
        if self.reference_cost >= MOST_COST {
            let needed = format!("cost {}", self.reference_cost);
            return Err(too_large("the first tour".into(), needed, format!("cost {MOST_COST}")));
        }
        Ok(())
    }

    /// How ants assemble tours.
    ///
    /// # Panics
    /// For other ants: only kernels of assembling ants ask.
    pub fn assembly(&self) -> &AssemblyPlan {
        self.assembly.as_ref().unwrap_or_else(|| panic!("the plan has no assembly of tours"))
    }

    /// How focused ants' patches are laid out.
    ///
    /// # Panics
    /// For ants that construct: only kernels of focused ants ask.
    pub fn patches(&self) -> &PatchPlan {
        self.patch.as_ref().unwrap_or_else(|| panic!("the plan has no patches"))
    }

    /// Ants in an iteration.
    pub fn ants(&self) -> usize {
        self.system.ants
    }

    /// How assignments are searched.
    ///
    /// # Panics
    /// For tours: only kernels for assignments ask.
    pub fn exchanges(&self) -> &ExchangePlan {
        self.exchange.as_ref().unwrap_or_else(|| panic!("the plan has no search of assignments"))
    }

    /// Whether solutions are assignments and not tours.
    pub fn is_assignment(&self) -> bool {
        self.system.exchanges.is_some()
    }

    /// Whether ants belong to units with bests of their own.
    pub fn has_units(&self) -> bool {
        self.system.algorithm() == Algorithm::Cas
    }

    /// Whether all ants make a step together, so that they cannot run one after the other.
    pub fn synchronous(&self) -> bool {
        self.system.local_update == LocalUpdate::Synchronous
    }

    /// 32-bit words of a bitmask over the cities.
    pub fn words(&self) -> usize {
        self.cities.div_ceil(32)
    }

    /// 32-bit words of a tabu list.
    pub fn tabu_words(&self) -> usize {
        match self.tabu {
            Tabu::Bt if super::construct::keeps_octets(self) => 2 * self.construct_lanes as usize,
            Tabu::Bt => self.words(),
            Tabu::Ct => self.cities.div_ceil(2),
            Tabu::Lc => self.cities.div_ceil(2) * 2,
        }
    }

    /// Pairs that hold a city's neighbours.
    pub fn neighbour_pairs(&self) -> usize {
        self.neighbours.div_ceil(2)
    }

    /// Cities, candidates aside, among which an ant without candidates looks for the nearest, in an Ant Colony System for that of greatest
    /// weight, before it looks at all. None before a Lin-Kernighan search, beside which construction takes no time, but to list these
    /// would.
    pub fn nearby(&self) -> usize {
        let searched_long = self.system.local_search == LocalSearch::LinKernighan;
        let listed = self.system.memory == Memory::Candidates || self.system.algorithm() == Algorithm::Acs;
        match listed && self.patch.is_none() && !self.is_assignment() && !searched_long {
            true => NEARBY.min(self.cities.saturating_sub(1 + self.system.candidates)),
            false => 0,
        }
    }

    /// Words of a city's selective memory.
    pub fn record_pitch(&self) -> u32 {
        self.system.trails + 1
    }

    /// How far costs are shifted right to fit in 32 bits.
    pub fn cost_shift(&self) -> u32 {
        fixed::cost_shift(self.reference_cost)
    }
}

/// 32-bit words in a row of selection weights of all edges, two in a word; a multiple of four, since eight are loaded at a time.
pub fn weight_pitch(cities: usize) -> usize {
    4 * cities.div_ceil(8)
}

/// Invocations of a workgroup in construction on a GPU; `docs/kernels/construct.md` has the measurements behind them.
fn construct_lanes(cities: usize, system: &System, strategy: Strategy) -> u32 {
    if strategy == Strategy::Coarse || !system.full {
        return 32;
    }
    match (system.selection, cities) {
        // One turn of a subgroup; else as few as have bits for all cities.
        (Selection::Wrs | Selection::IRoulette, ..=256) => 32,
        (Selection::Wrs | Selection::IRoulette, ..=4096) => 64,
        (Selection::Wrs | Selection::IRoulette, 8193..) => 256,
        _ => 128,
    }
}
