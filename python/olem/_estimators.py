"""The learners of orders and graphs, in the shape of scikit-learn's estimators."""

from __future__ import annotations

import inspect
import json
from typing import Any, ClassVar, Mapping, NamedTuple, Sequence

import numpy as np

from . import _olem, _options, _remedies
from ._graph import Graph, Label, graph_from_result, graph_text
from ._input import as_table, check_missing, many_missing, whole_rows
from ._optional import not_fitted_error
from ._steps import steps_of

_METHODS = {method["name"]: method for method in _olem.methods()}
_OF_PRUNING = {option["name"] for option in _olem.prune_options()}

_COMMON: dict[str, Any] = {
    "tiers": None,
    "before": None,
    "missing": "error",
    "imputations": 5,
    "n_jobs": None,
    "random_state": None,
    "progress": None,
}
_COMMON_DOCS = """\
tiers : list of lists of columns, default None
    What is known: every column of a tier comes before every column of each later tier.
before : list of tuples of columns, default None
    What is known: in each tuple, earlier columns come before later ones.
missing : {'error', 'drop', 'impute'}, default 'error'
    What becomes of missing cells (NaN, None): 'drop' leaves their rows out, 'impute' draws them from models of their
    columns given the others, several times; of what is learned from each completed table the one that agrees best with
    the others is the result.
imputations : int, default 5
    How many completed tables.
n_jobs : int, default None
    Threads; None is 1, -1 every core. The result does not depend on it.
random_state : int, numpy.random.RandomState, numpy.random.Generator or None, default None
    The seed of methods that draw random numbers; None is 0.
progress : callable, default None
    Called with the fraction done and the name of the phase, from the thread that called."""

_ORDER_DOCS = """\
causal_order_ : list
    Causes first; names when X has them, else positions.
steps_ : list of Step
    What decided each place, from the end of the order; empty for CAM, whose `result_["inclusions"]` has its search."""

_GRAPH_DOCS = """\
graph_ : Graph
adjacency_matrix_ : DataFrame when X has names, else array
    A[i, j] = 1 means i -> j; an undirected edge is a 1 both ways."""

_LAZY_DOCS = _GRAPH_DOCS + """
    An order learner chooses the edges when one of these two is first asked for, from the data that it keeps."""

_FIT_DOCS = """\
result_ : dict
    Everything the method says, by the keys of `olem order --json` or `olem graph --json`.
warnings_ : list of dict
    With `code`, `text`, `where` and `remedies`; each was also issued as an OlemWarning.
missing_ : dict or None
    How many cells were missing and imputed, by column.
agreement_ : dict or None
    How far the orders or graphs that were learned from the completed tables differ.
n_features_in_ : int
feature_names_in_ : array of str, only when X has names"""


# The checks of sklearn.utils.estimator_checks that cannot apply to any learner.
_EXEMPT = {
    "check_dtype_object": "arrays of Python objects are refused with row and column, not converted",
}


class _Job(NamedTuple):
    """What `fit` was asked to do: later changes of parameters do not change what was learned."""

    options: dict[str, str]
    knowledge: str
    seed: int


