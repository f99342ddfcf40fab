"""From what users have (arrays, data frames) to a table of the library."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _olem


def _is_frame(data: object) -> bool:
    return hasattr(data, "columns") and hasattr(data, "to_numpy")


def _frame_names(frame: Any) -> list[str] | None:
    """The column names when all of them are strings; None when none is (numbers are positions, not names)."""
    columns = list(frame.columns)
    strings = [isinstance(column, str) for column in columns]
    if all(strings) and columns:
        return columns
    if any(strings):
        raise TypeError(
            "Some column names are strings and some are not. Make all of them strings: "
            "X.columns = X.columns.astype(str)."
        )
    return None


def column_text(names: Sequence[str] | None, column: int) -> str:
    return f"column {column}" if names is None else f"column {names[column]!r}"


def _place(names: Sequence[str] | None, row: int, column: int) -> str:
    return f"X[{row}, {column}] (row {row} from 0, {column_text(names, column)})"


def _refuse_objects(values: np.ndarray, names: Sequence[str] | None) -> None:
    for row, column in np.ndindex(*values.shape):
        cell = values[row, column]
        if not isinstance(cell, (int, float, np.number)) or isinstance(cell, (bool, np.bool_)):
            raise ValueError(
                f"{_place(names, row, column)} is {cell!r}, which is not a number. Remove or convert that column."
            )
    raise ValueError(
        f"{_place(names, 0, 0)} and the cells after it are Python objects (dtype object). "
        "Convert them with X.astype(float)."
    )


def _refuse_mask(mask: np.ndarray, names: Sequence[str] | None) -> None:
    if not mask.any():
        return
    row, column = (int(i) for i in np.argwhere(mask)[0])
    raise ValueError(
        f"{_place(names, row, column)} is masked, and {int(mask.sum()) - 1} more cells are. Fill them in or leave "
        "out these rows or columns."
    )


def _refuse_missing(values: np.ndarray, names: Sequence[str] | None) -> None:
    if np.isfinite(values.sum()):  # cheap; only an overflow of finite numbers takes the longer way for nothing
        return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    row, column = (int(i) for i in np.argwhere(bad)[0])
    cell = values[row, column]
    what = "NaN" if np.isnan(cell) else ("inf" if cell > 0 else "-inf")
    raise ValueError(
        f"{_place(names, row, column)} is {what}, and {int(bad.sum()) - 1} more cells are NaN or infinite. Only finite "
        "numbers can be used: fill them in, or leave out these rows with X.dropna()."
    )


def as_matrix(data: Any) -> tuple[np.ndarray, list[str] | None]:
    """A float64 array with two dimensions, and the column names where there are any.

    C-contiguous float64 arrays are passed on without a copy; so are views with any strides and read-only arrays.
    ValueError for anything that is not a table of finite numbers, with row and column.
    """
    names = _frame_names(data) if _is_frame(data) else None
    if type(data).__module__.startswith("scipy.sparse"):
        raise TypeError("X is sparse, but dense data is required. Use X.toarray().")
    mask = np.ma.getmaskarray(data) if isinstance(data, np.ma.MaskedArray) else None
    values = data.to_numpy() if _is_frame(data) else np.asarray(data)
    if values.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {values.ndim}D array instead: X must have a row for every observation and a "
            "column for every variable. Use X.reshape(-1, 1) for a single variable."
        )
    if mask is not None:
        _refuse_mask(mask, names)
    rows, columns = values.shape
    if columns == 0:
        raise ValueError(f"X has 0 feature(s) (shape={values.shape}) while a minimum of 1 is required.")
    if rows < 2:
        raise ValueError(f"X has {rows} sample(s) (shape={values.shape}) while a minimum of 2 is required.")
    if values.dtype == object:
        if _is_frame(data) and not any(dtype == object for dtype in data.dtypes):
            values = data.to_numpy(dtype=np.float64, na_value=np.nan)  # pandas' own types with pandas.NA
        else:
            _refuse_objects(values, names)
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X has dtype {values.dtype}.")
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{_place(names, 0, 0)} is {values[0, 0]!r}: dtype {values.dtype} is not one of numbers.")
    matrix = np.asarray(values, dtype=np.float64)
    _refuse_missing(matrix, names)
    return matrix, names


def as_table(data: Any) -> tuple[_olem.Table, list[str] | None]:
    """A table, with the names of its columns where the data has any; else they are called x0, x1, ..."""
    matrix, names = as_matrix(data)
    return _olem.Table(names or default_names(matrix.shape[1]), matrix), names


def default_names(count: int) -> list[str]:
    return [f"x{i}" for i in range(count)]
