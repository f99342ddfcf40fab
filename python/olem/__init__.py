"""Causal orders from data, and decisions along them.

>>> import olem
>>> order = olem.OLEM().fit(X).causal_order_                       # names, causes first
>>> rehearsal = olem.Rehearsal(context=["Light"], alterable={"DIC": (-1, 1)}, outcome=["NEC"],
...                            desired={"NEC": (0.5, 2.0)}).fit(df)
>>> rehearsal.suggest({"Light": 0.4})                              # what to change, and how probably it helps

docs/python.md is a tour.
"""

from __future__ import annotations

from typing import Any

from ._compare import compare, order_divergence, read_graph, shd, sid, write_graph
from ._data import Dataset, load_bermuda, load_sachs
from ._estimators import CAM, FCI, GES, LISTEN, NOTEARS, OLEM, PC, SCORE, CaPS, DiffAN, OLEMPlus, VarSort
from ._functions import entropy, prune, simulate_auf, simulate_order
from ._graph import Graph
from ._log import check_log
from ._olem import __version__
from ._options import OlemWarning
from ._plots import plot_graph, plot_order, plot_outcome
from ._rehearsal import Decision, Rehearsal
from ._steps import Step

__all__ = [
    "CAM",
    "CaPS",
    "Dataset",
    "Decision",
    "DiffAN",
    "FCI",
    "GES",
    "Graph",
    "LISTEN",
    "NOTEARS",
    "NotFittedError",
    "OLEM",
    "OLEMPlus",
    "OlemWarning",
    "PC",
    "Rehearsal",
    "SCORE",
    "Step",
    "VarSort",
    "__version__",
    "check_log",
    "compare",
    "entropy",
    "load_bermuda",
    "load_sachs",
    "order_divergence",
    "plot_graph",
    "plot_order",
    "plot_outcome",
    "prune",
    "read_graph",
    "shd",
    "sid",
    "simulate_auf",
    "simulate_order",
    "write_graph",
]


def __getattr__(name: str) -> Any:
    if name == "NotFittedError":  # scikit-learn's own where that is installed, which is not imported before it is used
        from ._optional import not_fitted_error

        return not_fitted_error()
    raise AttributeError(f"module 'olem' has no attribute {name!r}")
