"""Regions of one's own program: the header is compiled as its users compile it."""
import os
import shutil
import subprocess

from run import InScratch, HERE
from workers import once

ROOT = os.path.dirname(os.path.dirname(HERE))
COMPILERS = [("gcc", "-xc -std=c99"), ("gcc", "-xc -std=gnu17"), ("clang", "-xc -std=c99"), ("g++", "-xc++ -std=c++11"),
             ("clang++", "-xc++ -std=c++11")]
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


class TheRegionHeader(InScratch):
    @once("compiles no part of lauka")
    def test_it_compiles_everywhere_without_a_warning_twice_in_one_program(self):
        """Whatever the machine has: clocks remain, and it is said what is absent and why."""
        for name, text in (("one", PROGRAM), ("two", OTHER)):
            with open(self.path(name), "w") as file:
                file.write(text)
        there = [case for case in COMPILERS if shutil.which(case[0])]
        if not there:
            self.skipTest("there is no compiler")
        for compiler, options in there:
            with self.subTest(compiler=compiler, options=options):
                words = [compiler, *options.split(), "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
                         "-Werror", "-I" + os.path.join(ROOT, "include"), "-o", self.path("program"),
                         self.path("one"), self.path("two")]
                done = subprocess.run(words, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                done = subprocess.run([self.path("program")], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0)
                self.assertIn("CPU-ns: accounted by the system: it is counted\n", done.stdout)
                self.assertRegex(done.stdout, r"(?m)^cycles: (absent: .{20}|read )")
                self.assertTrue(done.stdout.endswith("scopes: 1\n"), done.stdout)
