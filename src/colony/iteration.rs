//! An iteration of each ant system as stages: which kernels, over which units.

use std::ops::Range;

use super::{Maker, best, construct, local_update, tour_cost, two_opt};
use crate::algorithm::choices::{Deposit, LocalSearch, TrailUpdate};
use crate::algorithm::construct::Rule;
use crate::backend::{Call, KernelId};
use crate::kernels::construct::deviates::{self, Ring};
use crate::kernels::construct::focus;
use crate::kernels::eax::{recombine, replace};
use crate::kernels::lin_kernighan::chained_search;
use crate::kernels::pheromone::trail_update::{self, Part};
use crate::kernels::pheromone::{deposit, deposit_amount, global_update, serial_update, unit_best};
use crate::kernels::plan::{ConstructPlan, Plan, WindowsPlan};
use crate::kernels::qap::{assignment_cost, crossover, delta_table, survivors, tabu_search};
use crate::kernels::two_opt::pieces;
use crate::kernels::windows::{window_order, window_search};
use crate::kernels::{Buffers, KernelError, lin_kernighan, merge};

/// What a stage's kernel works on.
pub(super) enum Units {
    /// Ants.
    Ants,
    /// Rows of trails and then ants, this many in a call.
    RowsAndAntsBy(u32),
    /// Parts of ants, this many an ant.
    PartsOfAnts(u32),
    /// Populations of this many ants.
    Populations(u32),
    /// Cities, or positions in a tour.
    Cities,
    /// This many.
    Fixed(u32),
}

/// A kernel's part of an iteration.
pub(super) struct Stage {
    kernel: KernelId,
    units: Units,
    /// How often it runs, one time after the other.
    times: u32,
    /// Whether the first iteration needs it, too: it lays trails or draws deviates.
    pub(super) begins: bool,
}

impl Stage {
    fn once(kernel: KernelId, units: Units) -> Self {
        Self { kernel, units, times: 1, begins: false }
    }

    pub(super) fn calls(&self, ants: Range<u32>, cities: u32) -> Vec<Call> {
        let call = |units| Call { kernel: self.kernel, units };
        let once: Vec<Call> = match self.units {
            Units::Ants => vec![call(ants)],
            Units::RowsAndAntsBy(most) => {
                let end = cities + ants.end;
                (0..end).step_by(most as usize).map(|first| call(first..end.min(first.saturating_add(most)))).collect()
            }
            Units::PartsOfAnts(parts) => vec![call(ants.start * parts..ants.end * parts)],
            Units::Populations(ants_each) => vec![call(ants.start / ants_each..ants.end.div_ceil(ants_each))],
            Units::Cities => vec![call(0..cities)],
            Units::Fixed(units) => vec![call(0..units)],
        };
        once.iter().cycle().take(once.len() * self.times as usize).cloned().collect()
    }
}

/// How ants, windows or individuals get their solutions: dispatches of construction (of the search of windows, of crossover), each followed by
/// the local update where ants step together.
pub(super) struct Ants {
    focus: Option<KernelId>,
    construct: KernelId,
    /// Runs instead of `construct` once E-sets grow to blocks.
    grown: Option<KernelId>,
    dispatches: u32,
    /// Units of construction of an ant.
    parts: u32,
    local_update: Option<KernelId>,
}

impl Ants {
    /// Whether E-sets can grow to blocks.
    pub(super) fn can_grow(&self) -> bool {
        self.grown.is_some()
    }

    /// The calls; with `grow` E-sets grow to blocks, where they can.
    pub(super) fn calls(&self, ants: Range<u32>, grow: bool) -> Vec<Call> {
        let construct = self.grown.filter(|_| grow).unwrap_or(self.construct);
        let step = [Some(construct), self.local_update];
        let units = ants.start * self.parts..ants.end * self.parts;
        let step: Vec<Call> = step.into_iter().flatten().map(|kernel| Call { kernel, units: units.clone() }).collect();
        let focus = self.focus.map(|kernel| Call { kernel, units: ants });
        let steps = step.iter().cycle().take(step.len() * self.dispatches as usize).cloned();
        focus.into_iter().chain(steps).collect()
    }
}

