"""Runs tests in several processes at once, and those that have to be alone one by one at the end."""
import os
import signal
import sys
import time
import traceback
import unittest
from multiprocessing import connection


def alone(why):
    """Marks a test, or a class of them, that other tests would disturb, or that disturbs them: why."""
    def mark(test):
        test.alone = why
        return test
    return mark


def once(why):
    """Marks a test, or a class of them, that tells nothing new of lauka compiled another way: why."""
    def mark(test):
        test.once = why
        return test
    return mark


def marked(test, mark):
    return hasattr(test, mark) or hasattr(getattr(test, test._testMethodName, None), mark)


def name_of(test):
    return test.id().replace("__main__.", "run.", 1)


def each(suite):
    """The single tests of a suite: every one once, also where a file imports another's class."""
    seen = {}
    waiting = [suite]
    while waiting:
        test = waiting.pop()
        if isinstance(test, unittest.TestSuite):
            waiting.extend(reversed(list(test)))
        else:
            seen.setdefault(test.id(), test)
    return list(seen.values())


def processors():
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Told:
    """What came of a test, as it goes through a pipe: "" of one that passed."""

    def __init__(self, outcome, text="", seconds=0.0, cpu=0.0):
        self.outcome, self.text, self.seconds, self.cpu = outcome, text, seconds, cpu


def run_one(test):
    begin, before, result = time.monotonic(), os.times(), unittest.TestResult()
    try:
        unittest.TestSuite([test]).run(result)
    except KeyboardInterrupt:
        test.doCleanups()  # what unittest leaves out here: folders and processes
        raise
    after = os.times()
    text = "".join(f"{name_of(which)}\n{what}\n" for which, what in result.failures + result.errors)
    text += "".join(f"{name_of(which)}: passed, though it is expected to fail\n" for which in result.unexpectedSuccesses)
    skipped = not text and bool(result.skipped)
    text = text or "".join(f"{name_of(which)}: {why}" for which, why in result.skipped)
    return Told("skipped" if skipped else "failed" if text else "passed", text,
                time.monotonic() - begin, sum(after[:4]) - sum(before[:4]))


class Worker:
    """A process of its own: what a test does to the environment, descriptors or signals stays in it."""

    def __init__(self, tests):
        self.pipe, theirs = connection.Pipe()
        self.index = self.name = None
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            self.pipe.close()
            self.serve(tests, theirs)
        theirs.close()

    @staticmethod
    def serve(tests, pipe):
        status = 1
        try:
            while True:
                pipe.send(run_one(tests[pipe.recv()]))
        except EOFError:
            status = 0  # nothing more to do
        except KeyboardInterrupt:
            status = 130
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def give(self, index, name):
        self.index, self.name = index, name
        self.pipe.send(index)

    def told(self):
        """The result, or how the process ended without one."""
        try:
            return self.pipe.recv()
        except EOFError:
            return Told("failed", f"{self.name}\nits process ended: {os.waitstatus_to_exitcode(self.end())}\n")

    def end(self):
        self.pipe.close()
        return os.waitpid(self.pid, 0)[1]


def run_in(count, tests, indices, results):
    """Runs those tests in so many processes; results[index] is what came of each."""
    waiting, busy, idle = list(reversed(indices)), [], []
    try:
        while waiting or busy:
            while waiting and len(busy) < count:
                worker = idle.pop() if idle else Worker(tests)
                busy.append(worker)
                index = waiting.pop()
                worker.give(index, name_of(tests[index]))
            ready = connection.wait([worker.pipe for worker in busy])
            for worker in [worker for worker in busy if worker.pipe in ready]:
                busy.remove(worker)
                results[worker.index] = worker.told()
                if not worker.pipe.closed:
                    idle.append(worker)
    except KeyboardInterrupt:
        for worker in busy:  # a terminal has told them, kill(1) has not; either is enough
            os.kill(worker.pid, signal.SIGINT)
        raise
    finally:
        for worker in busy + idle:
            worker.pipe.close()  # of all first: later ones hold the descriptors of those before
        for worker in busy + idle:
            worker.end()


def run(name, tests, count, times=False):
    """Runs all of them, tells what failed in the order of the tests, and "NAME: N passed, N failed". The
    exit code."""
    results = {}
    together = [i for i, test in enumerate(tests) if not marked(test, "alone")]
    apart = [i for i, test in enumerate(tests) if marked(test, "alone")]
    interrupted = False
    try:
        run_in(count, tests, together, results)
        run_in(1, tests, apart, results)
    except KeyboardInterrupt:
        interrupted = True
    told = [results[i] for i in sorted(results)]
    for result in told:
        if result.outcome == "failed":
            print(f"FAILED {result.text}")
        elif result.outcome == "skipped":
            print(f"skipped: {result.text}")
    if times:
        for i in sorted(results, key=lambda i: -results[i].seconds):
            print(f"{results[i].seconds:7.2f} s, CPU {results[i].cpu:6.2f} s  {name_of(tests[i])}")
    if interrupted:
        print(f"interrupted: {len(results)} of {len(tests)} tests were run")
    outcomes = [result.outcome for result in told]
    print(f"{name}: {outcomes.count('passed')} passed, {outcomes.count('failed')} failed", flush=True)
    return 130 if interrupted else int("failed" in outcomes)
