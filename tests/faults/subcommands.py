"""The subcommands that start programs of their own, or read what others wrote, while system calls fail:
`revisions`, `suite`, services, `why`, `merge`. Every session has a PID namespace of its own, so that a signal to the
wrong process harms no other, and is seen."""
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import xml.dom.minidom

from run import EMPTY, LAUKA, Faults

# The namespace's first process. It tells whether a bystander was ended, and who was left behind.
APART = """
sleep 1000 &
"$@"
code=$?
sleep 0.02
[ -e /proc/2/comm ] && read -r state </proc/2/comm && [ "$state" = sleep ] || echo "a bystander was ended" >>harm
for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    [ "$pid" -le 2 ] || { read -r name <"$process/comm"; } 2>/dev/null && [ "$pid" -gt 2 ] && case $name in
    sleep | sh) ;;
    *) echo "$name was left behind" >>harm ;;
    esac
done
exit $code
"""

# Speaks lauka-bench/1 with times that are made up.
SPEAKER = r"""#!/bin/sh
exec <"/dev/fd/${LAUKA_BENCH_FDS%,*}" 3>"/dev/fd/${LAUKA_BENCH_FDS#*,}"
while read -r word name iterations seed; do
    case $word in
    hello) echo hello 1 ;;
    list) echo benchmark sort; echo benchmark parse; echo ok ;;
    run) sleep 0.001; echo ok 1000000 500000 ;;
    *) break ;;
    esac
done >&3
"""

DOCUMENTS = ("--json=out.json", "--junit=out.xml", "--markdown=out.md", "--pr-comment=out.comment", "--csv=out.csv",
             "--gate=wall_time=99999%")


