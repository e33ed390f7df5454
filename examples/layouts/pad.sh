#!/bin/sh
# pad.sh LAYOUT OUT OBJECT...: links a program with padding before all of its code.
set -e
layout=$1 out=$2
shift 2
printf '.text\n.skip %d\n.section .note.GNU-stack,"",%%progbits\n' "$((layout * 4))" |
    ${CC:-gcc} -x assembler -c -o "$out.pad.o" -
${CC:-gcc} -o "$out" "$out.pad.o" "$@"
