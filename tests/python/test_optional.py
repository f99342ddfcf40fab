"""Packages that are not installed: everything else works, and a sentence names what is missing."""

import pytest

from conftest import run_python

BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "sklearn", "networkx", "matplotlib", "scipy"):
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
sys.meta_path.insert(0, Block())
import numpy
import olem
data = numpy.random.default_rng(1).normal(size=(200, 3))
data[:, 2] += data[:, 0]
"""


def test_importing_olem_imports_none_of_them():
    done = run_python(
        "import sys, olem\n"
        "print([name for name in ('pandas', 'sklearn', 'networkx', 'matplotlib', 'scipy') if name in sys.modules])"
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_arrays_need_numpy_only():
    done = run_python(
        BLOCK
        + """
learner = olem.OLEM().fit(data)
print(sorted(learner.causal_order_), learner.adjacency_matrix_.shape, olem.shd(learner, learner))
print(olem.NotFittedError.__mro__[1:3])
try:
    olem.OLEM().causal_order_
except olem.NotFittedError as error:
    print(error)
"""
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "[0, 1, 2] (3, 3) 0",
        "(<class 'ValueError'>, <class 'AttributeError'>)",
        "This OLEM has not been fitted. Call fit(X) first.",
    ]


@pytest.mark.parametrize(
    ("call", "package"),
    [
        ("olem.load_sachs()", "pandas"),
        ("olem.simulate_order(rows=50, variables=3)", "pandas"),
        ("olem.GES().fit(data).to_networkx()", "networkx"),
        ("olem.plot_order(olem.OLEM().fit(data))", "matplotlib"),
    ],
)
def test_a_sentence_names_the_missing_package(call, package):
    done = run_python(BLOCK + call)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ") and f"needs {package} (Debian: python3-{package})" in last
