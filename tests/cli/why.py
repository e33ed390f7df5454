"""Which functions cause a difference (lauka why, --sampled). run.py runs these tests."""
import ctypes
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import unittest

import run
import shared
import workers
from run import InScratch, lauka, program

# Work that no compiler can predict; `more` multiplies the work of `grow`.
SOURCE = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
#define APART __attribute__((noinline, noclone))
HOW unsigned grow(unsigned n) { for (unsigned i = 0; i < n * MORE; i++) sink += i * n;
  return sink; }
APART unsigned keep(unsigned n) { for (unsigned i = 0; i < n; i++) sink ^= i + n;
  return sink; }
APART unsigned host(unsigned n) { sink += grow(n);
  return sink + n; }
int main(int argc, char **argv)
{
    int status;
    if (argc > 1) {
        pid_t pid = fork();
        if (pid == 0) { host(2000); _exit(0); }
        waitpid(pid, &status, 0);
    } else host(2000);
    keep(1000);
    return (int)(sink * 0);
}
"""


class WithPrograms(InScratch):
    NEEDED = ("valgrind",)

    def setUp(self):
        super().setUp()
        if not all(map(shutil.which, self.NEEDED)) or not shared.compiler():
            if os.environ.get("CI") == "true":
                self.fail("valgrind or a C compiler is not installed")
            self.skipTest("valgrind or a C compiler is not installed")

    def build_here(self, name, more=1):
        """Builds the program in the test's own folder, with shared libraries like most programs."""
        with open(self.path("source.c"), "w") as file:
            file.write(SOURCE)
        subprocess.run([shared.compiler(), "-O1", "-g", f"-DMORE={more}", "-DHOW=APART", "-o", name, "source.c"],
                       cwd=self.folder, check=True)

    def build(self, name, more=1, how="APART", flags=("-g",)):
        shutil.copy(shared.compiled(SOURCE, "-O1", f"-DMORE={more}", f"-DHOW={how}", *flags, static=True), self.path(name))

    def why(self, *arguments):
        """Returns the JSON's entry for the second command, and the printed text."""
        done = lauka("why", "--sampled=0", "-w", "0", "-r", "1", "--json=why.json", *arguments, cwd=self.folder,
                     env={"COLUMNS": "120", "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("why.json")) as file:
            self.result = json.load(file)
        return self.result["why"]["commands"][0], done.stdout


# What programs under callgrind say to it; the first is of no request.
STEERED = """
#include <valgrind/callgrind.h>
__attribute__((noinline, noclone)) unsigned work(unsigned n) { volatile unsigned s = 0;
  for (unsigned i = 0; i < n; i++) s += i;
  return s; }
int main(void) { work(MORE * 1000); SAY; work(100); return 0; }
"""
SAID = ("CALLGRIND_ZERO_STATS", "CALLGRIND_TOGGLE_COLLECT; work(MORE * 500); CALLGRIND_TOGGLE_COLLECT",
        "CALLGRIND_STOP_INSTRUMENTATION; work(MORE * 500); CALLGRIND_START_INSTRUMENTATION")


def changes(why):
    """Returns {function: its change}, and the change of all together."""
    def of(cost):
        return cost["after"] - cost["before"]
    told = {function["name"]: of(function["instructions"]) for function in why["functions"]}
    return told, sum(told.values()) + of(why["others"]) + of(why["beyond"]), of(why["instructions"])


@workers.once("valgrind takes most of the time")
@workers.early("two sessions after each other under valgrind")
class Steered(WithPrograms):
    """Programs that tell callgrind what to count: all of it counts, or it is said that it does not."""

    def setUp(self):
        super().setUp()
        if not os.path.exists("/usr/include/valgrind/callgrind.h"):
            self.skipTest("valgrind's headers are not installed")

    def built(self, said):
        for name, more in (("a", 2), ("b", 3)):
            shutil.copy(shared.compiled(STEERED, "-O1", "-g", f"-DMORE={more}", f"-DSAY={said}", static=True), self.path(name))

    def test_all_instructions_count_as_without_functions(self):
        for said in SAID:
            self.built(said)
            why, text = self.why("./a", "./b")
            told, _, whole = changes(why)
            self.assertEqual((why["standing"], list(told), told.get("work")), ("changed", ["work"], whole), text)
            done = lauka("--counters=valgrind", "-w0", "-r1", "--json", "./a", "./b", cwd=self.folder,
                         env={"COLUMNS": "120", "LC_ALL": "C.UTF-8"})  # as above: a program reads all of it
            self.assertEqual(done.returncode, 0, done.stderr)
            for with_functions, without in zip(self.result["results"], json.loads(done.stdout)["results"]):
                self.assertEqual(with_functions["metrics"]["sim_instructions:u"]["values"],
                                 without["metrics"]["sim_instructions:u"]["values"])

    def test_where_processes_are_followed_it_is_a_part(self):
        self.built(SAID[0])
        for arguments in (("--counters=valgrind",), ("--why", "--sampled=0")):
            done = lauka(*arguments, "-w0", "-r1", "--json", "sh -c './a; exit 0'", "sh -c './b; exit 0'", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertIn("`a` may tell valgrind when to count", str(result["warnings"]))
            self.assertTrue(result["results"][0]["metrics"]["sim_instructions:u"]["partial"])
        self.assertEqual(result["why"]["commands"][0]["standing"], "unknown")


@workers.once("valgrind takes most of the time")
class Why(WithPrograms):
    def test_the_function_that_grew_is_named_with_its_place_and_changes_add_up(self):
        self.build_here("a")
        self.build_here("b", more=2)
        why, text = self.why("./a", "./b")
        told, sum_of_all, whole = changes(why)
        self.assertEqual(list(told), ["grow"])
        self.assertEqual((why["standing"], why["spread"]), ("changed", 0))
        self.assertEqual(sum_of_all, whole)
        metric = self.result["results"][1]["metrics"]["sim_instructions:u"]
        self.assertEqual(metric["values"][0], why["instructions"]["after"])
        line = 1 + SOURCE[:SOURCE.index("HOW unsigned")].count("\n")
        self.assertEqual((why["functions"][0]["file"], why["functions"][0]["line"]), ("source.c", line))
        self.assertEqual(why["functions"][0]["lines"][0]["line"], line)
        self.assertRegex(text, r"`\./b` executes [\d.]+ % more instructions than `\./a` \(\+[\d,]+ of [\d.]+ K, "
                               r"exact\); of that\n +\+[\d,]+  grow +source\.c:" + str(line) + " +[\\d.]+ K → [\\d.]+ K")
        self.assertRegex(text, r"estimated cycles: \+[\d.]+ %")
        # The stored result gives the same report, in every format.
        again = lauka("report", "why.json", cwd=self.folder, env={"COLUMNS": "120", "LC_ALL": "C.UTF-8"})
        self.assertEqual(again.stdout[again.stdout.index("executes"):], text[text.index("executes"):])
        lauka("report", "why.json", "--json=again.json", "--pr-comment=why.md", "--html=why.html", cwd=self.folder)
        with open(self.path("again.json")) as file:
            self.assertEqual(json.load(file)["why"], self.result["why"])
        with open(self.path("why.md")) as file:
            comment = file.read()
        self.assertRegex(comment, r"<details><summary>Why: which functions made the difference</summary>\n\n"
                                  r"`\./b` executes (?s:.*)\| `grow` \| `source\.c:%d` \|(?s:.*)</details>" % line)
        with open(self.path("why.html")) as file:
            self.assertIn('<th scope="row" class="l">grow</th>', file.read())

    def test_equal_programs_take_as_many_instructions(self):
        self.build("a")
        shutil.copy(self.path("a"), self.path("b"))
        why, text = self.why("./a", "./b")
        self.assertEqual((why["standing"], why["functions"]), ("same", []))
        self.assertIn("`./b` executes as many instructions as `./a` (0 of", " ".join(text.split()))

    def test_a_function_that_is_inlined_on_one_side_counts_with_its_host(self):
        self.build("a")
        self.build("b", more=2, how="__attribute__((always_inline)) static inline")
        why, text = self.why("./a", "./b")
        host = why["functions"][0]
        self.assertEqual((host["name"], host["fate"], host["partner"]), ("host", "took", "grow"))
        self.assertIn("with grow, inlined now", text)
        self.assertNotIn("grow", changes(why)[0])
        why, _ = self.why("./b", "./a")
        self.assertEqual(why["functions"][0]["fate"], "parted")

    def test_what_a_forked_process_does_is_told_once(self):
        self.build("a")
        self.build("b", more=2)
        alone, _ = self.why("./a", "./b")
        forked, _ = self.why("./a 1", "./b 1")
        self.assertEqual(changes(forked)[0], changes(alone)[0])
        self.assertEqual(changes(forked)[1], changes(forked)[2])

    def test_a_program_without_symbols_is_told_with_advice(self):
        self.build("a", flags=("-s",))
        self.build("b", more=2, flags=("-s",))
        why, text = self.why("./a", "./b")
        self.assertEqual((why["functions"][0]["name"], why["functions"][0]["object"]), ("", ""))
        self.assertIn("(no symbols)", text)
        self.assertIn("build it with -g, and do not strip it", text)

    def test_what_cannot_be_followed_is_not_explained(self):
        self.build("a")
        done = lauka("why", "--sampled=0", "-w", "0", "-r", "1", "./a", program("descend") + " killed", cwd=self.folder)
        text = " ".join(done.stdout.split())
        self.assertIn("valgrind could not follow all of", text, done.stderr)
        self.assertRegex(text, r"so its functions are not compared: `[^`]+` was killed, or had not ended")
        self.assertNotIn("of that", text)

    def test_a_gate_that_fails_on_instructions_tells_why_by_itself(self):
        self.build("a")
        self.build("b", more=2)
        gate = ("--counters=valgrind", "-w", "0", "-r", "1", "--gate")
        done = lauka(*gate, "sim_instructions=1%", "./a", "./b", cwd=self.folder, env={"COLUMNS": "120"})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stdout, r"\n +\+[\d,]+  grow +source/source\.c:")
        done = lauka(*gate, "sim_instructions=500%", "./a", "./b", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("grow", done.stdout)

    @unittest.skipUnless(shutil.which("strace") or os.environ.get("CI"), "strace is not installed")
    def test_system_calls_are_told_by_name_exactly(self):
        calls = program("calls")
        _, text = self.why(f"{calls} 3", f"{calls} 15")
        told = self.result["system_calls"][0]
        if "may not trace" in told.get("reason", ""):
            self.skipTest(told["reason"])
        self.assertEqual(told["rows"], [{"name": "getppid", "calls": {"before": 3, "after": 15}, "spread": 0}])
        self.assertEqual(told["calls"]["after"] - told["calls"]["before"], 12)
        self.assertIn("system calls: getppid +12 (3 → 15); page faults: ", text)
        lauka("report", "why.json", "--json=again.json", "--pr-comment=why.md", "--html=why.html", cwd=self.folder)
        with open(self.path("again.json"), "rb") as again, open(self.path("why.json"), "rb") as stored:
            self.assertEqual(again.read(), stored.read())
        for document in ("why.md", "why.html"):
            with open(self.path(document)) as file:
                self.assertIn("getppid +12 (3 → 15)", file.read())
        _, text = self.why(f"{calls} 3", f"{calls} 3 4")
        self.assertRegex(text, r"system calls: the same \(\d+\); page faults: ")

    def test_names_of_other_languages_are_readable(self):
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler is installed")
        source = ("static volatile unsigned sink; namespace shop { __attribute__((noinline)) void "
                  "count(unsigned n) { while (n--) sink = sink + n; } } int main() { shop::count(MORE); }")
        for name, more in (("a", 2000), ("b", 9000)):
            shutil.copy(shared.compiled(source, "-xc++", "-g", "-O1", f"-DMORE={more}", by="c++", static=True),
                        self.path(name))
        why, _ = self.why("./a", "./b")
        self.assertEqual(why["functions"][0]["name"], "shop::count(unsigned int)")


# This program runs so long that every run is sampled a few times; SIZE sets how long.
LONG = """
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
#define APART __attribute__((noinline, noclone))
APART unsigned grow(unsigned n) { for (unsigned i = 0; i < n * MORE; i++) sink += i * n;
  return sink; }
APART unsigned keep(unsigned n) { for (unsigned i = 0; i < n; i++) sink ^= i + n;
  return sink; }
int main(int argc, char **argv)
{
    int status;
    pid_t pid = argc > 1 ? fork() : 0;
    if (pid) { waitpid(pid, &status, 0); return 0; }
    grow(500000 * SIZE);
    keep(2000000 * SIZE);
    return 0;
}
"""


def forbid_sampling():
    """In a child, makes perf_event_open(2) fail with EPERM, like a container's seccomp(2) filter."""
    number = {"x86_64": 298, "aarch64": 241}[platform.machine()]

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
    code = b"".join(struct.pack("HBBI", *each) for each in (
        (0x20, 0, 0, 0),           # load the system call's number
        (0x15, 0, 1, number),      # is it this call?
        (0x06, 0, 0, 0x50000 | 1),  # EPERM
        (0x06, 0, 0, 0x7FFF0000)))
    libc = ctypes.CDLL(None, use_errno=True)
    filtered = Program(4, code)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(filtered), 0, 0):
        os._exit(99)


def build_long(path, more=1, size=3, flags=("-g",)):
    shutil.copy(shared.compiled(LONG, "-O1", f"-DMORE={more}", f"-DSIZE={size}", *flags), path)


def sampled_for(time, folder, *arguments):
    """Returns the content of the JSON, and the printed text."""
    done = lauka(f"--sampled={time}", "-e", "none", "-w", "0", "-r", "1", "--json=sampled.json", *arguments,
                 cwd=folder, timeout=300, env={"COLUMNS": "120", "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    with open(os.path.join(folder, "sampled.json")) as file:
        return json.load(file), " ".join(done.stdout.split())


def sampled_in(folder, *arguments):
    """Samples for longer if there are few samples because the machine is busy."""
    for time in ("240ms", "1s", "4s"):
        result, text = sampled_for(time, folder, *arguments)
        if not any("are too few" in sampled.get("reason", "") for sampled in result["sampled"]["commands"]):
            break
    return result, text


RUST = """
#[inline(never)]
fn mix<T: Into<u64> + Copy>(values: &[T]) -> u64 { values.iter().fold(1, |sum, v| (sum ^ (*v).into()).wrapping_mul(31)) }
mod inner {
    #[inline(never)]
    pub fn spin(n: u64) -> u64 { (0..n).fold(n | 1, |a, _| { let b = a ^ a << 13; b ^ b >> 7 }) }
}
fn main() {
    let one = std::env::args().count(); // which the compiler does not know
    let values: Vec<u32> = (0..3000 * one as u32).collect();
    let sum: u64 = (0..1500).map(|i| mix(&values[i % 7..])).sum();
    println!("{} {}", sum, inner::spin(4_000_000 * one as u64));
}
"""


def part_symbols(folder, name, to):
    """Moves the symbols of a program to another file. Returns whether the tools for this exist."""
    if not shutil.which("objcopy"):
        return False
    os.makedirs(os.path.dirname(os.path.join(folder, to)), exist_ok=True)
    subprocess.run(["objcopy", "--only-keep-debug", name, to], cwd=folder, check=True)
    subprocess.run(["strip", name], cwd=folder, check=True)
    return True


def record(folder):
    """Runs one session with everything that most tests compare with ./a."""
    def path(name):
        return os.path.join(folder, name)
    build_long(path("a"))
    build_long(path("b"), more=8)
    build_long(path("bare"), more=8, flags=("-s",))
    for name in ("same", "parted", "wrong"):
        shutil.copy(path("a" if name == "same" else "b"), path(name))
    commands = ["./a", "./b", "./b 1", "./same", "./bare"]
    if part_symbols(folder, "a", ".debug/a.debug"):
        part_symbols(folder, "parted", "parted.debug")
        part_symbols(folder, "wrong", "wrong.debug")
        shutil.copy(path(".debug/a.debug"), path("wrong.debug"))  # from another build, so its names would be wrong
        commands += ["./parted", "./wrong"]
    _, text = sampled_in(folder, *commands)
    with open(path("stdout"), "w") as file:
        file.write(text)


@workers.once("sampling takes most of the time")
class Sampled(WithPrograms):
    NEEDED = ()

    def setUp(self):
        super().setUp()
        if sys.platform != "linux":
            self.skipTest("lauka samples on Linux only")

    def build(self, name, more=1, size=3, flags=("-g",)):
        build_long(self.path(name), more, size, flags)

    def sampled(self, *arguments):
        """Returns the JSON's entry about samples, and the printed text."""
        self.result, text = sampled_in(self.folder, *arguments)
        return self.of(1), text

    def recorded(self, name):
        """Returns the same for a command of the session that most tests share, and the folder it ran in."""
        folder = shared.made("sampled", record)
        with open(os.path.join(folder, "sampled.json")) as file, open(os.path.join(folder, "stdout")) as printed:
            self.result, text = json.load(file), printed.read()
        return self.of([result["command"] for result in self.result["results"]].index(name)), text, folder

    def of(self, command):
        sampled = self.result["sampled"]["commands"][command - 1]
        if "not permitted" in sampled.get("reason", ""):
            self.skipTest(sampled["reason"])
        return sampled

    def check(self, sampled):
        """Checks that shares add up to 1, and that every claimed interval excludes 0."""
        self.assertGreater(self.result["sampled"]["rounds"], 5)
        for side in ("before", "after"):
            whole = sum(row[side]["estimate"] for row in sampled["rows"]) + sampled[f"others_{side}"]
            self.assertAlmostEqual(whole, 1)
        for row in sampled["rows"]:
            if row["claimed"]:
                self.assertFalse(row["difference"]["low"] <= 0 <= row["difference"]["high"])
                self.assertLessEqual(row["p"], 0.05)
        claims = [row["claimed"] for row in sampled["rows"]]
        self.assertEqual(claims, sorted(claims, reverse=True))
        self.assertEqual(sampled["standing"], "changed" if any(claims) else "same")

    @workers.early("records what most of the others look at; they come late, and do not wait for it")
    def test_the_function_that_grew_is_pointed_to_in_all_documents(self):
        sampled, text, folder = self.recorded("./b")
        self.check(sampled)
        first = sampled["rows"][0]
        self.assertEqual((first["name"], first["object"], first["claimed"]), ("grow", "", True))
        self.assertGreater(first["difference"]["low"], 0.2)
        self.assertRegex(text, r"`\./b`: (time: \S+( %)? .*; )?samples point to grow: \d+ % \[\d+, \d+\] → \d+ % \[\d+, \d+\]")
        self.assertRegex(text, r"\+\d+\.\d points grow \d+ %")
        self.assertRegex(text, r"[\d]+ and [\d]+ samples \((cpu-clock|cycles), \d+ rounds")
        stored = os.path.join(folder, "sampled.json")
        lauka("report", stored, "--json=again.json", "--pr-comment=why.md", "--html=why.html", cwd=self.folder)
        with open(self.path("again.json"), "rb") as again, open(stored, "rb") as file:
            self.assertEqual(again.read(), file.read())
        with open(self.path("why.md")) as file:
            self.assertRegex(file.read(), r"points \| `grow` \|")
        with open(self.path("why.html")) as file:
            self.assertIn('<th scope="row" class="l">grow</th>', file.read())

    def test_every_process_is_sampled(self):
        sampled, _, _ = self.recorded("./b 1")
        self.check(sampled)
        self.assertEqual((sampled["rows"][0]["name"], sampled["rows"][0]["claimed"]), ("grow", True))

    def test_equal_programs_are_of_equal_shares(self):
        sampled, _, _ = self.recorded("./same")
        self.check(sampled)
        rows = {row["name"]: row for row in sampled["rows"]}
        self.assertEqual({"grow", "keep"} & set(rows), {"grow", "keep"})

    def test_a_program_without_symbols_is_told_by_its_object(self):
        sampled, _, _ = self.recorded("./bare")
        self.check(sampled)
        own = [row for row in sampled["rows"] if row["place"] == "object" and not row["object"]]
        self.assertEqual([row["name"] for row in own], [""])
        self.assertGreater(own[0]["after"]["estimate"], 0.5)

    @unittest.skipUnless(shutil.which("rustc") or os.environ.get("CI"), "rustc is not installed")
    def test_two_builds_of_one_rust_program_have_the_same_functions(self):
        with open(self.path("t.rs"), "w", encoding="utf-8") as file:
            file.write(RUST)
        subprocess.run(["rustc", "--version"], check=True, capture_output=True)
        for mangling in (["-Csymbol-mangling-version=v0"], []):
            for build in ("one", "two"):
                subprocess.run(["rustc", "-O", *mangling, f"-Cmetadata={build}", "-o", build, "t.rs"], cwd=self.folder,
                               check=True, capture_output=True)
            result, _ = sampled_in(self.folder, "./one", "./two")
            rows = {row["name"]: row for row in result["sampled"]["commands"][0]["rows"] if row["place"] == "function"}
            spin = [name for name in rows if "spin" in name]
            self.assertEqual(len(spin), 1, rows.keys())
            self.assertEqual([name for name in rows if re.search(r"h[0-9a-f]{16}|Cs\w+_", name)], [])
            self.assertGreater(min(rows[spin[0]]["before"]["estimate"], rows[spin[0]]["after"]["estimate"]), 0.1)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "only root can mount")
    def test_the_file_of_another_mount_namespace_is_not_taken_for_the_one_here(self):
        build_long(self.path("hidden"))
        with open(self.path("decoy.c"), "w", encoding="utf-8") as file:
            file.write("int decoy(void) { return 1; }\nint main(void) { return decoy(); }\n")
        subprocess.run(["cc", "-o", "prog", "decoy.c"], cwd=self.folder, check=True)
        command = self.script("mounts", f"#!/bin/sh\nexec unshare -m sh -c 'mount --bind {self.folder}/hidden "
                              f"{self.folder}/prog && exec {self.folder}/prog'\n")
        if subprocess.run([command], check=False, capture_output=True).returncode not in (0, 1):
            self.skipTest("this system may not mount")
        result, _ = sampled_in(self.folder, command, command)
        names = [row["name"] for row in result["sampled"]["commands"][0]["rows"]]
        self.assertIn(f"(another file is at {self.folder}/prog now)", names)
        self.assertNotIn("decoy", names)

    @unittest.skipUnless(shutil.which("objcopy") or os.environ.get("CI"), "objcopy is not installed")
    def test_symbols_may_lie_in_a_file_of_their_own_of_the_same_build(self):
        sampled, _, _ = self.recorded("./parted")
        self.check(sampled)
        self.assertEqual(sampled["rows"][0]["name"], "grow")
        self.assertGreater(sampled["rows"][0]["before"]["estimate"], 0)  # the symbols of ./a are in another file, too
        sampled, _, _ = self.recorded("./wrong")
        first = max(sampled["rows"], key=lambda row: row["after"]["estimate"])
        self.assertEqual((first["name"], first["place"]), ("", "object"))

    @workers.early("a session of a second")
    def test_what_hooks_do_is_not_sampled(self):
        self.build("a", size=12)
        self.build("hook", size=1)
        sampled, _ = self.sampled("-p", "./hook", "--conclude", "./hook", "./a", "./a 1")
        self.check(sampled)
        self.assertEqual([row for row in sampled["rows"] if row["object"] == "hook"], [])
        self.assertLessEqual({"grow", "keep"}, {row["name"] for row in sampled["rows"] if not row["object"]})

    def test_records_that_had_no_room_are_told_and_nothing_is_compared(self):
        flood = program("flood")
        self.result, text = sampled_for("20ms", self.folder, f"{flood} 8000", f"{flood} 8001")
        sampled = self.of(1)
        self.assertEqual((sampled["standing"], sampled["rows"]), ("unknown", []))
        self.assertGreater(sampled["before"]["lost"], 1000)
        self.assertRegex(text, r"\d+ records were lost and \d+ samples kept, so functions are not compared")

    @unittest.skipUnless(os.geteuid() == 0, "only root can be under sudo")
    def test_under_sudo_the_launcher_opens_what_the_user_may_not(self):
        self.build("a")
        os.chmod(self.folder, 0o777)
        done = lauka("--sampled=50ms", "-e", "none", "-w", "0", "-r", "1", "--json", "./a", "./a 1", cwd=self.folder,
                     env={"SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody"})
        self.assertEqual(done.returncode, 0, done.stderr)
        sampled = json.loads(done.stdout)["sampled"]
        if "not permitted" in sampled["commands"][0].get("reason", ""):
            self.assertNotEqual(os.environ.get("CI"), "true", sampled)
            self.skipTest(sampled["commands"][0]["reason"])
        self.assertTrue(sampled["kernel"])  # this user alone may not sample the kernel
        self.assertGreater(sampled["commands"][0]["before"]["samples"], 0)

    def test_users_without_privileges_sample_their_own(self):
        self.build("a")
        os.chmod(self.folder, 0o755)
        done = run.lauka_as_nobody("--no-config", "--sampled=50ms", "-e", "none", "-w", "0", "-r", "1", "--json",
                                   "./a", "./a 1", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        sampled = json.loads(done.stdout)["sampled"]["commands"][0]
        with open("/proc/sys/kernel/perf_event_paranoid") as file:
            may = int(file.read()) <= 2
        if "not permitted" in sampled.get("reason", ""):
            self.assertFalse(may and os.environ.get("CI") != "true", sampled["reason"])
        else:
            self.assertGreater(sampled["before"]["samples"], 0)

    def test_where_it_is_forbidden_one_line_says_what_to_do(self):
        self.build("a")

        def forbidden(*arguments, **variables):
            return subprocess.run([run.LAUKA, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60,
                                  stdin=subprocess.DEVNULL, preexec_fn=forbid_sampling, env={**os.environ, **variables})
        done = forbidden("--sampled", "-e", "none", "-w", "0", "-r", "1", "./a", "./a 1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no samples: sampling is not permitted", " ".join(done.stdout.split()))
        self.assertIn("--cap-add=PERFMON", done.stdout)
        done = forbidden("why", "-w", "0", "-r", "1", "./a", "./a 1", PATH=self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (6, 1), done.stderr)
        self.assertIn("valgrind is not installed", done.stderr)
        self.assertIn("sampling is not permitted", done.stderr)

    def test_without_valgrind_samples_have_to_do(self):
        self.build("a")
        self.build("b", more=8)
        done = lauka("why", "-w", "0", "-r", "1", "--sampled=240ms", "--json=why.json", "./a", "./b", cwd=self.folder,
                     env={"PATH": self.folder, "COLUMNS": "120", "LC_ALL": "C.UTF-8"})
        if done.returncode == 6 and "not permitted" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = " ".join(done.stdout.split())
        self.assertRegex(text, "samples point to grow|are too few")
        with open(self.path("why.json")) as file:
            result = json.load(file)
        if result["system_calls"][0].get("source") != "tracepoints":
            self.assertIn("system calls: not counted, as strace is not installed", text)
        self.assertNotIn("why", result)
        self.assertTrue(any("valgrind is not installed" in warning for warning in result["warnings"]))


class NamesOfFunctions(InScratch):
    """Of a stored result, so that they need not be compiled."""
    LONG = "void std::vector<double, std::allocator<double> >::_M_realloc_insert<double const&>(double*, double const&)"

    def reported(self, *functions, width=80, document=None):
        """functions: (name, file, partner). Returns the lines below the sentence, or the document."""
        lauka("--backend=simulated", "--seed=1", "-r5", f"--json={self.path('json')}", "a", "b")
        with open(self.path("json")) as file:
            result = json.load(file)
        cost = {"before": 23_300_000, "after": 24_620_512}
        result["why"] = {"asked": True, "commands": [{
            "command": 1, "standing": "changed", "instructions": cost, "cycles": cost, "spread": 0, "others": cost,
            "other_count": 0, "beyond": {"before": 0, "after": 0},
            "functions": [{"name": name, "object": "", "file": file, "line": 5, "fate": "took" if partner else "both",
                           "instructions": cost, "cycles": cost, "spread": 0, "lines": [],
                           **({"partner": partner} if partner else {})} for name, file, partner in functions]}]}
        with open(self.path("json"), "w") as file:
            json.dump(result, file)
        more = (f"--{document}={self.path(document)}",) if document else ()
        done = lauka("report", self.path("json"), *more, env={"COLUMNS": str(width), "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stderr)
        if document:
            with open(self.path(document)) as file:
                return file.read()
        return re.split(r";\s+of\s+that\n", done.stdout)[1]

    def test_a_function_has_its_name_before_a_remark_has_room(self):
        text = self.reported(("parse_numbers", "parser.cpp", self.LONG), width=80)
        self.assertIn("  +1,320,512  parse_numbers  parser.cpp:5  23.3 M → 24.6 M\n", text)
        self.assertIn("\n                with void std::vector<…>::_M_realloc_insert<…>, inlined now\n", text)
        wide = self.reported(("parse_numbers", "parser.cpp", "grow"), width=120)
        self.assertIn("23.3 M → 24.6 M, with grow, inlined now\n", wide)

    def test_arguments_go_before_a_part_of_a_name_does(self):
        parse = "shop::parse_numbers(std::basic_string_view<char, std::char_traits<char> >)"
        for width in (64, 80, 120):
            self.assertIn("  shop::parse_numbers  parser.cpp:5  ", self.reported((parse, "parser.cpp", None), width=width))
        whole = self.reported(("shop::parse_numbers(unsigned int)", "parser.cpp", None), width=120)
        self.assertIn("  shop::parse_numbers(unsigned int)  parser.cpp:5  ", whole)
        self.assertIn("  shop::parse_numbers  ",
                      self.reported(("shop::parse_numbers(unsigned int)", "a/long/way/to/parser.cpp", None), width=70))
        self.assertIn("| `shop::parse_numbers` | `parser.cpp:5` |",
                      self.reported((parse, "parser.cpp", None), document="pr-comment"))

    def test_namespaces_go_before_the_end_of_a_name_does(self):
        for width, shown in ((80, "…::text::reader<…>::next_token"), (120, "shop::orders::parsing::text::reader<…>::next_token")):
            text = self.reported(("shop::orders::parsing::text::reader<shop::orders::item, std::less<int> >::next_token(char)",
                                  "a/long/way/to/parser.cpp", None), width=width)
            self.assertIn(f"  {shown}  ", text)

    def test_what_is_in_parentheses_may_be_a_part_of_a_name(self):
        for name, shown in (("(anonymous namespace)::parse(int, char const*)", "(anonymous namespace)::parse"),
                            ("main.(*ParserOfManyThings).parseAll", "main.(*ParserOfManyThings).parseAll"),
                            ("Parser::operator()(int, char const*) const", "Parser::operator()"),
                            ("operator<< <char>(std::ostream&, char const*)", "operator<< <…>"),
                            ("<Parser as core::ops::Fn<Args>>::call", "<Parser as core::ops::Fn<…>>::call"),
                            ("strange)(", "strange)("), (")", ")"), ("f(", "f(")):
            text = self.reported((name, "a/way/that/is/longer/than/half/of/a/terminal.cpp", None), width=80)
            self.assertIn(f"  {shown}  ", text)

    def test_functions_that_only_arguments_tell_apart_keep_them(self):
        text = self.reported(("parse(int)", "a/long/way/to/parser.cpp", None), ("parse(long)", "a/long/way/to/parser.cpp", None),
                             ("other(int)", "a/long/way/to/parser.cpp", None), width=60)
        for name in ("parse(int)", "parse(long)", "other"):
            self.assertIn(f"  {name}  ", text)


class WhyNot(InScratch):
    def refused(self, *arguments, code=2, **keywords):
        done = lauka(*arguments, cwd=self.folder, **keywords)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        return done.stderr

    def test_samples_need_the_same(self):
        self.assertIn("--sampled explains a difference: give two commands", self.refused("--sampled", "true"))
        self.assertIn("--sampled: --backend=simulated runs nothing",
                      self.refused("--sampled", "--backend=simulated", "a", "b"))
        self.assertIn("--sampled: ", self.refused("noise", "--sampled", "true"))
        self.assertIn("--sampled", self.refused("--sampled=soon", "true", "false"))

    def test_it_needs_two_commands_that_are_run(self):
        self.assertIn("give two commands", self.refused("why", "true"))
        self.assertIn("--backend=simulated runs nothing",
                      self.refused("--why", "--backend=simulated", "a", "b"))
        self.assertIn("as many instructions as itself", self.refused("noise", "--why", "true"))

    def test_a_missing_valgrind_is_one_line_with_the_name_of_its_package(self):
        self.script("a", "#!/bin/sh\n")
        text = self.refused("why", "--sampled=0", "./a", "./a", code=6, env={"PATH": self.folder})
        self.assertIn("--why: valgrind is not installed; install it (apt install valgrind", text)
