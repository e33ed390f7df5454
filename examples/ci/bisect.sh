#!/bin/sh
# Finds the commit that made a program slower: a command for `git bisect run`.
#   git bisect start BAD GOOD
#   git bisect run examples/ci/bisect.sh 'make -s' './prog big.txt' --gate wall_time=2%
# The first good commit, or BASE, is built once, beside the repository's objects; each commit on the way
# is held against it in interleaved rounds. Exit codes are git's: 0 good, 1 bad, 125 cannot be told (it
# does not build, the command fails, the gate is inconclusive), 255 ends the search. LAUKA names the
# lauka to use. Give rounds time enough (--max-time): what stays inconclusive is skipped.
# What was built stays for the next search from the same commit. To be rid of it:
#   git worktree remove --force "$(git rev-parse --git-dir)/lauka-base"
set -u
[ $# -ge 3 ] || { sed -n '3,4s/^# *//p' "$0" >&2; exit 255; }
build=$1 command=$2
shift 2
# The first good commit stays the base: later ones may already have become a little slower.
good=$(git bisect log 2>/dev/null | sed -n 's/^# good: \[\([0-9a-f]*\)\].*/\1/p' | head -n 1)
[ -n "$good" ] || { echo "bisect.sh: is to be run by git bisect run" >&2; exit 255; }
good=$(git rev-list -n 1 "${BASE:-$good}") || exit 255
base=$(git rev-parse --absolute-git-dir)/lauka-base

# What an earlier search left there is of use only where it is this commit in this build.
if [ "$(git -C "$base" rev-parse HEAD 2>/dev/null)" != "$good" ] ||
    [ "$(cat "$base.build" 2>/dev/null)" != "$build" ]; then
    git worktree remove --force "$base" 2>/dev/null || rm -rf "$base"
    rm -f "$base.build"
    git worktree add -q --force --detach "$base" "$good" || exit 255 # forced: it may be registered still
    (cd "$base" && sh -c "$build") >&2 ||
        { git worktree remove --force "$base"; echo "the good commit does not build" >&2; exit 255; }
    printf '%s\n' "$build" >"$base.build"
fi
sh -c "$build" >&2 || exit 125
"${LAUKA:-lauka}" --bisect --cwd "A:$base" "$@" "$command" "$command"
