# Made by python/tools/make_stubs.py.
from typing import Any, Callable, Literal, Mapping, Self, Sequence

from numpy.typing import NDArray

from ._graph import Graph, Label
from ._steps import Step

class _Learner:
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    result_: dict[str, Any]
    warnings_: list[dict[str, str]]
    causal_order_: list[Any]
    tiers: Sequence[Sequence[Label]] | None
    before: Sequence[Sequence[Label]] | None
    missing: Literal["error", "drop", "impute"]
    imputations: int
    missing_: dict[str, Any] | None
    agreement_: dict[str, Any] | None
    n_jobs: int | None
    random_state: Any
    progress: Callable[[float, str], object] | None
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **parameters: Any) -> Self: ...
    def fit(self, X: Any, y: Any = None, *, column_types: Mapping[Label, Any] | None = None) -> Self: ...
    @property
    def graph_(self) -> Graph: ...
    @property
    def adjacency_matrix_(self) -> Any: ...
    def to_networkx(self) -> Any: ...

class _OrderLearner(_Learner):
    steps_: list[Step]

class _GraphLearner(_Learner): ...

class OLEM(_OrderLearner):
    estimator: Literal["kl", "knn", "weighted", "ensemble", "gaussian"]
    k: int
    ties: Literal["skip", "distinct", "floor", "jitter", "error"]
    floor: float
    affine: Literal["none", "scale"]
    ridge: float
    engine: Literal["auto", "sweep", "tree"]
    instruction_set: Literal["auto", "avx512", "avx2", "portable"]
    device: Literal["auto", "cpu", "cuda"]
    bootstrap: int
    cutoff: float
    criterion: Literal["gcv", "reml"]
    smoothing_search: Literal["global", "mgcv"]
    basis_size: int
    def __init__(
        self,
        *,
        estimator: Literal["kl", "knn", "weighted", "ensemble", "gaussian"] = "kl",
        k: int = 1,
        ties: Literal["skip", "distinct", "floor", "jitter", "error"] = "skip",
        floor: float = 0.001,
        affine: Literal["none", "scale"] = "none",
        ridge: float = 0.0,
        engine: Literal["auto", "sweep", "tree"] = "auto",
        instruction_set: Literal["auto", "avx512", "avx2", "portable"] = "auto",
        device: Literal["auto", "cpu", "cuda"] = "auto",
        bootstrap: int = 0,
        cutoff: float = 0.001,
        criterion: Literal["gcv", "reml"] = "gcv",
        smoothing_search: Literal["global", "mgcv"] = "global",
        basis_size: int = 10,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class OLEMPlus(_OrderLearner):
    olem_plus_units: Literal["auto", "comparable", "arbitrary"]
    olem_plus_beta: float
    olem_plus_kappa: float
    bootstrap: int
    cutoff: float
    criterion: Literal["gcv", "reml"]
    smoothing_search: Literal["global", "mgcv"]
    basis_size: int
    def __init__(
        self,
        *,
        olem_plus_units: Literal["auto", "comparable", "arbitrary"] = "auto",
        olem_plus_beta: float = 0.01,
        olem_plus_kappa: float = 0.03,
        bootstrap: int = 0,
        cutoff: float = 0.001,
        criterion: Literal["gcv", "reml"] = "gcv",
        smoothing_search: Literal["global", "mgcv"] = "global",
        basis_size: int = 10,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class LISTEN(_OrderLearner):
    listen_edges: Literal["threshold", "pvalue", "cam"]
    listen_threshold: float
    listen_alpha: float
    listen_precision: Literal["plain", "clime"]
    clime_lambda: float
    bootstrap: int
    cutoff: float
    criterion: Literal["gcv", "reml"]
    smoothing_search: Literal["global", "mgcv"]
    basis_size: int
    def __init__(
        self,
        *,
        listen_edges: Literal["threshold", "pvalue", "cam"] = "threshold",
        listen_threshold: float = 0.1,
        listen_alpha: float = 0.001,
        listen_precision: Literal["plain", "clime"] = "plain",
        clime_lambda: float = 0.0,
        bootstrap: int = 0,
        cutoff: float = 0.001,
        criterion: Literal["gcv", "reml"] = "gcv",
        smoothing_search: Literal["global", "mgcv"] = "global",
        basis_size: int = 10,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class CAM(_OrderLearner):
    cam_max_parents: int
    cam_neighbours: int
    bootstrap: int
    cutoff: float
    criterion: Literal["gcv", "reml"]
    smoothing_search: Literal["global", "mgcv"]
    basis_size: int
    def __init__(
        self,
        *,
        cam_max_parents: int = 0,
        cam_neighbours: int = 0,
        bootstrap: int = 0,
        cutoff: float = 0.001,
        criterion: Literal["gcv", "reml"] = "gcv",
        smoothing_search: Literal["global", "mgcv"] = "global",
        basis_size: int = 10,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class SCORE(_OrderLearner):
    stein_eta_score: float
    stein_eta_hessian: float
    stein_median: Literal["all", "nonzero"]
    stein_rows: int
    score_normalise: bool
    score_spread: Literal["variance", "mad"]
    bootstrap: int
    cutoff: float
    criterion: Literal["gcv", "reml"]
    smoothing_search: Literal["global", "mgcv"]
    basis_size: int
    def __init__(
        self,
        *,
        stein_eta_score: float = 0.001,
        stein_eta_hessian: float = 0.001,
        stein_median: Literal["all", "nonzero"] = "all",
        stein_rows: int = 0,
        score_normalise: bool = False,
        score_spread: Literal["variance", "mad"] = "variance",
        bootstrap: int = 0,
        cutoff: float = 0.001,
        criterion: Literal["gcv", "reml"] = "gcv",
        smoothing_search: Literal["global", "mgcv"] = "global",
        basis_size: int = 10,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class CaPS(_OrderLearner):
    caps_prune_ratio: float
    caps_supplement_ratio: float
    stein_eta_score: float
    stein_eta_hessian: float
    stein_median: Literal["all", "nonzero"]
    stein_rows: int
    caps_parent_scores: bool
    bootstrap: int
    cutoff: float
    criterion: Literal["gcv", "reml"]
    smoothing_search: Literal["global", "mgcv"]
    basis_size: int
    def __init__(
        self,
        *,
        caps_prune_ratio: float = 50.0,
        caps_supplement_ratio: float = 50.0,
        stein_eta_score: float = 0.001,
        stein_eta_hessian: float = 0.001,
        stein_median: Literal["all", "nonzero"] = "all",
        stein_rows: int = 0,
        caps_parent_scores: bool = False,
        bootstrap: int = 0,
        cutoff: float = 0.001,
        criterion: Literal["gcv", "reml"] = "gcv",
        smoothing_search: Literal["global", "mgcv"] = "global",
        basis_size: int = 10,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class DiffAN(_OrderLearner):
    diffan_variant: Literal["residue", "masking", "published"]
    diffan_epochs: int
    diffan_warm_up: int
    diffan_patience: int
    diffan_batch: int
    diffan_learning_rate: float
    diffan_dropout: float
    diffan_narrow: int
    diffan_wide: int
    diffan_votes: int
    diffan_rows: int
    bootstrap: int
    cutoff: float
    criterion: Literal["gcv", "reml"]
    smoothing_search: Literal["global", "mgcv"]
    basis_size: int
    def __init__(
        self,
        *,
        diffan_variant: Literal["residue", "masking", "published"] = "residue",
        diffan_epochs: int = 3000,
        diffan_warm_up: int = 300,
        diffan_patience: int = 300,
        diffan_batch: int = 1024,
        diffan_learning_rate: float = 0.001,
        diffan_dropout: float = 0.2,
        diffan_narrow: int = 128,
        diffan_wide: int = 1024,
        diffan_votes: int = 4,
        diffan_rows: int = 1024,
        bootstrap: int = 0,
        cutoff: float = 0.001,
        criterion: Literal["gcv", "reml"] = "gcv",
        smoothing_search: Literal["global", "mgcv"] = "global",
        basis_size: int = 10,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class VarSort(_OrderLearner):
    bootstrap: int
    cutoff: float
    criterion: Literal["gcv", "reml"]
    smoothing_search: Literal["global", "mgcv"]
    basis_size: int
    def __init__(
        self,
        *,
        bootstrap: int = 0,
        cutoff: float = 0.001,
        criterion: Literal["gcv", "reml"] = "gcv",
        smoothing_search: Literal["global", "mgcv"] = "global",
        basis_size: int = 10,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class NOTEARS(_GraphLearner):
    notears_lambda: float
    notears_threshold: float
    notears_iterations: int
    notears_tolerance: float
    def __init__(
        self,
        *,
        notears_lambda: float = 0.1,
        notears_threshold: float = 0.3,
        notears_iterations: int = 100,
        notears_tolerance: float = 1e-08,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class GES(_GraphLearner):
    ges_penalty: float
    ges_max_parents: int
    dag: bool
    def __init__(
        self,
        *,
        ges_penalty: float = 0.5,
        ges_max_parents: int = 0,
        dag: bool = False,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class PC(_GraphLearner):
    independence_alpha: float
    max_conditioning: int
    dag: bool
    def __init__(
        self,
        *,
        independence_alpha: float = 0.05,
        max_conditioning: int = -1,
        dag: bool = False,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...

class FCI(_GraphLearner):
    independence_alpha: float
    max_conditioning: int
    def __init__(
        self,
        *,
        independence_alpha: float = 0.05,
        max_conditioning: int = -1,
        tiers: Sequence[Sequence[Label]] | None = None,
        before: Sequence[Sequence[Label]] | None = None,
        missing: Literal["error", "drop", "impute"] = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Callable[[float, str], object] | None = None,
    ) -> None: ...
