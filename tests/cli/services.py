"""Programs that run until they are ended: --ready, and --service with --load. The server is programs/serve.c, which
binds a port that the system chooses and tells it; programs/request.c asks it, and writes what wrk would."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys

import run
from interruption import Interrupting, environments_with
from run import lauka, program, without_blanks
from workers import alone

HERE = os.path.dirname(os.path.abspath(__file__))


def has_loopback():
    with socket.socket() as listening, socket.socket() as asking:
        asking.settimeout(5)
        try:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            asking.connect(listening.getsockname())
        except OSError:
            return False
    return True


class WithServer(Interrupting):
    def setUp(self):
        super().setUp()
        if not has_loopback():
            self.skipTest("there is no loopback interface here")
        self.serve = without_blanks(program("serve"), self.folder)
        self.request = without_blanks(program("request"), self.folder)
        self.marker = f"LAUKA_TEST_{os.getpid()}_{id(self)}"

    def ready(self, *arguments, code=0, **keywords):
        done = lauka("-q", f"--env={self.marker}=1", *arguments, cwd=self.folder, **keywords)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(environments_with(self.marker), [])
        return done

    def under_load(self, *arguments, a="", b=None, load="wrk", extra="", code=0, **keywords):
        """Two services that tell their port in a file, and requests to it."""
        sides = [f"--service=A:{self.serve} tell=port {a}"]
        if b is not None:
            sides.append(f"--service=B:{self.serve} tell=port {b}")
        return self.ready("--service-warmup=0s", "--ready=Listening", *sides, "--load", load,
                          f"{self.request} port {extra}", *arguments, code=code, **keywords)

    def result(self, *arguments, **keywords):
        return json.loads(self.under_load("--json", *arguments, **keywords).stdout)

    def refused(self, message, *arguments, code=2):
        done = lauka(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(message, done.stderr)


def means(result, side, metric):
    return result["results"][side]["metrics"][metric]["mean"]


def primary(result):
    return [name for name, metric in result["results"][0]["metrics"].items() if metric["primary"]]


class UntilReady(WithServer):
    def test_time_is_until_the_text(self):
        done = self.ready("-r6", "--json", "--ready", "Listening on",
                          f"{self.serve} wait=20", f"{self.serve} wait=80")
        result = json.loads(done.stdout)
        quick, slow = (means(result, side, "time_to_ready") for side in (0, 1))
        self.assertGreater(quick, 20e6)
        self.assertGreater(slow, 80e6)
        self.assertGreater(means(result, 0, "minor_faults"), 1)
        self.assertGreater(means(result, 0, "peak_rss"), 10000)
        self.assertNotIn("wall_time", result["results"][0]["metrics"])
        self.assertEqual(primary(result), ["time_to_ready"])

    def test_time_is_until_a_port_accepts(self):
        for _ in range(5):  # somebody else may take it meanwhile
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            done = lauka("-q", "-r2", "--json", f"--ready=tcp:{port}", f"{self.serve} wait=30 port={port}",
                         f"{self.serve} port={port}", cwd=self.folder)
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertGreater(means(result, 0, "time_to_ready"), 30e6)

    def test_a_port_that_connects_to_itself_accepts_nothing(self):
        """Where two ports are left to choose, many a connection to one is one to itself until somebody listens."""
        setup = ("import ctypes, fcntl, os, socket, struct, sys\n"
                 "if ctypes.CDLL(None).unshare(0x40000000): sys.exit(77)\n"  # CLONE_NEWNET
                 "with socket.socket() as s: fcntl.ioctl(s, 0x8914, struct.pack('16sh14x', b'lo', 1))\n"  # SIOCSIFFLAGS, IFF_UP
                 "with open('/proc/sys/net/ipv4/ip_local_port_range', 'w') as f: f.write('45001 45002')\n"
                 "os.execv(sys.argv[1], sys.argv[1:])\n")
        done = subprocess.run([sys.executable, "-c", setup, run.LAUKA, "-q", "--no-config", "-w0", "-r1", "--json", "--ready=tcp:45001",
                               f"{self.serve} wait=30 port=45001"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        if done.returncode == 77 or "PermissionError" in done.stderr or "Read-only" in done.stderr:
            self.skipTest("network namespaces cannot be made here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(means(json.loads(done.stdout), 0, "time_to_ready"), 30e6)

    def test_time_is_until_a_socket_accepts(self):
        done = self.ready("-r2", "--json", "--ready=unix:./sock", f"{self.serve} wait=30 unix=./sock")
        self.assertGreater(means(json.loads(done.stdout), 0, "time_to_ready"), 30e6)

    def test_time_is_until_a_byte(self):
        done = self.ready("-r2", "--json", "--ready=fd", f"{self.serve} wait=30")
        self.assertGreater(means(json.loads(done.stdout), 0, "time_to_ready"), 30e6)

    def test_a_text_may_come_in_pieces_on_either_stream_and_without_a_newline(self):
        pieces = self.script("pieces", "#!/bin/sh\necho noise\nprintf Ready >&2\nsleep 0.05\nprintf ' now' >&2\n"
                             "exec sleep 100\n")
        done = self.ready("-r2", "--json", "--ready=Ready now", pieces)
        self.assertGreater(means(json.loads(done.stdout), 0, "time_to_ready"), 50e6)
        apart = self.script("apart", "#!/bin/sh\necho Ready\necho now\nexec sleep 100\n")
        done = self.ready("-r2", "--timeout=200ms", "--ready=Ready now", apart, code=5)
        self.assertIn('did not write "Ready now"', done.stderr)

    def test_much_output_does_not_hold_it_up(self):
        floods = self.script("floods", "#!/bin/sh\nhead -c 3000000 /dev/zero\necho up\n"
                             "head -c 3000000 /dev/zero\nexec sleep 100\n")
        self.ready("-r2", "--ready=up", floods)

    def test_what_ignores_TERM_is_killed(self):
        done = self.ready("-w0", "-r1", "--ready=Listening", f"{self.serve} deaf", timeout=30)
        self.assertEqual(done.stderr, "")

    def test_what_it_leaves_behind_is_ended(self):
        self.ready("-r2", "--ready=Listening", f"{self.serve} leave")

    def test_the_cost_until_then_counts_children(self):
        parent = self.script("parent", "#!/bin/sh\nsh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; "
                             "echo up; exec sleep 100' & wait\n")
        done = self.ready("-r2", "--json", "--ready=up", parent)
        self.assertGreater(means(json.loads(done.stdout), 0, "cpu_time"), 20e6)

    def test_a_gate_judges_it(self):
        done = self.ready("-r8", "--gate=time_to_ready=50%", "--ready=Listening", f"{self.serve} wait=20",
                          f"{self.serve} wait=200", code=3)
        self.assertIn("time_to_ready", done.stdout + done.stderr)


class NotReady(WithServer):
    def test_what_never_becomes_ready_is_named_with_its_last_lines(self):
        done = self.ready("-w0", "-r3", "--ready=Listening", "--timeout=200ms", f"{self.serve} wait=never", code=5)
        self.assertIn("was not ready within its --timeout of 0.2 s: it did not write \"Listening\"", done.stderr)
        self.assertIn("serve: waiting for a database", done.stderr)

    def test_what_dies_is_named_with_its_last_lines(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = self.ready("-w0", "-r3", "--ready=Listening", f"{self.serve} port={port}", code=5)
            self.assertIn("failed with exit code 1 before it was ready", done.stderr)
            self.assertRegex(done.stderr, "serve: bind: Address (already )?in use")
            done = self.ready("-w0", "-r3", f"--ready=tcp:{port}", f"{self.serve} port={port}", code=5)
            self.assertIn(f"something else accepts connections to port {port} already", done.stderr)

    def test_what_goes_to_the_background_is_named(self):
        done = self.ready("-w0", "-r3", "--ready=never", f"{self.serve} fork", code=5)
        self.assertIn("ended with exit code 0 before it was ready (it must stay in the foreground)", done.stderr)

    def test_other_rounds_are_kept(self):
        third = self.script("third", f"#!/bin/sh\necho x >>count\n[ $(wc -l <count) != 3 ] || exit 7\n"
                            f"exec {self.serve}\n")
        done = self.ready("-w0", "-r4", "--json", "--ready=Listening", third, code=5)
        result = json.loads(done.stdout)
        self.assertEqual(result["run"]["rounds"], 2)
        os.unlink(self.path("count"))
        done = self.ready("-w0", "-r4", "--max-failures=1", "--json", "--ready=Listening", third)
        self.assertEqual(json.loads(done.stdout)["run"]["rounds"], 4)

    def test_a_missing_program_is_named(self):
        done = self.ready("--ready=up", "./missing", code=5)
        self.assertIn("./missing", done.stderr)

    def test_words_that_mean_nothing_are_refused(self):
        for ready in ("tcp:0", "tcp:65536", "tcp:http", "tcp:", "tcp:8080x"):
            self.refused("expected a port from 1 to 65535", f"--ready={ready}", "true")
        self.refused("300 characters, and that of a socket 107 at most", f"--ready=unix:{'x' * 300}", "true", code=5)
        self.refused("the path of a socket is missing", "--ready=unix:", "true")
        self.refused("a text within one line", "--ready=a\nb", "true")
        self.refused("cannot be combined with --ready", "--ready=up", "--counters=valgrind", "true")
        self.refused("cannot be combined with --ready", "--ready=up", "--output=pipe", "true")


class Interrupted(WithServer):
    def test_nothing_is_left_running(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            for wait in ("wait=never", "deaf"):
                where = ["--ready=Listening", "--ready=nothing"][wait == "deaf"]
                code, _, _ = self.interrupt(number, "-q", f"--env={self.marker}=1", "--cwd", self.folder, where,
                                            f"{self.serve} {wait}",
                                            once=lambda: environments_with(self.marker))
                self.assertIn(code, (128 + number, -number))
                self.await_true(lambda: not environments_with(self.marker))

    def test_nothing_is_left_running_under_load(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            for name in ("port", "loading"):
                if os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
            load = self.script("load", "#!/bin/sh\ntouch loading\nsleep 100\n")
            code, _, _ = self.interrupt(number, "-q", f"--env={self.marker}=1", "--cwd", self.folder,
                                        "--service-warmup=0s", "--ready=Listening",
                                        f"--service=A:{self.serve} tell=port leave", "--load", "wrk",
                                        f"sh -c 'cd {self.folder} && exec {load}'",
                                        once=lambda: os.path.exists(self.path("loading")))
            self.assertIn(code, (128 + number, -number))
            self.await_true(lambda: not environments_with(self.marker))


class Load(WithServer):
    def test_percentiles_rates_and_what_the_service_used_are_read(self):
        result = self.result("-r3", a="latency=1000 noise=10", b="latency=1200 noise=10")
        self.assertEqual([side["command"] for side in result["results"]], ["A", "B"])
        self.assertEqual(primary(result), ["p50"])
        self.assertAlmostEqual(means(result, 0, "p50") / 1e6, 1.0, delta=0.1)
        self.assertAlmostEqual(means(result, 1, "p50") / 1e6, 1.2, delta=0.12)
        self.assertLess(means(result, 0, "p50"), means(result, 0, "p99"))
        self.assertEqual(means(result, 0, "request_rate"), 100)
        self.assertEqual(means(result, 0, "errors"), 0)
        self.assertGreater(means(result, 0, "service_cpu_time"), 0)
        self.assertGreater(means(result, 0, "service_peak_rss"), 10000)
        self.assertGreater(means(result, 0, "time_to_ready"), 0)
        self.assertIn("--load", result["run"]["arguments"])

    def test_a_distribution_of_HdrHistogram_is_read(self):
        plain = self.result("-r2", a="latency=1000 noise=10 state=s")
        hdr = self.result("-r2", a="latency=1000 noise=10 state=t", load="hdr:us", extra="format=hdr count=3000")
        for metric in ("p50", "p90", "p99"):
            self.assertAlmostEqual(means(hdr, 0, metric) / means(plain, 0, metric), 1, delta=0.15)
        self.assertLess(means(hdr, 0, "p99"), means(hdr, 0, "p99.9"))

    def test_other_generators_formats_are_read(self):
        texts = {
            "wrk2": ("  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%    1.50ms\n 90.000%    2.00ms\n"
                     " 99.000%    3.00ms\n 99.900%    1.00s \n\n  Latency Distribution (HdrHistogram - Uncorrected)\n"
                     " 50.000%    9.50ms\n 90.000%    9.50ms\n 99.000%  9.50ms\n 99.900%    9.50ms\n"
                     "Requests/sec:   2000.10\n"),
            "oha": ("Summary:\n  Success rate:\t100.00%\n  Requests/sec:\t2000.10\n\nResponse time distribution:\n"
                    "  10.00% in 0.0001 secs\n  50.00% in 0.0015 secs\n  90.00% in 2.0000 ms\n  99.00% in 0.003 sec\n"
                    "  99.90% in 1 secs\n\nStatus code distribution:\n  [200] 100 responses\n\nError distribution:\n"
                    "  [5] aborted due to deadline\n"),
            "k6": ("     http_req_duration..............: avg=2ms min=1ms med=1.5ms max=4s p(90)=2ms p(99)=3ms p(99.9)=1s\n"
                   "       { expected_response:true }...: avg=9ms min=9ms med=9ms max=9ms p(90)=9ms p(99)=9ms\n"
                   "     http_req_failed................: 0.00%  \u2713 0        \u2717 100 \n"
                   "     http_reqs......................: 100    2000.1/s\n"),
        }
        for kind, text in texts.items():
            with open(self.path("out"), "w") as file:
                file.write(text)
            done = self.ready("-r1", "--json", "--service-warmup=0s", "--ready=Listening",
                              f"--service={self.serve}", "--load", kind, f"cat {self.path('out')}")
            result = json.loads(done.stdout)
            for metric, value in (("p50", 1.5e6), ("p90", 2e6), ("p99", 3e6), ("p99.9", 1e9), ("request_rate", 2000.1),
                                  ("errors", 0)):
                self.assertEqual(means(result, 0, metric), value, (kind, metric))

    def test_errors_are_counted_in_each_format(self):
        texts = {
            "wrk": "  50%  1.00ms\n  90%  1.00ms\n  99%  1.00ms\n  Socket errors: connect 1, read 2, write 3, "
                   "timeout 4\n  Non-2xx or 3xx responses: 5\nRequests/sec: 1\n",
            "oha": "  50.00% in 1 ms\n  90.00% in 1 ms\n  99.00% in 1 ms\n  Requests/sec: 1\n  [200] 7 responses\n"
                   "  [503] 12 responses\n\nError distribution:\n  [3] connection error\n  [5] aborted due to deadline\n",
            "k6": "http_req_duration....: avg=1ms med=1ms p(90)=1ms\nhttp_req_failed....: 15.00% 15 out of 100\n"
                  "http_reqs....: 100 1/s\n",
        }
        for kind, text in texts.items():
            with open(self.path("out"), "w") as file:
                file.write(text)
            session = ["-w0", "-r1", "--service-warmup=0s", "--ready=Listening", f"--service=S:{self.serve}",
                       "--load", kind, f"cat {self.path('out')}"]
            done = self.ready(*session, code=5)
            self.assertIn("S: its load counted 15 errors in round 1; -i accepts", done.stderr, kind)
            done = self.ready("-i", "--json", *session)
            self.assertEqual(means(json.loads(done.stdout), 0, "errors"), 15)

    def test_a_read_replaces_or_joins_what_a_generator_has(self):
        result = self.result("--read", r"requests=^ +([0-9]+) requests", "-r2", a="latency=1000")
        self.assertEqual(means(result, 0, "requests"), 100)
        result = self.result("--read", r"requests=^ +([0-9]+) requests", "-r2", load="read", a="latency=1000")
        self.assertEqual(primary(result), ["requests"])

    def test_a_closed_loop_gets_a_note(self):
        done = self.under_load("-r1", a="latency=1000")
        self.assertIn("coordinated", done.stdout)
        done = self.under_load("-r1", a="latency=1000", load="hdr:us", extra="format=hdr")
        self.assertNotIn("coordinated", done.stdout)

    def test_each_round_has_a_fresh_service_unless_it_is_kept(self):
        self.under_load("-r4", a="latency=1000 state=starts")
        with open(self.path("starts")) as file:
            self.assertEqual(file.read(), "4\n")
        os.unlink(self.path("starts"))
        result = self.result("-r8", "--keep-service=4", a="latency=1000 effect=3 state=starts",
                             b="latency=1000 state=others")
        with open(self.path("starts")) as file:
            self.assertEqual(file.read(), "2\n")
        self.assertEqual(result["benchmarks"][0]["units"], {"kind": "process", "count": 2, "of": [0] * 4 + [1] * 4})
        values = result["results"][0]["metrics"]["p50"]["values"]
        self.assertEqual([len(set(values[:4])), len(set(values[4:])), len(set(values))], [1, 1, 2])

    def test_a_warmup_is_cut_short_and_discarded(self):
        load = self.script("load", "#!/bin/sh\necho x >>loads\nsleep 0.3\necho y >>loads\necho value 1\n")
        self.ready("-r1", "--service-warmup=100ms", "--ready=Listening", f"--service={self.serve}",
                   "--read", "value=value ([0-9]+)", "--load", "read", load)
        with open(self.path("loads")) as file:
            self.assertEqual(file.read(), "x\nx\ny\n")

    def test_a_talkative_service_does_not_wait_for_lauka(self):
        self.under_load("-r1", a="latency=1000 log=20000")

    def test_many_claims_would_be_seen_and_a_tenth_is_found(self):
        """Run effects of 3 %, on the clock of the server: seeded, so each session ends as before."""
        claims = found = 0
        for seed in range(1, 9):
            for more in (0, 10):
                result = self.result("-r12", f"--seed={seed}", extra="count=20",
                                     a=f"latency=1000 effect=3 noise=2 state=a{more}",
                                     b=f"latency={1000 + 10 * more} effect=3 noise=2 state=b{seed}x{more}")
                verdict = next(c["verdict"] for c in result["comparisons"] if c["metric"] == "p50")
                claims += more == 0 and verdict in ("higher", "lower")
                found += more == 10 and verdict == "higher"
        self.assertLessEqual(claims, 2)
        self.assertGreaterEqual(found, 7)


class BadLoad(WithServer):
    def test_errors_are_a_failed_run_unless_accepted(self):
        done = self.under_load("-r2", a="latency=1000 status=503", code=5)
        self.assertIn("A: its load counted 100 errors in round 1; -i accepts", done.stderr)
        for accepted in ("-i", "-i=1"):
            result = self.result(accepted, "-r2", a="latency=1000 status=503")
            self.assertEqual(means(result, 0, "errors"), 100)
            self.assertGreater(means(result, 0, "service_peak_rss"), 10000)
        self.under_load("-i=2", "-r2", a="latency=1000 status=503", code=5)

    def test_a_generator_that_says_nothing_is_named(self):
        done = self.under_load("-r2", a="latency=1000", extra="mute", code=5)
        self.assertIn("A: its load wrote nothing that matches --read p50=", done.stderr)
        self.assertIn("wrk writes percentiles with --latency", done.stderr)
        self.assertIn("Listening on port", done.stderr)

    def test_a_generator_that_fails_is_named(self):
        done = self.ready("-r2", "--ready=Listening", f"--service=A:{self.serve}", "--load", "wrk",
                          "sh -c 'echo sorry >&2; exit 4'", code=5)
        self.assertIn("A: its load failed with exit code 4", done.stderr)
        self.assertIn("sorry", done.stderr)
        self.assertIn("Listening on port", done.stderr)
        done = self.ready("-r2", "--ready=Listening", f"--service=A:{self.serve}", "--load", "wrk", "./missing", code=5)
        self.assertIn("./missing", done.stderr)

    def test_a_service_that_dies_during_the_load_is_named(self):
        for dying in (0, 100):
            done = self.under_load("-r3", "--json", a="latency=1000",
                                   b=f"latency=1000 die=50 dying={dying}", code=5)
            self.assertIn("B: failed with exit code 3 during its load in round 1", done.stderr)
            self.assertIn("serve: out of order after 50 answers", done.stderr)

    def test_a_service_that_forks_is_named(self):
        done = self.under_load("-r3", a="fork wait=20", code=5)
        self.assertIn("(it must stay in the foreground)", done.stderr)

    def test_a_load_that_hangs_is_ended_at_the_timeout(self):
        done = self.ready("-w0", "-r1", "--timeout=300ms", "--service-warmup=0s", "--ready=Listening",
                          f"--service=A:{self.serve}", "--load", "wrk", "sleep 100", code=5)
        self.assertIn("A: its load took longer than its --timeout", done.stderr)

    def test_what_does_not_go_together_is_refused(self):
        serve = f"--service=A:{self.serve}"
        self.refused("--service needs --load", serve, "--ready=up")
        self.refused("--service needs --ready", serve, "--load", "wrk", "true")
        self.refused("--load needs --service", "--load", "wrk", "true", "--ready=up", "true")
        self.refused("need --service", "--keep-service=2", "--ready=up", "true")
        self.refused("expected wrk, wrk2, oha, k6, hdr", "--load", "siege", "x", serve, "--ready=up")
        self.refused("expected wrk, wrk2, oha, k6, hdr", "--load", "hdr:B", "x", serve, "--ready=up")
        self.refused("given twice", "--load", "wrk", "x", "--load", "wrk", "y", serve, "--ready=up")
        self.refused("is a command beside --service", serve, "--load", "wrk", "x", "--ready=up", "./other")
        self.refused("name a figure", serve, "--load", "read", "x", "--ready=up")


class Real(WithServer):
    """nginx and wrk, redis-server and redis-benchmark: on the loopback, at ports that were free."""

    def on_a_free_port(self, session):
        for _ in range(4):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            done = lauka("-q", "--json", f"--ready=tcp:{port}", *session(port), cwd=self.folder, timeout=120)
            if done.returncode == 0:
                return json.loads(done.stdout)
        self.fail(done.stderr)
        return None

    def needs(self, *names):
        for name in names:
            if not shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin"):
                self.skipTest(f"{name} is not installed")

    @alone("it makes load")
    def test_nginx_under_wrk(self):
        self.needs("nginx", "wrk")
        nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        os.mkdir(self.path("html"))
        with open(self.path("html/index.html"), "w") as file:
            file.write("hello\n")

        def session(port):
            for side in "ab":
                with open(self.path(f"{side}.conf"), "w") as file:
                    file.write(f"daemon off; pid {self.path('pid')}; error_log stderr; worker_processes 1; events {{}}\n"
                               f"http {{ access_log off; client_body_temp_path {self.path('t')}; "
                               f"server {{ listen 127.0.0.1:{port}; root {self.path('html')}; }} }}\n")
            os.chmod(self.folder, 0o755)
            return ["-r2", "--service-warmup=100ms",
                    *(f"--service={side}:{nginx} -p {self.folder} -c {self.path(side)}.conf" for side in "ab"),
                    "--load", "wrk", f"wrk --latency -t1 -c2 -d1 http://127.0.0.1:{port}/index.html"]

        result = self.on_a_free_port(session)
        for side in (0, 1):
            self.assertGreater(means(result, side, "p50"), 1000)
            self.assertGreater(means(result, side, "request_rate"), 10)
            self.assertGreater(means(result, side, "service_cpu_time"), 1e6)

    @alone("it makes load")
    def test_redis_under_its_own_benchmark(self):
        self.needs("redis-server", "redis-benchmark")
        result = self.on_a_free_port(lambda port: [
            "-r2", "--service-warmup=0s", *(f"--service={side}:redis-server --port {port} --save ''" for side in "ab"),
            "--read", r"p50:ms=GET.*requests per second, p50=([0-9.]+) msec",
            "--load", "read", f"redis-benchmark -p {port} -n 5000 -q -t get"])
        self.assertGreater(means(result, 0, "p50"), 1000)
        self.assertTrue(any("coordinated" in warning for warning in result["warnings"]))
