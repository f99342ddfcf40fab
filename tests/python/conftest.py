"""What the tests share: where things are, and data with known answers."""

import json
import os
import subprocess
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OLEM_BUILD_FOLDER", SOURCE / "build" / "release"))


def make_ka5():
    """400 rows of x0..x4 with the true edges 0->1, 0->2, 1->3, 2->3, 3->4: SplitMix64 with seed 5."""
    mask = (1 << 64) - 1
    state = 5

    def uniform():
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return (((z ^ (z >> 31)) >> 11) + 0.5) * 2.0**-53

    quantile = NormalDist().inv_cdf
    e = np.array([[quantile(uniform()) for _ in range(5)] for _ in range(400)])
    x = np.empty_like(e)
    x[:, 0] = e[:, 0]
    x[:, 1] = 0.9 * x[:, 0] + e[:, 1]
    x[:, 2] = 1.5 * np.sin(1.5 * x[:, 0]) + e[:, 2]
    x[:, 3] = 0.8 * x[:, 1] - 0.7 * x[:, 2] + e[:, 3]
    x[:, 4] = 0.9 * x[:, 3] ** 2 / (1 + np.abs(x[:, 3])) + e[:, 4]
    return x


@pytest.fixture(scope="session")
def ka5():
    array = make_ka5()
    array.flags.writeable = False
    return array


@pytest.fixture(scope="session")
def ka5_frame(ka5):
    return pd.DataFrame(ka5, columns=list("abcde"))


@pytest.fixture(scope="session")
def command_line():
    """Runs the built olem with --json and returns its object."""

    def run(*arguments):
        done = subprocess.run(
            [BUILD / "app" / "olem", *map(str, arguments), "--json"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def run_python(program, **keywords):
    """Runs a program in a Python of its own, with the package on its path."""
    import sys

    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python"), "MPLBACKEND": "Agg"}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False, **keywords
    )