class _Learner:
    """What all learners share. A subclass names its method; its parameters are the described options of that method."""

    _method: ClassVar[str]
    _options: ClassVar[Sequence[_options.Option]]
    _exempt: ClassVar[Mapping[str, str]] = {}
    _attribute_docs: ClassVar[str] = _GRAPH_DOCS

    tiers: Sequence[Sequence[Label]] | None
    before: Sequence[Sequence[Label]] | None
    missing: str
    imputations: int
    n_jobs: int | None
    random_state: Any
    progress: Any

    def __init_subclass__(cls, method: str | None = None, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if method is None:
            return
        described = _METHODS[method]
        cls._method = method
        # The method's own options before those of the edges along its order.
        cls._options = sorted(described["options"], key=lambda option: option["name"] in _OF_PRUNING)
        common = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation="Any")
            for name, default in _COMMON.items()
        ]

        def __init__(self: _Learner, **parameters: Any) -> None:
            try:
                bound = signature.bind(self, **parameters)
            except TypeError as error:
                raise TypeError(f"{cls.__name__}: {error}") from None
            bound.apply_defaults()
            for name, value in list(bound.arguments.items())[1:]:
                setattr(self, name, value)

        signature = _options.set_signature(__init__, common, cls._options)
        cls.__init__ = __init__  # type: ignore[assignment, method-assign]
        cls.__doc__ = "\n".join(
            [
                inspect.cleandoc(cls.__doc__ or ""),
                "",
                *([described["explanation"], ""] if described["explanation"] else []),
                "Parameters",
                "----------",
                _options.parameter_docs(cls._options),
                _COMMON_DOCS,
                "",
                "Attributes",
                "----------",
                cls._attribute_docs,
                _FIT_DOCS,
            ]
        )

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted(list(inspect.signature(cls.__init__).parameters)[1:])

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name. `deep` is there for scikit-learn: no parameter is an estimator."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> _Learner:
        """Sets parameters by name and returns the learner."""
        known = self._parameter_names()
        for name, value in parameters.items():
            if name not in known:
                raise ValueError(f"{name!r} is no parameter of {type(self).__name__}. There are: {', '.join(known)}.")
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: Any = None, *, column_types: Mapping[Label, Any] | None = None) -> _Learner:
        """Learns from the rows of X and returns the learner; `y` is not used.

        X is an array or a DataFrame of finite numbers with a row for every observation and a column for every variable;
        categories, booleans and words of a DataFrame are levels, which enter as numbers. Nothing is standardised.
        ValueError with row and column for what is neither. `column_types` says what columns are: a type each, or a dict
        of type, levels, unit and label.
        """
        check_missing(self.missing)
        if self.missing == "drop":
            X = whole_rows(X)
        given, names = as_table(X, column_types, gaps=self.missing == "impute", imputable=True)
        labels: list[Label] = list(names) if names else list(range(len(given.names)))
        with _remedies.spelt(_remedies.keywords(self._parameter_names()), None if names else given.names):
            job = self._job(labels, given.names)
            tables, gaps = [given], None
            if isinstance(given, _olem.IncompleteTable):
                tables, gaps = given.complete(int(self.imputations), _options.run_settings(self.n_jobs, job.seed))
            learned, agreement = self._learn(tables, labels, job)
        table = tables[agreement["chosen"] if agreement else 0]
        for name in [name for name in vars(self) if name.endswith("_") or name.startswith("_")]:
            delattr(self, name)
        vars(self).update(learned)
        self.n_features_in_ = len(labels)
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)
        self.missing_ = gaps
        self.agreement_ = agreement
        if gaps is not None:
            self.result_.update(missing=gaps, agreement=agreement)
            self.warnings_ = [*many_missing(gaps), *self.warnings_]
        self.result_["column_types"] = table.column_types
        _options.issue_warnings(self.warnings_)
        return self

    def _learn(
        self, tables: Sequence[_olem.Table], labels: list[Label], job: _Job
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """The attributes of the fitted learner by name, and where there are several tables how they agree."""
        raise NotImplementedError

    def _job(self, labels: Sequence[Label], names: Sequence[str]) -> _Job:
        values = {option["name"]: getattr(self, option["name"]) for option in self._options}
        knowledge = self._knowledge(dict(zip(labels, names)))
        return _Job(_options.as_texts(values), knowledge, _options.seed_of(self.random_state))

    def _settings(self, job: _Job, part: int = 0, parts: int = 1) -> _olem.RunSettings:
        """Of one of several equal parts of the work."""
        progress = self.progress
        if progress is not None and parts > 1:
            whole = progress

            def progress(fraction: float, phase: str) -> object:
                return whole((part + fraction) / parts, phase)

        return _options.run_settings(self.n_jobs, job.seed, progress)

    def _knowledge(self, name: Mapping[Label, str]) -> str:
        def known(column: Label) -> str:
            return name.get(column, str(column))  # the library refuses names that it does not know

        content = {}
        for key, lists in (("tiers", self.tiers), ("before", self.before)):
            if lists is None:
                continue
            if any(isinstance(columns, str) for columns in lists):
                raise ValueError(f"{key}: give a list of lists of columns, such as [['a', 'b'], ['c']].")
            content[key] = [[known(column) for column in columns] for columns in lists]
        return json.dumps(content)

    @property
    def graph_(self) -> Graph:
        self._check_fitted()
        return self._graph

    @property
    def adjacency_matrix_(self) -> Any:
        return self.graph_.adjacency_matrix

    def to_networkx(self) -> Any:
        """The learned graph as a networkx.DiGraph; see Graph.to_networkx."""
        self._check_fitted()
        return self.graph_.to_networkx()

    def _check_fitted(self) -> None:
        if "n_features_in_" not in vars(self):
            raise not_fitted_error()(f"This {type(self).__name__} has not been fitted. Call fit(X) first.")

    def __getattr__(self, name: str) -> Any:
        # Only what is not there comes here.
        if name.endswith("_") and not name.startswith("_"):
            self._check_fitted()
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{self._why_missing(name)}.")

    def _why_missing(self, name: str) -> str:
        return ": X had no names" if name == "feature_names_in_" else ""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "progress": None}  # a callback is of this process

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}" for name, value in self.get_params().items() if value is not defaults[name].default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _more_tags(self) -> dict[str, Any]:
        # scikit-learn before 1.6
        return {"requires_y": False, "allow_nan": self.missing != "error", "_xfail_checks": {**_EXEMPT, **self._exempt}}

    def __sklearn_tags__(self) -> Any:
        # scikit-learn from 1.6 on
        from sklearn.utils import InputTags, Tags, TargetTags

        gaps = InputTags(allow_nan=self.missing != "error")
        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=gaps)


