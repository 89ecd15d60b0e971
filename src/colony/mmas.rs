//! The MAX-MIN Ant System for the TSP: construct, search, cost, best, trail update.

use std::ops::Range;

use crate::aco::fixed::{self, heuristic_weight};
use crate::backend::{Backend, Call, KernelId, KernelTiming};
use crate::error::{Error, Result};
use crate::kernels::plan::Plan;
use crate::kernels::state::{STATE_WORDS, State, join, split};
use crate::kernels::{Buffers, KernelError, best, construct, tour_cost, trail_update, two_opt};
use crate::tsp::Instance;

/// A colony on a backend.
pub struct Colony {
    backend: Box<dyn Backend>,
    plan: Plan,
    buffers: Buffers,
    construct: KernelId,
    two_opt: Option<KernelId>,
    tour_cost: KernelId,
    best: KernelId,
    trail_update: KernelId,
    /// Dispatches of construction and of local search in an iteration.
    construct_dispatches: u32,
    search_dispatches: u32,
}

impl Colony {
    /// Sets up `plan` for `instance` on `backend`, with `start` as the first best tour.
    ///
    /// # Errors
    /// What the backend refuses.
    pub fn new(mut backend: Box<dyn Backend>, instance: &Instance, plan: Plan, start: &[u32]) -> Result<Self> {
        let buffers = make_buffers(backend.as_mut(), instance, &plan, start)?;
        let device = backend.capabilities().device.clone();
        let composed = |spec: Result<_, KernelError>| {
            spec.map_err(|message| Error::Device {
                device: device.clone(),
                message: format!("broken shader: {message}"),
            })
        };
        let construct = backend.kernel(composed(construct::spec(&plan, &buffers))?)?;
        let two_opt = match plan.search {
            true => Some(backend.kernel(composed(two_opt::spec(&plan, &buffers))?)?),
            false => None,
        };
        let tour_cost = backend.kernel(composed(tour_cost::spec(&plan, &buffers))?)?;
        let best = backend.kernel(composed(best::spec(&plan, &buffers))?)?;
        let trail_update = backend.kernel(composed(trail_update::spec(&plan, &buffers))?)?;
        let construct_dispatches = construct::dispatches(&plan);
        let search_dispatches = two_opt::dispatches(&plan);
        let mut colony = Self {
            backend,
            plan,
            buffers,
            construct,
            two_opt,
            tour_cost,
            best,
            trail_update,
            construct_dispatches,
            search_dispatches,
        };
        // With the first state's reset flag set, this lays all trails at their upper limit.
        let first = colony.update_calls();
        colony.backend.run(&first)?;
        Ok(colony)
    }

    /// The sizes.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The buffers, for tests and tools that look inside.
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// The backend.
    pub fn backend(&mut self) -> &mut dyn Backend {
        self.backend.as_mut()
    }

    /// The calls that give `ants` their tours and costs.
    pub fn ant_calls(&self, ants: Range<u32>) -> Vec<Call> {
        let call = |kernel| Call { kernel, units: ants.clone() };
        let mut calls = vec![call(self.construct); self.construct_dispatches as usize];
        if let Some(kernel) = self.two_opt {
            calls.extend(vec![call(kernel); self.search_dispatches as usize]);
        }
        calls.push(call(self.tour_cost));
        calls
    }

    /// The calls that end an iteration once every ant has its cost.
    pub fn end_calls(&self) -> Vec<Call> {
        let mut calls = vec![Call { kernel: self.best, units: 0..1 }];
        calls.extend(self.update_calls());
        calls
    }

    fn update_calls(&self) -> Vec<Call> {
        vec![Call { kernel: self.trail_update, units: 0..self.plan.cities as u32 }]
    }

