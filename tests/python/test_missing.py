"""Missing cells and context values that are not known."""

import numpy as np
import pandas as pd
import pytest

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

QUICK = {"draws": 200, "judge_draws": 500, "worth_draws": 4}
TASK = {"context": ["w", "z"], "alterable": {"x": [-3, 3]}, "outcome": ["y"], "desired": {"y": [-1, 1]}}


def farm(rows, gaps):
    rng = np.random.default_rng(1)
    w = rng.normal(size=rows)
    z = 0.8 * w + 0.6 * rng.normal(size=rows)
    x = rng.normal(size=rows)
    y = x + z + 0.5 * rng.normal(size=rows)
    frame = pd.DataFrame({"w": w, "z": z, "x": x, "y": y, "kind": rng.choice(["a", "b", "c"], rows)})
    return frame.mask(rng.random(frame.shape) < gaps)


@pytest.fixture(scope="module")
def imputed():
    return olem.Rehearsal(**TASK, sampler="linear", missing="impute", imputations=3).fit(farm(400, 0.1))


def test_gaps_are_imputed(imputed):
    assert imputed.missing_["imputations"] == 3
    assert imputed.missing_["columns"]["kind"] > 10
    assert len(imputed.agreement_["differing"]) == 3
    assert imputed.models_["y"]["kind"] == "mixture"
    decision = imputed.suggest({"w": 1, "z": 1}, **QUICK)
    assert decision.alterations["x"] == pytest.approx(-1, abs=0.3)
    assert decision.unknown == []


def test_many_gaps_are_a_warning():
    data = farm(200, 0.0)
    data.loc[:120, "z"] = np.nan
    with pytest.warns(olem.OlemWarning, match="60 % of 'z' are missing"):
        model = olem.Rehearsal(**TASK, sampler="linear", missing="impute", imputations=2).fit(data)
    assert "many_missing" in [warning["code"] for warning in model.warnings_]


def test_gaps_need_a_word():
    data = farm(100, 0.1)
    with pytest.raises(ValueError, match="NaN"):
        olem.Rehearsal(**TASK, sampler="linear").fit(data)
    with pytest.raises(ValueError, match="neither 'error', 'drop' nor 'impute'"):
        olem.Rehearsal(**TASK, missing="guess").fit(data)
    with pytest.raises(ValueError, match="has no value at all"):
        olem.Rehearsal(**TASK, missing="impute").fit(data.assign(y=np.nan))
    dropped = olem.Rehearsal(**TASK, sampler="linear", missing="drop").fit(farm(200, 0.05))
    assert dropped.missing_ is None
    whole = olem.Rehearsal(**TASK, sampler="linear", missing="impute").fit(farm(100, 0.0))
    assert whole.missing_ is None


@pytest.mark.parametrize("context", [{"w": 1, "z": None}, {"w": 1, "z": float("nan")}, {"w": 1}])
def test_unknown_context(imputed, context):
    with pytest.raises(ValueError, match="no value for z.*unknown='draw'"):
        imputed.suggest(context, **QUICK)
    decision = imputed.suggest(context, unknown="draw", **QUICK)
    assert decision.context == {"w": 1, "z": None}
    assert [entry["name"] for entry in decision.unknown] == ["z"]
    assert decision.unknown[0]["worth"] == pytest.approx(0.155, abs=0.15)
    assert decision.alterations["x"] == pytest.approx(-0.8, abs=0.3)


def test_unknown_cells_of_a_frame(imputed):
    frame = pd.DataFrame({"w": [1.0, 0.0], "z": [np.nan, 0.5]})
    first, second = imputed.suggest(frame, unknown="draw", **QUICK)
    assert first.context["z"] is None
    assert second.unknown == []
    with pytest.raises(ValueError, match="neither 'error' nor 'draw'"):
        imputed.suggest({"w": 1}, unknown="guess")


def test_a_saved_model_can_draw(imputed, tmp_path):
    path = tmp_path / "m.olem"
    imputed.save(path)
    loaded = olem.Rehearsal.load(path)
    assert loaded.missing_ == imputed.missing_
    again = loaded.suggest({"w": 1}, unknown="draw", **QUICK)
    assert again.alterations == imputed.suggest({"w": 1}, unknown="draw", **QUICK).alterations
