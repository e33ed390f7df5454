"""Tests that need toolchains of other languages: what is missing is skipped, with its name."""
import shutil
import time


class Skipped(Exception):
    pass


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed")


def run_each(subject, attempt, functions, chosen):
    """Calls attempt(function) with each function that is named in `chosen`; with all, if none is. Returns whether one failed."""
    passed = failed = 0
    for function in functions:
        name = function.__name__
        if chosen and name not in chosen:
            continue
        begun = time.monotonic()
        try:
            attempt(function)
            passed += 1
        except Skipped as why:
            print(f"skipped: {name}: {why}")
        except AssertionError as why:
            failed += 1
            print(f"FAILED {name}: {why}")
        print(f"  {name} took {time.monotonic() - begun:.0f} s", flush=True)
    print(f"{subject}: {passed} passed, {failed} failed")
    return failed != 0
