"""Programs that do the same but have different memory layouts. Pairs of them are drawn at random and are
the units of the comparison. Also: how they are built. run.py runs these tests."""
import json
import os
import shlex
import shutil
import subprocess
import unittest
from collections import Counter

import run
import shared
from run import InScratch, lauka
from workers import early, once

DIRECTIONS = ("higher", "lower")


def pretended(*arguments, seed=1, layouts=16, code=0):
    done = lauka("-q", "--backend=simulated:effects", f"--seed={seed}", f"--layouts={layouts}", "--json=-", *arguments)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def verdict(result, metric="wall_time"):
    return next(c["verdict"] for c in result["comparisons"] if c["metric"] == metric)


class Layouts(InScratch):
    def programs(self, count, names="ab"):
        """Makes programs that write to a log that they ran."""
        for name in names:
            for layout in range(1, count + 1):
                self.script(f"{name}-{layout}", f"#!/bin/sh\necho {name}-{layout} >>log\n")

    def test_rounds_belong_to_pairs_that_are_drawn_once(self):
        self.programs(8)
        done = lauka("-q", "-r24", "-w2", "--layouts=8", "--json=j", "./a-{layout}", "./b-{layout}", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = open(self.path("log")).read().split()
        self.assertEqual(set(Counter(runs).values()), {2 + 3})
        rounds = [tuple(sorted(runs[i:i + 2])) for i in range(0, len(runs), 2)]
        self.assertEqual({tuple(name[0] for name in pair) for pair in rounds}, {("a", "b")})
        self.assertEqual(len(set(rounds)), 8)
        self.assertNotEqual(sum(a[2:] == b[2:] for a, b in set(rounds)), 8)  # happens with 1 of 40,320 seeds
        with open(self.path("j")) as file:
            result = json.load(file)
        units = result["benchmarks"][0]["units"]
        self.assertEqual((units["kind"], units["count"]), ("layout", 8))
        pairs = rounds[16:]
        self.assertEqual([pairs.index(pair) % 8 for pair in pairs], units["of"])
        again = lauka("report", "--json=k", "j", cwd=self.folder)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(done.stdout, again.stdout)
        self.assertEqual(open(self.path("j")).read(), open(self.path("k")).read())

    def test_a_seed_draws_the_same_pairs(self):
        self.programs(8)
        logs = []
        for seed in (7, 7, 8):
            done = lauka("-q", "-r8", "-w0", f"--seed={seed}", "--layouts=8", "./a-{layout}", "./b-{layout}", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            logs.append(open(self.path("log")).read())
            os.remove(self.path("log"))
        self.assertEqual(logs[0], logs[1])
        self.assertNotEqual(logs[0], logs[2])

    def test_what_layouts_do_is_no_difference(self):
        """Layouts of 10.1 to 10.16 ms and so on differ far more than rounds do."""
        claims = sum(verdict(pretended("-r64", "a-{layout} cost=1{layout}ms", "b-{layout} cost=1{layout}ms", seed=seed))
                     in DIRECTIONS for seed in range(1, 41))
        self.assertLessEqual(claims, 6)  # the 99 % bound for a rate of 5 %

    def test_a_change_beyond_what_layouts_do_is_found(self):
        """Layouts take 10.1 to 10.9 ms; the other side's 11.1 to 11.9 ms are 10 % more."""
        found = sum(verdict(pretended("-r96", "a-{layout} cost=10.{layout}ms noise=5%", "b-{layout} cost=11.{layout}ms noise=5%",
                                      seed=seed, layouts=32)) == "higher" for seed in range(1, 11))
        self.assertGreaterEqual(found, 9)

    def test_which_of_three_is_the_fastest_is_judged_by_layouts_too(self):
        """With so many rounds, each pair is known well, but sixteen pairs decide nothing."""
        commands = ["a cost={layout}ms", "b cost={layout}ms", "c cost={layout}ms first=-25% last=-25%"]
        for seed in (1, 2, 3):
            done = lauka("-q", "--backend=simulated:effects", f"--seed={seed}", "--layouts=16", "-r1600", *commands)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("16 layouts each", " ".join(done.stdout.split()))
            self.assertNotIn("is the fastest", done.stdout)

    def test_stored_sessions_are_compared_by_layouts_too(self):
        """Compares one file per side, or the sides of one file with those of another."""
        def stored(name, layouts, *commands):
            done = lauka("-q", "--backend=simulated:effects", f"--seed={len(name)}", f"--layouts={layouts}", "-r800",
                         f"--json={name}", *commands, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)

        def compared(*names):
            done = lauka("compare", "--unpaired", "-q", "--full", "--json=c", *names, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("c")) as file:
                result = json.load(file)
            return done.stdout, next(c for c in result["comparisons"] if c["metric"] == "wall_time")

        slower = "first=40% last=40%"
        stored("a", 16, "a cost={layout}ms")
        stored("bb", 16, "a cost={layout}ms first=40%")  # alone in its round it is the last, too
        stored("ab", 16, "-nx", "a cost={layout}ms", "-ny", f"b cost={{layout}}ms {slower}")
        stored("abb", 16, "-nx", f"a cost={{layout}}ms {slower}", "-ny", f"b cost={{layout}}ms {slower}")
        for names in (("a", "bb"), ("ab", "abb")):
            text, comparison = compared(*names)
            self.assertEqual((comparison["units"], comparison["pairs"], comparison["verdict"]), (16, 16, "inconclusive"))
            self.assertIn("16 values, each the median of one layout", " ".join(text.split()))
        for layouts, expected in ((8, True),):
            stored("a", layouts, "a cost=10.{layout}ms")
            stored("bb", layouts, "a cost=20.{layout}ms")
            self.assertEqual(compared("a", "bb")[1]["verdict"] in DIRECTIONS, expected)

    def test_of_fewer_than_eight_there_is_no_verdict_and_it_says_so(self):
        for layouts, expected in ((7, False), (8, True)):
            commands = ["a-{layout} cost=10.{layout}ms", "b-{layout} cost=20.{layout}ms"]
            self.assertEqual(verdict(pretended("-r64", *commands, layouts=layouts)) in DIRECTIONS, expected)
            done = lauka("-q", "--backend=simulated:effects", "--seed=1", "-r64", f"--layouts={layouts}", *commands)
            self.assertEqual("a verdict needs at least 8" in " ".join(done.stdout.split()), not expected)
            self.assertIn(f"{layouts} layouts each", " ".join(done.stdout.split()))

    def test_what_layout_alone_does_is_told(self):
        for verb in ([], ["noise"]):
            commands = ["a-{layout} cost=1{layout}ms", "b-{layout} cost=1{layout}ms"][:1 if verb else 2]
            done = lauka(*verb, "-q", "--backend=simulated:effects", "--seed=1", "-r64", "--layouts=10", "--markdown=m",
                         "--html=h", *commands, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            for text in (done.stdout, open(self.path("m")).read(), open(self.path("h")).read()):
                self.assertRegex(" ".join(text.split()), r"10 layouts each; layout alone moves wall time by ±[1-9][0-9.]* %")

    def test_sessions_without_rounds_given_end(self):
        result = pretended("--until=5%", "a-{layout} cost=10.{layout}ms", "b-{layout} cost=10.{layout}ms")
        self.assertGreaterEqual(result["run"]["rounds"], 32)
        self.assertEqual(result["run"]["stopped"], "precision")

    def test_a_layout_that_fails_is_told(self):
        self.programs(8)
        self.script("b-3", "#!/bin/sh\nexit 7\n")
        done = lauka("-q", "-r8", "-w0", "--layouts=8", "./a-{layout}", "./b-{layout}", cwd=self.folder)
        self.assertEqual(done.returncode, 5)
        self.assertIn("./b-{layout}: layout 3: failed with exit code 7", done.stderr)
        os.remove(self.path("b-3"))
        done = lauka("-q", "-r8", "-w0", "--layouts=8", "./a-{layout}", "./b-{layout}", cwd=self.folder)
        self.assertEqual(done.returncode, 5)
        self.assertIn("./b-3: cannot be started: No such file", done.stderr)

    def test_hooks_and_files_have_layouts_too(self):
        self.programs(8)
        done = lauka("-q", "-r8", "-w0", "--layouts=8", "--env=L=x{layout}", "--prepare=echo $L {layout} >>hooks",
                     "./a-{layout}", "./b-{layout}", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        hooks = open(self.path("hooks")).read().splitlines()
        self.assertEqual(Counter(hooks), {f"x{layout} {layout}": 2 for layout in range(1, 9)})

    def test_what_does_not_go_together_is_an_error(self):
        for arguments, words in ((["--layouts=8", "./a-{layout}", "./b"], "has no {layout}"),
                                 (["--layouts=1", "./a-{layout}"], "--layouts"),
                                 (["--layouts=1001", "./a-{layout}"], "--layouts"),
                                 (["--layouts=8", "--no-samples", "./a-{layout}"], "--no-samples"),
                                 (["--layouts=8", "--order=sequential", "./a-{layout}"], "--order=sequential"),
                                 (["--layouts=8", "--counters=valgrind", "./a-{layout}"], "--counters=valgrind"),
                                 (["--link=cc -o {out}", "./a"], "--link goes with --layouts"),
                                 (["--layouts=8", "--link=cc", "./a-{layout}"], "{out}"),
                                 (["--layouts=8", "-S", "--link=cc {out}", "./a-{layout}"], "{out}")):
            done = lauka(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), arguments)
            self.assertIn(words, done.stderr)


class Links(InScratch):
    """Programs are scripts, which a shell makes at once. The log is not an input, so its name does not
    appear in the text."""
    LINK = "printf '#!/bin/sh\\n# %s\\n' {layout} >{out} && cat source >>{out} && chmod +x {out} && echo {out} >>bu''ilt"

    def setUp(self):
        super().setUp()
        self.write("source", "exit 0\n")

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def session(self, *arguments, code=0, link=LINK):
        done = lauka("-q", "-r8", "-w0", "--layouts=8", f"--link={link}", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def built(self):
        names = open(self.path("built")).read().split() if os.path.exists(self.path("built")) else []
        self.write("built", "")
        return sorted(names)

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "there is no list of descriptors")
    def test_builds_do_not_get_what_the_others_write_to(self):
        """Each waits until two have begun, so that both are there."""
        self.session("./a-{layout}", link="ls -l /proc/$$/fd >files-{layout}; i=0; "
                     "while [ ! -e files-2 ] && [ $((i += 1)) -lt 500 ]; do sleep 0.01; done; printf '#!/bin/sh\\n' >{out}; chmod +x {out}")
        for layout in range(1, 9):
            with open(self.path(f"files-{layout}"), encoding="utf-8") as file:
                deleted = {line.split(" -> ")[1] for line in file if line.endswith("(deleted)\n")}
            self.assertEqual(len(deleted), 1, deleted)  # its own stdout is a file; its stderr is the same

    def test_each_layout_is_built_once_and_kept(self):
        every = sorted(f"./{name}-{layout}" for name in "ab" for layout in range(1, 9))
        self.session("./a-{layout}", "./b-{layout}")
        self.assertEqual(self.built(), every)
        self.assertIn("# 7", open(self.path("a-7")).read())
        self.session("./a-{layout}", "./b-{layout}")
        self.assertEqual(self.built(), [])
        self.write("source", "exit 0 # another\n")
        self.session("./a-{layout}", "./b-{layout}")
        self.assertEqual(self.built(), every)
        self.script("b-2", "#!/bin/sh\n")
        self.session("./a-{layout}", "./b-{layout}")
        self.assertEqual(self.built(), ["./b-2"])
        self.session("./a-{layout}", "./b-{layout}", link=self.LINK + " #")
        self.assertEqual(self.built(), every)

    def test_a_command_against_itself_is_built_once(self):
        done = lauka("noise", "-q", "-r8", "-w0", "--layouts=8", f"--link={self.LINK}", "./a-{layout}", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.built()), 8)

    def test_each_command_may_have_its_own(self):
        self.session("./a-{layout}", "./b-{layout}", f"--link={self.LINK}; echo own >>own")
        self.assertEqual(open(self.path("own")).read().count("own"), 8)

    def test_a_link_that_fails_is_the_answer(self):
        done = self.session("--gate=wall_time=5%", "--junit=j", "./a-{layout}", "./b-{layout}", code=5,
                            link="echo told; echo 'undefined\033[2J symbol' >&2; : {out}; exit 3")
        self.assertIn("  | told\n", done.stderr)
        self.assertNotIn("\033", done.stderr)
        self.assertIn("undefined", done.stderr)
        self.assertRegex(done.stderr, r"lauka: --link: `.*` failed with exit code 3\n$")
        self.assertIn("failed with exit code 3", open(self.path("j")).read())

    def test_a_link_that_makes_nothing_is_told(self):
        done = self.session("./a-{layout}", code=5, link="true {out}")
        self.assertIn("that can be executed", done.stderr)


RUST = """#[inline(never)]
#[no_mangle]
pub fn f4(n: usize) -> usize {
    (0..n).sum()
}

fn main() {
    std::process::exit((f4(std::env::args().count() * 10) != 45) as i32);
}
"""
GO = """package main

//go:noinline
func f4(n int) int {
	return n + 4
}

func main() {
	if f4(6) != 10 {
		panic("f4")
	}
}
"""
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(run.HERE)), "examples", "layouts")


