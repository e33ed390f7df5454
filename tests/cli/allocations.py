"""sim_allocations: calls of allocators, counted by valgrind. Programs do a known number of them; what their runtimes
do by themselves is counted with an empty program."""
import json
import os
import re
import shutil
import subprocess
import unittest

from run import InScratch, lauka
from workers import once

C = """#include <stdlib.h>
#include <string.h>
void *volatile sink;
__attribute__((noinline)) static void parse(int n) { for (int i = 0; i < n; i++) { void *p = malloc(10 + i); sink = p; free(p); } }
int main(void) { volatile int n = N; if (n == 0) return 0; parse(n); sink = calloc(3, 4); sink = realloc(sink, 100); sink = aligned_alloc(64, 128);
    sink = strdup("x"); return 0; }
"""
CXX = """#include <new>
struct alignas(64) Wide { char c[128]; };
void *volatile sink;
__attribute__((noinline)) static void parse(int n) { for (int i = 0; i < n; i++) { int *p = new int(i); sink = p; delete p; } }
int main() { volatile int n = N; if (n == 0) return 0; parse(n); char *a = new char[100]; sink = a; delete[] a;
    int *q = new (std::nothrow) int; sink = q; delete q;
    Wide *w = new Wide; sink = w; delete w; Wide *v = new Wide[3]; sink = v; delete[] v; return 0; }
"""
RUST = """fn black_box<T>(value: T) -> T { // std::hint has it since 1.66
    unsafe { let read = std::ptr::read_volatile(&value); std::mem::forget(value); read } }
const N: usize = NUMBER;
#[inline(never)]
fn parse(n: usize) { for i in 0..n { black_box(Box::new(i)); } }
fn main() { if N == 0 { return; } parse(N); let mut v: Vec<u8> = Vec::with_capacity(10); black_box(&mut v);
    v.reserve_exact(1000); black_box(&mut v); black_box(vec![0u8; 100]); }
"""
# A map, goroutines and fmt, so that what is not exact would be seen.
GO = """package main

import (
\t"fmt"
\t"sort"
\t"sync"
)

var sink *int

//go:noinline
func parse(n int) {
\tfor i := 0; i < n; i++ {
\t\tp := new(int)
\t\t*p = i
\t\tsink = p
\t}
}

func main() {
\tnumbers := map[string]int{}
\tfor i := 0; i < 100; i++ {
\t\tnumbers[fmt.Sprintf("%d", i)] = i
\t}
\tkeys := []string{}
\tfor key := range numbers {
\t\tkeys = append(keys, key)
\t}
\tsort.Strings(keys)
\tvar group sync.WaitGroup
\tfor g := 0; g < 3; g++ {
\t\tgroup.Add(1)
\t\tgo func() { defer group.Done(); parse(10) }()
\t}
\tgroup.Wait()
\tparse(NUMBER)
}
"""
GO_ENVIRONMENT = ["--env=GOMAXPROCS=1", "--env=GOGC=off", "--env=GODEBUG=asyncpreemptoff=1"]
LIBRARIES = "/usr/lib/x86_64-linux-gnu/lib{}.so.2"


