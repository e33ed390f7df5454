"""Checks the form of all packages, including those that cannot be installed on this machine."""
import base64
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import unittest
import zipfile

import bindings
import macho
import place
from contents import SYSTEMS
from place import dist, needed


def read(name):
    with open(dist(name), "rb") as file:
        return file.read()


def program(system):
    """Returns the program from the tarball."""
    top = f"lauka-{place.version()['version']}-{system.name}"
    with tarfile.open(dist(f"{top}.tar.gz")) as archive:
        return archive.extractfile(f"{top}/bin/lauka").read()


def wheels():
    return {name: zipfile.ZipFile(dist(name)) for name in os.listdir(place.DIST) if name.startswith("lauka-") and name.endswith(".whl")}


class Forms(unittest.TestCase):
    def setUp(self):
        self.version = place.version()["version"]

    def test_every_kind_is_there_and_nothing_else(self):
        v, found = self.version, set(os.listdir(place.DIST))
        expected = {"SHA256SUMS", "lauka.rb", f"lauka-{v}.cdx.json", f"lauka-{v}-source.tar.gz", f"lauka-{v}.tgz"}
        expected |= {name for language, name in bindings.names(v).items() if language != "python"}
        for system in SYSTEMS:
            expected |= {f"lauka-{v}-{system.name}.tar.gz", f"lauka-{'-'.join(system.npm)}-{v}.tgz"}
            if system.is_linux:
                expected |= {f"lauka_{v}_{system.deb}.deb", f"liblauka-dev_{v}_{system.deb}.deb",
                             f"lauka-{v}-1.{system.rpm}.rpm", f"lauka-devel-{v}-1.{system.rpm}.rpm"}
        self.assertEqual({name for name in found if not name.endswith(".whl")}, expected)
        self.assertEqual(len(found) - len(expected), len(SYSTEMS) + 1)  # one for all systems: the bindings

    def test_sums_are_those_of_the_files(self):
        lines = [line.split("  ") for line in read("SHA256SUMS").decode().splitlines()]
        self.assertEqual({name for _, name in lines} | {"SHA256SUMS"}, set(os.listdir(place.DIST)))
        for digest, name in lines:
            self.assertEqual(hashlib.sha256(read(name)).hexdigest(), digest, name)

    def test_tarballs_belong_to_nobody_in_particular(self):
        for name in os.listdir(place.DIST):
            if not name.endswith((".tar.gz", ".tgz")):
                continue
            with tarfile.open(dist(name)) as archive:
                entries = archive.getmembers()
            self.assertEqual({(entry.uid, entry.gid, entry.uname) for entry in entries}, {(0, 0, "root")}, name)
            self.assertEqual(len({entry.mtime for entry in entries}), 1, name)
            self.assertLessEqual({entry.mode for entry in entries}, {0o644, 0o755}, name)

    def test_every_kind_has_the_same_program(self):
        for system in SYSTEMS:
            expected = program(system)
            with tarfile.open(dist(f"lauka-{'-'.join(system.npm)}-{self.version}.tgz")) as archive:
                self.assertEqual(archive.extractfile("package/bin/lauka").read(), expected)
            inside = [wheel.read(f"lauka-{self.version}.data/scripts/lauka") for wheel in wheels().values()]
            self.assertEqual(inside.count(expected), 1, system)

    def test_mac_programs_are_mach_o_and_the_arm64_one_is_signed(self):
        for system in SYSTEMS:
            if system.is_linux:
                continue
            data = program(system)
            self.assertEqual(macho.architecture(data), {"arm64": "arm64", "x64": "x86_64"}[system.npm[1]])
            if system.npm[1] == "arm64":
                self.assertTrue(macho.is_signed(data))
                broken = bytearray(data)
                broken[len(data) // 3] ^= 1
                self.assertFalse(macho.is_signed(bytes(broken)))

    def test_linux_programs_are_static(self):
        for system in SYSTEMS:
            if system.is_linux:
                data = program(system)
                self.assertEqual(data[:4], b"\x7fELF")
                self.assertNotIn(b"/ld-musl", data)
                self.assertNotIn(b"/ld-linux", data)

    def test_a_wheel_tag_is_what_the_program_needs(self):
        tags = {name.removesuffix(".whl").split("-", 2)[2]: wheel for name, wheel in wheels().items()}
        for machine in ("x86_64", "aarch64"):
            self.assertIn(f"py3-none-manylinux2014_{machine}.manylinux_2_17_{machine}.musllinux_1_1_{machine}", tags)
        for machine in ("x86_64", "arm64"):
            tag = next(tag for tag in tags if re.fullmatch(rf"py3-none-macosx_\d+_\d+_{machine}", tag))
            data = tags[tag].read(f"lauka-{self.version}.data/scripts/lauka")
            told = tuple(map(int, tag.split("_")[1:3]))
            self.assertLessEqual(macho.oldest_system(data), told)
            self.assertEqual(macho.architecture(data), machine)

    def test_a_wheel_records_every_file(self):
        for name, wheel in wheels().items():
            about = f"lauka-{self.version}.dist-info"
            rows = list(csv.reader(io.StringIO(wheel.read(f"{about}/RECORD").decode())))
            self.assertEqual({row[0] for row in rows}, set(wheel.namelist()), name)
            for path, digest, size in rows:
                if digest:
                    data = wheel.read(path)
                    sum_ = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), (f"sha256={sum_}", str(len(data))), path)
            self.assertIn("Root-Is-Purelib: false", wheel.read(f"{about}/WHEEL").decode())

    def test_packages_for_other_machines_name_them(self):
        for system in SYSTEMS:
            if not system.is_linux:
                continue
            for name in ("lauka", "liblauka-dev"):
                told = subprocess.run([needed("dpkg-deb"), "-f", dist(f"{name}_{self.version}_{system.deb}.deb"), "Architecture"],
                                      stdout=subprocess.PIPE, text=True, check=True).stdout
                self.assertEqual(told.strip(), system.deb)
            for name in ("lauka", "lauka-devel"):
                told = subprocess.run([needed("rpm"), "-qp", "--nosignature", "--qf", "%{ARCH} %{BUILDHOST} %{OS}",
                                       dist(f"{name}-{self.version}-1.{system.rpm}.rpm")],
                                      stdout=subprocess.PIPE, text=True, check=True).stdout
                self.assertEqual(told, f"{system.rpm} lauka linux")

    def test_the_bill_of_materials_is_what_the_program_says(self):
        bill = json.loads(read(f"lauka-{self.version}.cdx.json"))
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.5"))
        self.assertRegex(bill["serialNumber"], r"^urn:uuid:[0-9a-f-]{36}$")
        self.assertEqual({part["name"]: part["version"] for part in bill["components"]}, place.version()["libraries"])
        own = bill["metadata"]["component"]
        self.assertEqual((own["name"], own["version"]), ("lauka", self.version))
        self.assertEqual(own["properties"], [{"name": "lauka:commit", "value": place.version()["commit"]}])
        for part in bill["components"]:
            self.assertTrue(part["licenses"][0]["license"]["id"], part)
            self.assertIn(part["bom-ref"], bill["dependencies"][0]["dependsOn"])

    def test_the_formula_has_the_tarballs_sums(self):
        formula = read("lauka.rb").decode()
        pairs = re.findall(r'url "[^"]*/([^/"]+)"\n +sha256 "([0-9a-f]{64})"', formula)
        self.assertEqual(len(pairs), len(SYSTEMS))
        for name, digest in pairs:
            self.assertEqual(hashlib.sha256(read(name)).hexdigest(), digest, name)
        blocks = re.findall(r"  on_(linux|macos) do\n((?:    .*\n)+)", formula)
        for system, block in blocks:
            for cpu, name in re.findall(r'on_(intel|arm) do\n +url "[^"]*/([^/"]+)"', block):
                machine = {"intel": "x86_64", "arm": "arm64" if system == "macos" else "aarch64"}[cpu]
                self.assertEqual(name, f"lauka-{self.version}-{machine}-{system}.tar.gz")

    def test_the_sources_hold_those_of_the_libraries(self):
        top = f"lauka-{self.version}"
        with tarfile.open(dist(f"{top}-source.tar.gz")) as archive:
            names = set(archive.getnames())
        for name in ("build.zig", "zigw", "runner/main.c", "libraries/libcsv/libcsv.c", "libraries/libcsv/COPYING.LESSER",
                     "libraries/cJSON/cJSON.c", "libraries/zlib/inflate.c"):
            self.assertIn(f"{top}/{name}", names)
