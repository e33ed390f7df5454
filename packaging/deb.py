"""Debian packages, made by dpkg-deb: lauka, and liblauka-dev with the library and its headers."""
import os
import subprocess

import staged
from contents import SUMMARY, File

DEVELOPMENT = "Histograms, comparisons and reports of what programs measure: library and headers"


def control(name, version, system, size, summary, more=""):
    return (f"Package: {name}\nVersion: {version}\nArchitecture: {system.deb}\nSection: devel\nPriority: optional\n"
            f"Maintainer: the authors of lauka <lauka@invalid>\nInstalled-Size: {(size + 1023) // 1024}\n"
            f"{more}Description: {summary}\n")


def pack(folder, epoch, out):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "LC_ALL": "C", "DPKG_DEB_THREADS_MAX": "1"}
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "-z9", "--build", folder, out], env=environment, check=True,
                   stdout=subprocess.DEVNULL)


def write_one(stage, name, description, files, out):
    with staged.folder([*files, description], stage.epoch) as folder:
        pack(folder, stage.epoch, os.path.join(out, name))


def write(stage, system, out):
    version, libraries = stage.version, f"lib/{system.library}"
    packages = [
        ("lauka", list(stage.packaged_files(system, "share/zsh/vendor-completions/_lauka")), SUMMARY, ""),
        ("liblauka-dev", stage.development_files(system, libraries, "liblauka-dev"), DEVELOPMENT,
         "Depends: libc6 (>= 2.28), libc6-dev\n"),
    ]
    for name, files, summary, more in packages:
        text = control(name, version, system, sum(len(file.data) for file in files), summary, more)
        description = File("DEBIAN/control", text.encode())
        write_one(stage, f"{name}_{version}_{system.deb}.deb", description, files, out)
