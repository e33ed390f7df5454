"""Writes the files of a package to a folder, for tools that need one. Modes and times are the package's,
not the user's."""
import contextlib
import os
import tempfile


def put(folder, file):
    path = os.path.join(folder, file.path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if file.link:
        os.symlink(file.link, path)
        return
    with open(path, "wb") as out:
        out.write(file.data)
    os.chmod(path, file.mode)


def settle(folder, epoch):
    """Sets times from the bottom up, because writing a file changes its folder's time."""
    for directory, folders, names in os.walk(folder, topdown=False):
        for name in names:
            os.utime(os.path.join(directory, name), (epoch, epoch), follow_symlinks=False)
        os.chmod(directory, 0o755)
        os.utime(directory, (epoch, epoch))


@contextlib.contextmanager
def folder(files, epoch):
    with tempfile.TemporaryDirectory() as directory:
        root = os.path.join(directory, "root")
        for file in files:
            put(root, file)
        settle(root, epoch)
        yield root
