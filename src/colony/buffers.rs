//! A colony's buffers with their first contents.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use web_time::Instant;

use crate::algorithm::choices::Memory;
use crate::algorithm::construct::Rule;
use crate::algorithm::eax::entropies;
use crate::algorithm::fixed::{self, heuristic_weight, log2_distance};
use crate::algorithm::random::Stream;
use crate::algorithm::selective::EMPTY;
use crate::algorithm::windows::FARTHEST;
use crate::backend::{Backend, atomics};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::instance::qap;
use crate::instance::tsp::{Instance, Neighbours, Rounding};
use crate::kernels::lin_kernighan::chained_search::Head;
use crate::kernels::pheromone::best;
use crate::kernels::plan::{ChainedPlan, ConstructPlan, EaxPlan, Plan, Sizes, WindowsPlan};
use crate::kernels::qap::matrices;
use crate::kernels::shared::distances::measure;
use crate::kernels::shared::progress::{ConstructProgress, PROGRESS_WORDS};
use crate::kernels::shared::state::{State, split};
use crate::kernels::{Buffer, BufferPlan, Buffers};

/// Makes every buffer of `plan`.
pub(super) fn make(backend: &mut dyn Backend, problem: &Problem, plan: &Plan, start: &[u32]) -> Result<Buffers> {
    let mut filler = Filler { backend, plan, start };
    match (problem, plan) {
        (Problem::Tsp(instance), Plan::Windows(plan)) => make_windows(&mut filler, instance, plan),
        (Problem::Tsp(instance), Plan::Chained(plan)) => make_chained(&mut filler, instance, plan),
        (Problem::Tsp(instance), Plan::Eax(plan)) => make_eax(&mut filler, instance, plan),
        (Problem::Tsp(instance), Plan::Construct(plan)) => make_tsp(&mut filler, instance, plan),
        (Problem::Qap(instance), Plan::Construct(plan)) => make_qap(&mut filler, instance, plan),
        (Problem::Qap(_), _) => Err(Error::Fault("windows, walks and crossover are for tours".into())),
    }
}

/// Makes the buffers of a plan.
struct Filler<'a> {
    backend: &'a mut dyn Backend,
    plan: &'a Plan,
    /// The solutions that the phase begins with, one after the other.
    start: &'a [u32],
}

/// Makes the buffers, with the contents that `first` gives for some of them.
fn fill(filler: &mut Filler<'_>, first: impl Fn(Buffer, usize) -> Option<Vec<u32>>) -> Result<Buffers> {
    let Filler { backend, plan, start } = filler;
    let mut buffers = Buffers::default();
    for BufferPlan { name, words } in plan.buffers() {
        let words = words as usize;
        let started = Instant::now();
        let contents = match name {
            Buffer::Tables => {
                let mut tables = fixed::tables();
                tables.resize(words, 0);
                Some(tables)
            }
            Buffer::State => Some(first_state(plan).words().to_vec()),
            Buffer::Bests => first(name, words).or_else(|| Some(start.repeat(words / plan.cities))),
            _ => first(name, words),
        };
        let made = started.elapsed();
        let id = match contents {
            Some(contents) => backend.buffer_with(name.name(), contents)?,
            None => backend.buffer(name.name(), words)?,
        };
        let handed = started.elapsed() - made;
        log::trace!(
            "buffer {name:?}: {:.4} s to make it, {:.4} s to hand it over",
            made.as_secs_f64(),
            handed.as_secs_f64()
        );
        buffers.insert(name, id);
    }
    Ok(buffers)
}

fn make_qap(filler: &mut Filler<'_>, instance: &qap::Instance, plan: &ConstructPlan) -> Result<Buffers> {
    fill(filler, |name, words| match (name, &plan.system.rule) {
        (Buffer::Matrices, _) => Some(matrices::words(instance)),
        (Buffer::Thresholds, Rule::Cas(parameters)) => {
            let mut thresholds = parameters.thresholds(plan.cities);
            thresholds.resize(words, u32::MAX);
            Some(thresholds)
        }
        _ => None,
    })
}

