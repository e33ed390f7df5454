"""Regions of a user's own program: the header is compiled as users compile it."""
import glob
import os
import shutil
import subprocess

import shared
from run import InScratch, HERE, lauka
from workers import early, once

ROOT = os.path.dirname(os.path.dirname(HERE))
COMPILERS = [("gcc", "-xc -std=c99"), ("gcc", "-xc -std=gnu17"), ("clang", "-xc -std=c99"), ("g++", "-xc++ -std=c++11"),
             ("clang++", "-xc++ -std=c++11")]
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
PROGRAM = '''
#include "lauka_region.h"
#include "lauka_region.h"
#include "lauka_bench.h"
#include <stdio.h>
unsigned counters(void);
int main(void)
{
    struct lauka_region region;
    struct lauka_region_event events[3];
    events[0] = lauka_region_known(LAUKA_REGION_CPU_NS);
    events[1] = lauka_region_known(LAUKA_REGION_CYCLES);
    events[2] = lauka_region_apple("INST_BRANCH");
    if (lauka_region_open(&region, events, 3, NULL) != 0)
        return 1;
    lauka_region_calibrate(&region);
    lauka_region_begin(&region);
    uint64_t took = 0, cpu;
    LAUKA_REGION_SCOPE (LAUKA_REGION_US, took) {
        counters();
    }
    lauka_region_end(&region);
    if (lauka_region_count(&region, 0, &cpu) != LAUKA_REGION_EXACT || took > 1000000000)
        return 1;
    for (size_t i = 0; i < 3; i++)
        printf("%s: %s: %s\\n", events[i].name, lauka_region_way_name(lauka_region_way(&region, i)),
               lauka_region_why(&region, i));
#if defined(__cplusplus)
    {
        lauka::region_scope scope(region);
        auto timed = lauka::time_block(LAUKA_REGION_NS, [](uint64_t ns) { printf("scopes: %d\\n", ns > 0); });
    }
#else
    printf("scopes: 1\\n");
#endif
    lauka_region_close(&region);
    return 0;
}
'''
OTHER = '''
#include "lauka_bench.h"
#include "lauka_region.h"
unsigned counters(void);
unsigned counters(void)
{
    unsigned fixed, programmable;
    return lauka_region_counters_there(&fixed, &programmable) ? fixed + programmable : 0;
}
'''


@early("compilers")
class TheRegionHeader(InScratch):
    @once("compiles no part of lauka")
    def test_it_compiles_everywhere_without_a_warning_twice_in_one_program(self):
        """Clocks work on every machine. What is absent must be reported with a reason."""
        there = [case for case in COMPILERS if shutil.which(case[0])]
        if not there:
            self.skipTest("no compiler is installed")
        for compiler, options in there:
            with self.subTest(compiler=compiler, options=options):
                folder = shared.built({"one": PROGRAM, "two": OTHER}, [compiler, *options.split(), *FLAGS, "-Iinclude", "-o",
                                                                       "program", "one", "two"])
                done = subprocess.run([os.path.join(folder, "program")], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0)
                self.assertIn("CPU-ns: accounted by the system: it is counted\n", done.stdout)
                self.assertRegex(done.stdout, r"(?m)^cycles: (absent: .{20}|read )")
                self.assertTrue(done.stdout.endswith("scopes: 1\n"), done.stdout)


@once("compiles no part of lauka")
@early("compilers")
class ExamplesOfOwnPrograms(InScratch):
    """The examples need only the installed headers, so each compiles in an empty folder."""
    def compile(self, source, compiler, options="-O2"):
        name = os.path.basename(source)
        with open(source) as file:
            folder = shared.built({name: file.read()}, [compiler, *options.split(), *FLAGS, "-Iinclude", "-o", "example",
                                                      name])
        if "-fsyntax-only" not in options:
            shutil.copy(os.path.join(folder, "example"), self.folder)

    def test_they_compile_without_a_warning_in_less_than_sixty_lines(self):
        sources = glob.glob(os.path.join(ROOT, "examples", "own", "*.c*"))
        self.assertEqual(len(sources), 6)
        for source in sources:
            with open(source) as file:
                self.assertLess(len(file.readlines()), 60, source)
            for compiler, options in COMPILERS:
                if shutil.which(compiler) and (source.endswith(".c") or "++" in compiler):
                    with self.subTest(source=source, compiler=compiler, options=options):
                        self.compile(source, compiler, options + " -fsyntax-only")

    def run_example(self, name, *arguments):
        compiler = "c++" if name.endswith("pp") else "cc"
        if not shutil.which(compiler):
            self.skipTest("no compiler is installed")
        self.compile(os.path.join(ROOT, "examples", "own", name), compiler)
        done = subprocess.run([self.path("example"), *arguments], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_small_functions_have_a_row_each(self):
        figure, change = r" +(?:[\d.e+]+|-)", r"  [+-][\d.]+ % \[[+-][\d.]+, [+-][\d.]+\]  (faster|slower|undecided)"
        for name, first, second in (("parse_floats.c", "strtod", "by-hand"), ("sorted.c", "unsorted", "sorted")):
            table = self.run_example(name)
            self.assertRegex(table, rf"(?m)^{first} +[\d.e+]+ +[\d.e+]+\n{second} +[\d.e+]+ +[\d.e+]+{change}$")
            if "not counted" not in table:
                self.assertRegex(table, rf"(?m)^{first}{figure * 5}\n{second}{figure * 5}$")
            self.assertLessEqual(max(map(len, table.splitlines())), 80)

    def test_they_speak_under_lauka_too(self):
        self.compile(os.path.join(ROOT, "examples", "own", "parse_floats.c"), "cc")
        done = lauka("suite", "--no-config", "--list-benchmarks", "./example", "./example", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "strtod\nby-hand\n"))

    def test_a_monitor_prints_a_line_an_interval(self):
        lines = self.run_example("monitor.c", "0.06", "20").splitlines()
        self.assertGreaterEqual(len(lines), 1)
        for line in lines:
            self.assertRegex(line, r"^ *[\d.]+ ms  instructions (~?\d+|-)  cycles (~?\d+|-)  CPU-ns \d+  ")

    def test_scopes_of_blocks(self):
        text = self.run_example("scopes.cpp")
        self.assertRegex(text, r"(?m)^sort of 1000: least \d+ ns, median \d+ ns$")
        self.assertRegex(text, r"(?m)^page-faults: \d+$")
