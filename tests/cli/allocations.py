"""sim_allocations: calls of allocators, counted by valgrind."""
import json
import shutil
import subprocess
import unittest

from run import InScratch, lauka

SOURCE = """#include <stdlib.h>
#include <string.h>
void *volatile sink;
__attribute__((noinline)) static void parse(int n) { for (int i = 0; i < n; i++) { void *p = malloc(10 + i); sink = p; free(p); } }
int main(void) { parse(N); sink = calloc(3, 4); sink = realloc(sink, 100); sink = aligned_alloc(64, 128); sink = strdup("x"); return 0; }
"""


@unittest.skipUnless(shutil.which("valgrind") and shutil.which("cc"), "valgrind or cc is not installed")
class Allocations(InScratch):
    def build(self, name, *words):
        with open(self.path("a.c"), "w", encoding="utf-8") as file:
            file.write(SOURCE)
        subprocess.run(["cc", "-O1", "-w", "a.c", "-o", name, *words], cwd=self.folder, check=True)

    def test_one_more_fails_a_gate_of_nothing(self):
        self.build("ten", "-DN=10")
        self.build("eleven", "-DN=11")
        done = lauka("-q", "-r3", "-e", "sim_allocations", "--gate=sim_allocations=0%", "--json=j", "--full", "./ten", "./eleven", cwd=self.folder)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("`./eleven` allocates 15 times, `./ten` 14 times (valgrind): parse +1", " ".join(done.stdout.split()))
        with open(self.path("j"), encoding="utf-8") as file:
            counts = [r["metrics"]["sim_allocations:u"]["mean"] for r in json.load(file)["results"]]
        self.assertEqual(counts, [14, 15])

    def test_a_stripped_static_program_is_named(self):
        self.build("s", "-DN=10", "-static", "-s")
        done = lauka("-q", "-r3", "-e", "sim_allocations", "./s", "./s", "--full", cwd=self.folder)
        self.assertIn("is stripped and static", " ".join(done.stdout.split()))


if __name__ == "__main__":
    unittest.main()
