//! Merging windows drawn by chance, by the twins: conflicts are what their definition says, who is chosen gains most, and the new tour is one
//! tour with all ties of the chosen windows.

use bytemuck::Zeroable;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{conflicts, independent_set, lanes, mark, order_index, paths, scatter};
use crate::backend::{Access, Backend, BufferId, Call, Capabilities, CpuBackend, KernelSpec, Twin};
use crate::kernels::shared::state::{State, join, split};
use crate::kernels::windows::ChainedProgress;
use crate::kernels::windows::window_order::{removed_words, window_words};

/// Cities of a window, with halves and a last word of bits that differ.
const WINDOW: usize = 37;
const TAG: u32 = 5;
const COST: u64 = (70 << 32) + 1000;
const GAIN: u32 = 500_000_000;

/// What a window removes of the tour and puts in its place.
#[derive(Clone, Default)]
struct Window {
    gain: u32,
    /// Positions of removed edges, in order.
    removed: Vec<usize>,
    /// For each the new neighbours of the city there and of the one behind it.
    ties: Vec<[u32; 2]>,
    unsettled: [u32; WINDOW.div_ceil(32)],
    /// The places of the first city of either half.
    firsts: [usize; 2],
}

/// A tour with windows.
struct Case {
    tour: Vec<u32>,
    order: Vec<u32>,
    windows: Vec<Window>,
}

/// Ties by which the paths that are left of the tour become one tour again: in any order, in any direction.
fn joined(random: &mut Pcg64Mcg, tour: &[u32], removed: &[usize]) -> Vec<[u32; 2]> {
    let count = removed.len();
    let ends = |path: usize| {
        let (first, last) = ((removed[path] + 1) % tour.len(), removed[(path + 1) % count]);
        // The slot of a path's end: the removed edge there, and on which side of it the city lies.
        [((path, 1), tour[first]), (((path + 1) % count, 0), tour[last])]
    };
    let mut rest: Vec<usize> = (1..count).collect();
    rest.shuffle(random);
    let mut walk = vec![ends(0)];
    for path in rest {
        let [first, last] = ends(path);
        walk.push(if random.random_range(0..2) == 0 { [first, last] } else { [last, first] });
    }
    let mut ties = vec![[u32::MAX; 2]; count];
    for (at, [_, exit]) in walk.iter().enumerate() {
        let [entry, _] = walk[(at + 1) % count];
        let ((edge, side), (other_edge, other_side)) = (exit.0, entry.0);
        ties[edge][side] = entry.1;
        ties[other_edge][other_side] = exit.1;
    }
    ties
}

fn case(random: &mut Pcg64Mcg, cities: usize) -> Case {
    let shuffled = |random: &mut Pcg64Mcg| {
        let mut all: Vec<u32> = (0..cities as u32).collect();
        all.shuffle(random);
        all
    };
    let (tour, order) = (shuffled(random), shuffled(random));
    let count = random.random_range(1..40);
    let windows = (0..count).map(|_| {
        let mut window = Window {
            unsettled: std::array::from_fn(|_| random.random()),
            firsts: [random.random_range(0..cities), random.random_range(0..cities)],
            ..Window::default()
        };
        if random.random_range(0..5) > 0 {
            // Near each other, or anywhere, across the tour's end too.
            let (base, span) =
                (random.random_range(0..cities), [6, 12, cities][random.random_range(0..3usize)].min(cities));
            let mut near: Vec<usize> = (0..span).map(|step| (base + step) % cities).collect();
            near.shuffle(random);
            near.truncate(random.random_range(2..7));
            near.sort_unstable();
            window.ties = joined(random, &tour, &near);
            // Few gains, so that some are equal, and two may be more than a word holds.
            (window.removed, window.gain) = (near, random.random_range(1..9) * GAIN);
        }
        window
    });
    let windows = windows.collect();
    Case { tour, order, windows }
}

