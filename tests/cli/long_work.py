"""What happens to long work that is cut short. run.py runs these tests."""
import json
import os
import signal
import subprocess
import time

import run
from mishaps import environments_with
from run import InScratch, lauka


class LongWork(InScratch):
    def wait_for(self, condition, seconds=40):
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertTrue(condition())

    def test_a_killed_session_leaves_what_was_known_ten_seconds_ago(self):
        out = self.path("r.json")
        with open(out, "w") as file:
            file.write("old")
        os.chmod(out, 0o640)
        process = subprocess.Popen([run.LAUKA, "-r", "1000000", "-w", "0", f"--json={out}",
                                    f"--csv={self.path('r.csv')}", "sleep 0.02", "sleep 0.03"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        # The documents are replaced one after the other, so a kill between two leaves only the first one
        # new.
        self.wait_for(lambda: os.path.getsize(out) > 3 and os.path.getsize(self.path("r.csv")) > 0)
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = json.load(open(out))  # complete, whenever lauka was killed
        self.assertEqual((result["run"]["samples"], result["run"]["stopped"]), (False, "interrupted"))
        self.assertGreater(result["run"]["rounds"], 3)
        self.assertEqual(result["results"][1]["metrics"]["wall_time"]["count"], result["run"]["rounds"])
        self.assertEqual(os.stat(out).st_mode & 0o777, 0o640)
        again = lauka("report", out)
        self.assertIn("wall_time", again.stdout, again.stderr)
        self.assertIn("sleep 0.03", open(self.path("r.csv")).read())
        self.assertEqual(sorted(os.listdir(self.folder)), ["r.csv", "r.json"])

    def test_of_commands_one_after_the_other_all_that_ran_are_kept(self):
        out = self.path("r.json")
        process = subprocess.Popen([run.LAUKA, "--order=sequential", "-r", "5", "-w", "0", f"--json={out}",
                                    "sleep 0.001", "sleep 5", "true"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        known = lambda: json.load(open(out))["results"] if os.path.getsize(out) > 3 else []
        self.wait_for(lambda: os.path.exists(out) and known())
        self.assertEqual([r["command"] for r in known()], ["sleep 0.001"])
        self.wait_for(lambda: len(known()) == 2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = json.load(open(out))
        self.assertEqual(result["results"][0]["metrics"]["wall_time"]["count"], 5)
        self.assertGreaterEqual(result["results"][1]["metrics"]["wall_time"]["count"], 1)
        self.assertTrue(result["run"]["unpaired"])
        self.assertIn("sleep 5", lauka("report", out).stdout)

    def test_of_benchmarks_all_that_ran_are_kept(self):
        out = self.path("r.json")
        with open(self.path("config"), "w") as file:
            file.write("--runs=9999\n--warmup=0\n[first]\nsleep 0.05\n[second]\nsleep 0.05\n")
        process = subprocess.Popen([run.LAUKA, "--config", self.path("config"), f"--json={out}"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": self.folder})
        self.addCleanup(process.kill)

        def known():
            try:
                return json.load(open(out))["benchmarks"]
            except ValueError:
                return []  # it is being written just now

        self.wait_for(lambda: os.path.exists(out) and known())
        process.send_signal(signal.SIGKILL)
        process.wait()
        first, second = known()
        self.assertEqual((first["name"], second["name"]), ("first", "second"))
        self.assertGreater(min(first["rounds"], second["rounds"]), 3)  # they took turns
        self.assertEqual((first["stopped"], second["stopped"]), ("interrupted", "interrupted"))
        self.wait_for(lambda: not environments_with(f"TMPDIR={self.folder}"))  # nothing goes on running

    def test_an_interrupted_session_has_its_samples_and_no_file_beside(self):
        out = self.path("r.json")
        process = subprocess.Popen([run.LAUKA, "-r", "1000000", "-w", "0", f"--json={out}", "sleep 0.02"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.kill)
        self.wait_for(lambda: os.path.exists(out) and os.path.getsize(out) > 3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130)
        result = json.load(open(out))
        self.assertEqual(len(result["results"][0]["times"]), result["run"]["rounds"])
        self.assertEqual(os.listdir(self.folder), ["r.json"])
