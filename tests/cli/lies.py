"""Programs of a suite that answer what they were not asked for, or leave behind what nobody can read."""
import os
import sys
import textwrap

import suite
from run import InScratch, lauka
from workers import early


class Programs(InScratch):
    """Each is run with a temporary folder of its own, in which nothing may stay."""

    def setUp(self):
        super().setUp()
        self.temporary = self.path("temporary")
        os.mkdir(self.temporary)

    def program(self, name, body="", text=suite.SPEAKER):
        text = text.replace("START", "").replace("STATUS", "0").replace("PYTHON ", sys.executable + " ")
        return self.script(name, text.replace("BODY", textwrap.dedent(body)))

    def suite(self, *arguments, code):
        done = lauka("suite", "--no-config", "-q", "-r20", *arguments, cwd=self.folder, env={"TMPDIR": self.temporary})
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(os.listdir(self.temporary), [])
        return done.stderr


class Answers(Programs):
    def fails(self, body, words):
        self.program("base")
        self.program("head", body)
        self.assertIn(f"sort: ./head: {words}", self.suite("--benchmark=sort", "./base", "./head", code=5))

    def test_one_that_comes_behind_the_last_is_found_before_the_process_ends(self):
        self.fails("""
            answer() {
                trap 'echo ok 5 5 >&3' EXIT
                ran "$@"
            }""", "wrote more than it was asked for: ok 5 5")

    def test_one_that_comes_before_the_question_is_found(self):
        """Whether the next question is there by then or not: one answer is too many in the end. Those before say that they took
        half of what they did; on a busy machine, one that answers an earlier question may still come too early for its time."""
        for moment in ":", "sleep 0.005":
            self.program("base")
            self.program("head", f"""
                answer() {{
                    sleep "$(($(ns_of "$1") * $2))e-9"
                    ran "$@"
                    [ -n "$once" ] || {{ {moment}; echo ok 100000 100000; once=1; }}
                }}""")
            self.assertRegex(self.suite("--benchmark=sort", "./base", "./head", code=5),
                             "sort: ./head: (wrote more than it was asked for: ok |says that it took .*, and answered after )")

    def test_half_of_one_is_found(self):
        """Before the next question is written, or as the beginning of its answer."""
        self.program("base")
        self.program("head", """
            answer() {
                ran "$@"
                printf 'ok 5'
            }""")
        self.assertRegex(self.suite("--benchmark=sort", "./base", "./head", code=5),
                         "sort: ./head: (wrote more than it was asked for: ok 5|its wall time is not a valid time: 5ok)")

    def test_more_names_than_a_list_are_found(self):
        self.program("base")
        self.program("head", "trap 'echo benchmark late >&3' EXIT")
        self.assertIn("./head was asked for its benchmarks, and wrote more than it was asked for: benchmark late",
                      self.suite("--list-benchmarks", "./base", "./head", code=5))

    def test_what_a_zero_hides_is_found(self):
        self.fails("""
            answer() {
                ran "$@" | tr '\\n' '\\000'
                echo junk
            }""", "answered with a byte 0")

    def test_no_more_CPU_time_than_all_CPUs_have_is_believed(self):
        self.fails("""
            answer() {
                ran "$@" | sed 's/[^ ]*$/900000000000000000/'
            }""", "says that it took 9e+08 s of CPU time, and answered after ")

    def test_CPU_time_of_several_CPUs_is_believed(self):
        self.program("base", """
            answer() {
                ran "$@" | { read -r ok wall cpu; echo $ok $wall $wall; }
            }""")
        self.suite("--benchmark=sort", "./base", "./base", code=0)

    @early("waits until lauka is out of patience")
    def test_a_process_that_stays_is_not_said_to_have_been_killed_by_others(self):
        self.program("base")
        self.program("head", """
            stay() { exec 3>&-; exec sleep 600; }
            trap stay EXIT
            """)
        said = self.suite("--benchmark=sort", "./base", "./head", code=5)
        self.assertIn("did not end by itself, so lauka ended it", said)
        self.assertNotIn("SIGKILL", said)

    def test_a_launcher_that_is_killed_is_named_and_no_benchmark(self):
        self.program("base")
        for moment in ("", 'kill -9 $PPID', """
                answer() {
                    [ $2 = 1 ] || kill -9 $PPID
                    ran "$@"
                }"""):
            self.program("head", moment)
            said = self.suite("--benchmark=sort", "./base", "./head", code=1 if moment else 0)
            self.assertEqual(said, "lauka: the launcher process has ended unexpectedly (was it killed?)\n" if moment else "")
        self.program("base", 'kill -9 $PPID', suite.CRITERION.replace("BODY", "import os\nos.kill(os.getppid(), 9)"))
        self.assertIn("the launcher process has ended", self.suite("./base", "./base", code=1))


class Files(Programs):
    def fails(self, body, words, *arguments, text=suite.CRITERION):
        self.program("base", text=text)
        self.program("head", textwrap.dedent(body), text=text)
        said = self.suite(*arguments, "./base", "./head", code=5)
        self.assertIn(words, said)

    def in_place_of(self, name, made):
        return f"""
            import atexit
            def leave():
                for folder, _, names in os.walk(os.environ["CRITERION_HOME"]):
                    if "{name}" in names:
                        path = os.path.join(folder, "{name}")
                        os.unlink(path)
                        {made}
            atexit.register(leave)
            """

    def test_what_is_no_plain_file_is_not_waited_for(self):
        for name in "benchmark.json", "sample.json":
            self.fails(self.in_place_of(name, "os.mkfifo(path)"), f"left a {name} that cannot be read: it is not a plain file")
        self.fails(self.in_place_of("sample.json", 'os.symlink("/dev/zero", path)'), "it is not a plain file")
        self.fails(self.in_place_of("sample.json", "os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 1 << 30)"),
                   "left a sample.json that cannot be read: File too large")

    def test_nor_is_it_where_one_file_has_all(self):
        self.script("tests.py", "")
        self.program("pytest", """
            import atexit
            def leave():
                path = next(word.split("=")[1] for word in sys.argv if word.startswith("--benchmark-json="))
                os.unlink(path)
                os.mkfifo(path)
            atexit.register(leave)
            """, suite.PYTEST)
        said = self.suite("--adapter=pytest", "./pytest tests.py", "./pytest tests.py", code=5)
        self.assertIn("left a benchmarks.json that cannot be read: it is not a plain file", said)

    def test_nor_is_an_argument_in_which_a_framework_is_looked_for(self):
        self.script("plain", "#!/bin/sh\nexit 0\n")
        os.mkfifo(self.path("fifo"))
        self.assertIn("--adapter", self.suite("./plain fifo", "./plain fifo", code=2))

    def test_folders_without_rights_and_without_a_path_are_removed(self):
        self.program("head", """
            home = os.environ["CRITERION_HOME"]
            os.makedirs(home + "/a/b/c")
            os.chmod(home + "/a/b", 0)
            os.chmod(home + "/a", 0o500)
            here = os.getcwd()
            os.chdir(home)
            for _ in range(30):
                os.mkdir("d" * 200)
                os.chdir("d" * 200)
            os.chdir(here)
            """, suite.CRITERION)
        self.suite("./head", "./head", code=0)

    @early("waits for a timeout")
    def test_a_process_has_ended_before_its_folder_is_removed(self):
        self.fails("""
            if "--list" not in sys.argv:
                for i in range(1 << 60):
                    os.makedirs(os.environ["CRITERION_HOME"] + f"/{i}")
            """, "did not answer in time", "--timeout=1s", "--benchmark=group/find")
