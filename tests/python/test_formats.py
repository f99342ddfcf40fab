"""The command that olem advises for a file of another format makes a table that olem reads."""

import bz2
import lzma
import re
import shutil
import sqlite3
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from conftest import BUILD

FRAME = pd.DataFrame(np.random.default_rng(4).normal(size=(30, 3)).round(6), columns=["light", "temp", "nec"])


def write_sqlite(path):
    with sqlite3.connect(path) as base:
        FRAME.to_sql("NAME", base, index=False)


def write_html(path):
    path.write_text(f"<html><body>{FRAME.to_html(index=False)}</body></html>")


# Name of the file, what writes it, and what the command needs beside pandas: a Python module or a program.
FORMATS = {
    "pickle": ("table.pkl", FRAME.to_pickle, None),
    "json": ("table.json", lambda path: FRAME.to_json(path, orient="records"), None),
    "json lines": ("table.jsonl", lambda path: FRAME.to_json(path, orient="records", lines=True), None),
    "stata": ("table.dta", lambda path: FRAME.to_stata(path, write_index=False), None),
    "stata 118": ("table.dta", lambda path: FRAME.to_stata(path, write_index=False, version=118), None),
    "xml": ("table.xml", lambda path: FRAME.to_xml(path, index=False), "lxml"),
    "html": ("table.html", write_html, "lxml"),
    "xlsx": ("table.xlsx", lambda path: FRAME.to_excel(path, index=False), "openpyxl"),
    "parquet": ("table.parquet", lambda path: FRAME.to_parquet(path, index=False), "pyarrow"),
    "feather": ("table.feather", FRAME.to_feather, "pyarrow"),
    "hdf": ("table.h5", lambda path: FRAME.to_hdf(path, "table"), "tables"),
    "sqlite": ("table.db", write_sqlite, "sqlite3"),
    "xz": ("table.csv.xz", lambda path: path.write_bytes(lzma.compress(FRAME.to_csv(index=False).encode())), "xz"),
    "bzip2": ("table.csv.bz2", lambda path: path.write_bytes(bz2.compress(FRAME.to_csv(index=False).encode())), "bzip2"),
    "npz": ("table.npz", lambda path: np.savez(path, FRAME.to_numpy()), None),
}


def run_order(path):
    return subprocess.run([BUILD / "app" / "olem", "order", path], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", FORMATS)
def test_the_advised_conversion_works(name, tmp_path):
    file, write, needs = FORMATS[name]
    if needs and not shutil.which(needs):
        pytest.importorskip(needs, reason=f"{needs} is not installed")
    path = tmp_path / file
    write(path)
    done = run_order(path)
    assert done.returncode == 3
    command = re.search(r"Export the data as CSV in UTF-8: (.+)", done.stderr)
    assert command, done.stderr
    line = command.group(1).replace("python3 ", f"{sys.executable} ", 1)
    subprocess.run(line, shell=True, check=True, cwd=tmp_path, capture_output=True)
    (made,) = [other for other in tmp_path.iterdir() if other != path]
    table = pd.DataFrame(np.load(made)) if made.suffix == ".npy" else pd.read_csv(made)
    np.testing.assert_allclose(table.to_numpy(), FRAME.to_numpy(), atol=1e-6)
    read = run_order(made)
    assert read.returncode == 0, read.stderr
    assert "30 rows" in read.stdout


def test_a_path_with_quotes_is_left_to_the_reader(tmp_path):
    path = tmp_path / "it's.pkl"
    FRAME.to_pickle(path)
    assert "pandas.read_pickle('FILE')" in run_order(path).stderr
