"""lauka history: what sessions came to over time, and the steps in it."""
import glob
import gzip
import hashlib
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import time
import unittest

import kills
import workers
from repository import InRepository
from run import LAUKA, InScratch, lauka
from suite import SPEAKER

HASH = "%040x"


def entry(number, rows, commit=None, head=""):
    """Returns the name and the content of a file of the store."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_767_225_600 + 3600 * number))
    commit = commit or HASH % (number + 1)
    text = (f"lauka-history/1\tsession\ntime\t{when}\n{head}commit\t{commit}\nhost\tabc\nmachine\tX\n"
            f"circumstances\tx86_64\tX\t\nended\trounds\ncommand\tp\tp\n" + "".join(f"row\t{row}\n" for row in rows)).encode()
    return f"{when.replace('-', '').replace(':', '')}-{commit[:12] if commit.isalnum() else 'none'}-{hashlib.sha1(text).hexdigest()[:12]}.lauka.gz", text


def row(value, metric="cpu_time", kind="p", benchmark="p", side="", unit="ns", ratio="-\t-", anchor=""):
    return f"{kind}\t{benchmark}\t{side}\t{metric}\t{unit}\tlower\t{anchor}\t20\t{value}\t{value / 1000}\t{ratio}"


def put(folder, number, rows, *changes, **keywords):
    """Keeps a session. Each change is a text of its file, and what stands there instead."""
    name, text = entry(number, rows, **keywords)
    for old, new in changes:
        text = text.replace(old.encode(), new.encode())
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(gzip.compress(text))


def find_steps(program, folder, values):
    """Keeps a session for each of these values, and returns the indices at which the program, lauka, names a step."""
    for number, value in enumerate(values):
        put(folder, number, [row(value)])
    done = subprocess.run([program, "history", f"--history={folder}", "--json"], cwd=folder, capture_output=True, text=True, check=True)
    return sorted(int(step["since"]["commit"], 16) - 1 for step in json.loads(done.stdout)["steps"])


class InHistory(InScratch):
    def put(self, number, rows, *changes, **keywords):
        put(self.path("h"), number, rows, *changes, **keywords)

    def put_times(self, times, **keywords):
        for number, value in enumerate(times):
            self.put(number, [row(value)], **keywords)

    def look(self, *arguments, code=0):
        done = lauka("history", "--history=h", *arguments, cwd=self.folder, env={"COLUMNS": "120"})
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def read(self, *arguments):
        return json.loads(self.look("--json", *arguments).stdout)


def noise(count, level=8e6, seed=1, share=0.005):
    lot = random.Random(seed)
    return [level * (1 + lot.gauss(0, share)) for _ in range(count)]


class Steps(InHistory):
    def test_a_step_of_times_is_suspected_where_it_is(self):
        self.put_times(noise(20) + noise(20, 8.4e6, 2))
        done = self.look()
        self.assertRegex(done.stdout, r"(?m)^p  cpu_time  8\.0\d* → 8\.3\d* ms  \+4\.\d % \[\+4\.\d, \+5\.\d\]  since 0000000  suspected  2026-01-01")
        self.assertIn("40 sessions of 40 commits, 1 benchmark, 1 machine; 0 benchmarks without a step", done.stdout)
        step, = self.read()["steps"]
        self.assertEqual((step["since"]["commit"], step["kind"], step["direction"]), (HASH % 21, "absolute", "worse"))
        self.assertTrue(1.04 < step["low"] < 1.05 < step["high"] < 1.06, step)

    def test_times_without_a_step_have_none(self):
        self.put_times(noise(60))
        self.assertEqual(self.read()["steps"], [])
        self.assertIn("1 benchmark without a step", self.look().stdout)

    def test_public_series_have_the_steps_that_their_source_names(self):
        with open(os.path.join(os.path.dirname(__file__), "..", "vectors", "history", "public.json"), encoding="utf-8") as file:
            series = json.load(file)["series"]
        for one in series:
            self.assertEqual(find_steps(LAUKA, self.path(one["name"]), one["values"]), one["steps"], one["name"])

    def test_a_benchmark_that_was_not_chosen_is_not_counted(self):
        for number, value in enumerate(noise(20) + noise(20, 8.4e6, 2)):
            self.put(number, [row(value), row(8e6 + number % 3, benchmark="q")])
        self.assertIn(", 1 benchmark, 1 machine; 1 benchmark without a step", self.look("--benchmark=q").stdout)
        self.assertIn(", 2 benchmarks, 1 machine; 1 benchmark without a step", self.look().stdout)

    def test_each_change_of_an_exact_count_is_certain(self):
        for number, count in enumerate([1_000_000, 1_000_000, 1_000_001, 1_000_001, 999_000]):
            self.put(number, [row(count, "sim_instructions", "e", unit="1")])
        steps = self.read()["steps"]
        self.assertEqual([(s["before"], s["after"], s["certainty"], s["direction"]) for s in steps],
                         [(1_000_000, 1_000_001, "certain", "worse"), (1_000_001, 999_000, "certain", "better")])
        self.assertIn("+1 exact", self.look().stdout)

    def test_exact_counts_of_another_valgrind_begin_another_series(self):
        for number in range(6):
            self.put(number, [row(1000 + (number > 2), "sim_instructions", "e", unit="1")],
                     ("X\t\n", f"X\tvalgrind-3.{19 + (number > 2)}\n"))
        self.assertEqual(self.read()["steps"], [])

    def test_another_machine_makes_no_step(self):
        for number, value in enumerate(noise(20) + noise(20, 12e6, 2)):
            self.put(number, [row(value)], ("host\tabc", "host\tdef" if number >= 20 else "host\tabc"))
        read = self.read()
        self.assertEqual((read["steps"], read["machines"]), ([], 2))

    def test_ratios_to_an_anchor_replace_the_times(self):
        for number, (value, slow) in enumerate(zip(noise(30), [1] * 15 + [1.5] * 15)):
            ratio = 1.1 + 0.0001 * (number % 3)
            self.put(number, [row(value * slow, ratio=f"{ratio}\t0.001", anchor="commit:abc")])
        read = self.read()
        self.assertEqual(read["steps"], [])
        self.assertEqual({s["kind"]: s["searched"] for s in read["series"]}, {"ratio": True, "absolute": False})

    def test_two_new_points_are_too_few(self):
        self.put_times(noise(30) + [9e6, 9.01e6])
        step, = self.read()["steps"]
        self.assertEqual(step["certainty"], "too new")
        self.assertIn("too new: 2 of 3", self.look().stdout)

    def test_sessions_of_one_commit_have_no_step_among_them(self):
        self.put_times(noise(20) + noise(20, 8.8e6, 2), commit=HASH % 7)
        self.assertEqual(self.read()["steps"], [])

    def test_a_gate_fails_for_what_is_certain_and_never_for_a_suspicion(self):
        self.put_times(noise(20) + noise(20, 8.4e6, 2))
        self.look("--gate=cpu_time=2%")
        for number in range(5):
            self.put(100 + number, [row(1000 + 50 * (number > 2), "sim_instructions", "e", unit="1")])
        done = self.look("--gate=sim_instructions=2%", code=3)
        self.assertIn("gate: p: sim_instructions went from 1000 to 1050", done.stderr)
        self.look("--gate=sim_instructions=6%")
        self.assertIn("--gate sim_instruction: no session of the history has it", self.look("--gate=sim_instruction=2%", code=2).stderr)
        self.assertIn("shares of the typical value", self.look("--gate=cpu_time.p99=2%", code=2).stderr)
        self.assertIn("--since goes with --gate", self.look("--since=HEAD", code=2).stderr)

    def test_an_answer_upgrades_or_removes_a_step(self):
        self.put_times(noise(20) + noise(20, 8.4e6, 2))
        for number, (verdict, seen) in enumerate((("inconclusive", ["suspected"]), ("confirmed", ["confirmed"]), ("refuted", ["refuted"]))):
            os.makedirs(self.path("h"), exist_ok=True)
            text = (f"lauka-history/1\tanswer\ntime\t2027-01-0{number + 1}\nanswer\tp\t\tcpu_time\t{HASH % 20}\t{HASH % 21}\t\t"
                    f"{verdict}\t1.05\t1.04\t1.06\n").encode()
            with open(os.path.join(self.path("h"), f"2027010{number}-none-0.lauka.gz"), "wb") as file:
                file.write(gzip.compress(text))
            self.assertEqual([s["certainty"] for s in self.read()["steps"]], seen)
        done = self.look()
        self.assertIn("1 step of the machine, as --confirm found out, is left out", done.stdout)
        self.assertNotIn("since", done.stdout)

    def test_the_page_has_charts_and_links(self):
        self.put_times(noise(20) + noise(20, 8.4e6, 2))
        self.look("--html=t.html", "--commit-url=https://example.org/c/{commit}?a=1&b=<")
        with open(self.path("t.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn(f'<a href="https://example.org/c/{HASH % 21}?a=1&amp;b=&lt;">', page)
        self.assertEqual(page.count("<figure>"), 1)
        self.look("--html=t.html", "--commit-url=javascript:alert(1)//")
        with open(self.path("t.html"), encoding="utf-8") as file:
            self.assertNotIn("javascript", file.read())


class BadInput(InHistory):
    def test_what_does_not_belong_there_is_named_and_left_out(self):
        self.put_times(noise(8))
        files = {
            "a.lauka.gz": (b"no gzip", "it is no gzip"),
            "b.lauka.gz": (gzip.compress(b"hello\n"), "it is no file of lauka's history"),
            "c.lauka.gz": (gzip.compress(b"lauka-history/2\tsession\n"), "a newer lauka wrote it"),
            "d.lauka.gz": (gzip.compress(entry(1, [row(1)])[1])[:-9], "it is damaged"),
            "e.lauka.gz": (gzip.compress(b"lauka-history/1\tsession\nrow\tp\tx\n"), "it is damaged: a row has not all fields"),
            "f.lauka.gz": (gzip.compress(b"lauka-history/1\tsession\n" + b"row\tp\tx\t\tm\t1\tlower\t\t1\t1\t-\t-\t-\n" * 50001),
                           "it has more rows than a session"),
            "notes.txt": (b"x", "it is no file of lauka's history"),
        }
        for name, (content, _) in files.items():
            with open(os.path.join(self.path("h"), name), "wb") as file:
                file.write(content)
        done = self.look()
        for name, (_, why) in list(files.items())[:5]:
            self.assertRegex(done.stderr, f"h/{name} is left out: {why}")
        self.assertIn("lauka: left out, too: 2 more\n", done.stderr)
        self.assertIn("8 sessions", done.stdout)

    def test_odd_kinds_of_files_stop_nothing(self):
        self.put_times(noise(4))
        os.mkfifo(os.path.join(self.path("h"), "f.lauka.gz"))
        os.mkdir(os.path.join(self.path("h"), "g.lauka.gz"))
        os.symlink("/dev/zero", os.path.join(self.path("h"), "i.lauka.gz"))
        with open(os.path.join(self.path("h"), "k.lauka.gz"), "wb") as file:
            file.truncate(1 << 30)
        with open(os.path.join(self.path("h"), "l.lauka.gz"), "wb") as file:
            file.write(gzip.compress(b"\n" * (1 << 27)))
        done = self.look()
        self.assertEqual(done.stderr.count("is left out"), 5, done.stderr)
        self.assertEqual(done.stderr.count("it is too large"), 2, done.stderr)
        self.assertEqual(done.stderr.count("it is no plain file"), 3, done.stderr)
        self.assertIn("4 sessions", done.stdout)

    def test_names_of_others_do_not_drive_the_terminal(self):
        for number in range(5):
            self.put(number, [row(1000 + number, "sim_instructions\x1b[31m".replace("\x1b", "%1B"), "e", "%1B[2J\u202e<b>", unit="1")])
        for arguments in ((), ("--json",), ("--html",)):
            done = self.look(*arguments)
            self.assertNotIn("\x1b", done.stdout)
            self.assertNotIn("\u202e", done.stdout)
        self.assertNotIn("<b>", self.look("--html").stdout)

    def test_hostile_numbers_and_fields(self):
        for number in range(6):
            self.put(number, [row(1).replace("1\t0.001", f"{'nan inf -1 0 1e999 x'.split()[number]}\t1e-400"),
                              row(-5.0 + number, "peak_rss"), row(1, benchmark="x" * 5000)])
        self.look()
        self.look("--html")
        json.loads(self.look("--json").stdout)

    def test_no_history_and_wrong_words(self):
        self.assertIn("there is no history yet", self.look(code=2).stderr)
        self.assertIn("expected lauka history, or lauka history add", lauka("history", "show").stderr)
        self.assertIn("no file", lauka("history", "add").stderr)
        self.assertIn("type the command after --", self.look("--backfill=a..b", code=2).stderr)

    def test_results_that_cannot_be_kept(self):
        with open(self.path("n.txt"), "w", encoding="utf-8") as file:
            file.write("1\n2\n3\n")
        done = lauka("history", "add", "n.txt", "--history=h", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("n.txt has nothing to keep", done.stderr)
        self.assertFalse(os.path.exists(self.path("h")))
        done = lauka("-r", "3", "--history=/proc/nothing", "true")
        self.assertEqual(done.returncode, 6)
        self.assertIn("/proc/nothing: the folder of the history", done.stderr)
        self.assertIn("true", done.stdout)


class Adding(InHistory):
    def write_result(self, name):
        done = lauka("-r", "4", "--no-config", f"--json={name}", "true", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_session_adds_itself_and_a_result_adds_the_same(self):
        done = lauka("-r", "4", "--no-config", "--history=h", "--json=r.json", "true", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = os.listdir(self.path("h"))
        self.assertEqual(len(names), 1)
        self.assertRegex(names[0], r"^\d{8}T\d{6}Z-(none|[0-9a-f]{12})-[0-9a-f]{12}\.lauka\.gz$")
        done = lauka("history", "add", "r.json", "--history=h", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(os.listdir(self.path("h")), names)
        with gzip.open(os.path.join(self.path("h"), names[0]), "rt", encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "lauka-history/1\tsession")
        self.assertIn("command\ttrue\ttrue", lines)
        self.assertTrue(any(line.startswith("row\tp\ttrue\t\tcpu_time\tns\tlower\t\t4\t") for line in lines), lines)
        self.assertLess(max(map(len, lines)), 300)

    def test_each_benchmark_keeps_its_command(self):
        with open(self.path("w.conf"), "w", encoding="utf-8") as file:
            file.write("[one]\ntrue\n[two]\ntrue x\n")
        done = lauka("--config=w.conf", "-r3", "--history=h", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with gzip.open(os.path.join(self.path("h"), os.listdir(self.path("h"))[0]), "rt", encoding="utf-8") as file:
            commands = [line for line in file.read().splitlines() if line.startswith("command")]
        self.assertEqual(commands, ["command\tone\ttrue", "command\ttwo\ttrue\tx"])

    def test_a_long_name_stays_short_and_others_like_it_differ(self):
        names = set()
        for last in "ab":
            done = lauka("-r", "4", "--no-config", "--history=h", "-n", "x" * 400 + last, "true", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        names = {s["benchmark"] for s in self.read()["series"]}
        self.assertEqual([len(name) for name in names], [100, 100])

    @workers.alone("it kills at moments that it measured")
    def test_kill_leaves_whole_files_only(self):
        self.write_result("r.json")
        with open(self.path("r.json"), encoding="utf-8") as file:
            text = file.read()

        def begin(number):
            with open(self.path("r2.json"), "w", encoding="utf-8") as file:
                file.write(text.replace('"begin": "2026', f'"begin": "{1800 + number}'))
            return subprocess.Popen([LAUKA, "history", "add", "r2.json", "--history=h"], cwd=self.folder,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        killed = sum(was_at_work for _, was_at_work in kills.at_random_moments(begin, 50, 12))
        self.assertGreater(killed, 5)
        self.assertEqual(self.look().stderr, "")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare")
    def test_a_full_disk(self):
        self.write_result("r.json")
        script = f"""mount -t tmpfs -o size=64k x '{self.path("h")}' && cd '{self.folder}' || exit 99
