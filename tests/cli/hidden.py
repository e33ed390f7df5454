"""A /proc that hides processes, as machines with many users have it (proc(5), hidepid). run.py runs these tests."""
import os
import shutil
import subprocess
import unittest

import run
from run import InScratch

MOUNT = ["unshare", "--pid", "--mount", "--fork", "--kill-child", "sh", "-c", 'mount -t proc -o hidepid=2 proc /proc && exec "$@"', "sh"]
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def can_hide():
    return os.geteuid() == 0 and shutil.which("setpriv") and \
        subprocess.run([*MOUNT, "true"], stderr=subprocess.DEVNULL).returncode == 0


@unittest.skipUnless(can_hide(), "only root can mount a /proc that hides processes")
class Hidden(InScratch):
    """Process 1 is root's; lauka runs as nobody, in a /proc of their own."""

    def as_nobody(self, script, *words):
        """Runs the script, where $0 is lauka. Its user may not be able to enter lauka's folder, but to open what is open."""
        os.chmod(self.folder, 0o755)
        with open(run.LAUKA, "rb") as file:
            words = [*MOUNT, "sh", "-c", '"$@"; exit $?', "root", *NOBODY, "sh", "-c", script,
                     f"/proc/self/fd/{file.fileno()}", *words]
            done = subprocess.run(words, pass_fds=[file.fileno()], cwd=self.folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def test_a_process_that_is_not_shown_is_not_said_to_be_missing(self):
        self.assertEqual(self.as_nobody('"$0" threads 1'), (2, "", (
            "lauka: there is no process 1, or this user may not see it (hidepid); run lauka as that process's user or "
            "as root\n")))
        self.assertEqual(self.as_nobody('"$0" threads 99999'), (2, "", "lauka: there is no process 99999\n"))

    def test_what_is_left_behind_is_ended_also_if_it_is_not_shown(self):
        """The kernel hides a process from its own user while it executes what this may not read."""
        shutil.copy(shutil.which("sleep"), self.path("sleep"))
        os.chmod(self.path("sleep"), 0o711)
        script = ('"$0" --no-config -w0 -r2 --full "sh -c \'./sleep 50 & exit 0\'"; '
                  "for n in 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ $n = $$ ] || ! kill -0 $n || echo $n lives; done 2>/dev/null; :")
        code, told, said = self.as_nobody(script)
        self.assertEqual((code, said), (0, ""))
        self.assertIn("left processes behind in 2 runs (2 in all)", " ".join(told.split()))
        self.assertEqual([line for line in told.splitlines() if line.endswith(" lives")], [])
