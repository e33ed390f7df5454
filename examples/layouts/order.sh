#!/bin/sh
# order.sh LAYOUT OUT OBJECT...: links a program with its objects in a random order, with the layout's
# number as seed.
set -e
layout=$1 out=$2
shift 2
shuffled=$(for object; do echo "$object"; done |
    awk -v "seed=$layout" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n | cut -f 2-)
IFS='
'
# shellcheck disable=SC2086 # a line each
${CC:-gcc} -o "$out" $shuffled
