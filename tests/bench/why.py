#!/usr/bin/env python3
"""Does lauka why name the function that got slower?

    why.py LAUKA [--how both] [--plants 20] [--same 20] [--same-sampled 100] [--source DIR] [--seed 1]

Plants slowdowns of 5 % in named functions of Lua, and looks for each by counting, by sampling, or both.
Then Lua is compared with itself. Needs Debian with valgrind, dpkg-dev and a C compiler. It downloads Lua's
source package with apt-get into a folder of its own, or uses an unpacked one. Prints what each session
named, and two sums.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

# Uses strings, tables, closures, coroutines, sorting, patterns and garbage, so that many functions have
# work.
WORK = """
local words, seen = {}, {}
for i = 1, 600 do words[i] = string.format("%d:%s", i * 7919 % 601, ("x"):rep(i % 17)) end
for _, w in ipairs(words) do seen[w] = (seen[w] or 0) + #w end
table.sort(words)
local joined = table.concat(words, ",")
local n = 0
for a, b in joined:gmatch("(%d+):(x*)") do n = n + tonumber(a) + #b end
local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end
n = n + fib(13)
local gen = coroutine.wrap(function() for i = 1, 300 do coroutine.yield(i) end end)
for _ = 1, 300 do n = n + gen() end
local objects = setmetatable({}, {__index = function(_, k) return k * 2 end})
for i = 1, 500 do n = n + objects[i] end
for i = 1, 300 do local t = {i, tostring(i), {i}}; t[#t + 1] = i; n = n + #t end
local f = load("local s = 0 for i = 1, 200 do s = s + i % 3 end return s")
n = n + f() + select("#", table.unpack(words, 1, 50))
joined = joined:upper():gsub("X+", "y"):reverse()
collectgarbage()
print(n, #joined)
"""

SOURCES = ("lapi lauxlib lbaselib lcode lcorolib lctype ldblib ldebug ldo ldump lfunc lgc linit liolib llex lmathlib "
           "lmem loadlib lobject lopcodes loslib lparser lstate lstring lstrlib ltable ltablib ltm lua lundump lutf8lib "
           "lvm lzio").split()
FLAGS = ["-O2", "-g", "-DLUA_USE_POSIX"]


def fetch(folder):
    """Downloads and unpacks the source of Debian's package."""
    apt = os.path.join(folder, "apt")
    os.makedirs(os.path.join(apt, "lists", "partial"))
    os.makedirs(os.path.join(apt, "parts"))
    release = re.search(r"VERSION_CODENAME=(\w+)", open("/etc/os-release").read()).group(1)
    with open(os.path.join(apt, "parts", "src.sources"), "w") as file:
        file.write(f"Types: deb-src\nURIs: http://deb.debian.org/debian\nSuites: {release}\nComponents: main\n"
                   "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n")
    options = ["-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={apt}/parts", "-o",
               f"Dir::State::Lists={apt}/lists", "-o", "APT::Sandbox::User=root"]
    subprocess.run(["apt-get", "-qq", *options, "update"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    subprocess.run(["apt-get", "-qq", *options, "source", "--download-only", "lua5.4"], check=True, cwd=folder,
                   stdout=subprocess.DEVNULL)
    archive = next(name for name in os.listdir(folder) if name.endswith(".orig.tar.gz"))
    subprocess.run(["tar", "xzf", archive], check=True, cwd=folder)
    return next(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("lua") and
                os.path.isdir(os.path.join(folder, name)))


def compile_one(source, target):
    subprocess.run(["cc", *FLAGS, "-c", "-o", target, source], check=True)


def link(objects, target):
    subprocess.run(["cc", "-o", target, *objects, "-lm", "-ldl", "-Wl,-E"], check=True)


def called(program, folder):
    """Returns how often each function was called unless it was inlined, and all instructions."""
    file = os.path.join(folder, "calls")
    subprocess.run(["valgrind", "--tool=callgrind", "--compress-strings=no", f"--callgrind-out-file={file}", program,
                    "work.lua"], check=True, cwd=folder, capture_output=True)
    calls, name, total = {}, None, 0
    for line in open(file, errors="replace"):
        if line.startswith("cfn="):
            name = line[4:].strip().split("'")[0]
        elif line.startswith("calls="):
            calls[name] = calls.get(name, 0) + int(line[6:].split()[0])
        elif line.startswith("summary:"):
            total = int(line.split()[1])
    return calls, total


def places(src, calls, total):
    """Returns the possible places, as (file, function, iterations of a loop that add 5 %)."""
    found = []
    for name in SOURCES:
        text = open(os.path.join(src, name + ".c"), encoding="latin-1").read()
        for match in re.finditer(r"^(?:static |LUA\w+ )?[\w ]+[ *]\(?(\w+)\)? \([^;{}]*\) \{\n", text, re.M):
            turns = 0.05 * total / calls.get(match.group(1), total) / 5
            if 1 <= turns < 1e6:
                found.append((name, match.group(1), round(turns)))
    return found


def plant(src, folder, place, target):
    name, function, turns = place
    text = open(os.path.join(src, name + ".c"), encoding="latin-1").read()
    head = re.search(r"^(?:static |LUA\w+ )?[\w ]+[ *]\(?" + function + r"\)? \([^;{}]*\) \{\n", text, re.M)
    spin = f" {{ static volatile unsigned spin; for (unsigned i = 0; i < {turns}u; i++) spin++; }}\n"
    planted = os.path.join(folder, "planted.c")
    with open(planted, "w", encoding="latin-1") as file:
        file.write(f'#line 1 "{src}/{name}.c"\n' + text[:head.end()] + spin + text[head.end():])
    subprocess.run(["cc", *FLAGS, "-I", src, "-c", "-o", os.path.join(folder, "planted.o"), planted], check=True)
    objects = [os.path.join(folder, ("planted" if other == name else other) + ".o") for other in SOURCES]
    link(objects, target)


def ask(lauka, folder, options, first, second):
    done = subprocess.run([lauka, *options, "--json", "-q", "-w", "0", "-r", "1", "--", first, "work.lua", "--vs", second,
                           "work.lua"], cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return json.loads(done.stdout)


def why(lauka, folder, first, second):
    return ask(lauka, folder, ["why", "--sampled=0"], first, second)["why"]["commands"][0]


def sampled(lauka, folder, first, second, seed):
    options = ["--sampled", "-e", "none", "--seed", str(seed)]
    return ask(lauka, folder, options, first, second)["sampled"]["commands"][0]


def claims_of(told):
    """Returns the functions that sampling names."""
    if told["standing"] == "unknown":
        sys.exit(f"no samples: {told['reason']}")
    return [row["name"] or f"({row['place']} {row['object']})" for row in told["rows"] if row["claimed"]]


def change(cost):
    return cost["after"] - cost["before"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lauka")
    parser.add_argument("--plants", type=int, default=20)
    parser.add_argument("--how", choices=("counted", "sampled", "both"), default="both")
    parser.add_argument("--same", type=int, default=20)
    parser.add_argument("--same-sampled", type=int, default=100)
    parser.add_argument("--source")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    lauka = os.path.abspath(options.lauka)
    with tempfile.TemporaryDirectory() as folder:
        src = os.path.abspath(options.source) if options.source else fetch(folder)
        src = os.path.join(src, "src")
        with open(os.path.join(folder, "work.lua"), "w") as file:
            file.write(WORK)
        for name in SOURCES:
            compile_one(os.path.join(src, name + ".c"), os.path.join(folder, name + ".o"))
        base = os.path.join(folder, "base")
        link([os.path.join(folder, name + ".o") for name in SOURCES], base)
        calls, total = called(base, folder)
        possible = places(src, calls, total)
        drawn = random.Random(options.seed).sample(possible, len(possible))
        print(f"{total / 1e6:.1f} M instructions; {len(possible)} functions can be planted")
        counts, samples = options.how != "sampled", options.how != "counted"
        named = pointed = planted = 0
        for place in drawn:
            if planted == options.plants:
                break
            plant(src, folder, place, os.path.join(folder, "slow"))
            share = called("./slow", folder)[1] / total - 1
            if not 0.03 < share < 0.08: # it is also inlined where its calls were not counted
                print(f"{place[0]}.c {place[1]}: {share:+.1%}, not planted as intended: left out")
                continue
            planted += 1
            said = []
            if counts:
                told = [function["name"] for function in why(lauka, folder, "./base", "./slow")["functions"]]
                named += told[:1] == [place[1]]
                said.append(f"counted {told[0] if told else 'nothing'}, {len(told)} told")
            if samples:
                told = claims_of(sampled(lauka, folder, "./base", "./slow", planted))
                pointed += told[:1] == [place[1]]
                said.append(f"sampled {', '.join(told[:3]) or 'nothing'}")
            print(f"{place[0]}.c {place[1]}: {share:+.1%}; {'; '.join(said)}", flush=True)
        shutil.copy(base, os.path.join(folder, "same"))
        claims = sampled_claims = 0
        for _ in range(options.same if counts else 0):
            claims += why(lauka, folder, "./base", "./same")["standing"] == "changed"
        for session in range(options.same_sampled if samples else 0):
            told = claims_of(sampled(lauka, folder, "./base", "./same", session))
            sampled_claims += bool(told)
            if told:
                print(f"the same program, session {session}: {', '.join(told)}", flush=True)
        if counts:
            print(f"counted: named first {named} of {planted} (19 of 20 are asked for); the same program: "
                  f"{claims} of {options.same} sessions claim something (0 are asked for)")
        if samples:
            print(f"sampled: named first {pointed} of {planted} (15 of 20 are asked for); the same program: "
                  f"{sampled_claims} of {options.same_sampled} sessions claim something (11 of 100 are allowed)")
        good = not counts or (named >= 0.95 * planted and not claims)
        return 0 if good and (not samples or (pointed >= 0.75 * planted and
                                              sampled_claims <= 0.11 * options.same_sampled)) else 1


sys.exit(main())
