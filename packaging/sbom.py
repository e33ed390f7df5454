"""The components of the programs, as CycloneDX 1.5. Versions are read from the sources that were
compiled."""
import json
import os
import re
import time
import uuid

from contents import read


def defined(text, name):
    return re.search(rf'#define {name}\s+"?([\w.]+)"?', text)[1]


def versions(stage):
    """Returns the version of each library, from its own header."""
    def header(name):
        return read(stage.folder, "headers", name).decode()
    csv, cjson, zlib = header("csv.h"), header("cJSON.h"), header("zlib.h")
    return {
        "libcsv": ".".join(defined(csv, f"CSV_{part}") for part in ("MAJOR", "MINOR", "RELEASE")),
        "cJSON": ".".join(defined(cjson, f"CJSON_VERSION_{part}") for part in ("MAJOR", "MINOR", "PATCH")),
        "zlib": defined(zlib, "ZLIB_VERSION"),
        "musl": stage.musl,
    }


LICENCES = {"libcsv": "LGPL-2.1-or-later", "cJSON": "MIT", "zlib": "Zlib", "musl": "MIT"}
ORIGINS = {"libcsv": "https://sourceforge.net/projects/libcsv/", "cJSON": "https://github.com/DaveGamble/cJSON",
           "zlib": "https://zlib.net/", "musl": "https://musl.libc.org/"}
REMARKS = {"libcsv": "with Debian's patches", "cJSON": "with Debian's patches", "zlib": "with Debian's patches",
           "musl": "in the programs for Linux only, as Zig brings it"}


def component(name, version):
    return {"type": "library", "bom-ref": f"pkg:generic/{name}@{version}", "name": name, "version": version,
            "description": REMARKS[name], "licenses": [{"license": {"id": LICENCES[name]}}],
            "purl": f"pkg:generic/{name}@{version}",
            "externalReferences": [{"type": "website", "url": ORIGINS[name]}]}


def document(stage):
    components = [component(name, version) for name, version in versions(stage).items()]
    own = f"pkg:generic/lauka@{stage.version}"
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{own}#{stage.commit}").urn,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stage.epoch)),
            "component": {"type": "application", "bom-ref": own, "name": "lauka", "version": stage.version, "purl": own,
                          "licenses": [{"license": {"id": "MIT"}}],
                          "properties": [{"name": "lauka:commit", "value": stage.commit}]},
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [part["bom-ref"] for part in components]},
                         *({"ref": part["bom-ref"]} for part in components)],
    }


def write(stage, out):
    with open(os.path.join(out, f"lauka-{stage.version}.cdx.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(document(stage), indent=2) + "\n")
