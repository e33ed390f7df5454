"""The same sources make the same packages, also in another folder, with another umask and clock."""
import os
import shutil
import subprocess
import tempfile
import unittest

import place

# One program of each format and one library, to save time in CI; LAUKA_TWICE= (empty) makes all of them.
ONLY = os.environ.get("LAUKA_TWICE", "x86_64-linux,aarch64-macos")
LEFT_OUT = shutil.ignore_patterns(".zig-cache", "zig-out", "__pycache__")


class Twice(unittest.TestCase):
    def test_another_folder_umask_and_time_zone_make_the_same_sums(self):
        with tempfile.TemporaryDirectory(prefix="another place ") as folder:
            copy = os.path.join(folder, "a", "longer", "path")
            shutil.copytree(place.HOUSE, copy, ignore=LEFT_OUT, symlinks=True)
            environment = {**os.environ, "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "USER": "somebody", "LOGNAME": "somebody"}
            environment.pop("SOURCE_DATE_EPOCH", None)
            done = subprocess.run(["sh", "-c", 'umask 077 && exec ./zigw build dist --prefix "$1" -Ddist-only="$2"', "sh", f"{folder}/out", ONLY], cwd=copy,
                                  env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(place.dist("SHA256SUMS")) as ours, open(f"{folder}/out/dist/SHA256SUMS") as theirs:
                differ = sorted(set(theirs) - set(ours))
            # The formula contains the sums of all tarballs.
            self.assertEqual([line for line in differ if ONLY == "" or not line.endswith("  lauka.rb\n")], [])
            made = os.listdir(f"{folder}/out/dist")
            self.assertGreater(len(made), 12)
