//! A child: paths of parent A's tour joined in a new way, and sub-tours merged. Twin of `shaders/eax/sub_tours.wgsl`.

use crate::kernels::eax::recombine::inputs::{Ground, Tour};
use crate::kernels::eax::recombine::{CUTS, MOST_LOOKED, PATH_LOOKS, PATHS};

/// A path of the tour: its first and last position, the sub-tour it belongs to.
#[derive(Clone, Copy)]
struct Path {
    first: usize,
    last: usize,
    sub_tour: usize,
}

impl Path {
    fn length(&self, cities: usize) -> usize {
        (if self.last < self.first { self.last + cities } else { self.last }) - self.first + 1
    }

    fn positions<'a>(self, tour: Tour<'a>) -> impl Iterator<Item = usize> + use<'a> {
        (0..self.length(tour.cities.len())).map(move |step| tour.turned(self.first + step))
    }
}

/// An own edge that goes: the position before it, whether its cycle leads along it backwards, the one that follows on its cycle.
#[derive(Clone, Copy)]
struct Exchanged {
    at: usize,
    backwards: bool,
    next: usize,
}

/// Memory for children, used again and again.
pub(in crate::kernels) struct Parts {
    exchanged: Vec<Exchanged>,
    /// Their indices in the order of the tour, and the place of each in it.
    order: Vec<usize>,
    ranks: Vec<usize>,
    paths: Vec<Path>,
    /// What each end is tied to; a path's first end is 2 path, its last 2 path + 1.
    ties: Vec<usize>,
    /// Cities of each sub-tour; `None` when it has been merged to another.
    sizes: Vec<Option<u32>>,
    /// For each position behind which the tour is cut the paths before and behind.
    cuts: Vec<Option<[u8; 2]>>,
    /// The number of the merge in which each city was last of the sub-tour that is merged, and that of the present one.
    joined: Vec<u32>,
    join: u32,
    pub gain: u32,
    loss: u32,
}

/// A merge of two sub-tours.
#[derive(Clone, Copy)]
struct Join {
    at: usize,
    forward: bool,
    near: u32,
    near_forward: bool,
}

impl Parts {
    pub fn new(cities: usize) -> Self {
        Self {
            exchanged: Vec::with_capacity(CUTS),
            order: Vec::with_capacity(CUTS),
            ranks: Vec::with_capacity(CUTS),
            paths: Vec::with_capacity(PATHS),
            ties: Vec::with_capacity(2 * PATHS),
            sizes: Vec::new(),
            cuts: vec![None; cities],
            joined: vec![0; cities],
            join: 0,
            gain: 0,
            loss: 0,
        }
    }

    /// Entropy that is lost; none where some is gained.
    pub fn lost(&self) -> u32 {
        if self.loss >= 1 << 31 { 0 } else { self.loss }
    }

    /// First and last position and ties of each path.
    pub fn told(&self) -> impl Iterator<Item = [u32; 4]> {
        let ties = |end: usize| self.ties[end] as u32;
        let told =
            move |(path, at): (usize, &Path)| [at.first as u32, at.last as u32, ties(2 * path), ties(2 * path + 1)];
        self.paths.iter().enumerate().map(told)
    }

    fn tie(&mut self, a: usize, b: usize) {
        self.ties[a] = b;
        self.ties[b] = a;
    }

    fn length(&self, path: usize) -> usize {
        self.paths[path].length(self.cuts.len())
    }

    /// The position at an end.
    fn position(&self, end: usize) -> usize {
        let path = &self.paths[end / 2];
        if end % 2 == 1 { path.last } else { path.first }
    }

    /// Begins a child: no edge is exchanged yet.
    pub fn begin(&mut self) {
        self.exchanged.clear();
        (self.gain, self.loss) = (0, 0);
    }

    /// What is exchanged: own edges that go, gain and loss. [`Parts::back_to`] takes back what has come since.
    pub fn exchanged(&self) -> (usize, u32, u32) {
        (self.exchanged.len(), self.gain, self.loss)
    }

    /// See [`Parts::exchanged`]; the tour is to be divided again.
    pub fn back_to(&mut self, (count, gain, loss): (usize, u32, u32)) {
        self.exchanged.truncate(count);
        (self.gain, self.loss) = (gain, loss);
    }

    /// Exchanges the edges of a cycle, which begins with one of the tour's own, too; the tour is to be divided then.
    pub fn add<const FROM: u8>(&mut self, ground: &Ground<'_, FROM>, tour: Tour<'_>, cycle: &[u32]) {
        let (first, count) = (self.exchanged.len(), cycle.len() / 2);
        for index in 0..count {
            let [a, b, c] = [0, 1, 2].map(|step| cycle[(2 * index + step) % cycle.len()]);
            self.gain = self.gain.wrapping_add(ground.distance(a, b)).wrapping_sub(ground.distance(b, c));
            self.loss = self.loss.wrapping_add(ground.loss_without(a, b)).wrapping_add(ground.loss_with(b, c));
            let (at, next) = (tour.position(a), tour.position(b));
            let backwards = tour.turned(at + 1) != next;
            let at = if backwards { next } else { at };
            self.exchanged.push(Exchanged { at, backwards, next: first + (index + 1) % count });
        }
    }

