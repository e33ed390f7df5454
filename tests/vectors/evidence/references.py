"""Prints what numpy and scipy say about the numbers that the unit tests pin: python3 references.py"""
import numpy as np
from scipy import stats


def effective_number(values):
    """By means of batches of 1, 2, 4, ... values, the least worth counts; as stats/effective.c, written independently."""
    n, least = len(values), float(len(values))
    length = 1
    while n // length >= 10:
        batches = n // length
        means = np.asarray(values[n - batches * length:], float).reshape(batches, length).mean(axis=1)
        d = means - means.mean()
        r = (np.sum(d[1:] * d[:-1]) / np.sum(d * d) * batches + 1) / (batches - 3)
        r = np.clip(np.tanh(np.arctanh(np.clip(r, -.99, .995)) + 2.5 / np.sqrt(batches - 3)), 0, .999)
        least = min(least, np.var(values, ddof=1) / (means.var(ddof=1) / batches * (1 + r) / (1 - r)))
        length *= 2
    return least


def conditional_holm(p, alpha):
    """Ellis, Pecanka & Goeman 2020 with lambda = 1/2, by Holm's method among what is left."""
    kept = sorted((2 * value, place) for place, value in enumerate(p) if value <= .5)
    stands = set()
    for step, (value, place) in enumerate(kept):
        if value > alpha / (len(kept) - step):
            break
        stands.add(place)
    return stands


if __name__ == "__main__":
    values = [i % 16 + (i * i % 7) / 4 for i in range(64)]
    print("effective number of 64, 23: %.17g %.17g" % (effective_number(values), effective_number(values[:23])))
    print("t(0.975; 19): %.17g" % stats.t.ppf(.975, 19))
    print("binomial, 20 values, at most 5 below the median: %.17g" % stats.binom.cdf(5, 20, .5))
    print("stands of .0024, .4 and 48 of .6, at .005:", conditional_holm([.0024, .4] + [.6] * 48, .005))
    print("stands of .0024 and 49 of .6, at .005:", conditional_holm([.0024] + [.6] * 49, .005))
