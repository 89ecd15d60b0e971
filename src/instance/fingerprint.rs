//! A number that tells an instance from others.

use xxhash_rust::xxh3::Xxh3;

use super::problem::Problem;

impl Problem {
    /// Follows from costs and constraints alone, not from names: a hash (XXH3, 64 bits), the same on every machine.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(self.kind().as_bytes());
        match self {
            Self::Tsp(instance) => instance.feed(&mut hash),
            Self::Qap(instance) => {
                let placing = instance.placing_costs();
                for matrix in [instance.flows(), instance.distances()].into_iter().chain(placing) {
                    hash.update(&(matrix.len() as u64).to_le_bytes());
                    matrix.iter().for_each(|entry| hash.update(&entry.to_le_bytes()));
                }
                hash.update(&(instance.len() as u64).to_le_bytes());
                let mut fixed = instance.fixed().to_vec();
                fixed.sort_unstable();
                for pair in fixed {
                    hash.update(b"fixed");
                    pair.iter().for_each(|number| hash.update(&number.to_le_bytes()));
                }
            }
        }
        hash.digest()
    }
}
