"""From what users have (arrays, data frames) to a table of the library."""

from __future__ import annotations

import json
from typing import Any, Mapping, Sequence

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


# More columns with missing cells are not named one by one.
_MOST_COUNTED = 10


def _refuse_missing(values: np.ndarray, names: Sequence[str] | None, frame: bool, imputable: bool) -> None:
    if np.isfinite(values.sum()):  # cheap; only an overflow of finite numbers takes the longer way for nothing
        return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    row, column = (int(i) for i in np.argwhere(bad)[0])
    cell = values[row, column]
    what = "NaN" if np.isnan(cell) else ("inf" if cell > 0 else "-inf")
    by_column = {int(j): int(count) for j, count in enumerate(bad.sum(axis=0)) if count}
    counts = [f"{count} in {column_text(names, j)}" for j, count in list(by_column.items())[:_MOST_COUNTED]]
    if len(by_column) > _MOST_COUNTED:
        counts.append(f"{sum(list(by_column.values())[_MOST_COUNTED:])} in {len(by_column) - _MOST_COUNTED} more columns")
    left = int((~bad.any(axis=1)).sum())
    if not frame:
        drop = "X[numpy.isfinite(X).all(axis=1)]"
    elif np.isinf(values).any():
        drop = "X.replace([numpy.inf, -numpy.inf], numpy.nan).dropna()"
    else:
        drop = "X.dropna()"
    impute = ", or have them drawn from models of their columns given the others with missing='impute'" if imputable else ""
    raise ValueError(
        f"{_place(names, row, column)} is {what}, and {int(bad.sum()) - 1} more cells are NaN or infinite: "
        f"{', '.join(counts)}. Only finite numbers can be used: fill them in, {'' if imputable else 'or '}leave out these "
        f"rows with {drop}, which leaves {left} of {len(values)} rows{impute}."
    )


def _check_shape(values: np.ndarray, least: int) -> None:
    rows, columns = values.shape
    if columns == 0:
        raise ValueError(f"X has 0 feature(s) (shape={values.shape}) while a minimum of 1 is required.")
    if rows < least:
        raise ValueError(f"X has {rows} sample(s) (shape={values.shape}) while a minimum of {least} is required.")


