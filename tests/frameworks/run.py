"""Runs real frameworks under `lauka suite`: two builds with two benchmarks, where the head's second
benchmark does 4 % more work; and the base with itself. A framework whose toolchain is missing is skipped,
with its name.

    python3 -B tests/frameworks/run.py LAUKA [FRAMEWORK...]

The findings depend on the machine and are printed. Required is that both benchmarks are measured on both
sides, and that more work is never called less. JMH and divan report no CPU time; `more` waits there for twenty
milliseconds, which a busy machine hardly changes, so that the 4 % must be found."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from toolchains import Skipped, need, run_each  # noqa: E402  pylint: disable=wrong-import-position

GBENCH = """
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
static void work(benchmark::State &state, unsigned steps)
{
    for (auto _ : state) {
        unsigned x = 1;
        for (unsigned i = 0; i < steps; i++)
            benchmark::DoNotOptimize(x = x * 1664525u + 1013904223u);
    }
    state.counters["steps"] = steps;
    state.counters["errors"] = 0;
    state.counters["ratio"] = NAN;
    puts("measured");
}
static void same(benchmark::State &state) { work(state, 1000); }
static void more(benchmark::State &state) { work(state, STEPS); }
BENCHMARK(same)->Name("work/same");
BENCHMARK(more)->Name("work/more")->DisplayAggregatesOnly(true);
int main(int count, char **words)
{
    puts("Loading ...");
    benchmark::Initialize(&count, words);
    benchmark::RunSpecifiedBenchmarks();
    return getenv("FAILS") ? 3 : 0;
}
"""

GO = """package x
import ("fmt"; "os"; "testing")
var sink uint32
func work(b *testing.B, steps int) {
	fmt.Print(".")
	for i := 0; i < b.N; i++ {
		x := uint32(1)
		for s := 0; s < steps; s++ { x = x*1664525 + 1013904223 }
		sink += x
	}
}
func BenchmarkWork(b *testing.B) {
	b.Run("same-2", func(b *testing.B) { work(b, 1000) })
	if os.Getenv("FAILS") != "" { b.Run("fatal", func(b *testing.B) { b.Fatal("no database") }) }
	b.Run("more-2", func(b *testing.B) { work(b, STEPS) })
}
"""

CRITERION = """
use criterion::{black_box, criterion_group, criterion_main, Criterion};
fn work(steps: u32) -> u32 {
    let mut x = 1u32;
    for _ in 0..steps { x = black_box(x.wrapping_mul(1664525).wrapping_add(1013904223)); }
    x
}
fn benches(c: &mut Criterion) {
    c.bench_function("work/same", |b| b.iter(|| work(1000)));
    if std::env::var("FAILS").is_ok() { panic!("no database"); }
    c.bench_function("--more", |b| b.iter(|| work(STEPS)));
}
criterion_group!(all, benches);
criterion_main!(all);
"""
CARGO = """[package]
name = "x"
version = "0.1.0"
edition = "2021"
[lib]
path = "lib.rs"
[dev-dependencies]
DEPENDENCY
[[bench]]
name = "x"
path = "x.rs"
harness = false
"""

PYTEST = """
import os, pytest
def work(steps):
    x = 1
    for _ in range(steps):
        x = x * 1664525 + 1013904223 & 0xffffffff
    return x
def test_same(benchmark):
    benchmark(work, 1000)
def test_more(benchmark):
    benchmark.extra_info["ratio"] = float("nan")
    benchmark(work, STEPS)
    assert "FAILS" not in os.environ
