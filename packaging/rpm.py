"""RPM packages, made by rpmbuild: lauka, and lauka-devel with the library and its headers."""
import os
import subprocess
import tempfile

import staged
from contents import SUMMARY

LICENCES = {"lauka": "MIT AND LGPL-2.1-or-later AND Zlib", "lauka-devel": "MIT AND Zlib"}
SPECIFICATION = """\
Name: {name}
Version: {version}
Release: 1
Summary: {summary}
License: {licences}
AutoReqProv: no
{more}
%description
{summary}.

%install
cp -a {root}/. %{{buildroot}}/

%files
{files}
"""
# A package must not depend on the machine, its clock or its configuration, and rpmbuild must not change any
# file.
SETTINGS = {
    "_buildhost": "lauka", "use_source_date_epoch_as_buildtime": "1", "clamp_mtime_to_source_date_epoch": "1",
    "source_date_epoch_from_changelog": "0", "__os_install_post": "%{nil}", "debug_package": "%{nil}",
    "_build_id_links": "none", "_binary_payload": "w9.xzdio", "_binary_filedigest_algorithm": "8",
    "_rpmfilename": "%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm", "optflags": "-Oz", "vendor": "%{nil}",
    "packager": "%{nil}", "distribution": "%{nil}", "dist": "%{nil}",
}
SHARED = {"usr", "usr/bin", "usr/lib64", "usr/lib64/pkgconfig", "usr/include", "usr/share", "usr/share/doc", "usr/share/man",
          "usr/share/man/man1", "usr/share/bash-completion", "usr/share/bash-completion/completions", "usr/share/zsh",
          "usr/share/zsh/site-functions", "usr/share/fish", "usr/share/fish/vendor_completions.d"}


def own_folders(files):
    """Returns the folders that are removed with the package; the other folders belong to other packages,
    too."""
    parents = set()
    for file in files:
        path = os.path.dirname(file.path)
        while path and path not in SHARED:
            parents.add(path)
            path = os.path.dirname(path)
    return sorted(parents)


def listed(files):
    yield from (f"%dir %attr(0755,root,root) /{path}" for path in own_folders(files))
    yield from (f"/{file.path}" if file.link else f"%attr({file.mode:04o},root,root) /{file.path}" for file in files)


def build(specification, system, epoch, out):
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, "lauka.spec")
        with open(path, "w", encoding="utf-8") as file:
            file.write(specification)
        settings = {**SETTINGS, "_topdir": top, "_rpmdir": out, "_tmppath": top}
        defined = [word for key, value in settings.items() for word in ("--define", f"{key} {value}")]
        environment = {"PATH": os.environ["PATH"], "HOME": top, "LC_ALL": "C", "TZ": "UTC", "SOURCE_DATE_EPOCH": str(epoch)}
        done = subprocess.run(["rpmbuild", "-bb", "--quiet", "--nodeps", "--target", f"{system.rpm}-linux", *defined, path],
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"rpmbuild failed:\n{done.stdout}")


def write(stage, system, out):
    packages = [
        ("lauka", list(stage.packaged_files(system, "share/zsh/site-functions/_lauka")), SUMMARY, ""),
        ("lauka-devel", stage.development_files(system, "lib64", "lauka-devel"),
         "Histograms, comparisons and reports of what programs measure: library and headers", "Requires: glibc-devel\n"),
    ]
    for name, files, summary, more in packages:
        with staged.folder(files, stage.epoch) as root:
            specification = SPECIFICATION.format(
                name=name, version=stage.version, summary=summary, licences=LICENCES[name], more=more, root=root,
                files="\n".join(listed(files)))
            build(specification, system, stage.epoch, os.path.abspath(out))
