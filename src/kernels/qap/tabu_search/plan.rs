//! How a device searches assignments: invocations, and where their table lies.

use crate::algorithm::choices::MoveEvaluation;
use crate::algorithm::construct::AssignmentSearch;
use crate::backend::Capabilities;
use crate::kernels::plan::{Columns, ExchangePlan, MemoryLayout, TablePlace};

/// Workgroup memory that is left to the driver.
const SPARE_BYTES: u32 = 512;
/// Exchanges of a chunk where an invocation's are in storage.
const CHUNK: u32 = 8;
/// Most exchanges of a chunk: one bit each.
const MOST_IN_CHUNK: u32 = 32;
/// Workgroups are made wider until they have these invocations and each of them no more exchanges than these, or, with a table in registers, no more
/// words (docs/results/2026-11-tabu-search.md).
const GOOD_LANES: usize = 120;
const GOOD_EXCHANGES: usize = 25;
const GOOD_WORDS: u32 = 60;

impl ExchangePlan {
    /// The plan for a search among `n` facilities, the evaluation of moves and lanes as asked for.
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
        let plan = Self {
            table: TablePlace::Storage,
            asymmetric: search.asymmetric,
            empty: search.empty,
            alike: search.alike,
            evaluation,
            lanes: 1,
            subgroup: None,
            quick_lanes: 0,
            share: 0,
            processors: device.processors.map(|processors| processors.count),
            columns: Columns::default(),
            layout: MemoryLayout::new(n, evaluation),
        };
        match evaluation {
            MoveEvaluation::Products => plan.with_products(n, asked.1, device),
            _ => {
                let (lanes, quick_lanes, share) = shared_lanes(n, evaluation, asked.1, device);
                let plan = Self { lanes, quick_lanes, share, ..plan };
                let at_hand = plan.with_table(n, TablePlace::Workgroup);
                if at_hand.fits(n, 1, device) { at_hand } else { plan }
            }
        }
    }

    /// With the fastest place that has room for a table of products.
    fn with_products(self, n: usize, asked: Option<u32>, device: &Capabilities) -> Self {
        let at = |place: TablePlace, lanes: u32| {
            let lanes = asked.unwrap_or(lanes);
            // Invocations of the other evaluations take branches of their own.
            let subgroup = device.subgroup_of(lanes).filter(|_| device.converges);
            Self { lanes, subgroup, ..self }.with_table(n, place)
        };
        if !device.wide {
            return at(TablePlace::Storage, 8);
        }
        let most = device.workgroup_invocations.min(1024);
        let lanes = |groups: usize| ((groups * n) as u32).next_multiple_of(warp(device)).min(most);
        let most_groups = (most as usize / n).max(1);
        let groups = (n / 2).div_ceil(GOOD_EXCHANGES).max(GOOD_LANES.div_ceil(n)).min((n / 2).max(1)).min(most_groups);
        let few = |groups: &usize| Columns::new(n, lanes(*groups), MOST_IN_CHUNK).words() <= GOOD_WORDS;
        let wide = (1..=most_groups).find(few).map_or(most, lanes);
        let (here, own) = (at(TablePlace::Workgroup, lanes(groups)), at(TablePlace::Registers, wide));
        // A processor should hold two: it may have more memory than a workgroup can take, where the device tells of it.
        let several = if device.processors.is_some() { 1 } else { 2 };
        [(here, several), (own, 1), (here, 1)]
            .into_iter()
            .find(|(plan, workgroups)| plan.table != TablePlace::Storage && plan.fits(n, *workgroups, device))
            .map_or_else(|| at(TablePlace::Storage, most), |(plan, _)| plan)
    }

    /// Whether a device has room for what so many workgroups need besides storage.
    fn fits(&self, n: usize, workgroups: u32, device: &Capabilities) -> bool {
        match self.table {
            TablePlace::Workgroup => workgroups * (self.workgroup_bytes(n) + SPARE_BYTES) <= device.workgroup_bytes,
            TablePlace::Registers => self.columns.words() <= device.own_words,
            TablePlace::Storage => true,
        }
    }

    /// The plan with the table in a place, or in storage where that place cannot hold it, whatever the device.
    #[must_use]
    pub fn with_table(mut self, n: usize, place: TablePlace) -> Self {
        self.table = place;
        self.layout = MemoryLayout::new(n, self.evaluation);
        if self.evaluation == MoveEvaluation::Products {
            let one = Columns::new(n, self.lanes, MOST_IN_CHUNK);
            if place == TablePlace::Storage || one.columns > 1 || one.chunks > 1 {
                self.table = TablePlace::Storage;
                self.columns = Columns::new(n, self.lanes, CHUNK);
                self.layout.words += self.columns.kept_words(self.lanes);
            } else {
                self.columns = one;
            }
            if self.table == TablePlace::Workgroup {
                self.columns.rows = (n as u32).div_ceil(self.abreast(n));
            }
        } else if place == TablePlace::Registers {
            self.table = TablePlace::Storage;
        }
        self
    }

    /// Rows of a table of products in workgroup memory that invocations have side by side.
    fn abreast(&self, n: usize) -> u32 {
        (self.lanes / (n as u32).div_ceil(4)).min(n as u32)
    }

    /// Facilities with vectors, on two turns of the circle.
    pub(super) fn vectors(&self, n: usize) -> u32 {
        let n = n as u32;
        match self.evaluation {
            MoveEvaluation::Products => 2 * n,
            _ => n,
        }
    }

    /// Bytes of workgroup memory.
    pub fn workgroup_bytes(&self, n: usize) -> u32 {
        let n_words = n as u32;
        let directions = 1 + u32::from(self.asymmetric);
        let vectors = 2 * directions * self.vectors(n);
        let lows = self.subgroup.map_or(3, |size| 4 * (self.lanes / size));
        let table = match (self.table, self.evaluation) {
            (TablePlace::Storage, _) => 0,
            (TablePlace::Workgroup, MoveEvaluation::Products) => {
                let quads = n_words.div_ceil(4);
                4 * ((quads | 1) * self.abreast(n) * self.columns.rows + directions * quads)
            }
            // Rows and columns of both facilities.
            (TablePlace::Registers, _) => 6 * n_words,
            (TablePlace::Workgroup, _) => self.layout.table_words as u32,
        };
        let besides = match self.evaluation {
            // The diagonal, fresh changes, and chosen exchanges.
            MoveEvaluation::Products => 9 * n_words + 2,
            _ => 0,
        };
        4 * (n_words + vectors + lows + table + besides)
    }

    /// Loop turns that an invocation may need for one iteration, and for a dispatch besides.
    pub fn turns(&self, n: usize) -> (u32, u32) {
        let n = n as u32;
        let each = |items: u32| items.div_ceil(self.lanes) + 1;
        let pairs = n / 2 * n;
        let passes = match self.evaluation {
            MoveEvaluation::Products => {
                let Columns { columns, chunks, rows, .. } = self.columns;
                let table = match self.table {
                    TablePlace::Storage => 1 + columns * (rows + 2),
                    TablePlace::Workgroup => each(n),
                    TablePlace::Registers => 0,
                };
                // By the worst luck all pairs of an invocation are looked at for when they are not tabu any more.
                let releases = columns * chunks * (self.columns.each + 1);
                3 * (1 + columns * (chunks + 2)) + releases + table + each(n)
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
        let brought = match (self.evaluation, self.table) {
            (MoveEvaluation::Products, TablePlace::Storage | TablePlace::Registers) => 0,
            _ => 2 * each(self.layout.table_words as u32),
        };
        (iteration, 5 * each(n) + brought + begin)
    }

    /// Iterations that fit in a dispatch.
    pub fn steps(&self, n: usize, loop_budget: u32) -> u32 {
        let (iteration, besides) = self.turns(n);
        (loop_budget.saturating_sub(besides) / iteration).max(1)
    }
}

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

    /// Words of an invocation whose table is in registers: its entries, and changes with room to compute them.
    fn words(&self) -> u32 {
        self.rows + 2 * self.each
    }

    /// Words in which `lanes` invocations keep their chunks: changes of exchanges, which are tabu, until when at least, and which always.
    fn kept_words(&self, lanes: u32) -> usize {
        (lanes * self.columns * self.chunks * (self.each + 3)) as usize
    }
}