/// The buffers and kernels of merging.
struct Merging {
    backend: CpuBackend,
    order: BufferId,
    conflicts: BufferId,
    chosen: BufferId,
    state: BufferId,
    unsettled: BufferId,
    bests: BufferId,
    positions: BufferId,
    bits: BufferId,
    kernels: Vec<(&'static str, u32)>,
}

impl Merging {
    /// Of windows whose searches are done in the iterations that `done` tells for their numbers.
    fn of(case: &Case, done: impl Fn(usize) -> u32) -> Self {
        let (cities, windows) = (case.tour.len(), case.windows.len());
        let words = |count: usize| count.div_ceil(32);
        let mut backend = CpuBackend::new();
        let mut with = |words: Vec<u32>| backend.buffer_with("", words).unwrap();
        let (mut places, mut lists, mut progress) = (Vec::new(), Vec::new(), Vec::new());
        for (number, window) in case.windows.iter().enumerate() {
            let start = places.len();
            places.extend([0, window.firsts[0] as u32, window.firsts[1] as u32]);
            places.resize(start + window_words(WINDOW), u32::MAX);
            let start = lists.len();
            lists.extend([window.gain, window.removed.len() as u32]);
            lists.extend(window.unsettled);
            for (&at, &[after, before]) in window.removed.iter().zip(&window.ties) {
                lists.extend([at as u32, after, before]);
            }
            lists.resize(start + removed_words(WINDOW), u32::MAX);
            progress.push(ChainedProgress { search_done: done(number), ..ChainedProgress::zeroed() });
        }
        let mut positions = vec![0; cities];
        case.tour.iter().enumerate().for_each(|(at, &city)| positions[city as usize] = at as u32);
        let state = State { iteration: TAG - 1, best_cost: split(COST), ..State::zeroed() };
        let (places, removed, order) = (with(places), with(lists), with(case.order.clone()));
        let (progress, state) = (with(bytemuck::cast_slice(&progress).to_vec()), with(state.words().to_vec()));
        let (conflicts, chosen) =
            (with(vec![u32::MAX; windows * words(windows)]), with(vec![u32::MAX; words(windows)]));
        let (unsettled, bits) = (with(vec![u32::MAX; words(cities)]), with(vec![0; words(cities)]));
        // Ties of iterations before, which mean nothing now.
        let (ties, hops) = (with([case.tour.clone(), case.order.clone()].concat()), with(vec![0; 8 * cities]));
        let (bests, positions) = (with(case.tour.clone()), with(positions));
        let paths_buffer = with(vec![u32::MAX; 1 + words(cities) + 2 * cities]);
        let mut kernels = Vec::new();
        let mut kernel = |name, params: &[u8], twin: Twin, reads: &[BufferId], writes: &[BufferId], units: usize| {
            let bindings =
                reads.iter().map(|&id| (id, Access::Read)).chain(writes.iter().map(|&id| (id, Access::Write)));
            let spec = KernelSpec {
                name,
                source: String::new(),
                constants: Vec::new(),
                params: params.to_vec(),
                bindings: bindings.collect(),
                workgroup_bytes: 0,
                units_per_workgroup: 1,
                twin,
            };
            backend.kernel(spec).unwrap();
            kernels.push((name, units as u32));
        };
        let window = conflicts::Params {
            windows: windows as u32,
            words: words(windows) as u32,
            cities: WINDOW as u32,
            budget: 0,
        };
        let window = bytemuck::bytes_of(&window);
        kernel(conflicts::NAME, window, conflicts::twin, &[removed], &[conflicts], windows);
        kernel(
            independent_set::NAME,
            window,
            independent_set::twin,
            &[removed, conflicts, progress],
            &[state, chosen],
            1,
        );
        let marked = mark::Params { cities: WINDOW as u32, all: cities as u32, padding: [0; 2] };
        let (reads, writes) = ([places, removed, chosen, order], [unsettled, bits, ties]);
        kernel(mark::NAME, bytemuck::bytes_of(&marked), mark::twin, &reads, &writes, windows);
        let path = paths::Params { all: cities as u32, words: words(cities) as u32, padding: [0; 2] };
        let (reads, writes) = ([bits, ties, bests, positions], [state, paths_buffer, hops]);
        kernel(paths::NAME, bytemuck::bytes_of(&path), paths::twin, &reads, &writes, 1);
        let reads = [bits, paths_buffer, bests];
        kernel(order_index::NAME, bytemuck::bytes_of(&path), order_index::twin, &reads, &[positions], cities);
        let scattered = scatter::Params { words: words(cities) as u32, padding: [0; 3] };
        let (reads, writes) = ([paths_buffer, positions], [bests, bits]);
        kernel(scatter::NAME, bytemuck::bytes_of(&scattered), scatter::twin, &reads, &writes, cities);
        Self { backend, order, conflicts, chosen, state, unsettled, bests, positions, bits, kernels }
    }

