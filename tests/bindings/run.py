"""Tests the bindings by their own languages' runners, and compares an example of each with a copy of it by `lauka
suite`. A language whose toolchain is missing is skipped, with its name.

    python3 -B tests/bindings/run.py LAUKA [LANGUAGE...]"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)
from toolchains import Skipped, need, run_each  # noqa: E402  pylint: disable=wrong-import-position

ROOT = os.path.dirname(TESTS)
LINES = 200  # most of a binding


def run(words, folder, lauka, **more):
    done = subprocess.run(words, cwd=folder, env={**os.environ, "LAUKA": lauka, **more}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-3000:]}"
    return done.stdout


def compare(lauka, folder, first, second, benchmarks, *options):
    words = [lauka, "suite", "--no-config", "--json", "-r10", *options, "--", *first, "--vs", *second]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    entries = json.loads(done.stdout)["results"]
    assert {entry["benchmark"] for entry in entries} == benchmarks, entries
    for entry in entries:
        assert entry["mean"] > 0 and entry["metrics"]["first_call"]["mean"] > 0, entry
        steady = entry["steady"]
        assert steady["flat"] + steady["warms_up"] + steady["slows_down"] + steady["no_steady_state"] > 0, entry
        print(f"    {entry['benchmark']}: {entry['mean'] * 1e9:.0f} ns")


def node(lauka, folder):
    need("node")
    run(["node", "--test"], f"{folder}/node", lauka)
    os.makedirs(f"{folder}/../examples/node_modules/@lauka")
    os.symlink("../../../bindings/node", f"{folder}/../examples/node_modules/@lauka/bench")
    for name in "a.js", "b.js":
        shutil.copy(os.path.join(ROOT, "examples", "lauka_bench.js"), f"{folder}/../examples/{name}")
    compare(lauka, f"{folder}/../examples", ["./a.js"], ["./b.js"], {"sort", "resolve"})


def python(lauka, folder):
    run([sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests"], f"{folder}/python", lauka, PYTHONPATH=".")
    shutil.copy(f"{folder}/python/example.py", f"{folder}/python/other.py")
    compare(lauka, f"{folder}/python", [sys.executable, "example.py"], [sys.executable, "other.py"], {"join", "sort"})


def rust(lauka, folder):
    need("cargo", "cc")
    run(["cargo", "test", "-q", "--offline"], f"{folder}/rust", lauka)
    run(["cargo", "build", "-q", "--offline", "--release", "--example", "sort"], f"{folder}/rust", lauka)
    program = f"{folder}/rust/target/release/examples/sort"
    shutil.copy(program, f"{folder}/other")
    compare(lauka, folder, [program], ["./other"], {"sort", "format"})


def go(lauka, folder):
    need("go")
    more = {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": f"{folder}/go-cache"}
    run(["go", "vet", "./..."], f"{folder}/go", lauka, **more)
    run(["go", "test", "./..."], f"{folder}/go", lauka, **more)
    for name in "a", "b":
        run(["go", "build", "-o", f"{folder}/{name}", "./example"], f"{folder}/go", lauka, **more)
    compare(lauka, folder, ["./a"], ["./b"], {"sort", "format"})


def ocaml(lauka, folder):
    need("ocamlfind")
    try:
        run(["ocamlfind", "query", "yojson"], folder, lauka)
    except AssertionError:
        raise Skipped("yojson is not installed (Debian: libyojson-ocaml-dev)") from None
    run(["ocamlfind", "ocamlopt", "-package", "unix,yojson", "-linkpkg", "lauka.mli", "lauka.ml", "test.ml", "-o", "test"],
        f"{folder}/ocaml", lauka)
    print("    " + run(["./test"], f"{folder}/ocaml", lauka).strip().splitlines()[-1])


def java_by_itself(lauka, folder):
    need("javac", "java")
    for name in "old", "new":
        run(["javac", "-d", name, os.path.join(ROOT, "examples", "LaukaBench.java")], folder, lauka)
    compare(lauka, folder, ["java", "-cp", "old", "LaukaBench"], ["java", "-cp", "new", "LaukaBench"], {"sort", "words"},
            "--adapter=lauka")


def check_sizes(folder):
    for name in "node/index.js", "python/lauka/bench.py", "rust/src/lib.rs", "go/bench.go", "ocaml/lauka.ml":
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            count = len(file.readlines())
        assert count < LINES, f"bindings/{name} has {count} lines, and {LINES - 1} at most"


def attempt(lauka, language):
    with tempfile.TemporaryDirectory() as place:
        folder = f"{place}/bindings"
        shutil.copytree(os.path.join(ROOT, "bindings"), folder, ignore=shutil.ignore_patterns("__pycache__", "target"))
        shutil.copytree(os.path.join(ROOT, "schema"), f"{place}/schema")
        print(f"  {language.__name__}", flush=True)
        check_sizes(folder)
        language(lauka, folder)


def main():
    lauka, *chosen = sys.argv[1:]
    return run_each("bindings", lambda language: attempt(os.path.abspath(lauka), language),
                    (node, python, rust, go, ocaml, java_by_itself), chosen)


if __name__ == "__main__":
    sys.exit(main())
