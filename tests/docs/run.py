"""Runs what the documentation shows, so that no page goes stale.

    run.py LAUKA [PAGE...]     all of docs/ and README.md, or these pages

LAUKA_UPDATE_GOLDENS=1 rewrites the transcripts.

- A block ```sh is run line by line, in a folder with the files that pages mention. Sessions run on the
  simulated machine: a page shows how to call lauka, not how fast this machine is. A line that should fail
  says so: "# exit code 3".
- A block ```console is a transcript: `$ lauka ...`, then exactly what that prints.
- ```text and other blocks are not run. But every option in them and in the text must be one of lauka's, and
  every C name in ```c must be in a header. Code must not be marked by indentation alone, because it would
  escape these checks.
- Links to files and headings must lead somewhere.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
EXIT = re.compile(r"#.*\bexit code (\d+)")
OTHER_TOOLS = ("hyperfine ", "poop ", "perf ")
AS_IT_IS = ("keep", "report", "compare", "gate", "merge", "list", "doctor", "threads", "why", "help")
SEED = "--seed=7"
# Options of other programs, of programs that lauka measures, and of shell tools on the pages.
OPTIONS_OF_OTHERS = set("""--all-kernel --all-user --append --benchmark-disable --benchmark-skip --cap-add --cflags
    --check --control --debug-mode --global --hdr-log --ignore-missing --init --interval-count --latency
    --latency-correction --libs --log-fd --metric-only --min-benchmarking-time --no-big-num --no-filter --no-git
    --no-inherit --no-run --no-scale --no-tui --null --per-core --per-node --per-socket --per-thread --port --port-file
    --post --pre --prefix --recursive --refetch --release --repository --save --scope --size --smi-cost --static
    --strip-components --summary-trend-stats --sync --table --topdown --user --verify""".split())
REPORTING = "#!/bin/sh\necho p50: 12.5\n[ -z \"$LAUKA_REPORT_FD\" ] || echo rate 100 ops/s >&$LAUKA_REPORT_FD\n"

WRAPPER = """#!/bin/sh
# Sessions are pretended, unless they read what commands print; so is nothing that reads stored results.
case $1 in
{as_it_is}|-*help*|-h|-V|--version*) exec "$LAUKA" "$@" ;;
esac
case "$*" in
*--backend*) exec "$LAUKA" "$@" {seed} ;;
*--read*|*--ready*|*--same-output*|*@base*) exec "$LAUKA" -r 4 "$@" ;;
esac
case $1 in
noise|revisions) first=$1; shift; exec "$LAUKA" "$first" --backend simulated {seed} "$@" ;;
suite) exec "$LAUKA" "$@" ;;
*) exec "$LAUKA" --backend simulated {seed} "$@" ;;
esac
"""

PROGRAMS = ("before", "after", "base", "head", "old", "new", "tool", "prog", "a", "b", "v1", "v2", "v3", "x", "y")
BENCHMARKS = """--max-time=2s
-n=base
-n=head
[parse]
./base parse big.json
./head parse big.json
[render]
./base render page.html
./head render page.html
"""


def git(folder, *words):
    when = "2026-11-20T12:00:00Z"  # hashes stand in transcripts
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", folder, *words], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   env={**os.environ, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when})


def commit(folder, text, *files):
    (folder / "README").write_text(text, encoding="utf-8")
    git(folder, "add", "README", *files)
    git(folder, "commit", "-q", "-m", text)


def sandbox(folder, lauka):
    """Makes the files that pages mention, in a repository with a tag v1.2 and a branch main behind HEAD."""
    for name in PROGRAMS:
        (folder / name).write_text(REPORTING, encoding="utf-8")
        (folder / name).chmod(0o755)
        for i in range(1, 9):
            shutil.copy(folder / name, folder / f"{name}-{i}")
    for name in ("server-a", "server-b"):
        (folder / name).write_text("#!/bin/sh\necho Listening on port 80\nexec sleep 100\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    for name in ("old-tree", "new-tree"):
        (folder / name).mkdir()
        shutil.copy(folder / "prog", folder / name)
    (folder / "benchmarks.conf").write_text(BENCHMARKS, encoding="utf-8")
    (folder / "workloads.conf").write_text("[parse]\n./prog big.json\n[render]\n./prog page.html\n", encoding="utf-8")
    (folder / "big.txt").write_text("text\n" * 10, encoding="utf-8")
    for name, first in (("old", 100), ("new", 103)):
        numbers = [first + (i * 7 % 5) for i in range(20)]
        (folder / f"{name}.txt").write_text("".join(f"{n}\n" for n in numbers), encoding="utf-8")
        (folder / f"{name}.csv").write_text("run,ms\n" + "".join(f"{i},{n}\n" for i, n in enumerate(numbers)),
                                            encoding="utf-8")
        subprocess.run([lauka, "-q", "--backend", "simulated", f"--hlog={name}.hlog", f"--json={name}.json", f"./{name}"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([lauka, "-q", "--backend", "simulated", "--json=result.json", "./before", "./after"], cwd=folder,
                   check=True, stdout=subprocess.DEVNULL)
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "first", "prog")
    git(folder, "tag", "v1.2")
    commit(folder, "second")
    git(folder, "checkout", "-q", "-b", "work")
    commit(folder, "third")


class Page:
    def __init__(self, path, folder, environment):
        self.path, self.folder, self.environment = path, folder, environment
        self.text = path.read_text(encoding="utf-8")
        self.passed, self.failures = 0, []

    def expect(self, good, what):
        if good:
            self.passed += 1
        else:
            self.failures.append(f"{self.path.relative_to(ROOT)}: {what}")

    def shell(self, line):
        return subprocess.run(["sh", "-c", line], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)

    def run_lines(self, block):
        for line in block.replace("\\\n", " ").splitlines():
            if not line.strip() or line.startswith(OTHER_TOOLS):
                continue
            said = EXIT.search(line)
            done = self.shell(line)
            self.expect(done.returncode == (int(said.group(1)) if said else 0),
                        f"`{line}`: exit code {done.returncode}\n{done.stderr.decode(errors='replace')[-600:]}")

    def transcript(self, block):
        """Returns what the block should be."""
        first = block.split("\n", 1)[0]
        done = self.shell(first.removeprefix("$ "))
        printed = re.sub(r"[ ]+$", "", done.stdout.decode(), flags=re.M)
        return f"{first}\n{printed}"

    def run_blocks(self):
        def one(match):
            kind, block = match.groups()
            if kind == "sh":
                self.run_lines(block)
            if kind != "console":
                return match.group(0)
            now = self.transcript(block)
            if os.environ.get("LAUKA_UPDATE_GOLDENS"):
                block = now
            self.expect(block == now, f"the transcript is now\n{now}")
            return f"```console\n{block}```"
        text = BLOCK.sub(one, self.text)
        if text != self.text:
            self.path.write_text(text, encoding="utf-8")

    def expect_options(self, known):
        for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", self.text)) - OPTIONS_OF_OTHERS):
            self.expect(option in known, f"there is no option {option}")

    def expect_names_of_c(self, known):
        for kind, block in BLOCK.findall(self.text):
            for name in sorted(set(re.findall(r"\blauka_\w+|\bLAUKA_\w+", block if kind == "c" else ""))):
                self.expect(name in known, f"no header has {name}")

    def expect_fences(self):
        outside = BLOCK.sub("", self.text)
        self.expect(self.path.name == "architecture.md" or not re.search(r"^\n {4}\S", outside, re.M),
                    "code must stand between fences, so that it is checked")

    def follow_links(self):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", self.text, flags=re.M | re.S)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, heading = target.partition("#")
            file = (self.path.parent / name) if name else self.path
            self.expect(file.exists(), f"the link {target} leads nowhere")
            if heading and file.exists():
                self.expect(heading in headings(file), f"the link {target} names no heading")


def headings(file):
    """Returns the anchors of headings as forges make them: lower case, hyphens for spaces, no
    punctuation."""
    return {re.sub(r"[^\w\- ]", "", line).strip().lower().replace(" ", "-")
            for line in re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M)}


def main():
    lauka = os.path.abspath(sys.argv[1])
    pages = [pathlib.Path(page).resolve() for page in sys.argv[2:]] or [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
    passed, failures = 0, []
    with tempfile.TemporaryDirectory(prefix="lauka-docs-") as name:
        bin_folder = pathlib.Path(name, "bin")
        bin_folder.mkdir()
        wrapper = bin_folder / "lauka"
        wrapper.write_text(WRAPPER.format(as_it_is="|".join(AS_IT_IS), seed=SEED), encoding="utf-8")
        wrapper.chmod(0o755)
        (bin_folder / "make").write_text("#!/bin/sh\n", encoding="utf-8")
        (bin_folder / "make").chmod(0o755)
        environment = {"PATH": f"{bin_folder}:/usr/bin:/bin", "LAUKA": lauka, "HOME": name, "LC_ALL": "C.UTF-8",
                       "COLUMNS": "80", "XDG_CACHE_HOME": f"{name}/cache", "XDG_DATA_HOME": f"{name}/data", "TZ": "UTC"}
        template = pathlib.Path(name, "template")
        template.mkdir()
        sandbox(template, lauka)
        text = subprocess.run([lauka, "help", "all"], stdout=subprocess.PIPE, check=True, env=environment).stdout.decode()
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", text))
        names = set(re.findall(r"\w+", "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("include/*.h"))))

        def run_page(number):
            folder = pathlib.Path(name, f"page-{number}")
            shutil.copytree(template, folder, symlinks=True)
            page = Page(pages[number], folder, environment)
            page.run_blocks()
            page.expect_options(options)
            page.expect_names_of_c(names)
            page.expect_fences()
            page.follow_links()
            return page
        with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
            for page in pool.map(run_page, range(len(pages))):
                passed += page.passed
                failures += page.failures
    for failure in failures:
        print(f"FAIL: {failure}")
    print(f"docs: {passed} passed, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
