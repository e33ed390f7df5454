"""What lauka merge costs: many jobs with many benchmarks, each a file, become one session.

    merge_jobs.py LAUKA [JOBS [BENCHMARKS [ROUNDS]]]
"""
import os
import subprocess
import sys
import tempfile
import time


def main():
    lauka = sys.argv[1]
    jobs, benchmarks, rounds = (int(word) for word in [*sys.argv[2:], *("64", "24", "20")[len(sys.argv) - 2:]])
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/config", "w", encoding="utf-8") as file:
            for i in range(benchmarks):
                file.write(f"[b{i:02}]\nbase cost={5 + i}ms\nhead cost={5 + i}ms\n")
        files = [f"{folder}/{job}.json" for job in range(1, jobs + 1)]
        for job, name in enumerate(files, 1):
            subprocess.run([lauka, "--backend=simulated:effects", "--config", f"{folder}/config", f"-r{rounds}", "-q",
                            "-n=base", "-n=head", "--style=none", f"--json={name}", f"--job={job}/{jobs}", "--session=s",
                            f"--host=n{job}"], check=True, stdin=subprocess.DEVNULL)
        size = sum(os.path.getsize(name) for name in files) / 1e6
        print(f"{jobs} jobs of {benchmarks} benchmarks, {rounds} rounds, {size:.1f} MB (goals: 2 s, 100 MB)")
        for what in ([], [f"--json={folder}/session.json"]):
            begun = time.monotonic()
            child = subprocess.Popen([lauka, "merge", *files, *what], stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            print(f"merge {' '.join(what)[:6]}: {time.monotonic() - begun:.2f} s, {used.ru_utime + used.ru_stime:.2f} s of "
                  f"CPU time, {used.ru_maxrss / 1024:.1f} MiB, exit code {status >> 8}")


if __name__ == "__main__":
    main()
