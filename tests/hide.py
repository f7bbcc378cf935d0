#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""hide - a snapshot in which a fact could not be read

  tests/hide SNAPSHOT FOLDER FACT...

FACT is a JSON pointer in which * stands for any name. For each, FOLDER gets a
file N.json (from 0): SNAPSHOT without that fact and with an entry in "missing".
Sections that every snapshot has are left empty.
"""

import copy
import json
import pathlib
import sys

KEPT = ("devices", "netdevs", "pci", "host", "process")


def children(value):
    if isinstance(value, dict):
        return list(value)
    return range(len(value)) if isinstance(value, list) else []


def places(value, parts, path=()):
    """The concrete paths of a pattern; the last name need not be there."""
    if not parts:
        yield path
        return
    head, rest = parts[0], parts[1:]
    for key in children(value) if head == "*" else [head]:
        child = value.get(key) if isinstance(value, dict) else None
        if rest and child is None:
            continue
        yield from places(child, rest, (*path, key))


def hide(document, fact):
    document = copy.deepcopy(document)
    for path in list(places(document, fact.strip("/").split("/"))):
        parent = document
        for key in path[:-1]:
            parent = parent[key]
        if len(path) == 1 and path[0] in KEPT:
            parent[path[0]] = {}
        else:
            parent.pop(path[-1], None)
        pointer = "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)
        document["missing"].append({"fact": pointer, "source": "a test", "kind": "denied", "reason": "hidden"})
    return document


def main(name, folder, facts):
    document = json.loads(pathlib.Path(name).read_text(encoding="utf-8"))
    for number, fact in enumerate(facts):
        pathlib.Path(folder, f"{number}.json").write_text(json.dumps(hide(document, fact)), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
