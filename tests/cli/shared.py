"""Data that several tests read and none changes. The first test that needs it makes it, while the others
wait."""
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile

FOLDER = ""  # shared by all processes of the tests; run.py removes it
KEPT = ""  # the same, but it stays for the next time
INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")


def made(name, make, where=None):
    """Returns the folder with that name, filled by make(folder). It has another name until it is
    complete."""
    where = where or FOLDER
    folder = os.path.join(where, name)
    with open(folder + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(folder):
            begun = tempfile.mkdtemp(prefix=name, dir=where)
            try:
                make(begun)
            except BaseException:
                shutil.rmtree(begun)
                raise
            os.chmod(begun, 0o755)
            os.rename(begun, folder)
    return folder


def keep_in(folder):
    """Says where compiled programs stay. If nothing can be written there, they last as long as the
    tests."""
    global KEPT
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        pass
    KEPT = folder if os.access(folder, os.W_OK) else FOLDER


def compiler():
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def built(files, words):
    """Compiles these {name: text} with these words in a folder of their own, and returns that. With
    -Iinclude, include/ is there, too. What comes out stays until a word, a text or the compiler changes:
    most changes are of none of them."""
    files = dict(files)
    for header in os.listdir(INCLUDE) if "-Iinclude" in words else ():
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as file:
            files[f"include/{header}"] = file.read()
    about = os.stat(shutil.which(words[0]))
    key = repr((words, about.st_ino, about.st_size, about.st_mtime_ns, sorted(files.items())))

    def build(folder):
        os.mkdir(os.path.join(folder, "include"))
        for path, content in files.items():
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                file.write(content)
        done = subprocess.run([word.replace("@FOLDER@", folder) for word in words], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return made(hashlib.sha256(key.encode()).hexdigest()[:24], build, KEPT)


def compiled(source, *flags, by=None, static=False):
    """Compiles this source text; debug information names it /source/source.c. `static` is only a wish:
    valgrind and the kernel start a static program several times as fast, but not every system has a
    static libc."""
    words = [by or compiler(), *flags, "-fdebug-prefix-map=@FOLDER@=/source", "-o", "program", "source.c"]
    try:
        folder = built({"source.c": source}, [*words, "-static"] if static else words)
    except AssertionError:
        if not static:
            raise
        folder = built({"source.c": source}, words)
    return os.path.join(folder, "program")
