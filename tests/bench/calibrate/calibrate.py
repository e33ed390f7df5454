#!/usr/bin/env python3
"""Does lauka keep its statistical promises on this machine, quiet and busy?

    python3 tests/bench/calibrate/calibrate.py LAUKA PROGRAMS [options]

PROGRAMS contains `work` and `load` (zig build calibrate builds them and calls this). Under every load
pattern, a command is compared with itself, and with itself plus an exactly known amount of work; in half of
the trials the two are exchanged. The results for wall_time, after Holm's correction, are counted: false
claims, gate failures, hits, wrong directions, and whether the interval contains the truth. The rules of
poop and hyperfine judge the same interleaved rounds. The exit code is 0 if every bound is kept. The bounds
are 99 % bounds of the binomial distribution at the promised rate.
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

PROMISES = """false claims on equal commands <= 5 %; failures of a 2 % gate on them <= 0.5 %;
wrong directions <= 2.5 %; coverage >= 95 %; hits of +2 % >= 90 % and of +5 % >= 97 % where
the precision asked for was reached; hits >= those of poop's and hyperfine's rules"""


def binomial_quantile(p, trials, rate):
    total = 0.0
    for k in range(trials + 1):
        total += math.comb(trials, k) * rate**k * (1 - rate)**(trials - k)
        if total >= p:
            return k
    return trials


def t_quantile_975(df):
    """Student's t at 97.5 %, by the expansion in Abramowitz & Stegun 26.7.5. The error is 0.1 % at df 8."""
    z = 1.959963984540054
    return (z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * df**3))


def poop_claims(a, b):
    """poop marks a change if the 95 % interval of the difference of means lies beyond 1 % of the
    reference."""
    pooled = math.sqrt((statistics.variance(a) + statistics.variance(b)) / 2)
    half = t_quantile_975(2 * len(a) - 2) * pooled * math.sqrt(2 / len(a))
    percent = 100 / statistics.fmean(a)
    change, half = (statistics.fmean(b) - statistics.fmean(a)) * percent, half * percent
    return 1 if change - half >= 1 else -1 if change + half <= -1 else 0


def hyperfine_claims(a, b):
    """hyperfine's "x ± y times slower" counts as a claim if x - y > 1."""
    slow, fast = (b, a) if statistics.fmean(b) > statistics.fmean(a) else (a, b)
    ratio = statistics.fmean(slow) / statistics.fmean(fast)
    sigma = ratio * math.hypot(statistics.stdev(slow) / statistics.fmean(slow),
                               statistics.stdev(fast) / statistics.fmean(fast))
    return 0 if ratio - sigma <= 1 else 1 if slow is b else -1


PEERS = {"poop": poop_claims, "hyperfine": hyperfine_claims}


class Trial:
    """One session of lauka, seen from `first`, whichever command came first."""

    def __init__(self, options, first, second, swapped):
        begin = time.monotonic()
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            commands = (second, first) if swapped else (first, second)
            subprocess.run([options.lauka, "--json=" + file.name, "-q", *options.lauka_args.split(),
                            *commands], check=True, stdout=subprocess.DEVNULL)
            result = json.load(open(file.name))
        self.seconds = time.monotonic() - begin
        found = next(c for c in result["comparisons"] if c["metric"] == options.metric)
        values = [r["metrics"][options.metric]["values"] for r in result["results"]]
        self.values = values[::-1] if swapped else values
        self.rounds = result["run"]["rounds"]
        self.stopped = result["run"]["stopped"]
        self.claim = {"higher": 1, "lower": -1}.get(found["verdict"], 0) * (-1 if swapped else 1)
        self.low, self.high = found["low"], found["high"]
        if swapped and self.low is not None:
            self.low, self.high = 1 / self.high, 1 / self.low