@unittest.skipUnless(shutil.which("valgrind") and shutil.which("cc"), "valgrind or cc is not installed")
class Allocations(InScratch):
    def run_in_folder(self, *words):
        subprocess.run(words, cwd=self.folder, check=True, capture_output=True)

    def need(self, name, version="--version"):
        """A program that is another user's may be there, and not run."""
        if not shutil.which(name) or subprocess.run([name, version], cwd=self.folder, capture_output=True, check=False).returncode != 0:
            self.skipTest(f"{name} is not installed for this user")

    def build(self, source, *words, compiler=("cc", "-xc", "-O1", "-w"), name="p{}"):
        """Programs that allocate nothing, and ten and eleven times in parse(); returns their commands."""
        with open(self.path("source"), "w", encoding="utf-8") as file:
            file.write(source)
        for number in 0, 10, 11:
            self.run_in_folder(*compiler, f"-DN={number}", "source", "-xnone", *words, "-o", name.format(number))
        return ["./" + name.format(number) for number in (0, 10, 11)]

    def count(self, *words):
        """How often each command allocates, and what is said of it."""
        done = lauka("-q", "-r2", "-w0", "-e", "sim_allocations", "--json=j", "--full", *words, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("j"), encoding="utf-8") as file:
            results = json.load(file)["results"]
        return [r["metrics"]["sim_allocations:u"]["mean"] for r in results], " ".join(done.stdout.split())

    def expect(self, known, *words, function="parse"):
        (none, ten, eleven), said = self.count(*words)
        self.assertEqual((ten - none, eleven - none), (known, known + 1))
        self.assertRegex(said, rf"{function}[^ ]* \+11")

    def test_one_more_fails_a_gate_of_nothing(self):
        _, ten, eleven = self.build(C)
        for option in ["-e", "sim_allocations", "--gate=sim_allocations=0%"], ["--why", "--sampled=100ms"]:
            done = lauka("-q", "-r2", "-w0", *option, "--full", ten, eleven, cwd=self.folder)
            self.assertEqual(done.returncode, 3 if "-e" in option else 0, done.stderr)
            self.assertIn("`./p11` allocates 15 times, `./p10` 14 times (valgrind): parse +1", " ".join(done.stdout.split()))

    def test_a_stripped_static_program_is_named(self):
        command = self.build(C, "-static", "-s")[1]
        self.assertIn("is stripped and static", self.count(command, command)[1])

    def test_the_number_is_known_in_c(self):
        self.expect(14, *self.build(C))

    def test_the_number_is_known_in_cxx(self):
        self.need("c++")
        self.expect(14, *self.build(CXX, compiler=("c++", "-xc++", "-O1", "-std=c++17")))

    @once("the counts are valgrind's")
    def test_the_number_is_known_in_rust(self):
        self.need("rustc")
        for number in 0, 10, 11:
            with open(self.path("source"), "w", encoding="utf-8") as file:
                file.write(RUST.replace("NUMBER", str(number)))
            self.run_in_folder("rustc", "-O", "--crate-name=a", "-o", f"r{number}", "source")
        self.expect(13, "./r0", "./r10", "./r11")

    @once("the counts are valgrind's")
    def test_the_number_is_known_in_go(self):
        self.need("go", "version")
        version = re.search(r"go1[.](\d+)", subprocess.run(["go", "version"], capture_output=True, text=True, check=True).stdout)
        if version and int(version[1]) < 24:
            self.skipTest("before Go 1.24, maps overflow as a random seed has it")
        if not os.access(os.path.expanduser("~"), os.W_OK):
            self.skipTest("go has no place for its cache here")
        for number in 0, 1, 11:
            os.makedirs(self.path(f"d{number}"))
            with open(self.path(f"d{number}/main.go"), "w", encoding="utf-8") as file:
                file.write(GO.replace("NUMBER", str(number)))
            self.run_in_folder("go", "build", "-o", f"g{number}", f"d{number}/main.go")
        (none, one, eleven), said = self.count(*GO_ENVIRONMENT, "./g0", "./g1", "./g11")
        self.assertEqual((one - none, eleven - none), (1, 11))
        self.assertIn("main.parse +11", said)

    @once("the counts are valgrind's")
    def test_other_allocators_are_counted_preloaded_and_linked(self):
        self.need("c++")
        for library in "jemalloc", "mimalloc":
            path = LIBRARIES.format(library)
            if not os.path.exists(path):
                self.skipTest(f"{path} is not there")
            none, ten, _ = self.build(C)
            counts, said = self.count(f"--env=LD_PRELOAD={path}", none, ten)
            self.assertEqual(counts[1] - counts[0], 14, said)
            none, ten, _ = self.build(CXX, path, compiler=("c++", "-xc++", "-O1", "-std=c++17"))
            counts, said = self.count(none, ten)
            self.assertEqual(counts[1] - counts[0], 14, said)

    @once("the counts are valgrind's")
    def test_the_same_program_allocates_as_often_in_every_session(self):
        command = self.build(C)[1]
        for seed in 1, 2, 3:
            done = lauka("-q", f"--seed={seed}", "-r2", "-w0", "-e", "sim_allocations", "--primary=sim_allocations", "--answer",
                         "--gate=sim_allocations=0%", command, command, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["verdict"], "identical")


if __name__ == "__main__":
    unittest.main()
