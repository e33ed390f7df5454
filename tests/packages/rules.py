"""What prevents a release by mistake: the changelog, the check list, and the signature."""
import os
import shutil
import subprocess
import tempfile
import unittest

import changelog
import check
import dist
from place import HOUSE, needed

GOOD = "# Changelog\n\n## 1.2.3 (2026-11-23)\n\n- something\n\n## 1.2.2 (2026-01-01)\n- older\n"


class Changelog(unittest.TestCase):
    def test_the_first_section_is_the_versions(self):
        self.assertEqual(changelog.section(GOOD, "1.2.3"), ("2026-11-23", "- something"))
        self.assertEqual(changelog.section(GOOD.replace("2026-11-23", "unreleased"), "1.2.3")[0], "unreleased")

    def test_others_are_refused(self):
        for text, version in ((GOOD, "1.2.4"), (GOOD, "1.2.2"), (GOOD.replace("- something", ""), "1.2.3"), ("", "1.2.3"),
                              (GOOD.replace(" (2026-11-23)", ""), "1.2.3"), ("## Unreleased\n- x\n" + GOOD, "1.2.3")):
            with self.assertRaises(changelog.Wrong, msg=(text, version)):
                changelog.section(text, version)

    def test_time_is_the_sections(self):
        self.assertEqual(changelog.epoch("1970-01-02"), 86400)
        self.assertEqual(changelog.epoch("unreleased"), changelog.UNRELEASED)


class CheckList(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lauka-release.")
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(f"{self.folder}/build")
        self.write("build.zig.zon", '.version = "1.2.3",\n.minimum_zig_version = "0.16.0",\n')
        self.write("build/compile.zig", 'musl_version = "1.2.5"')
        self.write("CHANGELOG.md", GOOD)
        self.git("init", "-q")
        self.commit()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@invalid", "-C", self.folder, *arguments], check=True,
                       env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"})

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "all")

    def complaints(self, tag="v1.2.3"):
        return list(check.complaints(self.folder, tag))

    def test_all_that_fits_is_released(self):
        self.assertEqual(self.complaints(), [])

    def test_another_tag_an_open_section_a_new_zig_and_a_changed_checkout_are_not(self):
        self.assertIn("the tag must be v1.2.3", self.complaints("v1.2.4")[0])
        self.write("CHANGELOG.md", GOOD.replace("2026-11-23", "unreleased"))
        self.write("build.zig.zon", '.version = "1.2.3",\n.minimum_zig_version = "0.17.0",\n')
        told = self.complaints()
        self.assertEqual(len(told), 3, told)
        for line, words in zip(told, ("write the date", "for Zig 0.17.0: look it up", "differs from the commit")):
            self.assertIn(words, line)

    def test_the_checkout_itself_fits_but_for_the_date(self):
        with open(os.path.join(HOUSE, "build.zig.zon")) as file:
            version = file.read().split('.version = "')[1].split('"')[0]
        told = [line for line in check.complaints(HOUSE, f"v{version}") if not line.startswith("the checkout")]
        self.assertLessEqual(len(told), 1, told)
        self.assertTrue(all("write the date" in line for line in told), told)


class Signature(unittest.TestCase):
    def test_sums_are_signed_where_a_key_is_given(self):
        with tempfile.TemporaryDirectory() as folder:
            public, secret, sums = (os.path.join(folder, name) for name in ("public", "secret", dist.SUMS))
            subprocess.run([needed("minisign"), "-G", "-W", "-p", public, "-s", secret], check=True, stdout=subprocess.DEVNULL)
            with open(sums, "w") as file:
                file.write("0  lauka\n")
            dist.sign(folder, secret)
            verify = ["minisign", "-V", "-q", "-p", public, "-m", sums]
            self.assertEqual(subprocess.run(verify).returncode, 0)
            with open(sums, "a") as file:
                file.write("1  another\n")
            self.assertNotEqual(subprocess.run(verify, stderr=subprocess.DEVNULL).returncode, 0)

    def test_no_key_is_in_the_repository(self):
        done = subprocess.run(["grep", "-rlE", "minisign encrypted secret key|BEGIN [A-Z ]*PRIVATE KEY", "--include=*", "--exclude-dir=.git",
                               "--exclude-dir=.zig-cache", "--exclude-dir=zig-out", "--exclude-dir=packages", HOUSE], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout, "")
