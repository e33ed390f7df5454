#!/usr/bin/env python3
"""liblauka as its users see it: python3 tests/library/run.py PREFIX LAUKA [TEST...]

Copies what `zig build install` put below PREFIX into an empty folder, away from lauka's sources. There,
programs are compiled with every compiler found, linked with both forms of the library as pkg-config
says, and run. LAUKA reads what they write. Missing compilers are named."""
import glob
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples", "own")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
C, CXX = [("gcc", "-xc -std=c99"), ("clang", "-xc -std=c99")], [("g++", "-xc++ -std=c++11"), ("clang++", "-xc++ -std=c++11")]
NEWER = [("gcc", "-xc -std=c17"), ("g++", "-xc++ -std=c++20")]
OF_LIBRARY = ("lauka_histogram.h", "lauka_compare.h", "lauka_report.h")
OF_OTHERS = {"lauka_counts.h", "lauka_region.h", "lauka_bench.h", "lauka_micro.h"}
PREFIX = LAUKA = FOLDER = None


def there(cases):
    return [case for case in cases if shutil.which(case[0])]


def needed(name):
    path = shutil.which(name)
    if not path:
        raise unittest.SkipTest(f"{name} is missing")
    return path


def place(name):
    return os.path.join(FOLDER, name)


def copy_tree():
    """Copies what is installed for other programs, and nothing else."""
    for pattern in ("include/lauka_*.h", "lib/liblauka.*", "lib/pkgconfig/lauka.pc"):
        for path in glob.glob(os.path.join(PREFIX, pattern)):
            to = place(os.path.join("tree", os.path.dirname(pattern), os.path.basename(path)))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(path, to, follow_symlinks=False)


class InFolder(unittest.TestCase):
    def run_it(self, *words, status=0, **options):
        done = subprocess.run(words, capture_output=True, text=True, cwd=FOLDER, **options)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def flags(self, *words):
        environment = {**os.environ, "PKG_CONFIG_PATH": place("tree/lib/pkgconfig")}
        return self.run_it(needed("pkg-config"), *words, "lauka", env=environment).split()

    def link(self, case, form, sources, out):
        """form: "a" or "so". The library for -llauka is in a folder of its own."""
        library = place(f"only-{form}")
        if not os.path.exists(library):
            os.makedirs(library)
            for path in glob.glob(place("tree/lib/liblauka." + ("a" if form == "a" else "so*"))):
                shutil.copy(path, library, follow_symlinks=False)
        words = self.flags("--cflags", "--libs", *(["--static"] if form == "a" else []))
        words = [f"-L{library}" if word.startswith("-L") and "tree/lib" in word else word for word in words]
        compiler, options = case
        language = options.split()
        self.run_it(compiler, *language, *WARNINGS, "-O1", *[word for word in words if word.startswith("-I")], *sources, "-xnone",
                    *[word for word in words if not word.startswith("-I")], f"-Wl,-rpath,{library}", "-o", place(out))

    def lauka(self, *words, status=0):
        return self.run_it(LAUKA, words[0], "--no-config", *words[1:], status=status)


class Headers(InFolder):
    def test_each_compiles_alone_and_twice(self):
        names = sorted(os.path.basename(path) for path in glob.glob(place("tree/include/*.h")))
        self.assertEqual(set(names), {*OF_LIBRARY, *OF_OTHERS})
        for name, (compiler, options) in itertools.product(names, there(C + CXX + NEWER)):
            with self.subTest(header=name, compiler=compiler, options=options):
                with open(place("alone"), "w") as file:
                    file.write(f'#include "{name}"\n#include "{name}"\nint main(void) {{ return 0; }}\n')
                self.run_it(compiler, *options.split(), *WARNINGS, "-Itree/include", "-fsyntax-only", "alone")

    def test_those_of_the_library_include_nothing_of_ours_but_each_other(self):
        for name in OF_LIBRARY:
            with open(place(f"tree/include/{name}")) as file:
                ours = re.findall(r'#include "([^"]+)"', file.read())
            self.assertLessEqual(set(ours), set(OF_LIBRARY), name)

    def test_comments_say_who_may_call_and_what_fails(self):
        for name in OF_LIBRARY:
            with open(place(f"tree/include/{name}")) as file:
                text = file.read()
            for word in ("thread", "errno", "unit", "EINVAL", "ENOMEM"):
                self.assertIn(word, text, name)


def declared():
    names = set()
    for name in OF_LIBRARY:
        with open(place(f"tree/include/{name}")) as file:
            names |= set(re.findall(r"LAUKA_API[^;(]*?\b(lauka_\w+)\(", file.read()))
            file.seek(0)
            names |= set(re.findall(r"LAUKA_API[^;(]*\n(lauka_\w+)\(", file.read()))
    return names


