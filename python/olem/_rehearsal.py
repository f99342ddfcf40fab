"""Decisions: what to change so that an undesired forecast does not come true."""

from __future__ import annotations

import html
import difflib
import inspect
import json
import math
import numbers
import os
from typing import Any, ContextManager, Mapping, Sequence

from . import _olem, _options, _remedies
from ._graph import Graph, as_graph, graph_text
from ._input import as_table, check_missing, is_missing, many_missing, whole_rows
from ._optional import not_fitted_error, require
from ._steps import Step, steps_of

# Parameters that are keys of a task file.
_ROLES = ("context", "alterable", "outcome", "desired")
_WISHES = (
    *("before", "cost", "max_alterations", "constraints", "sequence", "columns", "known_before", "after", "ignore"),
    *("set_by_hand", "group", "weight", "time"),
)


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


class Decision:
    """What to change for one observed context, and what to expect of it.

    Attributes
    ----------
    context : dict
        The observed values; a level that has a word is its word. None: it was not known, and drawn.
    so_far : dict
        What was set and seen since, where that was given.
    sequence : dict or None
        Of a task with later steps: "rules" says how each lever of these is to be set by what will be seen, "at_once"
        what setting everything now would reach.
    opinions : list of dict
        Where other learners were asked (`Rehearsal(opinions=["olem", "ges"])`): learner, success of this decision along
        its order or graph, and without_action.
    plan : list of dict
        Of several rounds (`Rehearsal.plan_rounds`): the levers of each round in expectation, where there is such a plan.
    unknown : list of dict
        For each context variable that was not known: name, worth (by how much knowing it would raise the probability of
        success on average) and standard_error.
    alterations : dict
        The value to set each alterable variable to, a level by its word; None: leave it alone.
    success_probability : float
        Share of fresh draws in which the outcomes end up where they are wanted.
    interval : (float, float)
        95 % interval of it (Clopper and Pearson): the chance of the draws only.
    without_action : float
        The same share when nothing is altered.
    cost : float
        Of the alterations, by the weights of the task or else in standard deviations.
    proposals : list of dict
        Where several were asked for (`suggest(context, proposals=3)`): different decisions, the best first.
    outcomes, outcomes_without_action : dict
        For each outcome its mean and the range of four cases in five.
    decision_id : str or None
        Its id in the log, where it was logged.
    status, message : str
    """

    def __init__(self, result: Mapping[str, Any]) -> None:
        self._result = dict(result)

    @property
    def context(self) -> dict[str, float | str | None]:
        return dict(self._result["context"])

    @property
    def so_far(self) -> dict[str, float | str]:
        return dict(self._result.get("so_far", {}))

    @property
    def sequence(self) -> dict[str, Any] | None:
        return self._result.get("sequence")

    @property
    def opinions(self) -> list[dict[str, Any]]:
        return list(self._result.get("opinions", []))

    @property
    def plan(self) -> list[dict[str, float]]:
        return list(self._result.get("plan", []))

    @property
    def unknown(self) -> list[dict[str, Any]]:
        return list(self._result.get("unknown", []))

    @property
    def alterations(self) -> dict[str, float | str | None]:
        return dict(self._result["alterations"])

    @property
    def success_probability(self) -> float:
        return self._result["success_probability"]

    @property
    def interval(self) -> tuple[float, float]:
        low, high = self._result["interval"]
        return low, high

    @property
    def without_action(self) -> float:
        return self._result["without_action"]

    @property
    def cost(self) -> float:
        return self._result["cost"]

    @property
    def proposals(self) -> list[dict[str, Any]]:
        return list(self._result.get("proposals", []))

    @property
    def outcomes(self) -> dict[str, dict[str, float]]:
        return dict(self._result["outcomes"])

    @property
    def outcomes_without_action(self) -> dict[str, dict[str, float]]:
        return dict(self._result["outcomes_without_action"])

    @property
    def decision_id(self) -> str | None:
        return self._result.get("decision_id")

    @property
    def status(self) -> str:
        return self._result["status"]

    @property
    def message(self) -> str:
        return self._result["message"]

    def to_dict(self) -> dict[str, Any]:
        """Everything, by the keys of `olem decide --json`; ready for json.dumps."""
        return json.loads(json.dumps(self._result))

    def _rows(self) -> list[tuple[str, str, str, str]]:
        rows = []
        for name, value in self.alterations.items():
            expected = _shown(self._result["expected"][name])
            released = f"{100 * self._result['success_if_released'][name]:.1f} %"
            rows.append((name, "leave alone" if value is None else _shown(value), expected, released))
        return rows

    def _sentence(self) -> str:
        low, high = self.interval
        return (
            f"Success {100 * self.success_probability:.1f} % ({100 * low:.1f} % to {100 * high:.1f} %), "
            f"without action {100 * self.without_action:.1f} %."
        )

    def __repr__(self) -> str:
        header = ("set", "to", "otherwise about", "success without it")
        rows = [header, *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
        lines = [
            "  " + row[0].ljust(widths[0]) + "".join("  " + cell.rjust(w) for cell, w in zip(row[1:], widths[1:]))
            for row in rows
        ]
        return "\n".join([self._sentence(), *lines])

    def _repr_html_(self) -> str:
        cells = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows()
        )
        return (
            f"<p>{html.escape(self._sentence())}</p><table><thead><tr><th>set</th><th>to</th>"
            f"<th>otherwise about</th><th>success without it</th></tr></thead><tbody>{cells}</tbody></table>"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decision) and self._result == other._result

    __hash__ = None  # type: ignore[assignment]


