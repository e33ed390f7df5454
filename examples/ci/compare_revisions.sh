#!/bin/sh
# Compares two git revisions of the program that this repository builds.
#   usage: compare_revisions.sh BASE HEAD BUILD COMMAND [LAUKA-OPTION...]
#   e.g.:  compare_revisions.sh main HEAD 'make -s' './prog big.txt' --gate wall_time=2%
# Both are built in worktrees of their own, where COMMAND then runs. LAUKA names the lauka to use.
set -eu
[ $# -ge 4 ] || { sed -n '2,4s/^# *//p' "$0" >&2; exit 2; }
base=$1 head=$2 build=$3 command=$4
shift 4
trees=$(mktemp -d)
clean() {
    git worktree remove --force "$trees/base" 2>/dev/null || :
    git worktree remove --force "$trees/head" 2>/dev/null || :
    rm -rf "$trees"
}
trap clean EXIT
trap 'exit 130' INT TERM
git worktree add -q --detach "$trees/base" "$base"
git worktree add -q --detach "$trees/head" "$head"
(cd "$trees/base" && sh -c "$build") >&2
(cd "$trees/head" && sh -c "$build") >&2
"${LAUKA:-lauka}" --cwd "A:$trees/base" --cwd "B:$trees/head" "$@" "$command" "$command"
