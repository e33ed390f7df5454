"""Sessions that several machines measure: what each job records, and what lauka merge makes of the jobs."""
import json
import math
import os
import re
import statistics

from run import InScratch, lauka

STARTERS = ("SLURM_", "SLURMD_", "CI_", "CIRCLE_", "BUILDKITE_")
# Makes the environment the same wherever these tests run.
QUIET = {name: "" for name in os.environ if name.startswith(STARTERS)}


class Jobs(InScratch):
    def job(self, *options, env=None):
        done = lauka("--backend=simulated:effects", "-r6", "--json", *options, "a", "b cost=11ms",
                     env={**QUIET, **(env or {})})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["run"]

    def test_what_was_given_stands_in_the_result(self):
        run = self.job("--job=2/3", "--session=night-7", "--host=n2")
        self.assertEqual(run["job"], {"session": "night-7", "number": 2, "of": 3, "attempt": 1, "host": "n2"})
        self.assertNotIn("job", self.job("--host=n2"))

    def test_a_report_keeps_it(self):
        file = self.path("job.json")
        lauka("--backend=simulated", "-r6", "a", "b", "--job=2/3", "--session=s", "--host=n2", f"--json={file}")
        again = lauka("report", file, "--json")
        with open(file, encoding="utf-8") as first:
            self.assertEqual(again.stdout, first.read())

    def test_schedulers_say_it_themselves(self):
        slurm = {"SLURM_ARRAY_JOB_ID": "77", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "2",
                 "SLURM_ARRAY_TASK_STEP": "3", "SLURM_ARRAY_TASK_ID": "8", "SLURM_RESTART_COUNT": "1",
                 "SLURMD_NODENAME": "rack3"}
        gitlab = {"CI_NODE_INDEX": "4", "CI_NODE_TOTAL": "4", "CI_PIPELINE_ID": "123", "CI_JOB_GROUP_NAME": "my bench"}
        circleci = {"CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "2", "CIRCLE_WORKFLOW_ID": "w1", "CIRCLE_JOB": "b"}
        buildkite = {"BUILDKITE_PARALLEL_JOB": "1", "BUILDKITE_PARALLEL_JOB_COUNT": "3",
                     "BUILDKITE_BUILD_ID": "b9", "BUILDKITE_STEP_ID": "s", "BUILDKITE_RETRY_COUNT": "2"}
        for env, wanted in ((slurm, ("slurm-77", 3, 4, 2)), (gitlab, ("gitlab-123-my_bench", 4, 4, 1)),
                            (circleci, ("circleci-w1-b", 1, 2, 1)), (buildkite, ("buildkite-b9-s", 2, 3, 3))):
            job = self.job(env=env)["job"]
            self.assertEqual((job["session"], job["number"], job["of"], job["attempt"]), wanted)
        self.assertEqual(self.job(env=slurm)["job"]["host"], "rack3")
        self.assertEqual(self.job("--session=mine", env=gitlab)["job"]["session"], "mine")
        for alone in ({**gitlab, "CI_NODE_TOTAL": "1"}, {**slurm, "SLURM_ARRAY_TASK_ID": "9"}):
            self.assertNotIn("job", self.job(env=alone))

    def test_seeds_follow_from_the_session(self):
        seeds = [self.job(f"--job={i}/3", "--session=s", "--host=h")["seed"] for i in (1, 2, 3, 2)]
        self.assertEqual(len(set(seeds)), 3)
        self.assertEqual(seeds[1], seeds[3])
        typed = [self.job("--job=1/3", f"--session={s}", "--seed=5")["seed"] for s in "ab"]
        self.assertEqual(typed[0], typed[1])
        self.assertNotIn(typed[0], (5, seeds[0]))

    def test_what_reproduces_a_job_is_no_job(self):
        run = self.job("--seed=5", "--job=1/3", "--session=s", "--host=n1")
        self.assertEqual(run["reproduce"][0], f"--seed={run['seed']}")
        self.assertFalse([word for word in run["reproduce"][1:] if "seed" in word or "job" in word or "s" == word])

    def test_bad_jobs_are_refused(self):
        for options, says in ((("--job=3/2", "--session=s"), "--job 3/2: expected I/N"),
                              (("--job=0/2", "--session=s"), "--job 0/2: expected I/N"),
                              (("--job=1", "--session=s"), "--job 1: expected I/N"),
                              (("--job=1/2",), "--job needs --session ID"),
                              (("--session=s",), "--session needs --job I/N"),
                              (("--job=1/2", "--session=a b"), "--session a b: expected letters"),
                              (("--job=1/2", "--session=s", "--host="), "--host: its value is empty")):
            done = lauka("--backend=simulated", "-r1", *options, "a", env=QUIET)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(says, done.stderr)

    def test_a_word_may_be_about_one_machine(self):
        def means(host):
            done = lauka("--backend=simulated:effects", "-r5", "--json", f"--host={host}", "--seed=1",
                         "a noise=0%", "b noise=0% cost@n2=12ms", env=QUIET)
            return [round(r["mean"] * 1000, 3) for r in json.loads(done.stdout)["results"]]
        self.assertEqual((means("n1"), means("n2")), ([10, 10], [10, 12]))


class Session(InScratch):
    """A session whose jobs are measured separately. `hosts`: each job's machine."""
    WORDS = ("old cost=10ms", "new cost=10.3ms")

    def jobs(self, hosts, *options, words=None, session="s", of=None):
        files = []
        for number, host in enumerate(hosts, 1):
            files.append(self.job(number, of or len(hosts), host, *options, words=words, session=session))
        return files

    def job(self, number, of, host, *options, words=None, session="s", name=None, code=0):
        file = self.path(name or f"job-{number}.json")
        done = lauka("--backend=simulated:effects", "-q", "--style=none", "-n=old", "-n=new", f"--job={number}/{of}",
                     f"--session={session}", f"--host={host}", f"--json={file}", *options,
                     *(words or self.WORDS), env=QUIET)
        self.assertEqual(done.returncode, code, done.stderr)
        return file

    def merge(self, files, *options, code=0):
        out = self.path("merged.json")
        done = lauka("merge", *files, f"--json={out}", *options, env={"LC_ALL": "C.UTF-8", "COLUMNS": "80"})
        self.assertEqual(done.returncode, code, done.stderr)
        with open(out, encoding="utf-8") as file:
            return done, json.load(file)

    @staticmethod
    def wall(document):
        return next(c for c in document["comparisons"] if c["metric"] == "wall_time")

    @staticmethod
    def flat(text):
        return " ".join(text.split())


class Merged(Session):
    def test_every_host_is_one_estimate(self):
        """Checks the mean and Student's interval of the hosts' estimates, computed by hand."""
        done, document = self.merge(self.jobs(["n1", "n2", "n3"], "-r12"))
        hosts = [host["comparisons"][0] for host in document["benchmarks"][0]["hosts"]]
        logs = [math.log(host["ratio"]) for host in hosts]
        mean, error = statistics.mean(logs), statistics.stdev(logs) / math.sqrt(3)
        wall = self.wall(document)
        for key, value in (("ratio", mean), ("low", mean - 4.302652730 * error), ("high", mean + 4.302652730 * error)):
            self.assertAlmostEqual(math.log(wall[key]), value, places=9)
        self.assertAlmostEqual(wall["between"], statistics.stdev(logs), places=12)
        self.assertEqual((wall["method"], wall["units"], wall["pairs"], wall["verdict"]),
                         ("t_over_hosts", 3, 36, "higher"))
        self.assertEqual(document["benchmarks"][0]["units"]["kind"], "host")
        self.assertIn("`new` is 2.6 % slower than `old` [1.0, 4.3]", done.stdout)
        self.assertIn("3 of 3 jobs on 3 hosts", done.stdout)

    def test_a_host_is_what_it_would_be_alone(self):
        files = self.jobs(["n1", "n2", "n3"], "-r12")
        _, document = self.merge(files)
        for file, host in zip(files, document["benchmarks"][0]["hosts"]):
            with open(file, encoding="utf-8") as job:
                alone = self.wall(json.load(job))
            self.assertEqual({k: alone[k] for k in ("ratio", "low", "high", "verdict", "pairs")},
                             {k: host["comparisons"][0][k] for k in ("ratio", "low", "high", "verdict", "pairs")})

    def test_processes_of_all_jobs_have_one_class(self):
        files = self.jobs(["n1", "n2", "n3"], "-r12")
        for i, file in enumerate(files):
            with open(file, encoding="utf-8") as job:
                document = json.load(job)
            document["results"][0]["steady"] = {"class": "flat", "rounds": 0, "seconds": 0.5 * i, "flat": 4,
                                                "warms_up": 0, "slows_down": 0, "no_steady_state": 0}
            document["results"][1]["steady"] = {"class": "no steady state" if i else "flat", "rounds": 6 * i, "seconds": 0,
                                                "flat": 0 if i else 4, "warms_up": 0, "slows_down": 0,
                                                "no_steady_state": 4 if i else 0}
            with open(file, "w", encoding="utf-8") as job:
                json.dump(document, job)
        _, document = self.merge(files)
        base, head = (result["steady"] for result in document["results"])
        self.assertEqual((base["class"], base["flat"], base["seconds"]), ("flat", 12, 0.5))
        self.assertEqual((head["class"], head["flat"], head["no_steady_state"], head["rounds"]), ("no steady state", 4, 8, 6))
        self.assertEqual(self.wall(document)["verdict"], "inconclusive")

    def test_the_order_of_files_does_not_matter(self):
        files = self.jobs(["n10", "n2", "n1", "n2"], "-r8")
        self.merge(files)
        with open(self.path("merged.json"), "rb") as first:
            wanted = first.read()
        for order in ((3, 2, 1, 0), (1, 3, 0, 2)):
            self.merge([files[i] for i in order])
            with open(self.path("merged.json"), "rb") as again:
                self.assertEqual(again.read(), wanted)
        self.assertEqual([h["name"] for h in json.loads(wanted)["run"]["merged"]["hosts"]], ["n1", "n2", "n10"])

    def test_a_report_is_the_same_to_the_last_byte(self):
        for options in (("-r12",), ("-r50", "--no-samples")):
            done, _ = self.merge(self.jobs(["n1", "n2", "n3", "n3"], *options), "--gate=wall_time=1%", code=3)
            again = lauka("report", self.path("merged.json"), "--json")
            with open(self.path("merged.json"), encoding="utf-8") as first:
                self.assertEqual(again.stdout, first.read())
            text = lauka("report", self.path("merged.json"), env={"LC_ALL": "C.UTF-8", "COLUMNS": "80"}).stdout
            self.assertEqual(text, done.stdout)

    def test_jobs_on_one_host_are_one_draw(self):
        done, document = self.merge(self.jobs(["n1", "n1", "n1"], "-r8"))
        self.assertNotEqual(self.wall(document)["method"], "t_over_hosts")
        self.assertEqual((self.wall(document)["pairs"], document["benchmarks"][0]["units"]["kind"]), (24, "round"))
        self.assertIn("all 3 jobs ran on n1", done.stdout)
        _, document = self.merge(self.jobs(["n1", "n1", "n2", "n3"], "-r8"))
        self.assertEqual([host["rounds"] for host in document["benchmarks"][0]["hosts"]], [16, 8, 8])
        self.assertEqual(self.wall(document)["units"], 3)

    def test_two_hosts_make_no_claim_together(self):
        done, document = self.merge(self.jobs(["n1", "n2"], "-r12"))
        wall = self.wall(document)
        self.assertEqual((wall["verdict"], wall["low"], wall["confidence"]), ("inconclusive", None, None))
        self.assertIn("both hosts agree that it is slower: +", self.flat(done.stdout))
        words = ("old cost=10ms", "new cost=10.3ms cost@n2=9.5ms")
        done, _ = self.merge(self.jobs(["n1", "n2"], "-r12", words=words))
        self.assertIn("two hosts do not agree: +", self.flat(done.stdout))

    def test_the_host_that_disagrees_is_named(self):
        words = ("old cost=10ms", "new cost=10.5ms cost@n4=9.7ms")
        done, _ = self.merge(self.jobs(["n1", "n2", "n3", "n4", "n5"], "-r12", words=words))
        self.assertRegex(self.flat(done.stdout), r"the hosts disagree: −\d\.\d+ % on n4\.")
        done, _ = self.merge(self.jobs(["n1", "n2", "n3", "n4", "n5"], "-r12"))
        self.assertNotIn("disagree", done.stdout)

    def test_histograms_are_added(self):
        """The histogram of 4 × 50 runs must be the histogram of all their values."""
        kept = self.merge(self.jobs(["n1", "n2", "n3", "n3"], "-r50"))[1]["results"]
        streamed = self.merge(self.jobs(["n1", "n2", "n3", "n3"], "-r50", "--no-samples"))[1]["results"]
        for one, other in zip(kept, streamed):
            for key in ("mean", "stddev", "min", "max"):
                self.assertEqual(one["metrics"]["wall_time"][key], other["metrics"]["wall_time"][key])
            self.assertEqual(one["metrics"]["wall_time"]["histogram"], other["metrics"]["wall_time"]["histogram"])

    def test_many_benchmarks_are_one_family(self):
        with open(self.path("config"), "w", encoding="utf-8") as file:
            for name, cost in (("a", 10), ("b", 11), ("c", 10)):
                file.write(f"[{name}]\nold cost=10ms\nnew cost={cost}ms\n")
        files = []
        for number in (1, 2, 3):
            files.append(self.path(f"{number}.json"))
            done = lauka("--backend=simulated:effects", "--config", self.path("config"), "-r8", "-q", "-n=old", "-n=new",
                         f"--job={number}/3", "--session=s", f"--host=n{number}", f"--json={files[-1]}", env=QUIET)
            self.assertEqual(done.returncode, 0, done.stderr)
        done, document = self.merge(files)
        self.assertEqual({c["benchmark"] for c in document["comparisons"] if c["verdict"] == "higher"}, {"b"})
        self.assertEqual({c["family"] for c in document["comparisons"] if c["metric"] == "wall_time"}, {6})
        self.assertIn("1 of 3 benchmarks is slower", done.stdout)

    def test_hosts_are_shown_over_one_axis(self):
        words = ("old cost=10ms", "new cost=10.5ms cost@n2=9.7ms")
        files = self.jobs(["n1", "n2", "n3"], "-r12", words=words)
        for width, locale in ((60, "C"), (80, "C.UTF-8"), (120, "C.UTF-8")):
            text = lauka("merge", *files, env={"COLUMNS": str(width), "LC_ALL": locale}).stdout
            self.assertLessEqual(max(map(len, text.splitlines())), width, text)
            rows = [line for line in text[text.index("on each host"):].splitlines()[1:5]]
            self.assertEqual([row.split()[0] for row in rows], ["n1", "n2", "n3", "all"])
            self.assertEqual([row.split()[-1] for row in rows], ["slower", "faster", "slower", "inconclusive"])
        mark = rows[1].index("●")
        self.assertTrue(mark < rows[1].index("┊") < rows[0].index("●"), text)
        lauka("merge", *files, f"--html={self.path('page.html')}")
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        chart = page[page.index("B against A on each host, wall_time"):]
        self.assertIn("2 slower, 1 faster", chart[:chart.index("</svg>")])

    def test_all_documents_tell_of_it(self):
        files = self.jobs(["n1", "n2", "n3"], "-r12")
        kinds = ("csv", "markdown", "html", "junit", "pr-comment", "bmf", "go-benchmark", "github-benchmark", "hlog")
        names = [self.path(kind) for kind in kinds]
        self.merge(files, "--gate=wall_time=1%", *(f"--{k}={n}" for k, n in zip(kinds, names)), code=3)
        for kind, name in zip(kinds, names):
            with open(name, encoding="utf-8") as file:
                text = file.read()
            self.assertIn("new", text, kind)
            if kind in ("markdown", "html", "pr-comment"):
                self.assertIn("3 hosts", text.replace("\u00a0", " "), kind)

    def test_pages_tell_what_each_host_found_and_is(self):
        files = self.jobs(["n1", "n2", "n3"], "-r12", words=("old cost=10ms", "new cost=10.5ms cost@n2=9.7ms"))
        page, comment, html = self.path("page.md"), self.path("comment.md"), self.path("page.html")
        self.merge(files, f"--markdown={page}", f"--pr-comment={comment}", f"--html={html}")
        for name in (page, comment):
            with open(name, encoding="utf-8") as file:
                text = file.read().replace("\u00a0", " ")
            rows = re.findall(r"^\| `(n\d)` \| 12 \| (\S+) .* \| (.*) \|$", text, re.M)
            self.assertEqual([(host, verdict.strip("*")) for host, _, verdict in rows],
                             [("n1", "slower"), ("n2", "faster"), ("n3", "slower")], text)
            self.assertEqual([change[0] for _, change, _ in rows], ["+", "−", "+"])
        self.assertIn("36 values on 3 hosts", text)
        self.assertNotIn("one host", text)
        self.assertEqual(re.findall(r"^\| Host (n\d) \| .*\d CPU", text, re.M), ["n1", "n2", "n3"])
        with open(html, encoding="utf-8") as file:
            self.assertEqual(re.findall(r">Host (n\d)</th>", file.read()), ["n1", "n2", "n3"])


class Gate(Session):
    def verdict(self, changed, hosts, *options, code, limit="wall_time=2%", rounds="-r12"):
        """`changed`: words of `new` besides its cost."""
        files = self.jobs(hosts, rounds, words=("old cost=10ms", "new " + changed))
        done, document = self.merge(files, f"--gate={limit}", *options, code=code)
        row = document["gate"]["limits"][0]
        return row["verdict"], row["hosts"]["failed"], row["hosts"]["passed"]

    def test_two_thirds_decide_and_nobody_says_the_opposite(self):
        six = [f"n{i}" for i in range(1, 7)]
        worse, same = "cost=11ms", "cost=10ms"
        unsure = " ".join(f"cost@n{i}=10.2ms" for i in (1, 2))  # exactly at the limit, so undecided
        self.assertEqual(self.verdict(worse, six, code=3), ("fail", 6, 0))
        self.assertEqual(self.verdict(same, six, code=0), ("pass", 0, 6))
        self.assertEqual(self.verdict(f"{worse} {unsure}", six, code=3), ("fail", 4, 0))
        self.assertEqual(self.verdict(f"{same} {unsure}", six, code=0), ("pass", 0, 4))
        self.assertEqual(self.verdict(f"{worse} {unsure} cost@n3=10.2ms", six, code=0), ("inconclusive", 3, 0))
        self.assertEqual(self.verdict(f"{worse} cost@n3=10ms", six, code=0), ("inconclusive", 5, 1))
        self.assertEqual(self.verdict(f"{worse} cost@n3=10ms", six, "--inconclusive=fail", code=4), ("inconclusive", 5, 1))

    def test_of_two_both_have_to(self):
        self.assertEqual(self.verdict("cost=11ms", ["n1", "n2"], code=3), ("fail", 2, 0))
        self.assertEqual(self.verdict("cost=11ms cost@n2=10.2ms", ["n1", "n2"], code=0), ("inconclusive", 1, 0))

    def test_a_budget_is_judged_so_too(self):
        self.assertEqual(self.verdict("cost=11ms", ["n1", "n2", "n3"], code=3, limit="wall_time<=10.5ms",
                                      rounds="-r60"), ("fail", 3, 0))

    def test_limits_of_the_jobs_hold(self):
        files = self.jobs(["n1", "n2", "n3"], "-r12", "--gate=wall_time=20%")
        _, document = self.merge(files)
        self.assertEqual(document["gate"]["verdict"], "pass")
        _, document = self.merge(files, "--gate=wall_time=1%", code=3)
        self.assertEqual(document["gate"]["verdict"], "fail")


class WhatIsMissing(Session):
    def test_a_job_that_finished_twice_counts_once(self):
        files = self.jobs(["n1", "n2", "n3"], "-r8")
        again = self.path("again.json")
        with open(files[1], encoding="utf-8") as file:
            job = json.load(file)
        job["run"]["job"].update(attempt=2, host="n9")
        with open(again, "w", encoding="utf-8") as file:
            json.dump(job, file)
        done, document = self.merge([*files, again])
        self.assertEqual([(j["number"], j["attempt"]) for j in document["run"]["merged"]["jobs"]], [(1, 1), (2, 2), (3, 1)])
        self.assertIn("job 2 of 3 is there twice: attempt 2 on n9 counts, attempt 1 on n2 does not", self.flat(done.stdout))

    def test_missing_jobs_are_listed(self):
        files = self.jobs(["n1", "n2", "n3", "n4", "n5"], "-r8")
        some = [files[0], files[2], files[3]]
        done, document = self.merge(some, code=1)
        self.assertIn("jobs 2, 5 of 5 are missing", done.stderr)
        self.assertEqual(document["run"]["stopped"], "error")
        self.merge(some, "--allow-missing=1", code=1)
        done, document = self.merge(some, "--allow-missing=2")
        self.assertIn("jobs 2, 5 of 5 are missing", self.flat(done.stdout))
        self.assertEqual(self.wall(document)["units"], 3)

    def test_with_jobs_missing_no_gate_passes(self):
        files = self.jobs(["n1", "n2", "n3", "n4"], "-r8")
        _, document = self.merge(files[:3], "--gate=wall_time=50%", code=1)
        self.assertEqual(document["gate"]["verdict"], "inconclusive")

    def test_a_command_that_failed_on_one_machine_has_failed(self):
        words = ("old cost=10ms", "new cost=10ms fail@n2=100%")
        files = [self.job(n, 3, f"n{n}", "-r8", words=words, code=5 if n == 2 else 0) for n in (1, 2, 3)]
        done, document = self.merge(files, "--gate=wall_time=50%", code=5)
        self.assertIn("job 2 of 3, on n2", done.stderr)
        self.assertIn("job 2 of 3, on n2", document["failure"]["reason"])
        self.merge(files, "--allow-missing=1")
        alone, _ = self.merge(files[1:2], "--allow-missing=2", code=5)
        self.assertIn("job 2 of 3, on n2", alone.stderr)


class Refused(Session):
    def refused(self, files, *says, code=2):
        done = lauka("merge", *files)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_what_differs_is_named(self):
        base = self.job(1, 2, "n1", "-r8", name="a.json")
        for options, words, session, of, says in (
                ((), None, "t", 2, "is of session t, but"), ((), None, "s", 3, "is one of 3 jobs, but"),
                (("-r9",), None, "s", 2, "option --runs"), (("--warmup=3",), None, "s", 2, "option --warmup"),
                (("--gate=wall_time=3%",), None, "s", 2, "--gate"),
                ((), ("old cost=10ms", "new", "third"), "s", 2, "has 3 commands, but")):
            other = self.job(2, of, "n2", *(options or ("-r8",)), *(() if "-r9" in options else ("-r8",)), words=words,
                             session=session, name="b.json")
            self.refused([base, other], f"{other}: ", says)
            self.refused([other, base], says)

    def changed(self, number, change, **keywords):
        file = self.job(number, 2, f"n{number}", "-r8", **keywords)
        with open(file, encoding="utf-8") as old:
            document = json.load(old)
        change(document)
        with open(file, "w", encoding="utf-8") as new:
            json.dump(document, new)
        return file

    def ran(self, number, *words, directory="/home/a"):
        """A job whose second command has these words, in a session in which all are called the same."""
        def change(document):
            document["results"][1]["argv"] = list(words)
            document["run"]["provenance"] = {"directory": directory}
        return self.changed(number, change)

    def test_what_ran_under_the_same_name_is_compared(self):
        for one, other, says in (
                (("./p", "10"), ("./p", "20"), "has another argument of `new` than"),
                (("./p", "10"), ("./q", "10"), "has another program of `new` than"),
                (("./p", "10"), ("./p",), "has another number of arguments of `new` than"),
                (("./p", "--in=/a/x"), ("./p", "--out=/b/x"), "has another argument of `new` than"),
                (("./p", "/a/x"), ("./p", "/a/y"), "has another argument of `new` than"),
                (("./p", "a/x"), ("./p", "b/x"), "has another argument of `new` than")):
            files = [self.ran(1, *one), self.ran(2, *other)]
            self.refused(files, f"{files[1]}: {says} {files[0]}: ")
            self.refused(files[::-1], says)

    def test_a_word_may_name_the_folder_of_its_job(self):
        """Each job may have run in a folder of its own."""
        words = ("{}/p", "--in={}/x", "cd {} && ./p <{}/y")
        files = [self.ran(n, *(word.format(folder, folder) for word in words), directory=folder)
                 for n, folder in ((1, "/home/a"), (2, "/home/bob/b"))]
        done, _ = self.merge(files)
        self.assertNotIn("same file", done.stdout)
        files[1] = self.ran(2, "/home/bob/b/p", "--in=/home/bob/b2/z", "cd /home/bob/b && ./p </home/bob/b/y",
                            directory="/home/bob/b")
        self.refused(files, "has another argument of `new`")

    def test_a_file_of_one_name_in_other_folders_is_told(self):
        done, _ = self.merge([self.ran(1, "./p", "--in=/scratch/1/x"), self.ran(2, "./p", "--in=/scratch/2/x")])
        self.assertIn("`new` names `--in=/scratch/1/x` in one job and `--in=/scratch/2/x` in another: lauka takes them for the "
                      "same file", self.flat(done.stdout))

    def test_parameters_and_commits_are_compared(self):
        def with_parameter(value):
            return lambda document: document["results"][1].update(parameters={"size": value})

        def of_commit(commit):
            about = {"commit": commit, "date": "2026-11-20", "subject": "s", "dirty": False}
            return lambda document: document["results"][1].update(revision=about)
        for change, one, other, says in ((with_parameter, "1", "2", "has another parameter size than"),
                                         (of_commit, "1" * 40, "2" * 40, "has another commit than")):
            files = [self.changed(1, change(one)), self.changed(2, change(other))]
            self.refused(files, says)
            self.merge([files[0], self.changed(2, change(one))])

    def test_how_it_ran_is_compared(self):
        for option, says in (("--env=A=2", "option --env"), ("--input=" + os.devnull, "option --input"), ("--prepare=true", "option --prepare")):
            self.refused([self.job(1, 2, "n1", "-r8"), self.job(2, 2, "n2", "-r8", option)], says)

    def test_programs_that_differ(self):
        def job(number, digits, commit):
            file = self.job(number, 2, f"n{number}", "-r8")
            with open(file, encoding="utf-8") as old:
                document = json.load(old)
            document["results"][1]["executable"] = {"bytes": 9, "sha256": digits * 64}
            document["run"]["provenance"] = {"commit": commit}
            with open(file, "w", encoding="utf-8") as new:
                json.dump(document, new)
            return file
        self.refused([job(1, "a", "1" * 40), job(2, "b", "2" * 40)], "`new` is another program than in",
                     "not known to be of the same commit")
        done, _ = self.merge([job(1, "a", "1" * 40), job(2, "b", "1" * 40)])
        self.assertIn("`new` is not the same file in all jobs, but of the same commit", self.flat(done.stdout))

    def test_foreign_files(self):
        job = self.job(1, 2, "n1", "-r8")
        plain = self.path("plain.json")
        lauka("--backend=simulated", "-r8", "a", "b", f"--json={plain}", env=QUIET)
        self.refused([job, plain], f"{plain}: is no job of a session")
        self.merge([job, self.job(2, 2, "n2", "-r8")])
        self.refused([self.path("merged.json")], "merged.json: is merged already")
        numbers = self.path("numbers")
        with open(numbers, "w", encoding="utf-8") as file:
            file.write("1\n2\n3\n")
        self.refused([job, numbers], f"{numbers}: is no job of a session")
        newer = self.path("newer.json")
        with open(job, encoding="utf-8") as old, open(newer, "w", encoding="utf-8") as new:
            new.write(old.read().replace("lauka-result/1.2", "lauka-result/9.0"))
        self.refused([job, newer], f"{newer}: schema: is newer than this lauka")
        self.refused([], "no job to merge")

    def test_damaged_files_are_named(self):
        job = self.job(1, 1, "n1", "-r8")
        with open(job, "rb") as file:
            whole = file.read()
        broken = self.path("broken.json")
        for content in (b"", whole[:len(whole) // 2], b"[" * 100000, whole.replace(b'"number": 1', b'"number": 7'),
                        whole.replace(b'"host": "n1"', b'"host": null'), whole.replace(b'"of": 1', b'"of": 4294967296')):
            with open(broken, "wb") as file:
                file.write(content)
            self.refused([job, broken], broken)

    def test_a_damaged_session_is_refused(self):
        self.merge(self.jobs(["n1", "n2", "n3"], "-r8"))
        with open(self.path("merged.json"), encoding="utf-8") as file:
            whole = json.load(file)

        def damage(change):
            document = json.loads(json.dumps(whole))
            change(document)
            with open(self.path("damaged.json"), "w", encoding="utf-8") as file:
                json.dump(document, file)
            done = lauka("report", self.path("damaged.json"))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("damaged.json: ", done.stderr)

        damage(lambda d: d["run"]["merged"]["jobs"][0].update(host=3))
        damage(lambda d: d["run"]["merged"].update(hosts=[]))
        damage(lambda d: d["run"]["merged"]["hosts"].pop())
        damage(lambda d: d["benchmarks"][0]["hosts"].pop())
        damage(lambda d: d["benchmarks"][0]["hosts"][0].update(rounds=9))
        damage(lambda d: d["benchmarks"][0]["units"]["of"].reverse())
        damage(lambda d: d["benchmarks"][0]["units"].update(kind="round"))
