"""What the library advises, as calls and keyword arguments of this package.

Errors and warnings of the library hold their remedies as data: an advice in words, the key of the option that does it,
and a value. The call that is being made says how each option is spelt here; an advice whose option the call does not
have stands alone.
"""

from __future__ import annotations

import contextlib
import csv
from contextvars import ContextVar
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

Remedy = Mapping[str, str]

# Keys that have another name as keyword arguments.
_KEYWORDS = {"seed": "random_state", "threads": "n_jobs", "tier": "tiers", "force": "overwrite"}

# Longer ones, such as the names of hundreds of columns, are in the data alone.
_LONGEST_VALUE = 200

# About files, processes and limits that there are none of here: the advice alone would not help either.
_NOT_HERE = {"constant", "delimiter", "header", "no_header", "memory", "time_limit", "observed"}


def keyword(option: str) -> str:
    """The keyword argument that an option is, by the key of the option."""
    return _KEYWORDS.get(option, option)


def literal(value: str) -> str:
    """The value of an option as it is written in Python; `...` where the user must choose."""
    if value == "" or len(value) > _LONGEST_VALUE:
        return "..."
    if value in ("true", "false"):
        return value.capitalize()
    try:
        float(value)
    except ValueError:
        return repr(value)
    return value


def assignment(remedy: Remedy) -> str:
    """`ties='jitter'`"""
    return f"{keyword(remedy['option'])}={literal(remedy['value'])}"


def keywords(names: Iterable[str]) -> Callable[[Remedy], str]:
    """Options that are keyword arguments of the call with these names."""
    known = frozenset(names)
    return lambda remedy: assignment(remedy) if keyword(remedy["option"]) in known else ""


class _Call:
    """How one call spells remedies: those about X by itself, the others by `spell`, which returns "" for what it lacks."""

    def __init__(self, spell: Callable[[Remedy], str], columns: Sequence[str] | None) -> None:
        self._spell = spell
        self._columns = columns

    def __call__(self, remedy: Remedy) -> str | None:
        option = remedy["option"]
        if option in _NOT_HERE:
            return None
        if option in ("drop_columns", "columns"):
            value = remedy["value"] if len(remedy["value"]) <= _LONGEST_VALUE else ""
            return self._choose(option, next(csv.reader([value]), []))
        if option == "missing":
            return "X.dropna()" if remedy["value"] == "drop" else self._spell(remedy)
        if option == "na":
            return self._without_code(literal(remedy["value"]))
        return self._spell(remedy) if option else ""

    def _without_code(self, code: str) -> str:
        """A number that stands for a missing value becomes one."""
        return f"X.replace({code}, numpy.nan)" if self._columns is None else f"numpy.where(X == {code}, numpy.nan, X)"

    def _choose(self, option: str, names: list[str]) -> str:
        if self._columns is None:
            chosen = repr(names) if names else "[...]"
            return f"X.drop(columns={chosen})" if option == "drop_columns" else f"X[{chosen}]"
        places = [self._columns.index(name) for name in names if name in self._columns]
        chosen = repr(places) if places else "[...]"
        return f"numpy.delete(X, {chosen}, axis=1)" if option == "drop_columns" else f"X[:, {chosen}]"


_current: ContextVar[_Call] = ContextVar("olem_call", default=_Call(lambda remedy: "", None))


@contextlib.contextmanager
def spelt(spell: Callable[[Remedy], str], columns: Sequence[str] | None = None) -> Iterator[None]:
    """Within, errors and warnings name what `spell` knows. `columns` are the columns of an X without names."""
    token = _current.set(_Call(spell, columns))
    try:
        yield
    finally:
        _current.reset(token)


def _either(ways: Sequence[str]) -> str:
    return ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])} or {ways[-1]}"


def _lower_first(text: str) -> str:
    return text[0].lower() + text[1:] if text[1:2].islower() else text


def sentence(remedies: Iterable[Remedy]) -> str:
    """The remedies as one sentence, alternatives joined by "or"; the form that the command line has too."""
    advices: list[tuple[str, list[str]]] = []
    for remedy in remedies:
        way = _current.get()(remedy)
        if way is None:
            continue
        if not advices or advices[-1][0] != remedy["advice"]:
            advices.append((remedy["advice"], []))
        if way and way not in advices[-1][1]:
            advices[-1][1].append(way)
    if not advices:
        return ""
    if len(advices) == 1:
        advice, ways = advices[0]
        text = f"{advice}: {_either(ways)}" if ways else advice
    else:
        parts = [
            (advice if i == 0 else _lower_first(advice)) + (f" ({_either(ways)})" if ways else "")
            for i, (advice, ways) in enumerate(advices)
        ]
        text = f"{', '.join(parts[:-1])}, or {parts[-1]}"
    return text if text.endswith("?") else text + "."


def message(finding: str, remedies: Sequence[Remedy]) -> str:
    """Finding and remedies. Called by the bindings for every warning."""
    advice = sentence(remedies)
    return f"{finding} {advice}" if advice else finding


def make_error(kind: Callable[[str], BaseException], option: str, finding: str, remedies: list[Any]) -> BaseException:
    """The exception for an error of the library, with its remedies as data. Called by the bindings."""
    error = kind(message(f"{keyword(option)}: {finding}" if option else finding, remedies))
    error.remedies = remedies  # type: ignore[attr-defined]
    return error
