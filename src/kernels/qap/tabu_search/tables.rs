//! What the search of an assignment keeps on processors.
//!
//! The change of cost of every pair u < v is kept in blocks of sixteen v, those of all u one after the other, so that one pass over
//! contiguous numbers shifts all changes by what an exchange does to them (equation 5 of Tsutsui and Fujimoto 2011 as a difference of
//! products) and finds the least one. The 2n − 3 pairs that the equation does not hold for come from the table of products, which is
//! kept beside the changes by one multiplication an entry; they are set before the pass to what it turns into the right values. Entries
//! of a row up to the diagonal, and behind the last facility, mean nothing.

use bytemuck::Zeroable;
use fearless_simd::i32x16;
use fearless_simd::prelude::*;

use crate::kernels::qap::delta_table::NEVER;
use crate::kernels::qap::matrices::{
    DISTANCE_CORNERS, DISTANCES_BACK, DISTANCES_THERE, FLOW_CORNERS, FLOWS_BACK, FLOWS_THERE, Matrices, PLACING,
};
use crate::kernels::qap::tabu_search::blocks::{
    Block, FUSED, Rows, Stacks, WIDE, blocks_of, greatest_of, least_of, numbers, numbers_mut,
};

/// The change that stands for an exchange that is not allowed.
const NONE: i32 = i32::MAX;

/// The entries of an instance, in rows of whole blocks.
pub struct Entries {
    /// The first of the facilities that may stand for each.
    classes: Vec<u32>,
    /// Whether any two are alike.
    alike: bool,
    /// There, or of both directions together, and back.
    flows: [Rows; 2],
    distances: [Rows; 2],
    flow_corners: Rows,
    distance_corners: Rows,
    placing: Rows,
}

impl Entries {
    /// Of the buffer of matrices of `n` facilities, of which only those that are `asymmetric` have entries for the way back.
    pub fn new(words: &[u32], n: usize, asymmetric: bool) -> Self {
        let matrices = Matrices::new(words, n, asymmetric);
        let rows = |matrix: usize| Rows::from_rows((0..n).map(|row| matrices.row(matrix, row)), n);
        let back = |matrix: usize| if asymmetric { rows(matrix) } else { Rows::new(0) };
        let classes = matrices.classes();
        Self {
            alike: classes.iter().zip(0..).any(|(&class, facility)| class != facility),
            classes,
            flows: [rows(FLOWS_THERE), back(FLOWS_BACK)],
            distances: [rows(DISTANCES_THERE), back(DISTANCES_BACK)],
            flow_corners: rows(FLOW_CORNERS),
            distance_corners: rows(DISTANCE_CORNERS),
            placing: rows(PLACING),
        }
    }

    fn class(&self, facility: usize) -> usize {
        self.classes[facility] as usize
    }
}

/// The tables of a search.
pub struct Tables {
    /// The location of each facility.
    places: Vec<u32>,
    /// For u < v what their exchange adds to the cost.
    changes: Stacks,
    /// The table of products m(u, l) without those of the last exchanges, x(u) z(l), which are added together; and m(u, p(u)).
    products: Stacks,
    late: [(Vec<Block>, Vec<Block>); FUSED],
    lates: usize,
    diagonal: Vec<Block>,
    /// Facilities × locations: the first iteration in which a facility, or one like it, may go back to a location.
    tabu: Rows,
    /// For u < v the first iteration in which their exchange is not tabu; for each block none of its pairs has a later one.
    barred: Stacks,
    barred_until: Vec<i32>,
    /// By the last exchange: flows from one less those from the other facility, and distances likewise; both for the way back.
    x: [Vec<Block>; 2],
    y: [Vec<Block>; 2],
    not_zero: Vec<u32>,
    /// Distances from the new location of one facility less those from its old one, by location.
    toward: Vec<Block>,
    /// A facility's row of products, what it becomes in another table, and the corners of its changes.
    row: Vec<Block>,
    fresh: Vec<Block>,
    corners: Vec<Block>,
    /// The least changes that are allowed, at the places of each block.
    lows: Vec<Block>,
    /// Facilities whose part the table of products has; one more when all changes are there, too.
    made: usize,
}

