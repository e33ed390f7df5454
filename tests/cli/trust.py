"""What lauka accepts from whom: a file of options that nobody named, and whose files it opens under
sudo."""
import json
import os
import re
import signal
import subprocess
import time
import unittest

from run import InScratch, LAUKA, lauka

# The options that ./.lauka may set besides a typed command. Before you add one, ask what a stranger could
# do with it.
HARMLESS = {
    "warmup", "runs", "until", "max-time", "duration", "min-runs", "max-runs", "min-time", "budget", "primary",
    "interval", "order", "seed", "no-shell", "items", "bytes", "require-quiet", "events",
    "no-multiplex", "multiplex", "delay", "period", "require-counters", "per-core-type", "pin", "require-core",
    "chip", "metrics", "time-unit", "sort", "percentiles", "plot", "color", "column", "full",
}
# Options that are valid only on the command line.
TYPED_ONLY = {"as-root", "config", "no-config"}
# Options that do not apply to a run.
OF_OTHERS = {"selftest", "cross-host", "column", "unpaired", "paired", "interval", "chip", "build", "jobs", "workload", "skip-broken",
             "first-slower", "clean", "adapter", "suite", "allow-new", "allow-missing", "allow-filters", "with", "replace", "drop",
             "gitlab", "print", "force", "since", "confirm", "backfill", "every", "commit-url"}


class WithFile(InScratch):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def lauka(self, *arguments, env=None):
        return lauka(*arguments, cwd=self.folder, env=env)

    def there_is(self, name):
        return os.path.exists(self.path(name))


class NobodyNamedIt(WithFile):
    def test_beside_typed_commands_it_runs_and_writes_nothing(self):
        for text, name in (("--setup=touch made\n", "--setup"), ("--prepare=touch made\n", "--prepare"),
                           ("--json=made\n", "--json"), ("--output=./made\n", "--output"),
                           ("--reference=touch made\n", "--reference"), ("-S\n-c\ntouch made\n", "--cleanup")):
            self.write(".lauka", "-r2\n" + text)
            done = self.lauka("true")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("over 2 rounds", done.stdout)
            self.assertIn("./.lauka: without --config ./.lauka, these are ignored: ", done.stderr)
            self.assertIn(name, done.stderr)
            self.assertIn("; its other options apply\n", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertFalse(self.there_is("made"), text)

    def test_where_it_is_named_all_of_it_holds(self):
        self.write(".lauka", "-r2\n--setup=touch made\n")
        for how in ({"LAUKA_CONFIG": ".lauka"}, None):
            done = self.lauka(*([] if how else ["--config=./.lauka"]), "true", env=how)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(self.there_is("made"))
            os.unlink(self.path("made"))

    def test_without_commands_it_is_obeyed_as_a_makefile_is(self):
        self.write(".lauka", "-r2\n--setup=touch made\n--json=result\n[one]\ntrue\n")
        done = self.lauka()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.there_is("made") and self.there_is("result"))
        self.assertEqual(done.stderr, "lauka: using the options in ./.lauka; --no-config ignores them\n")

    def test_it_cannot_keep_quiet_about_itself(self):
        self.write(".lauka", "-qr2\n")  # letters together: -r applies, -q does not
        done = self.lauka("--backend=simulated", "a")
        self.assertIn("over 2 rounds", done.stdout)
        said = "lauka: ./.lauka: without --config ./.lauka, these are ignored: --quiet; its other options apply\n"
        self.assertEqual(done.stderr, said)
        self.write(".lauka", "--gate=wall_time=2%\n")  # somebody relies on it, so it is named
        self.assertEqual(self.lauka("-q", "-r1", "--backend=simulated", "a").stderr,
                         "lauka: ./.lauka: without --config ./.lauka, these are ignored: --gate\n")

    def test_letters_together_are_options_of_their_own(self):
        config = self.write("config", "-Sr2\n")
        done = self.lauka("--backend=simulated", "--config", config, "-N", "a")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("over 2 rounds", done.stdout)

    def options(self):
        """Yields (name, number of values) for every option with a long name."""
        for line in self.lauka("--help").stdout.splitlines():
            found = re.match(r"  (?:-\w, |    )--([a-z-]+)( [A-Z|=. ]+|\[=[A-Z]+\])?(?:  |$)", line)
            if found:
                value = found.group(2) or ""
                yield found.group(1), len(value.split()) if value.startswith(" ") else 0

    def test_of_every_option_it_is_known_whether_it_is_harmless(self):
        options = dict(self.options())
        self.assertGreater(len(options), 80)
        self.assertLessEqual(HARMLESS | TYPED_ONLY | OF_OTHERS, set(options))
        for name, values in options.items():
            if name in HARMLESS:
                continue
            self.write(".lauka", f"--{name}\n" + "x\n" * values)
            done = self.lauka("--backend=simulated", "-r1", "a") if name != "backend" else self.lauka("-r1", "true")
            if name in TYPED_ONLY:
                self.assertEqual(done.returncode, 2, name)
                self.assertIn(f"./.lauka:1: --{name} takes effect only on the command line", done.stderr)
                continue
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            given = f"these are ignored: --{name}\n"
            self.assertEqual(given in done.stderr, name not in OF_OTHERS, (name, done.stderr))

    def test_stored_results_are_judged_as_they_were_stored(self):
        self.lauka("--backend=simulated", "-r10", "--seed=1", "--gate=wall_time=500%", "--json=result", "-q", "a", "b")
        self.assertEqual(self.lauka("gate", "result").returncode, 0)
        self.write(".lauka", "--gate=wall_time=0.0001%\n--inconclusive=fail\n--csv=made\n")
        done = self.lauka("gate", "result")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("these are ignored: --gate, --inconclusive, --csv\n", done.stderr)
        self.assertFalse(self.there_is("made"))

    def test_other_verbs_take_what_goes_with_them(self):
        self.write(".lauka", "--runs=2\n--setup=touch made\n--color=never\n")
        for arguments in (["list", "cycles"], ["-l", "cycles"], ["--version"], ["--help"]):
            done = self.lauka(*arguments)
            self.assertEqual(done.returncode, 0, (arguments, done.stderr))
            self.assertNotIn("no effect", done.stderr)
        self.write(".lauka", "--nonsense\n")
        self.assertEqual(self.lauka("--help").returncode, 0)

    def test_the_manual_names_the_harmless_options(self):
        manual = self.lauka("--help=man").stdout.replace("\\-", "-")
        listed = manual[manual.index(".I .lauka"):].split(".SH")[0]
        self.assertEqual(set(re.findall(r"--([a-z-]+)[,.\n]", listed)) - {"config"}, HARMLESS)


