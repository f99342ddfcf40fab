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


ORDERS = [olem.OLEM, olem.OLEMPlus, olem.LISTEN, olem.CAM, olem.SCORE, olem.CaPS, olem.DiffAN, olem.VarSort]
GRAPHS = [olem.NOTEARS, olem.GES, olem.PC, olem.FCI]


@pytest.mark.parametrize("learner", [*ORDERS, *GRAPHS])
def test_every_learner_says_what_becomes_of_gaps(learner):
    assert learner(missing="impute", imputations=3).get_params()["imputations"] == 3
    assert learner().missing == "error"
    with pytest.raises(ValueError, match="neither 'error', 'drop' nor 'impute'"):
        learner(missing="guess").fit(farm(100, 0.0)[["w", "z"]])


def test_orders_of_completed_tables():
    data = farm(400, 0.1)
    model = olem.OLEMPlus(missing="impute", imputations=3).fit(data)
    assert sorted(model.causal_order_) == sorted(data.columns)
    assert model.missing_["columns"] == {name: int(n) for name, n in data.isna().sum().items()}
    assert len(model.agreement_["differing"]) == 3
    assert model.result_["missing"] == model.missing_
    assert set(model.graph_.nodes) == set(data.columns)  # along the order, from the table that it was learned from
    assert olem.OLEMPlus(missing="impute").fit(farm(100, 0.0)).missing_ is None


def test_orders_of_completed_tables_are_those_of_the_command_line(tmp_path, command_line):
    numbers = farm(300, 0.1).drop(columns="kind")
    numbers.to_csv(tmp_path / "farm.csv", index=False)
    said = command_line("order", tmp_path / "farm.csv", "--missing", "impute", "--imputations", "3")
    model = olem.OLEMPlus(missing="impute", imputations=3).fit(pd.read_csv(tmp_path / "farm.csv"))
    assert model.causal_order_ == said["order"]
    assert model.missing_ == said["missing"]
    assert model.agreement_ == said["agreement"]


def test_graphs_of_completed_tables():
    data = farm(300, 0.1).drop(columns="kind")
    model = olem.GES(missing="impute", imputations=3).fit(data.to_numpy())
    assert model.graph_.nodes == [0, 1, 2, 3]
    assert model.missing_["columns"]["x1"] > 10
    assert len(model.agreement_["differing"]) == 3


def test_rows_with_gaps_can_be_left_out():
    data = farm(300, 0.05).drop(columns="kind")
    dropped = olem.OLEM(missing="drop").fit(data)
    assert dropped.steps_ == olem.OLEM().fit(data.dropna()).steps_
    assert dropped.missing_ is None
    assert olem.OLEM(missing="drop").fit(data.to_numpy()).result_["order"] == [
        f"x{list(data.columns).index(name)}" for name in dropped.causal_order_
    ]


def test_progress_of_several_tables_is_one():
    seen = []
    olem.GES(missing="impute", imputations=3, progress=lambda fraction, phase: seen.append(fraction)).fit(
        farm(300, 0.1).drop(columns="kind")
    )
    # What is reported while Python is busy is replaced by what comes after it: the first 0 may be missed, the end not.
    assert min(seen) >= 0
    assert 2 / 3 <= seen[-1] <= 1


def test_gaps_are_counted_and_every_remedy_named():
    data = farm(200, 0.0)
    data.loc[:4, "z"] = np.nan
    data.loc[3:9, "x"] = np.nan
    counts = r"5 in column 'z', 7 in column 'x'"
    left = r"X\.dropna\(\), which leaves 190 of 200 rows"
    for call in (olem.Rehearsal(**TASK), olem.OLEMPlus()):
        with pytest.raises(ValueError, match=f"{counts}.*{left}.*missing='impute'"):
            call.fit(data)
    with pytest.raises(ValueError, match=f"{counts}.*{left}") as refused:
        olem.entropy(data)
    assert "impute" not in str(refused.value)
    with pytest.raises(ValueError, match=r"X\[numpy\.isfinite\(X\)\.all\(axis=1\)\], which leaves 190 of 200 rows"):
        olem.OLEM().fit(data[["z", "x"]].to_numpy())
    with pytest.raises(ValueError, match=r"X\.replace\(\[numpy\.inf, -numpy\.inf\], numpy\.nan\)\.dropna\(\)"):
        olem.OLEM().fit(data.fillna({"z": np.inf}))


def test_a_code_for_missing_is_replaced_by_a_call():
    data = farm(300, 0.0).drop(columns="kind")
    data.loc[:30, "z"] = -999.0
    with pytest.warns(olem.OlemWarning, match=r"X\.replace\(-999, numpy\.nan\)"):
        olem.OLEMPlus().fit(data)
    with pytest.warns(olem.OlemWarning, match=r"numpy\.where\(X == -999, numpy\.nan, X\)"):
        olem.OLEMPlus().fit(data.to_numpy())
    assert olem.OLEMPlus(missing="impute").fit(data.replace(-999, np.nan)).missing_["columns"] == {"z": 31}
