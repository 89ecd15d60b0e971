//! The search of assignments by exchanges, tabu search or 2-opt: `shaders/qap/tabu_search.wgsl`. The twin is in `twin`.

use crate::algorithm::choices::{LocalSearch, MoveEvaluation};
use crate::algorithm::construct::{AssignmentSearch, Construct, search_iterations};
use crate::backend::{Access, Capabilities, KernelSpec};
use crate::kernels::compose::compose_repeating;
use crate::kernels::plan::{Columns, ConstructPlan, ExchangePlan, MemoryLayout};
use crate::kernels::qap::matrices;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

mod blocks;
mod tables;
mod twin;

/// The kernel's name.
pub const NAME: &str = "tabu_search";

/// Workgroup memory that is left to the driver.
const SPARE_BYTES: u32 = 512;

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub seed: [u32; 2],
        pub facilities: u32,
        pub memory_words: u32,
        pub iterations: u32,
        pub first_iterations: u32,
        pub steps: u32,
        pub tenure: u32,
        pub filled: u32,
        pub ants: u32,
        pub matrix_words: u32,
        pub padding: u32,
    }
}

impl Params {
    /// Iterations of a search in an iteration of the ants; `iterations_of` in the WGSL.
    fn iterations_of(&self, iteration: u32) -> u32 {
        search_iterations(self.iterations, self.first_iterations, iteration)
    }
}

block! {
    /// How far a search has come; fields as documented in the WGSL struct.
    pub struct SearchProgress {
        pub begun: u32,
        pub done: u32,
        pub iterations: u32,
        pub moves: u32,
        pub present_low: u32,
        pub present_high: u32,
        pub least_low: u32,
        pub least_high: u32,
        pub padding: [u32; 5],
    }
}

impl ExchangePlan {
    /// The plan for a search among `n` facilities, lanes and the evaluation of moves as asked for.
    pub fn new(
        n: usize,
        search: &AssignmentSearch,
        asked: (Option<MoveEvaluation>, Option<u32>),
        device: &Capabilities,
    ) -> Self {
        let evaluation = match asked.0 {
            Some(evaluation) if !device.unbounded_calls => evaluation,
            _ => MoveEvaluation::Products,
        };
        let (lanes, quick_lanes, share) = match evaluation {
            MoveEvaluation::Products => (product_lanes(n, asked.1, device), 0, 0),
            _ => shared_lanes(n, evaluation, asked.1, device),
        };
        // Invocations of the others take branches of their own.
        let products = evaluation == MoveEvaluation::Products;
        let plan = Self {
            table_at_hand: false,
            asymmetric: search.asymmetric,
            empty: search.empty,
            alike: search.alike,
            evaluation,
            lanes,
            subgroup: device.subgroup_of(lanes).filter(|_| products && device.converges),
            quick_lanes,
            share,
            columns: Columns::default(),
            layout: MemoryLayout::new(n, evaluation),
        };
        let at_hand = if products {
            device.wide && Columns::in_registers(n, lanes).is_some_and(|columns| columns.words() <= device.own_words)
        } else {
            let table = 4 * plan.layout.table_words as u64;
            u64::from(plan.workgroup_bytes(n) + SPARE_BYTES) + table <= u64::from(device.workgroup_bytes)
        };
        plan.with_table(n, at_hand)
    }

    /// The plan with the table at hand, as far as it can be, or in storage.
    #[must_use]
    pub fn with_table(mut self, n: usize, at_hand: bool) -> Self {
        self.table_at_hand = at_hand;
        if self.evaluation == MoveEvaluation::Products {
            let here = Columns::in_registers(n, self.lanes).filter(|_| at_hand);
            self.table_at_hand = here.is_some();
            self.columns = here.unwrap_or_else(|| Columns::in_storage(n, self.lanes));
            self.layout = MemoryLayout::new(n, self.evaluation);
            self.layout.words += if here.is_some() { 0 } else { self.columns.kept_words(self.lanes) };
        }
        self
    }

    /// Facilities with vectors, on two turns of the circle.
    fn vectors(&self, n: usize) -> u32 {
        let n = n as u32;
        match self.evaluation {
            MoveEvaluation::Products => 2 * n,
            _ => n,
        }
    }

