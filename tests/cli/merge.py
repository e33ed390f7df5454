"""Sessions that several machines measure: what each job is, and what lauka merge makes of them."""
import json
import os

from run import InScratch, lauka

STARTERS = ("SLURM_", "SLURMD_", "CI_", "CIRCLE_", "BUILDKITE_")
# The same environment wherever these tests are run.
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
                              (("--job=1/2", "--session=s", "--host="), "--host : expected letters")):
            done = lauka("--backend=simulated", "-r1", *options, "a", env=QUIET)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(says, done.stderr)

    def test_a_word_may_be_about_one_machine(self):
        def means(host):
            done = lauka("--backend=simulated:effects", "-r5", "--json", f"--host={host}", "--seed=1",
                         "a noise=0%", "b noise=0% cost@n2=12ms", env=QUIET)
            return [round(r["mean"] * 1000, 3) for r in json.loads(done.stdout)["results"]]
        self.assertEqual((means("n1"), means("n2")), ([10, 10], [10, 12]))