    /// The name of a kernel of this colony.
    pub fn kernel_name(&self, kernel: KernelId) -> &'static str {
        match kernel {
            k if k == self.construct => construct::NAME,
            k if Some(k) == self.two_opt => two_opt::NAME,
            k if k == self.tour_cost => tour_cost::NAME,
            k if k == self.best => best::NAME,
            _ => trail_update::NAME,
        }
    }

    /// Runs `calls` in order.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn run(&mut self, calls: &[Call]) -> Result<()> {
        self.backend.run(calls)
    }

    /// The state: 64 bytes read back.
    ///
    /// # Errors
    /// What the backend reports, or [`Error::Device`] when a kernel did not end its work within its dispatches.
    pub fn state(&mut self) -> Result<State> {
        let state = State::from_words(&self.backend.read(self.buffers.state, 0..STATE_WORDS)?);
        if state.failures == 0 {
            return Ok(state);
        }
        let what = if state.failures & 1 == 1 { construct::NAME } else { two_opt::NAME };
        Err(Error::Device {
            device: self.backend.capabilities().device.clone(),
            message: format!("kernel '{what}' did not end within its loop budget; please report this instance"),
        })
    }

    /// The best tour so far.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn best_tour(&mut self) -> Result<Vec<u32>> {
        self.backend.read(self.buffers.bests, 0..self.plan.cities)
    }

    /// The tours of the last iteration, ants × cities, for tests and tools.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn tours(&mut self) -> Result<Vec<u32>> {
        self.backend.read(self.buffers.tours, 0..self.plan.ants * self.plan.cities)
    }

    /// Time spent in each kernel.
    pub fn timings(&self) -> Vec<KernelTiming> {
        self.backend.timings()
    }
}

fn make_buffers(backend: &mut dyn Backend, instance: &Instance, plan: &Plan, start: &[u32]) -> Result<Buffers> {
    let near = instance.neighbours(plan.candidates.max(plan.neighbours));
    let n = plan.cities;
    let mut heuristic = Vec::with_capacity(n * plan.candidates);
    let mut neighbours = Vec::with_capacity(n * plan.neighbour_pairs() * 4);
    for city in 0..n {
        let row = near.row(city);
        let nearest = row.first().map_or(1, |&first| instance.distance(city, first as usize));
        for (k, &other) in row.iter().enumerate() {
            let distance = instance.distance(city, other as usize);
            heuristic.push(other << 16 | heuristic_weight(distance, nearest, plan.mmas.beta));
            if k < plan.neighbours {
                neighbours.extend([other, distance]);
            }
        }
        // A row holds whole pairs; nothing is nearer than the filler.
        if plan.neighbours % 2 == 1 {
            neighbours.extend([city as u32, u32::MAX]);
        }
    }
    let trail_max = fixed::TRAIL_ONE;
    let state = State {
        iteration: 0,
        best_iteration: 0,
        restart_start: 0,
        restart_improved: 0,
        best_cost: split(plan.reference_cost),
        restart_cost: split(u64::MAX),
        iteration_cost: split(u64::MAX),
        deposit: 0,
        reset: 1,
        trail_max,
        trail_min: fixed::mul_high(trail_max, plan.mmas.limit_ratio_fixed(n)).max(1),
        restarts: 0,
        failures: 0,
    };
    debug_assert_eq!(join(state.best_cost), plan.reference_cost);
    let mut links = vec![0; 2 * n];
    best::write_links(start, &mut links);
    let words = |name: &str| {
        let found = plan.buffers().into_iter().find(|buffer| buffer.name == name);
        found.map_or(0, |buffer| buffer.words as usize)
    };
    Ok(Buffers {
        distances: backend.buffer_with("distances", &instance.distance_matrix())?,
        neighbours: backend.buffer_with("neighbours", &neighbours)?,
        heuristic: backend.buffer_with("heuristic", &heuristic)?,
        tables: backend.buffer_with("tables", &fixed::tables())?,
        trails: backend.buffer("trails", words("trails"))?,
        choice: backend.buffer("choice", words("choice"))?,
        state: backend.buffer_with("state", state.words())?,
        progress: backend.buffer("progress", words("progress"))?,
        visited_kept: backend.buffer("visited_kept", words("visited_kept"))?,
        queues: backend.buffer("queues", words("queues"))?,
        tours: backend.buffer("tours", words("tours"))?,
        costs: backend.buffer("costs", words("costs"))?,
        bests: backend.buffer_with("bests", &[start, start, start].concat())?,
        links: backend.buffer_with("links", &links)?,
        positions: match words("positions") {
            0 => None,
            words => Some(backend.buffer("positions", words)?),
        },
    })
}
