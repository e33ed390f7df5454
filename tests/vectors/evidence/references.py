"""Writes evidence.json: what numpy and scipy say about the rules of evidence, for tests/unit/stats/vectors.c.
Run it in this folder: python3 references.py. It shares no code with lauka; where lauka has a closed formula, this
finds roots, and where lauka finds roots, this counts."""
import json

import numpy as np
from scipy import optimize, stats

random = np.random.default_rng(20261126)


def series(count, deviation=0.02, rho=0.0, shift=0.0):
    """Whole numbers near 10,000, with this correlation from one to the next."""
    load, values = 0.0, []
    for _ in range(count):
        load = rho * load + np.sqrt(1 - rho * rho) * random.standard_normal()
        values.append(int(round(10000 * (1 + shift) * np.exp(deviation * load))))
    return values


# ---- what runs that resemble their neighbours are worth

def effective_number(values):
    """By means of batches of 1, 2, 4, ... values, the least worth counts."""
    n, least, length = len(values), float(len(values)), 1
    while n // length >= 10:
        batches = n // length
        means = np.asarray(values[n - batches * length:], float).reshape(batches, length).mean(axis=1)
        d = means - means.mean()
        r = (np.sum(d[1:] * d[:-1]) / np.sum(d * d) * batches + 1) / (batches - 3)
        r = np.clip(np.tanh(np.arctanh(np.clip(r, -.99, .995)) + 2.5 / np.sqrt(batches - 3)), 0, .999)
        least = min(least, np.var(values, ddof=1) / (stats.sem(means) ** 2 * (1 + r) / (1 - r)))
        length *= 2
    return least


def effective():
    for rho, count in ((0, 10), (0, 40), (.5, 64), (.3, 100), (.9, 333)):
        values = series(count, rho=rho)
        yield {"values": values, "number": effective_number(values)}