class Rehearsal:
    """OLEM-Rh: learns from past observations what to change so that outcomes end up where they are wanted.

    Parameters
    ----------
    context : list of str
        Columns that are observed before the decision.
    alterable : dict of name to (low, high), {{'min': a, 'max': b, 'step': c}} or {{'values': [...]}}
        Columns that may be set, each with its domain: an interval, a grid, or a list of numbers or levels; {{}} stands
        for all levels. Binary, ordinal, count and category columns are only ever set to values of their own.
    outcome : list of str
        Columns that the decision is for. All others are intermediate.
    desired : dict of name to (low, high), a level or {{'values': [...]}}; or {{'M': matrix, 'd': vector}}
        Where the outcomes are wanted: a range for each, None for an open side, or some of its levels; or M y <= d.
    before : list of tuples of str
        What is known of the order: earlier names come before later ones.
    cost : dict of name to weight
        A decision costs weight x |value - expected value without action| for what it sets: steps between the levels
        of an ordinal column, 1 for another level of a switch or category. An entry may be
        {{"weight": 10, "datum": 0, "power": 2}}: the distance is counted from the datum, and its square costs.
    max_alterations : int
        How many variables a decision may set.
    constraints : list of {{'weights': {{name: weight}}, 'max': bound}}
        Between alterable variables; the weight of 'NAME=LEVEL' counts when NAME has that level.
    sequence : list of {{'alter': [name], 'then_observe': [name]}}
        Steps of the decision: later levers answer to what is seen by then. None: everything is set at once.
    columns : dict of name to type, or to {{'type': ..., 'levels': [...], 'unit': ..., 'label': ...}}
        What columns are, before what pandas or their numbers say: 'real', 'positive', 'share', 'count', 'ordinal',
        'binary' or 'category'.
    known_before : list of str
        Columns that are settled before the levers are set, without a value when the decision is made.
    after : list of str
        Columns behind the outcomes: neither fitted nor used.
    ignore : list of str
        Columns that are not used.
    set_by_hand : dict of name to column
        Variables that somebody set from outside in some rows, each with the column of 0 and 1 that says in which; True:
        in all of them. Such a row teaches nothing about what the variable itself depends on, and what the lever does
        without any assumption about hidden causes.
    group : str
        Column of the groups that the rows belong to, such as branches: every variable has an intercept for each.
    weight : str
        Column that says how often a row counts.
    time : str
        Column that the rows are in time order by.
    method : str
        The order learner; None is 'olem+'.
        {methods}
    order_options : dict
        Options of that learner, such as {{'k': 3}}.
    order : list of str
        An order to use instead of learning one.
    graph : Graph, adjacency matrix with names, or networkx graph
        A graph to use instead: every variable is then modelled by its parents only (Grad-Rh).
    graph_method : str
        Learn such a graph, by the name that `olem graph --method` has.
    graph_options : dict
        Options of that learner.
    sampler : str
        The model of each variable given those before it, or its parents. None is 'auto', and 'gaussian' for
        `suggest(decision='qwz23')`, which needs straight lines: they are then fitted along the same order or graph.
        {samplers}
    sampler_options : dict
        Options of the sampler, as `olem decide --help` has them.
    levers : {{'auto', 'first', 'learned'}}
        Where levers stand among the columns without a role: before all of them unless the shape of the data prefers the
        learned order by more than 3 standard errors; before all of them; or where the order learner puts them. None is
        'auto'.
    like : str
        Take the defaults of an earlier version: '0.1', whose orders are OLEM's, levers included, and whose sampler
        is 'gp'.
    ignore_stages : bool
        Learn the order without the stages context, intermediate, outcome, as the published algorithm does.
    quick : bool
        One fit and nothing else: intervals cover the chance of the draws only. Otherwise members are fitted too, from
        which decisions have intervals that cover rows, order and extrapolation. `like` implies it.
    orders : int
        Orders learned with weighted rows that take part in the decision and its evaluation.
    halves : int
        Fits to halves of the rows behind the interval, in complementary pairs.
    opinions : list of str
        Learners of orders or graphs, such as 'olem' and 'ges', by which every decision is evaluated too; see
        `Decision.opinions`. They take no part in choosing it.
    calibrate : bool
        Test the samplers on rows held out; see `calibration_`.
    keep_rows : bool
        Keep the rows in the model, 8 bytes for each cell: `update` then needs no others.
    missing : str
        What becomes of missing cells (NaN, None): 'error', 'drop' leaves their rows out, 'impute' draws them from models
        of their columns given the others, several times; decisions are averaged over the completed tables.
    imputations : int
        How many completed tables.
    n_jobs, random_state, progress
        As of OLEM.

    Attributes
    ----------
    causal_order_ : list of str
    steps_ : list of Step
        What decided each place; empty for a given order.
    graph_ : Graph or None
        The graph that variables are modelled along, where there is one.
    models_ : dict
        What the model of each variable is, and which variables it depends on.
    undecided_steps_ : list of str
        Neighbours in the order that the data did not decide and that matter for the decision.
    calibration_ : dict or None
    missing_ : dict or None
        How many cells were missing and imputed, by column.
    agreement_ : dict or None
        How far the orders or graphs that were learned from the completed tables differ.
    set_by_hand_ : list of dict
        For each lever that was set in some rows and each outcome: the effect from these rows and from the others.
    groups_ : list of str
        The groups that the model was learned from.
    task_ : dict
        The task that was fitted, as in a task file.
    column_types_ : dict
        What each column was taken for: type, levels, unit, label, reason, declared.
    warnings_ : list of dict
    """

    causal_order_: list[str]
    steps_: list[Step]
    graph_: Graph | None
    models_: dict[str, Any]
    undecided_steps_: list[str]
    calibration_: dict[str, Any] | None
    missing_: dict[str, Any] | None
    agreement_: dict[str, Any] | None
    warnings_: list[dict[str, str]]
    task_: dict[str, Any]
    column_types_: dict[str, dict[str, Any]]
    update_: dict[str, Any]
    _model: _olem.RehearsalModel
    _seed: int
    # What a model with straight lines is fitted to, and that model once it was asked for.
    _table: _olem.Table | None = None
    _straight: _olem.RehearsalModel | None = None

    def __init__(
        self,
        context: Sequence[str] = (),
        alterable: Mapping[str, Any] | None = None,
        outcome: Sequence[str] = (),
        desired: Mapping[str, Any] | None = None,
        *,
        before: Sequence[Sequence[str]] | None = None,
        cost: Mapping[str, Any] | None = None,
        max_alterations: int | None = None,
        constraints: Sequence[Mapping[str, Any]] | None = None,
        sequence: Sequence[Mapping[str, Any]] | None = None,
        columns: Mapping[str, Any] | None = None,
        known_before: Sequence[str] | None = None,
        after: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        set_by_hand: Mapping[str, str | bool] | None = None,
        group: str | None = None,
        weight: str | None = None,
        time: str | None = None,
        method: str | None = None,
        order_options: Mapping[str, Any] | None = None,
        order: Sequence[str] | None = None,
        graph: Any = None,
        graph_method: str | None = None,
        graph_options: Mapping[str, Any] | None = None,
        sampler: str | None = None,
        sampler_options: Mapping[str, Any] | None = None,
        levers: str | None = None,
        like: str | None = None,
        ignore_stages: bool = False,
        quick: bool = False,
        opinions: Sequence[str] | None = None,
        orders: int = 8,
        halves: int = 8,
        calibrate: bool = False,
        keep_rows: bool = False,
        missing: str = "error",
        imputations: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: Any = None,
    ) -> None:
        self.context = context
        self.alterable = alterable
        self.outcome = outcome
        self.desired = desired
        self.before = before
        self.cost = cost
        self.max_alterations = max_alterations
        self.constraints = constraints
        self.sequence = sequence
        self.columns = columns
        self.known_before = known_before
        self.after = after
        self.ignore = ignore
        self.set_by_hand = set_by_hand
        self.group = group
        self.weight = weight
        self.time = time
        self.method = method
        self.order_options = order_options
        self.order = order
        self.graph = graph
        self.graph_method = graph_method
        self.graph_options = graph_options
        self.sampler = sampler
        self.sampler_options = sampler_options
        self.levers = levers
        self.like = like
        self.ignore_stages = ignore_stages
        self.quick = quick
        self.opinions = opinions
        self.orders = orders
        self.halves = halves
        self.calibrate = calibrate
        self.keep_rows = keep_rows
        self.missing = missing
        self.imputations = imputations
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return list(inspect.signature(cls.__init__).parameters)[1:]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name. `deep` is there for scikit-learn: no parameter is an estimator."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> Rehearsal:
        """Sets parameters by name and returns the object."""
        known = self._parameter_names()
        for name, value in parameters.items():
            if name not in known:
                raise ValueError(f"{name!r} is no parameter of Rehearsal. There are: {', '.join(known)}.")
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: Any = None) -> Rehearsal:
        """Learns order and samplers from a DataFrame of past observations and returns the object; `y` is not used."""
        check_missing(self.missing)
        if self.missing == "drop":
            X = whole_rows(X)
        table, names = as_table(X, gaps=self.missing == "impute", imputable=True)
        if names is None:
            raise ValueError("X has no column names, by which a task speaks of its variables. Give a DataFrame.")
        for role in ("after", "ignore"):
            for name in getattr(self, role) or ():
                if name not in names:
                    near = difflib.get_close_matches(name, names, 1)
                    advice = f" Did you mean {near[0]!r}?" if near else ""
                    raise ValueError(f"{role}: X has no column {name!r}.{advice}")
        with self._spelt():
            incomplete = isinstance(table, _olem.IncompleteTable)
            rest = (
                self._learning_options(),
                None if self.order is None else list(self.order),
                None if self.graph is None else graph_text(as_graph(self.graph)),
                _options.run_settings(self.n_jobs, self.random_state, self.progress),
            )
            if incomplete:
                self._model, found = _olem.RehearsalModel.fit_incomplete(
                    self._task_text(), table, int(self.imputations), *rest
                )
            else:
                self._model, found = _olem.RehearsalModel.fit(self._task_text(), table, *rest)
            self._table = table if self.sampler is None and not incomplete else None
            self._straight = None
            self._take_facts()
        self.warnings_ = [*found, *many_missing(self.missing_), *self.warnings_]
        _options.issue_warnings(self.warnings_)
        return self

    def suggest(
        self, context: Any = None, *, unknown: str = "error", so_far: Any = None, log: Any = None, **options: Any
    ) -> Any:
        """The decision for an observed context, or for its next step.

        Parameters
        ----------
        context : mapping of name to value, or DataFrame with a row for every context
            Nothing for a task without context variables. A value that is not known is None, NaN or absent. With
            groups the name of a group may stand among them; without, a new group is decided for.
        unknown : {{'error', 'draw'}}
            What becomes of such a value: it is refused, or drawn from its distribution given those that are known;
            `Decision.unknown` then says what knowing it would be worth.
        so_far : mapping of name to value
            What was set and seen since, of one context: the next step of the task's sequence is decided.
            `Decision.sequence` tells of the steps after it.
        log : path
            A log to which each decision is added with what it claims; `Decision.decision_id` is its id there, and
            `olem.check_log` compares the log with what came out.
        {options}

        Returns
        -------
        Decision, or a list of them for a DataFrame.
        """
        self._check_fitted()
        frame = hasattr(context, "columns")
        if frame and so_far:
            raise ValueError("so_far belongs to one context. Give a mapping.")
        if self.like is not None:
            options = {"least_effort": 0.0, **options}  # an earlier version took the best decision whatever its effort
        rows = context.to_dict("records") if frame else [{} if context is None else context]
        with self._spelt():
            decisions = self._model_for(options).decide(
                [self._context_values(row, complete=not frame, unknown=unknown) for row in rows],
                _options.as_texts(options),
                unknown,
                [(str(name), _options.as_text(value)) for name, value in dict(so_far or {}).items()],
                None if log is None else os.fspath(log),
                [self._group_of(row) for row in rows],
                self._settings(),
            )
        for decision in decisions:
            _options.issue_warnings(decision["warnings"])
        found = [Decision(decision) for decision in decisions]
        return found if frame else found[0]

    def plan_rounds(
        self, X: Any, context: Any = None, *, rounds: int = 2, done: int = 0, over: str = "mean", **options: Any
    ) -> Decision:
        """Plans several rounds with one target, from a DataFrame of rounds, and decides the present one.

        Every row is modelled given the row before, so that nothing need be fitted first; there are no members.

        Parameters
        ----------
        X : DataFrame
            Rounds so far in time order, or in that of the task's `time`; the last one is the round before the present.
        context : mapping of name to value
            The context of the present round.
        rounds : int
            Rounds from now on over which the outcomes are wanted, the present one included.
        done : int
            Rounds before them that count too: the last rows.
        over : {'mean', 'sum'}
            Of the outcomes over all rounds: what is wanted in the region.
        **options
            As in `suggest`.

        Returns
        -------
        Decision, with `plan`: the levers of each round, where linear models with normal noise give such a plan.
        """
        if over not in ("mean", "sum"):
            raise ValueError(f"over: {over!r} is neither 'mean' nor 'sum'.")
        table, names = as_table(X)
        if names is None:
            raise ValueError("X has no column names, by which a task speaks of its variables. Give a DataFrame.")
        with self._spelt():
            decision = _olem.RehearsalModel.plan_rounds(
                self._task_text(),
                table,
                self._learning_options(),
                None if self.order is None else list(self.order),
                [(str(name), _options.as_text(value)) for name, value in dict(context or {}).items()],
                (int(rounds), int(done), over == "sum"),
                _options.as_texts(options),
                _options.run_settings(self.n_jobs, self.random_state, self.progress),
            )
        _options.issue_warnings(decision["warnings"])
        return Decision(decision)

    def update(
        self, rows: Any, *, old: Any = None, set_by_hand: Mapping[str, str] | None = None
    ) -> Rehearsal:
        """Brings the model up to date with rows that came since, and returns the object; `update_` tells of it.

        Parameters
        ----------
        rows : DataFrame
            New rows in time order.
        old : DataFrame
            The rows that the model was learned from, where it does not keep them (`keep_rows`).
        set_by_hand : dict of name to column
            Variables that somebody set from outside in some of the rows, each with the column of 0 and 1 that says in
            which.
        """
        self._check_fitted()
        with self._spelt():
            self._model, found = self._model.update(
                None if old is None else self._levels_of(old),
                self._levels_of(rows, least=1),
                [(str(name), str(column)) for name, column in dict(set_by_hand or {}).items()],
                bool(self.keep_rows),
                self._settings(),
            )
            self._table = self._straight = None
            self._take_facts()
        self.update_ = {key: found[key] for key in ("old_rows", "new_rows", "variables")}
        _options.issue_warnings(found["warnings"])
        return self

    def check_drift(self, rows: Any) -> dict[str, Any]:
        """Whether rows that came since, in time order, are as the model forecasts them.

        Returns the dict that `olem check MODEL --data ROWS --json` has under "drift": drifted (names), and variables
        with what changed, since which row, statistic and p_value.
        """
        self._check_fitted()
        with self._spelt():
            found = self._model.check_drift(self._levels_of(rows, gaps=True, least=1), self._settings())
        _options.issue_warnings(found.pop("warnings"))
        return found

    def _levels_of(self, rows: Any, gaps: bool = False, least: int = 2) -> Any:
        """The rows as a table; levels have the numbers that the model knows them by."""
        if hasattr(rows, "columns") and hasattr(rows, "assign"):
            changed = {}
            for name in rows.columns:
                levels = self.column_types_.get(name, {}).get("levels", {})
                if levels:
                    changed[name] = [
                        float("nan") if gaps and is_missing(cell) else self._number(str(name), cell)
                        for cell in rows[name]
                    ]
            rows = rows.assign(**changed)
        table, names = as_table(rows, gaps=gaps, least=least)
        if names is None:
            raise ValueError("rows has no column names, by which variables are found. Give a DataFrame.")
        return table

    def simulate(
        self, context: Any = None, alterations: Any = None, n: int = 1000, *, draw: int = 0, caution: float = 1.0
    ) -> Any:
        """Draws what becomes of all variables that the outcomes depend on, after a decision.

        Parameters
        ----------
        context : mapping of name to value
        alterations : mapping of name to value, a Decision, or None for no action
            Variables with the value None are left alone.
        n : int
            Rows to draw.
        draw : int
            Which draws: calls with the same number share their noise, whatever is altered, so that differences between
            decisions are not chance. They are never those that a search saw.
        caution : float
            Factor of the posterior standard deviation of the samplers.

        Returns
        -------
        DataFrame with a row for every draw; draws that are not finite are left out.
        """
        self._check_fitted()
        pandas = require("pandas", "Rehearsal.simulate")
        if isinstance(alterations, Decision):
            alterations = alterations.alterations
        values = [(str(k), self._number(str(k), v)) for k, v in (alterations or {}).items() if v is not None]
        if not isinstance(n, numbers.Integral) or n < 1:
            raise ValueError(f"n: {n!r} is not a positive number of rows.")
        table = self._model.simulate(
            self._context_values({} if context is None else context, complete=True),
            values,
            int(n),
            draw,
            caution,
            self._settings(),
        )
        return pandas.DataFrame(table.to_array(), columns=table.names)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes what was learned to a file, which `load` and `olem decide --model` read."""
        self._check_fitted()
        with _remedies.spelt(_remedies.keywords(["overwrite"])):
            self._model.save(os.fspath(path), overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, n_jobs: int | None = None, progress: Any = None) -> Rehearsal:
        """Reads what `save` or `olem fit` wrote."""
        model = _olem.RehearsalModel.load(os.fspath(path), _options.run_settings())
        facts = model.facts()
        task, options = facts["task"], facts["options"]
        known = {key: task[key] for key in (*_ROLES, *_WISHES) if key in task}
        loaded = cls(**known, sampler=options["sampler"], random_state=facts["seed"], n_jobs=n_jobs, progress=progress)
        loaded.quick = options["quick"]
        loaded.opinions = options.get("opinions")
        if not loaded.quick:
            loaded.orders, loaded.halves = options["orders"], options["halves"]
        graph = facts["graph"]
        if graph is None and facts["order_method"] == "given order":
            loaded.order = facts["order"]
        elif graph is None:
            loaded.method = facts["order_method"]
            loaded.levers = options["levers"]
        elif graph["method"] == "given graph":
            loaded.graph = Graph(facts["order"], [(a, b) for a, b in graph["edges"]])
        else:
            loaded.graph_method = graph["method"]
        loaded._model = model
        with loaded._spelt():
            loaded._take_facts()
        return loaded

    def _spelt(self) -> ContextManager[None]:
        """Within, messages name the parameters that order, graph, samplers and decisions have here."""
        orders = {option["name"] for method in _olem.methods() for option in method["options"]}
        samplers = {option["name"] for kind in _olem.samplers() for option in kind["options"]}
        decisions = {option["name"] for option in _olem.decision_options()}
        of_learner = "order_options" if self.graph_method is None else "graph_options"

        def spell(remedy: _remedies.Remedy) -> str:
            option, value = remedy["option"], _remedies.literal(remedy["value"])
            if option in ("tier", "before"):
                return f"before={value}"
            if option in ("context", "contexts"):
                return "suggest(context)"
            if _remedies.keyword(option) in self._parameter_names():
                return _remedies.assignment(remedy)
            if option in samplers:
                return f"sampler_options={{{option!r}: {value}}}"
            if option in orders:
                return f"{of_learner}={{{option!r}: {value}}}"
            if option in decisions:
                return f"suggest({option}={value})"
            return ""

        return _remedies.spelt(spell)

    def _learning_options(self) -> _olem.RehearsalOptions:
        given = [name for name in ("order", "graph", "graph_method") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{given[0]} and {given[1]} exclude each other: only one says what comes before what.")
        options = _olem.RehearsalOptions() if self.like is None else _olem.RehearsalOptions.like(self.like)
        options.set_order(self.method or options.method, _options.as_texts(self.order_options or {}))
        options.set_sampler(self.sampler or options.sampler, _options.as_texts(self.sampler_options or {}))
        if self.graph_method is not None:
            options.set_graph(self.graph_method, _options.as_texts(self.graph_options or {}))
        if self.levers is not None:
            options.set_levers(self.levers)
        options.ignore_stages = bool(self.ignore_stages)
        options.calibrate = bool(self.calibrate)
        options.keep_rows = bool(self.keep_rows)
        options.context_model = len(self.context) > 0
        self._add_members(options)
        return options

    def _add_members(self, options: _olem.RehearsalOptions) -> None:
        options.opinions = list(self.opinions or [])
        if not self.quick and self.like is None:
            options.set_members({"orders": str(self.orders), "halves": str(self.halves)})

    def _model_for(self, search: Mapping[str, Any]) -> _olem.RehearsalModel:
        """The model that a search works with; QWZ23 gets straight lines unless the user chose the sampler."""
        if search.get("decision") != "qwz23" or self._table is None:
            return self._model
        if self._straight is None:
            options = _olem.RehearsalOptions()
            options.set_sampler("gaussian", {})
            options.ignore_stages = bool(self.ignore_stages)
            self._add_members(options)
            self._straight, _ = _olem.RehearsalModel.fit(
                json.dumps(self.task_),
                self._table,
                options,
                self.causal_order_ if self.graph_ is None else None,
                None if self.graph_ is None else graph_text(self.graph_),
                self._settings(),
            )
        return self._straight

    def _task_text(self) -> str:
        def plain(value: Any) -> Any:
            if isinstance(value, Mapping):
                return {str(key): plain(entry) for key, entry in value.items()}
            if isinstance(value, (str, bool)) or value is None:
                return value
            if isinstance(value, numbers.Integral):
                return int(value)
            if isinstance(value, numbers.Real):
                return float(value)
            return [plain(entry) for entry in value]

        task: dict[str, Any] = {
            "context": plain(self.context),
            "alterable": plain(self.alterable or {}),
            "outcome": plain(self.outcome),
            "desired": plain(self.desired or {}),
        }
        for key in _WISHES:
            if getattr(self, key) is not None:
                task[key] = plain(getattr(self, key))
        try:
            return json.dumps(task, allow_nan=False)
        except ValueError:
            raise ValueError("The task has a number that is NaN or infinite. Use None for an open side.") from None

    def _settings(self) -> _olem.RunSettings:
        return _options.run_settings(self.n_jobs, self._seed, self.progress)

    def _take_facts(self) -> None:
        facts = self._model.facts()
        self.causal_order_ = facts["order"]
        names = {name: name for name in facts["order"]}
        self.steps_ = steps_of(facts, names)
        graph = facts["graph"]
        self.graph_ = graph and Graph(facts["order"], [(a, b) for a, b in graph["edges"]], details=graph)
        self.models_ = facts["models"]
        self.undecided_steps_ = facts["undecided_steps"]
        self.calibration_ = facts["calibration"]
        self.missing_ = facts["missing"]
        self.agreement_ = facts["agreement"]
        self.set_by_hand_ = facts["set_by_hand"]
        self.groups_ = facts["groups"]
        self.warnings_ = facts["warnings"]
        self.task_ = facts["task"]
        self.column_types_ = facts["column_types"]
        self._seed = facts["seed"]

    def _context_values(self, context: Any, complete: bool, unknown: str = "error") -> list[float]:
        """One value for each context variable. With `complete`, names that are no context variables are refused.

        With `unknown` "draw" a value may lack; NaN stands for it.
        """
        if unknown not in ("error", "draw"):
            raise ValueError(f"unknown: {unknown!r} is neither 'error' nor 'draw'.")
        wanted = self.task_["context"]
        given = {name: value for name, value in dict(context).items() if not is_missing(value)}
        missing = [name for name in wanted if name not in given]
        if missing and unknown == "error":
            raise ValueError(
                f"context: there is no value for {', '.join(missing)}. Give one, or have it drawn from what is known of "
                "the context with suggest(unknown='draw')."
            )
        others = [name for name in dict(context) if name not in wanted and name != self.task_.get("group")]
        if others and complete:
            raise ValueError(f"context: {others[0]!r} is no context variable. There are: {', '.join(wanted)}.")
        return [self._number(name, given[name]) if name in given else math.nan for name in wanted]

    def _group_of(self, context: Any) -> str:
        """The name of the group among the values; empty where there is none."""
        given = dict(context).get(self.task_.get("group"))
        if given is None or is_missing(given):
            return ""
        if isinstance(given, numbers.Real) and float(given).is_integer():
            return str(int(given))  # as a table names it
        return _options.as_text(given)

    def _number(self, name: str, given: Any) -> float:
        """Of a value of a variable: a level may be given by its word."""
        levels = self.column_types_.get(name, {}).get("levels", {})
        if isinstance(given, str) or str(given) in levels:
            if levels:
                return self._model.value_of(name, str(given))
        try:
            value = float(given)
        except (TypeError, ValueError):
            raise ValueError(f"context: {name!r} is {given!r}, which is not a number.") from None
        if value - value != 0:
            raise ValueError(f"context: {name!r} is {value}, but only finite numbers can be used.")
        return self._model.value_of(name, repr(value)) if levels else value

    def _check_fitted(self) -> None:
        if "_model" not in vars(self):
            raise not_fitted_error()("This Rehearsal has not been fitted. Call fit(X) first.")

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_") and not name.startswith("_"):
            self._check_fitted()
        raise AttributeError(f"Rehearsal has no attribute {name!r}.")

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "progress": None}  # a callback is of this process

    def __repr__(self) -> str:
        wanted = ", ".join(f"{name} {bounds!r}" for name, bounds in (self.desired or {}).items())
        return f"Rehearsal({', '.join(self.alterable or {})} -> {wanted})"


_options.with_options(_olem.decision_options())(Rehearsal.suggest)
Rehearsal.__doc__ = (Rehearsal.__doc__ or "").format(
    samplers="\n        ".join(f"'{kind['name']}': {kind['help']}." for kind in _olem.samplers()),
    methods="\n        ".join(f"'{m['name']}': {m['help']}." for m in _olem.methods() if m["learns_order"]),
)
