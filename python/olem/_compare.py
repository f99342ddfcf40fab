"""How far a learned graph or order is from the true one; files of graphs."""

from __future__ import annotations

import os
from typing import Any, Sequence

from . import _olem, _remedies
from ._graph import Graph, as_graph, graph_from_result, graph_text, node_names, same_naming


def _pair(truth: Any, learned: Any) -> tuple[Graph, Graph]:
    graphs = as_graph(truth, "The truth"), as_graph(learned, "The learned graph")
    same_naming(*graphs)
    return graphs


def shd(truth: Any, learned: Any, *, convention: str = "shd") -> int:
    """Structural Hamming distance: the number of pairs of nodes whose edges differ.

    Graphs are given as Graph, fitted learner, adjacency matrix (DataFrame or array; A[i, j] = 1 means i -> j, both ways
    an undirected edge) or networkx graph.

    Parameters
    ----------
    convention : 'shd', 'shd2' or 'cpdag'
        A reversed edge counts 1; it counts 2; or the equivalence classes are compared.
    """
    if convention not in ("shd", "shd2", "cpdag"):
        raise ValueError(f"convention: {convention!r} is not one of shd, shd2, cpdag.")
    first, second = _pair(truth, learned)
    return _olem.shd(graph_text(first), graph_text(second), convention)


def sid(truth: Any, learned: Any) -> int:
    """Structural intervention distance (Peters and Buehlmann 2015) of a learned DAG.

    The number of ordered pairs (t, y) for which adjusting for the learned parents of t gives a wrong effect of t on y.
    Graphs as in `shd`; both must be DAGs. `compare` gives bounds for a learned CPDAG.
    """
    first, second = _pair(truth, learned)
    return _olem.sid(graph_text(first), graph_text(second))


def order_divergence(truth: Any, order: Any) -> int:
    """The number of true edges that an order turns round.

    `order` is a list of nodes, causes first, or a fitted learner.
    """
    graph = as_graph(truth, "The truth")
    name = dict(zip(graph.nodes, node_names(graph)))
    nodes = order.causal_order_ if hasattr(order, "causal_order_") else order
    return _olem.order_divergence(graph_text(graph), [name.get(node, str(node)) for node in nodes])


def compare(truth: Any, learned: Any, order: Sequence[Any] | None = None) -> dict[str, Any]:
    """All measures of a learned graph, by the keys of `olem compare --json`; None where one is not defined.

    `order` is the order that the learned graph came from, where there is one: the divergence is then its own.
    """
    first, second = _pair(truth, learned)
    if order is None and hasattr(learned, "causal_order_"):
        order = learned.causal_order_
    name = dict(zip(first.nodes, node_names(first)))
    names = None if order is None else [name.get(node, str(node)) for node in order]
    return _olem.compare(graph_text(first), graph_text(second), names)


def read_graph(path: str | os.PathLike[str]) -> Graph:
    """Reads a graph from a file in any of the formats of docs/graphs.md, recognised by the content."""
    return graph_from_result(_olem.read_graph(os.fspath(path)))


def write_graph(
    path: str | os.PathLike[str], graph: Any, *, format: str = "edges", overwrite: bool = False
) -> None:
    """Writes a graph: whole, or not at all.

    Parameters
    ----------
    graph
        As in `shd`.
    format : 'edges', 'adjacency', 'json', 'dot', 'gml', 'graphml' or 'tetrad'
    overwrite : bool
        An existing file is an OSError otherwise.
    """
    with _remedies.spelt(_remedies.keywords(["overwrite", "format"])):
        _olem.write_graph(os.fspath(path), graph_text(as_graph(graph)), format, overwrite)
