"""Functions whose keyword arguments are described options of the library."""

from __future__ import annotations

import inspect
from typing import Any, Callable, ContextManager, Mapping, Sequence

from . import _olem, _options, _remedies
from ._data import Dataset
from ._graph import Graph, graph_from_result
from ._input import as_table
from ._optional import require


def _spelt(
    function: Callable[..., Any], names: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> ContextManager[None]:
    """Within, messages name keyword arguments of the function, and columns by `names` or by their place."""
    return _remedies.spelt(_remedies.keywords(inspect.signature(function).parameters), None if names else columns)


@_options.with_options(_olem.entropy_options())
def entropy(X: Any, *, n_jobs: int | None = None, random_state: Any = None, **options: Any) -> float:
    """Differential entropy of all columns of X together, in nats.

    Parameters
    ----------
    X : array or DataFrame, a row for every observation
    n_jobs, random_state
        As of OLEM.
    {options}
    """
    table, names = as_table(X)
    with _spelt(entropy, names, table.names):
        value, _ = _olem.entropy(table, _options.as_texts(options), _options.run_settings(n_jobs, random_state))
    return value


@_options.with_options(_olem.prune_options())
def prune(
    X: Any, order: Any, *, n_jobs: int | None = None, progress: Any = None, **options: Any
) -> Graph:
    """CAM pruning: of the edges that an order allows, those that additive regressions need.

    Parameters
    ----------
    X : array or DataFrame
    order : list of columns (names, or positions where X has none), causes first, or a fitted learner
    n_jobs, progress
        As of OLEM.
    {options}

    Returns
    -------
    Graph, whose `details` hold 'candidates' with the p-value of every edge and 'regressions'.
    """
    table, names = as_table(X)
    labels = names or list(range(len(table.names)))
    name = dict(zip(labels, table.names))
    nodes = order.causal_order_ if hasattr(order, "causal_order_") else order
    with _spelt(prune, names, table.names):
        result = _olem.prune(
            table,
            [name.get(node, str(node)) for node in nodes],
            _options.as_texts(options),
            _options.run_settings(n_jobs, None, progress),
        )
    _options.issue_warnings(result["warnings"])
    return graph_from_result(result, labels)


def _frame(table: _olem.Table, what: str) -> Any:
    return require("pandas", what).DataFrame(table.to_array(), columns=table.names)


def _dataset(result: Mapping[str, Any], what: str) -> Dataset:
    contexts = result.get("contexts")
    return Dataset(
        data=_frame(result["data"], what),
        graph=Graph(nodes=list(result["nodes"]), edges=list(result["edges"])),
        task=result["task"],
        contexts=None if contexts is None else _frame(contexts, what),
        _truth=result["model"],
    )


@_options.with_options(_olem.simulate_order_options())
def simulate_order(*, index: int = 0, n_jobs: int | None = None, random_state: Any = None, **options: Any) -> Dataset:
    """Data from a random graph with linear and Gaussian-process functions.

    Parameters
    ----------
    index : int
        Which repetition of this setting.
    n_jobs, random_state
        As of OLEM.
    {options}
    """
    settings = _options.run_settings(n_jobs, random_state)
    with _spelt(simulate_order):
        result = _olem.simulate_order(_options.as_texts(options), index, settings)
    return _dataset(result, "simulate_order")


@_options.with_options(_olem.simulate_auf_options())
def simulate_auf(*, index: int = 0, n_jobs: int | None = None, random_state: Any = None, **options: Any) -> Dataset:
    """A random decision task: data, task, contexts and the truth.

    Parameters
    ----------
    index : int
        Which repetition of this setting.
    n_jobs, random_state
        As of OLEM.
    {options}
    """
    settings = _options.run_settings(n_jobs, random_state)
    with _spelt(simulate_auf):
        result = _olem.simulate_auf(_options.as_texts(options), index, settings)
    return _dataset(result, "simulate_auf")
