#!/usr/bin/env python3
"""Benchmarks in Python that `lauka suite ./old.py ./new.py` compares, by the protocol lauka-bench/1 of
docs/suite.md. Only a function's loop is measured, not what comes before it."""
import os
import sys
import time


class Clock:
    def __enter__(self):
        self.cpu, self.wall = time.process_time_ns(), time.perf_counter_ns()

    def __exit__(self, *_):
        self.wall = time.perf_counter_ns() - self.wall
        self.cpu = time.process_time_ns() - self.cpu


def join_words(iterations, seed, clock):
    words = [str(seed + i) for i in range(100)]
    with clock:
        for _ in range(iterations):
            " ".join(words)


def sort_numbers(iterations, seed, clock):
    numbers = [(seed + i * 7919) % 1000 for i in range(100)]
    with clock:
        for _ in range(iterations):
            sorted(numbers)


BENCHMARKS = {"join": join_words, "sort": sort_numbers}


def answer(words):
    if words == ["hello", "1"]:
        return "hello 1"
    if words == ["list"]:
        return "\n".join([f"benchmark {name}" for name in BENCHMARKS] + ["ok"])
    if len(words) == 4 and words[0] == "run" and words[1] in BENCHMARKS:
        clock = Clock()
        BENCHMARKS[words[1]](int(words[2]), int(words[3]), clock)
        return f"ok {clock.wall} {clock.cpu}"
    return "error this is not understood"


if "LAUKA_BENCH_FDS" not in os.environ:
    sys.exit("run this with: lauka suite ./old.py ./new.py")
requests, answers = map(int, os.environ["LAUKA_BENCH_FDS"].split(","))
with open(requests) as lines, open(answers, "w") as out:
    for line in lines:
        if line == "bye\n":
            break
        print(answer(line.split()), file=out, flush=True)
