"""lauka keep: a kept program runs again as it was, or is refused."""
import json
import os
import random
import shutil
import subprocess
import time
import unittest

import kills
import workers
from run import LAUKA, InScratch, lauka, result_of
from suite import SPEAKER


class Kept(InScratch):
    """A store of its own, and scripts that say in stdout who they are."""

    def setUp(self):
        super().setUp()
        self.environment = {"XDG_DATA_HOME": self.path("data")}
        self.store = self.path("data/lauka/kept")
        self.program("prog", "old")

    def program(self, name, says):
        return self.script(name, f"#!/bin/sh\necho {says} $0 \"$@\"\n")

    def keep(self, *words, code=0, **keywords):
        done = lauka("keep", *words, cwd=self.folder, env={**self.environment, **keywords.pop("env", {})}, **keywords)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def run_it(self, *words, code=0, **keywords):
        done = lauka("-r1", "-w0", "--order=sequential", "--full", *words, cwd=self.folder, env=self.environment, **keywords)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def refused(self, *words, code=2):
        done = self.keep(*words, code=code)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def names(self):
        folder = os.path.join(self.store, "names")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def objects(self):
        folder = os.path.join(self.store, "objects")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def file(self, name="base", path="prog"):
        return os.path.join(self.store, "objects", self.manifest(name)["object"], path)

    def manifest(self, name="base"):
        with open(os.path.join(self.store, "names", f"{name}.json"), encoding="utf-8") as file:
            return json.load(file)


