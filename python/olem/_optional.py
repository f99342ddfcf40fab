"""Packages that are imported only when something needs them."""

from __future__ import annotations

import importlib
from types import ModuleType

_INSTALL = {
    "pandas": "pandas (Debian: python3-pandas)",
    "sklearn": "scikit-learn (Debian: python3-sklearn)",
    "networkx": "networkx (Debian: python3-networkx)",
    "matplotlib": "matplotlib (Debian: python3-matplotlib)",
}


def require(module: str, what: str) -> ModuleType:
    """The module, or an ImportError whose sentence says what needs which package."""
    package = module.split(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != package:
            raise
        raise ImportError(f"{what} needs {_INSTALL[package]}, which is not installed here.", name=package) from error


class _NotFittedError(ValueError, AttributeError):
    """Something was asked of an object before `fit`."""


def not_fitted_error() -> type[Exception]:
    """scikit-learn's NotFittedError where scikit-learn is installed, else one of the same bases."""
    try:
        return importlib.import_module("sklearn.exceptions").NotFittedError
    except ImportError:
        return _NotFittedError