/// Lists of `k` neighbours, for candidates and for local search, with the given number of each quadrant first.
pub(super) fn listed(instance: &Instance, quadrants: u32, k: usize) -> Neighbours {
    let started = Instant::now();
    let near = instance.quadrant_neighbours(k, quadrants as usize);
    log::debug!("{:.3} s for lists of {k} neighbours", started.elapsed().as_secs_f64());
    near
}

/// Lists for a search that takes distances as they are rounded so: it looks at nearer cities first, and ends where they are too far.
pub(super) fn searched(instance: &Instance, rounding: Option<Rounding>, near: Neighbours) -> Neighbours {
    match rounding {
        Some(Rounding::Thousandths | Rounding::Space(_)) => near.sorted_by(measure(instance, rounding)),
        _ => near,
    }
}

fn make_tsp(filler: &mut Filler<'_>, instance: &Instance, plan: &ConstructPlan) -> Result<Buffers> {
    let start = filler.start;
    // Construction without candidate lists needs the nearest neighbour alone.
    let candidates = if plan.system.full { 1 } else { plan.system.candidates };
    let searched = if plan.walks_neighbours() { plan.neighbours } else { 1 };
    let near = listed(instance, plan.system.quadrants, candidates.max(searched));
    // A list of more neighbours begins with a list of fewer; with quadrants it does not, so local search has its own lists.
    let lists = match plan.walks_neighbours() && searched < near.k() {
        true if plan.system.quadrants > 0 => listed(instance, plan.system.quadrants, searched),
        true => near.first(searched),
        false => near.clone(),
    };
    let lists = self::searched(instance, plan.rounding, lists);
    let tables = fixed::tables();
    fill(filler, |name, words| match name {
        Buffer::Distances => {
            let mut words = distances(instance, plan);
            if plan.system.memory == Memory::Candidates {
                let pair = |pair: &[u32]| pair.iter().rev().fold(0, |word, &other| word << 16 | other);
                words.extend(nearby(instance, plan, &near).iter().flat_map(|row| row.chunks(2).map(pair)));
            }
            Some(words)
        }
        Buffer::Neighbours => Some(neighbours(instance, plan, (plan.neighbours, plan.neighbour_pairs()), &lists)),
        Buffer::Heuristic => Some(heuristic(instance, plan, &near, &tables)),
        Buffer::Nearest => Some(nearest(instance, &near, &tables)),
        Buffer::Trails if !plan.weighs_matrix() && plan.system.memory == Memory::Matrix => {
            // The first trails of an Ant Colony System; no kernel writes them.
            Some(vec![plan.system.first_trails(plan.cities).0; words])
        }
        Buffer::Records => Some(records(plan, words)),
        Buffer::Choice if plan.weighs_matrix() && !plan.system.full => Some(cities_of_lists(plan, &near)),
        Buffer::Tours if plan.system.patched_first => Some(patched_tours(instance, plan)),
        // Kernels take what an ant has for its first tour.
        Buffer::Progress if plan.system.patched_first => {
            let built = ConstructProgress { begun: 1, done: 1, step: plan.cities as u32 };
            let mut unit = bytemuck::bytes_of(&built).to_vec();
            unit.resize(4 * PROGRESS_WORDS, 0);
            Some(bytemuck::pod_collect_to_vec(&unit.repeat(plan.units)))
        }
        Buffer::Links => {
            let mut links = vec![0; words];
            best::write_links(start, &mut links);
            Some(links)
        }
        _ => None,
    })
}