    /// Bytes of workgroup memory.
    pub fn workgroup_bytes(&self, n: usize) -> u32 {
        let n_words = n as u32;
        let vectors = (2 + 2 * u32::from(self.asymmetric)) * self.vectors(n);
        let lows = self.subgroup.map_or(3, |size| 4 * (self.lanes / size));
        let besides = match self.evaluation {
            // The diagonal, rows and columns of both facilities, fresh changes, and chosen exchanges.
            MoveEvaluation::Products => 11 * n_words + 2,
            _ if self.table_at_hand => self.layout.table_words as u32,
            _ => 0,
        };
        4 * (n_words + vectors + lows + besides)
    }

    /// Loop turns that an invocation may need for one iteration, and for a dispatch besides.
    pub fn turns(&self, n: usize) -> (u32, u32) {
        let n = n as u32;
        let each = |items: u32| items.div_ceil(self.lanes) + 1;
        let pairs = n / 2 * n;
        let passes = match self.evaluation {
            MoveEvaluation::Products => {
                let Columns { columns, chunks, rows, .. } = self.columns;
                let table = if self.table_at_hand { 0 } else { 1 + columns * (rows + 2) + each(n) };
                3 * (1 + columns * (chunks + 2)) + table + each(2 * n) + each(n)
            }
            // By the worst luck one invocation has all the pairs of linear time.
            MoveEvaluation::NonMata => each(pairs) + self.share + 1 + self.share.min(2 * n) * (n + 1) + each(n),
            MoveEvaluation::Mata => {
                // Once the invocations of one subgroup take two branches, one after the other.
                let slow = (2 * n).div_ceil(self.lanes - self.quick_lanes);
                each(pairs) + self.share + 1 + slow * (n + 2) + 1 + (n + 1) + each(n)
            }
        };
        let minima = self.subgroup.map_or(0, |size| 2 * ((self.lanes / size).div_ceil(size) + 1));
        let iteration = 1 + passes + minima + 3 * each(n);
        let begin = 1 + self.columns.columns * (self.columns.chunks + 2);
        (iteration, 5 * each(n) + 2 * each(self.layout.table_words as u32) + begin)
    }

    /// Iterations that fit in a dispatch.
    pub fn steps(&self, n: usize, loop_budget: u32) -> u32 {
        let (iteration, besides) = self.turns(n);
        (loop_budget.saturating_sub(besides) / iteration).max(1)
    }
}

/// Exchanges of a chunk where an invocation's are in storage.
const CHUNK: u32 = 8;
/// Most exchanges of a chunk: one bit each.
const MOST_IN_CHUNK: u32 = 32;
/// Words of an invocation that workgroups are made wider for; measured on an H100.
const GOOD_WORDS: u32 = 60;

impl Columns {
    /// For `n` facilities and `lanes` invocations, chunks being so long.
    fn new(n: usize, lanes: u32, most: u32) -> Self {
        let n = n as u32;
        // No more invocations than pairs of a column: no partner is a whole turn away.
        let (columns, groups) = (n.div_ceil(lanes), (lanes / n).clamp(1, (n / 2).max(1)));
        let of_column = (n / 2).div_ceil(groups).max(1);
        let each = of_column.min(most);
        Self { columns, groups, chunks: of_column.div_ceil(each), each, rows: n.div_ceil(groups) }
    }

    /// With what an invocation has in its registers, where it has one chunk of one column.
    fn in_registers(n: usize, lanes: u32) -> Option<Self> {
        let columns = Self::new(n, lanes, MOST_IN_CHUNK);
        (columns.columns == 1 && columns.chunks == 1).then_some(columns)
    }

    fn in_storage(n: usize, lanes: u32) -> Self {
        Self::new(n, lanes, CHUNK)
    }

    /// Words of an invocation: entries of the table, changes, and when exchanges are not tabu any more.
    fn words(&self) -> u32 {
        self.rows + 2 * self.each
    }

    /// Words in which `lanes` invocations keep changes of exchanges, and when these are not tabu any more.
    fn kept_words(&self, lanes: u32) -> usize {
        (2 * lanes * self.columns * self.chunks * self.each) as usize
    }
}

