"""A goal file is read strictly; every wrong field is told with its line."""

import pytest

from trailforge.errors import AdmissionError, UsageError
from trailforge.work import Effect, Limits
from trailforge.work.goal_file import load_goal

GOOD = """\
tenant: acme
resource: motto@1
objective: Count the words.
tasks:
  - {id: count, adapter: count-words, input: {text: a b, when: 2026-01-01}, effect: SCOPED_READ}
  - {id: judge, adapter: judge-count, depends_on: [count], units: 2}
checks:
  - {name: right, task: judge}
limits:
  max_units: 10
"""


def load(tmp_path, text: str | bytes):
    path = tmp_path / "goal.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_goal(path)


def test_goal_is_read_with_its_defaults(tmp_path):
    goal = load(tmp_path, GOOD)

    assert (goal.tenant, goal.tasks[0].effect, goal.tasks[1].depends_on) == ("acme", Effect.SCOPED_READ, ("count",))
    assert goal.tasks[0].input == {"text": "a b", "when": "2026-01-01"}
    assert (goal.tasks[1].units, goal.limits) == (2, Limits(max_units=10))


FIELDS = {
    "a misspelled field": (
        GOOD.replace("objective:", "objektive:"),
        [
            "goal.yaml:3: objektive: is not a field here; did you mean 'objective'?",
            "goal.yaml:1: objective: is missing",
        ],
    ),
    "a field of the wrong type": (
        GOOD.replace("units: 2", "units: two"),
        ["goal.yaml:6: tasks[1].units: Expected `int`, got `str`"],
    ),
    "an unknown effect": (
        GOOD.replace("SCOPED_READ", "ANYTHING"),
        ["goal.yaml:5: tasks[0].effect: Invalid enum value 'ANYTHING'"],
    ),
    "problems in several places": (
        GOOD.replace("units: 2", "unit: 2").replace("max_units: 10", "max_units: [1]"),
        [
            "goal.yaml:6: tasks[1].unit: is not a field here; did you mean 'units'?",
            "goal.yaml:10: limits.max_units: Expected `int`, got `array`",
        ],
    ),
    "tasks that are no list": (
        GOOD.split("tasks:")[0] + "tasks: 5\nchecks: []\n",
        ["goal.yaml:4: tasks: is a int, expected a list"]),
    "a list where a goal belongs": ("- 1\n", ["goal.yaml:1: goal: is a list, expected a mapping"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FIELDS.values(), ids=FIELDS)
def test_wrong_field_is_told_with_its_line(tmp_path, text, expected):
    with pytest.raises(AdmissionError) as caught:
        load(tmp_path, text)

    assert [str(problem).removeprefix(f"{tmp_path}/") for problem in caught.value.problems] == expected


UNREADABLE = {
    "an empty file": ("", "is empty, expected a goal"),
    "a repeated key": (GOOD + "tenant: beta\n", "line 11: repeats the key 'tenant'"),
    "an integer of 5,000 digits": (f"tenant: {'1' * 5000}\n", "line 1: integer of 5000 digits"),
    "broken YAML": ("tenant: [", "while parsing"),
    "a Python object": ("tenant: !!python/object/apply:os.getcwd []\n", "could not determine a constructor"),
    "bytes that are no text": (b"\xff\xfe\xfd", "is not UTF-8"),
    "nesting 10,000 deep": ("[" * 10_000 + "]" * 10_000, "nested too deep"),
}


@pytest.mark.parametrize(("text", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_file_is_refused_in_one_line(tmp_path, text, message):
    with pytest.raises(UsageError, match=message) as caught:
        load(tmp_path, text)

    assert "\n" not in str(caught.value)


def test_absent_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read: No such file or directory"):
        load_goal(tmp_path / "absent.yaml")