fn make_windows(filler: &mut Filler<'_>, instance: &Instance, plan: &WindowsPlan) -> Result<Buffers> {
    let (window, start) = (&plan.window, filler.start);
    let n = plan.cities;
    // Without coordinates the tour says which cities are near each other.
    let mut orders = instance.space_filling_orders(window.orders).unwrap_or_else(|| vec![start.to_vec()]);
    orders.resize(window.orders, orders[0].clone());
    let inverse = |order: &[u32]| {
        let mut places = vec![0; n];
        order.iter().enumerate().for_each(|(place, &city)| places[city as usize] = place as u32);
        places
    };
    let places: Vec<Vec<u32>> = orders.par_iter().map(|order| inverse(order)).collect();
    let matrix = if window.rounding.is_none() { instance.distance_matrix() } else { Vec::new() };
    check_farthest("windows take", &matrix, FARTHEST)?;
    // Too large to be copied without need.
    let matrix = Cell::new(matrix);
    let near = searched(instance, window.rounding, listed(instance, plan.quadrants, window.neighbours));
    let near_listed = || {
        let ranks = window.neighbours;
        let mut table = vec![0; n * ranks];
        table.par_chunks_mut(ranks).enumerate().for_each(|(city, row)| {
            row.fill(city as u32);
            row.iter_mut().zip(near.row(city)).for_each(|(entry, &other)| *entry = other);
        });
        places.iter().for_each(|places| table.extend(places));
        table
    };
    let near_places = || {
        let (ranks, distance) = (window.neighbours, measure(instance, window.rounding));
        let mut apart = vec![u32::MAX; n * ranks];
        apart.par_chunks_mut(ranks).enumerate().for_each(|(city, row)| {
            row.iter_mut().zip(near.row(city)).for_each(|(entry, &other)| *entry = distance(city, other as usize));
        });
        let mut table = vec![[0; 2]; window.orders * n * ranks];
        for ((order, places), table) in orders.iter().zip(&places).zip(table.chunks_mut(n * ranks)) {
            table.par_chunks_mut(ranks).zip(order).for_each(|(row, &city)| {
                let city = city as usize;
                let others = near.row(city).iter().zip(&apart[city * ranks..]);
                row.fill([places[city], u32::MAX]);
                row.iter_mut()
                    .zip(others)
                    .for_each(|(entry, (&other, &apart))| *entry = [places[other as usize], apart]);
            });
        }
        table.into_flattened()
    };
    let spots = || -> Option<Vec<u32>> {
        let spots = instance.whole_coordinates()?.places;
        let spot = |&city: &u32| spots[city as usize].map(|coordinate| coordinate as u32);
        let all: Vec<[u32; 2]> = orders.concat().par_iter().map(spot).collect();
        Some(all.into_flattened())
    };
    fill(filler, |name, words| match name {
        Buffer::Distances => Some(matrix.take()),
        Buffer::Coordinates => spots(),
        Buffer::Order => Some(orders.concat()),
        Buffer::OrderIndex => Some(places.concat()),
        Buffer::NearIndex if window.listed => Some(near_listed()),
        Buffer::NearIndex => Some(near_places()),
        Buffer::Positions => Some(inverse(start)),
        Buffer::Unsettled => Some(vec![u32::MAX; words]),
        _ => None,
    })
}

/// The longest distance of a matrix by which crossover counts what the merger of two sub-tours adds, two edges for two others, in 31 bits.
const FARTHEST_OF_MERGERS: u32 = (1 << 30) - 1;

/// Checks that what a kick or a merger of sub-tours adds is counted in 31 bits.
fn check_farthest(who: &str, matrix: &[u32], most: u32) -> Result<()> {
    match matrix.par_iter().any(|&distance| distance > most) {
        true => Err(Error::Config(format!(
            "{who} distances up to {most} from a matrix; scale the weights down or choose algorithm 'mmas'"
        ))),
        false => Ok(()),
    }
}

/// All walks begin with the same tour.
fn make_chained(filler: &mut Filler<'_>, instance: &Instance, plan: &ChainedPlan) -> Result<Buffers> {
    let start = filler.start;
    let near = searched(instance, plan.rounding, listed(instance, plan.quadrants, plan.neighbours));
    let distances = distances(instance, plan);
    if plan.rounding.is_none() {
        check_farthest("walks take", &distances, FARTHEST)?;
    }
    // Too large to be copied without need.
    let distances = Cell::new(distances);
    fill(filler, |name, words| match name {
        Buffer::Distances => Some(distances.take()),
        Buffer::Neighbours => Some(neighbours(instance, plan, (plan.neighbours, plan.neighbour_pairs()), &near)),
        Buffer::Heads => Some(bytemuck::cast_slice(&[Head::of(plan)]).to_vec()),
        Buffer::Tours => Some(start.repeat(plan.units)),
        Buffer::Costs => Some(split(plan.reference_cost).repeat(plan.units)),
        Buffer::Links => {
            let mut links = vec![0; words];
            best::write_links(start, &mut links);
            Some(links)
        }
        _ => None,
    })
}