impl Tables {
    /// For an assignment whose search begins. Empty facilities, those from `filled` on, may go back nowhere; two of them, or two
    /// others that are alike, are never exchanged.
    pub fn new(places: &[u32], entries: &Entries, filled: usize) -> Self {
        let n = places.len();
        let row = || vec![Block::zeroed(); blocks_of(n)];
        let mut tables = Self {
            places: places.to_vec(),
            changes: Stacks::new(n),
            products: Stacks::new(n),
            late: std::array::from_fn(|_| (row(), row())),
            lates: 0,
            diagonal: row(),
            tabu: Rows::new(n),
            barred: Stacks::new(n),
            barred_until: vec![0; n * blocks_of(n)],
            x: [row(), row()],
            y: [row(), row()],
            not_zero: Vec::with_capacity(n),
            toward: row(),
            row: row(),
            fresh: row(),
            corners: row(),
            lows: row(),
            made: 0,
        };
        (filled..n).for_each(|empty| tables.tabu.row_mut(empty).fill(NEVER as i32));
        for v in 1..n {
            let stack = v / WIDE * n;
            for (u, barred) in tables.barred.column_mut(v).enumerate().take(v) {
                if u >= filled || entries.class(u) == entries.class(v) {
                    *barred = NEVER as i32;
                    tables.barred_until[stack + u] = NEVER as i32;
                }
            }
        }
        tables
    }

    /// The location of each facility.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// Makes the tables of the assignment further, by `most` facilities; whether they are there.
    #[inline(always)]
    pub fn begin<S: Simd, const ASYMMETRIC: bool>(&mut self, simd: S, entries: &Entries, most: usize) -> bool {
        let n = self.places.len();
        if self.made > n {
            return true;
        }
        if self.made == 0 {
            (0..n).for_each(|u| self.products.set_row(u, entries.placing.blocks(u)));
        }
        let made = self.made;
        self.made = n.min(made + most);
        let to = self.made;
        let ways = entries.flows.iter().zip(&entries.distances).take(if ASYMMETRIC { 2 } else { 1 });
        for (flows, distances) in ways {
            let pair = |k: usize| (flows.row(k), distances.blocks(self.places[k] as usize));
            let pairs: Vec<_> = (made..to).map(pair).collect();
            self.products.add_many_products(simd, &pairs, &mut self.not_zero);
        }
        if self.made < n {
            return false;
        }
        self.made = n + 1;
        for u in 0..n {
            self.find_row(simd, u);
            numbers_mut(&mut self.diagonal)[u] = numbers(&self.row)[self.places[u] as usize];
        }
        // Nothing has been exchanged: the vectors are zeros.
        for u in 0..n {
            self.set_changes::<S, ASYMMETRIC>(simd, entries, u);
        }
        true
    }

    /// Without an exchange the next pass shifts nothing.
    pub fn forget_vectors(&mut self) {
        self.x.iter_mut().chain(&mut self.y).for_each(|vector| vector.fill(Block::zeroed()));
    }

    /// Shifts all changes by the last exchange; the allowed exchange of least change, the lowest pair on a tie.
    #[inline(always)]
    pub fn pass<S: Simd, const TABU: bool, const ASYMMETRIC: bool>(
        &mut self,
        simd: S,
        iteration: i32,
        aspiration: i32,
    ) -> Option<(i32, [usize; 2])> {
        let n = self.places.len();
        let stacks = self.changes.stacks_mut().zip(self.barred.stacks()).zip(self.barred_until.chunks_exact(n));
        let mut low = i32x16::splat(simd, NONE);
        for (block, ((changes, barred), barred_until)) in stacks.enumerate() {
            let allowed = Allowed { barred, barred_until, iteration, aspiration };
            let vectors = [&self.x, &self.y];
            let least = shift_stack::<S, TABU, ASYMMETRIC>(simd, block, changes, vectors, &allowed);
            self.lows[block].set(least);
            low = low.min(least);
        }
        let least = least_of(low);
        if least == NONE {
            return None;
        }
        let wanted = i32x16::splat(simd, least);
        let mut found = [n, n];
        let stacks = self.changes.stacks().zip(self.barred.stacks()).zip(&self.lows);
        for (block, ((changes, barred), low)) in stacks.enumerate() {
            if !low.get(simd).simd_eq(wanted).any_true() {
                continue;
            }
            let open = |barred: &Block| barred.get(simd).simd_le(i32x16::splat(simd, iteration));
            for (u, (change, barred)) in changes.iter().zip(barred).enumerate().take(found[0].min((block + 1) * WIDE)) {
                let mut here = change.get(simd).simd_eq(wanted);
                if TABU && least >= aspiration {
                    here &= open(barred);
                }
                // Behind the diagonal, and before the last facility.
                let valid = (1u64 << (n - block * WIDE).min(WIDE)) - 1;
                let valid = valid & (u64::MAX << (u + 1).saturating_sub(block * WIDE));
                let places = here.to_bitmask() & valid;
                if places != 0 {
                    found = [u, block * WIDE + places.trailing_zeros() as usize];
                    break;
                }
            }
        }
        Some((least, found))
    }

