//! Whether a launcher such as mpirun or srun has started several of this process, which only its environment tells before MPI is asked.

/// What a launcher says of its processes.
#[derive(Debug, PartialEq)]
pub struct Launched {
    /// The variable that says so.
    pub by: &'static str,
    /// How many there are, where that is said.
    pub count: Option<usize>,
    /// Which one this is, counted from 0, where that is said.
    pub rank: Option<usize>,
}

/// Asks for the program to take no notice of a launcher.
pub const ALONE: &str = "MYRMEX_ALONE";

/// Variables of launchers: how many processes there are, and which one this is. mpirun of Open MPI; mpiexec of MPICH, Intel MPI and Cray
/// MPICH, and srun --mpi=pmi2; srun with any --mpi. (A script of sbatch has SLURM_NTASKS, too, and is one process.)
const SIZES: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];
/// Launchers that speak PMIx say at least this.
const PMIX: &str = "PMIX_RANK";

/// What the environment says, if there may be several processes.
pub fn launched(variable: impl Fn(&str) -> Option<String>) -> Option<Launched> {
    let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
    if variable(ALONE).is_some_and(|value| !["", "0"].contains(&value.trim())) {
        return None;
    }
    let sized = SIZES.iter().find_map(|(size, rank)| Some((*size, number(size)?, number(rank))));
    match sized {
        Some((_, count, _)) if count < 2 => None,
        Some((by, count, rank)) => Some(Launched { by, count: Some(count), rank }),
        None => number(PMIX).map(|rank| Launched { by: PMIX, count: None, rank: Some(rank) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known_by_their_variables() {
        let of = |words: &str| {
            let pairs: Vec<(String, String)> = words
                .split_whitespace()
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            launched(|name| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
        };
        let known = |by, count, rank| Some(Launched { by, count, rank });
        assert_eq!(of("HOME=/root SLURM_NTASKS=8 SLURM_PROCID=0"), None);
        assert_eq!(of("OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 PMIX_RANK=0"), None);
        assert_eq!(
            of("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 PMIX_RANK=3"),
            known("OMPI_COMM_WORLD_SIZE", Some(4), Some(3))
        );
        // Open MPI on several machines starts its daemons by srun.
        assert_eq!(
            of("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_RANK=5"),
            known("OMPI_COMM_WORLD_SIZE", Some(8), Some(5))
        );
        assert_eq!(of("PMI_SIZE=2 PMI_RANK=1"), known("PMI_SIZE", Some(2), Some(1)));
        assert_eq!(of("SLURM_STEP_NUM_TASKS=2"), known("SLURM_STEP_NUM_TASKS", Some(2), None));
        assert_eq!(of("PMIX_RANK=1"), known("PMIX_RANK", None, Some(1)));
        assert_eq!(of("OMPI_COMM_WORLD_SIZE=4 MYRMEX_ALONE=1"), None);
        assert!(of("OMPI_COMM_WORLD_SIZE=4 MYRMEX_ALONE=0").is_some());
    }
}
