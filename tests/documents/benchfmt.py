"""Reads Go's benchmark format by its own rules (golang.org/design/14313-benchmark-format and the unit
lines of golang/go#43744), independently of lauka: this is what benchstat would see in a file."""
import re

KEY = re.compile(r"^([a-z][^\s:A-Z]*):(?:[ \t]+(.*))?$")


def read(text):
    """Returns (configuration, units, results), where a result is (name, iterations, {unit: value}).
    Raises ValueError for a line that benchstat would reject."""
    configuration, units, results = {}, {}, []
    for line in text.split("\n"):
        if line.startswith("Unit "):
            unit, *settings = line[5:].split()
            for setting in settings:
                key, value = setting.split("=")
                if key == "better" and value not in ("higher", "lower"):
                    raise ValueError(line)
                if units.setdefault((unit, key), value) != value:
                    raise ValueError("conflicting unit: " + line)
        elif line.startswith("Benchmark"):
            results.append(read_result(line))
        elif match := KEY.match(line):
            configuration[match[1]] = match[2]
        elif line:
            raise ValueError("neither a result nor a key: " + line)
    return configuration, units, results


def read_result(line):
    name, iterations, *rest = line.split()
    name = name.removeprefix("Benchmark")
    if name[:1].islower():
        raise ValueError("not a benchmark's name: " + line)
    if int(iterations) <= 0 or len(rest) % 2 or not rest:
        raise ValueError(line)
    values = {}
    for value, unit in zip(rest[::2], rest[1::2]):
        if unit in values:
            raise ValueError("a unit is declared twice: " + line)
        values[unit] = float(value)
    return name, int(iterations), values


def part(name, key):
    """What `benchstat -col /key` sees in a name: the part, without the number of CPUs at its end."""
    name = re.sub(r"-[0-9]+$", "", name)
    for piece in name.split("/")[1:]:
        if piece.startswith(key + "="):
            return piece[len(key) + 1:]
    return None
