"""A temporary Linux with a hardware PMU: an emulated arm64 machine, so that counting is tested even if no
CI machine has counters. With icount, one instruction takes one nanosecond of the machine's time, and counts
in user mode are the same in every run.

Kernel and busybox are Debian packages, downloaded by name into a cache; the machine's own apt is not
changed. Files that a script leaves in /out are returned as a dictionary."""
import glob
import io
import lzma
import os
import shutil
import stat
import subprocess
import tarfile
import tempfile

from big_little import make_tree

# A kernel version -> the packages that may provide it. In some releases of Debian, the last one has that
# version.
KERNELS = {"6.12": ("linux-image-6.12-cloud-arm64", "linux-image-cloud-arm64"),
           "6.1": ("linux-image-6.1-cloud-arm64", "linux-image-cloud-arm64")}
# The modules that the console ports need unless they are built in, in the order of loading.
MODULES = ("virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci",
           "virtio_console")
TOOLS = {"qemu-system-aarch64": "qemu-system-arm", "dpkg-deb": "dpkg",
         "dtc": "device-tree-compiler"}

INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /out /root
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t tmpfs -o mode=1777 tmp /tmp
/bin/busybox --install -s /bin
export PATH=/box:/bin HOME=/root TERM=dumb
chmod 777 /out
for module in %s; do
    [ ! -f /lib/vm/$module.ko ] || insmod /lib/vm/$module.ko
done
until grep -qs '^out$' /sys/class/virtio-ports/*/name; do usleep 2000; done
port=/dev/$(basename $(dirname $(grep -ls '^out$' /sys/class/virtio-ports/*/name)))
cd /box
sh ./script </dev/null >/out/stdout 2>/out/stderr
echo $? >/out/status
tar -C /out -cf - . >$port
poweroff -f
""" % " ".join(MODULES)


class CannotRun(Exception):
    """Says why no machine can be started here."""


def run(*words, **keywords):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **keywords)
    if done.returncode:
        raise CannotRun(f"{' '.join(words)} failed:\n{done.stdout[-2000:]}")
    return done.stdout


def see_to_tools():
    """Installs missing tools by name, if that is permitted."""
    missing = sorted({package for tool, package in TOOLS.items() if not shutil.which(tool)})
    if not missing:
        return
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise CannotRun(f"please install {' '.join(missing)}")
    install = ("apt-get", "-qy", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends",
               "install", *missing)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        run(*install, env=environment)
    except CannotRun:
        run("apt-get", "-q", "update")
        run(*install, env=environment)


# ---- kernel and busybox --------------------------------------------------------------------------

def cache_folder():
    home = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME") or "/root") + "/.cache"
    return os.path.join(home, "lauka", "vm")


def private_apt(folder):
    """Returns the environment of an apt for arm64, with this machine's sources and its own state."""
    for name in ("lists/partial", "archives/partial"):
        os.makedirs(os.path.join(folder, name))
    open(os.path.join(folder, "status"), "w").close()
    conf = os.path.join(folder, "apt.conf")
    with open(conf, "w") as file:
        file.write(f"""APT::Architecture "arm64";
#clear APT::Architectures;
APT::Architectures {{ "arm64"; }};
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State "{folder}";
Dir::State::lists "{folder}/lists";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}";
Debug::NoLocking "1";
""")
    return {**os.environ, "APT_CONFIG": conf}


def kernel_package(environment, version):
    """Returns the package that one of the meta-packages depends on."""
    for meta in KERNELS[version]:
        found = subprocess.run(("apt-cache", "depends", meta), env=environment, text=True,
                               capture_output=True).stdout
        for line in found.splitlines():
            words = line.replace("<", " ").replace(">", " ").split()
            if words[:1] == ["Depends:"] and words[1].startswith(f"linux-image-{version}."):
                return words[1]
    raise CannotRun(f"this machine's apt sources have no arm64 kernel {version} "
                    f"({' or '.join(KERNELS[version])})")


