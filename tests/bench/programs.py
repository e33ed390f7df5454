#!/usr/bin/env python3
"""Do samples and counts name the functions of real programs as perf and callgrind do?

    programs.py LAUKA [--seconds 15] [--only NAME] [--without-counts]

C++ (nlohmann/json), Rust (regex), Go (goldmark), node (marked) and Python (Pygments), each with a package from its registry,
and Debian's apt-cache. Needs root, perf (Debian: linux-perf), valgrind, nlohmann-json3-dev, binutils, and the languages' own
tools. Prints how far the ten largest functions' shares are apart, in points; 3 are allowed.
"""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ALLOWED = 3
ROWS = 40  # that lauka keeps
CPP = r"""#include <nlohmann/json.hpp>
#include <fstream>
#include <iostream>
int main(int, char **argv) {
    std::ifstream file(argv[2]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    nlohmann::json all = nlohmann::json::array();
    size_t size = 0;
    for (int i = 0; i < 200; i++) all.push_back({{"line", i}, {"text", text.substr(i * 40, 300)}, {"number", i / 7.0}});
    for (int i = std::stoi(argv[1]); i > 0; i--) size += nlohmann::json::parse(all.dump()).size();
    std::cout << size << "\n";
}
"""
RUST = r"""fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&arguments[2]).unwrap();
    let pattern = regex::Regex::new(r"(?i)\b([a-z]+)-([a-z]+)\b|`[^`]+`|([0-9]+) (ms|s|MB)").unwrap();
    let mut sum = 0;
    for _ in 0..arguments[1].parse().unwrap() {
        sum += pattern.captures_iter(&text).map(|found| found.get(0).unwrap().len()).sum::<usize>();
        sum += pattern.replace_all(&text, "<$1>").len();
    }
    println!("{sum}");
}
"""
GO = """package main
import ("bytes"; "fmt"; "os"; "strconv"; "github.com/yuin/goldmark")
func main() {
	turns, _ := strconv.Atoi(os.Args[1])
	text, _ := os.ReadFile(os.Args[2])
	size := 0
	for i := 0; i < turns; i++ {
		var out bytes.Buffer
		goldmark.Convert(text, &out)
		size += out.Len()
	}
	fmt.Println(size)
}
"""
NODE = """const {marked} = require("marked");
const text = require("fs").readFileSync(process.argv[3], "utf8");
let size = 0;
for (let i = Number(process.argv[2]); i > 0; i--) size += marked.parse(text).length;
console.log(size);
"""
PYTHON = """import sys
sys.path.insert(0, sys.path[0] + "/lib")
from pygments import highlight, lexers, formatters
text = open(sys.argv[2]).read()
print(sum(len(highlight(text, lexers.MarkdownLexer(), formatters.HtmlFormatter())) for _ in range(int(sys.argv[1]))))
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(*words, **how):
    return subprocess.run(words, check=True, capture_output=True, text=True, errors="replace", **how)


# ---- the programs: each takes a number of turns and a file; that number for samples of about a second, and for counts --------

def make_cpp(folder):
    write(f"{folder}/main.cpp", CPP)
    run("c++", "-O2", "-g", "-o", f"{folder}/program", f"{folder}/main.cpp")
    return [f"{folder}/program"], 450, 8


def make_rust(folder):
    write(f"{folder}/Cargo.toml", '[package]\nname="program"\nversion="0.1.0"\nedition="2021"\n[dependencies]\nregex="1"\n'
                                  "[profile.release]\ndebug=1\n")
    write(f"{folder}/src/main.rs", RUST)
    run("cargo", "build", "--release", "-q", cwd=folder)
    return [f"{folder}/target/release/program"], 100, 4


def make_go(folder):
    write(f"{folder}/main.go", GO)
    run("go", "mod", "init", "bench", cwd=folder)
    run("go", "get", "github.com/yuin/goldmark@v1.7.8", cwd=folder)
    run("go", "build", "-o", "program", ".", cwd=folder)
    return [f"{folder}/program"], 300, 8


def make_node(folder):
    write(f"{folder}/main.js", NODE)
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "marked@15", cwd=folder)
    return ["node", "--perf-basic-prof", "--no-logfile-per-isolate", f"--logfile={folder}/v8.log", f"{folder}/main.js"], 150, 1


def make_python(folder):
    write(f"{folder}/main.py", PYTHON)
    run("python3", "-m", "pip", "install", "-q", "--target", f"{folder}/lib", "pygments==2.19.1")
    return [os.path.realpath(run("python3", "-c", "import sys; print(sys.executable)").stdout.strip()), f"{folder}/main.py"], 12, 1


def make_apt(_):
    return ["sh", "-c", 'for i in $(seq "$1"); do apt-cache depends bash coreutils; done', "sh"], 40, 1


PROGRAMS = {"C++": make_cpp, "Rust": make_rust, "Go": make_go, "node": make_node, "Python": make_python, "apt-cache": make_apt}


# ---- names ---------------------------------------------------------------------------------------------------------------

def demangled(names, *options):
    text = run("c++filt", "-i", *options, input="\n".join(names) + "\n").stdout
    return text.split("\n")[:len(names)]


def plain(name):
    """As lauka writes it: without what a compiler or a linker added, without hashes of Rust. Of two names of one place, the
    tools may choose different ones."""
    name = name.replace("__memcpy_", "__memmove_")
    name = re.sub(r"(\.(part|constprop|isra|cold|lto_priv|llvm|localalias)(\.\d+)?)+$", "", name.split("@")[0])
    return re.sub(r"::h[0-9a-f]{16}$", "", name)


def without_parameters(shares):
    """Sums by names without parameters, and what stands before names of templates: some are mangled, some demangled in full."""
    sums = collections.Counter()
    written = [name for name in shares if re.match("(JS|RegExp|Function|LazyCompile|Script|Eval):", name)]
    for name in written:  # by V8: paths and regular expressions
        sums[" ".join(name.split())] += shares[name]
    shares = {name: share for name, share in shares.items() if name not in written}
    for name, share in zip(demangled([plain(name) for name in shares]), shares.values()):
        name = re.sub(r"::h[0-9a-f]{16}$", "", name)
        depth = from_ = 0
        for at, letter in enumerate(name):
            depth += (letter == "<") - (letter == ">" and name[at - 1] != "-")
            if letter == " " and depth == 0 and not name[:at].endswith("operator"):
                from_ = at + 1
            elif letter == "(" and depth == 0 and not name.startswith(("(anonymous", "()(", "(*"), at):
                name = name[:at]
                break
        sums[name[from_:]] += share
    return sums


# ---- what each tool says -------------------------------------------------------------------------------------------------

def sample(lauka, words, seconds, data):
    """Samples the same runs by perf, and by lauka inside of it. Returns the shares that each saw, and whether lauka left some out."""
    done = run("perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-o", data, "--", lauka, f"--sampled={seconds}s", "-q", "-w0", "-r1",
               "-e", "none", "--json", "--", *words, "--vs", *words, stdin=subprocess.DEVNULL)
    text = run("perf", "report", "-i", data, "--stdio", "-q", "--no-children", "-g", "none", "--no-demangle", "--sort", "comm,symbol",
               "-F", "overhead,comm,symbol").stdout
    perf, own = collections.Counter(), collections.Counter()
    for share, comm, name in re.findall(r"(?m)^ +([\d.]+)% +(\S.*?) +\[\S\] (.*?)(?: +- +-)? *$", text):
        perf[name] += 0 if comm.startswith("lauka") else float(share)
    whole = sum(perf.values()) / 100
    told = json.loads(done.stdout)["sampled"]["commands"][0]
    if told["standing"] == "unknown":
        sys.exit(f"no samples: {told['reason']}")
    for row in told["rows"]:
        own[row["name"]] += 50 * (row["before"]["estimate"] + row["after"]["estimate"])
    return without_parameters({name: share / whole for name, share in perf.items()}), without_parameters(own), len(told["rows"]) >= ROWS


def by_callgrind(words, data):
    run("valgrind", "--tool=callgrind", "--demangle=no", "--trace-children=yes", f"--callgrind-out-file={data}.%p", *words)
    counts = collections.Counter()
    for file in glob.glob(f"{data}.*"):
        text = run("callgrind_annotate", "--threshold=100", "--auto=no", file).stdout
        for count, name in re.findall(r"(?m)^ *([\d,]+) \( *[\d.]+%\)  [^\n]*?:([^\n]+?)(?: \[[^\n]*\])?$", text):
            counts[name.split("'")[0]] += int(count.replace(",", ""))
    return counts


def count(lauka, some, more, data):
    """Of twice the work, what each function adds, in per cent of all instructions: by callgrind alone, and by lauka why."""
    os.environ.update(GODEBUG="asyncpreemptoff=1", GOGC="off")  # valgrind cannot take Go's signals; its GC has a clock
    before, after = by_callgrind(some, f"{data}.some"), by_callgrind(more, f"{data}.more")
    theirs = {name: 100 * (after[name] - before[name]) / sum(before.values()) for name in after if after[name] > before[name]}
    done = run(lauka, "why", "--sampled=0", "-q", "-w0", "-r1", "--json", "--", *some, "--vs", *more, stdin=subprocess.DEVNULL)
    told = json.loads(done.stdout)["why"]["commands"][0]
    if told["standing"] == "unknown":
        sys.exit(f"no counts: {told['reason']}")
    ours = {function["name"]: 100 * (function["instructions"]["after"] - function["instructions"]["before"]) /
            told["instructions"]["before"] for function in told["functions"]}
    return without_parameters(theirs), without_parameters(ours), False


def compare(name, what, theirs, ours, cut):
    """Prints the ten largest of theirs that have a name; returns whether all are near. Of samples, lauka keeps those whose shares
    differ most between its sides, which are the same program here; of others it says nothing."""
    largest = [(share, function) for function, share in theirs.most_common() if re.match(r"[A-Za-z_~<]", function)][:10]
    shown = [(share, function) for share, function in largest if function in ours or not cut]
    apart = {function: abs(share - ours.get(function, 0)) for share, function in shown}
    worst = max(apart, key=apart.get)
    print(f"{name}, {what}: ten largest have {sum(share for share, _ in largest):.1f} %; worst {apart[worst]:.2f} points "
          f"({worst[:80]}: {theirs[worst]:.2f} and {ours.get(worst, 0):.2f}), "
          f"rms {(sum(one * one for one in apart.values()) / len(apart)) ** 0.5:.2f}; {len(largest) - len(shown)} have no row", flush=True)
    return apart[worst] <= ALLOWED


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("lauka")
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--only", choices=PROGRAMS)
    parser.add_argument("--without-counts", action="store_true")
    options = parser.parse_args()
    lauka, good = os.path.abspath(options.lauka), True
    before = set(glob.glob("/tmp/perf-*.map"))  # node writes them there
    with tempfile.TemporaryDirectory() as folder:
        text = "".join(open(path, encoding="ascii", errors="replace").read() for path in sorted(glob.glob("docs/*.md"))).replace("\ufffd", "?")
        write(f"{folder}/text", text)
        write(f"{folder}/short", text[:40_000])  # for those that valgrind makes slowest
        for name, make in PROGRAMS.items():
            if options.only not in (None, name):
                continue
            own = os.path.join(folder, name)
            os.mkdir(own)
            words, turns, few = make(own)
            many = [*words, str(turns), f"{folder}/text"]
            good &= compare(name, "sampled beside perf report", *sample(lauka, many, options.seconds, f"{own}/perf.data"))
            if not options.without_counts:
                counted = f"{folder}/short" if few == 1 else f"{folder}/text"
                some, more = ([*words, str(turns), counted] for turns in (few, 2 * few))
                good &= compare(name, "counted beside callgrind", *count(lauka, some, more, f"{own}/callgrind"))
            shutil.rmtree(own)
    for path in set(glob.glob("/tmp/perf-*.map")) - before:
        os.unlink(path)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