pub(super) fn construct(maker: &mut Maker, plan: &Plan, buffers: &Buffers) -> Result<Ants, KernelError> {
    Ok(match plan {
        Plan::Windows(plan) => Ants {
            focus: Some(maker.make(window_order::spec(plan, buffers))?),
            construct: maker.make(window_search::spec(plan, buffers))?,
            grown: None,
            dispatches: window_search::dispatches(plan),
            parts: 1,
            local_update: None,
        },
        Plan::Chained(plan) => Ants {
            focus: None,
            construct: maker.make(chained_search::spec(plan, buffers))?,
            grown: None,
            dispatches: chained_search::dispatches(plan, true),
            parts: 1,
            local_update: None,
        },
        Plan::Eax(plan) => {
            let blocks = plan.recombine.block_walks;
            let grown = (blocks > 0).then(|| maker.make(recombine::spec(plan, blocks, buffers)));
            Ants {
                focus: None,
                construct: maker.make(recombine::spec(plan, 0, buffers))?,
                grown: grown.transpose()?,
                dispatches: recombine::dispatches(plan),
                parts: plan.recombine.pair_walks,
                local_update: None,
            }
        }
        Plan::Construct(plan) => {
            if let Some(memetic) = plan.memetic() {
                let construct = maker.make(crossover::spec(plan, memetic, buffers))?;
                return Ok(Ants { focus: None, construct, grown: None, dispatches: 1, parts: 1, local_update: None });
            }
            let construct = maker.make(construct::spec(plan, buffers))?;
            let local_update = match &plan.system.rule {
                Rule::Acs(acs) if plan.synchronous() => Some(maker.make(local_update::spec(plan, acs, buffers))?),
                _ => None,
            };
            let focus = match plan.system.focus {
                0 => None,
                segment => Some(maker.make(focus::spec(plan, segment, buffers))?),
            };
            let dispatches = construct::dispatches(plan);
            Ants { focus, construct, grown: None, dispatches, parts: 1, local_update }
        }
    })
}

/// From tours as constructed to improved tours and their costs.
pub(super) fn finish(maker: &mut Maker, plan: &Plan, buffers: &Buffers) -> Result<Vec<Stage>, KernelError> {
    let mut stages = Vec::new();
    let Plan::Construct(plan) = plan else { return Ok(stages) };
    if plan.is_assignment() {
        return finish_assignments(maker, plan, buffers);
    }
    match plan.system.local_search {
        LocalSearch::None => {}
        LocalSearch::TwoOptPieces | LocalSearch::TwoHalfOptPieces => {
            for offset in pieces::OFFSETS {
                let kernel = maker.make(pieces::spec(plan, buffers, offset))?;
                let units = Units::PartsOfAnts(pieces::pieces(plan));
                stages.push(Stage { times: pieces::dispatches(plan), ..Stage::once(kernel, units) });
            }
        }
        LocalSearch::LinKernighan => {
            let kernel = maker.make(lin_kernighan::spec(plan, buffers))?;
            stages.push(Stage { times: lin_kernighan::dispatches(plan), ..Stage::once(kernel, Units::Ants) });
        }
        _ => {
            let kernel = maker.make(two_opt::spec(plan, buffers))?;
            stages.push(Stage { times: two_opt::dispatches(plan), ..Stage::once(kernel, Units::Ants) });
        }
    }
    stages.push(Stage::once(maker.make(tour_cost::spec(plan, buffers))?, Units::Ants));
    Ok(stages)
}

/// The same for assignments; units keep their bests.
fn finish_assignments(maker: &mut Maker, plan: &ConstructPlan, buffers: &Buffers) -> Result<Vec<Stage>, KernelError> {
    let mut stages = Vec::new();
    if let Some(exchanges) = &plan.exchange {
        if !plan.unbounded_calls {
            let table = maker.make(delta_table::spec(plan, exchanges, buffers))?;
            stages.push(Stage::once(table, Units::PartsOfAnts(delta_table::parts(plan))));
        }
        let search = maker.make(tabu_search::spec(plan, exchanges, buffers))?;
        stages.push(Stage { times: tabu_search::dispatches(plan, exchanges), ..Stage::once(search, Units::Ants) });
    }
    stages.push(Stage::once(maker.make(assignment_cost::spec(plan, buffers))?, Units::Ants));
    if plan.has_units() {
        stages.push(Stage::once(maker.make(unit_best::spec(plan, buffers))?, Units::Ants));
    }
    Ok(stages)
}

/// From the gains of windows to the new tour.
fn merge_gains(maker: &mut Maker, plan: &WindowsPlan, buffers: &Buffers) -> Result<Vec<Stage>, KernelError> {
    Ok(vec![
        Stage::once(maker.make(merge::conflicts::spec(plan, buffers))?, Units::Ants),
        Stage::once(maker.make(merge::independent_set::spec(plan, buffers))?, Units::Fixed(1)),
        Stage::once(maker.make(merge::mark::spec(plan, buffers))?, Units::Ants),
        Stage::once(maker.make(merge::paths::spec(plan, buffers))?, Units::Fixed(1)),
        Stage::once(maker.make(merge::order_index::spec(plan, buffers))?, Units::Cities),
        Stage::once(maker.make(merge::scatter::spec(plan, buffers))?, Units::Cities),
    ])
}