def has_randlayout(go):
    """Whether `go tool link` lists the option."""
    told = subprocess.run([go, "tool", "link", "-help"], capture_output=True, text=True)
    return "-randlayout" in told.stdout + told.stderr


def make_objects(folder):
    texts = {f"f{i}": f"int f{i}(int n) {{ return n + {i}; }}\n" for i in range(1, 5)}
    texts["main"] = ("".join(f"int f{i}(int);\n" for i in range(1, 5)) +
                     "int main(void) { return f1(f2(f3(f4(0)))) != 10; }\n")
    for name, text in texts.items():
        with open(os.path.join(folder, f"{name}.c"), "w") as file:
            file.write(text)
    subprocess.run(["gcc", "-c", "-ffunction-sections", *(f"{name}.c" for name in texts)], cwd=folder, check=True)


@once("what a linker makes does not depend on how lauka was compiled")
@early("linkers")
class LayoutExamples(InScratch):
    """The commands of examples/layouts/README.md."""

    def need(self, *programs):
        missing = [program for program in programs if not shutil.which(program)]
        if missing:
            self.skipTest(f"not installed: {', '.join(missing)}")

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def objects(self):
        """Compiles a C program and returns its object files."""
        self.need("gcc", "nm")
        shutil.copytree(shared.made("objects", make_objects), self.folder, dirs_exist_ok=True)
        return " ".join(sorted(name for name in os.listdir(self.folder) if name.endswith(".o")))

    def addresses(self, link, function="f4", layouts=8):
        """Returns the address of the function in each program that the link makes. All of them must run
        without failing."""
        done = lauka("-q", f"-r{layouts}", "-w0", f"--layouts={layouts}", f"--link={link}", "./a-{layout}", "./a-{layout}", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        places = []
        for layout in range(1, layouts + 1):
            told = subprocess.run(["nm", f"a-{layout}"], cwd=self.folder, check=True, capture_output=True, text=True).stdout
            places.append(next(line.split()[0] for line in told.splitlines() if line.endswith(f" T {function}")))
        return places

    def test_padding_moves_the_code(self):
        self.assertEqual(len(set(self.addresses(f"{shlex.quote(EXAMPLES)}/pad.sh {{layout}} {{out}} {self.objects()}"))), 8)

    def test_the_order_of_objects_moves_the_code(self):
        link = f"{shlex.quote(EXAMPLES)}/order.sh {{layout}} {{out}} {self.objects()}"
        self.assertGreater(len(set(self.addresses(link))), 2)

    def test_lld_shuffles_functions(self):
        self.need("ld.lld")
        link = f"gcc -fuse-ld=lld -Wl,--shuffle-sections=.text*={{layout}} -o {{out}} {self.objects()}"
        self.assertGreater(len(set(self.addresses(link))), 2)

    def test_rustc_lets_lld_shuffle_functions(self):
        self.need("rustc", "gcc", "ld.lld", "nm")
        self.write("main.rs", RUST)
        link = "rustc -O -C link-arg=-fuse-ld=lld -C link-arg=-Wl,--shuffle-sections=.text*={layout} -o {out} main.rs"
        self.assertGreater(len(set(self.addresses(link, layouts=4))), 2)

    def test_go_draws_an_order_of_functions(self):
        """Debian 12 has Go 1.19, which lacks the option."""
        go = next((go for go in (shutil.which("go"), "/usr/local/go/bin/go") if go and has_randlayout(go)), None)
        if not go:
            self.skipTest("no Go whose linker has -randlayout is installed")
        self.write("main.go", GO)
        self.write("go.mod", "module layouts\n\ngo 1.18\n")
        link = f": main.go; {go} build -ldflags=-randlayout={{layout}} -o {{out}} ."
        self.assertGreater(len(set(self.addresses(link, "main.f4", layouts=4))), 2)
