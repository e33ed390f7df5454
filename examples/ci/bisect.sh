#!/bin/sh
# Finds the commit that made a program slower: a command for `git bisect run`.
#   git bisect start BAD GOOD
#   git bisect run examples/ci/bisect.sh 'make -s' './prog big.txt' --gate wall_time=2%
# The good commit is built once, beside the repository's objects; each commit on the way is held
# against it in interleaved rounds. Exit codes are git's: 0 good, 1 bad, 125 cannot be told (it does not
# build, the command fails, the gate is inconclusive), 255 ends the search. LAUKA names the lauka to
# use. Give rounds time enough (--max-time): what stays inconclusive is skipped.
set -u
[ $# -ge 3 ] || { sed -n '3,4s/^# *//p' "$0" >&2; exit 255; }
build=$1 command=$2
shift 2
good=$(git for-each-ref --format='%(objectname)' 'refs/bisect/good-*' | tail -n 1)
[ -n "$good" ] || { echo "bisect.sh: is to be run by git bisect run" >&2; exit 255; }
good=$(git rev-list -n 1 "${BASE:-$good}") || exit 255
base=$(git rev-parse --absolute-git-dir)/lauka-base

# The first good commit stays the base: later ones may already have become a little slower.
if [ ! -d "$base" ]; then
    git worktree add -q --detach "$base" "$good" || exit 255
    (cd "$base" && sh -c "$build") >&2 ||
        { git worktree remove --force "$base"; echo "the good commit does not build" >&2; exit 255; }
fi
sh -c "$build" >&2 || exit 125
"${LAUKA:-lauka}" --bisect --cwd "A:$base" "$@" "$command" "$command"