@unittest.skipIf(os.geteuid() != 0 and not os.environ.get("CI"), "only root can run as another user")
class UnderSudoFilesAreTheUsers(WithFile):
    NOBODY = {"SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody", "SUDO_COMMAND": "x"}

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)

    def give(self, name, text):
        os.chown(self.write(name, text), 65534, 65534)
        return self.path(name)

    def test_a_planted_file_makes_nobody_root(self):
        plant = f"#!/bin/sh\nprintf -- '--as-root\\n--setup=id -u >made\\n-q\\n' >{self.path('.lauka')}\n"
        self.assertEqual(self.lauka("-q", "-r1", self.script("plant", plant), env=self.NOBODY).returncode, 0)
        self.assertEqual(os.stat(self.path(".lauka")).st_uid, 65534)
        for more in ([], ["--as-root"]):
            done = self.lauka(*more, "-q", "-r1", "true", env=self.NOBODY)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("./.lauka:1: --as-root takes effect only on the command line", done.stderr)
            self.assertFalse(self.there_is("made"))

    def test_what_a_file_that_nobody_named_may_not_set_is_refused_with_the_line_to_type(self):
        for text, holds in (("--setup=touch made\n-q\n", "--setup, --quiet"), ("--json=made\n", "--json")):
            self.give(".lauka", text)
            for tool, caller in (("sudo", self.NOBODY), ("doas", {"DOAS_USER": "nobody"}),
                                 ("pkexec", {"PKEXEC_UID": "65534"})):
                done = self.lauka("-r1", "echo a b", env=caller)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
                self.assertIn(f"under {tool}, a file that nobody named sets harmless options only, and ./.lauka "
                              f"holds {holds}: type {tool} lauka --config ./.lauka -r1 'echo a b' if", done.stderr)
                self.assertFalse(self.there_is("made"))
        self.give(".lauka", "-r1\nid\n")
        self.assertIn("holds commands: type sudo lauka --config ./.lauka if", self.lauka(env=self.NOBODY).stderr)
        done = self.lauka("true", env=self.NOBODY)  # a typed command wins
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("`true` took", done.stdout)

    def test_where_it_is_named_it_is_obeyed_as_the_user(self):
        self.give(".lauka", "-r1\n-w0\n--setup=id -u >made\n-n\nx\n")
        done = self.lauka("--config=./.lauka", "true", env=self.NOBODY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(open(self.path("made")).read(), "65534\n")

    def test_as_root_is_in_no_file(self):
        self.give("config", "-r1\n--as-root\n")
        for how in (["--config=config"], []):
            done = self.lauka(*how, "true", env={**self.NOBODY, **({} if how else {"LAUKA_CONFIG": "config"})})
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("config:2: --as-root takes effect only on the command line", done.stderr)

    def test_nothing_is_read_that_only_root_may_read(self):
        secret = self.write("secret", "hidden-word=hidden-value\n")
        os.chmod(secret, 0o600)
        for arguments in (["--config", secret, "true"], ["--config", secret], ["--gate-file", secret, "a", "b"],
                          ["--gate=wall_time=1%", "--allow", secret, "a", "b"], ["--input", secret, "cat"],
                          ["report", secret], ["compare", secret], ["compare", "--column=1", secret],
                          ["gate", secret], ["noise", "--gate-file", secret, "a"],
                          ["list", "--config", secret], ["doctor", "--config", secret],
                          ["threads", "1", "--config", secret], ["--help", "--config", secret]):
            for caller in (self.NOBODY, {"DOAS_USER": "nobody"}):
                done = self.lauka("-r1", *arguments, env=caller) if arguments[0].startswith("--g") \
                    else self.lauka(*arguments, env=caller)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (arguments, done.stderr))
                self.assertIn("Permission denied", done.stderr)
                self.assertNotIn("hidden", done.stderr)
        done = self.lauka("true", env={**self.NOBODY, "LAUKA_CONFIG": secret})
        self.assertIn(f"LAUKA_CONFIG={secret}: Permission denied", done.stderr)
        for verb in ("list", "doctor", "--version"):  # these read no such file at all
            self.assertNotIn("hidden", self.lauka(verb, "--gate-file", secret, env=self.NOBODY).stderr)
            self.assertNotIn("hidden", self.lauka(verb, "--gate-file", secret, env={"SUDO_UID": "0"}).stderr)

    def test_documents_of_benchmarks_are_the_users(self):
        self.give("suites", "-r1\n-w0\n[one]\ntrue\n[two]\nid -u\n")
        done = self.lauka("--config=suites", "--json=result", env=self.NOBODY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.stat(self.path("result")).st_uid, 65534)
        with open(self.path("result"), encoding="utf-8") as file:
            self.assertEqual([one["name"] for one in json.load(file)["benchmarks"]], ["one", "two"])
        roots = self.write("roots", "keep\n")
        done = self.lauka("--config=suites", "--json=roots", env=self.NOBODY)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Permission denied", done.stderr)
        self.assertEqual(open(roots).read(), "keep\n")

    def user(self, env):
        """Returns the user that a command runs as: the user's number, or lauka's refusal."""
        done = self.lauka("-q", "-w0", "-r1", f"--output={self.path('told')}",
                          self.script("who", "#!/bin/sh\nid -u; id -g; echo $USER; env | grep -cE '^(SUDO|DOAS|PKEXEC)_'; :\n"),
                          env=env)
        if done.returncode:
            self.assertEqual((done.returncode, self.there_is("told")), (2, False), done.stderr)
            return done.stderr
        with open(self.path("told")) as file:
            told = file.read().split()
        os.unlink(self.path("told"))
        return told

    def test_doas_and_pkexec_mean_the_same_as_sudo(self):
        for caller in ({"DOAS_USER": "nobody"}, {"PKEXEC_UID": "65534"},
                       {**self.NOBODY, "DOAS_USER": "nobody"}, {**self.NOBODY, "PKEXEC_UID": "65534"}):
            self.assertEqual(self.user(caller), ["65534", "65534", "nobody", "0"], caller)

    def test_a_caller_that_is_root_or_not_one_user_is_refused(self):
        for caller, why in (
                ({"DOAS_USER": "root"}, 'DOAS_USER is "root", which is root'),
                ({"DOAS_USER": "nosuchuser"}, 'DOAS_USER is "nosuchuser", and there is no such user'),
                ({"DOAS_USER": ""}, 'DOAS_USER is ""'),
                ({"PKEXEC_UID": "0"}, "PKEXEC_UID is 0, which is root"),
                ({"PKEXEC_UID": "nobody"}, "which is not a user or group ID"),
                ({"PKEXEC_UID": "4242424"}, "there is no user 4242424"),
                ({**self.NOBODY, "PKEXEC_UID": "0"}, "PKEXEC_UID is 0, which is root"),
                ({"SUDO_UID": "0", "SUDO_GID": "0", "PKEXEC_UID": "65534"}, "SUDO_UID is 0, which is root"),
                ({**self.NOBODY, "PKEXEC_UID": "1"}, "SUDO_UID names user 65534, and PKEXEC_UID names user 1;"),
                ({**self.NOBODY, "DOAS_USER": "daemon"}, "SUDO_UID names user 65534, and DOAS_USER names user"),
                ({"DOAS_USER": "nobody", "PKEXEC_UID": "1"}, "DOAS_USER names user 65534, and PKEXEC_UID names")):
            told = self.user(caller)
            self.assertIn(why, told, caller)
            self.assertIn("--as-root", told)

    def test_who_lists_needs_no_user(self):
        for verb in ("list", "--version", "--help"):
            done = self.lauka(verb, env={"SUDO_UID": "0", "SUDO_GID": "0"})
            self.assertEqual(done.returncode, 0, done.stderr)