/// The solutions that the phase begins with are the tours of all individuals.
fn make_eax(filler: &mut Filler<'_>, instance: &Instance, plan: &EaxPlan) -> Result<Buffers> {
    let start = filler.start;
    let near = searched(instance, plan.rounding, listed(instance, plan.quadrants, plan.neighbours));
    let distances = distances(instance, plan);
    if plan.rounding.is_none() {
        check_farthest("crossover takes", &distances, FARTHEST_OF_MERGERS)?;
    }
    // Too large to be copied without need.
    let distances = Cell::new(distances);
    let costs: Vec<u64> = start.par_chunks(plan.cities).map(|tour| instance.tour_cost(tour)).collect::<Result<_>>()?;
    fill(filler, |name, words| match name {
        Buffer::Distances => Some(distances.take()),
        Buffer::Neighbours => Some(neighbours(instance, plan, (plan.neighbours, plan.neighbour_pairs()), &near)),
        Buffer::Trails => Some(edge_counts(plan, &near, start)),
        Buffer::Tours => Some(start.to_vec()),
        Buffer::Positions => {
            let mut positions = vec![0; words];
            positions.par_chunks_mut(plan.cities).zip(start.par_chunks(plan.cities)).for_each(|(positions, tour)| {
                tour.iter().zip(0..).for_each(|(&city, position)| positions[city as usize] = position);
            });
            Some(positions)
        }
        Buffer::Costs => Some(costs.iter().flat_map(|&cost| split(cost)).collect()),
        Buffer::Bests => {
            let (best, _) = costs.iter().enumerate().min_by_key(|(_, cost)| **cost)?;
            Some(start[best * plan.cities..(best + 1) * plan.cities].repeat(words / plan.cities))
        }
        _ => None,
    })
}

/// For each edge to a neighbour how many tours have it, and the entropy of each such number.
fn edge_counts(plan: &EaxPlan, near: &Neighbours, tours: &[u32]) -> Vec<u32> {
    let (n, k) = (plan.cities, plan.neighbours);
    let mut counts = vec![0; n * k];
    let shared = atomics(&mut counts);
    let count = |city: u32, other: u32| {
        if let Some(rank) = near.row(city as usize)[..k].iter().position(|&near| near == other) {
            shared[city as usize * k + rank].fetch_add(1, Ordering::Relaxed);
        }
    };
    tours.par_chunks(n).take(plan.individuals).for_each(|tour| {
        for (&city, &next) in tour.iter().zip(tour.iter().cycle().skip(1)) {
            count(city, next);
            count(next, city);
        }
    });
    counts.extend(entropies(plan.individuals));
    counts
}

/// Whole coordinates, or all distances.
pub(super) fn distances(instance: &Instance, plan: &Sizes) -> Vec<u32> {
    match plan.rounding.and_then(|_| instance.whole_coordinates()) {
        Some(spots) => spots.places.iter().flatten().map(|&coordinate| coordinate as u32).collect(),
        None => instance.distance_matrix(),
    }
}

/// For each city the nearest that are no candidates, where the plan has them.
fn nearby(instance: &Instance, plan: &ConstructPlan, near: &Neighbours) -> Vec<Vec<u32>> {
    let (k, count) = (plan.system.candidates, plan.nearby());
    if count == 0 {
        return Vec::new();
    }
    let all = instance.neighbours(k + count);
    let row = |city: usize| {
        let listed = &near.row(city)[..k];
        let others = all.row(city).iter().filter(|other| !listed.contains(other)).take(count);
        let mut others: Vec<u32> = others.copied().collect();
        others.sort_unstable_by_key(|&other| (instance.distance(city, other as usize), other));
        others
    };
    (0..plan.cities).into_par_iter().map(row).collect()
}

