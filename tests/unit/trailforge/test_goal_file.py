"""A goal file is read strictly; every wrong field is told with its line."""

import math
from itertools import pairwise

import pytest

from trailforge.errors import AdmissionError, UsageError
from trailforge.work import Effect, Limits, admit_run
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
    return load_goal(path).goal


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
    "one of each in one file": (
        (
            "{tenant: 5, objectiv: o, tasks: [{id: a, adaptr: x, units: '1', depends_on: [b, 2]}, 7],\n"
            " checks: [{name: 1, task: a, required: maybe}], limits: {max_units: x, foo: 1}, recovery: never}\n"
        ),
        [
            "goal.yaml:1: objectiv: is not a field here; did you mean 'objective'?",
            "goal.yaml:1: resource: is missing",
            "goal.yaml:1: objective: is missing",
            "goal.yaml:1: tenant: Expected `str`, got `int`",
            "goal.yaml:1: tasks[0].adaptr: is not a field here; did you mean 'adapter'?",
            "goal.yaml:1: tasks[0].adapter: is missing",
            "goal.yaml:1: tasks[0].units: Expected `int`, got `str`",
            "goal.yaml:1: tasks[0].depends_on[1]: Expected `str`, got `int`",
            "goal.yaml:1: tasks[1]: is a int, expected a mapping",
            "goal.yaml:2: checks[0].name: Expected `str`, got `int`",
            "goal.yaml:2: checks[0].required: Expected `bool`, got `str`",
            "goal.yaml:2: limits.foo: is not a field here",
            "goal.yaml:2: limits.max_units: Expected `int`, got `str`",
            "goal.yaml:2: recovery: Invalid enum value 'never'",
        ],
    ),
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
    "an alias": ("objective: &o x\ntenant: *o\n", r"line 2: has the alias \*o; write the value out"),
    "an alias of what it is part of": ("tenant: &t {x: *t}\n", r"line 1: has the alias \*t; write the value out"),
    "aliases that stand for a thousand million values": (
        "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{n}: &{n} [{','.join([f'*{m}'] * 10)}]\n" for m, n in pairwise("abcdefghi")),
        r"line 2: has the alias \*a",
    ),
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


SCALARS = {
    "a number with a colon": ("1:30", "1:30"),
    "a number with a leading zero": ("0777", "0777"),
    "a hexadecimal number": ("0x10", "0x10"),
    "a number with an underscore": ("1_000", "1_000"),
    "a word that YAML 1.1 takes for true": ("yes", "yes"),
    "a date": ("2026-01-01", "2026-01-01"),
    "true": ("true", True),
    "null": ("null", None),
    "an integer": ("-12", -12),
    "a number with an exponent": ("1e3", 1000.0),
    "a character beyond U+FFFF as JSON escapes it": ('"\\ud83d\\ude00"', "\U0001f600"),
}


@pytest.mark.parametrize(("written", "read"), SCALARS.values(), ids=SCALARS)
def test_scalars_are_those_of_json_and_text_otherwise(tmp_path, written, read):
    """RFC 8259 sections 3, 6 and 7."""
    value = load(tmp_path, GOOD.replace("{text: a b,", f"{{text: {written},")).tasks[0].input["text"]

    assert (value, type(value)) == (read, type(read))


def test_number_too_large_for_a_double_is_refused_by_admission(tmp_path):
    value = load(tmp_path, GOOD.replace("{text: a b,", "{text: 1e400,")).tasks[0].input["text"]

    assert value == math.inf


def test_what_admission_finds_has_its_line_too(tmp_path):
    path = tmp_path / "goal.yaml"
    path.write_text(GOOD.replace("units: 2", "units: -2"))
    file = load_goal(path)

    with pytest.raises(AdmissionError) as caught, file.located():
        admit_run(file.goal, {}, run_id="run-1")

    assert [str(problem).removeprefix(f"{tmp_path}/") for problem in caught.value.problems] == [
        "goal.yaml:5: tasks[0].adapter: is 'count-words', which is not registered",
        "goal.yaml:6: tasks[1].adapter: is 'judge-count', which is not registered",
        "goal.yaml:6: tasks[1].units: is -2, expected an integer from 0 to 9007199254740991",
    ]


def test_absent_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read: No such file or directory"):
        load_goal(tmp_path / "absent.yaml")
