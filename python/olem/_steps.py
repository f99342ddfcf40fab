"""What decided the places of an order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping

from ._graph import Label


@dataclass(frozen=True)
class Step:
    """One variable found to be last among those that were left."""

    sink: Label
    runner_up: Label | None  # the second best candidate
    gap: float | None  # by how much the sink was ahead of it
    gap_standard_error: float | None
    decided: bool  # the gap is more than chance makes, or knowledge left no choice
    values: dict[Label, float | None]  # the criterion for each variable left
    facts: dict[str, Any] = field(default_factory=dict)  # further numbers of the step
    decided_by: str | None = None  # of OLEMPlus: "shape", "scale" (holds if units are comparable) or "none"


def steps_of(result: Mapping[str, Any], label: Mapping[str, Label]) -> list[Step]:
    criterion = result["criterion"]
    own = {"sink", "runner_up", "gap", "gap_standard_error", "decided", "decided_by", criterion}
    return [
        Step(
            sink=label[step["sink"]],
            runner_up=label.get(step.get("runner_up")),
            gap=step["gap"],
            gap_standard_error=step.get("gap_standard_error"),
            decided=step["decided"],
            values={label[name]: value for name, value in step[criterion].items()},
            facts={key: value for key, value in step.items() if key not in own},
            decided_by=step.get("decided_by"),
        )
        for step in result["steps"]
    ]