/// Invocations of a workgroup where each move takes constant time.
fn product_lanes(n: usize, asked: Option<u32>, device: &Capabilities) -> u32 {
    let fits = |lanes: &u32| Columns::in_registers(n, *lanes).is_some_and(|columns| columns.words() <= GOOD_WORDS);
    match (asked, device.wide) {
        (Some(lanes), _) => lanes,
        (None, true) => [64, 128, 256, 512].into_iter().find(fits).unwrap_or(1024).min(device.workgroup_invocations),
        (None, false) => 8,
    }
}

/// Invocations of a workgroup, those of them for moves of constant time, and moves of consecutive numbers of each: on a GPU n/4 moves, and 2n
/// invocations for moves of linear time which begin a subgroup of their own (Tsutsui and Fujimoto 2011, section 5.2.2 and table 4). Where a
/// workgroup has fewer invocations, moves of linear time get half of them at most, and those of constant time the others.
fn shared_lanes(n: usize, evaluation: MoveEvaluation, asked: Option<u32>, device: &Capabilities) -> (u32, u32, u32) {
    let mata = evaluation == MoveEvaluation::Mata;
    let (moves, linear) = ((n / 2 * n) as u32, 2 * n as u32);
    let warp = if device.wide { device.subgroup.unwrap_or(32).max(32) } else { 1 };
    if asked.is_none() && device.wide {
        let share = (n as u32 / 4).max(1);
        let quick = moves.div_ceil(share);
        let (quick, lanes) =
            if mata { (quick.next_multiple_of(warp), quick.next_multiple_of(warp) + linear) } else { (quick, quick) };
        if lanes <= device.workgroup_invocations {
            return (lanes, quick, share);
        }
    }
    let lanes = asked.unwrap_or(if device.wide { device.workgroup_invocations } else { 8 });
    let slow = if mata { linear.next_multiple_of(warp).min(lanes / 2).max(1) } else { 0 };
    (lanes, lanes - slow, moves.div_ceil(lanes - slow))
}

