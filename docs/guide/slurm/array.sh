#!/bin/bash
# A run for each seed, each by itself, and the best of them. No MPI.
#   array=$(sbatch --parsable array.sh instance.tsp)
#   sbatch --dependency=afterany:$array --wrap "myrmex merge instance.tsp seed.*.tour -o best.tour"
#SBATCH --job-name=myrmex
#SBATCH --array=1-20
#SBATCH --ntasks=1
#SBATCH --gpus=1
#SBATCH --cpus-per-task=8
#SBATCH --time=00:20:00
#SBATCH --signal=TERM@60

srun myrmex solve "$1" --seed "$SLURM_ARRAY_TASK_ID" --time 15m --solution "seed.$SLURM_ARRAY_TASK_ID.tour"
