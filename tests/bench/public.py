#!/usr/bin/env python3
"""Which change points of public series does lauka find, beside those that their publishers and Apache Otava mark?

    python3 tests/bench/public.py LAUKA [--otava]

The series are in tests/vectors/history/public.json, with their sources. --otava installs Apache Otava in a folder that is removed
afterwards, and asks it again; otherwise what it marked before is shown. The exit code is 0 if both find what the file says.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from history import find_steps  # noqa: E402

SERIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", "history", "public.json")
OTAVA = """
import json, sys
from otava.analysis import compute_change_points
print(json.dumps([[int(point.index) for point in compute_change_points(values, window_len=30, max_pvalue=0.01, min_magnitude=0.05)[0]]
                  for values in json.load(sys.stdin)]))
"""


def read_series():
    with open(SERIES, encoding="utf-8") as file:
        return json.load(file)["series"]


def ask_otava(series):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = os.path.join(folder, "bin", "python")
        subprocess.run([python, "-m", "pip", "-q", "install", "apache-otava==0.8.0"], check=True)
        done = subprocess.run([python, "-c", OTAVA], input=json.dumps([one["values"] for one in series]), capture_output=True, text=True,
                              check=True)
        return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lauka", type=os.path.abspath)
    parser.add_argument("--otava", action="store_true")
    wanted = parser.parse_args()
    series, good = read_series(), True
    otava = ask_otava(series) if wanted.otava else [one["otava"] for one in series]
    print("| series | points | its publisher marks | Otava | lauka |\n|:--|--:|:--|:--|:--|")
    for one, other in zip(series, otava):
        with tempfile.TemporaryDirectory() as folder:
            found = find_steps(wanted.lauka, folder, one["values"])
        good &= found == one["steps"] and other == one["otava"]
        print(f"| {one['name']} | {len(one['values'])} | "
              + " | ".join(", ".join(map(str, places)) or "none" for places in (one["marks"], other, found)) + " |")
    return not good


if __name__ == "__main__":
    sys.exit(main())