class _OrderLearner(_Learner):
    _attribute_docs = _ORDER_DOCS + "\n" + _LAZY_DOCS

    def _learn(
        self, tables: Sequence[_olem.Table], labels: list[Label], job: _Job
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        all_found = [
            _olem.learn_order(table, self._method, job.options, job.knowledge, self._settings(job, i, len(tables)))
            for i, table in enumerate(tables)
        ]
        orders = [found.to_dict()["order"] for found in all_found] if len(tables) > 1 else []
        agreement = _olem.agreement_of_orders(orders) if orders else None
        chosen = agreement["chosen"] if agreement else 0
        table, found = tables[chosen], all_found[chosen]
        result = found.to_dict()
        label = dict(zip(table.names, labels))
        return {
            "causal_order_": [label[name] for name in result["order"]],
            "steps_": steps_of(result, label),
            "result_": result,
            "warnings_": result["warnings"],
            "_table": table,
            "_found": found,
            "_labels": labels,
            "_asked": job,
        }, agreement

    @property
    def graph_(self) -> Graph:
        self._check_fitted()
        if "_graph" not in vars(self):
            asked = (self._asked.options, self._asked.knowledge, self._settings(self._asked))
            named = "feature_names_in_" in vars(self)
            with _remedies.spelt(_remedies.keywords(self._parameter_names()), None if named else self._table.names):
                if self._found is None:  # it was pickled; learning again gives the same
                    result = _olem.learn_graph(self._table, self._method, *asked)
                else:
                    result = _olem.graph_of_order(self._table, self._found, *asked)
            self._graph = graph_from_result(result, self._labels)
        return self._graph

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "_found" in state:
            state["_found"] = None
        return state


class _GraphLearner(_Learner):
    def _learn(
        self, tables: Sequence[_olem.Table], labels: list[Label], job: _Job
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        results = [
            _olem.learn_graph(table, self._method, job.options, job.knowledge, self._settings(job, i, len(tables)))
            for i, table in enumerate(tables)
        ]
        graphs = [graph_from_result(result, labels) for result in results]
        agreement = _olem.agreement_of_graphs([graph_text(one) for one in graphs]) if len(tables) > 1 else None
        chosen = agreement["chosen"] if agreement else 0
        result, graph = results[chosen], graphs[chosen]
        attributes = {"_graph": graph, "result_": result, "warnings_": result["warnings"]}
        if graph.kind == "dag":
            attributes["causal_order_"] = graph.order()
        return attributes, agreement

    def _why_missing(self, name: str) -> str:
        if name == "causal_order_" and "_graph" in vars(self):
            return f": its graph is a {self._graph.kind.upper()}, which stands for several orders"
        return super()._why_missing(name)


_GRAPH_DOCS_DAG = _GRAPH_DOCS + """
causal_order_ : list
    An order of the graph, causes first; only when the graph is a DAG."""
_GraphLearner._attribute_docs = _GRAPH_DOCS_DAG


class OLEM(_OrderLearner, method="olem"):
    """OLEM: the causal order by conditional entropies (Tao, Wang and Zhou, "Order-based Rehearsal Learning")."""

    _exempt = {"check_estimators_dtypes": "fits the numbers 0, 1 and 2 only, whose density has no entropy"}


class OLEMPlus(_OrderLearner, method="olem+"):
    """OLEM+: the order with the least residual entropies and the fewest edges, and what decided each step of it."""


class LISTEN(_OrderLearner, method="listen"):
    """LISTEN: the order of a linear model by its precision matrix (Ghoshal and Honorio 2018)."""


class CAM(_OrderLearner, method="cam"):
    """CAM: greedy search over edges of an additive model (Buehlmann, Peters and Ernest 2014)."""

    _exempt = {"check_estimators_nan_inf": "fits 10 rows in the end, and CAM needs 20"}


class SCORE(_OrderLearner, method="score"):
    """SCORE: the order by the spread of second derivatives of the log-density (Rolland et al. 2022)."""


class CaPS(_OrderLearner, method="caps"):
    """CaPS: the order by the means of second derivatives of the log-density, with parent scores (Xu et al. 2024)."""


class DiffAN(_OrderLearner, method="diffan"):
    """DiffAN: the order by the score of a diffusion network (Sanchez et al. 2023)."""

    _exempt = dict.fromkeys(
        [
            "check_dict_unchanged",
            "check_dont_overwrite_parameters",
            "check_estimators_dtypes",
            "check_estimators_fit_returns_self",
            "check_estimators_nan_inf",
            "check_estimators_overwrite_params",
            "check_estimators_pickle",
            "check_fit2d_predict1d",
            "check_fit_score_takes_y",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_pipeline_consistency",
        ],
        "fits fewer than the 50 rows that DiffAN needs",
    )


class VarSort(_OrderLearner, method="varsort"):
    """Sorting by variance: the control against which order learners are held."""


class NOTEARS(_GraphLearner, method="notears"):
    """Linear NOTEARS: a DAG by continuous optimisation (Zheng et al. 2018)."""


class GES(_GraphLearner, method="ges"):
    """Greedy equivalence search: a CPDAG by a score (Chickering 2002)."""


class PC(_GraphLearner, method="pc"):
    """PC in its stable form: a CPDAG by tests of independence (Spirtes, Glymour and Scheines 2000)."""


class FCI(_GraphLearner, method="fci"):
    """FCI: a PAG, which allows for hidden common causes (Spirtes, Glymour and Scheines 2000; Zhang 2008)."""