/// From costs to trails.
pub(super) fn end(maker: &mut Maker, plan: &Plan, buffers: &Buffers) -> Result<Vec<Stage>, KernelError> {
    let plan = match plan {
        Plan::Windows(plan) => return merge_gains(maker, plan, buffers),
        Plan::Chained(plan) => {
            return Ok(vec![Stage::once(maker.make(best::spec_of_population(plan, buffers))?, Units::Fixed(1))]);
        }
        Plan::Eax(plan) => {
            return Ok(vec![
                Stage::once(maker.make(replace::spec(plan, buffers))?, Units::Ants),
                Stage::once(maker.make(best::spec_of_population(plan, buffers))?, Units::Fixed(1)),
            ]);
        }
        Plan::Construct(plan) => plan,
    };
    let best = Stage::once(maker.make(best::spec(plan, buffers))?, Units::Fixed(1));
    if plan.memetic().is_some() {
        // Last, since it begins the next iteration.
        return Ok(succeed(maker, plan, buffers)?.into_iter().chain([best]).collect());
    }
    let mut stages = vec![best];
    if let Some(ring) = Ring::of(plan) {
        let kernel = maker.make(deviates::spec(plan, ring, buffers))?;
        stages.push(Stage { begins: true, ..Stage::once(kernel, Units::Fixed(ring.words())) });
    }
    match &plan.system.rule {
        Rule::Mmas(_) if plan.system.trail_update == TrailUpdate::Fused => {
            stages.push(pass(maker, plan, buffers, Part::Whole)?);
        }
        Rule::Mmas(_) => {
            stages.push(pass(maker, plan, buffers, Part::Evaporate)?);
            stages.push(Stage::once(maker.make(deposit::best_spec(plan, buffers))?, Units::Fixed(1)));
            stages.push(pass(maker, plan, buffers, Part::Choice)?);
        }
        Rule::As(ant_system) => {
            let part = ant_system.deposit_fixed(plan.units);
            all_deposit(maker, plan, buffers, (part, ant_system.ranks()), &mut stages)?;
            if ant_system.best_deposit_fixed(plan.units) > 0 {
                stages.push(Stage::once(maker.make(deposit::best_spec(plan, buffers))?, Units::Fixed(1)));
            }
            stages.push(pass(maker, plan, buffers, Part::Choice)?);
        }
        Rule::Memetic(_) => {}
        Rule::Cas(cas) => {
            all_deposit(maker, plan, buffers, (cas.deposit_fixed(plan.units), 0), &mut stages)?;
            stages.push(pass(maker, plan, buffers, Part::Choice)?);
        }
        Rule::Acs(acs) => {
            stages.push(Stage::once(maker.make(global_update::spec(plan, acs, buffers))?, Units::Cities));
        }
    }
    Ok(stages)
}

/// From the costs of children to the next population.
pub(super) fn succeed(maker: &mut Maker, plan: &ConstructPlan, buffers: &Buffers) -> Result<Vec<Stage>, KernelError> {
    Ok(vec![
        Stage::once(maker.make(survivors::ranks_spec(plan, buffers))?, Units::PartsOfAnts(2)),
        Stage::once(maker.make(survivors::spec(plan, buffers))?, Units::Populations(plan.ants() as u32)),
        Stage::once(maker.make(survivors::succession_spec(plan, buffers))?, Units::Ants),
    ])
}

fn pass(maker: &mut Maker, plan: &ConstructPlan, buffers: &Buffers, part: Part) -> Result<Stage, KernelError> {
    let kernel = maker.make(trail_update::spec(part, plan, buffers))?;
    Ok(Stage { begins: true, ..Stage::once(kernel, Units::Cities) })
}

/// Evaporation, and deposit by all ants or units.
fn all_deposit(
    maker: &mut Maker,
    plan: &ConstructPlan,
    buffers: &Buffers,
    (part, ranks): (u32, u32),
    stages: &mut Vec<Stage>,
) -> Result<(), KernelError> {
    let amounts = maker.make(deposit_amount::spec(plan, part, ranks, buffers))?;
    stages.push(Stage::once(amounts, Units::Ants));
    if let (Rule::As(rule), Deposit::Serial) = (&plan.system.rule, plan.system.deposit) {
        let kernel = maker.make(serial_update::spec(plan, rule, buffers))?;
        let units = Units::RowsAndAntsBy(serial_update::units_a_call(plan));
        // Before the first iteration it lays trails, and no ant has a tour.
        stages.push(Stage { begins: true, ..Stage::once(kernel, units) });
        return Ok(());
    }
    stages.push(pass(maker, plan, buffers, Part::Evaporate)?);
    stages.push(Stage::once(maker.make(deposit::spec(plan, buffers))?, Units::Ants));
    Ok(())
}
