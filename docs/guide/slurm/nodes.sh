#!/bin/bash
# All GPUs of several machines on one problem: a process for each GPU, which MPI connects.
#   sbatch nodes.sh instance.tsp
#SBATCH --job-name=myrmex
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
# Before the job's time is up the run is told to end, and writes its best solution.
#SBATCH --signal=TERM@60

# The MPI that the program was built with, and how Slurm speaks to it ('srun --mpi=list' has the choices: pmix, pmi2).
module load openmpi
# Since Slurm 22.05 a step does not take this over from the job, and may get one core.
export SRUN_CPUS_PER_TASK="$SLURM_CPUS_PER_TASK"
srun --mpi=pmix --kill-on-bad-exit=1 myrmex solve "$1" --time 55m \
  --solution "best.$SLURM_JOB_ID.tour" --json "report.$SLURM_JOB_ID.json"
