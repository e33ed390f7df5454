#!/usr/bin/env python3
"""Histogram logs are exchanged between lauka and HdrHistogram for Java, both ways: every header, bucket and
count must arrive. What tests/vectors says that Java reads from others' logs, Java does read. python3 tests/interop/run.py PROGRAM, where PROGRAM is tests/interop/interop.c.

Needs a JDK and Debian's libhdrhistogram-java. Without them nothing is tested, which is a failure in CI.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

JAR = os.environ.get("LAUKA_HDRHISTOGRAM_JAR", "/usr/share/java/hdrhistogram.jar")
JAVA = ["java", "-cp", JAR, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Interop.java")]

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vectors/hdr/logs/*.hlog")
JAVA_CANNOT = ("/java-1.2.1-small.hlog", "/rust-plain.hlog")

passed = failed = 0


def said(command):
    """Returns what the command prints; the command must succeed."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def expect(sentence, writer, reader, path):
    global passed, failed
    try:
        written, read = said([*writer, "write", path]), said([*reader, "read", path])
        same = written == read and written.count("\n") > 1000
        difference = next((f"{w!r} became {r!r}" for w, r
                           in zip(written.splitlines(), read.splitlines()) if w != r),
                          "the length differs")
    except (OSError, RuntimeError) as error:
        same, difference = False, error
    if same:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {sentence}\n  {difference}")


def expect_vector(path):
    global passed, failed
    with open(path.removesuffix(".hlog") + ".expected", encoding="utf-8") as file:
        expected = file.read()
    same = said([*JAVA, "read", path]) == expected
    passed, failed = passed + same, failed + (not same)
    if not same:
        print(f"FAILED Java reads something else from {path}")


def main():
    lauka = [os.path.abspath(sys.argv[1])]
    if not (shutil.which("java") and shutil.which("javac") and os.path.exists(JAR)):
        print("interop: skipped, because a JDK or HdrHistogram for Java is not installed")
        return 1 if os.environ.get("CI") else 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.hlog")
        expect("what lauka wrote, lauka reads", lauka, lauka, path)
        expect("what lauka wrote, Java reads", lauka, JAVA, path)
        expect("what Java wrote, lauka reads", JAVA, lauka, path)
    for path in sorted(glob.glob(VECTORS)):
        if not path.endswith(JAVA_CANNOT):
            expect_vector(path)
    print(f"interop: {passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
