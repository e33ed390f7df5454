"""What lauka is started in: small stacks, blocked signals, a /proc that is missing or hides processes, refused calls."""
import os
import resource
import shutil
import signal
import subprocess
import sys
import unittest

import run
import shared
from run import InScratch
from workers import once

# Stops lauka's child, the launcher, just before lauka would be told of it.
STOPS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    static int (*own)(int, const struct sigaction *, struct sigaction *), done;
    char path[80];
    int child = 0;

    if (!own)
        *(void **)&own = dlsym(RTLD_NEXT, "sigaction");
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    FILE *file = number == SIGCHLD && action && action->sa_handler != SIG_DFL && !done++ ? fopen(path, "r") : NULL;
    if (file && fscanf(file, "%d", &child) == 1 && child > 1) {
        kill(child, SIGSTOP);
        usleep(50000);
        fputs("stopped\n", stderr);
    }
    if (file)
        fclose(file);
    return own(number, action, old);
}
"""

# Leaves a process that other users, and processes without rights, know nothing of.
HIDES = r"""
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void)
{
    int ready[2];
    char byte;

    if (pipe(ready) != 0)
        return 1;
    if (fork() == 0) {
        setsid();
        prctl(PR_SET_DUMPABLE, 0);
        signal(SIGTERM, SIG_IGN);
        for (int file = 0; file < 3; file++)
            close(file);
        (void)!write(ready[1], "", 1);
        close(ready[1]);
        sleep(600);
        return 0;
    }
    return read(ready[0], &byte, 1) != 1;
}
"""


@once("it depends on the system alone")
@unittest.skipUnless(sys.platform == "linux", "the launcher is another one")
class StoppedLauncher(InScratch):
    def run_it(self, *words, **keywords):
        return subprocess.run([run.LAUKA, "--no-config", "-q", "-r2", *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=30, **keywords)

    def test_it_goes_on_after_a_stop_where_the_caller_blocks_SIGCHLD(self):
        stops = self.script("stops", "#!/bin/sh\nkill -STOP $PPID\nsleep 0.1\n")
        done = self.run_it(stops, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD]))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("was stopped meanwhile", done.stderr)

    def test_it_goes_on_after_a_stop_before_anybody_is_told(self):
        if not shared.compiler() or not os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
            self.skipTest("no C compiler is installed, or this kernel lists no children")
        library = shared.compiled(STOPS, "-shared", "-fPIC", "-ldl")
        done = self.run_it("true", env={**os.environ, "LD_PRELOAD": library})
        if "stopped" not in done.stderr:
            self.skipTest("nothing can be loaded into this program")
        self.assertEqual((done.returncode, done.stderr), (0, "stopped\n"))


@unittest.skipUnless(sys.platform == "linux", "elsewhere nothing is found by /proc")
class HiddenProcesses(InScratch):
    """What commands leave behind, in namespaces of its own."""

    def left_by(self, command, before, *around, program=None):
        """What lauka says of it; `before` is done by root of the namespaces, `around` comes in front of lauka."""
        apart = ["unshare", *(["--user", "--map-root-user"] if os.geteuid() else []), "--fork", "--pid", "--kill-child",
                 "--mount", "--mount-proc"]
        done = subprocess.run([*apart, "sh", "-c", f'{before} || exit 99; "$@"', "sh", *around, program or run.LAUKA,
                               "--no-config", "--full", "-r2", "-w0", command],
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        if done.returncode in (1, 99, 127) and "lauka" not in done.stderr:
            self.skipTest("namespaces cannot be made here: " + done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return " ".join(done.stdout.split())

    def test_they_are_ended_without_proc(self):
        self.script("leaves", "#!/bin/sh\n(trap '' TERM; setsid sleep 600 >/dev/null 2>&1 & sleep 600 >/dev/null 2>&1 &)\n")
        told = self.left_by("./leaves", "while umount -l /proc 2>/dev/null; do :; done; [ ! -e /proc/self ]")
        self.assertIn("`./leaves` left processes behind in 2 runs (4 in all): they were ended", told)

    def test_they_are_ended_by_their_own_numbers_where_proc_has_those_of_others(self):
        self.script("leaves", "#!/bin/sh\n(trap '' TERM; setsid sleep 600 >/dev/null 2>&1 &)\n")
        told = self.left_by("./leaves", "umount -l /proc && [ -e /proc/self ]")
        self.assertIn("`./leaves` left processes behind in 2 runs (2 in all): they were ended", told)
        self.assertNotIn("its main thread waited", told)

    def test_they_are_ended_where_proc_hides_them(self):
        if not shared.compiler() or os.geteuid() != 0:
            self.skipTest("it takes root and a C compiler")
        os.chmod(self.folder, 0o755)
        shutil.copy(shared.compiled(HIDES), self.path("hides"))
        program = self.path("lauka")
        shutil.copy(run.LAUKA, program)
        told = self.left_by("./hides", "mount -o remount,hidepid=2 /proc", "setpriv", "--reuid=65534", "--regid=65534",
                            "--clear-groups", program=program)
        self.assertIn("`./hides` left processes behind in 2 runs (2 in all): they were ended", told)


@once("sanitizers and valgrind have stacks of their own")
class SmallStacks(InScratch):
    def limited(self, kibibytes, *words):
        size = kibibytes * 1024
        return subprocess.run([run.LAUKA, *words], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={"PATH": os.environ["PATH"], "HOME": self.folder},
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (size, size)))

    def test_sixty_four_KiB_are_enough(self):
        effects = ["--backend=simulated:effects", "--seed=1", "--no-config", "-r30", "old cost=10ms", "new cost=11ms"]
        words = [["--no-config", "-r3", "--json=run.json", "true"],
                 [*effects, "--json=a.json", "--html=a.html", "--markdown=a.md"],
                 [*effects, "--json=b.json", "--gate=wall_time=50%", "--junit=b.xml"], [*effects, "--order=sequential", "--csv=c.csv"],
                 ["compare", "a.json", "b.json", "--html=c.html"], ["gate", "a.json", "--gate=wall_time=50%"],
                 ["report", "a.json", "--full"], ["list"], ["help", "all"]]
        for each in words:
            done = self.limited(64, *each)
            self.assertEqual((done.returncode, done.stderr.count("stack")), (0, 0), (each, done.stderr))

    def test_less_is_named(self):
        for kibibytes in (16, 32):
            done = self.limited(kibibytes, "--no-config", "-r3", "true")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertIn(f"the limit of the stack is {kibibytes} KiB, and lauka needs ", done.stderr)


@once("what is refused is the system's")
class RefusedCalls(InScratch):
    """The error is that of the call, whoever made it."""

    def refused(self, call, *words):
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error=EPERM",
                               run.LAUKA, "--no-config", "-q", "-r2", *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        if "ptrace" in done.stderr:
            self.skipTest("strace may not trace here")
        return done

    def test_copies_of_descriptors(self):
        for words in (["true"], ["--output=inherit", "true"], ["--output=./file", "true"]):
            done = self.refused("dup2", *words)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("could not be opened", done.stderr)
            self.assertIn(": Operation not permitted", done.stderr)

    def test_settings_of_descriptors(self):
        done = self.refused("fcntl", "true")
        self.assertEqual((done.returncode, done.stderr), (1, "lauka: cannot set up the launcher: Operation not permitted\n"))
