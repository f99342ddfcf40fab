"""Decisions in steps."""

import numpy as np
import pandas as pd
import pytest

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(1)
    n = 400
    first = random.normal(size=n)
    seen = 0.5 * first + random.normal(size=n)
    second = random.normal(size=n)
    result = seen + second + 0.2 * random.normal(size=n)
    table = pd.DataFrame({"first": first, "seen": seen, "second": second, "result": result})
    rehearsal = olem.Rehearsal(
        context=[],
        alterable={"first": (-1, 1), "second": (-3, 3)},
        outcome=["result"],
        desired={"result": (-0.5, 0.5)},
        sequence=[{"alter": ["first"], "then_observe": ["seen"]}, {"alter": ["second"]}],
        sampler="gaussian",
    )
    return rehearsal.fit(table)


def test_the_first_step_comes_with_a_rule(fitted):
    decision = fitted.suggest()
    assert decision.success_probability > 0.95
    assert decision.sequence["at_once"] < 0.5
    rule = decision.sequence["rules"]["second"]
    assert rule["slopes"]["seen"] == pytest.approx(-1, abs=0.15)


def test_the_next_step(fitted):
    decision = fitted.suggest(so_far={"first": 0.2, "seen": 0.7})
    assert decision.so_far == {"first": 0.2, "seen": 0.7}
    assert decision.sequence is None
    assert decision.alterations["second"] == pytest.approx(-0.7, abs=0.25)


def test_another_program_follows_the_rule(fitted):
    decision = fitted.suggest()
    rule = decision.sequence["rules"]["second"]
    assert rule["form"] == "affine"
    assert rule["inputs"] == ["seen"]
    # The world of the fixture, in which another program sets what the rule says.
    random = np.random.default_rng(7)
    n = 20_000
    first = decision.alterations["first"]
    first = random.normal(size=n) if first is None else first
    seen = 0.5 * first + random.normal(size=n)
    wanted = rule["constant"] + rule["slopes"]["seen"] * seen + rule.get("squares", {}).get("seen", 0) * seen**2
    second = np.clip(wanted, rule["min"], rule["max"])
    result = seen + second + 0.2 * random.normal(size=n)
    assert np.mean(np.abs(result) <= 0.5) == pytest.approx(decision.success_probability, abs=0.02)
