"""Runs the programs of the unit tests several at once, and prints their output one after the other.

    python3 tests/units.py PROGRAM [ARGUMENT...] [-- PROGRAM [ARGUMENT...]]...
"""
import concurrent.futures
import itertools
import os
import subprocess
import sys


def commands(words):
    return [list(group) for is_rule, group in itertools.groupby(words, lambda word: word == "--") if not is_rule]


def run(command, environment=None):
    """Returns (exit code, output). With a filter, programs without a matching test print nothing."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment)
    if done.returncode < 0:
        done.stdout += f"{command[0]}: ended by signal {-done.returncode}\n".encode()
    return done.returncode, done.stdout


def run_all(runs, jobs=None):
    """runs: arguments of run(). Returns whether all succeeded."""
    good = True
    with concurrent.futures.ThreadPoolExecutor(jobs or max(2, os.cpu_count() or 1)) as pool:
        for code, said in pool.map(lambda arguments: run(*arguments), runs):
            sys.stdout.buffer.write(said)
            sys.stdout.flush()
            good = good and code == 0
    return good


if __name__ == "__main__":
    sys.exit(not run_all([(command,) for command in commands(sys.argv[1:])]))
