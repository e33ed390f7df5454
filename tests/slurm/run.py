#!/usr/bin/env python3
"""Runs a session on a real Slurm with three virtual nodes, through examples/slurm: python3
tests/slurm/run.py LAUKA

An array has six tasks; one node is killed while it runs a task, and one task's command fails. Each task
must count once, and exit codes must be passed on. If Slurm is not installed, the test says so and is
skipped (Debian: slurm-wlm, munge)."""
import json
import os
import subprocess
import sys
import threading

import cluster

HOUSE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUBMIT = os.path.join(HOUSE, "examples", "slurm", "submit.sh")
LIMIT = 420  # seconds for everything
# The tasks start this script instead of lauka. The first attempt of task 2 hangs after it has its result;
# task 5 fails.
WRAPPER = """#!/bin/sh
[ "$1" = merge ] && exec {lauka} "$@"
task=$SLURM_ARRAY_TASK_ID
words='new cost=10.5ms'
[ "$task" = 5 ] && [ -e {folder}/fail ] && words='new cost=10.5ms fail=100%'
{lauka} --backend=simulated:effects -r12 -n=old -n=new "$@" 'old cost=10ms' "$words" || exit
if [ "$task" = 2 ] && [ -z "$SLURM_RESTART_COUNT" ] && [ -e {folder}/hang ]; then
    echo "$SLURMD_NODENAME $$ $PPID" > {folder}/hanging.part && mv {folder}/hanging.part {folder}/hanging
    exec sleep 600
fi
"""

passed = failed = 0


def expect(what, found, wanted):
    global passed, failed
    if found == wanted:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {found!r}, not {wanted!r}", flush=True)


class Submission(threading.Thread):
    """A running submit.sh."""

    def __init__(self, slurm, name, **environment):
        super().__init__(daemon=True)
        self.results = slurm.path(name)
        self.environment = {**slurm.environment, "LAUKA": slurm.path("lauka"), "RESULTS": self.results, **environment}
        self.code, self.text = None, ""
        self.start()

    def run(self):
        done = subprocess.run([SUBMIT, "6"], env=self.environment, capture_output=True, text=True, timeout=LIMIT)
        self.code, self.text = done.returncode, done.stdout + done.stderr

    def finish(self):
        self.join(LIMIT)
        if self.is_alive():
            raise TimeoutError(f"submit.sh did not end within {LIMIT} s")
        return self.code

    def session(self):
        with open(os.path.join(self.results, "session.json"), encoding="utf-8") as file:
            return json.load(file)

    def array(self, slurm):
        jobs = slurm.run("squeue", "-h", "-r", "-n", "lauka", "-o", "%F").stdout.split()
        return jobs[0] if jobs else None


def all_is_well(slurm):
    """Six tasks on three nodes; the script passes on the gate's exit code."""
    submission = Submission(slurm, "well", MERGE_OPTIONS="--gate=wall_time=2%")
    expect("a regression is exit code 3", submission.finish(), 3)
    merged = submission.session()["run"]["merged"]
    expect("all tasks", [job["number"] for job in merged["jobs"]], [1, 2, 3, 4, 5, 6])
    expect("hosts are nodes", {host["name"] for host in merged["hosts"]} <= set(slurm.nodes), True)
    expect("the answer is printed", "6 of 6 jobs on" in " ".join(submission.text.split()), True)


def start_again(slurm, array):
    """Whether Slurm has started task 2 again. It would wait for two minutes after a node failed, so it
    is told to start the task now."""
    tasks = slurm.tasks(array)
    if tasks.get(2, {}).get("JobState") == "PENDING" and tasks[2].get("Restarts", "0") != "0":
        slurm.run("scontrol", "update", f"jobid={array}_2", "starttime=now", check=False)
    return tasks.get(2, {}).get("Restarts", "0") != "0" and tasks[2].get("JobState") in ("RUNNING", "COMPLETED")


def a_node_is_killed(slurm):
    """The task of the killed node is started again, and one of its two results counts. Another task
    fails."""
    for name in ("hang", "fail"):
        with open(slurm.path(name), "w", encoding="utf-8"):
            pass
    submission = Submission(slurm, "killed")
    array = cluster.wait_for("the array is there", lambda: submission.array(slurm), 60)
    cluster.wait_for("task 2 hangs", lambda: os.path.exists(slurm.path("hanging")), 120)
    with open(slurm.path("hanging"), encoding="utf-8") as file:
        node, *orphans = file.read().split()
    slurm.kill(node, [int(pid) for pid in orphans])
    cluster.wait_for("task 2 is started again", lambda: start_again(slurm, array), 120)
    expect("a command that failed is exit code 5", submission.finish(), 5)
    codes = {number: words["ExitCode"] for number, words in slurm.tasks(array).items()}
    expect("exit codes of tasks", codes, {1: "0:0", 2: "0:0", 3: "0:0", 4: "0:0", 5: "5:0", 6: "0:0"})
    document = submission.session()
    jobs = document["run"]["merged"]["jobs"]
    expect("each task counts once", [job["number"] for job in jobs], [1, 2, 3, 4, 6])
    expect("the later attempt counts", [job["attempt"] for job in jobs if job["number"] == 2], [2])
    expect("on another node", node in [document["run"]["merged"]["hosts"][j["host"]]["name"] for j in jobs if j["number"] == 2], False)
    expect("the failure is reported", "(job 5 of 6, on n" in document["failure"]["reason"], True)
    allowed = subprocess.run([slurm.path("lauka"), "merge", "--allow-missing=1", "--gate=wall_time=50%",
                              *(os.path.join(submission.results, name) for name in sorted(os.listdir(submission.results))
                                if name.startswith("task-") and name.endswith(".json"))], capture_output=True, text=True)
    expect("one may be missing", allowed.returncode, 0)
    expect("and is reported", "job 2 of 6 is there twice" in " ".join(allowed.stdout.split()), True)


def main():
    lacking = cluster.missing()
    if lacking:
        print(f"skipped: {', '.join(lacking)} not installed (Debian: slurm-wlm, munge)\nslurm: 0 passed, 0 failed")
        return 0
    slurm = cluster.Cluster(3)
    try:
        slurm.up()
        with open(slurm.path("lauka"), "w", encoding="utf-8") as file:
            file.write(WRAPPER.format(lauka=os.path.abspath(sys.argv[1]), folder=slurm.folder))
        os.chmod(slurm.path("lauka"), 0o755)
        all_is_well(slurm)
        a_node_is_killed(slurm)
    except (TimeoutError, subprocess.SubprocessError, OSError) as error:
        expect("the cluster works", str(error), "")
    finally:
        slurm.down()
    print(f"slurm: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
