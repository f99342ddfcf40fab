"""Other learners on a decision."""

import numpy as np
import pandas as pd
import pytest

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")


def rehearsal(**more):
    return olem.Rehearsal(
        context=["seen"],
        alterable={"lever": (-3, 3)},
        outcome=["result"],
        desired={"result": (-0.5, 0.5)},
        sampler="linear",
        quick=True,
        **more,
    )


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(1)
    seen = random.normal(size=300)
    lever = random.normal(size=300)
    return pd.DataFrame({"seen": seen, "lever": lever, "result": seen + lever + 0.2 * random.normal(size=300)})


def test_a_decision_has_opinions_and_so_has_the_model_file(table, tmp_path):
    fitted = rehearsal(opinions=["varsort", "ges"]).fit(table)
    decision = fitted.suggest({"seen": 1.0})
    assert [opinion["learner"] for opinion in decision.opinions] == ["varsort", "ges"]
    for opinion in decision.opinions:
        assert opinion["success"] == pytest.approx(decision.success_probability, abs=0.1)
        assert opinion["without_action"] < 0.5
    fitted.save(tmp_path / "model.olem")
    loaded = olem.Rehearsal.load(tmp_path / "model.olem")
    assert loaded.opinions == ["varsort", "ges"]
    assert loaded.suggest({"seen": 1.0}).opinions == decision.opinions
    assert rehearsal().fit(table).suggest({"seen": 1.0}).opinions == []


def test_an_unknown_learner_is_refused(table):
    with pytest.raises(ValueError, match="Did you mean 'ges'"):
        rehearsal(opinions=["gse"]).fit(table)
