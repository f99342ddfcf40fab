"""The log of decisions: what was claimed, and what came out."""

from __future__ import annotations

import os
from typing import Any

from . import _olem, _options
from ._input import as_table


def check_log(
    log: str | os.PathLike[str], rows: Any = None, *, decision_id: str = "decision", record: bool = False
) -> dict[str, Any]:
    """Compares what logged decisions claimed with what came out of them.

    Parameters
    ----------
    log : path
        The file of `Rehearsal.suggest(log=...)` or `olem decide --log`.
    rows : DataFrame
        Rows that came out, with the outcomes of the task. None: what is recorded in the log.
    decision_id : str
        The column of `rows` with the id of the decision behind each row; None or NaN: there is none. Without such a
        column the first row belongs to the first decision, and so on.
    record : bool
        Add what came out to the log, so that the rows are not needed again.

    Returns
    -------
    dict with the keys of "realised" in `olem check --json`: logged, decisions, claimed, came_true, share, interval,
    without_action, z, p_value, fits, bands.
    """
    if record and rows is None:
        raise ValueError("record: only outcomes in rows can be recorded. Give the rows.")
    table = None
    if rows is not None:
        table, names = as_table(rows, gaps=True, least=1)
        if names is None:
            raise ValueError("rows has no column names, by which outcomes are found. Give a DataFrame.")
    found = _olem.check_log(os.fspath(log), table, str(decision_id), bool(record), _options.run_settings())
    _options.issue_warnings(found["warnings"])
    return found
