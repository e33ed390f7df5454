#!/usr/bin/env python3
"""Validates documents against a JSON Schema: validate.py SCHEMA [--open] FILE...

Without --open, keys that the schema does not describe are errors, too. Needs jsonschema; the exit code
is 77 without it."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def closed(schema):
    """Returns the schema with keys forbidden that it does not describe."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if result.get("type") == "object" and "properties" in result:
        result.setdefault("additionalProperties", False)
    return result


def main():
    path, *files = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    is_open = "--open" in files
    validator = jsonschema.Draft202012Validator(schema if is_open else closed(schema))
    errors = 0
    for name in files:
        if name == "--open":
            continue
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        for error in validator.iter_errors(document):
            errors += 1
            print(f"{name}: {'/'.join(map(str, error.path))}: {error.message[:300]}")
    return errors > 0


if __name__ == "__main__":
    sys.exit(main())