    /// Cuts the tour at all edges of A that are removed, and joins the paths by those of B: one or more sub-tours.
    pub fn divide(&mut self, tour: Tour<'_>) {
        let Self { exchanged, order, ranks, paths, ties, cuts, .. } = self;
        paths.iter().for_each(|path| cuts[path.last] = None);
        let count = exchanged.len();
        order.clear();
        order.extend(0..count);
        order.sort_unstable_by_key(|&index| exchanged[index].at);
        ranks.resize(count, 0);
        order.iter().enumerate().for_each(|(rank, &index)| ranks[index] = rank);
        let before = |rank: usize| if rank == 0 { count - 1 } else { rank - 1 };
        let cut = |rank: usize| exchanged[order[rank]].at;
        paths.clear();
        paths.extend((0..count).map(|rank| Path {
            first: tour.turned(cut(rank) + 1),
            last: cut(if rank + 1 == count { 0 } else { rank + 1 }),
            sub_tour: usize::MAX,
        }));
        for rank in 0..count {
            cuts[cut(rank)] = Some([before(rank) as u8, rank as u8]);
        }
        ties.clear();
        ties.resize(2 * count, 0);
        // The end of an own edge where its cycle comes from, or where it leads.
        let end = |index: usize, leads: bool| {
            let rank = ranks[index];
            if leads == exchanged[index].backwards { 2 * before(rank) + 1 } else { 2 * rank }
        };
        for (index, edge) in exchanged.iter().enumerate() {
            let (a, b) = (end(index, true), end(edge.next, false));
            ties[a] = b;
            ties[b] = a;
        }
        self.sizes.clear();
        for path in 0..count {
            if self.paths[path].sub_tour != usize::MAX {
                continue;
            }
            let (mut cities, mut end) = (0, 2 * path);
            while self.paths[end / 2].sub_tour == usize::MAX {
                self.paths[end / 2].sub_tour = self.sizes.len();
                cities += self.length(end / 2) as u32;
                end = self.ties[end ^ 1];
            }
            self.sizes.push(Some(cities));
        }
    }

    /// Parts that there are, before any are merged.
    pub fn sub_tours(&self) -> usize {
        self.sizes.len()
    }

    /// The smallest sub-tour and its cities.
    fn smallest(&self) -> (u32, usize) {
        let sub_tours = self.sizes.iter().zip(0usize..).filter_map(|(size, sub_tour)| Some(((*size)?, sub_tour)));
        let Some(smallest) = sub_tours.min() else { unreachable!("some sub_tour is left") };
        smallest
    }

    /// The paths of a sub-tour.
    fn paths_of(&self, sub_tour: usize) -> impl Iterator<Item = usize> {
        (0..self.paths.len()).filter(move |&path| self.paths[path].sub_tour == sub_tour)
    }

    /// The positions of the smallest sub-tour; `None` where it is larger than any that is merged.
    pub fn smallest_part(&self) -> Option<impl Iterator<Item = usize>> {
        let (size, sub_tour) = self.smallest();
        let n = self.cuts.len();
        let positions = move |path: usize| (0..self.length(path)).map(move |step| (self.paths[path].first + step) % n);
        (size + PATH_LOOKS * self.paths_of(sub_tour).count() as u32 <= MOST_LOOKED)
            .then(move || self.paths_of(sub_tour).flat_map(positions))
    }

    /// The end at a position next to a cut, on its side; `None` where the tour is whole.
    fn end_beside(&self, tour: Tour<'_>, position: usize, forward: bool) -> Option<usize> {
        let [before, behind] = self.cuts[if forward { position } else { tour.before(position) }]?;
        Some(if forward { 2 * before as usize + 1 } else { 2 * behind as usize })
    }

    /// The position of the city that follows, or comes before, as paths are tied now.
    #[inline]
    fn beside(&self, tour: Tour<'_>, position: usize, forward: bool) -> usize {
        match self.end_beside(tour, position, forward) {
            Some(end) => self.position(self.ties[end]),
            None if forward => tour.turned(position + 1),
            None => tour.before(position),
        }
    }