class Cell:
    """All trials of one load pattern and one effect."""

    def __init__(self, pattern, effect, truth):
        self.pattern, self.effect, self.truth, self.trials = pattern, effect, truth, []

    def count(self, condition):
        return sum(map(condition, self.trials))

    def peers(self, name):
        wanted = (lambda c: c != 0) if self.effect == 0 else (lambda c: c > 0)
        return self.count(lambda t: wanted(PEERS[name](*t.values)))

    def claims(self):
        return self.count(lambda t: t.claim != 0 if self.effect == 0 else t.claim > 0)

    def row(self):
        n = len(self.trials)
        known = [t for t in self.trials if t.low is not None]
        covered = sum(t.low <= self.truth <= t.high for t in known)
        half = statistics.median((t.high - t.low) * 50 for t in known) if known else math.nan
        share = lambda k: f"{100 * k / n:.1f} %"
        return (f"| {self.pattern} | {'A/A' if self.effect == 0 else f'+{self.effect:g} %'} | {n} "
                f"| {share(self.claims())} | {share(self.count(lambda t: t.claim < 0 < self.effect))} "
                f"| {covered}/{len(known)} | {statistics.median(t.rounds for t in self.trials):g} "
                f"| ±{half:.2f} % | {share(self.peers('poop'))} | {share(self.peers('hyperfine'))} |")

    def judge(self):
        """Yields (whether the bound is kept, sentence)."""
        n, name = len(self.trials), f"{self.pattern} {self.effect:g} %"
        known = [t for t in self.trials if t.low is not None]
        covered = sum(t.low <= self.truth <= t.high for t in known)
        least = binomial_quantile(0.01, len(known), 0.95) if known else 0
        yield covered >= least, f"{name}: covers {covered} of {len(known)}, at least {least}"
        if self.effect == 0:
            most = binomial_quantile(0.99, n, 0.05)
            yield self.claims() <= most, f"{name}: {self.claims()} false claims, at most {most}"
            failed = sum(t.low > 1.02 for t in known)
            most = max(1, binomial_quantile(0.99, n, 0.005))
            yield failed <= most, f"{name}: {failed} gate failures, at most {most}"
            return
        wrong, most = self.count(lambda t: t.claim < 0), max(1, binomial_quantile(0.99, n, 0.025))
        yield wrong <= most, f"{name}: {wrong} wrong directions, at most {most}"
        reached = self.count(lambda t: t.stopped in ("precision", "effect"))
        rate = 0.97 if self.effect >= 5 else 0.90 if self.effect >= 2 else None
        if rate and reached >= 0.9 * n:
            least = binomial_quantile(0.01, n, rate)
            yield self.claims() >= least, f"{name}: {self.claims()} hits of {n}, at least {least}"
        for peer in PEERS:
            theirs = self.peers(peer)
            noise = 0.5 * math.sqrt(n)  # at most one standard deviation of a count
            yield self.claims() >= theirs - noise, f"{name}: {self.claims()} hits, {peer} {theirs}"


def loop_share(work, steps):
    """The loop's share of a run, from minima, because other load only adds time."""
    times = {0: [], steps: []}
    for _ in range(60):
        for count, seen in times.items():
            begin = time.perf_counter_ns()
            os.waitpid(os.posix_spawn(work, [work, str(count)], os.environ), 0)
            seen.append(time.perf_counter_ns() - begin)
    return 1 - min(times[0]) / min(times[steps])


def run_cell(options, cell, seeds):
    work, load = (os.path.join(options.programs, name) for name in ("work", "load"))
    more = round(options.steps * (1 + cell.effect / 100))
    trials = options.trials_same if cell.effect == 0 else options.trials_different
    other = None
    for trial in range(trials):
        if other is None or other.poll() is not None:
            other = subprocess.Popen([load, cell.pattern, "40", str(options.threads),
                                      str(seeds.randrange(1 << 30))])
        cell.trials.append(Trial(options, f"{work} {options.steps}", f"{work} {more}", trial % 2 == 1))
    if other:
        other.terminate()
        other.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=PROMISES)
    parser.add_argument("lauka")
    parser.add_argument("programs")
    parser.add_argument("--lauka-args", default="--max-time 10", help="options for lauka")
    parser.add_argument("--steps", type=int, default=8_000_000, help="of the reference; each takes about 1.3 ns")
    parser.add_argument("--effects", default="1,2,5", help="per cent of extra work")
    parser.add_argument("--patterns", default="quiet,bursts,sine,step")
    parser.add_argument("--trials-same", type=int, default=200)
    parser.add_argument("--trials-different", type=int, default=60)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--metric", default="wall_time")
    parser.add_argument("--gate", type=float, metavar="PERCENT",
                        help="calibrate a gate with this limit instead: see gate_sessions.py")
    options = parser.parse_args()

    share = loop_share(os.path.join(options.programs, "work"), options.steps)
    print(f"The loop is {100 * share:.1f} % of a run.\n")
    if options.gate is not None:
        import gate_sessions
        sys.exit(not gate_sessions.run(options, share))
    print("| load | effect | trials | claims (false, or hits) | wrong way | covers | rounds (median) "
          "| half-width (median) | poop's rule | hyperfine's rule |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    seeds, cells = random.Random(1), []
    for pattern in options.patterns.split(","):
        for effect in [0.0, *map(float, options.effects.split(","))]:
            cell = Cell(pattern, effect, 1 + effect / 100 * share)
            run_cell(options, cell, seeds)
            cells.append(cell)
            print(cell.row(), flush=True)
    verdicts = [verdict for cell in cells for verdict in cell.judge()]
    print()
    for holds, sentence in verdicts:
        print("holds: " if holds else "BROKEN: ", sentence, sep="")
    sys.exit(not all(holds for holds, _ in verdicts))


if __name__ == "__main__":
    main()
