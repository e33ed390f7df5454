"""Packages for this machine are installed, used and removed."""
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

import place
from contents import BASH, FISH, MAN, ZSH
from place import HERE, InRoot, dist, files_of, needed

PROGRAM = """
#include <lauka_bench.h>
#include <lauka_report.h>
int main(void)
{
    struct lauka_hdr *histogram = lauka_hdr_new(3, 0, 0);
    char *text = NULL;
    if (!histogram || lauka_hdr_record(histogram, 42) != 1 || lauka_hdr_encode_base64(histogram, &text) != 0)
        return 1;
    lauka_hdr_free(histogram);
    free(text);
    return puts("recorded") < 0;
}
"""


class Tarball(InRoot):
    def setUp(self):
        super().setUp()
        self.name = f"lauka-{self.version}-{HERE.name}"
        shutil.copy(dist(f"{self.name}.tar.gz"), self.folder)
        shutil.copy(dist("SHA256SUMS"), self.folder)

    def test_a_flipped_byte_is_refused_by_the_checksum(self):
        check = ("sha256sum", "-c", "--ignore-missing", "SHA256SUMS")
        self.assertIn(f"{self.name}.tar.gz: OK", self.run_offline(*check, cwd=self.folder))
        with open(self.path(f"{self.name}.tar.gz"), "r+b") as file:
            file.seek(5000)
            byte = file.read(1)[0]
            file.seek(5000)
            file.write(bytes([byte ^ 1]))
        self.assertIn(f"{self.name}.tar.gz: FAILED", self.run_offline(*check, code=1, cwd=self.folder))

    def test_it_works_where_it_is_unpacked(self):
        self.run_offline("tar", "-xzf", f"{self.name}.tar.gz", cwd=self.folder)
        top = self.path(self.name)
        self.expect_to_compare(f"{top}/bin/lauka")
        self.expect_manual(f"{top}/{MAN}")
        self.expect_completion(f"{top}/{BASH}", f"{top}/{ZSH}", f"{top}/{FISH}")
        for licence in ("LICENSE", "NOTICE", "LICENSE.libcsv", "LICENSE.cJSON", "LICENSE.zlib", "LICENSE.musl"):
            self.assertTrue(os.path.getsize(f"{top}/share/doc/lauka/{licence}"), licence)
        for schema in ("result", "answer", "history"):
            with open(f"{top}/share/lauka/schema/lauka-{schema}.schema.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file)["$id"], f"lauka-{schema}.schema.json")

    def test_the_pages_that_the_readme_names_are_there(self):
        self.run_offline("tar", "-xzf", f"{self.name}.tar.gz", cwd=self.folder)
        below = self.path(f"{self.name}/share/doc/lauka")
        with open(f"{below}/README.md", encoding="utf-8") as file:
            pages = re.findall(r"\]\((docs/[^)#]+)", file.read())
        self.assertGreater(len(pages), 20)
        self.assertEqual([page for page in pages if not os.path.exists(f"{below}/{page}")], [])

    def test_the_program_runs_in_an_empty_root(self):
        os.mkdir(self.path("empty"))
        with tarfile.open(self.path(f"{self.name}.tar.gz")) as archive:
            with open(self.path("empty/lauka"), "wb") as file:
                shutil.copyfileobj(archive.extractfile(f"{self.name}/bin/lauka"), file)
        os.chmod(self.path("empty/lauka"), 0o755)
        inside = ("chroot", self.path("empty"), "/lauka")
        self.assertIn(f"lauka {self.version}\n", self.run_offline(*inside, "--version"))
        # This root has no /dev/null.
        done = subprocess.run([*inside, "--no-config", "-r", "3", "/lauka --version"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertEqual(done.stderr, "lauka: /lauka --version: its standard input could not be opened (the file of --input, otherwise "
                         "/dev/null): No such file or directory in warm-up round 1\n")
        text = self.run_offline(*inside, "--no-config", "-q", "-r", "3", "--json",
                                "--input=/lauka", "--output=/out", "/lauka --version", "/lauka --help")
        self.assertEqual([len(result["times"]) for result in json.loads(text)["results"]], [3, 3])


class Debian(InRoot):
    def dpkg(self, *arguments):
        return self.run_offline(needed("dpkg"), f"--root={self.path('root')}", "--log=/dev/null", *arguments)

    def setUp(self):
        super().setUp()
        for folder in ("info", "updates", "triggers"):
            os.makedirs(self.path("root/var/lib/dpkg", folder))
        for name in ("status", "available"):
            open(self.path("root/var/lib/dpkg", name), "w").close()

    def files(self):
        return files_of(self.path("root"), but=("var",))

    def test_lauka_is_installed_used_and_removed(self):
        before = self.files()
        self.dpkg("-i", dist(f"lauka_{self.version}_{HERE.deb}.deb"))
        usr = self.path("root/usr")
        self.expect_to_compare(f"{usr}/bin/lauka")
        self.expect_manual(f"{usr}/{MAN}.gz")
        self.expect_completion(f"{usr}/{BASH}", f"{usr}/share/zsh/vendor-completions/_lauka", f"{usr}/{FISH}")
        self.assertIn(self.version, self.dpkg("-s", "lauka"))
        self.dpkg("-P", "lauka")
        self.assertEqual(self.files(), before)

    def test_a_program_is_compiled_with_the_library(self):
        before = self.files()
        self.dpkg("-i", "--force-depends", dist(f"liblauka-dev_{self.version}_{HERE.deb}.deb"))
        self.expect_library(f"usr/lib/{HERE.library}")
        self.dpkg("-P", "liblauka-dev")
        self.assertEqual(self.files(), before)

    def expect_library(self, folder):
        """pkg-config finds everything that a program needs, with either form of the library."""
        root = self.path("root")
        with open(self.path("program.c"), "w") as file:
            file.write(PROGRAM)
        compiler = shutil.which("cc") or needed("clang")
        for form in (["--static"], []):
            flags = subprocess.run([needed("pkg-config"), "--cflags", "--libs", *form, "lauka"], stdout=subprocess.PIPE, text=True, check=True, env={
                **os.environ, "PKG_CONFIG_PATH": f"{root}/{folder}/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": root}).stdout.split()
            if form:  # the file itself, because the linker prefers the other form
                flags = [f"{root}/{folder}/liblauka.a" if flag == "-llauka" else flag for flag in flags]
            self.run_offline(compiler, "-o", self.path("program"), self.path("program.c"), *flags)
            environment = {"LD_LIBRARY_PATH": f"{root}/{folder}"}
            self.assertEqual(self.run_offline(self.path("program"), env={} if form else environment), "recorded\n")
        needs = self.run_offline("readelf", "-d", f"{root}/{folder}/liblauka.so")
        self.assertLessEqual(set(re.findall(r"NEEDED.*\[(.*)\]", needs)),
                             {"libc.so.6", "libm.so.6", "libpthread.so.0", f"ld-linux-{HERE.rpm.replace('_', '-')}.so.2", "ld-linux-aarch64.so.1"})


class Rpm(Debian):
    def rpm(self, *arguments):
        return self.run_offline(needed("rpm"), "--root", self.path("root"), "--dbpath", "/var/lib/rpm", "--noplugins", *arguments)

    def setUp(self):
        InRoot.setUp(self)
        os.makedirs(self.path("root"))
        self.rpm("--initdb")

    def test_lauka_is_installed_used_and_removed(self):
        before = self.files()
        self.rpm("-i", dist(f"lauka-{self.version}-1.{HERE.rpm}.rpm"))
        usr = self.path("root/usr")
        self.expect_to_compare(f"{usr}/bin/lauka")
        self.expect_manual(f"{usr}/{MAN}.gz")
        self.expect_completion(f"{usr}/{BASH}", f"{usr}/{ZSH}", f"{usr}/{FISH}")
        self.assertEqual(self.rpm("-V", "lauka"), "")
        self.rpm("-e", "lauka")
        self.expect_trace_of_usr(before)

    def test_a_program_is_compiled_with_the_library(self):
        before = self.files()
        self.rpm("-i", "--nodeps", dist(f"lauka-devel-{self.version}-1.{HERE.rpm}.rpm"))
        self.expect_library("usr/lib64")
        self.rpm("-e", "lauka-devel")
        self.expect_trace_of_usr(before)

    def expect_trace_of_usr(self, before):
        """In an empty root, only the system's own folders may remain, because no package owns them."""
        import rpm
        self.assertLessEqual(self.files() - before, rpm.SHARED)


class Pip(InRoot):
    def test_lauka_is_installed_used_and_removed(self):
        venv = self.path("venv")
        self.run_offline(sys.executable, "-m", "venv", venv)
        before = files_of(venv)
        pip = (f"{venv}/bin/python3", "-m", "pip", "--disable-pip-version-check", "--no-cache-dir")
        self.run_offline(*pip, "install", "--no-index", "--find-links", place.DIST, "lauka")
        self.expect_to_compare(f"{venv}/bin/lauka")
        self.expect_manual(f"{venv}/{MAN}")
        self.expect_completion(f"{venv}/{BASH}", f"{venv}/{ZSH}", f"{venv}/{FISH}")
        self.assertIn(f"Version: {self.version}", self.run_offline(*pip, "show", "lauka"))
        with open(f"{venv}/bin/lauka", "rb") as file:
            self.assertEqual(file.read(4), b"\x7fELF")  # it is not a Python script
        self.run_offline(*pip, "uninstall", "-y", "lauka")
        # pip leaves empty folders that it made.
        self.assertEqual({path for path in files_of(venv) - before if not os.path.isdir(os.path.join(venv, path))}, set())


class Npm(InRoot):
    def npm(self, *arguments, **keywords):
        return self.run_offline(needed("npm"), *arguments, "--offline", "--no-audit", "--no-fund", "--no-update-notifier",
                                **keywords)

    def packages(self):
        return [dist(f"lauka-{'-'.join(HERE.npm)}-{self.version}.tgz"), dist(f"lauka-{self.version}.tgz")]

    def test_lauka_is_installed_used_and_removed(self):
        prefix = self.path("prefix")
        self.npm("install", "--global", "--prefix", prefix, *self.packages())
        self.expect_to_compare(f"{prefix}/bin/lauka")
        self.expect_manual(f"{prefix}/{MAN}")
        inside = f"{prefix}/lib/node_modules/lauka"
        self.expect_completion(*(f"{inside}/completions/{name}" for name in ("lauka.bash", "_lauka", "lauka.fish")))
        self.npm("uninstall", "--global", "--prefix", prefix, "lauka", f"@lauka/{'-'.join(HERE.npm)}")
        self.assertEqual({path for path in files_of(prefix) if not os.path.isdir(os.path.join(prefix, path))}, set())

    def test_a_project_has_it_as_a_dependency(self):
        project = self.path("project")
        os.mkdir(project)
        with open(f"{project}/package.json", "w") as file:
            file.write('{"name": "project", "version": "1.0.0", "private": true}\n')
        self.npm("install", "--save-dev", *self.packages(), cwd=project)
        self.expect_to_compare(f"{project}/node_modules/.bin/lauka")
        told = self.run_offline(needed("npx"), "--offline", "lauka", "--version", cwd=project)
        self.assertIn(f"lauka {self.version}\n", told)

    def test_the_starter_says_what_is_missing(self):
        with tarfile.open(self.packages()[1]) as archive:
            with open(self.path("lauka"), "wb") as file:
                shutil.copyfileobj(archive.extractfile("package/bin/lauka"), file)
        done = subprocess.run(["sh", self.path("lauka")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"lauka: the npm package @lauka/{'-'.join(HERE.npm)} is missing; "
                         "install lauka again, with optional dependencies\n")
