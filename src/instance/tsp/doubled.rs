//! Asymmetric distances made symmetric: the two-node transformation of Jonker and Volgenant ("Transforming asymmetric into symmetric
//! traveling salesman problems", 1983), with reduced costs.
//!
//! City c becomes a node 2c, where it is entered, and a node 2c + 1, where it is left; the edge between both stays in every tour. A
//! node that is left has an edge to each that is entered; other edges are so long that none is taken. Every tour has one edge at each
//! node beside the one that stays, so a number taken off all edges of a node changes the cost of every tour by that number. With the
//! dual variables of the assignment problem (Kuhn 1955) taken off, the edges of length 0 are those of an optimal assignment: near is
//! who is likely in a good tour, which nearest neighbours by length are not.

use rayon::prelude::*;

use super::assignment::Assignment;
use super::instance::{Instance, KernelForm};
use crate::error::{Error, Result};

/// The length of edges that are never taken: a sum of two fits in 31 bits.
const FORBIDDEN: u32 = (1 << 29) - 1;

/// The symmetric instance of an asymmetric one, and what that one's costs are above its costs.
///
/// # Errors
/// [`Error::Instance`] for distances that are too long, and for too many cities.
pub(super) fn doubled(instance: &Instance) -> Result<(Instance, i64)> {
    let n = instance.len();
    let Assignment { rows: leave, columns: enter, .. } =
        Assignment::new(n, |from, to| i64::from(instance.distance(from, to)));
    let reduced = |from: usize, to: usize| i64::from(instance.distance(from, to)) - leave[from] - enter[to];
    let all = (0..n).flat_map(|from| (0..n).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let longest = all.map(|(from, to)| reduced(from, to)).max().unwrap_or(0);
    if longest >= i64::from(FORBIDDEN) {
        return Err(Error::Instance(format!(
            "asymmetric distances up to {longest} are too long for Lin-Kernighan search and crossover, which take less than \
             {FORBIDDEN}; scale the weights down, or choose algorithm 'mmas'"
        )));
    }
    let nodes = 2 * n;
    let mut matrix = vec![FORBIDDEN; nodes * nodes];
    for from in 0..n {
        for to in 0..n {
            let (left, entered) = (2 * from + 1, 2 * to);
            let length = if from == to { 0 } else { reduced(from, to) as u32 };
            matrix[left * nodes + entered] = length;
            matrix[entered * nodes + left] = length;
        }
    }
    let mut doubled = Instance::from_matrix(instance.name(), nodes, matrix)?;
    doubled.kernel_form = KernelForm { paired: nodes, gap: None, doubled: true };
    Ok((doubled, leave.iter().sum::<i64>() + enter.iter().sum::<i64>()))
}

/// Of tours that are to differ two stretches change places so often as one in so many cities; the most cities of a stretch.
const CITIES_A_KICK: usize = 10;
const MOST_KICKED: usize = 50;

impl Instance {
    /// Tours of an instance that [`doubled`] has made: the first is an optimal assignment patched to a tour; in each of the others
    /// neighbouring stretches have changed places here and there, as words of `word` (tour, counter) tell.
    pub(crate) fn patched_tours(&self, count: usize, word: impl Fn(usize, u32) -> u32 + Sync) -> Vec<Vec<u32>> {
        let cost = |from: usize, to: usize| i64::from(self.distance(2 * from + 1, 2 * to));
        let n = self.len() / 2;
        let best = Assignment::new(n, cost).patched(cost);
        let tour = |index: usize| {
            let mut tour = best.clone();
            let kicks = if index == 0 || n < 3 { 0 } else { n.div_ceil(CITIES_A_KICK) };
            for kick in 0..kicks as u32 {
                let draw = |which: u32, range: usize| {
                    ((u64::from(word(index, 3 * kick + which)) * range as u64) >> 32) as usize
                };
                let [first, second] = [0, 1].map(|which| 1 + draw(which, MOST_KICKED.min(n / 3)));
                let begin = draw(2, n + 1 - first - second);
                tour[begin..begin + first + second].rotate_left(first);
            }
            tour.into_iter().flat_map(|city| [2 * city, 2 * city + 1]).collect()
        };
        (0..count).into_par_iter().map(tour).collect()
    }
}
