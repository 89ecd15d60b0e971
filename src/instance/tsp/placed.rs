//! A tour with the place of each city in it.

/// A tour, and where each city lies in it.
pub(crate) struct PlacedTour {
    tour: Vec<u32>,
    places: Vec<u32>,
}

impl PlacedTour {
    /// Of a tour of all cities.
    pub fn of(tour: Vec<u32>) -> Self {
        let mut places = vec![0; tour.len()];
        tour.iter().zip(0..).for_each(|(&city, at)| places[city as usize] = at);
        Self { tour, places }
    }

    /// The same cities in another order: of each two places one stretch of the tour, from the first to the second of them, forwards or
    /// backwards.
    pub fn reordered(&self, stretches: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut tour = Vec::with_capacity(self.tour.len());
        let mut places = self.places.clone();
        for [from, to] in stretches {
            let begin = tour.len();
            let stretch = &self.tour[from.min(to) as usize..=from.max(to) as usize];
            match from <= to {
                true => tour.extend_from_slice(stretch),
                false => tour.extend(stretch.iter().rev()),
            }
            // Where all lies as before nothing is written.
            if from > to || from as usize != begin {
                tour[begin..].iter().zip(begin as u32..).for_each(|(&city, at)| places[city as usize] = at);
            }
        }
        debug_assert_eq!(tour.len(), self.tour.len());
        Self { tour, places }
    }

    /// The cities in order.
    pub fn tour(&self) -> &[u32] {
        &self.tour
    }

    pub fn len(&self) -> usize {
        self.tour.len()
    }

    /// The city at a place.
    pub fn city(&self, place: u32) -> u32 {
        self.tour[place as usize]
    }

    /// Where a city lies.
    pub fn place(&self, city: u32) -> u32 {
        self.places[city as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_keep_their_cities_and_know_their_places() {
        let before = PlacedTour::of(vec![4, 2, 0, 1, 3, 6, 5]);
        let after = before.reordered([[0, 1], [5, 3], [2, 2], [6, 6]]);
        assert_eq!(after.tour(), [4, 2, 6, 3, 1, 0, 5]);
        (0..7).for_each(|city| assert_eq!(after.city(after.place(city)), city));
    }
}