@unittest.skipUnless(sys.platform.startswith("linux"), "checks names in ELF files")
class Names(InFolder):
    def test_a_static_library_shows_what_the_headers_declare(self):
        lines = self.run_it(needed("nm"), "-g", "--defined-only", "tree/lib/liblauka.a").splitlines()
        names = {line.split()[2] for line in lines if len(line.split()) == 3}
        self.assertEqual(names, declared())
        self.assertGreater(len(names), 60)

    def test_a_shared_library_shows_the_same_with_a_version(self):
        lines = self.run_it(needed("nm"), "-D", "--defined-only", "tree/lib/liblauka.so").splitlines()
        names = {line.split()[2] for line in lines} - {"LAUKA_1", "LAUKA_1@@LAUKA_1"}
        self.assertEqual({name.split("@")[0] for name in names}, declared())
        self.assertTrue(all(name.endswith("@@LAUKA_1") for name in names if "@" in name), names)

    def test_a_shared_library_has_a_soname_and_links_that_lead_to_it(self):
        text = self.run_it(needed("readelf"), "-d", "tree/lib/liblauka.so")
        soname = re.search(r"SONAME.*\[(.*)\]", text).group(1)
        self.assertRegex(soname, r"^liblauka\.so\.\d+$")
        self.assertTrue(os.path.exists(place(f"tree/lib/{soname}")))
        self.assertNotIn("TEXTREL", text)

    def test_a_program_may_have_functions_that_are_called_as_ours_within(self):
        """lauka_compare is an internal name: a program may use every name that the headers do not
        declare."""
        with open(place("clash.c"), "w") as file:
            file.write('#include "lauka_compare.h"\nint lauka_compare(void);\nint lauka_compare(void) { return 7; }\n'
                       "int main(void) { struct lauka_compare_result result; uint64_t a[] = {1, 2, 3, 4, 5, 6, 7};\n"
                       "    return lauka_compare_values(a, 7, a, 7, NULL, &result) + (result.pairs == 7 ? lauka_compare() : 0); }\n")
        for form in ("a", "so"):
            self.link(there(C)[0], form, ["clash.c"], "clash")
            self.run_it(place("clash"), status=7)