"""

JMH = """package x;
import org.openjdk.jmh.annotations.*;
public class Work {
    static int work(int steps) {
        int x = 1;
        for (int i = 0; i < steps; i++)
            x = x * 1664525 + 1013904223 ^ x >>> 7;
        return x;
    }
    @Benchmark public int same() { return work(1000); }
    @Benchmark public void more() {
        if (System.getenv("FAILS") != null)
            throw new IllegalStateException("no database");
        java.util.concurrent.locks.LockSupport.parkNanos(STEPS * 20_000L);
    }
}
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
<dependencies>
<dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>1.37</version></dependency>
<dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId><version>1.37</version></dependency>
</dependencies></project>
"""

DIVAN = """
fn main() { divan::main(); }
fn work(steps: u32) -> u32 {
    let mut x = 1u32;
    for _ in 0..steps { x = divan::black_box(x.wrapping_mul(1664525).wrapping_add(1013904223)); }
    x
}
#[divan::bench(args = [1000])]
fn same(steps: u32) -> u32 {
    if std::env::var("FAILS").is_ok() { panic!("no database"); }
    work(steps)
}
mod inner {
    #[divan::bench]
    fn more() { std::thread::sleep(std::time::Duration::from_micros(STEPS * 20)) }
}
"""
STEPS = {"base": "1000", "head": "1040"}


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def build(words, folder, **more):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, **more)
    return done.returncode == 0, "\n".join((done.stdout + done.stderr).splitlines()[-8:])


def gbench(folder, side):
    need("g++")
    write(f"{folder}/{side}.cc", GBENCH.replace("STEPS", STEPS[side]))
    good, text = build(["g++", "-O2", f"{side}.cc", "-o", side, "-lbenchmark", "-lpthread"], folder)
    if not good and "benchmark/benchmark.h" in text:
        raise Skipped("google-benchmark is not installed (Debian: libbenchmark-dev)")
    assert good, text
    return [f"./{side}"], []


def go(folder, side):
    need("go")
    os.makedirs(f"{folder}/{side}-go")
    write(f"{folder}/{side}-go/go.mod", "module x\n")
    write(f"{folder}/{side}-go/x_test.go", GO.replace("STEPS", STEPS[side]))
    if "GOCACHE" not in os.environ and "HOME" not in os.environ:
        os.environ["GOCACHE"] = f"{folder}/go-cache"
    good, text = build(["go", "test", "-c", "-o", f"../{side}"], f"{folder}/{side}-go",
                       env={**os.environ, "GOTOOLCHAIN": "local"})
    assert good, text
    return [f"./{side}"], []


def crate(folder, side, source, dependency):
    """Builds a bench of a crate that needs this one."""
    need("cargo")
    os.makedirs(f"{folder}/crate", exist_ok=True)
    write(f"{folder}/crate/Cargo.toml", CARGO.replace("DEPENDENCY", dependency))
    write(f"{folder}/crate/lib.rs", "")
    write(f"{folder}/crate/x.rs", source.replace("STEPS", STEPS[side]))
    good, text = build(["cargo", "fetch", "-q"], f"{folder}/crate")
    if not good:
        raise Skipped(f"cargo cannot fetch {dependency}: " + text.replace("\n", " ")[:200])
    words = ["cargo", "bench", "-q", "--no-run", "--message-format=json"]
    done = subprocess.run(words, cwd=f"{folder}/crate", capture_output=True, text=True)
    if done.returncode != 0:  # today's crates need a newer compiler
        raise Skipped(f"cargo cannot build {dependency}: " + " ".join(done.stderr.split())[-200:])
    built = [json.loads(line) for line in done.stdout.splitlines()]
    path, = [item["executable"] for item in built if item.get("executable") and item["target"]["kind"] == ["bench"]]
    shutil.copy(path, f"{folder}/{side}")
    return [f"./{side}"], []


def criterion(folder, side):
    return crate(folder, side, CRITERION, 'criterion = { version = "0.5", default-features = false }')


def divan(folder, side):
    return crate(folder, side, DIVAN, 'divan = "0.1"')


def jmh(folder, side):
    need("mvn", "javac")
    if not os.path.exists(f"{folder}/lib"):
        write(f"{folder}/pom.xml", POM)
        good, text = build(["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"], folder)
        if not good:
            raise Skipped("maven cannot fetch JMH: " + text.replace("\n", " ")[-200:])
    write(f"{folder}/Work.java", JMH.replace("STEPS", STEPS[side]))
    jars = " ".join(f"lib/{name}" for name in sorted(os.listdir(f"{folder}/lib")))
    write(f"{folder}/manifest", f"Main-Class: org.openjdk.jmh.Main\nClass-Path: {jars}\n")
    for words in ["javac", "-cp", "lib/*", "-d", side, "Work.java"], ["jar", "cfm", f"{side}.jar", "manifest", "-C", side, "."]:
        good, text = build(words, folder)
        assert good, text
    return ["java", "-jar", f"{side}.jar"], []


def pytest(folder, side):
    python = f"{folder}/venv/bin/python"
    if not os.path.exists(python):
        good, text = build([sys.executable, "-m", "venv", "venv"], folder)
        if good:
            good, text = build([python, "-m", "pip", "-q", "install", "pytest", "pytest-benchmark"], folder)
        if not good:
            raise Skipped("pip cannot install pytest-benchmark: " + text.replace("\n", " ")[-200:])
    os.makedirs(f"{folder}/{side}-py")
    write(f"{folder}/{side}-py/test_work.py", PYTEST.replace("STEPS", STEPS[side]))
    write(f"{folder}/pytest.ini", "[pytest]\naddopts = --benchmark-disable\n")
    return [python, "-m", "pytest", f"{side}-py"], ["--adapter=pytest", "--max-time=3s"]


def session(lauka, folder, options, first, second):
    words = [lauka, "suite", "--no-config", "--json", *options, "--", *first, "--vs", *second]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    found = {comparison["benchmark"]: comparison for comparison in result["comparisons"]
             if comparison["metric"] == "wall_time"}
    assert len(found) == 2, found
    measured = {entry["benchmark"] for entry in result["results"] if entry["metrics"]["wall_time"]["mean"]}
    assert measured == set(found), result["results"]
    for name, comparison in found.items():
        if comparison["low"] is None:  # the machine was too slow for the time
            print(f"    {name}: {comparison['units']} processes are too few")
            continue
        print(f"    {name}: {comparison['ratio']:.3f} [{comparison['low']:.3f}, {comparison['high']:.3f}] "
              f"{comparison['verdict']}, {comparison['units']} processes")
    return found


def failures(lauka, folder, options, program):
    """What fails is named, with what it said; other benchmarks are measured."""
    words = [lauka, "suite", "--no-config", "--json", "-r2", "--gate=wall_time=900%", *options, "--", *program, "--vs", *program]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, "FAILS": "1"})
    assert done.returncode == 5, (done.returncode, done.stderr)
    assert "was asked for its benchmarks, and failed with exit code" in done.stderr or \
        "failed: JMH wrote no result of it" in done.stderr, done.stderr
    failed = {bench["name"] for bench in json.loads(done.stdout)["benchmarks"] if bench.get("failure")} if done.stdout else set()
    print(f"    named: {', '.join(sorted(failed)) or done.stderr.strip()}")


def run(lauka, framework):
    with tempfile.TemporaryDirectory() as folder:
        first, options = framework(folder, "base")
        second, _ = framework(folder, "head")
        print(f"  {framework.__name__}: base and base")
        session(lauka, folder, options, first, first)
        print(f"  {framework.__name__}: a base that fails")
        failures(lauka, folder, options, first)
        print(f"  {framework.__name__}: base and head, where `more` does 4 % more")
        found = session(lauka, folder, options, first, second)
        more, = [name for name in found if "more" in name]
        assert found[more]["verdict"] != "lower", "more work is claimed to take less time"
        assert found[more]["verdict"] == "higher" or framework not in (divan, jmh), "4 % more are not found"


def main():
    lauka, *chosen = sys.argv[1:]
    return run_each("frameworks", lambda framework: run(os.path.abspath(lauka), framework),
                    (gbench, go, criterion, pytest, divan, jmh), chosen)


if __name__ == "__main__":
    sys.exit(main())
