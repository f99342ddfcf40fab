# Made by python/tools/make_stubs.py.
from typing import Any, Literal

from ._data import Dataset
from ._graph import Graph

def entropy(
    X: Any,
    *,
    n_jobs: int | None = None,
    random_state: Any = None,
    estimator: Literal["kl", "knn", "weighted", "ensemble", "gaussian"] = "kl",
    k: int = 1,
    ties: Literal["skip", "distinct", "floor", "jitter", "error"] = "skip",
    floor: float = 0.001,
    affine: Literal["none", "scale"] = "none",
    ridge: float = 0.0,
    engine: Literal["auto", "sweep", "tree"] = "auto",
    instruction_set: Literal["auto", "avx512", "avx2", "portable"] = "auto",
    device: Literal["auto", "cpu", "cuda"] = "auto",
) -> float: ...

def prune(
    X: Any,
    order: Any,
    *,
    n_jobs: int | None = None,
    progress: Any = None,
    cutoff: float = 0.001,
    criterion: Literal["gcv", "reml"] = "gcv",
    smoothing_search: Literal["global", "mgcv"] = "global",
    basis_size: int = 10,
) -> Graph: ...

def simulate_order(
    *,
    index: int = 0,
    n_jobs: int | None = None,
    random_state: Any = None,
    variables: int = 10,
    rows: int = 2000,
    density: float = 0.3,
    linearity: float = 0.5,
    noise: Literal["beta", "exponential", "gaussian"] = "beta",
) -> Dataset: ...

def simulate_auf(
    *,
    index: int = 0,
    n_jobs: int | None = None,
    random_state: Any = None,
    family: Literal["linear", "mlp"] = "linear",
    noise: Literal["beta", "exponential", "gaussian"] = "beta",
    rows: int = 1000,
    density: float = 0.3,
    variables: int = 0,
    context_variables: int = 0,
    outcomes: int = 0,
    hidden: int = 100,
    rounds: int = 50,
) -> Dataset: ...
