"""Runs tests in several processes at once, and those that must be alone one by one at the end."""
import os
import signal
import sys
import time
import traceback
import unittest
from multiprocessing import connection


def alone(why):
    """Marks a test, or a class, that other tests would disturb, or that would disturb them. `why` is the
    reason."""
    def mark(test):
        test.alone = why
        return test
    return mark


def once(why):
    """Marks a test, or a class, that shows nothing new if lauka is compiled in another way. `why` is the
    reason."""
    def mark(test):
        test.once = why
        return test
    return mark


def early(why):
    """Marks a test, or a class, that begins before the others, so that nobody waits for it at the end.
    `why` is the reason."""
    def mark(test):
        test.early = why
        return test
    return mark


def marked(test, mark):
    return hasattr(test, mark) or hasattr(getattr(test, test._testMethodName, None), mark)


def name_of(test):
    return test.id().replace("__main__.", "run.", 1)


def each(suite):
    """Returns each single test of a suite once, even if a file imports another file's class."""
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
    """The outcome of a test, as it is sent through a pipe. The text of a passed test is ""."""

    def __init__(self, outcome, text="", seconds=0.0, cpu=0.0):
        self.outcome, self.text, self.seconds, self.cpu = outcome, text, seconds, cpu


def run_one(test):
    begin, before, result = time.monotonic(), os.times(), unittest.TestResult()
    try:
        unittest.TestSuite([test]).run(result)
    except KeyboardInterrupt:
        test.doCleanups()  # unittest skips this here: it removes folders and ends processes
        raise
    after = os.times()
    text = "".join(f"{name_of(which)}\n{what}\n" for which, what in result.failures + result.errors)
    text += "".join(f"{name_of(which)}: passed, although it is expected to fail\n" for which in result.unexpectedSuccesses)
    skipped = not text and bool(result.skipped)
    text = text or "".join(f"{name_of(which)}: {why}" for which, why in result.skipped)
    return Told("skipped" if skipped else "failed" if text else "passed", text,
                time.monotonic() - begin, sum(after[:4]) - sum(before[:4]))


class Worker:
    """A process of its own, so that a test's changes to the environment, descriptors or signals stay in
    it."""

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
        """Returns the result, or, without one, a failure that says how the process ended."""
        try:
            return self.pipe.recv()
        except EOFError:
            return Told("failed", f"{self.name}\nthe process of this test ended with {os.waitstatus_to_exitcode(self.end())}\n")

    def end(self):
        self.pipe.close()
        return os.waitpid(self.pid, 0)[1]


def run_in(count, tests, indices, results):
    """Runs these tests in `count` processes. results[index] is the outcome of each."""
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
        # Ctrl-C has signalled the workers, too; kill(1) has not. A second signal does no harm.
        for worker in busy:
            os.kill(worker.pid, signal.SIGINT)
        raise
    finally:
        for worker in busy + idle:
            worker.pipe.close()  # close all pipes first: later workers inherited the descriptors of earlier ones
        for worker in busy + idle:
            worker.end()


def run(name, tests, count, times=False):
    """Runs all tests, prints the failures in the order of the tests, and "NAME: N passed, N failed".
    Returns the exit code."""
    results = {}
    together = [i for i, test in enumerate(tests) if not marked(test, "alone")]
    together.sort(key=lambda i: not marked(tests[i], "early"))
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
