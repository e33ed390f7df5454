"""How often does a session of many benchmarks claim a change that does not exist, and does it find those
that do? Nothing is run: `--backend simulated:effects` states what each side costs, and the seed decides the
noise.

    many.py LAUKA [SESSIONS]
"""

import json
import subprocess
import sys
import tempfile
import time

BENCHMARKS = 24
CHANGED = {3: 1.05, 10: 0.85, 17: 1.02}
PRIMARY = ("wall_time", "cpu_time")
MOST_OF_100 = 11  # Holm keeps all claims of a session to 5 %; 12 of 100 have a chance of 1 in 200


def config(changed):
    lines = ["--backend=simulated:effects", "-n=base", "-n=head"]
    for i in range(BENCHMARKS):
        cost = 5 + i
        lines += [f"[b{i:02}]", f"base cost={cost}ms", f"head cost={cost * changed.get(i, 1):.4f}ms"]
    return "\n".join(lines) + "\n"


def claims(lauka, text, seed, folder):
    """Returns the benchmarks that differ in a primary metric, according to lauka."""
    with open(f"{folder}/config", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([lauka, "--config", f"{folder}/config", f"--seed={seed}", "--json"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=True)
    return {c["benchmark"] for c in json.loads(done.stdout)["comparisons"]
            if c["metric"] in PRIMARY and c["verdict"] in ("higher", "lower")}


def main():
    lauka, sessions = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    expected = {f"b{i:02}" for i in CHANGED}
    begun, claiming, whole, others, missed = time.monotonic(), 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, sessions + 1):
            claiming += bool(claims(lauka, config({}), seed, folder))
            found = claims(lauka, config(CHANGED), seed, folder)
            missed += len(expected - found)
            others += bool(found - expected)
            whole += found == expected
    print(f"{sessions} sessions of {BENCHMARKS} benchmarks, nothing changed: {claiming} claim something "
          f"(goal: {MOST_OF_100} of 100 at most)")
    print(f"{sessions} sessions of {BENCHMARKS} benchmarks, {len(expected)} changed by 5, -15 and 2 %: {whole} find these and "
          f"nothing else; {missed} changes missed, {others} sessions claim another")
    print(f"{time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
