#!/usr/bin/env python3
"""Checks that the folders of src/ include each other in one direction only.

tools/layers.txt lists the folders, lowest first, with the public headers that each implements. A file may include its
own folder and those above it in that list; a public header counts as a file of the folder that implements it. The table
in docs/architecture.md must say the same.

  tools/check_layers.py            prints every include that goes up and every gap in the table; exit code 1 if any
  tools/check_layers.py --write    writes the table of docs/architecture.md anew
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tools" / "layers.txt"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN = "<!-- layers: written by tools/check_layers.py --write -->\n"
END = "<!-- end of layers -->\n"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def read_table():
    """[(folder, idea, [header])], lowest first."""
    layers = []
    for line in TABLE.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            folder, idea, headers = (part.strip() for part in line.split("|"))
            layers.append((folder, idea, headers.split()))
    return layers


def page_table(layers):
    rows = ["| folder | idea |\n", "| --- | --- |\n"]
    rows += [f"| `src/{folder}/` | {idea} |\n" for folder, idea, _ in layers]
    return BEGIN + "".join(rows) + END


def check_includes(layers):
    floor = {folder: place for place, (folder, _, _) in enumerate(layers)}
    owner = {}
    for folder, _, headers in layers:
        for header in headers:
            if header in owner:
                yield f"{TABLE.name}: olem/{header}.h stands in {owner[header]} and in {folder}"
            owner[header] = folder
    headers = {path.stem: path for path in (ROOT / "include" / "olem").glob("*.h")}
    umbrella = headers.pop("olem", None)  # includes everything, and nothing includes it
    for header in sorted(set(headers) - set(owner)):
        yield f"{TABLE.name}: olem/{header}.h has no folder"
    for header in sorted(set(owner) - set(headers)):
        yield f"{TABLE.name}: there is no olem/{header}.h"
    for folder in sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir()):
        if folder not in floor:
            yield f"{TABLE.name}: src/{folder} is missing"

    sources = [(path, owner.get(name)) for name, path in headers.items()]
    for pattern in ("*.h", "*.cpp", "*.cpp.in"):
        sources += [(path, path.relative_to(ROOT / "src").parts[0]) for path in (ROOT / "src").rglob(pattern)]
    for path, folder in sorted(sources):
        for included in INCLUDE.findall(path.read_text()):
            parts = included.split("/")
            if umbrella and included == "olem/olem.h":
                target = layers[-1][0]
            else:
                target = owner.get(parts[1][:-2]) if parts[0] == "olem" else parts[0]
            if folder in floor and target in floor and floor[target] > floor[folder]:
                yield f"{path.relative_to(ROOT)} includes {included}: {folder} lies below {target}"


def main():
    layers = read_table()
    text = PAGE.read_text()
    begin, end = text.find(BEGIN), text.find(END)
    wanted = page_table(layers)
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(text[:begin] + wanted + text[end + len(END):])
        return 0
    faults = list(check_includes(layers))
    if begin < 0 or text[begin:end + len(END)] != wanted:
        faults.append("docs/architecture.md does not say what tools/layers.txt says; run tools/check_layers.py --write")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
