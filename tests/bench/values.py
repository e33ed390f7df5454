#!/usr/bin/env python3
"""How often intervals of stored values contain the truth: values in coarse steps, buckets of histograms, one
log a side, sorted files. Plays with the real program.

    python3 tests/bench/values.py zig-out/bin/lauka [--sessions N] [--seed S] [coarse] [bins] [logs] [files] [means]

Exits with 1 if a promise of docs/statistics.md does not hold."""
import argparse
import base64
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib

parser = argparse.ArgumentParser()
parser.add_argument("lauka")
parser.add_argument("--sessions", type=int, default=100)
parser.add_argument("--seed", type=int, default=71)
parser.add_argument("parts", nargs="*", help="those that are played; without them all")
asked = parser.parse_intermixed_args()
LAUKA = os.path.abspath(asked.lauka)
rng = random.Random(asked.seed)
broken = []


def compare(*words):
    out = subprocess.run([LAUKA, "compare", "--no-config", "--json", *words], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    return json.loads(out.stdout)["comparisons"][0]


def expect(what, holds):
    print(what + ("" if holds else "   <- broken"), flush=True)
    if not holds:
        broken.append(what)


def write(name, values, decimals):
    with open(name, "w") as out:
        out.writelines(f"{value:.{decimals}f}\n" for value in values)


def write_ticks(name, sides):
    """Times in whole ticks of a clock, as hyperfine writes them: two commands in one file."""
    with open(name, "w") as out:
        json.dump({"results": [{"command": c, "times": t} for c, t in zip("ab", sides)]}, out)


def zigzag(value):
    value = value << 1 if value >= 0 else (-value << 1) - 1
    out = bytearray()
    while value >= 0x80 and len(out) < 8:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def bucket(value, digits):
    """The index and the width of a value's bucket, as HdrHistogram has them."""
    half_bits = math.ceil(math.log2(2 * 10 ** digits)) - 1
    shift = max(0, value.bit_length() - half_bits - 1)
    return (shift << half_bits) + (value >> shift)


def write_log(name, values, digits):
    counts = {}
    for value in values:
        index = bucket(round(value), digits)
        counts[index] = counts.get(index, 0) + 1
    payload, at = b"", 0
    for index in sorted(counts):
        payload += (zigzag(at - index) if index > at else b"") + zigzag(counts[index])
        at = index + 1
    raw = struct.pack(">iiiiqqd", 0x1C849303, len(payload), 0, digits, 1, 1 << 40, 1.0) + payload
    packed = zlib.compress(raw)
    text = base64.b64encode(struct.pack(">ii", 0x1C849304, len(packed)) + packed).decode()
    with open(name, "w") as out:
        out.write('#[Histogram log format version 1.3]\n"StartTimestamp","Interval_Length","Interval_Max",'
                  f'"Interval_Compressed_Histogram"\n0.0,1.0,{max(values) / 1e6:.3f},{text}\n')


def holds(comparison, effect):
    low, high = comparison["low"], comparison["high"]
    return None if low is None else low - 1e-12 <= 1 + effect <= high + 1e-12


def cover(play, effect, sessions):
    """The share of intervals that contain the truth; how many there are; how many have no width, or say so."""
    seen = [play(effect) for _ in range(sessions)]
    known = [c for c in seen if c["low"] is not None]
    hold = sum(holds(c, effect) for c in known)
    empty = sum(c["low"] == c["high"] or c["verdict"] == "identical" for c in known)
    return hold / len(known) if known else 1, len(known), empty


def least(play, effects, sessions):
    found = [cover(play, effect, sessions) for effect in effects]
    return min(f[0] for f in found), sum(f[1] for f in found), sum(f[2] for f in found)


def allowed(share, count):
    """What a true coverage of `share` stays above in all but one of some hundred cells."""
    return share - 2.6 * math.sqrt(share * (1 - share) / max(1, count))


def coarse():
    for n, tick in ((10, 2), (10, 20), (30, 1), (30, 4), (100, 2), (100, 8), (1000, 0.25), (1000, 0.5), (1000, 4)):
        count = asked.sessions
        for kind in ("text", "text --paired", "ticks --paired"):
            def play(effect):
                step, noise = tick * 0.02, 0.02
                middle = 1 + rng.random() * step
                sides = []
                for factor in (1, 1 + effect):
                    values = [middle * factor * (1 + rng.gauss(0, noise)) for _ in range(n)]
                    if kind.startswith("text"):
                        sides.append([step * round(v / step) for v in values])
                    else:
                        sides.append([step * math.floor(v / step + rng.random()) for v in values])
                if kind == "ticks --paired":
                    write_ticks("t.json", sides)
                    return compare("--paired", "t.json")
                write("a", [value / step / 100 for value in sides[0]], 2) # a step is the last decimal
                write("b", [value / step / 100 for value in sides[1]], 2)
                return compare(*kind.split()[1:], "a", "b")
            share, known, empty = least(play, (0, 0.004, 0.01, 0.03), count)
            expect(f"n {n}, step {tick} sd, {kind}: least coverage {100 * share:.0f} % of {known} intervals in "
                   f"{4 * count} sessions, {empty} empty", share >= allowed(0.9, count) and empty == 0)


def bins():
    for digits, noise in ((1, 0.002), (1, 0.05), (2, 0.002), (2, 0.01), (3, 0.0005), (3, 0.002)):
        def play(effect, plain=False):
            base = 1e7 * rng.uniform(0.9, 1.1)
            for name, factor in (("a", 1), ("b", 1 + effect)):
                values = [base * factor * (1 + rng.gauss(0, noise)) for _ in range(200)]
                write(name, values, 0) if plain else write_log(name, values, digits)
            return compare("--unpaired", "a", "b")
        effects = (0, 0.005, 0.01, 0.02, 0.05)
        share, known, empty = least(play, effects, asked.sessions)
        unbinned, _, _ = least(lambda e: play(e, True), effects, asked.sessions)
        expect(f"{digits} digits, noise {100 * noise} %: least coverage {100 * share:.0f} %, of the values "
               f"{100 * unbinned:.0f} %, {empty} empty",
               share >= allowed(min(unbinned, 0.95) - 0.02, asked.sessions) and empty == 0)


def logs():
    def sides(count, effect, wobble):
        names = []
        for side, factor in (("a", 1), ("b", 1 + effect)):
            for i in range(count):
                run = 1e6 * factor * math.exp(rng.gauss(0, wobble))
                write_log(f"{side}{i}", [run * math.exp(0.3 * rng.gauss(0, 1)) for _ in range(400)], 3)
            names.append([f"{side}{i}" for i in range(count)])
        return names
    verdicts = 0
    for _ in range(asked.sessions // 4):
        a, b = sides(1, 0, 0.03)
        verdicts += compare(a[0], b[0])["verdict"] != "inconclusive"
    expect(f"one log a side, runs that differ by 3 %: {verdicts} verdicts", verdicts == 0)
    for count in (3, 4, 5, 8):
        for wobble in (0, 0.03):
            cells = []
            for _ in range(asked.sessions):
                a, b = sides(count, 0, wobble)
                c = compare(*a, "--vs", *b)
                cells.append((holds(c, 0), c["verdict"] in ("higher", "lower")))
            share, claims = sum(c[0] for c in cells) / len(cells), sum(c[1] for c in cells)
            expect(f"{count} logs a side, runs that differ by {100 * wobble:.0f} %: coverage {100 * share:.0f} %, "
                   f"{claims} claims", share >= allowed(0.94, len(cells)) and (count > 3 or claims == 0))
    found = sum(compare(*a, "--vs", *b)["verdict"] == "higher"
                for a, b in (sides(4, 0.3, 0.03) for _ in range(asked.sessions // 4)))
    expect(f"4 logs a side, +30 %, runs that differ by 3 %: {found} of {asked.sessions // 4} find it",
           found >= 0.9 * (asked.sessions // 4))


def files():
    claims = 0
    for _ in range(40):
        for name in ("a", "b"):
            write(name, sorted(rng.gauss(10, 0.2) for _ in range(30)), 4)
        claims += compare("a", "b")["verdict"] in ("higher", "lower")
    expect(f"sorted files of equal programs: {claims} of 40 claim a difference", claims <= 6)


def means():
    """The interval of the ratio of means, of runs of which some are far slower."""
    for n in (30, 100, 500):
        for kind, far, times in (("normal", 0, 1), ("1 in 10 twice as long", 0.1, 2), ("1 in 20 three times", 0.05, 3)):
            inside = 0
            for _ in range(asked.sessions):
                for name, share in (("a", 0.0), ("b", far)):
                    write(name, [10 * (1 + rng.gauss(0, 0.02)) * (times if rng.random() < share else 1)
                                 for _ in range(n)], 6)
                c = compare("a", "b")
                inside += c["mean_low"] <= 1 + far * (times - 1) <= c["mean_high"]
            share = inside / asked.sessions
            expect(f"means of {n}, {kind}: coverage {100 * share:.1f} %", share >= allowed(0.95, asked.sessions) or far > 0)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for part in (coarse, bins, logs, files, means):
        if not asked.parts or part.__name__ in asked.parts:
            part()
sys.exit(bool(broken))
