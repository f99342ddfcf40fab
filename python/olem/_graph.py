"""Graphs as values, and everything that can stand for one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Hashable, Mapping, Sequence

import numpy as np

from . import _olem
from ._input import default_names
from ._optional import require

Label = Hashable


@dataclass(frozen=True)
class Graph:
    """A causal graph. Nodes are names or, where the data had none, positions.

    Attributes
    ----------
    nodes : list
    edges : list of (from, to)
        Directed edges.
    undirected : list of (a, b)
        Edges of a CPDAG whose direction the data cannot tell.
    marks : list of (a, str, b)
        All other edges of a PAG, such as (a, 'o->', b).
    kind : 'dag', 'cpdag' or 'pag'
    details : dict
        What the method that made the graph says about it, by the keys of `olem graph --json`.
    """

    nodes: list[Label]
    edges: list[tuple[Label, Label]]
    undirected: list[tuple[Label, Label]] = field(default_factory=list)
    marks: list[tuple[Label, str, Label]] = field(default_factory=list)
    kind: str = "dag"
    details: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        known = set(self.nodes)
        if len(known) < len(self.nodes):
            twice = next(node for i, node in enumerate(self.nodes) if node in self.nodes[:i])
            raise ValueError(f"nodes: {twice!r} stands twice. Every node needs a name of its own.")
        for name, ends in (
            ("edges", self.edges),
            ("undirected", self.undirected),
            ("marks", [(a, b) for a, _, b in self.marks]),
        ):
            for node in (end for edge in ends for end in edge):
                if node not in known:
                    raise ValueError(f"{name}: {node!r} is not one of the nodes.")

    @property
    def named(self) -> bool:
        return all(isinstance(node, str) for node in self.nodes)

    @property
    def adjacency_matrix(self) -> Any:
        """A[i, j] = 1 means i -> j; an undirected edge is a 1 both ways, and edges in `marks` are not in it.

        A pandas DataFrame where the nodes have names, else a NumPy array.
        """
        position = {node: i for i, node in enumerate(self.nodes)}
        matrix = np.zeros((len(self.nodes), len(self.nodes)), dtype=np.int64)
        for a, b in self.edges:
            matrix[position[a], position[b]] = 1
        for a, b in self.undirected:
            matrix[position[a], position[b]] = matrix[position[b], position[a]] = 1
        if not self.named:
            return matrix
        pandas = require("pandas", "An adjacency matrix with names")
        return pandas.DataFrame(matrix, index=self.nodes, columns=self.nodes)

    def to_networkx(self) -> Any:
        """A networkx.DiGraph. Each edge has a `mark`: '->', '-' (both ways round), or one of a PAG such as 'o->'."""
        networkx = require("networkx", "to_networkx")
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges, mark="->")
        for a, b in self.undirected:
            graph.add_edge(a, b, mark="-")
            graph.add_edge(b, a, mark="-")
        for a, mark, b in self.marks:
            graph.add_edge(a, b, mark=mark)
        return graph

    def order(self) -> list[Label]:
        """An order of the nodes of a DAG, causes first. ValueError for other kinds."""
        labels = dict(zip(node_names(self), self.nodes))
        return [labels[name] for name in _olem.topological_order(graph_text(self))]


def node_names(graph: Graph) -> list[str]:
    """What the nodes are called in the library."""
    return [str(node) for node in graph.nodes] if graph.named else default_names(len(graph.nodes))


def graph_text(graph: Graph) -> str:
    """The graph as the JSON text of a graph file."""
    name = dict(zip(graph.nodes, node_names(graph)))
    content: dict[str, Any] = {
        "nodes": list(name.values()),
        "edges": [[name[a], name[b]] for a, b in graph.edges],
    }
    if graph.undirected:
        content["undirected"] = [[name[a], name[b]] for a, b in graph.undirected]
    if graph.kind == "pag":
        content["marks"] = [[name[a], mark, name[b]] for a, mark, b in graph.marks]
    return json.dumps(content)


def graph_from_result(result: Mapping[str, Any], labels: Sequence[Label] | None = None) -> Graph:
    """From the keys of `olem graph --json`; `labels` take the place of the nodes' names."""
    names = result["nodes"]
    label = dict(zip(names, names if labels is None else labels))
    own = {"nodes", "edges", "undirected", "marks", "kind"}
    return Graph(
        nodes=list(label.values()),
        edges=[(label[a], label[b]) for a, b in result["edges"]],
        undirected=[(label[a], label[b]) for a, b in result.get("undirected", [])],
        marks=[(label[a], mark, label[b]) for a, mark, b in result.get("marks", [])],
        kind=result["kind"],
        details={key: value for key, value in result.items() if key not in own},
    )


def _from_matrix(matrix: np.ndarray, nodes: Sequence[Label], what: str) -> Graph:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] != len(nodes):
        raise ValueError(f"{what}: an adjacency matrix is square, but this one has the shape {matrix.shape}.")
    if not np.isfinite(matrix.astype(float)).all():
        raise ValueError(f"{what}: the adjacency matrix has cells that are NaN or infinite.")
    there = matrix != 0
    directed = np.argwhere(there & ~there.T)
    both = [(i, j) for i, j in np.argwhere(there & there.T) if i <= j]
    # A self loop is passed on for the library to refuse by name.
    return Graph(
        nodes=list(nodes),
        edges=[(nodes[i], nodes[j]) for i, j in directed],
        undirected=[(nodes[i], nodes[j]) for i, j in both],
        kind="cpdag" if both else "dag",
    )


def _from_networkx(graph: Any) -> Graph:
    nodes = list(graph.nodes)
    position = {node: i for i, node in enumerate(nodes)}
    matrix = np.zeros((len(nodes), len(nodes)))
    for a, b in graph.edges():
        matrix[position[a], position[b]] = 1
        if not graph.is_directed():
            matrix[position[b], position[a]] = 1
    return _from_matrix(matrix, nodes, "The graph")


def as_graph(value: Any, what: str = "The graph") -> Graph:
    """A Graph from a Graph, a fitted learner, an adjacency matrix (DataFrame or array) or a networkx graph."""
    if isinstance(value, Graph):
        return value
    if hasattr(type(value), "graph_"):
        return value.graph_
    if hasattr(value, "index") and hasattr(value, "columns") and hasattr(value, "to_numpy"):
        if list(value.index) != list(value.columns):
            raise ValueError(f"{what}: the rows and the columns of an adjacency matrix must have the same names.")
        return _from_matrix(value.to_numpy(), list(value.columns), what)
    if hasattr(value, "is_directed") and hasattr(value, "edges"):
        return _from_networkx(value)
    matrix = np.asarray(value)
    return _from_matrix(matrix, range(len(matrix)) if matrix.ndim else (), what)


def same_naming(truth: Graph, learned: Graph) -> None:
    """Nothing is matched by position when only one side has names."""
    if truth.named != learned.named:
        with_names, without = ("truth", "learned graph") if truth.named else ("learned graph", "truth")
        raise ValueError(
            f"The {with_names} has names and the {without} has none. Give both as DataFrames, or both as arrays in "
            "the same order."
        )
