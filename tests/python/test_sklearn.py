"""scikit-learn's own checks of the learners, less those that cannot apply.

`_EXEMPT` of olem._estimators and `_exempt` of a class hold the checks that are left out, with the reason for each.
"""

import warnings

import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import olem

QUICK_DIFFAN = {"diffan_epochs": 2, "diffan_warm_up": 1, "diffan_patience": 1, "diffan_narrow": 4, "diffan_wide": 4}


@parametrize_with_checks(
    [
        olem.OLEM(),
        olem.OLEMPlus(),
        olem.LISTEN(),
        olem.CAM(),
        olem.SCORE(),
        olem.CaPS(),
        olem.DiffAN(**QUICK_DIFFAN),
        olem.VarSort(),
        olem.NOTEARS(),
        olem.GES(),
        olem.PC(),
        olem.FCI(),
    ]
)
def test_conventions_of_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", olem.OlemWarning)
        check(estimator)


EXEMPTIONS = [
    (learner, check)
    for learner in (getattr(olem, name) for name in olem.__all__)
    if hasattr(learner, "_more_tags")
    for check in learner()._more_tags()["_xfail_checks"]
]


@pytest.mark.parametrize(("learner", "check"), EXEMPTIONS)
@pytest.mark.filterwarnings("ignore")
def test_checks_that_are_left_out_would_fail(learner, check):
    parameters = QUICK_DIFFAN if learner is olem.DiffAN else {}
    with pytest.raises((AssertionError, ValueError)):
        getattr(estimator_checks, check)(learner.__name__, learner(**parameters))
