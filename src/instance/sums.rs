//! Rows and columns that sum up or average the others, as spreadsheets add them: no city, facility or location.

use crate::text::quote;

/// What rows and columns of sums or means are called, in any case.
const CALLED: &[&str] = &["total", "totals", "grand total", "sum", "sums", "mean", "average", "avg"];

/// Whether a row or column called so sums up or averages the others.
pub(super) fn is_called_so(name: &str) -> bool {
    CALLED.iter().any(|word| name.trim().eq_ignore_ascii_case(word))
}

/// What to say where the last row and the last column of a matrix sum up or average the others: by what both are called, where they have names, or by
/// the entries, of which the last is the sum of all others and no 0.
pub(super) fn added(n: usize, entry: impl Fn(usize, usize) -> f64, name: Option<&str>) -> Option<String> {
    if let Some(name) = name.filter(|name| n > 2 && is_called_so(name)) {
        return Some(format!(
            "the last row and the last column are called {}: leave them out, or rename them if they are none of the others' sums or means",
            quote(name)
        ));
    }
    let last = n.checked_sub(1)?;
    let is_sum = |sum: f64, of: &mut dyn Iterator<Item = f64>| {
        let found: f64 = of.sum();
        (found - sum).abs() <= 1e-9 * sum.abs()
    };
    let in_row = |i: usize| is_sum(entry(i, last), &mut (0..last).map(|j| entry(i, j)));
    let in_column = |j: usize| is_sum(entry(last, j), &mut (0..last).map(|i| entry(i, j)));
    let sums = n > 2 && entry(last, last) != 0.0 && (0..n).all(|at| in_row(at) && in_column(at));
    sums.then(|| "the last row and the last column are the sums of the others: leave them out".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_means_are_told() {
        let of = |entries: &[f64], name: Option<&str>| {
            let n = entries.len().isqrt();
            added(n, |i, j| entries[i * n + j], name)
        };
        let sums = [0.0, 4.0, 4.0, 2.0, 0.5, 2.5, 2.0, 4.5, 6.5];
        assert!(of(&sums, None).unwrap().contains("are the sums of the others"));
        assert!(of(&sums, Some("all")).is_some());
        // A matrix whose last row and column happen to be sums has nothing on its diagonal.
        let matrix = [0.0, 1.0, 2.0, 3.0, 1.0, 0.0, 4.0, 5.0, 2.0, 4.0, 0.0, 6.0, 3.0, 5.0, 6.0, 0.0];
        assert_eq!(of(&matrix, Some("D")), None);
        for name in ["Total", "mean", " Average "] {
            assert!(of(&matrix, Some(name)).unwrap().contains("are called"), "{name}");
        }
        assert_eq!(of(&[0.0, 1.0, 1.0, 2.0], Some("Sum")), None);
        assert_eq!(of(&[], None), None);
    }
}
