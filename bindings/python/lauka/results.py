"""lauka's results (schema/lauka-result.schema.json, version 1) as dataclasses. Members have the schema's names; what
later versions add is ignored, and all that was read is in `raw`."""
import dataclasses
import json
import math
import os
import re
import subprocess
import typing
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


_WORDS = {str: "text", int: "whole number", float: "finite number", bool: "truth value", list: "list"}


def _number(kind, value):
    """A number of more than 2^53 is stored as a string of its digits."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        value = float(value) if "." in value else int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = kind(value)
    return value if isinstance(value, kind) and math.isfinite(value) else None


def _read(kind, value) -> Any:
    """Returns the value as the annotation has it. Raises ValueError with the way to a member that is of another type."""
    inner = typing.get_args(kind)
    kind = typing.get_origin(kind) or kind
    if kind is Union:  # Optional
        return None if value is None else _read(inner[0], value)
    if kind is Any:
        return value
    if kind in (int, float):
        value = _number(kind, value)
    if kind is list and isinstance(value, list):
        return [_read(inner[0], one) for one in value]
    if kind is dict and isinstance(value, dict):
        return {name: _read(inner[1], one) for name, one in value.items()}
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        return _make(kind, value)
    if type(value) is not kind:  # True is an int
        raise ValueError(f"it is no {_WORDS.get(kind, 'object')}")
    return value


def _make(kind, values):
    read, hints = {}, typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if field.name in values:
            try:
                read[field.name] = _read(hints[field.name], values[field.name])
            except (ValueError, OverflowError) as error:
                raise ValueError(f"{field.name}: {error}") from None
        elif field.default is dataclasses.MISSING:
            raise ValueError(f"{field.name}: it is missing")
    return kind(**read)


def loads(text: Union[str, bytes], exit_code: int = 0) -> Result:
    """Reads a result from JSON. Raises Error if it is none."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Error(f"this is no JSON: {error}", exit_code) from None
    version = raw.get("schema") if isinstance(raw, dict) else None
    if not str(version).startswith("lauka-result/1."):
        raise Error(f"this is no result of lauka 1: its schema is {version or 'missing'}", exit_code)
    try:
        return _make(Result, {"benchmarks": [], **raw, "raw": raw, "exit_code": exit_code})
    except ValueError as error:
        raise Error(f"this is no result of lauka: {error}", exit_code) from None


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
