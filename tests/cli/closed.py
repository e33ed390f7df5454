"""A stdout that nobody reads to its end: `lauka ... | head -1`. run.py runs these tests."""
import json
import os
import subprocess

import run
from run import InScratch, lauka

SLOWER = ("--no-config", "--backend=simulated:effects", "--seed=1", "-r20", "a cost=10ms", "b cost=20ms")
SAME = ("--no-config", "--backend=simulated:effects", "--seed=1", "-r20", "a cost=10ms noise=0.1%", "b cost=10ms noise=0.1%")


class ClosedPipes(InScratch):
    def unread(self, *arguments):
        """Runs lauka with a pipe as stdout that has no reader; returns its exit code and its stderr."""
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run([run.LAUKA, *arguments], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE,
                                  cwd=self.folder, text=True, timeout=60)
        finally:
            os.close(writer)
        return done.returncode, done.stderr

    def test_lauka_ends_without_a_word_as_if_by_sigpipe(self):
        stored, merged = self.path("stored.json"), self.path("job.json")
        self.assertEqual(lauka(*SLOWER, f"--json={stored}").returncode, 0)
        self.assertEqual(lauka(*SLOWER, "--job=1/1", "--session=s", "--host=n1", f"--json={merged}").returncode, 0)
        for words in (["help", "all"], ["help", "gate"], ["--help=fish"], ["--help"], ["--help=man"], ["--version"],
                      ["--version=json"], ["list"], ["list", "--json"], ["list", "--chip=M1"], ["doctor"], ["doctor", "--json"],
                      ["threads", str(os.getpid())], ["threads", str(os.getpid()), "--interval=10", "--json"],
                      ["report", stored], ["report", stored, "--full"], ["report", stored, "--plot"],
                      ["compare", stored, stored], ["merge", merged, "--json=-"],
                      ["gate", stored, stored, "--unpaired", "--gate=wall_time=1%", "-q"],
                      [*SLOWER, "-q"], [*SLOWER, "-q", "--full"], [*SLOWER, "-q", "--github"],
                      *([*SLOWER, "-q", f"--{form}=-"] for form in ("json", "csv", "csv-samples", "markdown", "html", "hlog", "bmf")),
                      [*SLOWER, "-q", "--json=/dev/stdout"]):
            self.assertEqual(self.unread(*words), (141, ""), words)

    def test_a_reader_that_has_enough_ends_it_too(self):
        piped = f"'{run.LAUKA}' list --json | head -c 1; echo ${{PIPESTATUS[*]}}"
        done = subprocess.run(["bash", "-c", piped], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertIn(done.stdout[1:].strip(), ("141 0", "0 0"))  # 0: all of it was in the pipe
        self.assertEqual(done.stderr, "")

    def test_what_failed_has_failed_and_files_are_written(self):
        for gate, same, code in (("wall_time=1%", False, 3), ("wall_time=50%", True, 141)):
            documents = [f"--{form}={form}" for form in ("json", "junit", "html", "pr-comment")]
            done = self.unread(*(SAME if same else SLOWER), f"--gate={gate}", *documents)
            self.assertEqual(done[0], code, done)
            self.assertEqual("gate: FAIL" in done[1], code == 3, done)
            self.assertNotIn("stdout", done[1])
            with open(self.path("json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["run"]["rounds"], 20)
            for form in ("junit", "html", "pr-comment"):
                self.assertGreater(os.path.getsize(self.path(form)), 100)
                os.remove(self.path(form))
            stored = self.unread("gate", self.path("json"), f"--gate={gate}")
            self.assertEqual(stored[0], code, stored)
        self.assertEqual(self.unread("-q", "-r1", "-w0", "sh -c 'exit 7'", "true")[0], 5)
        self.assertEqual(self.unread(*SAME, "-q", "--gate=wall_time=0.0001%", "--inconclusive=fail")[0], 4)

    def test_a_full_disk_is_still_an_error(self):
        for words in (["help", "all"], ["--list-benchmarks", "-L", "n", "1,2", "true {n}", "false"]):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([run.LAUKA, *words], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr),
                             (1, "lauka: cannot write to stdout: No space left on device\n"), words)

    def test_a_document_of_its_own_is_not_stdout(self):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run([run.LAUKA, *SLOWER, f"--json=/dev/fd/{writer}"], stdin=subprocess.DEVNULL,
                                  capture_output=True, pass_fds=[writer], text=True, timeout=60)
        finally:
            os.close(writer)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Broken pipe", done.stderr)
