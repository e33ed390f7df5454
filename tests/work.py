"""lauka's work must grow with the number of commands, not with its square. Valgrind's callgrind counts
instructions, so neither the machine nor its load matters. memcheck.py runs this.
"""

import re
import subprocess
import tempfile

FEW = 20
# For linear work, the step from 2 to 4 times as many adds twice what the step from 1 to 2 adds; for a
# square, four times.
MOST = 2.3

DOCUMENTS = ["json", "csv", "csv-percentiles", "csv-samples", "markdown", "html", "junit", "bmf", "go-benchmark",
             "github-benchmark", "hlog", "hgrm"]


def documents(count):
    return ["--gate", "wall_time=5%", "--pr-comment=pr", "--percentiles", "--plot", "--sort=mean-time",
            *(f"--{name}={name}" for name in DOCUMENTS), *map(str, range(count))]


def letters(number):
    """Returns the name of a command by its number, from 0."""
    text = ""
    while number >= 0:
        text = chr(ord("A") + number % 26) + text
        number = number // 26 - 1
    return text


def options_of_each(count):
    """Repeats each option sixteen times, because one is read quickly. The last one is given twice, so
    lauka stops there."""
    return [word for command in [*range(16 * count), 0]
            for word in ("--env", f"{letters(command)}:NAME=value", f"c{command}")]


def one_after_the_other(count):
    return ["--order=sequential", "--json=json", *map(str, range(count // 4))]


def stored(count):
    return ["report", f"{count}.json"]


def instructions(lauka, words, folder):
    begin = [] if words[0] == "report" else ["--backend=simulated", "--seed=1", "-r2", "-w0", "-enone"]
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", lauka, "-q", *begin, *words],
                          cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, check=False)
    found = re.findall(r"Collected : (\d+)", done.stderr)  # includes the launcher
    if done.returncode != (2 if "--env" in words else 0) or not found:
        raise RuntimeError(done.stderr)
    return sum(map(int, found))


def keep(lauka, count, folder):
    subprocess.run([lauka, "-q", "--backend=simulated", "--seed=1", "-r2", f"--json={count}.json", *map(str, range(count))],
                   cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


# The cost of a report per value, for a long session of two commands with 16 metrics.
ROUNDS = 20000
METRICS = 16
MOST_OF_A_VALUE = 4000  # in a Debug build


def of_a_value(lauka, folder):
    subprocess.run([lauka, "-q", "--no-config", "--backend=simulated:effects", "--seed=1", f"-r{ROUNDS}", "--json=long.json",
                    "a", "b cost=10.2ms first=5%"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   check=True)
    return instructions(lauka, ["report", "long.json"], folder) // (2 * METRICS * ROUNDS)


def check(lauka):
    """Returns (number that passed, number that failed)."""
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for count in (FEW, 2 * FEW, 4 * FEW):
            keep(lauka, count, folder)
        for words in (documents, options_of_each, one_after_the_other, stored):
            one, two, four = (instructions(lauka, words(times * FEW), folder) for times in (1, 2, 4))
            growth = (four - two) / (two - one)
            if growth <= MOST:
                passed += 1
                continue
            failed += 1
            print(f"work: {words.__name__}: {one}, {two} and {four} instructions with {FEW}, {2 * FEW} and {4 * FEW} "
                  f"commands: the second step adds {growth:.2f} times as many as the first, not 2", flush=True)
        value = of_a_value(lauka, folder)
        if value <= MOST_OF_A_VALUE:
            passed += 1
        else:
            failed += 1
            print(f"work: the report of {ROUNDS} rounds takes {value} instructions per value, not {MOST_OF_A_VALUE}", flush=True)
    return passed, failed