    fn run(&mut self, name: &str) {
        let kernel = self.kernels.iter().position(|(known, _)| *known == name).unwrap();
        // In two calls, where there is more than one unit.
        let (middle, units) = (self.kernels[kernel].1 / 2, self.kernels[kernel].1);
        for units in [0..middle, middle..units] {
            if !units.is_empty() {
                self.backend.run(&[Call { kernel: crate::backend::KernelId(kernel), units }]).unwrap();
            }
        }
    }

    fn words(&mut self, buffer: BufferId, count: usize) -> Vec<u32> {
        self.backend.read(buffer, 0..count).unwrap()
    }

    fn state(&mut self) -> State {
        State::from_words(&self.words(self.state, size_of::<State>() / 4))
    }
}

fn bit(words: &[u32], at: usize) -> bool {
    words[at / 32] >> (at % 32) & 1 == 1
}

/// Whether both gains can be taken over: all edges that one removes lie on one path between those of the other.
fn compatible(one: &Window, other: &Window, cities: usize) -> bool {
    // The path of a position is that of the first removed edge from there on.
    let path = |at: usize| (0..cities).map(|step| (at + step) % cities).find(|at| one.removed.contains(at));
    let apart = one.removed.iter().all(|at| !other.removed.contains(at));
    apart && other.removed.iter().all(|&at| path(at) == path(other.removed[0]))
}

/// Edges of a tour, each with its smaller city first, in order.
fn edges(tour: &[u32]) -> Vec<[u32; 2]> {
    let next = tour.iter().cycle().skip(1);
    let mut edges: Vec<_> = tour.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges
}

fn check(case: &Case) {
    let (cities, count) = (case.tour.len(), case.windows.len());
    let active: Vec<usize> = (0..count).filter(|&number| !case.windows[number].removed.is_empty()).collect();
    let mut merging = Merging::of(case, |_| TAG);
    merging.run(conflicts::NAME);
    let row_words = count.div_ceil(32);
    let rows = merging.words(merging.conflicts, count * row_words);
    let conflict = |one: usize, other: usize| {
        let both = [one, other].iter().all(|number| active.contains(number));
        one != other && both && !compatible(&case.windows[one], &case.windows[other], cities)
    };
    for one in 0..count {
        for other in 0..32 * row_words {
            let expected = other < count && conflict(one, other);
            assert_eq!(bit(&rows[one * row_words..], other), expected, "windows {one} and {other}");
        }
    }

    merging.run(independent_set::NAME);
    let bits = merging.words(merging.chosen, row_words);
    let chosen: Vec<usize> = (0..32 * row_words).filter(|&number| bit(&bits, number)).collect();
    // One is left out only for a chosen one that gains more, or as much with a smaller number.
    for &number in &active {
        let before = |&&other: &&usize| {
            let gains = [other, number].map(|number| case.windows[number].gain);
            gains[0] > gains[1] || (gains[0] == gains[1] && other < number)
        };
        let left_out = chosen.iter().filter(before).any(|&other| conflict(number, other));
        assert_eq!(chosen.contains(&number), !left_out, "window {number}");
    }
    assert!(chosen.iter().all(|number| active.contains(number)));
    let gain: u64 = chosen.iter().map(|&number| u64::from(case.windows[number].gain)).sum();
    let state = merging.state();
    let costs = [state.best_cost, state.iteration_cost, state.restart_cost].map(join);
    assert_eq!((state.iteration, state.failures, costs), (TAG, 0, [COST - gain; 3]));
    let since = if gain > 0 { TAG } else { 0 };
    assert_eq!([state.best_iteration, state.restart_improved], [since; 2]);

    for name in [mark::NAME, paths::NAME, order_index::NAME, scatter::NAME] {
        merging.run(name);
    }
    assert_eq!(merging.state().failures, 0);
    let mut expected = edges(&case.tour);
    for window in chosen.iter().map(|&number| &case.windows[number]) {
        for &at in &window.removed {
            let (here, next) = (case.tour[at], case.tour[(at + 1) % cities]);
            let place = expected.iter().position(|edge| *edge == [here.min(next), here.max(next)]);
            expected.swap_remove(place.expect("each edge is removed once"));
        }
        let mut ties: Vec<[u32; 2]> = Vec::new();
        for (&at, &[after, before]) in window.removed.iter().zip(&window.ties) {
            let (here, next) = (case.tour[at], case.tour[(at + 1) % cities]);
            ties.extend([[here.min(after), here.max(after)], [next.min(before), next.max(before)]]);
        }
        // Each is told at both of its ends.
        ties.sort_unstable();
        expected.extend(ties.chunks(2).map(|tie| tie[0]));
    }
    expected.sort_unstable();
    let tour = merging.words(merging.bests, cities);
    assert_eq!(edges(&tour), expected, "the new tour");
    let positions = merging.words(merging.positions, cities);
    assert!(tour.iter().enumerate().all(|(at, &city)| positions[city as usize] as usize == at), "its positions");
    let bits = merging.words(merging.bits, cities.div_ceil(32));
    assert!(chosen.is_empty() || bits.iter().all(|word| *word == 0), "marks are gone");

    let unsettled = merging.words(merging.unsettled, cities.div_ceil(32));
    let order = merging.words(merging.order, cities);
    let mut left = vec![true; cities];
    let settles = |(number, window): &(usize, &Window)| chosen.contains(number) || window.removed.is_empty();
    for (_, window) in case.windows.iter().enumerate().filter(settles) {
        for label in (0..WINDOW).filter(|&label| !bit(&window.unsettled, label)) {
            let half = WINDOW / 2;
            let place = if label < half { window.firsts[0] + label } else { window.firsts[1] + label - half };
            left[order[place % cities] as usize] = false;
        }
    }
    assert!((0..cities).all(|city| bit(&unsettled, city) == left[city]), "unsettled cities");
}

#[test]
fn merged_tours_have_the_ties_of_the_windows_that_gain_most() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    for round in 0..400 {
        // A whole number of words among them.
        let cities = if round % 4 == 0 { 64 } else { random.random_range(WINDOW..200) };
        check(&case(&mut random, cities));
    }
    // The last window removes as many edges as its list holds.
    let mut full = case(&mut random, 64);
    let removed: Vec<usize> = (0..WINDOW).map(|step| step + 20).collect();
    let ties = joined(&mut random, &full.tour, &removed);
    full.windows.push(Window { gain: 8 * GAIN + 1, removed, ties, ..Window::default() });
    check(&full);
}

