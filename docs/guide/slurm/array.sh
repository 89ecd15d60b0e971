#!/bin/bash
# A run for each seed, each by itself, and the best of them. No MPI.
#   array=$(sbatch --parsable array.sh instance.tsp)
#   sbatch --dependency=afterany:$array --wrap "myrmex merge instance.tsp $array.*.tour -o best.$array.tour"
#SBATCH --job-name=myrmex
#SBATCH --array=1-20
#SBATCH --ntasks=1
#SBATCH --gpus=1
#SBATCH --cpus-per-task=8
#SBATCH --time=00:20:00
#SBATCH --signal=TERM@60

# Since Slurm 22.05 a step does not take this over from the job, and may get one core.
export SRUN_CPUS_PER_TASK="$SLURM_CPUS_PER_TASK"
srun myrmex solve "$1" --seed "$SLURM_ARRAY_TASK_ID" --time 15m \
  --solution "$SLURM_ARRAY_JOB_ID.$SLURM_ARRAY_TASK_ID.tour"