@unittest.skipIf(os.geteuid() != 0 and not os.environ.get("CI"), "only root can run as another user")
class UnderSudo(InScratch):
    NOBODY = {"SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody", "SUDO_COMMAND": "x"}

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)

    def report(self, *arguments, env=None):
        """Runs a command that prints its user; returns its output, and lauka's finished process."""
        script = self.script("who", "#!/bin/sh\nid -u; id -g; id -G; echo $USER $HOME; env | grep -c ^SUDO\n"
                                    "grep -E 'Uid|Gid' /proc/self/status | tr '\\t\\n' '  '\n")
        done = lauka("-q", "-w", "0", "-r", "1", f"--output={self.path('told')}", *arguments,
                     script, env=env)
        told = open(self.path("told")).read() if os.path.exists(self.path("told")) else ""
        return told.splitlines(), done

    def test_commands_run_as_the_invoking_user(self):
        told, done = self.report(env=self.NOBODY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(told[:2], ["65534", "65534"])
        self.assertEqual(told[2].split(), ["65534"])
        self.assertTrue(told[3].startswith("nobody "), told)
        self.assertEqual(told[4], "0")
        self.assertEqual(told[5].split(), ["Uid:"] + ["65534"] * 4 + ["Gid:"] + ["65534"] * 4)

    def test_files_belong_to_the_invoking_user(self):
        told, done = self.report(f"--json={self.path('result.json')}", env=self.NOBODY)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ["result.json", "told"]:
            about = os.stat(self.path(name))
            self.assertEqual((about.st_uid, about.st_gid), (65534, 65534), name)

    def test_what_that_user_may_not_write_is_not_written(self):
        os.chmod(self.folder, 0o755)
        done = lauka("-q", f"--json={self.path('result.json')}", "-w0", "-r1", "true", env=self.NOBODY)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Permission denied", done.stderr)
        self.assertFalse(os.path.exists(self.path("result.json")))

    def test_root_keeps_its_rights_only_where_asked(self):
        told, done = self.report("--as-root", env=self.NOBODY)
        self.assertEqual((done.returncode, told[0]), (0, "0"))
        told, done = self.report()  # without sudo, like in a container or CI
        self.assertEqual((done.returncode, told[0]), (0, "0"))

    def test_an_unclear_invoking_user_is_refused(self):
        for variables, why in [
                ({"SUDO_UID": "0", "SUDO_GID": "0"}, "SUDO_UID is 0"),
                ({"SUDO_UID": "65534", "SUDO_GID": "0"}, "SUDO_GID is 0"),
                ({"SUDO_UID": "65534"}, "SUDO_GID is not set"),
                ({"SUDO_USER": "nobody"}, "SUDO_UID is not set"),
                ({"SUDO_COMMAND": "lauka"}, "SUDO_UID is not set"),
                ({"SUDO_UID": "nobody", "SUDO_GID": "1"}, 'is "nobody"'),
                ({"SUDO_UID": "-1", "SUDO_GID": "1"}, 'is "-1"'),
                ({"SUDO_UID": " 65534", "SUDO_GID": "65534"}, "not a user or group ID"),
                ({"SUDO_UID": "4294967295", "SUDO_GID": "1"}, "not a user or group ID"),
                ({"SUDO_UID": "18446744073709617150", "SUDO_GID": "1"}, "not a user or group ID"),
                ({"SUDO_UID": "", "SUDO_GID": "1"}, "not a user or group ID"),
                ({"SUDO_UID": "4242424", "SUDO_GID": "1"}, "there is no user 4242424"),
                ({"SUDO_UID": "65534", "SUDO_GID": "1"}, "a group that nobody is not in"),
                ({"SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "root"}, 'SUDO_USER is "root"')]:
            told, done = self.report(env=variables)
            self.assertEqual((done.returncode, told), (2, []), variables)
            self.assertIn(why, done.stderr)
            told, done = self.report("--as-root", env=variables)
            self.assertEqual(done.returncode, 0, variables)
            os.remove(self.path("told"))

    def test_an_interruption_reaches_the_command(self):
        script = self.script("wait", f"#!/bin/sh\n: >{self.path('started')}\nexec sleep 100\n")
        process = subprocess.Popen([LAUKA, "-q", script], env={**os.environ, **self.NOBODY},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while not os.path.exists(self.path("started")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 130)
