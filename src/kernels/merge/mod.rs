//! Merging: compatible gains of many windows become one new tour. In order: [`conflicts`], [`independent_set`], [`mark`], [`paths`],
//! [`order_index`], [`scatter`].

use crate::backend::Capabilities;
use crate::kernels::windows::window_order::removed_words;
use crate::wgsl::constant;

pub mod conflicts;
pub mod independent_set;
pub mod mark;
pub mod order_index;
pub mod paths;
pub mod scatter;

/// Lanes of the kernels that merge in one workgroup: `fewest`, or more where the new order of `cities` cities, or the choice among
/// `windows` windows, would otherwise take more loop turns than the device's budget.
pub(in crate::kernels) fn lanes(cities: usize, windows: usize, fewest: u32, device: &Capabilities) -> u32 {
    let most = 1 << device.workgroup_invocations.max(1).ilog2();
    let lanes = std::iter::successors(Some(fewest), |lanes| lanes.checked_mul(2)).take_while(|lanes| *lanes <= most);
    let turns = |lanes: u32| paths::turns(cities, lanes).max(independent_set::turns(windows, lanes));
    lanes.clone().find(|lanes| turns(*lanes) <= device.loop_budget).or(lanes.last()).unwrap_or(fewest)
}

/// The edges of the colony's tour that a window's search has removed; `shaders/merge/removed_list.wgsl`.
#[derive(Clone, Copy)]
struct RemovedList<'a> {
    gain: u32,
    /// A bit for each city of the window, set while the city is unsettled.
    unsettled: &'a [u32],
    removed: &'a [[u32; 3]],
}

impl<'a> RemovedList<'a> {
    /// Those of window `number`; windows have `cities` cities.
    fn of(removed: &'a [u32], cities: u32, number: usize) -> Self {
        let words = removed_words(cities as usize);
        let (head, list) = removed[number * words..(number + 1) * words].split_at(2 + cities.div_ceil(32) as usize);
        let list: &[[u32; 3]] = bytemuck::cast_slice(list);
        Self { gain: head[0], unsettled: &head[2..], removed: &list[..head[1] as usize] }
    }

    fn count(self) -> usize {
        self.removed.len()
    }

    fn position(self, index: usize) -> u32 {
        self.removed[index][0]
    }

    /// How many removed edges lie below a position.
    fn below(self, position: u32) -> usize {
        self.removed.partition_point(|cut| cut[0] < position)
    }
}

/// The paths that are left of the tour when edges are removed; `shaders/merge/path_list.wgsl`. Path i begins behind the i-th removed edge.
struct PathList<'a> {
    /// How many edges are removed; for each word of `removed_bits` how many before it; first positions; new first positions.
    paths: &'a [u32],
    removed_bits: &'a [u32],
    all: usize,
}

const REVERSED: u32 = constant!("merge/path_list", "REVERSED");

impl PathList<'_> {
    fn words(&self) -> usize {
        self.all.div_ceil(32)
    }

    fn count(&self) -> usize {
        self.paths[0] as usize
    }

    fn first(&self, path: usize) -> usize {
        self.paths[1 + self.words() + path] as usize
    }

    /// The new first position, and whether the path is walked backwards.
    fn new_first(&self, path: usize) -> (usize, bool) {
        let word = self.paths[1 + self.words() + self.all + path];
        ((word & !REVERSED) as usize, word & REVERSED != 0)
    }

    fn last(&self, path: usize) -> usize {
        let next = self.first(if path + 1 == self.count() { 0 } else { path + 1 });
        if next == 0 { self.all - 1 } else { next - 1 }
    }

    fn length(&self, path: usize) -> usize {
        let (first, last) = (self.first(path), self.last(path));
        (if last < first { last + self.all } else { last }) - first + 1
    }

    /// The path that holds a position: the one behind the last removed edge before it.
    fn holding(&self, position: usize) -> usize {
        let below = self.removed_bits[position / 32] & ((1 << (position % 32)) - 1);
        let before = self.paths[1 + position / 32] + below.count_ones();
        if before == 0 { self.count() - 1 } else { before as usize - 1 }
    }
}

#[cfg(test)]
mod tests;
