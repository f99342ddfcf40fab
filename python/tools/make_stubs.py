"""Writes the stubs of those modules whose signatures are made at run time from the library's descriptions.

    PYTHONPATH=build/release/python python3 python/tools/make_stubs.py python/olem

A test compares them with the built module.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

from olem import _estimators, _functions, _olem

HEADER = "# Made by python/tools/make_stubs.py.\n"
KINDS = {"integer": "int", "real": "float", "flag": "bool"}


def option_type(option: dict) -> str:
    if option["kind"] == "choice":
        return f"Literal[{', '.join(repr(choice) for choice in option['choices'])}]".replace("'", '"')
    return KINDS[option["kind"]]


def default_text(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def parameter_lines(options: list[dict]) -> list[str]:
    return [f"{option['name']}: {option_type(option)} = {default_text(option['default'])}" for option in options]


def function_text(name: str, parameters: list[str], result: str, indent: str = "") -> str:
    lines = "".join(f"{indent}    {parameter},\n" for parameter in parameters)
    return f"{indent}def {name}(\n{lines}{indent}) -> {result}: ...\n"


def estimators_text() -> str:
    text = HEADER + inspect.cleandoc(
        """
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
        """
    )
    common = [
        "tiers: Sequence[Sequence[Label]] | None = None",
        "before: Sequence[Sequence[Label]] | None = None",
        'missing: Literal["error", "drop", "impute"] = "error"',
        "imputations: int = 5",
        "n_jobs: int | None = None",
        "random_state: Any = None",
        "progress: Callable[[float, str], object] | None = None",
    ]
    for name, value in vars(_estimators).items():
        if not inspect.isclass(value) or not issubclass(value, _estimators._Learner) or name.startswith("_"):
            continue
        text += f"\n\nclass {name}({value.__base__.__name__}):\n"
        text += "".join(f"    {option['name']}: {option_type(option)}\n" for option in value._options)
        parameters = ["self", "*", *parameter_lines(value._options), *common]
        text += function_text("__init__", parameters, "None", "    ").rstrip("\n")
    return text + "\n"


def functions_text() -> str:
    text = HEADER + "from typing import Any, Literal\n\nfrom ._data import Dataset\nfrom ._graph import Graph\n"
    described = {
        "entropy": _olem.entropy_options(),
        "prune": _olem.prune_options(),
        "simulate_order": _olem.simulate_order_options(),
        "simulate_auf": _olem.simulate_auf_options(),
    }
    for name, options in described.items():
        function = getattr(_functions, name)
        parameters, keywords = [], ["*"]
        described_names = {option["name"] for option in options}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name in described_names:
                continue
            line = f"{parameter.name}: {parameter.annotation}"
            if parameter.default is not inspect.Parameter.empty:
                line += f" = {default_text(parameter.default)}"
            (keywords if parameter.kind is inspect.Parameter.KEYWORD_ONLY else parameters).append(line)
        result = inspect.signature(function).return_annotation
        text += "\n" + function_text(name, [*parameters, *keywords, *parameter_lines(options)], result)
    return text


def binding_signature(value: object, method: bool) -> str | None:
    """The signature that pybind11 wrote into the first line of a docstring, in the words of a stub."""
    found = re.match(r"(\w+)\((.*)\) -> (.*)", (value.__doc__ or "").splitlines()[0]) if value.__doc__ else None
    if found is None:
        return None
    name, parameters, result = found.groups()
    for old, new in (
        ("olem._olem.", ""),
        ("_olem.", ""),
        ("numpy.ndarray[numpy.float64]", "NDArray[Any]"),
        ("Dict[", "dict["),
        ("List[", "list["),
        ("Tuple[", "tuple["),
    ):
        parameters, result = parameters.replace(old, new), result.replace(old, new)
    parameters = re.sub(r"Optional\[(\w+(?:\[\w+\])?)\]", r"\1 | None", parameters)
    parameters = re.sub(r"\bobject\b", "Any", parameters)
    plain = {"dict": "dict[str, Any]", "list": "list[Any]", "tuple": "tuple[Any, ...]", "object": "Any"}
    result = plain.get(result, result)
    parameters = re.sub(r"^self: \w+", "self", parameters) if method else parameters
    return f"def {name}({parameters}) -> {result}: ..."


def binding_text() -> str:
    text = HEADER + "from typing import Any\n\nfrom numpy.typing import NDArray\n\n__version__: str\n"
    for name, value in sorted(vars(_olem).items()):
        if inspect.isclass(value):
            text += f"\nclass {name}:\n"
            for member, content in sorted(vars(value).items()):
                if isinstance(content, property) and content.fset is not None:
                    text += f"    {member}: Any\n"
                elif isinstance(content, property):
                    text += f"    @property\n    def {member}(self) -> Any: ...\n"
                elif member == "__init__" or not member.startswith("_"):
                    static = isinstance(content, staticmethod)
                    signature = binding_signature(content.__func__ if static else content, not static)
                    if signature is not None:
                        text += ("    @staticmethod\n" if static else "") + f"    {signature}\n"
            text += "\n"
        elif callable(value):
            signature = binding_signature(value, False)
            if signature is not None:
                text += signature + "\n"
    return text


def stubs() -> dict[str, str]:
    return {
        "_estimators.pyi": estimators_text(),
        "_functions.pyi": functions_text(),
        "_olem.pyi": binding_text(),
    }


if __name__ == "__main__":
    for file, content in stubs().items():
        (Path(sys.argv[1]) / file).write_text(content, encoding="utf-8")
