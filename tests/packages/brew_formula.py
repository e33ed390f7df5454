"""Runs Homebrew's formula in Ruby, with the part of Homebrew that it uses (brew.rb): for each system,
and tested on this one."""
import os
import shutil
import subprocess

import place
from contents import BASH, FISH, MANUALS, SYSTEMS, ZSH
from place import HERE, InRoot, dist, files_of

NAMES = {"linux": "linux", "darwin": "macos", "x64": "intel", "arm64": "arm"}
PLACES = {"bin": "bin", MANUALS: "share/man/man1", os.path.dirname(BASH): "etc/bash_completion.d", os.path.dirname(ZSH): "share/zsh/site-functions",
          os.path.dirname(FISH): "share/fish/vendor_completions.d"}


class Formula(InRoot):
    def setUp(self):
        super().setUp()
        self.ruby = shutil.which("ruby")
        if not self.ruby:
            self.skipTest("ruby is not installed; the formula is checked by its form only")

    def brew(self, system, code=0):
        """Installs a system's program into prefix/; returns what the formula says about itself, which is
        printed last."""
        shutil.copy(dist(f"lauka-{self.version}-{system.name}.tar.gz"), self.folder)
        return self.run_offline(self.ruby, os.path.join(place.HOUSE, "tests/packages/brew.rb"), dist("lauka.rb"),
                                NAMES[system.npm[0]], NAMES[system.npm[1]], self.folder, code=code,
                                env={"RUN": "1" if system is HERE else ""}).splitlines()[-4:]

    def test_it_is_ruby(self):
        self.assertEqual(self.run_offline(self.ruby, "-wc", dist("lauka.rb")), "Syntax OK\n")

    def test_every_file_of_the_tarball_is_installed(self):
        for system in SYSTEMS:
            if not os.path.exists(dist(f"lauka-{self.version}-{system.name}.tar.gz")):
                continue
            address, version, description, licence = self.brew(system)
            self.assertEqual((version, address.startswith("https://")), (self.version, True))
            self.assertLess(int(description), 100)
            self.assertIn("MIT", licence)
            moved = set()
            for path in files_of(self.path("unpacked")):
                if os.path.isfile(self.path("unpacked", path)):
                    folder, name = os.path.split(path)
                    moved.add(os.path.join(PLACES.get(folder, folder), name))
            installed = {path for path in files_of(self.path("prefix")) if os.path.isfile(self.path("prefix", path))}
            self.assertEqual(installed, moved)
            if system is HERE:
                self.expect_to_compare(self.path("prefix/bin/lauka"))
            for name in ("prefix", "unpacked"):
                shutil.rmtree(self.path(name))

    def test_another_tarball_is_refused(self):
        name = f"lauka-{self.version}-{HERE.name}.tar.gz"
        shutil.copy(dist(name), self.folder)
        with open(self.path(name), "ab") as file:
            file.write(b"x")
        done = subprocess.run([self.ruby, os.path.join(place.HOUSE, "tests/packages/brew.rb"), dist("lauka.rb"), NAMES[HERE.npm[0]],
                               NAMES[HERE.npm[1]], self.folder], capture_output=True, text=True)
        self.assertEqual((done.returncode, os.path.exists(self.path("prefix"))), (1, False))
        self.assertIn("another SHA-256", done.stderr)
