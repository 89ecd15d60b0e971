//! Times of kernels by sample: of a long submission the first calls are timed, and some of those kernels that come behind them.

/// Calls of a submission that are timed one after the other, from its begin.
const FIRST: usize = 63;
/// The same of those behind.
const BEHIND: usize = 32;
/// Marks around them, and where a submission ends.
pub(super) const MARKS: usize = FIRST + 2 * BEHIND + 2;

/// Where the marks of a submission stand, of which each call's kernel is given: mark n stands before call n, and the last one behind all calls. A call
/// between two marks is timed.
pub(super) fn marks(kernels: &[usize]) -> Vec<usize> {
    let first = FIRST.min(kernels.len());
    let mut marks: Vec<usize> = (0..=first).collect();
    let mut calls: Vec<Vec<usize>> = vec![Vec::new(); kernels.iter().max().map_or(0, |kernel| kernel + 1)];
    kernels.iter().zip(0..).skip(first).for_each(|(kernel, call)| calls[*kernel].push(call));
    let behind = |(kernel, calls): &(usize, &Vec<usize>)| !calls.is_empty() && !comes_again(kernels, *kernel);
    let behind: Vec<&Vec<usize>> =
        calls.iter().enumerate().filter(behind).map(|(_, calls)| calls).take(BEHIND).collect();
    for calls in &behind {
        let timed = (BEHIND / behind.len()).min(calls.len());
        // In the middle of as many stretches of the same length.
        let spread = (0..timed).map(|nth| calls[(2 * nth + 1) * calls.len() / (2 * timed)]);
        marks.extend(spread.flat_map(|call| [call, call + 1]));
    }
    marks.push(kernels.len());
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// Whether the first calls have a kernel twice with others between: then they have it as a whole iteration does, also where its later calls have little to do.
fn comes_again(kernels: &[usize], kernel: usize) -> bool {
    let first = &kernels[..FIRST.min(kernels.len())];
    let mut others = first.iter().skip_while(|it| **it != kernel).skip_while(|it| **it == kernel);
    others.any(|it| *it == kernel)
}

/// Milliseconds spent in each kernel.
#[derive(Debug, Default)]
pub(super) struct Samples(Vec<f64>);

impl Samples {
    /// Accounts for a submission: the kernel of each of its calls, and the milliseconds between its marks. Kernels share all of that time: the timed calls
    /// say how. (A mark waits for what is before it, so that a timed call takes longer than others.)
    pub(super) fn record(&mut self, kernels: &[usize], marks: &[usize], durations: &[f64]) {
        let count = kernels.iter().max().map_or(0, |kernel| kernel + 1);
        if self.0.len() < count {
            self.0.resize(count, 0.0);
        }
        // Of the first calls, and of those behind: how many are timed, and how long these take.
        let mut timed = vec![[(0u32, 0.0); 2]; count];
        for (pair, duration) in marks.windows(2).zip(durations).filter(|(pair, _)| pair[0] + 1 == pair[1]) {
            let (calls, ms) = &mut timed[kernels[pair[0]]][usize::from(pair[0] >= FIRST)];
            (*calls, *ms) = (*calls + 1, *ms + duration);
        }
        let mut estimates = vec![0.0; count];
        for (call, kernel) in kernels.iter().enumerate() {
            let [first, behind] = timed[*kernel];
            let (calls, ms) = if call >= FIRST && behind.0 > 0 { behind } else { first };
            estimates[*kernel] += ms / f64::from(calls.max(1));
        }
        let all: f64 = estimates.iter().sum();
        let scale = if all > 0.0 { durations.iter().sum::<f64>() / all } else { 0.0 };
        self.0.iter_mut().zip(estimates).for_each(|(sum, estimate)| *sum += scale * estimate);
    }

    /// Milliseconds spent in a kernel.
    pub(super) fn ms(&self, kernel: usize) -> f64 {
        self.0.get(kernel).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is recorded of calls that take as long as `takes` says, by their kernel and number.
    fn recorded(kernels: &[usize], takes: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let marks = marks(kernels);
        assert!(marks.len() <= MARKS && marks[0] == 0 && marks[marks.len() - 1] == kernels.len());
        let time = |pair: &[usize]| (pair[0]..pair[1]).map(|call| takes(kernels[call], call)).sum::<f64>();
        let durations: Vec<f64> = marks.windows(2).map(time).collect();
        let mut samples = Samples::default();
        samples.record(kernels, &marks, &durations);
        (0..4).map(|kernel| samples.ms(kernel)).collect()
    }

    #[test]
    fn all_calls_of_short_submissions_are_timed() {
        let kernels = [0, 0, 1, 0, 2];
        assert_eq!(marks(&kernels), [0, 1, 2, 3, 4, 5]);
        assert_eq!(recorded(&kernels, |_, call| [2.0, 4.0, 10.0, 6.0, 1.0][call]), [12.0, 10.0, 1.0, 0.0]);
    }

    #[test]
    fn timed_calls_stand_for_all_of_their_kernel() {
        let close = |found: Vec<f64>, expected: [f64; 4]| {
            let is_close = |(found, expected): (&f64, f64)| (found - expected).abs() <= 0.02 * expected;
            assert!(found.iter().zip(expected).all(is_close), "{found:?}, not {expected:?}");
        };
        // A kernel of many calls, and another one that comes behind them all.
        let kernels: Vec<usize> = (0..500).map(|call| usize::from(call >= 497) * 2).collect();
        close(recorded(&kernels, |kernel, _| if kernel == 0 { 0.5 } else { 100.0 }), [248.5, 0.0, 300.0, 0.0]);
        // Iterations of five calls of a kernel, of which the first has all to do, and one of another kernel.
        let kernels: Vec<usize> = (0..600).map(|call| usize::from(call % 6 == 5)).collect();
        let takes = |_: usize, call: usize| [10.0, 0.0, 0.0, 0.0, 0.0, 1.0][call % 6];
        let found = recorded(&kernels, takes);
        assert!((found[0] - 1000.0).abs() < 50.0 && (found[0] + found[1] - 1100.0).abs() < 1e-6, "{found:?}");
        // One of very many calls, of which the first hundred work and the others return at once.
        let kernels: Vec<usize> = (0..1000).map(|call| usize::from(call == 999)).collect();
        let found = recorded(&kernels, |kernel, call| if call < 100 || kernel == 1 { 1.0 } else { 0.0 });
        assert!((found[0] + found[1] - 101.0).abs() < 1e-6 && found[0] > 95.0, "{found:?}");
    }

    /// What marks cost is no time of kernels: all together take as long as the submission.
    #[test]
    fn kernels_share_the_time_of_a_submission() {
        let kernels: Vec<usize> = (0..1000).map(|call| call % 3).collect();
        let marks = marks(&kernels);
        let durations: Vec<f64> = marks
            .windows(2)
            .map(|pair| if pair[1] == pair[0] + 1 { 1.5 } else { (pair[1] - pair[0]) as f64 })
            .collect();
        let mut samples = Samples::default();
        samples.record(&kernels, &marks, &durations);
        let (found, expected) = ((0..3).map(|kernel| samples.ms(kernel)).sum::<f64>(), durations.iter().sum::<f64>());
        assert!((found - expected).abs() < 1e-9 * expected, "{found}, not {expected}");
        samples.record(&[0], &[0, 1], &[2.0]);
        assert!((samples.ms(0) + samples.ms(1) + samples.ms(2) - expected - 2.0).abs() < 1e-9 * expected);
    }
}
