"""Keyword arguments from the descriptions that the command line uses too.

The library describes each option once: name, help line, range or choices, default. From that come the signatures and
docstrings here, so an option added in C++ is a keyword argument without a line of Python.
"""

from __future__ import annotations

import inspect
import numbers
import os
import textwrap
import warnings
from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar

import numpy as np

from . import _olem

Option = Mapping[str, Any]
F = TypeVar("F", bound=Callable[..., Any])


class OlemWarning(UserWarning):
    """Something doubtful about the data or the answer. `code`, `where` and `remedies` are for programs."""

    def __init__(self, text: str, code: str = "", where: str = "", remedies: Sequence[Mapping[str, str]] = ()) -> None:
        super().__init__(text, code, where, remedies)
        self.code = code
        self.where = where
        self.remedies = remedies

    def __str__(self) -> str:
        return str(self.args[0])


def issue_warnings(found: Sequence[Mapping[str, Any]], stacklevel: int = 3) -> None:
    for entry in found:
        warnings.warn(OlemWarning(entry["text"], entry["code"], entry["where"], entry["remedies"]), stacklevel=stacklevel)


def as_text(value: object) -> str:
    """A value as a person would type it on the command line."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return str(value)


def as_texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: as_text(value) for name, value in values.items()}


def run_settings(n_jobs: object = None, random_state: object = None, progress: object = None) -> _olem.RunSettings:
    """Of one call. A generator as `random_state` is drawn from; a fitted object keeps the number that it got."""
    return _olem.RunSettings(threads=thread_count(n_jobs), seed=seed_of(random_state), progress=progress)


def thread_count(n_jobs: object) -> int:
    """scikit-learn's meaning: None is 1, -1 every core, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs: {n_jobs!r} is not None, a positive number of threads, or -1 for every core.")
    count = int(n_jobs)
    return count if count > 0 else max(1, (os.cpu_count() or 1) + 1 + count)


def seed_of(random_state: object) -> int:
    """None is 0, the default of the command line: the same call gives the same result."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"random_state: {random_state} is negative.")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**63 - 1))
    raise ValueError(f"random_state: {random_state!r} is not None, a whole number, or a generator of NumPy.")


def parameters_of(options: Iterable[Option]) -> list[inspect.Parameter]:
    kinds = {"integer": "int", "real": "float", "flag": "bool", "choice": "str"}
    return [
        inspect.Parameter(
            option["name"],
            inspect.Parameter.KEYWORD_ONLY,
            default=option["default"],
            annotation=kinds[option["kind"]],
        )
        for option in options
    ]


def _paragraph(text: str, indent: str) -> str:
    return textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=indent)


def parameter_docs(options: Iterable[Option]) -> str:
    """The part of a docstring that explains described options."""
    lines = []
    for option in options:
        lines.append(f"{option['name']} : {option['rule']}, default {option['default']!r}")
        lines.append(_paragraph(option["help"][:1].upper() + option["help"][1:] + ".", "    "))
        for name, help_line in option["choices"].items():
            lines.append(_paragraph(f"'{name}': {help_line}.", "    "))
    return "\n".join(lines)


def set_signature(
    function: Callable[..., Any], named: Sequence[inspect.Parameter], options: Iterable[Option] = ()
) -> inspect.Signature:
    """Gives a function of **keywords the signature that it really has, and returns it."""
    own = [p for p in inspect.signature(function).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    signature = inspect.Signature(
        [*own, *parameters_of(options), *named], return_annotation=inspect.signature(function).return_annotation
    )
    function.__signature__ = signature  # type: ignore[attr-defined]
    return signature


def with_options(options: Sequence[Option]) -> Callable[[F], F]:
    """For a function whose **options are described ones: signature and docstring say them."""

    def decorate(function: F) -> F:
        set_signature(function, [], options)
        text = inspect.cleandoc(function.__doc__ or "")
        function.__doc__ = text.replace("{options}", parameter_docs(options))
        return function

    return decorate
