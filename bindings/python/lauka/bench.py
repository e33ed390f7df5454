"""Benchmarks that `lauka suite old.py new.py` compares, by the protocol lauka-bench/1 of docs/suite.md.

    import lauka.bench

    @lauka.bench.benchmark
    def join(seed):
        words = [str(seed + i) for i in range(100)]
        return lambda: " ".join(words)    # only this is measured

    lauka.bench.main()
"""
import os
import sys
import time
from typing import Callable, Dict, IO, Optional

Iteration = Callable[[], object]
Benchmark = Callable[[int], Iteration]

BENCHMARKS: Dict[str, Benchmark] = {}


def add(name: str, prepare: Benchmark) -> None:
    """Adds a benchmark. Its name has no blanks. prepare(seed) returns what an iteration does."""
    if not name or len(name.encode()) > 300 or any(ord(letter) <= 32 or ord(letter) == 127 for letter in name):
        raise ValueError(f"the name of a benchmark has no blanks and at most 300 bytes: {name!r}")
    if name in BENCHMARKS:
        raise ValueError(f"there are two benchmarks called {name}")
    BENCHMARKS[name] = prepare


def benchmark(prepare: Benchmark) -> Benchmark:
    """A decorator: adds the function by its own name."""
    add(prepare.__name__, prepare)
    return prepare


def measure(iteration: Iteration, iterations: int):
    """Returns the wall time and CPU time of all iterations in nanoseconds."""
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    for _ in range(iterations):
        iteration()
    return time.perf_counter_ns() - wall, time.process_time_ns() - cpu


def answer(request: str) -> Optional[str]:
    """Returns the answer to a request without its line feed; None to `bye`."""
    word, *words = request.split(" ")
    if request == "bye":
        return None
    if request == "hello 1":
        return request
    if request == "list":
        return "\n".join([*(f"benchmark {name}" for name in BENCHMARKS), "ok"])
    if word != "run" or len(words) != 3 or words[0] not in BENCHMARKS:
        return "error this request is not understood"
    try:
        wall, cpu = measure(BENCHMARKS[words[0]](int(words[2])), int(words[1]))
    except Exception as error:  # whatever it is, lauka names it
        return "error " + " ".join(f"{type(error).__name__}: {error}".split())
    return f"ok {wall} {cpu}"


def serve(requests: IO[str], answers: IO[str]) -> None:
    for line in requests:
        said = answer(line.rstrip("\n"))
        if said is None:
            break
        print(said, file=answers, flush=True)


def show() -> None:
    """Prints what an iteration takes, where lauka did not start this program."""
    for name, prepare in BENCHMARKS.items():
        iteration, iterations, wall = prepare(1), 1, measure(prepare(1), 1)[0]
        while wall < 100_000_000:
            iterations *= 2
            wall = measure(iteration, iterations)[0]
        print(f"{name}\t{wall / iterations:.1f} ns")


def main() -> None:
    """Answers lauka's requests until it says `bye`. Call it once, after all benchmarks were added."""
    descriptors = os.environ.get("LAUKA_BENCH_FDS")
    if not descriptors:
        show()
        return
    requests, answers = map(int, descriptors.split(","))
    with open(requests, encoding="utf-8") as lines, open(answers, "w", encoding="utf-8") as out:
        serve(lines, out)
    sys.stdout.flush()
