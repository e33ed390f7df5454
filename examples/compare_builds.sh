#!/bin/sh
# What does the optimiser gain? Builds one program twice and compares the two.
#   usage: examples/compare_builds.sh [SOURCE.c [ARGUMENT...]]
# CC is the compiler, FLAGS_A and FLAGS_B are the options of the two builds, LAUKA is the lauka to use.
set -eu
here=$(dirname "$0")
source=${1:-$here/conditional_sum.c}
if [ $# -gt 0 ]; then shift; else set -- unsorted; fi

LAUKA=${LAUKA:-$here/../zig-out/bin/lauka}
if [ -z "${CC:-}" ]; then
    if command -v cc >/dev/null; then CC=cc; else CC="$here/../zigw cc"; fi
fi
builds=$(mktemp -d)
trap 'rm -rf "$builds"' EXIT
$CC ${FLAGS_A:--O1} -o "$builds/a" "$source"
$CC ${FLAGS_B:--O3} -o "$builds/b" "$source"
"$LAUKA" -- "$builds/a" "$@" --vs "$builds/b" "$@"
