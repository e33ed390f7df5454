"""lauka's results (schema/lauka-result.schema.json, version 1) as dataclasses. Members have the schema's names; what
later versions add is ignored, and all that was read is in `raw`."""
import dataclasses
import json
import os
import subprocess
from typing import Any, Dict, List, Optional, Sequence, Union


class Error(Exception):
    """lauka wrote no result, or a file has none. exit_code: lauka's own; 0 if it did not run."""

    def __init__(self, message: str, exit_code: int = 0):
        super().__init__(message)
        self.exit_code = exit_code


@dataclasses.dataclass(frozen=True)
class Metric:
    """One metric of one command, in its own unit. None: it could not be measured."""
    unit: str
    better: str
    source: str
    primary: bool
    count: int
    mean: Optional[float]
    stddev: Optional[float]
    min: Optional[float]
    max: Optional[float]
    median: Optional[float]


@dataclasses.dataclass(frozen=True)
class Command:
    """One command, or one side of a benchmark. Times are in seconds."""
    command: str
    mean: Optional[float]
    stddev: Optional[float]
    median: Optional[float]
    user: Optional[float]
    system: Optional[float]
    min: Optional[float]
    max: Optional[float]
    parameters: Dict[str, str]
    argv: Optional[List[str]]
    metrics: Dict[str, Metric]
    benchmark: Optional[str] = None
    side: Optional[str] = None
    steady: Optional[Dict[str, Any]] = None

    def get_counter(self, name: str) -> Optional[float]:
        """The mean of a metric over all runs; None if it was not measured."""
        return self.metrics[name].mean if name in self.metrics else None

    def get_ipc(self) -> Optional[float]:
        """Instructions per cycle; None if one of them was not counted."""
        instructions, cycles = self.get_counter("instructions"), self.get_counter("cycles")
        return instructions / cycles if instructions is not None and cycles else None


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A command against the reference in one metric. ratio, low and high: 1 is no change."""
    reference: int
    command: int
    metric: str
    primary: bool
    verdict: Optional[str]
    ratio: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    benchmark: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """One of several benchmarks of a session."""
    rounds: int
    stopped: str
    name: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Result:
    results: List[Command]
    comparisons: List[Comparison]
    benchmarks: List[Benchmark]
    warnings: List[str]
    gate: Optional[Dict[str, Any]]
    run: Dict[str, Any]
    host: Dict[str, Any]
    raw: Dict[str, Any] = dataclasses.field(repr=False)
    exit_code: int = 0

    def compare(self, metric: str = "wall_time", benchmark: Optional[str] = None) -> List[Comparison]:
        """All comparisons in this metric; of one benchmark, where it is named."""
        return [one for one in self.comparisons
                if one.metric == metric and (benchmark is None or one.benchmark == benchmark)]


def _make(kind, values):
    if not isinstance(values, dict):
        raise Error(f"this is no result of lauka: a {kind.__name__.lower()} is no object")
    known = {field.name: values[field.name] for field in dataclasses.fields(kind) if field.name in values}
    try:
        return kind(**known)
    except TypeError as error:
        raise Error(f"this is no result of lauka: {error}") from None


def _command(values) -> Command:
    command = _make(Command, values)
    if not isinstance(command.metrics, dict):
        raise Error("this is no result of lauka: the metrics of a command are no object")
    metrics = {name: _make(Metric, metric) for name, metric in command.metrics.items()}
    return dataclasses.replace(command, metrics=metrics)


def _list(raw, name, make):
    values = raw.get(name, [])
    if not isinstance(values, list):
        raise Error(f"this is no result of lauka: its {name} are no list")
    return [make(value) for value in values]


def loads(text: Union[str, bytes], exit_code: int = 0) -> Result:
    """Reads a result from JSON. Raises Error if it is none."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Error(f"this is no JSON: {error}", exit_code) from None
    version = raw.get("schema") if isinstance(raw, dict) else None
    if not str(version).startswith("lauka-result/1."):
        raise Error(f"this is no result of lauka 1: its schema is {version or 'missing'}", exit_code)
    return Result(results=_list(raw, "results", _command),
                  comparisons=_list(raw, "comparisons", lambda entry: _make(Comparison, entry)),
                  benchmarks=_list(raw, "benchmarks", lambda entry: _make(Benchmark, entry)),
                  warnings=raw.get("warnings", []), gate=raw.get("gate"), run=raw.get("run", {}),
                  host=raw.get("host", {}), raw=raw, exit_code=exit_code)


def load(path: Union[str, "os.PathLike[str]"]) -> Result:
    """Reads a result that lauka wrote with --json=PATH."""
    with open(path, "rb") as file:
        return loads(file.read())


def run(arguments: Sequence[str], lauka: str = "lauka", **more: Any) -> Result:
    """Runs `lauka --json ARGUMENTS`. more: for subprocess.run. A gate that failed is a result, too: its exit_code is 3.
    Raises Error if there is no result, with what lauka wrote to its stderr."""
    subcommands = ("suite", "revisions", "compare", "merge", "report", "gate")
    words = list(arguments)
    place = 1 if words and words[0] in subcommands else 0
    words[place:place] = ["--json", "--quiet"]
    done = subprocess.run([lauka, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **more)
    if not done.stdout:
        raise Error(done.stderr.decode(errors="replace").strip() or f"{lauka} wrote no result", done.returncode)
    return loads(done.stdout, done.returncode)
