//! A first-in first-out work queue that don't-look bits guard: the twin of `shaders/shared/array_tour/queue.wgsl`.

use std::collections::VecDeque;

/// Cities that wait to be looked at, none twice.
pub(in crate::kernels) struct Queue {
    cities: VecDeque<u32>,
    queued: Vec<bool>,
}

impl Queue {
    /// An empty queue for so many cities.
    pub fn new(cities: usize) -> Self {
        Self { cities: VecDeque::new(), queued: vec![false; cities] }
    }

    /// Puts a city at the end unless it waits.
    #[inline]
    pub fn enqueue(&mut self, city: u32) {
        if !std::mem::replace(&mut self.queued[city as usize], true) {
            self.cities.push_back(city);
        }
    }

    /// Takes the city at the head.
    #[inline]
    pub fn dequeue(&mut self) -> Option<u32> {
        let city = self.cities.pop_front()?;
        self.queued[city as usize] = false;
        Some(city)
    }
}