class Keeping(Kept):
    def test_a_kept_program_runs_again_with_its_arguments(self):
        done = self.keep("base", "./prog", "--size", "10", "-r", "--", "a b")
        self.assertIn("base: ./prog --size 10 -r -- 'a b' (", done.stdout)
        self.program("prog", "new")
        done = self.run_it("--show-output", "@base", "./prog")
        self.assertRegex(done.stdout, r"(?m)^old /.*/prog --size 10 -r -- a b$")
        self.assertRegex(done.stdout, r"(?m)^new \./prog$")
        flat = " ".join(done.stdout.split())
        self.assertIn("note: @base: kept 20", flat)
        self.assertIn("`./prog` without any", flat)

    def test_a_command_may_be_one_word(self):
        self.keep("base", "./prog --size '1 0'")
        self.assertEqual(self.manifest()["argv"], ["./prog", "--size", "1 0"])

    def test_other_arguments_replace_those_that_were_kept(self):
        self.keep("base", "./prog", "kept")
        done = self.run_it("--show-output", "@base other 'a b'", "./prog")
        self.assertRegex(done.stdout, r"(?m)^old /.*/prog other a b$")
        self.assertNotIn("without any", done.stdout)
        done = self.run_it("--show-output", "--", "@base", "x y", "--vs", "./prog")
        self.assertRegex(done.stdout, r"(?m)^old /.*/prog x y$")

    @unittest.skipUnless(shutil.which("cc"), "there is no compiler")
    def test_the_first_argument_is_what_was_typed_and_the_layout_stays(self):
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("lib"))
        with open(self.path("p.c"), "w", encoding="utf-8") as file:
            file.write("#include <stdio.h>\nint old(void);\nint main(int c, char **v) { printf(\"%s %d\\n\", v[0], old()); }\n")
        for value in (1, 2):
            with open(self.path("l.c"), "w", encoding="utf-8") as file:
                file.write(f"int old(void) {{ return {value}; }}\n")
            subprocess.run(["cc", "-shared", "-fPIC", "-Wl,--build-id", "-o", self.path("lib/libold.so"), self.path("l.c")],
                           check=True)
            if value == 1:
                subprocess.run(["cc", "-o", self.path("bin/p"), self.path("p.c"), "-L", self.path("lib"), "-lold",
                                "-Wl,-rpath,$ORIGIN/../lib"], check=True)
                self.keep("--with", "lib", "base", "bin/p")
                self.keep("alone", "bin/p", code=0)
        done = self.run_it("--show-output", "@base", "bin/p")
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("bin/p ")][:2], ["bin/p 1", "bin/p 2"])
        self.assertFalse([build for build in self.manifest()["builds"] if "libold" in build])
        # Of what was not kept, builds are compared.
        self.assertEqual([build.split(" ", 1)[1] for build in self.manifest("alone")["builds"] if "libold" in build],
                         [self.path("bin/../lib/libold.so")])
        shutil.copytree(self.path("lib"), os.path.join(os.path.dirname(self.file("alone", "p")), "..", "lib"))
        done = self.run_it("@alone", "bin/p")
        self.assertIn("@alone runs with other builds than when it was kept", " ".join(done.stdout.split()))

    def test_an_interpreter_of_another_build_is_noted(self):
        shutil.copy("/bin/sh", self.path("sh"))
        self.script("prog", f"#!{self.path('sh')}\necho x\n")
        self.keep("base", "./prog")
        self.assertEqual([build.split(" ", 1)[1] for build in self.manifest()["builds"]], [self.path("sh")])
        self.assertNotIn("other builds", self.run_it("@base", "./prog").stdout)
        self.script("sh", "#!/bin/sh\nexec /bin/sh \"$@\"\n")
        self.assertIn("other builds than when it was kept", " ".join(self.run_it("@base", "./prog").stdout.split()))

    def test_it_is_in_the_result(self):
        self.keep("base", "./prog", "x")
        data = result_of("-r2", "@base", "./prog x", cwd=self.folder, env=self.environment)
        kept = data["results"][0]["kept"]
        self.assertEqual((kept["name"], kept["command"]), ("base", "./prog x"))
        self.assertRegex(kept["time"], r"^20\d\d-\d\d-\d\dT")
        self.assertNotIn("kept", data["results"][1])
        self.assertEqual(data["results"][0]["argv"], ["./prog", "x"])
        self.assertEqual(data["results"][1]["same"], True)

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_the_commit_is_kept(self):
        run = ["git", "-c", "user.name=a", "-c", "user.email=a@x", "-C", self.folder]
        subprocess.run([*run, "init", "-q"], check=True)
        subprocess.run([*run, "add", "prog"], check=True)
        subprocess.run([*run, "commit", "-q", "-m", "x"], check=True)
        commit = subprocess.run([*run, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        self.assertIn(f", from commit {commit[:7]})", self.keep("base", "./prog").stdout)
        self.program("prog", "newer")
        self.assertIn(f", from commit {commit[:7]} with changes)", self.keep("--replace", "base", "./prog").stdout)
        self.assertIn(f"from commit {commit[:7]} with changes: ./prog", " ".join(self.run_it("@base", "./prog").stdout.split()))
        self.assertIn(commit[:7], self.keep().stdout)

    def test_files_beside_it_are_kept_with_modes_times_and_links(self):
        os.makedirs(self.path("data.d/deep"))
        with open(self.path("data.d/deep/file"), "w", encoding="utf-8") as file:
            file.write("content")
        os.chmod(self.path("data.d/deep/file"), 0o640)
        os.utime(self.path("data.d/deep/file"), (1e9, 1e9))
        os.symlink("deep/file", self.path("data.d/near"))
        os.symlink("../prog", self.path("data.d/up"))
        self.script("far", "far")
        os.symlink(self.path("far"), self.path("data.d/far"))
        self.keep("--with", "data.d", "--with", "data.d/deep", "base", "./prog")
        tree = os.path.dirname(self.file())
        about = os.stat(os.path.join(tree, "data.d/deep/file"))
        self.assertEqual((about.st_mode & 0o7777, about.st_mtime), (0o640, 1e9))
        self.assertEqual(os.readlink(os.path.join(tree, "data.d/near")), "deep/file")
        self.assertEqual(os.readlink(os.path.join(tree, "data.d/up")), "../prog")
        self.assertFalse(os.path.islink(os.path.join(tree, "data.d/far")))
        self.assertEqual(len(self.manifest()["files"]), 5)
        self.run_it("@base", "./prog")

    def test_equal_programs_share_an_object_and_what_nobody_names_goes(self):
        self.keep("a", "./prog")
        self.keep("b", "./prog", "x")
        self.assertEqual(len(self.objects()), 1)
        self.program("prog", "new")
        self.keep("--replace", "a", "./prog")
        self.assertEqual(len(self.objects()), 2)
        self.keep("--drop", "b")
        self.assertEqual((self.names(), len(self.objects())), (["a.json"], 1))
        self.assertIn("nothing is kept in", (self.keep("--drop", "a"), self.keep())[1].stdout)
        self.assertEqual(self.objects(), [])

    def test_it_is_listed(self):
        self.keep("base", "./prog", "x\033[31m")
        self.keep("other", "./prog")
        lines = self.keep().stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["name", "base", "other"])
        self.assertNotIn("\033", "".join(lines))

    def test_a_store_of_ones_own(self):
        self.keep("--store", "here", "base", "./prog")
        self.assertEqual(os.listdir(self.path("here/names")), ["base.json"])
        self.run_it("--store=here", "@base", "./prog")
        self.run_it("@base", "./prog", code=2)
        self.keep("--store", "here", "--with", ".", "again", "./prog")  # the store itself is left out
        self.assertFalse([file for file in json.load(open(self.path("here/names/again.json"), encoding="utf-8"))["files"]
                          if "objects" in file])

    def test_it_is_a_side_wherever_commands_are(self):
        self.keep("base", "./prog")
        with open(self.path("options"), "w", encoding="utf-8") as file:
            file.write("[one]\n@base 1\n./prog 1\n[two]\n@base 2\n./prog 2\n")
        done = self.run_it("--config", "options", "--show-output")
        self.assertRegex(done.stdout, r"(?m)^old /.*/prog 2$")
        self.run_it("--reference", "@base", "./prog")
        done = self.run_it("-L", "n", "1,2", "--show-output", "@base {n}", "./prog {n}")
        self.assertRegex(done.stdout, r"(?m)^old /.*/prog 2$")
        done = lauka("noise", "-r2", "@base", cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_is_a_side_of_a_suite(self):
        self.script("bench", SPEAKER.replace("BODY", ""))
        self.keep("base", "./bench")
        done = lauka("suite", "-r2", "--adapter=lauka", "--json", "@base", "./bench", cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        for result in json.loads(done.stdout)["results"]:
            self.assertEqual(result.get("kept", {}).get("name"), None if result["command"] == "./bench" else "base")

    def test_a_simulated_session_has_no_kept_programs(self):
        done = lauka("--backend=simulated:effects", "-r20", "@old cost=10ms", "./new cost=11ms", env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)


class Refusals(Kept):
    def test_names(self):
        self.keep("base", "./prog")
        self.assertIn("@base is taken: --replace replaces it, --drop base forgets it", self.refused("base", "./prog"))
        self.assertIn("if it stands before the program", self.refused("base", "./prog", "--replace"))
        for name in ("", ".x", "-x", "a/b", "..", "x" * 65, "a b", "é", "x\n", "@x"):
            self.keep("--", name, "./prog", code=2) if name.startswith("-") else self.keep(name, "./prog", code=2)
        self.assertIn("did you mean @base?", self.refused("--drop", "bese"))
        self.assertIn("did you mean @base?", self.run_it("@bass", "./prog", code=2).stderr)
        self.assertIn("no kept program is called zzzzzz; lauka keep lists them",
                      self.run_it("@zzzzzz", "./prog", code=2).stderr)
        self.assertEqual(self.names(), ["base.json"])

    def test_what_cannot_be_kept(self):
        for words, advice in ((("./prog | wc",), "./script.sh"), (("sh", "-c", "x"), "./script.sh"),
                              (("python3", "-m", "x"), "--with FOLDER"), (("docker", "run", "x"), "lauka revisions"),
                              (("env", "A=1", "./prog"), "./prog"), (("/usr/bin/make", "x"), "lauka revisions")):
            self.assertIn(advice, self.refused("base", *words))
        self.refused("base", "./nothing", code=5)
        self.refused("base")
        self.refused("--drop", "base", "base", "./prog")
        self.refused("--with", "nothing", "base", "./prog")
        self.refused("--store", "s", "--gate", "wall_time=1%")
        os.mkfifo(self.path("fifo"))
        self.assertIn("is no file, folder or link", self.refused("--with", "fifo", "base", "./prog"))
        os.symlink("nowhere", self.path("dangling"))
        os.makedirs(self.path("d"))
        os.rename(self.path("dangling"), self.path("d/dangling"))
        self.assertIn("is a link", self.refused("--with", "d", "base", "./prog"))
        self.assertEqual((self.names(), self.objects()), ([], []))
        os.chmod(self.path("prog"), 0o4755)
        self.assertIn("set-uid", self.refused("base", "./prog"))
        self.assertEqual(sorted(os.listdir(self.store)), ["lock", "names", "objects"])

    def test_files_of_others_in_the_store_stay(self):
        """The folder may have been a project's, or filled by somebody else."""
        for name in ("here/new/file", "here/objects/a.o", "here/objects/deep/file", "victim"):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(name)
        os.symlink(self.path("victim"), self.path("here/.lauka-draft.json"))
        os.symlink(self.path("here/new"), self.path("here/.lauka-draft"))
        for number in range(2):
            self.keep("--store=here", "--replace", "base", "./prog", str(number))
        self.keep("--store=here", "--drop", "base")
        for name in ("here/new/file", "here/objects/a.o", "here/objects/deep/file", "victim"):
            with open(self.path(name), encoding="utf-8") as file:
                self.assertEqual(file.read(), name)
        self.assertEqual(sorted(os.listdir(self.path("here"))), ["lock", "names", "new", "objects"])

    def test_a_program_in_the_store_itself(self):
        self.assertIn("is in the store itself", self.refused("--store=.", "base", "./prog"))
        self.keep("base", "./prog")
        self.assertIn("is in the store itself", self.refused("other", self.file()))

    def test_odd_kinds_of_files(self):
        self.keep("base", "./prog")
        names = os.path.join(self.store, "names")
        os.mkfifo(os.path.join(names, "fifo.json"))
        os.mkdir(os.path.join(names, "folder.json"))
        os.symlink("nowhere", os.path.join(names, "link.json"))
        os.symlink("/dev/zero", os.path.join(names, "zero.json"))
        self.assertEqual(self.keep().stdout.count("damaged"), 4)
        for name in ("fifo", "folder", "zero"):
            self.assertIn("it is no plain file", self.run_it(f"@{name}", code=6).stderr)
        self.keep("--drop", "fifo")
        self.assertEqual(self.refused("--replace", "folder", "./prog", code=6).count("Is a directory"), 1)
        self.run_it("@base", "./prog")

    def test_where_it_cannot_be_a_side(self):
        self.keep("base", "./prog")
        self.assertIn("without a shell: leave out -S", self.run_it("-S", "@base", "./prog", code=2).stderr)
        self.assertIn("--layouts", self.run_it("--layouts=2", "--link=true", "@base", "./prog", code=2).stderr)

    def test_damage_is_one_line(self):
        def damaged():
            done = self.run_it("@base", "./prog", code=5)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            return done.stderr

        self.keep("base", "./prog")
        with open(self.file(), "r+", encoding="utf-8") as file:
            file.write("#!/bin/xx")
        self.assertIn("has changed since it was kept: keep it again with --replace", damaged())
        self.keep("--replace", "base", "./prog")  # heals it
        self.run_it("@base", "./prog")
        os.chmod(self.file(), 0o700)
        self.assertIn("has changed since it was kept", damaged())
        os.unlink(self.file())
        self.assertIn("is missing", damaged())
        path = os.path.join(self.store, "names", "base.json")
        whole = self.manifest()
        for text in ("", "{", "[]", "null", "[" * 100000, json.dumps({**whole, "format": "lauka-kept/9"}),
                     json.dumps({**whole, "object": "../x"}), json.dumps({**whole, "program": "/bin/sh"}),
                     json.dumps({**whole, "files": [whole["files"][0].replace(" prog", " ../../prog")]}),
                     json.dumps({**whole, "files": []}), json.dumps({**whole, "files": ["prog"]}),
                     json.dumps({**whole, "argv": []}), json.dumps({**whole, "argv": None}), "\0" * 100):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertIn("@base is damaged, or another version of lauka kept it", damaged())
        self.assertIn("damaged", self.keep().stdout)
        self.keep("other", "./prog", "x")  # what the damaged one may need stays
        self.keep("--drop", "base")
        self.assertEqual(self.names(), ["other.json"])

    def test_random_damage(self):
        self.keep("base", "./prog")
        path = os.path.join(self.store, "names", "base.json")
        with open(path, "rb") as file:
            whole = file.read()
        luck = random.Random(7)
        for _ in range(60):
            text = bytearray(whole)
            for _ in range(luck.randint(1, 3)):
                text[luck.randrange(len(text))] = luck.randrange(256)
            with open(path, "wb") as file:
                file.write(text)
            done = lauka("-r1", "-w0", "@base", cwd=self.folder, env=self.environment)
            self.assertIn(done.returncode, (0, 5), done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_store_of_another_user(self):
        self.keep("base", "./prog")
        os.chown(self.store, 65534, 65534)
        self.assertIn("belongs to another user", self.refused("other", "./prog", code=6))
        self.assertIn("belongs to another user", self.run_it("@base", "./prog", code=6).stderr)
        os.chown(self.store, 0, 0)
        os.chmod(self.store, 0o777)
        self.assertIn("is writable for other users", self.run_it("@base", "./prog", code=6).stderr)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare")
    def test_a_full_disk(self):
        with open(self.path("big"), "wb") as file:
            file.write(b"x" * 3000000)
        script = f"""mount -t tmpfs -o size=1m,mode=700 x '{self.path("full")}' && cd '{self.folder}' || exit 99
'{LAUKA}' keep --store full base ./prog || exit 98
for i in 1 2; do '{LAUKA}' keep --store full --with big --replace base ./prog 2>said; echo $? >>codes; done
ls full >left; '{LAUKA}' --store=full -r1 -w0 @base >/dev/null && '{LAUKA}' keep --store full other ./prog x"""
        os.mkdir(self.path("full"))
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False)
        if done.returncode == 99 or "unshare" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("codes"), encoding="utf-8") as codes, open(self.path("said"), encoding="utf-8") as said, \
                open(self.path("left"), encoding="utf-8") as left:
            self.assertEqual(codes.read(), "6\n6\n")
            self.assertRegex(said.read(), r"\Alauka: .*No space left on device; nothing was kept\n\Z")
            self.assertEqual(left.read().split(), ["lock", "names", "objects"])


class AtOnce(Kept):
    def begin(self, *words):
        return subprocess.Popen([LAUKA, "keep", *words], cwd=self.folder, env={**os.environ, **self.environment},
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def test_one_of_two_sessions_gets_the_name(self):
        for _ in range(10):
            done = [(process.communicate()[1], process.returncode)
                    for process in [self.begin("base", "./prog", str(i)) for i in range(4)]]
            self.assertEqual(sorted(code for _, code in done), [0, 2, 2, 2], done)
            self.run_it("@base", "./prog")
            self.keep("--drop", "base")

    @workers.alone("it kills at moments that it measured")
    def test_a_kill_leaves_the_store_whole(self):
        """At random moments of `lauka keep --replace`. The name then has the old program or the new one, whole."""
        os.makedirs(self.path("much"))
        for i in range(40):
            with open(self.path(f"much/{i}"), "wb") as file:
                file.write(random.Random(i).randbytes(50000))

        def begin(number):
            self.program("prog", f"number-{number}")
            return self.begin("--replace", "--with", "much", "base", "./prog", str(number))

        for _ in kills.at_random_moments(begin, 10, 11):  # tests/bench/keep.py kills oftener
            said = self.run_it("--show-output", "@base", "./prog").stdout.splitlines()[0].split()
            self.assertEqual((said[0], said[2]), (f"number-{said[2]}", self.manifest()["argv"][1]))
        self.program("prog", "last")
        self.keep("--replace", "base", "./prog")
        self.assertEqual((self.names(), len(self.objects()), sorted(os.listdir(self.store))),
                         (["base.json"], 1, ["lock", "names", "objects"]))

    def test_a_session_keeps_what_it_runs(self):
        self.script("slow", "#!/bin/sh\n: >running\nwhile [ ! -e go ]; do sleep 0.01; done\n")
        self.keep("base", "./slow")
        session = subprocess.Popen([LAUKA, "-r1", "-w0", "@base"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, env={**os.environ, **self.environment}, text=True)
        while not os.path.exists(self.path("running")):
            time.sleep(0.01)
        self.keep("--drop", "base")
        self.assertEqual(len(self.objects()), 1)
        self.script("go", "")
        self.assertEqual((session.communicate()[1], session.returncode), ("", 0))
        self.keep("other", "./prog")
        self.assertEqual(len(self.objects()), 1)
