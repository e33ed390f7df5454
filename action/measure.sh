#!/bin/sh
# The second step of action.yml: measures, writes all reports to $REPORTS, and prints the verdict: pass,
# fail, inconclusive or error. If anything goes wrong, a comment and a JUnit file say so, so that no old
# report looks like success.
#   COMMAND  is run in the revisions AGAINST and HEAD, both built by MAKE_COMMAND (may be empty); otherwise
#   CONFIG   a file of benchmarks (lauka --config); otherwise BASE and HEAD are the two commands
#   GATE     limits, one per line; those below a [NAME] section apply to single benchmarks
#   COUNTERS valgrind: exact simulated counts, the same on every machine; otherwise empty
# MAX_TIME, BUDGET, INCONCLUSIVE, ALLOW and COMMENT_ID may be empty. LAUKA is the lauka to use.
# Where INCONCLUSIVE is empty and there is a limit on a time, in GATE or in CONFIG, what cannot be decided fails: a noisy
# runner, or too little time, must not look like success. An --inconclusive of CONFIG stays.
set -u
lauka=${LAUKA:-lauka} reports=${REPORTS:-lauka-reports} code=0
id=${COMMENT_ID:-${COMMAND:-${CONFIG:-${BASE:-} against ${HEAD:-}}}}
mkdir -p "$reports" || exit 1
rm -f "$reports"/comment.md "$reports"/junit.xml "$reports"/result.json

time='(wall|cpu|user|system|run)([-_](time|delay))?([.][a-z0-9.]+)?[[:space:]]*[<=]'
limits_times() { # in a file, the value may be in the line after --gate
    printf '%s\n' "${GATE:-}" | grep -Eq "^[[:space:]]*$time" && return
    [ -n "${CONFIG:-}" ] && grep -Eq "^[[:space:]]*(--gate=)?([[][^]]*][[:space:]]*)?$time" "$CONFIG"
}

set -- --comment-id "$id" --github --json="$reports/result.json" --pr-comment="$reports/comment.md" \
    --junit="$reports/junit.xml" --html="$reports/page.html" --markdown="$reports/summary.md" \
    --go-benchmark="$reports/benchmark.txt" --bmf="$reports/bmf.json" \
    --github-benchmark="$reports/github-benchmark.json"
if [ -z "${INCONCLUSIVE:-}" ] && limits_times && ! grep -q '^[[:space:]]*--inconclusive' "${CONFIG:-/dev/null}"; then
    INCONCLUSIVE=fail
fi
[ -z "${INCONCLUSIVE:-}" ] || set -- "$@" --inconclusive "$INCONCLUSIVE"
[ -z "${MAX_TIME:-}" ] || set -- "$@" --max-time "$MAX_TIME"
[ -z "${BUDGET:-}" ] || set -- "$@" --budget "$BUDGET"
[ -z "${COUNTERS:-}" ] || set -- "$@" --counters "$COUNTERS"
if [ -n "${ALLOW:-}" ] && [ ! -e "$ALLOW" ]; then
    echo "::notice title=lauka::There is no file $ALLOW, so no failure is allowed."
elif [ -n "${ALLOW:-}" ]; then
    set -- "$@" --allow "$ALLOW"
fi
# Limits are passed as options, so that "to reproduce" needs no file that only this job has.
section=
while IFS= read -r limit; do
    case $limit in
    '' | '#'*) ;;
    '['*']') section="$limit " ;;
    *) set -- "$@" --gate "$section$limit" ;;
    esac
done <<LIMITS
${GATE:-}
LIMITS
if [ -n "${COMMAND:-}" ]; then
    # In a file, the command is one line, taken apart as a shell would.
    commands=$(mktemp) || exit 1
    printf '%s\n' --same-output ${MAKE_COMMAND:+"--build=$MAKE_COMMAND"} '[benchmark]' "$COMMAND" >"$commands"
    "$lauka" revisions "$AGAINST" HEAD --config "$commands" "$@" || code=$?
    rm -f "$commands"
elif [ -n "${CONFIG:-}" ]; then
    "$lauka" --config "$CONFIG" "$@" || code=$?
else
    "$lauka" "$@" "$BASE" "$HEAD" || code=$?
fi

case $code in
0) # With `warn` and `pass`, an inconclusive gate exits with 0, too.
    strict=0
    "$lauka" gate --inconclusive fail "$reports/result.json" >/dev/null 2>&1 || strict=$?
    case $strict in 0) verdict=pass ;; 4) verdict=inconclusive ;; *) verdict=error ;; esac ;;
3) verdict=fail ;;
4) verdict=inconclusive ;;
*) verdict=error ;;
esac

# If nothing was measured, the reports say so and replace older ones.
if [ ! -s "$reports/comment.md" ]; then
    marker=$("$lauka" --no-config -q -r1 -w0 --backend simulated --comment-id "$id" --pr-comment=- x | head -n 1)
    printf '%s\n### ❌ lauka: nothing was measured\n\nlauka ended with exit code %s; the job says why.\n' \
        "$marker" "$code" >"$reports/comment.md"
fi
if [ ! -s "$reports/junit.xml" ]; then
    printf '%s\n' '<?xml version="1.0" encoding="UTF-8"?>' \
        '<testsuites name="lauka" tests="1" failures="0" errors="1">' \
        '  <testsuite name="lauka" tests="1" failures="0" errors="1">' \
        '    <testcase classname="lauka" name="session">' \
        "      <error message=\"nothing was measured: exit code $code\"/>" \
        '    </testcase>' '  </testsuite>' '</testsuites>' >"$reports/junit.xml"
fi
printf 'verdict=%s\nexit-code=%s\n' "$verdict" "$code" >>"${GITHUB_OUTPUT:-/dev/stdout}"
exit "$code"
