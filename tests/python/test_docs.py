"""The tour is run block by block, and the examples as they are."""

import contextlib
import io
import os
import re
import subprocess
import sys

import pytest

from conftest import BUILD, SOURCE

PAGE = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")


def blocks():
    """The program blocks of the page, each with what it is to print."""
    fences = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    for i, (language, content) in enumerate(fences):
        if language == "python":
            following = fences[i + 1] if i + 1 < len(fences) else ("", "")
            yield content, following[1] if following[0] == "text" else ""


@pytest.mark.filterwarnings("ignore::olem.OlemWarning")
def test_every_block_of_the_tour_prints_what_it_says(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names = {}
    found = list(blocks())
    assert len(found) >= 12
    for program, expected in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "docs/python.md", "exec"), names)
        assert printed.getvalue() == expected, program


@pytest.mark.parametrize(
    ("script", "says"), [("order_sachs.py", "DIV 8, SHD 12"), ("decide_bermuda.py", "What really happens with it")]
)
def test_examples(script, says, tmp_path):
    figure = tmp_path / "figure.png"
    done = subprocess.run(
        [sys.executable, SOURCE / "examples" / "python" / script, figure],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "MPLBACKEND": "Agg"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert says in done.stdout
    assert figure.stat().st_size > 10_000
