"""Data that several tests read and none changes. The first test that needs it makes it, while the others
wait."""
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile

FOLDER = ""  # shared by all processes of the tests; run.py removes it


def made(name, make):
    """Returns the folder with that name, filled by make(folder). It has another name until it is
    complete."""
    folder = os.path.join(FOLDER, name)
    with open(folder + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(folder):
            begun = tempfile.mkdtemp(prefix=name, dir=FOLDER)
            make(begun)
            os.chmod(begun, 0o755)
            os.rename(begun, folder)
    return folder


def compiler():
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def compiled(source, *flags, by=None, static=False):
    """Compiles this source text; debug information names it /source/source.c. `static` is only a wish:
    valgrind and the kernel start a static program several times as fast, but not every system has a
    static libc."""
    words = [by or compiler(), *flags]

    def compile_it(folder):
        with open(os.path.join(folder, "source.c"), "w", encoding="utf-8") as file:
            file.write(source)
        for further in (["-static"], []) if static else ([],):
            done = subprocess.run([*words, *further, f"-fdebug-prefix-map={folder}=/source", "-o", "program", "source.c"],
                                  cwd=folder, capture_output=True, text=True)
            if done.returncode == 0:
                return
        raise AssertionError(done.stderr)
    name = hashlib.sha256("\0".join((*words, str(static), source)).encode()).hexdigest()[:24]
    return os.path.join(made(name, compile_it), "program")
