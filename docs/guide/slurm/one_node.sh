#!/bin/bash
# All GPUs of one machine on one problem: one process, no MPI.
#   sbatch one_node.sh instance.tsp
#SBATCH --job-name=myrmex
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=32
#SBATCH --time=01:00:00
# Before the job's time is up the run is told to end, and writes its best solution.
#SBATCH --signal=TERM@60

# Since Slurm 22.05 a step does not take this over from the job, and may get one core.
export SRUN_CPUS_PER_TASK="$SLURM_CPUS_PER_TASK"
srun myrmex solve "$1" --devices all --time 55m --solution "best.$SLURM_JOB_ID.tour" --json "report.$SLURM_JOB_ID.json"
