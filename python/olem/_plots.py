"""Plots, where matplotlib is installed. Each draws on `ax`, or on a new figure, and returns the axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._graph import as_graph
from ._optional import require

_BEFORE, _AFTER, _WANTED = "#8c8c8c", "#1f77b4", "#2ca02c"


def _pyplot() -> Any:
    return require("matplotlib.pyplot", "A plot")


def _axes(ax: Any, **keywords: Any) -> Any:
    return _pyplot().subplots(**keywords)[1] if ax is None else ax


def plot_order(learner: Any, ax: Any = None) -> Any:
    """The order from top to bottom, each place with the gap that decided it and two standard errors.

    `learner` is a fitted order learner or Rehearsal. Bars of steps that the data did not decide are hollow.
    """
    order = learner.causal_order_
    steps = {step.sink: step for step in learner.steps_}
    ax = _axes(ax, figsize=(6, 0.5 + 0.35 * len(order)), layout="constrained")
    for place, variable in enumerate(order):
        step = steps.get(variable)
        if step is None or step.gap is None:
            continue
        error = None if step.gap_standard_error is None else 2 * step.gap_standard_error
        ax.barh(place, step.gap, xerr=error, color=_AFTER if step.decided else "white", edgecolor=_AFTER, capsize=2)
    ax.set_yticks(range(len(order)), [str(variable) for variable in order])
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel("gap to the next best, with two standard errors")
    ax.set_title("Causal order, causes first")
    return ax


def plot_graph(graph: Any, ax: Any = None) -> Any:
    """The graph in layers: every node below its causes, or on a circle when it is no DAG.

    `graph` is what `shd` takes. Directed edges are arrows, all others lines, those of a PAG with their marks.
    """
    found = as_graph(graph)
    ax = _axes(ax, figsize=(7, 5), layout="constrained")
    place = _layers(found) if found.kind == "dag" else _circle(found.nodes)
    ends: dict[str, Any] = {"shrinkA": 14, "shrinkB": 14, "color": _BEFORE}
    lines = [(a, b, "-|>", "") for a, b in found.edges]
    lines += [(a, b, "-", "") for a, b in found.undirected]
    lines += [(a, b, "-", mark) for a, mark, b in found.marks]
    for a, b, style, mark in lines:
        curve = "arc3,rad=0.08" if style == "-|>" else "arc3"
        ax.annotate("", place[b], place[a], arrowprops={"arrowstyle": style, "connectionstyle": curve, **ends})
        if mark:
            ax.text(*np.add(place[a], place[b]) / 2, f"{a} {mark} {b}", ha="center", va="center", fontsize=7)
    for node, (x, y) in place.items():
        ax.text(x, y, str(node), ha="center", va="center", bbox={"boxstyle": "round", "fc": "white", "ec": _AFTER})
    points = np.array(list(place.values()))
    ax.set_xlim(points[:, 0].min() - 0.5, points[:, 0].max() + 0.5)
    ax.set_ylim(points[:, 1].min() - 0.5, points[:, 1].max() + 0.5)
    ax.set_axis_off()
    return ax


def _layers(graph: Any) -> dict[Any, tuple[float, float]]:
    depth: dict[Any, int] = {}
    for node in graph.order():
        depth[node] = max((depth[a] + 1 for a, b in graph.edges if b == node), default=0)
    place = {}
    for layer in range(max(depth.values(), default=0) + 1):
        row = [node for node in graph.nodes if depth[node] == layer]
        for i, node in enumerate(row):
            # Every second node a little lower, so that arrows between far layers do not run through all of them.
            place[node] = (i - (len(row) - 1) / 2, -float(layer) - 0.25 * (i % 2))
    return place


def _circle(nodes: Any) -> dict[Any, tuple[float, float]]:
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(nodes)) / max(1, len(nodes))
    radius = max(1.0, len(nodes) / 5)
    return {node: (radius * np.cos(a), radius * np.sin(a)) for node, a in zip(nodes, angles)}


def plot_outcome(rehearsal: Any, decision: Any, n: int = 2000, axes: Any = None) -> Any:
    """Each outcome without action and after a decision, with where it is wanted.

    Draws `n` rows each by `rehearsal.simulate`, with shared noise. Returns an array of axes, one for each outcome.
    """
    task = rehearsal.task_
    outcomes = task["outcome"]
    before = rehearsal.simulate(decision.context, None, n)
    after = rehearsal.simulate(decision.context, decision, n)
    if axes is None:
        axes = _pyplot().subplots(1, len(outcomes), figsize=(5 * len(outcomes), 3.5), squeeze=False,
                                  layout="constrained")[1]  # fmt: skip
    axes = np.ravel(axes)
    for ax, name in zip(axes, outcomes):
        levels = rehearsal.column_types_.get(name, {}).get("levels", {})
        bins = np.histogram_bin_edges(np.concatenate([before[name], after[name]]), bins=40)
        if levels:
            codes = sorted(levels.values())
            middles = [(a + b) / 2 for a, b in zip(codes, codes[1:])]
            bins = np.array([codes[0] - 0.5, *middles, codes[-1] + 0.5])
            ax.set_xticks(list(levels.values()), list(levels))
        ax.hist(before[name], bins, color=_BEFORE, alpha=0.6, label="without action")
        ax.hist(after[name], bins, color=_AFTER, alpha=0.6, label="after the decision")
        bounds = task["desired"].get(name)  # a general region has no range of a single outcome
        if bounds is not None and not isinstance(bounds, list):  # levels, or numbers of a count
            wanted = bounds["values"] if isinstance(bounds, dict) else [bounds]
            for i, level in enumerate(wanted):
                at = rehearsal._number(name, level)
                ax.axvspan(at - 0.5, at + 0.5, color=_WANTED, alpha=0.15, zorder=0, label="" if i else "wanted")
        elif bounds is not None:
            low, high = ax.get_xlim()
            ax.axvspan(low if bounds[0] is None else bounds[0], high if bounds[1] is None else bounds[1],
                       color=_WANTED, alpha=0.15, zorder=0, label="wanted")  # fmt: skip
            ax.set_xlim(low, high)
        ax.set_xlabel(name)
        ax.set_yticks([])
    axes[0].legend()
    return axes
