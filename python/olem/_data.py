"""Data sets with what is known about their truth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping

from . import _olem, _options
from ._compare import read_graph
from ._graph import Graph
from ._optional import require

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Dataset:
    """Data with what is known about its truth.

    Attributes
    ----------
    data : DataFrame
    graph : Graph
        The true graph, or the field's consensus.
    task : dict or None
        `context`, `alterable`, `outcome` and `desired` of a decision task, for Rehearsal(**task).
    contexts : DataFrame or None
        Observed contexts to decide for, one in each row.
    measurements : DataFrame or None
        Of load_bermuda: the measurements behind the simulator, in their own units; NaN where NEC was not measured.
    """

    data: Any
    graph: Graph
    task: dict[str, Any] | None = None
    contexts: Any = None
    measurements: Any = None
    _truth: Any = None

    def simulate_decision(
        self, context: Mapping[str, float], alterations: Any, n: int = 1000, *, draw: int = 0, random_state: Any = None
    ) -> Any:
        """What really happens: `n` draws of all variables from the true model when the context is observed and the
        alterations are made (None: left alone). Calls with the same `draw` share their noise."""
        if self._truth is None:
            raise ValueError("The true model of this data is not known.")
        pandas = require("pandas", "Dataset.simulate_decision")
        changes = alterations.alterations if hasattr(alterations, "alterations") else alterations or {}
        table = self._truth.simulate_decision(
            {str(k): float(v) for k, v in dict(context).items()},
            {str(k): float(v) for k, v in changes.items() if v is not None},
            n,
            draw,
            _options.run_settings(None, random_state),
        )
        return pandas.DataFrame(table.to_array(), columns=table.names)


def _read(*path: str) -> Any:
    # The default of pandas is off by a last bit here and there.
    return require("pandas", "A bundled data set").read_csv(_DATA.joinpath(*path), float_precision="round_trip")


def load_sachs() -> Dataset:
    """853 single cells with the amounts of 11 proteins, and the consensus network (Sachs et al. 2005)."""
    data = _read("sachs", "sachs.csv").astype(float)
    found = read_graph(_DATA / "sachs" / "graph.csv")
    return Dataset(data=data, graph=Graph(nodes=list(data.columns), edges=found.edges))


def load_bermuda() -> Dataset:
    """A decision about a coral reef: 1000 rows of its simulator, task, contexts, truth, and the measurements."""
    data = _read("bermuda", "data.csv")
    folder = _DATA / "bermuda"
    task = json.loads((folder / "task.json").read_text(encoding="utf-8"))
    return Dataset(
        data=data,
        graph=Graph(nodes=list(data.columns), edges=read_graph(folder / "graph.csv").edges),
        task={key: task[key] for key in ("context", "alterable", "outcome", "desired")},
        contexts=_read("bermuda", "contexts.csv"),
        measurements=_read("bermuda", "bermuda.csv"),
        _truth=_olem.read_structural_model(str(folder / "truth.json")),
    )
