"""Does a gate fail what got worse, and nothing else? calibrate.py --gate PERCENT calls this.

Runs sessions of `lauka --gate METRIC=PERCENT` on commands whose work is known: the same work, more by
exactly the limit, and more by 5 %. Counts the gate's verdicts and the rounds they took. The rule "ratio -
sigma > limit" of a script around hyperfine judges the same rounds.
"""
import json
import math
import os
import random
import statistics
import subprocess
import tempfile

from calibrate import binomial_quantile


def ratio_minus_sigma_fails(reference, other, limit):
    ratio = statistics.fmean(other) / statistics.fmean(reference)
    sigma = ratio * math.hypot(statistics.stdev(other) / statistics.fmean(other),
                               statistics.stdev(reference) / statistics.fmean(reference))
    return ratio - sigma > 1 + limit / 100


def ratio_alone_fails(reference, other, limit):
    return statistics.fmean(other) / statistics.fmean(reference) > 1 + limit / 100


class Session:
    def __init__(self, options, reference, other):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            done = subprocess.run(
                [options.lauka, "--json=" + file.name, "-q", "--gate",
                 f"{options.metric}={options.gate}%", *options.lauka_args.split(), reference, other],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            result = json.load(open(file.name))
        self.verdict = result["gate"]["limits"][0]["verdict"]
        assert done.returncode == {"pass": 0, "fail": 3, "inconclusive": 0}[self.verdict]
        values = [r["metrics"][options.metric]["values"] for r in result["results"]]
        self.rounds = result["run"]["rounds"]
        self.sigma_fails = ratio_minus_sigma_fails(*values, options.gate)
        self.ratio_fails = ratio_alone_fails(*values, options.gate)


def measure(options, pattern, effect, trials, share, seeds):
    work, load = (os.path.join(options.programs, name) for name in ("work", "load"))
    more = round(options.steps * (1 + effect / 100 / share))  # so that the whole run takes this much longer
    other, sessions = None, []
    for _ in range(trials):
        if other is None or other.poll() is not None:
            other = subprocess.Popen([load, pattern, "40", str(options.threads),
                                      str(seeds.randrange(1 << 30))])
        sessions.append(Session(options, f"{work} {options.steps}", f"{work} {more}"))
    if other:
        other.terminate()
        other.wait()
    return sessions


def row(pattern, effect, sessions):
    share = lambda condition: f"{100 * sum(map(condition, sessions)) / len(sessions):.1f} %"
    verdicts = [share(lambda s, v=v: s.verdict == v) for v in ("fail", "inconclusive", "pass")]
    rounds = sorted(s.rounds for s in sessions)
    return (f"| {pattern} | {f'+{effect:g} %' if effect else 'A/A'} | {len(sessions)} | "
            f"{' | '.join(verdicts)} | {statistics.median(rounds):g} | "
            f"{rounds[len(rounds) * 9 // 10]} | {share(lambda s: s.sigma_fails)} | "
            f"{share(lambda s: s.ratio_fails)} |")


def judge(options, pattern, effect, sessions):
    """Returns (whether the bounds are kept, sentence). They are 99 % bounds of the binomial
    distribution."""
    failed, n = sum(s.verdict == "fail" for s in sessions), len(sessions)
    what = f"{pattern} +{effect:g} %: {failed} of {n} failed"
    if effect == 0:
        most = max(1, binomial_quantile(0.99, n, 0.005))
        return failed <= most, f"{what}, at most {most} (0.5 %)"
    if effect == options.gate:
        most = binomial_quantile(0.99, n, 0.05)
        return failed <= most, f"{what}, at most {most} (5 %)"
    least = binomial_quantile(0.01, n, 0.95)
    return failed >= least, f"{what}, at least {least} (95 %)"


def run(options, share):
    print("| load | truth | sessions | FAIL | inconclusive | pass | rounds (median) | rounds (90 %) "
          "| ratio - σ > limit | ratio > limit |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    seeds, verdicts = random.Random(2), []
    for pattern in options.patterns.split(","):
        for effect in (0.0, options.gate, 5.0):
            trials = options.trials_same if effect == 0 else options.trials_different
            sessions = measure(options, pattern, effect, trials, share, seeds)
            verdicts.append(judge(options, pattern, effect, sessions))
            print(row(pattern, effect, sessions), flush=True)
    print()
    for holds, sentence in verdicts:
        print("holds: " if holds else "BROKEN: ", sentence, sep="")
    return all(holds for holds, _ in verdicts)
