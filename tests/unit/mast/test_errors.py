"""The errors: one family, one stable word per cause, and messages that suggest."""

import pytest

from mast import errors

CLASSES = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, Exception)]


def test_every_error_is_of_the_family():
    assert all(issubclass(item, errors.MastError) for item in CLASSES)


def test_every_cause_of_a_rejection_has_a_word_of_its_own():
    reasons = [item.reason for item in CLASSES if issubclass(item, errors.Rejection)]
    assert len(reasons) == len(set(reasons)) > 10


def test_a_scenario_error_keeps_every_problem():
    error = errors.ScenarioError(["a.yaml:1: x is 1", "a.yaml:2: y is 2"])
    assert error.problems == ("a.yaml:1: x is 1", "a.yaml:2: y is 2")
    assert str(error) == "a.yaml:1: x is 1\na.yaml:2: y is 2"


@pytest.mark.parametrize(
    ("word", "text"), [("rely", "; did you mean 'relay'?"), ("xyz", "; expected one of relay, sum_charges")]
)
def test_the_nearest_word_is_suggested_or_all_are_listed(word: str, text: str):
    assert errors.nearest(word, {"sum_charges", "relay"}) == text


def test_an_unknown_claim_reads_as_a_sentence_though_it_is_a_key_error():
    assert str(errors.UnknownClaimError("claim x is not in the graph")) == "claim x is not in the graph"
    assert issubclass(errors.UnknownClaimError, KeyError)


def test_a_missing_package_is_named_with_the_extra_that_brings_it():
    error = errors.MissingExtraError("pandas", "notebook")
    assert str(error) == "pandas is not installed; install mast-simulator[notebook]"
    assert isinstance(error, ImportError)