class Programs(InFolder):
    def test_every_compiler_links_either_form_and_lauka_takes_what_it_writes(self):
        sources = [os.path.join(HERE, name) for name in ("whole.c", "other.c")]
        for case, form in itertools.product(there(C + CXX), ("a", "so")):
            with self.subTest(compiler=case[0], form=form):
                self.link(case, form, sources, "whole")
                text = self.run_it(place("whole"), FOLDER)
                self.assertIn("`slow` is ", text)
                self.assertIn("80 values, measured by the program itself; paired by position", text)
                self.assertIn("##### drawing: CPU-ns", text)
                self.assertTrue(text.endswith("error 0\n"), text)
                self.expect_lauka_to_take_it()

    def expect_lauka_to_take_it(self):
        self.assertRegex(self.lauka("report", "values.json"), r"`slow` is (.|\n)*slower")
        self.assertIn("no verdict: one log a side", " ".join(self.lauka("report", "histograms.json").split()))
        self.assertRegex(self.lauka("compare", "--unpaired", "histograms.json"), r"`after.hlog` takes 2\.0(.|\n)*slower")
        self.assertIn("slower", self.lauka("compare", "values.json"))
        self.assertIn("hlog", self.lauka("compare", "before.hlog", "after.hlog"))
        self.lauka("gate", "--gate=sort_time=50%", "values.json")
        self.assertIn("sort_time", self.lauka("gate", "--gate=sort_time=1%", "values.json", status=3))
        self.lauka("gate", "--unpaired", "--gate=latency.p90=10%", "histograms.json", status=3)

    def test_what_they_write_is_what_the_schema_says(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is missing")
        self.link(there(C)[0], "so", [os.path.join(HERE, name) for name in ("whole.c", "other.c")], "whole")
        self.run_it(place("whole"), FOLDER)
        with open(os.path.join(HERE, "..", "..", "schema", "lauka-result.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        for name in ("values.json", "histograms.json"):
            with open(place(name), encoding="utf-8") as file:
                document = json.load(file)
            jsonschema.validate(document, schema)
            self.assertEqual({metric["source"] for result in document["results"] for metric in result["metrics"].values()}, {"program"})

    def test_pkg_config_finds_the_tree_where_it_is_now(self):
        version = self.run_it(LAUKA, "--version").split()[1]
        self.assertEqual(self.flags("--modversion"), [version])
        for word in self.flags("--cflags", "--libs"):
            if word[:2] in ("-I", "-L") and "lauka" not in word:
                self.assertEqual(os.path.realpath(word[2:]).startswith(os.path.realpath(place("tree"))), "tree" in word)
        self.assertNotIn("-lm", self.flags("--libs"))
        self.assertIn("-lm", self.flags("--libs", "--static"))


class Examples(InFolder):
    """Each example is compiled in a folder that has only the installed files of lauka."""

    def build(self, name, case, form="so"):
        self.link(case, form, [os.path.join(EXAMPLES, name)], "example")

    def test_all_of_them_compile(self):
        sources = sorted(os.path.basename(path) for path in glob.glob(os.path.join(EXAMPLES, "*.c*")))
        self.assertGreaterEqual(len(sources), 6)
        for source, case in itertools.product(sources, there(C + CXX)):
            if source.endswith(".c") or case in CXX:
                with self.subTest(source=source, compiler=case[0]):
                    self.build(source, case)

    def test_tails_are_told_in_a_table_each(self):
        self.build("tails.c", there(C)[0], "a")
        text = self.run_it(place("example"))
        self.assertIn("##### ns\n| Percentile ", text)
        self.assertRegex(text, r"\| *unsorted \| *sorted \|")
        self.assertRegex(text, r"Total: +\| +1,800 \| +1,800 \|")

    def test_logs_of_a_server_are_compared(self):
        self.link(there(C)[0], "so", [os.path.join(HERE, name) for name in ("whole.c", "other.c")], "whole")
        self.run_it(place("whole"), FOLDER)
        self.build("server_log.c", there(C)[0])
        text = self.run_it(place("example"), "before.hlog", "--vs", "after.hlog")
        self.assertNotIn("slower", text)
        text = self.run_it(place("example"), *["before.hlog"] * 4, "--vs", *["after.hlog"] * 4)
        self.assertRegex(text, r"(?m)^\| 99 +\| [\d, ]+\| [\d, ]+\| *\+\d+\.\d% \|$")
        self.assertRegex(text, r"slower")
        self.lauka("gate", "--gate=p99=5%", "server_log.json", status=3)
        self.run_it(place("example"), "before.hlog", "--vs", "/nonexistent", status=1)
        self.run_it(place("example"), "before.hlog", "--vs", "values.json", status=1)
        self.run_it(place("example"), "before.hlog", status=1)


class Pages(InFolder):
    def test_programs_of_the_page_compile_and_run(self):
        with open(os.path.join(HERE, "..", "..", "docs", "library.md"), encoding="utf-8") as file:
            programs = re.findall(r"^```c\n(.*?)^```$", file.read(), re.M | re.S)
        self.assertEqual(len(programs), 3)
        texts = []
        for program, case in itertools.product(programs, there(C + CXX)):
            with open(place("page.c"), "w", encoding="utf-8") as file:
                file.write(program)
            self.link(case, "so", ["page.c"], "page")
            texts.append(self.run_it(place("page")))
        self.assertRegex(texts[0], r"\Ap99.9: \d+ ns\nlatencies: Total=100,000, ")
        self.assertRegex(texts[len(there(C + CXX))], r"\Aafter is higher by 3\.\d % \[")
        self.assertIn("`by hand` is ", texts[-1])
        self.assertIn("faster", self.lauka("report", "parse.json"))
        self.lauka("gate", "--gate=parse_time=5%", "parse.json")


def main():
    global PREFIX, LAUKA, FOLDER
    PREFIX, LAUKA = map(os.path.abspath, sys.argv[1:3])
    os.environ.update(LC_ALL="C.UTF-8", COLUMNS="80")
    for compiler in sorted({case[0] for case in C + CXX} - {case[0] for case in there(C + CXX)}):
        print(f"skipped {compiler}: not installed")
    loader, module = unittest.TestLoader(), sys.modules["__main__"]
    tests = loader.loadTestsFromNames(sys.argv[3:], module) if sys.argv[3:] else loader.loadTestsFromModule(module)
    log = io.StringIO()
    with tempfile.TemporaryDirectory() as FOLDER:
        copy_tree()
        outcome = unittest.TextTestRunner(stream=log).run(tests)
    bad = len({getattr(test, "test_case", test).id() for test, _ in outcome.failures + outcome.errors})
    if bad:
        print(log.getvalue())
    for test, reason in outcome.skipped:
        print(f"skipped {test}: {reason}")
    print(f"library: {outcome.testsRun - bad - len(outcome.skipped)} passed, {bad} failed", flush=True)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
