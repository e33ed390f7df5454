"""Finds the section of CHANGELOG.md about a version. The first section must be about the version that is
built."""
import calendar
import re
import time

UNRELEASED = 946684800  # 2000-01-01: the same for every build until there is a date


class Wrong(Exception):
    """CHANGELOG.md and the version do not match; the text says why."""


def section(text, version):
    """Returns (date or "unreleased", text) of the first section, which must be the version's."""
    headings = list(re.finditer(r"^## (.*)$", text, re.M))
    first = re.fullmatch(r"(\S+) \((unreleased|\d{4}-\d\d-\d\d)\)", headings[0][1]) if headings else None
    if not first or first[1] != version:
        found = headings[0][0] if headings else "none"
        raise Wrong(f'CHANGELOG.md: the first section must be "## {version} (unreleased)" or '
                    f'"## {version} (YYYY-MM-DD)", found: {found}')
    end = headings[1].start() if len(headings) > 1 else len(text)
    body = text[headings[0].end():end].strip()
    if not re.search(r"^- ", body, re.M):
        raise Wrong(f"CHANGELOG.md: the section of {version} is empty")
    return first[2], body


def epoch(date):
    """Returns a section's date in seconds since 1970."""
    return UNRELEASED if date == "unreleased" else calendar.timegm(time.strptime(date, "%Y-%m-%d"))
