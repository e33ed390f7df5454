#!/bin/sh
# submit.sh TASKS LAUKA-OPTIONS COMMANDS: measures on TASKS nodes of a Slurm cluster, merges the results
# into one session, and exits with lauka's code: 3 is a regression. Results are stored in $RESULTS, on a
# file system that all nodes share. Options for `lauka merge` go into $MERGE_OPTIONS.
#
#   ./submit.sh 6 --gate wall_time=2% ./before ./after
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tasks=$1
shift
RESULTS=${RESULTS:-$PWD/lauka-$(date +%Y%m%dT%H%M%S)}
export RESULTS
mkdir -p "$RESULTS"
# The merge runs even if a task failed: --allow-missing says how many may be missing.
array=$(sbatch --parsable --array="1-$tasks" --output="$RESULTS/task-%a.log" "$here/measure.sbatch" "$@")
status=0
sbatch --wait --parsable --dependency="afterany:$array" --output="$RESULTS/merge.log" "$here/merge.sbatch" || status=$?
cat "$RESULTS/merge.log"
exit "$status"