    /// Exchanges the locations of two facilities, keeps the table of products, and sets the changes of their pairs.
    #[inline(always)]
    pub fn exchange<S: Simd, const ASYMMETRIC: bool>(&mut self, simd: S, entries: &Entries, r: usize, s: usize) {
        let at = [self.places[r] as usize, self.places[s] as usize];
        self.places.swap(r, s);
        for way in 0..if ASYMMETRIC { 2 } else { 1 } {
            let difference = |of: &mut [Block], one: &[Block], other: &[Block]| {
                for (of, (one, other)) in of.iter_mut().zip(one.iter().zip(other)) {
                    of.set(one.get(simd) - other.get(simd));
                }
            };
            let (flows, distances) = (&entries.flows[way], &entries.distances[way]);
            difference(&mut self.x[way], flows.blocks(r), flows.blocks(s));
            difference(&mut self.toward, distances.blocks(at[1]), distances.blocks(at[0]));
            let toward = numbers(&self.toward);
            for (y, &place) in numbers_mut(&mut self.y[way]).iter_mut().zip(&self.places) {
                *y = toward[place as usize];
            }
            let (x_late, toward_late) = &mut self.late[self.lates];
            x_late.copy_from_slice(&self.x[way]);
            toward_late.copy_from_slice(&self.toward);
            self.lates += 1;
            if self.lates == FUSED {
                let pair = |late: usize| (numbers(&self.late[late].0), &self.late[late].1[..]);
                self.products.add_products(simd, &[pair(0), pair(1), pair(2), pair(3)], &mut self.not_zero);
                self.lates = 0;
            }
            for (product, (x, y)) in self.diagonal.iter_mut().zip(self.x[way].iter().zip(&self.y[way])) {
                product.set(product.get(simd) + x.get(simd) * y.get(simd));
            }
        }
        // Theirs is that of another location now.
        for moved in [r, s] {
            self.find_row(simd, moved);
            numbers_mut(&mut self.diagonal)[moved] = numbers(&self.row)[self.places[moved] as usize];
        }
        self.set_changes::<S, ASYMMETRIC>(simd, entries, r);
        self.set_changes::<S, ASYMMETRIC>(simd, entries, s);
    }

    /// The row of the table of products.
    #[inline(always)]
    fn find_row<S: Simd>(&mut self, simd: S, facility: usize) {
        self.products.copy_row(facility, &mut self.row);
        for (x, toward) in &self.late[..self.lates] {
            let x = i32x16::splat(simd, numbers(x)[facility]);
            for (sums, toward) in self.row.iter_mut().zip(toward) {
                sums.set(sums.get(simd) + x * toward.get(simd));
            }
        }
    }

    /// Sets the changes of all pairs with `moved` to what the next pass turns into the right ones.
    #[inline(always)]
    fn set_changes<S: Simd, const ASYMMETRIC: bool>(&mut self, simd: S, entries: &Entries, moved: usize) {
        let at = self.places[moved] as usize;
        self.find_row(simd, moved);
        let (row, corners) = (numbers(&self.row), entries.distance_corners.row(at));
        let fresh = numbers_mut(&mut self.fresh).iter_mut().zip(numbers_mut(&mut self.corners));
        for (((fresh, corner), &place), other) in fresh.zip(&self.places).zip(self.products.column(at)) {
            *fresh = row[place as usize].wrapping_add(other);
            *corner = corners[place as usize];
        }
        let own = |vector: &[Block]| i32x16::splat(simd, numbers(vector)[moved]);
        let diagonal = own(&self.diagonal);
        let (x, y) = ([own(&self.x[0]), own(&self.x[1])], [own(&self.y[0]), own(&self.y[1])]);
        for (block, fresh) in self.fresh.iter_mut().enumerate() {
            let of = |row: &[Block]| row[block].get(simd);
            let corner = of(entries.flow_corners.blocks(moved)) * of(&self.corners);
            let mut change = fresh.get(simd) - diagonal - of(&self.diagonal) + corner;
            for (x, toward) in &self.late[..self.lates] {
                change += of(x) * i32x16::splat(simd, numbers(toward)[at]);
            }
            for way in 0..if ASYMMETRIC { 2 } else { 1 } {
                change += (x[way] - of(&self.x[way])) * (y[way] - of(&self.y[way]));
            }
            fresh.set(change);
        }
        self.changes.set_row(moved, &self.fresh);
        for (change, &fresh) in self.changes.column_mut(moved).zip(&numbers(&self.fresh)[..moved]) {
            *change = fresh;
        }
    }