/// log2 of the distance from each city to its nearest neighbour.
fn nearest(instance: &Instance, near: &Neighbours, tables: &[u32]) -> Vec<u32> {
    let log2 = |city: usize| {
        let first = near.row(city).first();
        first.map_or(0, |&first| log2_distance(tables, instance.distance(city, first as usize)))
    };
    (0..instance.len()).map(log2).collect()
}

/// The candidate lists with heuristic weights; in an Ant Colony System lists of the nearest cities that are no candidates follow.
fn heuristic(instance: &Instance, plan: &ConstructPlan, near: &Neighbours, tables: &[u32]) -> Vec<u32> {
    let (k, beta) = (plan.system.candidates, plan.system.beta_fixed());
    let nearest = nearest(instance, near, tables);
    let entry = |city: usize, other: u32| {
        let distance = instance.distance(city, other as usize);
        other << 16 | heuristic_weight(tables, distance, nearest[city], beta)
    };
    let mut lists = vec![0; plan.cities * k];
    lists.par_chunks_mut(k).enumerate().for_each(|(city, list)| {
        list.iter_mut().zip(near.row(city)).for_each(|(word, &other)| *word = entry(city, other));
    });
    if plan.is_acs() {
        let rows = nearby(instance, plan, near);
        lists.extend(rows.iter().enumerate().flat_map(|(city, row)| row.iter().map(move |&other| entry(city, other))));
    }
    lists
}

/// The candidate lists, their weights left open.
fn cities_of_lists(plan: &ConstructPlan, near: &Neighbours) -> Vec<u32> {
    let rows = (0..plan.cities).flat_map(|city| &near.row(city)[..plan.system.candidates]);
    rows.map(|other| other << 16).collect()
}

/// The neighbour lists of local search.
pub(super) fn neighbours(
    instance: &Instance,
    plan: &Sizes,
    (count, pairs): (usize, usize),
    near: &Neighbours,
) -> Vec<u32> {
    let row = pairs * 4;
    let distance = measure(instance, plan.rounding);
    let mut lists = vec![0; plan.cities * row];
    lists.par_chunks_mut(row).enumerate().for_each(|(city, list)| {
        let (pairs, _) = list.as_chunks_mut::<2>();
        // A row holds whole pairs of neighbours; the filler is farther than any city.
        pairs.fill([city as u32, u32::MAX]);
        for (pair, &other) in pairs.iter_mut().zip(&near.row(city)[..count]) {
            *pair = [other, distance(city, other as usize)];
        }
    });
    lists
}

/// A patched and kicked assignment for each ant.
fn patched_tours(instance: &Instance, plan: &ConstructPlan) -> Vec<u32> {
    let word = |tour: usize, city: u32| Stream::new(plan.seed, 0, tour as u32).word(city);
    instance.patched_tours(plan.units, word).concat()
}

/// Selective memories without a record.
fn records(plan: &ConstructPlan, words: usize) -> Vec<u32> {
    let pitch = plan.record_pitch() as usize;
    let mut records = vec![EMPTY; words];
    for memory in records.chunks_mut(pitch) {
        memory[pitch - 1] = 0;
    }
    records
}

fn first_state(plan: &Plan) -> State {
    let construct = plan.construct();
    let (trail_max, trail_min) =
        construct.map_or((fixed::TRAIL_ONE, 1), |construct| construct.system.first_trails(plan.cities));
    let begun = construct.is_some_and(|construct| construct.begun);
    State {
        iteration: 0,
        best_iteration: 0,
        restart_start: 0,
        restart_improved: 0,
        best_cost: split(plan.reference_cost),
        restart_cost: split(if begun { plan.reference_cost } else { u64::MAX }),
        iteration_cost: split(u64::MAX),
        deposit: 0,
        reset: 1,
        trail_max,
        trail_min,
        restarts: 0,
        failures: 0,
    }
}
