"""What a task says about its rows: set by hand, groups, quadratic costs."""

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
olem = pytest.importorskip("olem")


def acted(rows=1000, seed=1):
    random = np.random.default_rng(seed)
    hidden = random.normal(size=rows)
    was_set = random.random(rows) < 0.2
    own = 0.7 * hidden + np.sqrt(0.51) * random.normal(size=rows)
    price = np.where(was_set, random.normal(size=rows), own)
    sales = 0.3 * price + 0.7 * hidden + np.sqrt(0.51) * random.normal(size=rows)
    return pd.DataFrame({"price": price, "sales": sales, "price_was_set": was_set.astype(float)})


def rehearsal(**more):
    return olem.Rehearsal(
        [], {"price": (-1, 1)}, ["sales"], {"sales": (0.75, None)}, sampler="linear", quick=True, random_state=1, **more
    )


def test_rows_that_were_set_say_what_the_lever_does():
    with pytest.warns(UserWarning, match="contradict"):
        model = rehearsal(set_by_hand={"price": "price_was_set"}).fit(acted())
    effect = model.set_by_hand_[0]
    assert effect["contradict"]
    assert abs(effect["set"]["effect"] - 0.3) < 4 * effect["set"]["standard_error"]
    decision = model.suggest()
    # P(sales > .75) with the price at 1: 1 - Phi(.45)
    assert abs(decision.success_probability - 0.326) < 0.08


def test_a_group_is_named_beside_the_context():
    random = np.random.default_rng(2)
    level = np.repeat(random.normal(size=20), 50)
    frame = pd.DataFrame(
        {
            "price": 1.2 * level + 0.6 * random.normal(size=1000),
            "sales": 2 * level + 0.7 * random.normal(size=1000),
            "branch": np.repeat(np.arange(20.0), 50),
        }
    )
    model = rehearsal(group="branch").fit(frame)
    assert len(model.groups_) == 20
    high, low = int(np.argmax(level[::50])), int(np.argmin(level[::50]))
    assert model.suggest({"branch": high}).success_probability > 0.9
    assert model.suggest({"branch": low}).success_probability < 0.1
    with pytest.raises(Exception, match="none of the 20 groups"):
        model.suggest({"branch": 77})


def test_a_square_costs_from_its_datum():
    model = rehearsal(cost={"price": {"weight": 10, "datum": 0.5, "power": 2}}, ignore=["price_was_set"]).fit(acted())
    decision = model.suggest()
    value = decision.alterations["price"]
    assert decision.cost == pytest.approx(0 if value is None else 10 * (value - 0.5) ** 2)


def test_rows_count_by_their_weights():
    random = np.random.default_rng(3)
    later = np.arange(400) >= 200
    frame = pd.DataFrame({"price": random.normal(size=400), "sales": 2.5 * later + random.normal(size=400)})
    frame["w"] = np.where(later, 3.0, 1.0)
    plain = rehearsal(ignore=["w"]).fit(frame).suggest()
    model = rehearsal(weight="w").fit(frame)
    assert any(warning["code"] == "weights_resampled" for warning in model.warnings_)
    # 3/4 of the weight has a mean of 2.5.
    assert plain.outcomes_without_action["sales"]["mean"] == pytest.approx(1.25, abs=0.2)
    assert model.suggest().outcomes_without_action["sales"]["mean"] == pytest.approx(1.875, abs=0.25)


def test_a_lever_that_follows_the_time_is_said_to():
    random = np.random.default_rng(4)
    week = np.arange(300.0)
    frame = pd.DataFrame(
        {
            "price": week / 60 + 0.3 * random.normal(size=300),
            "sales": week / 60 + 0.5 * random.normal(size=300),
            "week": week,
        }
    )
    codes = {warning["code"] for warning in rehearsal(time="week").fit(frame).warnings_}
    assert {"trend", "lever_follows_trend"} <= codes
    frame["week"] = np.repeat(["may", "june", "july"], 100)
    with pytest.raises(Exception, match="'week' holds words"):
        rehearsal(time="week").fit(frame)


@pytest.mark.filterwarnings("ignore::olem.OlemWarning")
def test_an_update_carries_over_what_the_task_says(tmp_path):
    model = rehearsal(set_by_hand={"price": "price_was_set"}, keep_rows=True).fit(acted())
    effect = model.set_by_hand_[0]
    model.update(acted(500, 7))
    assert model.update_["new_rows"] == 500
    joined = model.set_by_hand_[0]
    assert joined["set_rows"] + joined["other_rows"] == 1500
    assert joined["set"]["standard_error"] < effect["set"]["standard_error"]
    assert model.check_drift(acted(200, 8))["drifted"] == []
    model.save(tmp_path / "m.olem")
    again = olem.Rehearsal.load(tmp_path / "m.olem").update(acted(300, 9))
    assert again.set_by_hand_[0]["set_rows"] + again.set_by_hand_[0]["other_rows"] == 1800


def rounds(n=1500, seed=5):
    random = np.random.default_rng(seed)
    x = z = y = 0.0
    rows = []
    for _ in range(n):
        x, before, past = 0.45 * x + 0.2 * random.normal(), z, y
        z = 0.2 * x + 0.1 * before + np.sqrt(0.03) * random.normal()
        y = 0.4 * x + 1.1 * z - 0.35 * before + 0.2 * past + np.sqrt(0.05) * random.normal()
        rows.append((x, z, y))
    rows.append((0.1, -0.2, 0.5))
    return pd.DataFrame(rows, columns=["x", "z", "y"])


def test_rounds_are_planned():
    task = olem.Rehearsal(["x"], {"z": (-2, 2)}, ["y"], {"y": (0.85, 1.15)}, sampler="gaussian", random_state=1)
    decision = task.plan_rounds(rounds(24000), {"x": 0.3}, rounds=3, draws=300, judge_draws=1000)
    # .791716, .813521, .922550 with the true coefficients. Three tables of 24 000 rows were off by .014 at most.
    assert [entry["z"] for entry in decision.plan] == pytest.approx([0.7917, 0.8135, 0.9226], abs=0.03)
    assert decision.alterations["z"] == decision.plan[0]["z"]
    assert decision.success_probability > 0.85
    with pytest.raises(ValueError, match="neither 'mean' nor 'sum'"):
        task.plan_rounds(rounds(), {"x": 0.3}, over="product")
    with pytest.raises(Exception, match="'x' has no value"):
        task.plan_rounds(rounds(), rounds=2)