def fetch(target, version):
    """Fills a folder with vmlinuz, busybox and modules."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(target)) as new:
        environment = private_apt(os.path.join(new, "apt"))
        run("apt-get", "-q", "update", env=environment)
        run("apt-get", "-q", "download", kernel_package(environment, version), "busybox-static",
            env=environment, cwd=new)
        unpacked, ready = os.path.join(new, "unpacked"), os.path.join(new, "ready")
        os.mkdir(ready)
        for package in glob.glob(os.path.join(new, "*.deb")):
            run("dpkg-deb", "-x", package, unpacked)
        take = {"vmlinuz": "boot/vmlinuz-*", "busybox": "**/bin/busybox"}
        for name, pattern in take.items():
            found = glob.glob(os.path.join(unpacked, pattern), recursive=True)
            if not found:
                raise CannotRun(f"the packages have no {pattern}")
            shutil.copyfile(found[0], os.path.join(ready, name))
        for module in MODULES:
            for path in glob.glob(os.path.join(unpacked, f"**/{module}.ko*"), recursive=True):
                with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
                    content = file.read()
                with open(os.path.join(ready, module + ".ko"), "wb") as file:
                    file.write(content)
        if not os.path.isdir(target):
            os.rename(ready, target)


def boot_files(version="6.12"):
    target = os.path.join(cache_folder(), "arm64-" + version)
    if not os.path.isdir(target):
        if not shutil.which("apt-get"):
            raise CannotRun("an arm64 kernel is downloaded with apt-get, which is not installed")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        fetch(target, version)
    return target


# ---- the file system in memory -------------------------------------------------------------------

class Archive:
    """A cpio archive in the newc format, which the kernel unpacks: initramfs-buffer-format."""

    def __init__(self):
        self.data = bytearray()
        self.count = 0
        self.folders = set()

    def entry(self, name, mode, content=b""):
        self.count += 1
        name = name.encode() + b"\0"
        fields = (self.count, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
        self.data += b"070701" + b"".join(b"%08X" % field for field in fields) + name
        self.data += b"\0" * (-len(self.data) % 4) + content
        self.data += b"\0" * (-len(self.data) % 4)

    def file(self, name, content, mode=0o755):
        parts = name.split("/")
        for i in range(1, len(parts)):
            folder = "/".join(parts[:i])
            if folder not in self.folders:
                self.folders.add(folder)
                self.entry(folder, stat.S_IFDIR | 0o755)
        self.entry(name, stat.S_IFREG | mode, content)

    def finish(self):
        self.entry("TRAILER!!!", 0)
        return bytes(self.data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def initial_files(kernel, programs, script):
    archive = Archive()
    archive.file("init", INIT.encode())
    archive.file("bin/busybox", read(os.path.join(kernel, "busybox")))
    for module in glob.glob(os.path.join(kernel, "*.ko")):
        archive.file("lib/vm/" + os.path.basename(module), read(module))
    for program in programs:
        archive.file("box/" + os.path.basename(program), read(program))
    archive.file("box/script", script.encode())
    archive.file("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:u:/tmp:/bin/sh\n")
    archive.file("etc/group", b"root:x:0:\nuser:x:1000:\n")
    return archive.finish()


# ---- the machine ---------------------------------------------------------------------------------

def boot(programs, script, pmu=True, icount=True, big_little=False, version="6.12", parameters="",
         timeout=900):
    """Runs a script as root, in a folder with the programs. Returns the files that it left in /out as
    {name: text}, including "stdout", "stderr" and "status". big_little: four CPUs of two core types, the
    faster ones last. parameters: the kernel's, besides our own."""
    see_to_tools()
    kernel = boot_files(version)
    board, model, cpus = "virt,gic-version=3", "cortex-a72", 4 if big_little else 1
    with tempfile.TemporaryDirectory() as scratch:
        initrd, out, console = (os.path.join(scratch, name) for name in ("initrd", "out", "console"))
        with open(initrd, "wb") as file:
            file.write(initial_files(kernel, programs, script))
        words = ["qemu-system-aarch64", "-M", board, "-cpu", f"{model},pmu={'on' if pmu else 'off'}",
                 "-smp", str(cpus), "-m", "384",
                 "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none",
                 "-no-reboot", "-kernel", os.path.join(kernel, "vmlinuz"), "-initrd", initrd,
                 "-append", f"console=ttyAMA0 quiet panic=-1 rdinit=/init audit=0 nokaslr {parameters}",
                 "-chardev", f"file,id=con,path={console}", "-serial", "chardev:con",
                 "-device", "virtio-serial-pci", "-chardev", f"file,id=out,path={out}",
                 "-device", "virtserialport,chardev=out,name=out"]
        if big_little:
            words += ["-dtb", make_tree(run, board, model, cpus, scratch)]
        if icount:
            words += ["-icount", "shift=0,sleep=off", "-rtc", "clock=vm"]
        try:
            run(*words, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise CannotRun(f"the machine did not finish within {timeout} s:\n"
                            + read(console).decode(errors="replace")[-2000:]) from None
        try:
            with tarfile.open(fileobj=io.BytesIO(read(out))) as archive:
                files = {os.path.normpath(member.name): archive.extractfile(member).read().decode()
                         for member in archive if member.isfile()}
        except (OSError, tarfile.TarError):
            files = {}
        if "status" not in files:
            raise CannotRun("the machine ended without a result:\n"
                            + read(console).decode(errors="replace")[-2000:])
        return files
