//! Steps of Lin-Kernighan moves between directed nodes: two paths change places (Kanellakis and Papadimitriou 1980). The twin of what
//! `shaders/lin_kernighan/moves.wgsl` does with DIRECTED.

use super::twin::{Move, Search, Start, Step, offer, place_behind, reflected};
use super::{BREADTH, DIRECTED_BREADTH, DIRECTED_DEPTH, NARROW_BREADTH};
use crate::algorithm::choices::Breadth;
use crate::kernels::shared::array_tour::Ground;

/// A step between directed nodes: the path from `tip` to `first` and the one from `end` to `to` change places.
#[derive(Clone, Copy, Default)]
pub(super) struct Exchange {
    step: Step,
    /// The last of the first path.
    first: u32,
    /// The node behind `to`.
    behind: u32,
    /// How far `first` lies behind the chain's city.
    first_flip: u32,
}

impl Move for Exchange {
    fn limits(chains: Breadth) -> (usize, [usize; 3]) {
        match chains {
            Breadth::Wide => (DIRECTED_DEPTH, DIRECTED_BREADTH),
            Breadth::Narrow => (DIRECTED_DEPTH, NARROW_BREADTH),
        }
    }

    #[inline]
    fn step(&self) -> &Step {
        &self.step
    }

    #[inline]
    fn forth(&self, place: u32) -> u32 {
        let flip = self.step.flip;
        reflected(reflected(reflected(place, self.first_flip), flip), flip - self.first_flip)
    }

    #[inline]
    fn back(&self, place: u32) -> u32 {
        let flip = self.step.flip;
        reflected(reflected(reflected(place, flip - self.first_flip), flip), self.first_flip)
    }

    /// The tour `city tip .. first end .. to behind ..` becomes `city end .. to tip .. first behind ..`; its first edge is open still.
    fn find<G: Ground>(
        search: &mut Search<'_, G, Self>,
        Start { city, forward }: Start,
        tip: u32,
        open: u32,
        depth: usize,
        breadth: usize,
    ) {
        let tour = &search.tour;
        let (steps, count) = &mut search.offers[depth.min(BREADTH.len())];
        let chain = &search.chain[..depth];
        let cities = tour.cities.len() as u32;
        let origin = tour.position[city as usize];
        // How far cities lie behind the chain's city without its steps, and with them.
        let place_of = |city: u32| place_behind(origin, tour.position[city as usize], forward, cities);
        let now = |place: u32| chain.iter().fold(place, |place, step| step.forth(place));
        let once = |place: u32| chain.iter().rev().fold(place, |place, step| step.back(place));
        let city_behind = |place: u32| {
            let at = if forward { origin + place } else { origin + cities - place };
            tour.cities[if at >= cities { at - cities } else { at } as usize]
        };
        let plus = |rest: u32, a: u32, b: u32| rest.saturating_add(tour.distance(a, b));
        let tip_place = place_of(tip);
        *count = 0;
        for rank in 0..tour.ground.ranks() {
            let Some([to, apart]) = tour.ground.near(tip, rank) else { continue };
            if apart >= open {
                break;
            }
            let place = place_of(to);
            let flip = now(place);
            // The edge to one who was beside the tip, and is not, has been removed.
            if to == city || flip + 1 >= cities || place.abs_diff(tip_place) == 1 {
                continue;
            }
            let behind_place = once(flip + 1);
            let behind = city_behind(behind_place);
            // Who are beside each other with the steps and not without them have an edge that the chain has added.
            if place.abs_diff(behind_place) != 1 || tour.ground.is_fixed(to, behind) {
                continue;
            }
            let halfway = plus(open - apart, to, behind);
            let mut best = Self::default();
            for rank in 0..tour.ground.ranks() {
                let Some([first, back]) = tour.ground.near(behind, rank) else { continue };
                if back >= halfway {
                    break;
                }
                let first_place = place_of(first);
                let first_flip = now(first_place);
                if first == city || first_flip + 1 >= flip || first_place.abs_diff(behind_place) == 1 {
                    continue;
                }
                let end_place = once(first_flip + 1);
                let end = city_behind(end_place);
                if first_place.abs_diff(end_place) != 1 || tour.ground.is_fixed(first, end) {
                    continue;
                }
                let value = plus(halfway - back, first, end);
                let far = flip.min(cities - flip) > search.long;
                if value > best.step.value && (!far || value > tour.distance(end, city)) {
                    best = Self { step: Step { tip, to, end, flip, value }, first, behind, first_flip };
                }
            }
            if best.step.value > 0 {
                offer((steps, count), breadth, best);
            }
        }
    }

    fn make<G: Ground>(self, search: &mut Search<'_, G, Self>, start: &mut Start) {
        let Self { step: Step { tip, to, end, .. }, first, behind, .. } = self;
        for (from, to) in [(tip, first), (first, to), (to, end)] {
            search.turn(start, from, to);
        }
        [tip, first, behind, to, end].into_iter().for_each(|city| search.queue.enqueue(city));
    }
}
