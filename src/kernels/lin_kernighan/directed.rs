//! Steps of Lin-Kernighan moves between directed nodes: two paths change places (Kanellakis and Papadimitriou 1980). The twin of what
//! `shaders/lin_kernighan/moves.wgsl` does with DIRECTED.

use super::BREADTH;
use super::twin::{Search, Step, offer};
use crate::kernels::shared::array_tour::Ground;

impl<G: Ground, const DIRECTED: bool> Search<'_, G, DIRECTED> {
    /// Finds the most promising steps from `tip`, at most `breadth`. The tour `city tip .. first end .. to behind ..` becomes
    /// `city end .. to tip .. first behind ..`; its first edge is open still.
    pub(super) fn find_directed_steps(
        &mut self,
        city: u32,
        forward: bool,
        tip: u32,
        open: u32,
        depth: usize,
        breadth: usize,
    ) {
        let tour = &self.tour;
        let (steps, count) = &mut self.offers[depth.min(BREADTH.len())];
        let chain = &self.chain[..depth];
        let cities = tour.cities.len() as u32;
        let origin = tour.position[city as usize];
        // How far cities lie behind the chain's city without its steps, and with them.
        let place_of = |city: u32| {
            let at = tour.position[city as usize];
            let (near, far) = if forward { (origin, at) } else { (at, origin) };
            if far < near { far + cities - near } else { far - near }
        };
        let now = |place: u32| chain.iter().fold(place, |place, step| step.forth::<true>(place));
        let once = |place: u32| chain.iter().rev().fold(place, |place, step| step.back::<true>(place));
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
            let mut best = Step::default();
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
                let far = flip.min(cities - flip) > self.long;
                if value > best.value && (!far || value > tour.distance(end, city)) {
                    best = Step { tip, to, end, flip, value, first, behind, first_flip };
                }
            }
            if best.value > 0 {
                offer((steps, count), breadth, best);
            }
        }
    }
}