#[test]
fn a_search_that_is_not_done_and_ties_that_make_no_tour_are_failures() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    let mut case = case(&mut random, 90);
    let last = case.windows.len() - 1;
    let odd: [&dyn Fn(usize) -> u32; 3] =
        [&|_| TAG - 1, &|_| TAG + 1, &|number| if number == last { TAG - 1 } else { TAG }];
    for done in odd {
        let mut late = Merging::of(&case, done);
        late.run(conflicts::NAME);
        late.run(independent_set::NAME);
        assert_eq!(late.state().failures, 2);
        late.run(independent_set::NAME);
        assert_eq!(late.state().failures, 2, "a failure stays");
    }

    // Two edges removed, and the ends of each path tied to each other: two tours.
    let [a, b] = [10, 50];
    let ties = vec![[case.tour[b + 1], case.tour[b]], [case.tour[a + 1], case.tour[a]]];
    case.windows = vec![Window { gain: 1, removed: vec![a, b], ties, ..Window::default() }];
    let mut broken = vec![case.windows.clone()];
    // A walk that never comes back to where it began.
    let ties = [[31, 0], [31, 10], [61, 60]].map(|tie| tie.map(|at: usize| case.tour[at])).to_vec();
    broken.push(vec![Window { gain: 1, removed: vec![10, 30, 60], ties, ..Window::default() }]);
    // One that comes back to it from the wrong side.
    let ties = [[b, a], [b + 1, b]].map(|tie| tie.map(|at: usize| case.tour[at])).to_vec();
    broken.push(vec![Window { gain: 1, removed: vec![a, b], ties, ..Window::default() }]);
    for windows in broken {
        case.windows = windows;
        let mut broken = Merging::of(&case, |_| TAG);
        for name in [conflicts::NAME, independent_set::NAME, mark::NAME, paths::NAME] {
            broken.run(name);
        }
        assert_eq!(broken.state().failures, 4);
        assert_eq!(join(broken.state().best_cost), COST - 1, "the least gain counts");
        // The searches are of the iteration before now.
        broken.run(independent_set::NAME);
        assert_eq!(broken.state().failures, 6, "both are told");
    }
}