class Subcommands(Faults):
    FAULTS = {
        "clone": "EAGAIN", "clone3": "EAGAIN", "fork": "EAGAIN", "vfork": "EAGAIN", "openat": "EMFILE",
        "pipe2": "EMFILE", "pipe": "EMFILE", "mkdir": "ENOSPC", "rename": "ENOSPC", "write": "ENOSPC",
        "mmap": "ENOMEM", "read": "EIO", "dup2": "EMFILE", "dup3": "EMFILE", "wait4": "ECHILD", "waitid": "ECHILD",
        "fsync": "ENOSPC", "fcntl": "EAGAIN", "unlink": "EACCES", "ftruncate": "ENOSPC",
    }
    MOST = int(os.environ.get("LAUKA_FAULTS_MOST", "1"))  # of each call and subcommand; 1000: all of them

    def setUp(self):
        super().setUp()
        self.need_strace()
        namespace = ["unshare", *(["--user", "--map-root-user"] if os.geteuid() else []), "--fork", "--pid", "--mount-proc"]
        if subprocess.run([*namespace, "true"], capture_output=True).returncode != 0:
            self.skipTest("this machine does not let the tests make a namespace of their own")
        self.apart = [*namespace, "sh", "-c", APART, "sh"]
        self.random = random.Random(1)

    def session(self, arguments, faults, follows):
        """Runs lauka with these calls failing: of itself, or of everything that it starts, too."""
        for name in ("harm", "trace", *(word.split("=")[1] for word in DOCUMENTS[:-1])):
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))
        shutil.rmtree(self.path("cache"), ignore_errors=True)
        shutil.rmtree(self.path("tmp"), ignore_errors=True)
        os.mkdir(self.path("tmp"))
        traced = "trace=kill,tkill,tgkill," + ",".join({fault.split(":")[0] for fault in faults})
        return self.run_command(
            [*self.apart, "strace", *(["-f"] if follows else []), "-qq", "-o", self.path("trace"), "-e", traced,
             *(word for fault in faults for word in ("-e", "inject=" + fault)), LAUKA, *arguments],
            env={"TMPDIR": self.path("tmp"), "XDG_CACHE_HOME": self.path("cache"), "HOME": self.path("home"), "GIT_CONFIG_NOSYSTEM": "1"}, timeout=120)

    def check(self, done, what):
        """One clear line and the right exit code; documents that are whole, and no greener than that."""
        said = [line for line in done.stderr.splitlines() if line.startswith("lauka: ")]
        self.assertIn(done.returncode, {0, 1, 2, 5, 6}, f"{what}: {done.stderr[-2000:]}")
        self.assertTrue(said or done.returncode == 0, f"{what}: exit code {done.returncode} without a message")
        if os.path.exists(self.path("harm")):
            with open(self.path("harm"), encoding="utf-8") as file:
                self.fail(f"{what}: {file.read()}")
        with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
            signals = re.findall(r"\bkill\((-?\d+), (\w+)\)", file.read())
        if "openat" not in what:  # removing a folder takes one, too
            self.assertEqual(os.listdir(self.path("tmp")), [], what)
        self.assertEqual([one for one in signals if one[0] in ("-1", "0", "1")], [], what)
        stored = None
        if os.path.exists(self.path("out.json")) and os.path.getsize(self.path("out.json")):
            with open(self.path("out.json"), encoding="utf-8") as file:
                stored = json.load(file)
        if os.path.exists(self.path("out.xml")) and os.path.getsize(self.path("out.xml")):
            xml.dom.minidom.parse(self.path("out.xml"))
        if done.returncode == 0:
            self.assertTrue(stored, what)
        elif stored and done.returncode in (5, 6) and "out." not in done.stderr:
            judged = self.run_command([LAUKA, "gate", "out.json", "--gate=wall_time=1000%"])
            self.assertNotEqual(judged.returncode, 0, f"{what}: {done.stderr}")

    def fail_in_turn(self, arguments, expected=0):
        done = self.session(arguments, [], False)
        self.assertEqual(done.returncode, expected, done.stderr)
        tried = 0
        for name, errno in self.FAULTS.items():
            for follows in (False, True):
                count = self.count(name, arguments, follows)
                numbers = range(1, count + 1)
                for number in self.random.sample(numbers, min(count, self.MOST)):
                    done = self.session(arguments, [f"{name}:error={errno}:when={number}"], follows)
                    self.check(done, f"{arguments[0]}: {name} number {number} of {count} fails with {errno}" +
                               (" in any process" if follows else ""))
                    tried += 1
        self.assertGreaterEqual(tried, len(self.FAULTS))  # most calls are made by both sets of processes

    def count(self, name, arguments, follows):
        """Returns how often one process makes the call."""
        done = self.session(arguments, [f"{name}:delay_exit=0"], follows)
        if "invalid system call" in done.stderr:
            return 0
        with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
            makers = [line.split()[0] if follows else "" for line in file if name + "(" in line]
        return max(map(makers.count, makers), default=0)

    def repository(self):
        def git(*words):
            subprocess.run(["git", "-c", "user.name=Ann", "-c", "user.email=a@x", *words], cwd=self.path("repository"),
                           check=True, capture_output=True)
        os.mkdir(self.path("repository"))
        os.mkdir(self.path("home"))
        git("init", "-q", "-b", "main", ".")
        for text in ("one", "two"):
            with open(self.path("repository/text"), "w", encoding="ascii") as file:
                file.write(text)
            git("add", "-A")
            git("commit", "-qm", text)
        self.addCleanup(os.chdir, os.getcwd())

    def test_calls_of_revisions_may_fail(self):
        self.repository()
        self.directory += "/repository"
        self.fail_in_turn(["revisions", "-q", "-w0", "-r1", *DOCUMENTS, "HEAD~1", "HEAD", "--build",
                           f"cp {shlex.quote(EMPTY)} prog", "--", "./prog"])

    def test_calls_of_revisions_with_submodules_may_fail(self):
        self.repository()
        git = "git -c user.name=Ann -c user.email=a@x -c protocol.file.allow=always"
        subprocess.run(f"git init -q -b main part && cd part && echo one >text && git add -A && {git} commit -qm one && cd ../repository && "
                       f"{git} submodule --quiet add ../part part && {git} commit -qm part", shell=True, check=True, cwd=self.directory)
        self.directory += "/repository"
        self.fail_in_turn(["revisions", "-q", "-w0", "-r1", *DOCUMENTS, "HEAD~1", "HEAD", "--build",
                           f"[ ! -d part ] || grep -q one part/text; cp {shlex.quote(EMPTY)} prog", "--", "./prog"])

    def test_calls_of_same_output_may_fail(self):
        self.fail_in_turn(["-q", "-w0", "-r1", *DOCUMENTS, "-S", "--same-output=cat", "--output-file=o", "seq 20000 | tee o",
                           "seq 20000 | tee o "])

    def test_ci_init_loses_nothing_where_it_cannot_write(self):
        os.mkdir(self.path(".git"))
        self.session(["ci", "init"], ["write:error=ENOSPC:when=1000", "writev:error=ENOSPC:when=1000"], False)
        with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
            calls = re.findall(r"\b(writev?)\((.*)", file.read())
        writes = next(name for name, text in calls if "# Benchmarks" in text)  # as the C library does it
        first = 1 + next(i for i, text in enumerate(text for name, text in calls if name == writes) if "# Benchmarks" in text)
        shutil.rmtree(self.path(".github"))
        for name, errno, number in (writes, "ENOSPC", first), ("fsync", "EIO", 1), ("fsync", "EIO", 2), ("rename", "ENOSPC", 1), ("mkdir", "ENOSPC", 1):
            with open(self.path("bench.lauka"), "w", encoding="ascii") as file:
                file.write("mine\n")
            done = self.session(["ci", "init", "--force"], [f"{name}:error={errno}:when={number}"], False)
            self.assertEqual(done.returncode, 6, f"{name}: {done.stderr}")
            self.assertRegex(done.stderr, "^lauka: (bench.lauka|[.]github[^:]*): ")
            with open(self.path("bench.lauka"), encoding="ascii") as file:
                self.assertEqual(file.read() == "mine\n", (name, number) in ((writes, first), ("fsync", 1), ("rename", 1)), name)
            self.assertFalse(os.path.exists(self.path("bench.lauka.new")))

    def test_calls_of_suite_may_fail(self):
        with open(self.path("speaker"), "w", encoding="ascii") as file:
            file.write(SPEAKER)
        os.chmod(self.path("speaker"), 0o755)
        self.fail_in_turn(["suite", "-q", "-w0", "-r1", "-e", "none", *DOCUMENTS, "./speaker", "./speaker"])

    def test_calls_of_services_may_fail(self):
        shutil.copy(shutil.which("sleep"), self.path("waiter"))
        for name, text in (("server", "echo up\nexec ./waiter 1000\n"), ("load", "echo v 5\n")):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(self.path(name), 0o755)
        self.MOST = min(self.MOST, 30)
        session = ["-q", "-w0", "-r1", "--ready=up", "--timeout=2s"]
        documents = [word.replace("wall_time", "time_to_ready") for word in DOCUMENTS]
        self.fail_in_turn([*session, *documents, "./server", "./server x"])
        self.fail_in_turn([*session, *DOCUMENTS, "--service-warmup=0s", "--service=a:./server", "--service=b:./server x", "--read",
                           "value=v ([0-9]+)", "--load", "read", "./load"])

    def test_calls_of_why_may_fail(self):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        self.FAULTS = {name: self.FAULTS[name] for name in ("clone", "vfork", "openat", "pipe2", "write")}
        self.MOST = min(self.MOST, 40)
        self.fail_in_turn(["why", "-q", "-w0", "-r1", "--sampled=100ms", *DOCUMENTS, EMPTY, EMPTY + " 1"])

    def test_calls_of_merge_may_fail(self):
        for job in ("1/2", "2/2"):
            done = self.run_command([LAUKA, "-q", "-w0", "-r2", "--session=s", f"--job={job}", f"--json={job[0]}.json", EMPTY,
                                     EMPTY + " 1"])
            self.assertEqual(done.returncode, 0, done.stderr)
        self.fail_in_turn(["merge", "-q", "1.json", "2.json", *DOCUMENTS])
