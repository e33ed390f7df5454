"""Runs the command-line tests as a user who is not root, where /proc shows nobody else's processes (hidepid=2) and
there is no network.

    python3 tests/another_user.py LAUKA PROGRAMS [OPTION...]

The options are those of tests/cli/run.py. Root makes a copy of the checkout that this user owns; the tests see it
in mount, PID and network namespaces of their own. Anybody else is such a user already, and runs them as they are.
"""
import os
import shutil
import subprocess
import sys
import tempfile

USER = 65534  # nobody; commands of these tests belong to the same user
LEFT_OUT = (".git", ".zig-cache", "zig-out", "__pycache__")
# The shell, process 1, stays root's: one that is not shown.
IN_NAMESPACES = ["unshare", "--pid", "--mount", "--net", "--fork", "--kill-child", "sh", "-c",
                 'mount -t proc -o hidepid=2 proc /proc || exit; "$@"; exit $?', "sh"]
AS_USER = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]


def copy_for_user(lauka, programs, folder):
    """Returns the command for the tests in the copy."""
    checkout = os.path.join(folder, "checkout")
    shutil.copytree(".", checkout, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    shutil.copytree(programs, os.path.join(folder, "programs"))
    shutil.copy(lauka, os.path.join(folder, "lauka"))
    kept = os.path.join(".zig-cache", "tests")  # compiled programs of tests
    if os.path.isdir(kept):
        shutil.copytree(kept, os.path.join(checkout, kept))
    os.mkdir(os.path.join(folder, "home"))
    for place, folders, files in os.walk(folder):
        for name in [".", *folders, *files]:
            os.chown(os.path.join(place, name), USER, USER, follow_symlinks=False)
    return ["python3", "-B", "tests/cli/run.py", "../lauka", "../programs"], checkout


def main():
    lauka, programs, *options = sys.argv[1:]
    if os.geteuid() != 0:
        return subprocess.run([sys.executable, "-B", "tests/cli/run.py", lauka, programs, *options], check=False).returncode
    with tempfile.TemporaryDirectory(prefix="lauka-user") as folder:
        os.chmod(folder, 0o755)
        command, checkout = copy_for_user(lauka, programs, folder)
        # Not what CI sets: as another user, some tests have to be skipped.
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": os.path.join(folder, "home"), "LANG": "C.UTF-8"}
        hidden = subprocess.run([*IN_NAMESPACES, "true"], check=False).returncode == 0
        if not hidden:
            print("skipped: hidepid and the missing network, as this root may not make namespaces", flush=True)
        words = [*(IN_NAMESPACES if hidden else []), *AS_USER, *command, *options]
        return subprocess.run(words, cwd=checkout, env=environment, check=False).returncode


sys.exit(main())
