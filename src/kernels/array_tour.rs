//! What the twins of local searches on whole tours stand on: the Rust side of `shaders/tsp/array_tour.wgsl`.

use std::collections::VecDeque;

/// A tour as an array with the position of each city, and a first-in first-out work queue that don't-look bits guard.
pub(super) struct ArrayTour<'a> {
    pub cities: &'a mut [u32],
    pub position: Vec<u32>,
    neighbours: &'a [[u32; 2]],
    distances: &'a [u32],
    queue: VecDeque<u32>,
    queued: Vec<bool>,
}

impl<'a> ArrayTour<'a> {
    /// The tour with an empty queue; a row of `neighbours` holds (city, distance) pairs.
    pub fn new(neighbours: &'a [u32], distances: &'a [u32], cities: &'a mut [u32]) -> Self {
        let mut position = vec![0; cities.len()];
        for (at, &city) in cities.iter().enumerate() {
            position[city as usize] = at as u32;
        }
        let (queue, queued) = (VecDeque::new(), vec![false; cities.len()]);
        Self { cities, position, neighbours: bytemuck::cast_slice(neighbours), distances, queue, queued }
    }

    /// Cities that wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Puts a city at the queue's end unless it is queued.
    #[inline]
    pub fn enqueue(&mut self, city: u32) {
        if !std::mem::replace(&mut self.queued[city as usize], true) {
            self.queue.push_back(city);
        }
    }

    /// Takes the city at the queue's head.
    #[inline]
    pub fn dequeue(&mut self) -> Option<u32> {
        let city = self.queue.pop_front()?;
        self.queued[city as usize] = false;
        Some(city)
    }

    /// The city after this one, or before it.
    #[inline]
    pub fn step_from(&self, city: u32, forward: bool) -> u32 {
        let at = self.position[city as usize] as usize;
        let last = self.cities.len() - 1;
        if forward {
            self.cities[if at == last { 0 } else { at + 1 }]
        } else {
            self.cities[if at == 0 { last } else { at - 1 }]
        }
    }

    /// The distance between two cities.
    #[inline]
    pub fn distance(&self, a: u32, b: u32) -> u32 {
        self.distances[a as usize * self.cities.len() + b as usize]
    }

    /// The `k` neighbours of a city with their distances, nearest first.
    #[inline]
    pub fn neighbours(&self, city: u32, k: usize) -> &'a [[u32; 2]] {
        &self.neighbours[city as usize * k..][..k]
    }

    /// Reverses the path from one city on to another, or the rest of the tour where that is shorter.
    pub fn reverse(&mut self, first: u32, last: u32) {
        let count = self.cities.len();
        let [first, last] = [first, last].map(|city| self.position[city as usize] as usize);
        let mut length = (if last < first { last + count } else { last }) - first + 1;
        let (mut left, mut right) = (first, last);
        if length * 2 > count {
            left = if last + 1 == count { 0 } else { last + 1 };
            right = if first == 0 { count - 1 } else { first - 1 };
            length = count - length;
        }
        for _ in 0..length / 2 {
            self.cities.swap(left, right);
            self.position[self.cities[left] as usize] = left as u32;
            self.position[self.cities[right] as usize] = right as u32;
            left = if left + 1 == count { 0 } else { left + 1 };
            right = if right == 0 { count - 1 } else { right - 1 };
        }
    }
}
