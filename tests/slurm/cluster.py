"""A real Slurm on this machine: virtual nodes on loopback, run by any user, in a folder of its own."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
CONFIGURATION = """ClusterName=lauka
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2
MpiDefault=none
ReturnToService=2
SlurmdTimeout=120
MailProg=/bin/true
"""


def missing():
    """Returns the programs that are missing."""
    return [name for name in NEEDED if not shutil.which(name, path=PATH)]


def free_ports(count):
    """Returns ports that nobody uses at the moment."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(what, condition, seconds):
    """Waits until the condition holds; after so many seconds, raises an error that names it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.3)
    raise TimeoutError(f"this did not happen within {seconds} s: {what}")


class Cluster:
    def __init__(self, nodes):
        self.folder = tempfile.mkdtemp(prefix="lslurm", dir="/tmp")  # the path of a socket has at most 107 bytes
        self.orphans = []
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": self.path("slurm.conf")}
        for name in list(self.environment):
            if name.startswith("SLURM") and name != "SLURM_CONF":
                del self.environment[name]

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, check=True, timeout=60):
        return subprocess.run(words, env=self.environment, check=check, timeout=timeout, capture_output=True, text=True)

    def up(self):
        os.chmod(self.folder, 0o755)
        os.mkdir(self.path("munge"), 0o700)
        os.mkdir(self.path("state"))
        with open(os.open(self.path("munge/key"), os.O_CREAT | os.O_WRONLY, 0o600), "wb") as key:
            key.write(os.urandom(1024))
        self.run("munged", f"--socket={self.path('munge.sock')}", f"--key-file={self.path('munge/key')}",
                 f"--pid-file={self.path('munge/pid')}", f"--log-file={self.path('munge/log')}",
                 f"--seed-file={self.path('munge/seed')}")
        ports = free_ports(1 + len(self.nodes))
        host = socket.gethostname().split(".")[0]
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=host, port=ports[0], folder=self.folder,
                                            user=self.run("id", "-un").stdout.strip()))
            for node, port in zip(self.nodes, ports[1:]):
                file.write(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                           f"CPUs={os.cpu_count()} State=UNKNOWN\n")
            file.write(f"PartitionName=bench Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP\n")
        self.run("slurmctld", "-c", "-f", self.path("slurm.conf"))
        for node in self.nodes:
            os.mkdir(self.path(f"spool.{node}"))
            self.run("slurmd", "-f", self.path("slurm.conf"), "-N", node)
        wait_for("nodes are idle", self.are_idle, 120)

    def are_idle(self):
        done = self.run("sinfo", "-h", "-t", "idle", "-o", "%D", check=False)
        return done.stdout.strip() == str(len(self.nodes))

    def kill(self, node, orphans):
        """Kills the node's daemon, and tells the controller that the node is down. Its processes live on
        until the end, as on a node that has lost its network."""
        self.orphans += orphans
        with open(self.path(f"{node}.pid"), encoding="utf-8") as file:
            os.kill(int(file.read()), signal.SIGKILL)
        self.run("scontrol", "update", f"nodename={node}", "state=down", "reason=killed")

    def tasks(self, array):
        """Returns what scontrol reports about each task of the array: number -> words."""
        found = {}
        for block in self.run("scontrol", "-a", "-o", "show", "job", array, check=False).stdout.splitlines():
            words = dict(word.split("=", 1) for word in block.split() if "=" in word)
            if words.get("ArrayTaskId", "").isdigit():
                found[int(words["ArrayTaskId"])] = words
        return found

    def down(self):
        for pid in self.orphans:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        pids = [self.path(f"{node}.pid") for node in self.nodes]
        for name in (*pids, self.path("controller.pid"), self.path("munge/pid")):
            try:
                with open(name, encoding="utf-8") as file:
                    os.kill(int(file.read()), signal.SIGTERM)
            except (OSError, ValueError):
                pass
        time.sleep(0.5)
        shutil.rmtree(self.folder, ignore_errors=True)
