#!/usr/bin/env python3
"""Makes every picture of README.md and docs/ from the program's own output, in docs/pictures/.

  tools/make_figures.py            all of them: drawings as SVG, pages as PNG through the browser of the tests
  tools/make_figures.py --svg      the drawings only
  tools/make_figures.py --check    draws them again and compares, numbers with a tolerance (see alike); writes nothing
  OLEM=PROGRAM                     the program; build/release/app/olem unless said

Photographs of pages need what `./check release` installs for tests/browser. They are not compared: fonts differ.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from console_blocks import same

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/pictures"
OLEM = pathlib.Path(os.environ.get("OLEM", ROOT / "build/release/app/olem")).resolve()

# Name of the drawing: the arguments that draw it, run in the root of the checkout; OUTPUT is the file.
DRAWINGS = {
    "reef-influence.svg": ["explain", "examples/bermuda/task.json", "--svg", "OUTPUT", "-q"],
    "reef-levers.svg": ["explain", "examples/bermuda/task.json", "--svg", "OUTPUT", "-q"],
    "bakery-influence.svg": ["explain", "examples/bakery/task.json", "--svg", "OUTPUT", "-q"],
}
# Drawings of which a page shows the upper part only, this high: the levers, and the first two pairs.
CROPPED = {"reef-levers.svg": 800}
# Photographs, by tools/photograph_pages.js.
PHOTOGRAPHS = ["rehearsal-page.png", "report.png"]


def draw(name, folder):
    output = folder / name
    words = [str(output) if word == "OUTPUT" else word for word in DRAWINGS[name]]
    subprocess.run([OLEM, *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
    text = output.read_text(encoding="utf-8")
    if name in CROPPED:
        height = CROPPED[name]
        text = re.sub(r'viewBox="0 0 (\d+) \d+" width="\d+" height="\d+"',
                      rf'viewBox="0 0 \1 {height}" width="\1" height="{height}"', text, count=1)
    return text


ELEMENT = re.compile(r'<([\w:]+)((?:\s+[\w:-]+="[^"]*")*)\s*/?>([^<]*)')
ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
CELLS = re.compile(r"M([-\d.]+) ([-\d.]+)H([-\d.]+)V([-\d.]+)")
TOLERANCE = 3.0  # pixels: what some of thousands of draws move


def parts(drawing):
    """What a drawing says, what it is made of, where that stands, and the area of its maps."""
    texts, shapes, places, area = [], [], [], 0.0
    for tag, attributes, text in ELEMENT.findall(drawing):
        fields = dict(ATTRIBUTE.findall(attributes))
        if text.strip():
            texts.append(" ".join(text.split()))
        if fields.get("class") == "cell":
            for corners in CELLS.findall(fields["d"]):
                left, top, right, bottom = map(float, corners)
                area += abs((right - left) * (bottom - top))
            continue
        shapes.append((tag, [(name, NUMBER.sub("#", value)) for name, value in fields.items()]))
        places += [float(number) for value in fields.values() for number in NUMBER.findall(value)]
    return texts, shapes, places, area


def alike(kept, drawn):
    """Whether two drawings show the same.

    The last bits of a fitted model depend on the instruction set of the processor, so that a draw here and there falls on
    the other side of a border: bars and curves move by pixels, and a cell of a map takes the colour next to its own. Texts,
    elements, their places and the area of maps must agree; colours of single cells need not.
    """
    texts, shapes, places, area = parts(kept)
    drawn_texts, drawn_shapes, drawn_places, drawn_area = parts(drawn)
    return (same("\n".join(texts), "\n".join(drawn_texts)) and shapes == drawn_shapes and abs(area - drawn_area) <= 0.01 * area
            and all(abs(a - b) <= max(TOLERANCE, 0.02 * abs(a)) for a, b in zip(places, drawn_places)))


def check_pictures_are_used(faults):
    text = "".join(page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
    known = {*DRAWINGS, *PHOTOGRAPHS}
    for path in sorted(PICTURES.iterdir()):
        if path.suffix in (".svg", ".png") and path.name not in known:
            faults.append(f"docs/pictures/{path.name} is made by nothing")
    faults += [f"docs/pictures/{name} is shown on no page" for name in sorted(known) if name not in text]
    faults += [f"docs/pictures/{name} is missing" for name in sorted(known) if not (PICTURES / name).exists()]


def main():
    check = "--check" in sys.argv[1:]
    faults = []
    with tempfile.TemporaryDirectory() as name:
        for drawing in DRAWINGS:
            text = draw(drawing, pathlib.Path(name))
            kept = PICTURES / drawing
            if not check:
                kept.write_text(text, encoding="utf-8")
            elif not kept.exists() or not alike(kept.read_text(encoding="utf-8"), text):
                faults.append(f"docs/pictures/{drawing} is not what olem draws: run tools/make_figures.py and look at it")
    if not check and "--svg" not in sys.argv[1:]:
        subprocess.run(["node", ROOT / "tools/photograph_pages.js", PICTURES], check=True,
                       env=dict(os.environ, NODE_PATH=str(ROOT / "build/browser/node_modules"), OLEM=str(OLEM)))
    check_pictures_are_used(faults)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