    /// The cheapest way to merge a sub-tour to another: what it adds, with the sign turned, and which.
    fn cheapest_join<const FROM: u8, const PAIRED: bool>(
        &mut self,
        ground: &Ground<'_, FROM>,
        tour: Tour<'_>,
        mine: &[usize],
    ) -> Option<(u32, Join)> {
        self.join += 1;
        for &path in mine {
            for at in self.paths[path].positions(tour) {
                self.joined[tour.cities[at] as usize] = self.join;
            }
        }
        // The city beside a position on either side, and how far away it is.
        let beside = |city: u32, at: usize| {
            [false, true].map(|forward| {
                let beside = tour.cities[self.beside(tour, at, forward)];
                (beside, ground.distance(city, beside))
            })
        };
        let mut least = (u32::MAX, u32::MAX);
        let mut cheapest = None;
        for at in mine.iter().flat_map(|&path| self.paths[path].positions(tour)) {
            let city = tour.cities[at];
            let mine_beside = beside(city, at);
            for rank in 0..ground.ranks {
                let [near, near_distance] = ground.near(city, rank);
                if self.joined[near as usize] == self.join {
                    continue;
                }
                let near_beside = beside(near, tour.position(near));
                for way in 0..4 {
                    let (forward, near_forward) = (way & 2 != 0, way & 1 != 0);
                    let (next, apart) = mine_beside[usize::from(forward)];
                    let (near_next, near_apart) = near_beside[usize::from(near_forward)];
                    let added = near_distance.wrapping_add(ground.distance(next, near_next));
                    let cost = match PAIRED && (ground.is_pair(city, next) || ground.is_pair(near, near_next)) {
                        true => u32::MAX,
                        false => added.wrapping_sub(apart).wrapping_sub(near_apart) ^ (1 << 31),
                    };
                    let what = (at * ground.ranks + rank) as u32 * 4 + way;
                    if (cost, what) < least {
                        least = (cost, what);
                        cheapest = Some(Join { at, forward, near, near_forward });
                    }
                }
            }
        }
        cheapest.map(|join| (least.0, join))
    }

    /// Opens the edge between a position and the one beside it; their ends.
    fn open_beside(&mut self, tour: Tour<'_>, position: usize, forward: bool) -> (usize, usize) {
        if let Some(end) = self.end_beside(tour, position, forward) {
            return (end, self.ties[end]);
        }
        let edge = if forward { position } else { tour.before(position) };
        let holds = |path: &usize| {
            let first = self.paths[*path].first;
            (if edge < first { edge + tour.cities.len() } else { edge }) - first < self.length(*path)
        };
        let Some(path) = (0..self.paths.len()).find(holds) else { unreachable!("paths hold every position") };
        let added = self.paths.len();
        let Path { last, sub_tour, .. } = self.paths[path];
        self.paths.push(Path { first: tour.turned(edge + 1), last, sub_tour });
        self.paths[path].last = edge;
        self.ties.extend([0, 0]);
        self.tie(2 * added + 1, self.ties[2 * path + 1]);
        if let Some(cut) = &mut self.cuts[last] {
            cut[0] = added as u8;
        }
        self.cuts[edge] = Some([path as u8, added as u8]);
        if forward { (2 * path + 1, 2 * added) } else { (2 * added, 2 * path + 1) }
    }

    /// Merges all sub-tours, the smallest one first; whether the exchange gains still.
    pub fn join_all<const FROM: u8>(&mut self, ground: &Ground<'_, FROM>, tour: Tour<'_>) -> bool {
        let mut looked = 0;
        let mut mine = Vec::new();
        for _ in 1..self.sizes.len() {
            if !self.gains() {
                return false;
            }
            let (size, sub_tour) = self.smallest();
            mine.clear();
            mine.extend(self.paths_of(sub_tour));
            looked += size + PATH_LOOKS * mine.len() as u32;
            if looked > MOST_LOOKED || self.paths.len() + 2 > PATHS {
                return false;
            }
            let join = match ground.paired {
                0 => self.cheapest_join::<FROM, false>(ground, tour, &mine),
                _ => self.cheapest_join::<FROM, true>(ground, tour, &mine),
            };
            let Some((cost, join)) = join else { return false };
            let Join { at, forward, near, near_forward } = join;
            let (city, near_at) = (tour.cities[at], tour.position(near));
            let next = tour.cities[self.beside(tour, at, forward)];
            let near_next = tour.cities[self.beside(tour, near_at, near_forward)];
            for loss in [
                ground.loss_without(city, next),
                ground.loss_without(near, near_next),
                ground.loss_with(city, near),
                ground.loss_with(next, near_next),
            ] {
                self.loss = self.loss.wrapping_add(loss);
            }
            let ends = self.open_beside(tour, at, forward);
            let near_ends = self.open_beside(tour, near_at, near_forward);
            self.tie(ends.0, near_ends.0);
            self.tie(ends.1, near_ends.1);
            let into = self.paths[near_ends.0 / 2].sub_tour;
            self.paths.iter_mut().filter(|path| path.sub_tour == sub_tour).for_each(|path| path.sub_tour = into);
            self.gain = self.gain.wrapping_sub(cost ^ (1 << 31));
            self.sizes[into] = self.sizes[into].map(|other| other + size);
            self.sizes[sub_tour] = None;
        }
        self.gains()
    }

    fn gains(&self) -> bool {
        (1..1 << 31).contains(&self.gain)
    }
}