/// Invocations that a GPU runs together.
fn warp(device: &Capabilities) -> u32 {
    device.subgroup.unwrap_or(32).max(32)
}

/// Invocations of a workgroup, those of them for moves of constant time, and moves of consecutive numbers of each: on a GPU n/4 moves, and 2n
/// invocations for moves of linear time which begin a subgroup of their own (Tsutsui and Fujimoto 2011, section 5.2.2 and table 4). Where a
/// workgroup has fewer invocations, moves of linear time get half of them at most, and those of constant time the others.
fn shared_lanes(n: usize, evaluation: MoveEvaluation, asked: Option<u32>, device: &Capabilities) -> (u32, u32, u32) {
    let mata = evaluation == MoveEvaluation::Mata;
    let (moves, linear) = ((n / 2 * n) as u32, 2 * n as u32);
    let warp = if device.wide { warp(device) } else { 1 };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A GPU whose invocations have so many words for themselves, and workgroups so many KiB.
    fn gpu(own_words: u32, kib: u32) -> Capabilities {
        Capabilities {
            device: "a GPU".into(),
            wide: true,
            subgroup: Some(32),
            quick_exchange: false,
            converges: false,
            own_words,
            workgroup_bytes: kib << 10,
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

    #[test]
    fn the_table_lies_in_the_fastest_memory_that_holds_it() {
        use TablePlace::{Registers, Storage, Workgroup};
        // Neither two nor registers hold it, but one does.
        let narrow = Capabilities { workgroup_invocations: 256, ..gpu(64, 48) };
        let plan = ExchangePlan::new(90, &SEARCH, (None, None), &narrow);
        assert_eq!((plan.lanes, plan.table), (192, Workgroup));
        for (n, own_words, kib, lanes, place) in [
            (12, 64, 48, 96, Workgroup),
            (40, 64, 48, 128, Workgroup),
            (60, 64, 48, 128, Workgroup),
            (72, 64, 48, 224, Registers),
            (80, 64, 48, 256, Registers),
            (100, 64, 48, 416, Registers),
            (150, 64, 48, 768, Registers),
            (150, 128, 454, 480, Workgroup),
            (256, 64, 48, 1024, Storage),
            (256, 128, 227, 1024, Registers),
            (729, 128, 227, 1024, Storage),
        ] {
            let plan = ExchangePlan::new(n, &SEARCH, (None, None), &gpu(own_words, kib));
            assert_eq!((plan.lanes, plan.table), (lanes, place), "{n} facilities, {own_words} words, {kib} KiB");
            assert!(plan.subgroup.is_none());
        }
    }

    /// Each pair of facilities is somebody's, and no facility is paired with itself, whatever the number of invocations.
    #[test]
    fn columns_have_all_pairs() {
        for n in 2..70 {
            for lanes in [1, 8, 64, 160, 1024] {
                for most in [CHUNK, MOST_IN_CHUNK] {
                    let Columns { columns, groups, chunks, each, rows } = Columns::new(n, lanes, most);
                    let (n, farthest) = (n as u32, groups * chunks * each);
                    assert!((n / 2..n).contains(&farthest), "{n} facilities, {lanes} lanes: {farthest}");
                    assert!(columns * lanes >= n && rows * groups >= n && rows * groups <= 2 * n);
                }
            }
        }
    }

    /// All entries of a table in workgroup memory are somebody's, and what is more stays within the vectors.
    #[test]
    fn tables_in_workgroup_memory_have_all_rows() {
        for n in 2..=256 {
            let plan = ExchangePlan::new(n, &SEARCH, (None, None), &gpu(128, 1 << 20));
            assert_eq!(plan.table, TablePlace::Workgroup);
            let rows = plan.abreast(n) * plan.columns.rows;
            assert!(plan.abreast(n) > 0 && (n as u32..=2 * n as u32).contains(&rows), "{n} facilities: {rows} rows");
        }
    }
}