'{LAUKA}' history add r.json --history=h || exit 98
cat /dev/zero >h/README 2>/dev/null; sed 's/"begin": "2026/"begin": "2025/' r.json >s.json
'{LAUKA}' history add s.json --history=h 2>said; echo $? >codes; ls -A h >left
'{LAUKA}' history --history=h --html=h/page.html 2>>said; echo $? >>codes; '{LAUKA}' history --history=h >looked 2>&1"""
        os.mkdir(self.path("h"))
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False)
        if done.returncode == 99 or "unshare" in done.stderr:
            self.skipTest(done.stderr)
        read = {}
        for name in ("codes", "said", "left", "looked"):
            with open(self.path(name), encoding="utf-8") as file:
                read[name] = file.read()
        self.assertEqual(read["codes"], "6\n2\n", read)
        self.assertRegex(read["said"], r"\Alauka: h/\S+: No space left on device; nothing was added\nlauka: --html=h/page.html: No space left.*\n\Z")
        self.assertEqual(len([name for name in read["left"].split() if name != "README"]), 1, read)
        self.assertIn("1 session, 1 benchmark", read["looked"])


class Apart(InHistory):
    def test_two_sessions_get_an_interval_from_five_earlier_ones(self):
        for name in ("a", "b"):
            done = lauka("-r", "6", "--no-config", f"--json={name}.json", "--history=own", "true", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        with gzip.open(glob.glob(os.path.join(self.path("own"), "*"))[0], "rt", encoding="utf-8") as file:
            host = next(line for line in file if line.startswith("host\t")).split("\t")[1].strip()
        values = [1e6, 9e6, 0.2e6, 3e6, 0.6e6]  # further apart than the runs of a session
        for number, value in enumerate(values):
            self.put(number, [row(value, "wall_time", benchmark="true"), row(value, benchmark="true")],
                     ("host\tabc", f"host\t{host}"), ("p\tp\n", "true\ttrue\n"))
            read = json.loads(lauka("compare", "a.json", "b.json", "--history=h", "--json", cwd=self.folder).stdout)
            wall = next(c for c in read["comparisons"] if c["metric"] == "wall_time")
            self.assertEqual(wall["low"] is not None, number == 4, wall)
        half = 3.4954 * statistics.stdev(map(math.log, values)) * math.sqrt(2)  # t(.9875; 4)
        self.assertAlmostEqual(math.log(wall["high"] / wall["low"]), 2 * half, delta=0.001)
        self.assertTrue(any("from 5 earlier sessions" in w for w in read["warnings"]), read["warnings"])
        for name in os.listdir(self.path("h")):  # sessions that are always alike: the limit is decided
            with gzip.open(os.path.join(self.path("h"), name), "rt", encoding="utf-8") as file:
                lines = file.read().split("\t20\t")
            with gzip.open(os.path.join(self.path("h"), name), "wt", encoding="utf-8") as file:
                file.write("\t20\t1e6\t".join([lines[0]] + [line.split("\t", 1)[1] for line in lines[1:]]))
        done = lauka("gate", "a.json", "b.json", "--history=h", "--gate=wall_time=900%", cwd=self.folder)
        self.assertIn("gate: pass", done.stdout, done.stderr)
        done = lauka("compare", "a.json", "b.json", cwd=self.folder, env={"COLUMNS": "500"})
        self.assertIn("--history DIR", done.stdout)


class Confirming(InRepository):
    """A history of real commits, whose times are made up."""

    def put(self, number, value, **keywords):
        put(os.path.join(self.repository, "src", ".h"), number, [row(value)], ("command\tp\tp\n", "command\tp\tp\t@effects\n"), **keywords)

    def history(self, times):
        for number, (commit, value) in enumerate(zip(self.git("log", "--format=%H", "--reverse").split(), times)):
            self.put(number, value, commit=commit)

    def look(self, *words):
        return lauka("history", "--history=.h", *words, cwd=os.path.join(self.repository, "src"), env={**self.environment, "COLUMNS": "120"})

    def confirm(self, *words):
        return self.look("--confirm", "--backend=simulated:effects", "--seed=1", "-r20", "--build", "sh build.sh", *words)

    def commits(self, count, slow_from=None):
        return [self.commit(f"number {number}", "10.8ms" if slow_from is not None and number >= slow_from else "10ms")
                for number in range(count)]

    def test_of_the_log_only_what_the_history_needs_is_read(self):
        """In the order of commits, also if the newest was measured first, and if git cannot read the oldest any more."""
        commits = self.commits(16)
        for number, (commit, value) in enumerate(zip(reversed(commits[4:]), noise(6) + noise(6, 8.6e6, 2))):
            self.put(number, value, commit=commit)
        os.unlink(os.path.join(self.repository, ".git", "objects", commits[0][:2], commits[0][2:]))
        step, = json.loads(self.look("--json").stdout)["steps"]
        self.assertEqual((step["direction"], step["since"]["commit"], step["since"]["subject"]), ("better", commits[10], "number 10"))

    def test_a_slow_commit_is_confirmed_and_gated(self):
        commits = self.commits(20, 10)
        self.history(noise(10) + noise(10, 8.6e6, 2))
        done = self.confirm()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, rf"\+7\.\d.*since {commits[10][:7]}  confirmed  2026-\d\d-\d\d  number 10")
        done = self.look("--gate=cpu_time=2%")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(self.look("--gate=cpu_time=2%", "--since=HEAD~3").returncode, 0)
        self.assertIn("there is no such commit", self.look("--gate=cpu_time=2%", "--since=nope").stderr)
        read = json.loads(self.look("--json").stdout)
        self.assertEqual(read["steps"][0]["answer"]["verdict"], "confirmed")
        self.assertTrue(1.07 < read["steps"][0]["answer"]["low"] < read["steps"][0]["answer"]["high"] < 1.09)

    def test_a_step_of_the_machine_is_refuted_and_not_shown_again(self):
        self.commits(20)
        self.history(noise(10) + noise(10, 8.6e6, 2))
        self.assertIn("suspected", self.look().stdout)
        done = self.confirm()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("since", done.stdout)
        self.assertIn("1 step of the machine", self.look().stdout)
        self.assertEqual(self.confirm().stderr, "")  # nothing is open any more

    def test_between_several_commits_the_first_slower_one_is_searched(self):
        commits = self.commits(32, 18)
        for number, value in enumerate(noise(9) + noise(7, 8.6e6, 2)):  # every second commit
            self.put(number, value, commit=commits[2 * number + (number > 8)])
        done = self.confirm()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"confirmed: {commits[18][:7]}", done.stdout)
        self.assertIn(f'"first":"{commits[18]}"', self.look("--json").stdout)

    def put_benchmarks(self, number, commit, names, factor, commands):
        """Each of them costs more by this factor from the seventh session on."""
        rows = [row(2000 * factor ** (number >= 6) * (1 + number % 3 / 1000), benchmark=name) for name in names]
        put(os.path.join(self.repository, "src", ".h"), number, rows, ("command\tp\tp\n", commands), commit=commit)

    def test_a_step_inside_a_suite_is_measured_inside_it(self):
        for number in range(12):
            self.write("bench", SPEAKER.replace("BODY", f"# {number}").replace("=2000", "=4000" if number >= 6 else "=2000"))
            os.chmod(os.path.join(self.repository, "src", "bench"), 0o755)
            self.put_benchmarks(number, self.commit(f"number {number}"), ["parse/large"], 2, "suite\t\t./bench\n")
        done = self.look("--confirm", "-r8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "(?m)^parse/large  cpu_time .* confirmed ")

    def test_each_benchmark_is_measured_by_its_own_command(self):
        for number, commit in enumerate(self.commits(12, 6)):
            self.put_benchmarks(number, commit, ["a", "b"], 1.08, "command\ta\tp\tcost=10ms\ncommand\tb\tp\t@effects\n")
        done = self.confirm()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "(?m)^b  cpu_time .* confirmed ")
        self.assertNotRegex(done.stdout, "(?m)^a  cpu_time ")

    def test_a_commit_that_is_no_hash_is_not_measured(self):
        self.commits(1)
        for number, value in enumerate(noise(6) + noise(6, 8.6e6, 2)):
            self.put(number, value, commit="--build=touch gone" if number == 6 else None)
        done = self.confirm()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("since a session  suspected", done.stdout)

    def test_a_build_that_fails_ends_it_with_its_code(self):
        self.commits(20)
        self.history(noise(10) + noise(10, 8.6e6, 2))
        done = self.confirm("--build", "exit 1")
        self.assertEqual(done.returncode, 5)
        self.assertIn("the commits were not measured", done.stderr)

    def test_a_backfill_is_one_session_of_many_points(self):
        commits = self.commits(9, 5)
        done = self.look("--backfill=HEAD~8..HEAD", "--every=2", "--backend=simulated:effects", "--seed=1", "-r20",
                         "--build", "sh build.sh", "--json", "--", "p", "@effects")
        self.assertEqual(done.returncode, 0, done.stderr)
        ratio = next(s for s in json.loads(done.stdout)["series"] if s["kind"] == "ratio" and s["metric"] == "wall_time")
        self.assertEqual([p["commit"] for p in ratio["points"]], [commits[n] for n in (0, 2, 4, 6, 8)])
        self.assertEqual([round(p["value"], 1) for p in ratio["points"]], [1, 1, 1, 1.1, 1.1])

    def test_files_of_another_project_are_left_out(self):
        first = self.commits(4)[0]
        self.history(noise(4))
        for project in (first, HASH % 5):
            self.put(50, 8e6, head=f"project\t{project}\n")
        done = self.look()
        self.assertIn("it belongs to another project", done.stderr)
        self.assertIn("5 sessions", done.stdout)
