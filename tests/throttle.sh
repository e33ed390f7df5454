#!/bin/sh
# Runs a command, with everything that it starts, on a share of one CPU. A test that depends on luck then
# fails soon.
#
#     tests/throttle.sh 0.6 ./zigw build test
#
# It needs root to make its own cgroup (version 1 or 2), which it removes afterwards.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 SHARE COMMAND [ARGUMENT...]" >&2; exit 2; }
share=$1
shift
quota=$(awk -v share="$share" 'BEGIN { print int(share * 100000) }') # per period of 100,000 µs
[ "$quota" -ge 1000 ] || { echo "$0: the share of one CPU is a number, as 0.6" >&2; exit 2; }

if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    group=/sys/fs/cgroup/throttled.$$
    echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
    mkdir "$group"
    echo "$quota 100000" >"$group/cpu.max"
else
    group=/sys/fs/cgroup/cpu/throttled.$$
    mkdir "$group"
    echo 100000 >"$group/cpu.cfs_period_us"
    echo "$quota" >"$group/cpu.cfs_quota_us"
fi
trap 'sleep 0.1; rmdir "$group" || :' EXIT
trap 'exit 130' INT TERM
status=0
sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@" || status=$?
exit "$status"