/// Dispatches that a search takes.
pub fn dispatches(plan: &ConstructPlan, exchanges: &ExchangePlan) -> u32 {
    let iterations = plan.system.assignment.map_or(0, |search| search.iterations);
    if plan.unbounded_calls {
        return 1;
    }
    iterations.div_ceil(exchanges.steps(plan.cities, plan.loop_budget))
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, exchanges: &ExchangePlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let Construct { assignment: asked, local_search, seed, .. } = &plan.system;
    let tabu = *local_search == LocalSearch::Tabu;
    let n = plan.cities;
    let params = Params {
        seed: [*seed as u32, (*seed >> 32) as u32],
        facilities: n as u32,
        memory_words: exchanges.layout.words as u32,
        iterations: asked.map_or(0, |asked| asked.iterations),
        first_iterations: asked.map_or(0, |asked| asked.first_iterations),
        steps: if plan.unbounded_calls { u32::MAX } else { exchanges.steps(n, plan.loop_budget) },
        tenure: asked.map_or(0, |asked| asked.tenure),
        filled: (n - exchanges.empty) as u32,
        ants: plan.ants() as u32,
        matrix_words: matrices::length_of(plan) as u32,
        padding: 0,
    };
    let products = exchanges.evaluation == MoveEvaluation::Products;
    let mut flags = Vec::new();
    for (holds, flag) in [
        (tabu, "TABU"),
        (exchanges.asymmetric, "ASYMMETRIC"),
        (exchanges.alike, "ALIKE"),
        (!exchanges.table_at_hand, "TABLE_IN_STORAGE"),
        (products, "PRODUCTS"),
        (exchanges.subgroup.is_some(), "SUBGROUPS"),
        (exchanges.evaluation == MoveEvaluation::Mata, "MATA"),
    ] {
        flags.extend(holds.then_some(flag));
    }
    let mut constants = vec![("LANES", exchanges.lanes), ("PLACES", n as u32), ("VECTORS", exchanges.vectors(n))];
    constants.extend(exchanges.subgroup.map(|size| ("SUBGROUP", size)));
    let in_workgroup = !products && exchanges.table_at_hand;
    constants.extend(in_workgroup.then_some(("TABLE_WORDS", exchanges.layout.table_words as u32)));
    constants.extend((exchanges.evaluation == MoveEvaluation::Mata).then_some(("QUICK_LANES", exchanges.quick_lanes)));
    constants.extend((exchanges.evaluation != MoveEvaluation::Products).then_some(("SHARE", exchanges.share)));
    let Columns { columns, groups, chunks, each, rows } = exchanges.columns;
    if products {
        constants.extend([("COLUMNS", columns), ("GROUPS", groups), ("CHUNKS", chunks), ("EACH", each)]);
        constants.extend(exchanges.table_at_hand.then_some(("ROWS", rows)));
    }
    let mut bindings = vec![
        (buffers.get(Buffer::Matrices), Access::Read),
        (buffers.get(Buffer::State), Access::Read),
        (buffers.get(Buffer::Progress), Access::Write),
        (buffers.get(Buffer::Tours), Access::Write),
    ];
    // The twin makes its tables itself.
    bindings.extend(buffers.find(Buffer::Memory).map(|memory| (memory, Access::Write)));
    Ok(KernelSpec {
        name: NAME,
        source: compose_repeating("qap/tabu_search", &flags, &[("EACH", each), ("ROWS", rows)])?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings,
        workgroup_bytes: exchanges.workgroup_bytes(n),
        units_per_workgroup: 1,
        twin: match (tabu, exchanges.asymmetric) {
            (true, false) => twin::twin::<true, false>,
            (true, true) => twin::twin::<true, true>,
            (false, false) => twin::twin::<false, false>,
            (false, true) => twin::twin::<false, true>,
        },
    })
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;

    /// A GPU whose invocations have so many words for themselves.
    fn gpu(own_words: u32) -> Capabilities {
        Capabilities {
            device: "a GPU".into(),
            wide: true,
            subgroup: Some(32),
            quick_exchange: false,
            converges: false,
            own_words,
            workgroup_bytes: 48 << 10,
            processors: None,
            large: false,
            workgroup_invocations: 1024,
            buffer_bytes: 1 << 36,
            memory_bytes: None,
            loop_budget: 1 << 20,
            unbounded_calls: false,
        }
    }

    const SEARCH: AssignmentSearch =
        AssignmentSearch { iterations: 1, first_iterations: 1, tenure: 1, asymmetric: false, empty: 0, alike: false };

    /// What reports say of a run's iterations is what kernels make.
    #[test]
    fn searches_are_as_long_as_reports_say() {
        for (iterations, first_iterations) in [(1000, 25), (1000, 1000), (40, 1), (3, 2)] {
            let search = AssignmentSearch { iterations, first_iterations, ..SEARCH };
            let params = Params { iterations, first_iterations, ..Params::zeroed() };
            let mut made = 0;
            for iteration in 0..12 {
                assert_eq!(search.tabu_iterations(iteration), made);
                made += u64::from(params.iterations_of(iteration));
            }
        }
    }

    #[test]
    fn the_table_lies_in_registers_where_it_fits() {
        for (n, own_words, lanes, at_hand) in [
            (12, 64, 64, true),
            (40, 64, 128, true),
            (80, 64, 256, true),
            (100, 64, 512, true),
            (150, 64, 1024, true),
            (256, 64, 1024, false),
            (256, 128, 1024, true),
            (729, 128, 1024, false),
        ] {
            let plan = ExchangePlan::new(n, &SEARCH, (None, None), &gpu(own_words));
            assert_eq!((plan.lanes, plan.table_at_hand), (lanes, at_hand), "{n} facilities, {own_words} words");
            assert!(plan.subgroup.is_none());
        }
    }

    /// Each pair of facilities is somebody's, and no facility is paired with itself, whatever the number of invocations.
    #[test]
    fn columns_have_all_pairs() {
        for n in 2..70 {
            for lanes in [1, 8, 64, 1024] {
                for columns in [Columns::in_storage(n, lanes)].into_iter().chain(Columns::in_registers(n, lanes)) {
                    let Columns { columns, groups, chunks, each, rows } = columns;
                    let (n, farthest) = (n as u32, groups * chunks * each);
                    assert!((n / 2..n).contains(&farthest), "{n} facilities, {lanes} lanes: {farthest}");
                    assert!(columns * lanes >= n && rows * groups >= n && rows * groups <= 2 * n);
                }
            }
        }
    }
}
