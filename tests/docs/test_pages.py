"""What README.md and docs/ show is what the program prints and draws."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import console_blocks
import make_figures  # noqa: E402

OLEM = pathlib.Path(os.environ.get("OLEM", ROOT / "build/release/app/olem"))
PAGES = [page for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
         if console_blocks.FENCE.search(page.read_text(encoding="utf-8"))]


def test_there_are_pages_with_commands():
    names = {page.name for page in PAGES}
    assert {"README.md", "tutorial.md", "order.md", "warnings.md"} <= names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_console_blocks(page):
    count, faults = console_blocks.run_page(page, OLEM, write=False)
    assert count > 0
    assert not faults, "\n".join(faults)


def test_pictures_are_what_olem_draws():
    subprocess.run([ROOT / "tools/make_figures.py", "--check"], check=True)


@pytest.mark.parametrize(("kept", "drawn", "expected"), [
    ("81.9 %", "82.4 %", True),  # numbers have a tolerance
    ("81.9 %", "71.9 %", False),
    ('class="grid"', 'class="muted"', False),
    ('y1="202"', 'y1="204"', True),
    ('y1="202"', 'y1="212"', False),
])
def test_drawings_are_compared_as_they_are_seen(kept, drawn, expected):
    drawing = (ROOT / "docs/pictures/bakery-influence.svg").read_text(encoding="utf-8")
    assert kept in drawing
    assert make_figures.alike(drawing, drawing.replace(kept, drawn, 1)) is expected


def test_maps_are_compared_by_their_area():
    drawing = '<svg><path class="cell" style="fill:#abc" d="M0 0H10V10H0Z"/></svg>'
    assert make_figures.alike(drawing, drawing.replace("#abc", "#abd"))
    assert not make_figures.alike(drawing, drawing.replace("H10", "H5"))


@pytest.mark.parametrize(("shown", "printed", "agree"), [
    (["success: 66.2 %"], "success:  66.9 %", True),  # blanks do not count, numbers have a tolerance
    (["success: 66.2 %"], "success: 69.2 %", False),
    (["a 0.0001"], "a 0.0002", True),  # one unit of the last digit
    (["a 0.0001"], "a 0.0003", False),
    (["7 edges"], "8 edges", False),  # a single digit is a count
    (["17 edges"], "17 edges", True),
    (["x -0.31"], "x 0.31", False),
    (["Omega > TA"], "TA > Omega", False),
    (["first", "...", "last 10"], "first\nanything\nat all\nlast 10", True),
    (["first", "...", "last 10"], "first\nanything\nlast 20", False),
    ([], "something", False),
    ([], "", True),
])
def test_what_counts_as_equal(shown, printed, agree):
    assert console_blocks.agree(shown, printed) is agree


def test_a_page_that_differs_is_found_and_written_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(console_blocks, "ROOT", tmp_path)
    for name in ("examples", "data"):
        (tmp_path / name).mkdir()
    page = tmp_path / "README.md"
    page.write_text("# Page\n\n```console\n$ echo 12\n15\n$ printf 'a\\nb\\n'\na\nb\n```\n")
    count, faults = console_blocks.run_page(page, OLEM, write=False)
    assert count == 2
    assert len(faults) == 1 and "$ echo 12" in faults[0]
    console_blocks.run_page(page, OLEM, write=True)
    assert "$ echo 12\n12\n" in page.read_text()
    assert console_blocks.run_page(page, OLEM, write=False) == (2, [])
