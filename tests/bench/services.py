#!/usr/bin/env python3
"""Does lauka claim that a service differs from itself, and does it find what is slower?

    python3 tests/bench/services.py LAUKA [--sessions N] [--starts N]

N sessions of 12 rounds compare a service with itself, and with one whose requests take 10 % longer. All requests of one
process share an effect of 3 %; latencies are those of the server's own clock (tests/cli/programs/serve.c), so the
machine's noise has no part in it, but each round starts and ends real processes. --starts N: so many sessions compare a
program that is ready after 200 ms with one that needs 220. The exit code is 0 if the claims of the first stay within the 99 %
bound of 5 %, and 90 % of the second and 95 % of the third find it.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from levels import bound

CLI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "programs")


def verdict(lauka, folder, metric, *words):
    done = subprocess.run([lauka, "-q", "--no-config", "--json", *words], cwd=folder, stdout=subprocess.PIPE, check=True)
    return next(c["verdict"] for c in json.loads(done.stdout)["comparisons"] if c["metric"] == metric)


def under_load(lauka, folder, seed, more):
    planted = "effect=3 noise=2 tell=port"
    return verdict(lauka, folder, "p50", "-r12", f"--seed={seed}", "--service-warmup=0s", "--ready=Listening",
                   f"--service=base:./serve latency=1000 state=base {planted}",
                   f"--service=head:./serve latency={1000 + 10 * more} state=head{seed} {planted}",
                   "--load", "wrk", "./request port count=20")


def until_ready(lauka, folder, seed):
    return verdict(lauka, folder, "time_to_ready", "-r10", f"--seed={seed}", "--ready=Listening",
                   "./serve wait=200", "./serve wait=220")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lauka")
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--starts", type=int, default=20)
    asked = parser.parse_args()
    lauka = os.path.abspath(asked.lauka)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("serve", "request"):
            subprocess.run(["cc", "-O1", "-D_GNU_SOURCE", os.path.join(CLI, f"{name}.c"), "-o", name, "-lm"], cwd=folder,
                           check=True)
        seeds = range(1, asked.sessions + 1)
        claims = sum(under_load(lauka, folder, seed, 0) in ("higher", "lower") for seed in seeds)
        found = sum(under_load(lauka, folder, seed, 10) == "higher" for seed in seeds)
        ready = sum(until_ready(lauka, folder, seed) == "higher" for seed in range(asked.starts))
    print(f"a service against itself, run effects of 3 %: {claims} of {asked.sessions} sessions claim a difference")
    print(f"10 % slower: {found} of {asked.sessions} find it")
    print(f"ready after 220 instead of 200 ms: {ready} of {asked.starts} find it")
    sys.exit(claims > bound(asked.sessions) or found < 0.9 * asked.sessions or ready < 0.95 * asked.starts)


if __name__ == "__main__":
    main()
