//! Times of kernels by sample: the first calls of each submission are timed and stand for the others.

/// Milliseconds spent in each kernel.
#[derive(Debug, Default)]
pub(super) struct Samples(Vec<f64>);

impl Samples {
    /// Accounts for a submission: the kernel of each of its calls, and the milliseconds of the first of them.
    pub(super) fn record(&mut self, kernels: &[usize], durations: &[f64]) {
        let count = kernels.iter().max().map_or(0, |kernel| kernel + 1);
        if self.0.len() < count {
            self.0.resize(count, 0.0);
        }
        for (kernel, sum) in self.0.iter_mut().enumerate() {
            let calls = kernels.iter().filter(|other| **other == kernel).count();
            let timed = kernels.iter().zip(durations).filter(|(other, _)| **other == kernel);
            let (count, ms) = timed.fold((0, 0.0), |(count, ms), (_, duration)| (count + 1, ms + duration));
            if count > 0 {
                *sum += ms / f64::from(count) * calls as f64;
            }
        }
    }

    /// Milliseconds spent in a kernel.
    pub(super) fn ms(&self, kernel: usize) -> f64 {
        self.0.get(kernel).copied().unwrap_or_default()
    }
}
