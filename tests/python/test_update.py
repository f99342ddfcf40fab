"""Models that are brought up to date."""

import numpy as np
import pandas as pd
import pytest

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")


def rows(n, slope, seed):
    random = np.random.default_rng(seed)
    seen = random.normal(size=n)
    lever = 0.5 * seen + random.normal(size=n)
    return pd.DataFrame({"seen": seen, "lever": lever, "result": slope * lever + seen + 0.3 * random.normal(size=n)})


def fitted(keep):
    return olem.Rehearsal(
        context=["seen"],
        alterable={"lever": (-2, 2)},
        outcome=["result"],
        desired={"result": (-0.5, 0.5)},
        order=["seen", "lever", "result"],
        sampler="gaussian",
        quick=True,
        keep_rows=keep,
    ).fit(rows(300, 1.0, 0))


def test_a_change_is_found_and_followed(tmp_path):
    rehearsal = fitted(True)
    new = rows(60, -1.0, 1)
    drift = rehearsal.check_drift(new)
    assert drift["drifted"] == ["result"]
    assert rehearsal.check_drift(rows(60, 1.0, 2))["drifted"] == []
    assert rehearsal.suggest({"seen": 1.0}).alterations["lever"] == pytest.approx(-1, abs=0.3)
    assert rehearsal.update(new) is rehearsal
    assert rehearsal.update_["old_rows"] == 300
    assert [v["name"] for v in rehearsal.update_["variables"] if v["changed"]] == ["result"]
    assert rehearsal.suggest({"seen": 1.0}).alterations["lever"] == pytest.approx(1, abs=0.35)
    rehearsal.save(tmp_path / "m.olem")
    loaded = olem.Rehearsal.load(tmp_path / "m.olem").update(rows(20, -1.0, 3))
    assert loaded.update_["old_rows"] == 360


def test_one_row_is_enough():
    rehearsal = fitted(True)
    assert rehearsal.check_drift(rows(1, 1.0, 4))["variables"] == []
    assert rehearsal.check_drift(rows(2, 1.0, 4))["drifted"] == []
    assert rehearsal.update(rows(1, 1.0, 4)).update_["new_rows"] == 1


def test_rows_that_are_not_kept_are_given():
    rehearsal = fitted(False)
    with pytest.raises(ValueError, match="old"):
        rehearsal.update(rows(60, 1.0, 1))
    rehearsal.update(rows(60, 1.0, 1), old=rows(300, 1.0, 0))
    assert not any(v["changed"] for v in rehearsal.update_["variables"])


def test_rows_in_which_a_lever_was_set():
    new = rows(60, 1.0, 1)
    new["lever"] += 3
    new["result"] += 3
    new["was_set"] = 1
    assert fitted(True).update(new).update_["variables"][0]["changed"]
    kept = fitted(True).update(new, set_by_hand={"lever": "was_set"})
    assert not kept.update_["variables"][0]["changed"]