    /// Notes that a facility, or one like it, may go back to where it is from an iteration on.
    #[inline(always)]
    pub fn mark_tabu(&mut self, entries: &Entries, facility: usize, until: i32) {
        let at = self.places[facility] as usize;
        self.tabu.row_mut(entries.class(facility))[at] = until;
    }

    /// Notes from when on the exchanges of `moved` are not tabu.
    #[inline(always)]
    pub fn bar<S: Simd>(&mut self, simd: S, entries: &Entries, moved: usize) {
        let n = self.places.len();
        let (at, class) = (self.places[moved] as usize, entries.class(moved));
        let forth = self.tabu.row(class);
        if entries.alike {
            for (v, fresh) in numbers_mut(&mut self.fresh)[..n].iter_mut().enumerate() {
                let other = entries.class(v);
                let until = forth[self.places[v] as usize].min(self.tabu.row(other)[at]);
                *fresh = if other == class { NEVER as i32 } else { until };
            }
        } else {
            let others = self.places.iter().zip(self.tabu.rows());
            for (fresh, (&place, back)) in numbers_mut(&mut self.fresh).iter_mut().zip(others) {
                *fresh = forth[place as usize].min(back[at]);
            }
        }
        self.barred.set_row(moved, &self.fresh);
        for (until, fresh) in self.barred_until[moved..].iter_mut().step_by(n).zip(&self.fresh) {
            *until = greatest_of(fresh.get(simd));
        }
        let until = self.barred_until[moved / WIDE * n..].iter_mut().zip(self.barred.column_mut(moved));
        for ((latest, barred), &fresh) in until.zip(&numbers(&self.fresh)[..moved]) {
            *barred = fresh;
            *latest = fresh.max(*latest);
        }
    }
}

/// What tells which exchanges of a block of facilities with others are allowed.
struct Allowed<'a> {
    /// For the others the first iteration in which exchanges are not tabu; and none of the block's is later.
    barred: &'a [Block],
    barred_until: &'a [i32],
    iteration: i32,
    /// A change that is less is allowed all the same.
    aspiration: i32,
}

/// For a facility of a block: nothing below NONE up to the diagonal.
static BEHIND: [Block; WIDE] = {
    let mut behind = [Block::filled(NONE); WIDE];
    let mut facility = 0;
    while facility < WIDE {
        behind[facility] = Block::stepped(facility + 1, NONE, i32::MIN);
        facility += 1;
    }
    behind
};

/// Shifts the changes of the exchanges of a block of facilities with those before them; at each place the least that is allowed.
#[inline(always)]
fn shift_stack<S: Simd, const TABU: bool, const ASYMMETRIC: bool>(
    simd: S,
    block: usize,
    changes: &mut [Block],
    [x, y]: [&[Vec<Block>; 2]; 2],
    allowed: &Allowed<'_>,
) -> i32x16<S> {
    let n = changes.len();
    let none = i32x16::splat(simd, NONE);
    let [x_here, y_here] = [x[0][block].get(simd), y[0][block].get(simd)];
    let back_here = [x[1][block].get(simd), y[1][block].get(simd)];
    let (x_there, y_there) = (&numbers(&x[0])[..n], &numbers(&y[0])[..n]);
    let back_there = [&numbers(&x[1])[..n], &numbers(&y[1])[..n]];
    let (barred, barred_until) = (&allowed.barred[..n], &allowed.barred_until[..n]);
    let before = block * WIDE;
    let mut low = none;
    for u in 0..n.min(before + WIDE) {
        let less = |here: i32x16<S>, there: &[i32]| i32x16::splat(simd, there[u]) - here;
        let mut change = changes[u].get(simd) - less(x_here, x_there) * less(y_here, y_there);
        if ASYMMETRIC {
            change -= less(back_here[0], back_there[0]) * less(back_here[1], back_there[1]);
        }
        changes[u].set(change);
        if TABU && barred_until[u] > allowed.iteration {
            let open = barred[u].get(simd).simd_le(i32x16::splat(simd, allowed.iteration));
            let better = change.simd_lt(i32x16::splat(simd, allowed.aspiration));
            change = (open | better).select(change, none);
        }
        if u >= before {
            change = change.max(BEHIND[u - before].get(simd));
        }
        low = low.min(change);
    }
    if n - before < WIDE {
        low = low.max(Block::stepped(n - before, i32::MIN, NONE).get(simd));
    }
    low
}