def budgets():
    """The median by order statistics of so many values as the runs are worth, or by a mean that is not far from it."""
    for rho, count, most, alpha in ((0, 60, 9900, .01), (0, 200, 10010, .05), (.5, 300, 9700, .01), (.9, 400, 10300, .05), (.2, 40, 8000, .01)):
        values = series(count, rho=rho)
        median = np.median(values)
        reach = 3 * 1.4826 * stats.median_abs_deviation(values)
        drawn = np.clip(values, median - reach, median + reach)
        worth = effective_number(list(drawn))
        k, low, high, p = int(worth), -np.inf, np.inf, 1.0
        ranks = [j for j in range(1, k + 1) if stats.binom.cdf(j - 1, k, .5) <= alpha / 2]
        if ranks:
            place = count * max(ranks) // k
            low, high = sorted(values)[place - 1], sorted(values)[count - place]
            within = sum(value <= most for value in values)
            p = stats.binom.cdf(-(-(within + 1) * k // count) - 1, k, .5)
        df = int(worth) - 1 if worth >= 3 else 1
        s = np.std(drawn, ddof=1)
        far = -stats.t.ppf(alpha / 2, df) * s / np.sqrt(worth) + s
        p = min(p, stats.t.sf((drawn.mean() - s - most) / (s / np.sqrt(worth)), df))
        yield {"values": values, "most": most, "alpha": alpha, "effective": worth, "value": median,
               "low": max(low, drawn.mean() - far), "high": min(high, drawn.mean() + far), "p": p}


# ---- means

def fieller(score, critical, at):
    """The shares x around `at` whose score is not beyond the critical value."""
    return [optimize.brentq(lambda x: abs(score(x)) - critical, *ends, xtol=1e-15) for ends in ((at - .5, at), (at, at + .5))]


def means():
    for paired, left, right, shift in ((True, 12, 12, .03), (True, 40, 40, -.01), (False, 15, 22, .02), (False, 4, 4, .1)):
        a, b = np.array(series(left), float), np.array(series(right, .05, shift=shift), float)
        if paired:
            df = left - 1
            score = lambda x: stats.ttest_1samp(b - (1 + x) * a, 0).statistic
            difference = stats.ttest_rel(b, a).confidence_interval(.95)
        else:
            va, vb = stats.sem(a) ** 2, stats.sem(b) ** 2
            df = int((va + vb) ** 2 / (va ** 2 / (left - 1) + vb ** 2 / (right - 1)))  # Welch's, a whole number here
            score = lambda x: (b.mean() - (1 + x) * a.mean()) / np.sqrt(vb + (1 + x) ** 2 * va)
            reach = stats.t.ppf(.975, df) * np.sqrt(va + vb)
            difference = b.mean() - a.mean() - reach, b.mean() - a.mean() + reach
        low, high = fieller(score, stats.t.ppf(.975, df), b.mean() / a.mean() - 1)
        yield {"paired": paired, "a": a.tolist(), "b": b.tolist(), "low": low, "high": high,
               "above": stats.t.sf(score(.01), df), "below": stats.t.cdf(score(.01), df),
               "difference_low": difference[0], "difference_high": difference[1]}


def far_values():
    for count, more in ((100, 3), (100, 9), (100, 12), (500, 20)):
        a, b = series(count), series(count)
        b[:more] = [30000] * more
        pooled = a + b
        limit = np.median(pooled) + 6 * 1.4826 * stats.median_abs_deviation(pooled)
        beyond = sum(v > limit for v in b), sum(v > limit for v in a)
        p = stats.binomtest(beyond[0], sum(beyond), .5, alternative="greater").pvalue
        yield {"a": a, "b": b, "differ": bool(2 * p <= .01)}


# ---- values in steps

def tied(values):
    return sum(a == b for i, a in enumerate(values) for b in values[:i]) / (len(values) * (len(values) - 1) / 2)


def steps():
    """0: ranks as they are, 1: of spread values, 2: means."""
    for count, step in ((30, 10), (30, 60), (30, 120), (400, 40), (20, 400)):
        a, b = ([int(step * round(v / step)) for v in series(count)] for _ in range(2))
        share = tied(a + b)
        zone = 2 if share >= .15 else 1 if share * np.sqrt(count) >= .8 else 0
        width = float(np.gcd.reduce(np.array(a + b) - a[0]))
        fine = .01 * np.mean(a + b) / 10
        yield {"a": a, "b": b, "zone": zone if width >= fine else 0, "width": max(width, fine)}


def rounding():
    """How far rounding can move a mean, by the first term of its Fourier series."""
    for width, deviation in ((100, .002), (100, .005), (100, .01), (300, .02), (1000, .001)):
        values = sorted(int(width * round(v / width)) for v in series(60, deviation))
        median, near = np.median(values), max(3 * 1.4826 * stats.median_abs_deviation(values), 1.5 * width)
        kept = [v for v in values if abs(v - median) <= near]
        levels = sorted(set(kept))
        if len(levels) == 1:
            off = width / 2
        elif len(levels) == 2:
            off = width * abs(kept.count(levels[1]) / len(kept) - .5)
        else:
            variance = max(0, np.var(kept, ddof=1) - width ** 2 / 12)
            off = width / 2 * np.exp(-2 * np.pi ** 2 * variance / width ** 2)
        yield {"values": values, "width": width, "off": off}


# ---- places and rounds

def walsh(values):
    return np.median([(a + b) / 2 for i, a in enumerate(values) for b in values[:i + 1]])


def crossovers():
    """Two commands, of which the first in a round pays 20 %: by Student's t of few rounds, by ranks of more."""
    for count in (7, 12):
        first = [1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1][:count]
        a = [int(v * (1.2 if f else 1)) for v, f in zip(series(count, .01), first)]
        b = [int(v * (1 if f else 1.2)) for v, f in zip(series(count, .01, shift=.05), first)]
        d = np.log(b) - np.log(a)
        ahead, behind = d[np.array(first) == 1], d[np.array(first) == 0]
        shift = np.median(np.subtract.outer(ahead, behind))
        aligned = np.concatenate([ahead - shift / 2, behind + shift / 2])
        if count < 10:
            test = stats.ttest_ind(ahead, -behind)
            low, high = np.array(test.confidence_interval(.975)) / 2
            p = test.pvalue
        else:
            pairs = np.sort([(x + y) / 2 for i, x in enumerate(aligned) for y in aligned[:i + 1]])
            null = np.zeros(count * (count + 1) // 2 + 1)
            null[0] = 1
            for k in range(1, count + 1):
                null[k:] = null[k:] + null[:-k].copy()
            critical = int(np.searchsorted(np.cumsum(null) / 2 ** count, .0125, side="right"))
            low, high = pairs[critical - 1], pairs[-critical]
            p = stats.wilcoxon(aligned, method="exact").pvalue
        yield {"a": a, "b": b, "first": first, "estimate": float(np.clip(walsh(aligned), low, high)), "low": low,
               "high": high, "p": 2 * p}


def places():
    """Three commands, of which the first in a round pays 5 %."""
    for rounds in (12, 30):
        order = [list(random.permutation(3)) for _ in range(rounds)]
        columns = [series(rounds, .01, shift=.02 * c) for c in range(3)]
        for r in range(rounds):
            columns[order[r][0]][r] = int(columns[order[r][0]][r] * 1.05)
        table = np.log(np.array(columns, float).T)
        table -= table.mean(axis=1, keepdims=True)
        first = np.array([o[0] for o in order])
        for c in range(3):
            table[:, c] -= walsh(table[first != c, c])
        yield {"series": columns, "order": [int(c) for o in order for c in o],
               "cost": walsh(table[np.arange(rounds), first])}


def pooled():
    """Ranks among all values; the two of each round are exchanged by lot, and U's cumulants give its tail."""
    for count, deviation, rho, shift in ((12, .02, 0, .02), (15, .03, 0, .01), (30, .02, 0, -.01), (100, .04, 0, .01),
                                         (20, .02, 0, .05)):
        a, b = np.log(series(count, deviation, rho)), np.log(series(count, deviation, rho, shift))
        ranks = stats.rankdata(np.concatenate([a, b])) - (2 * count + 1) / 2
        x, y = ranks[:count], ranks[count:]
        alike = 2 * np.sum(x * y) / np.sum(x * x + y * y)
        q = y - x
        deviation_of_u, excess = np.sqrt(np.sum(q ** 2)) / 2, -2 * np.sum(q ** 4) / np.sum(q ** 2) ** 2

        def tail(u):
            x = (u + .5 - count ** 2 / 2) / deviation_of_u
            turn = -np.sqrt(max(1, 1 - 8 / excess))
            bend = lambda z: z + excess / 24 * (z ** 3 - 3 * z) - x
            z = x if x >= 0 else turn if bend(turn) >= 0 else optimize.brentq(bend, turn, 0, xtol=1e-14)
            return max(stats.norm.cdf(z), 2.0 ** -count)

        pairs = np.sort(np.subtract.outer(b, a).ravel())
        critical = next(c for c in range(len(pairs)) if tail(c) > .025)
        fewer = min(np.sum(pairs <= 0), np.sum(pairs >= 0))
        yield {"a": a.tolist(), "b": b.tolist(), "suits": bool(abs(alike) < .25), "estimate": np.median(pairs),
               "low": pairs[critical - 1], "high": pairs[-critical], "p": min(1, 2 * tail(fewer)),
               "limit": .001, "above": tail(np.sum(pairs <= .001))}


# ---- units, hosts, families

def units():
    unit = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3]
    values = [float(v) + 900 * u for v, u in zip(series(len(unit)), unit)]
    groups = [[v for v, u in zip(values, unit) if u == g] for g in range(4)]
    within = sum(np.var(g) * len(g) for g in groups) / (len(values) - 4)
    between = sum(len(g) * (np.mean(g) - np.mean(values)) ** 2 for g in groups) / 3
    typical = (len(values) - sum(len(g) ** 2 for g in groups) / len(values)) / 3
    yield {"unit": unit, "values": values, "medians": [np.median(g) for g in groups],
           "means": [np.mean(g) for g in groups], "within": np.sqrt(within),
           "between": np.sqrt(max(0, (between - within) / typical))}


def hosts():
    for count in (3, 5, 10):
        logs = random.normal(.02, .01, count)
        test = stats.ttest_1samp(logs, 0)
        low, high = test.confidence_interval(.95)
        yield {"logs": logs.tolist(), "estimate": logs.mean(), "low": low, "high": high, "p": test.pvalue}


def holm(p, weights, alpha):
    """Step by step, from the smallest p / weight on."""
    left, stands = sum(weights), [False] * len(p)
    for i in sorted(range(len(p)), key=lambda i: p[i] / weights[i]):
        if p[i] / weights[i] > alpha / left:
            break
        stands[i] = True
        left -= weights[i]
    return stands


def families():
    for p, weights in (([.039, .011], [.8, .2]), ([.041, .011], [.8, .2]), ([.03, .02], [1, 1]), ([.001, .02, .012, .03], [1, 1, 1, 1]),
                       ([.02, .0099, .3, .0001], [.8, .2, .8, .2])):
        yield {"p": p, "weights": weights, "alpha": .05, "stands": holm(p, weights, .05)}


def gates():
    """Among those beyond their limits by their own estimates, with twice their p (Ellis, Pecanka & Goeman 2020)."""
    for p in ([.0024, .4] + [.6] * 48, [.0024] + [.6] * 49, [.0012, .0012, .7], [.004, .0049], [.0001, .0008, .0009, .55]):
        kept = [i for i, value in enumerate(p) if len(p) <= 2 or value <= .5]
        factor = 1 if len(p) <= 2 else 2
        among = holm([factor * p[i] for i in kept], [1] * len(kept), .005)
        yield {"p": p, "alpha": .01, "stands": [i in kept and among[kept.index(i)] for i in range(len(p))]}


if __name__ == "__main__":
    rules = (effective, budgets, means, far_values, steps, rounding, crossovers, places, pooled, units, hosts, families, gates)
    with open("evidence.json", "w", encoding="utf-8") as file:
        document = {rule.__name__: list(rule()) for rule in rules}
        text = json.dumps(document, default=lambda value: value.item())
        file.write(text.replace('}, {', '},\n{').replace('], "', '],\n"') + "\n")
