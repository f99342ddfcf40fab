"""The log of decisions, and what came out."""

import numpy as np
import pandas as pd
import pytest

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(1)
    n = 300
    seen = random.normal(size=n)
    lever = random.normal(size=n)
    result = seen + lever + 0.5 * random.normal(size=n)
    table = pd.DataFrame({"seen": seen, "lever": lever, "result": result})
    rehearsal = olem.Rehearsal(
        context=["seen"],
        alterable={"lever": (-3, 3)},
        outcome=["result"],
        desired={"result": (-0.5, 0.5)},
        sampler="gaussian",
        quick=True,
    )
    return rehearsal.fit(table)


def test_decisions_are_logged_and_compared(fitted, tmp_path):
    log = tmp_path / "decisions.jsonl"
    contexts = pd.DataFrame({"seen": np.linspace(-1, 1, 10)})
    decisions = fitted.suggest(contexts, log=log)
    assert [decision.decision_id for decision in decisions] == [str(i) for i in range(1, 11)]
    assert fitted.suggest({"seen": 0.0}).decision_id is None
    rows = pd.DataFrame({"decision": range(1, 11), "result": [0.0] * 6 + [2.0] * 3 + [np.nan]})
    found = olem.check_log(log, rows)
    assert found["decisions"] == 9
    assert found["came_true"] == 6
    assert found["claimed"] == pytest.approx(np.mean([d.success_probability for d in decisions[:9]]))
    assert olem.check_log(log)["decisions"] == 0
    assert olem.check_log(log, rows.head(1))["came_true"] == 1
    assert olem.check_log(log, rows, record=True)["recorded"] == 9
    assert olem.check_log(log)["came_true"] == 6


def test_other_columns_and_order(fitted, tmp_path):
    log = tmp_path / "log"
    fitted.suggest(pd.DataFrame({"seen": [0.0, 0.1]}), log=log)
    by_name = olem.check_log(log, pd.DataFrame({"case": [2, 1], "result": [0.0, 3.0]}), decision_id="case")
    assert by_name["came_true"] == 1
    with pytest.warns(olem.OlemWarning, match="matched|first row"):
        assert olem.check_log(log, pd.DataFrame({"result": [0.0, 0.0]}))["came_true"] == 2
    with pytest.raises(ValueError, match="Did you mean 'case'"):
        olem.check_log(log, pd.DataFrame({"case": [2, 1], "result": [0.0, 3.0]}), decision_id="cases")
    with pytest.raises(ValueError, match="holds words"):
        olem.check_log(log, pd.DataFrame({"decision": [1, 2], "result": ["bad", "bad"]}))
    with pytest.raises(ValueError, match="record"):
        olem.check_log(log, record=True)