#[test]
fn more_cities_take_more_lanes() {
    let device = |loop_budget, workgroup_invocations| Capabilities {
        loop_budget,
        workgroup_invocations,
        ..CpuBackend::new().capabilities().clone()
    };
    for cities in [100, 5_000, 200_000] {
        for budget in [900, 20_000, 65_535] {
            for most in [64, 100, 1024] {
                let chosen = lanes(cities, 32, 32, &device(budget, most));
                assert!(chosen.is_power_of_two() && (32..=most).contains(&chosen));
                assert!(paths::turns(cities, chosen) <= budget || 2 * chosen > most, "no more would do");
                assert!(chosen == 32 || paths::turns(cities, chosen / 2) > budget, "fewer do not do");
            }
        }
    }
    // A budget may be used up; a device without workgroups has the fewest.
    let turns = paths::turns(5_000, 64);
    assert_eq!([turns, turns - 1].map(|budget| lanes(5_000, 32, 32, &device(budget, 1024))), [64, 128]);
    assert_eq!(lanes(5_000, 32, 32, &device(900, 0)), 32);
    // Very many windows ask for more than their cities do.
    assert_eq!([1_000, 8_192].map(|windows| lanes(20_000, windows, 32, &device(65_535, 1024))), [32, 128]);
    assert_eq!(paths::turns(1 << 30, 1), u32::MAX);
}

/// Counted as the kernel's loops run where every edge is removed, by its first lane, which has most to do.
#[test]
fn loop_turns_of_paths_are_those_of_its_loops() {
    let all: [(usize, usize); 4] = [(40, 32), (1025, 32), (5_000, 64), (200_000, 256)];
    for (cities, count) in all {
        let (each, nodes) = (cities.div_ceil(32).div_ceil(count), 2 * cities);
        let strides = (0..nodes).step_by(count).count();
        let spans =
            std::iter::successors(Some(1), |span: &usize| Some(2 * span)).take_while(|span| *span < nodes).count();
        // Words, and words with their bits; sums; nodes before, in and after the rounds.
        let counted = each * (1 + 1 + 32) + count + strides + spans * (1 + strides) + strides;
        let turns = paths::turns(cities, count as u32) as usize;
        assert!((counted..=counted + 2).contains(&turns), "{turns} of {counted} for {cities} cities");
    }
}