def as_matrix(data: Any, gaps: bool = False, imputable: bool = False, least: int = 2) -> tuple[np.ndarray, list[str] | None]:
    """A float64 array with two dimensions, and the column names where there are any.

    C-contiguous float64 arrays are passed on without a copy; so are views with any strides and read-only arrays.
    ValueError for anything that is not a table of finite numbers, with row and column; with `gaps` masked cells and
    those that are NaN or infinite are NaN in the result. `imputable`: the call has missing='impute', as the error then
    says. `least`: how many rows there must be.
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
    if mask is not None and not gaps:
        _refuse_mask(mask, names)
    _check_shape(values, least)
    if values.dtype == object:
        _refuse_objects(values, names)
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X has dtype {values.dtype}.")
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{_place(names, 0, 0)} is {values[0, 0]!r}: dtype {values.dtype} is not one of numbers.")
    matrix = np.asarray(values, dtype=np.float64)
    if gaps:
        return np.where(np.isfinite(matrix) if mask is None else np.isfinite(matrix) & ~mask, matrix, np.nan), names
    _refuse_missing(matrix, names, _is_frame(data), imputable)
    return matrix, names


# Columns of words: more levels than this, or hardly a word twice, are names of rows or free text.
_MOST_LEVELS = 50
# Of two words these come last, as 1 does after 0.
_AFFIRMATIVE = ("yes", "true", "on", "y", "t", "ja", "oui")


def _about(kind: str, levels: Mapping[str, float], reason: str, declared: bool) -> dict[str, Any]:
    return {"type": kind, "levels": dict(levels), "reason": reason, "declared": declared}


def _word_order(words: Sequence[str]) -> list[str]:
    ordered = sorted(words)
    if len(ordered) == 2 and ordered[0].lower() in _AFFIRMATIVE:
        ordered.reverse()
    return ordered


def is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell)


class _TypedFrame:
    """A DataFrame, column by column: numbers for the library, and what pandas knows of types and levels."""

    def __init__(self, frame: Any, names: Sequence[str] | None) -> None:
        self.names = names
        self.about: dict[int, dict[str, Any]] = {}
        self.texts: list[str] = []  # columns that are neither numbers nor levels
        columns = [self._column(j, frame.iloc[:, j]) for j in range(frame.shape[1])]
        if self.texts:
            listed = ", ".join(self.texts[:10]) + (", ..." if len(self.texts) > 10 else "")
            raise ValueError(
                f"Text that is neither numbers nor levels, because nearly every row has another one: {listed}. Leave "
                f"{'it' if len(self.texts) == 1 else 'them'} out with X.drop(columns=...), or make levels of it."
            )
        self.matrix = np.column_stack(columns) if columns else np.empty((frame.shape[0], 0))

    def _column(self, j: int, series: Any) -> np.ndarray:
        dtype = series.dtype
        if hasattr(dtype, "categories"):
            return self._categories(j, series)
        kind = getattr(dtype, "kind", "O")
        if type(dtype).__name__ == "IntervalDtype":
            raise ValueError(
                f"{column_text(self.names, j)} holds intervals ({dtype}), which are no numbers. Use a number, such as "
                "their middles: x.array.mid, or leave the column out."
            )
        is_period = type(dtype).__name__ == "PeriodDtype"
        if kind in "mM" or is_period or type(dtype).__name__ == "DatetimeTZDtype":
            dates = "x = x.dt.to_timestamp(), then " if is_period else ""
            raise ValueError(
                f"{column_text(self.names, j)} holds dates or times ({dtype}), which are no numbers. Use a number, "
                f"such as days since the first date: {dates}(x - x.min()).dt.days, or leave the column out."
            )
        if kind == "b":
            self.about[j] = _about("binary", {"False": 0.0, "True": 1.0}, "booleans", False)
            return series.to_numpy(dtype=np.float64, na_value=np.nan)
        if kind in "fiu":
            return series.to_numpy(dtype=np.float64, na_value=np.nan)
        if kind == "c":
            raise ValueError(f"Complex data not supported: {column_text(self.names, j)} has dtype {dtype}.")
        return self._objects(j, series)

    def _categories(self, j: int, series: Any) -> np.ndarray:
        categories = list(series.cat.categories)
        codes = series.cat.codes.to_numpy()
        numbers = all(isinstance(c, (int, float, np.number)) and not isinstance(c, (bool, np.bool_)) for c in categories)
        values = [float(c) for c in categories] if numbers else [float(i) for i in range(len(categories))]
        if numbers and values != sorted(values) and series.cat.ordered:
            numbers, values = False, [float(i) for i in range(len(categories))]
        names = [f"{c:g}" if numbers and float(f"{c:g}") == float(c) else str(c) for c in categories]
        levels = dict(sorted(zip(names, values), key=lambda level: level[1]))
        ordered = bool(series.cat.ordered)
        kind = "binary" if len(categories) == 2 else "ordinal" if ordered else "category"
        self.about[j] = _about(kind, levels, "ordered categories" if ordered else "categories", True)
        table = np.array([*values, np.nan])
        return table[codes]  # -1 is missing

    def _objects(self, j: int, series: Any) -> np.ndarray:
        cells = series.to_list()
        missing = np.array([is_missing(cell) for cell in cells], dtype=bool)
        present = [cell for cell, gone in zip(cells, missing) if not gone]
        if present and all(isinstance(cell, (bool, np.bool_)) for cell in present):
            self.about[j] = _about("binary", {"False": 0.0, "True": 1.0}, "booleans", False)
            return np.array([np.nan if gone else float(cell) for cell, gone in zip(cells, missing)])
        if not all(isinstance(cell, str) for cell in present):
            for row, cell in enumerate(cells):
                number = isinstance(cell, (int, float, np.number)) and not isinstance(cell, (bool, np.bool_))
                if not number and not missing[row]:
                    raise ValueError(
                        f"{_place(self.names, row, j)} is {cell!r}, which is not a number. Remove or convert that "
                        "column."
                    )
            return np.array([np.nan if gone else float(cell) for cell, gone in zip(cells, missing)])
        words = _word_order(list(set(present)))
        if len(words) > _MOST_LEVELS or 2 * len(words) > max(len(present), 1):
            self.texts.append(column_text(self.names, j))
            return np.zeros(len(cells))
        levels = {word: float(i) for i, word in enumerate(words)}
        kind = "binary" if len(words) == 2 else "category"
        self.about[j] = _about(kind, levels, f"{len(words)} words", False)
        return np.array([np.nan if gone else levels[cell] for cell, gone in zip(cells, missing)])


def _needs_types(data: Any) -> bool:
    """Whether a data frame of pandas has a column that is not one of plain numbers."""
    if not (_is_frame(data) and hasattr(data, "iloc") and hasattr(data, "dtypes")):
        return False
    return any(getattr(dtype, "kind", "O") not in "fiu" or not isinstance(dtype, np.dtype) for dtype in data.dtypes)


def as_table(
    data: Any,
    column_types: Mapping[str, Any] | None = None,
    gaps: bool = False,
    imputable: bool = False,
    least: int = 2,
) -> tuple[Any, list[str] | None]:
    """A table, with the names of its columns where the data has any; else they are called x0, x1, ...

    Types of columns are those of a pandas DataFrame (category, bool, words), those that numbers look like otherwise;
    `column_types` goes before both, by name (or position): a type, or a dict of type, levels, unit and label.
    With `gaps` cells may be missing: where one is, the result is an IncompleteTable. `imputable` is that of as_matrix.
    `least`: how many rows there must be; one of those that came after a model was learned is enough.
    """
    about: dict[int, dict[str, Any]] = {}
    if _needs_types(data):
        names = _frame_names(data)
        typed = _TypedFrame(data, names)
        matrix, about = typed.matrix, typed.about
        _check_shape(matrix, least)
        if not gaps:
            _refuse_missing(matrix, names, True, imputable)
    else:
        matrix, names = as_matrix(data, gaps, imputable, least)
    columns = names or default_names(matrix.shape[1])
    incomplete = gaps and not np.isfinite(matrix).all()
    table = (_olem.IncompleteTable if incomplete else _olem.Table)(columns, matrix, json.dumps({columns[j]: entry for j, entry in about.items()}))
    if column_types:
        label = {j: column for j, column in enumerate(columns)} if names is None else {}
        declared = {label.get(name, str(name)): entry for name, entry in column_types.items()}
        table = table.declared(json.dumps({"columns": declared}, default=list))
    return table, names


def whole_rows(data: Any) -> Any:
    """The rows of a DataFrame or an array without a missing cell."""
    if hasattr(data, "dropna"):
        return data.dropna()
    matrix, _ = as_matrix(data, gaps=True)
    return matrix[np.isfinite(matrix).all(axis=1)]


def check_missing(policy: object) -> None:
    if policy not in ("error", "drop", "impute"):
        raise ValueError(f"missing: {policy!r} is neither 'error', 'drop' nor 'impute'.")


def many_missing(gaps: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """A warning about columns of which more than 40 % were imputed, as the reader of files has it."""
    many = [name for name, count in gaps["columns"].items() if count > 0.4 * gaps["rows"]] if gaps else []
    if gaps is None or not many:
        return []
    shares = ", ".join(f"{100 * gaps['columns'][name] / gaps['rows']:.0f} % of {name!r}" for name in many)
    text = f"{shares} are missing and imputed: what follows from them rests on models more than on data."
    return [{"code": "many_missing", "text": text, "where": ", ".join(many), "remedies": []}]


def default_names(count: int) -> list[str]:
    return [f"x{i}" for i in range(count)]
