"""Admission says everything that is wrong with a goal at once, each problem with its field."""

from dataclasses import replace

import pytest

from tests.unit.trailforge.goals import make_goal, verify_adapter, work_adapter
from trailforge.errors import AdmissionError
from trailforge.work import Check, Effect, Limits, Task, admit

ADAPTERS = {"work": work_adapter(), "verify": verify_adapter()}


def problems(goal) -> list[str]:
    with pytest.raises(AdmissionError) as caught:
        admit(goal, ADAPTERS)
    return [str(problem) for problem in caught.value.problems]


def with_task(**changes):
    goal = make_goal()
    return replace(goal, tasks=(replace(goal.tasks[0], **changes), *goal.tasks[1:]))


def many_tasks(count: int):
    tasks = tuple(Task(id=f"t{n}", adapter="work") for n in range(count - 1))
    return replace(make_goal(), tasks=(*tasks, Task(id="verify", adapter="verify")))


def nested(depth: int) -> dict:
    value: dict = {}
    for _ in range(depth):
        value = {"a": value}
    return value


CASES = {
    "129 tasks are one too many": (many_tasks(129), ["tasks: has 129 tasks, expected 1 to 128"]),
    "an unknown adapter is named with the nearest known one": (
        with_task(adapter="wrok"),
        ["tasks[0].adapter: is 'wrok', which is not registered; did you mean 'work'?"],
    ),
    "a task that depends on a later one closes a cycle": (
        with_task(depends_on=("verify",)),
        ["tasks[0].depends_on[0]: is 'verify', which comes later or closes a cycle; list it before 'work-1'"],
    ),
    "a task that depends on itself is refused": (
        with_task(depends_on=("work-1",)),
        ["tasks[0].depends_on[0]: is 'work-1', the task itself"],
    ),
    "a dependency that is no task is refused": (
        with_task(depends_on=("verfiy",)),
        ["tasks[0].depends_on[0]: is 'verfiy', which is no task; did you mean 'verify'?"],
    ),
    "a repeated task id is refused": (
        with_task(id="verify"),
        ["tasks[1].id: repeats 'verify'; every task id is used once"],
    ),
    "an external write never runs here": (
        with_task(effect=Effect.EXTERNAL_WRITE),
        [("tasks[0].effect: is <Effect.EXTERNAL_WRITE: 'EXTERNAL_WRITE'>, which never runs here; "
         "publish through trailforge.publishing")],
    ),
    "an effect the goal does not allow is refused": (
        replace(make_goal(effect=Effect.CANDIDATE_WRITE), allowed_effects=(Effect.PURE,)),
        ["tasks[0].effect: is CANDIDATE_WRITE, the goal allows PURE"],
    ),
    "negative units are refused": (
        with_task(units=-1),
        ["tasks[0].units: is -1, expected an integer from 0 to 9007199254740991"],
    ),
    "true is not a number of units": (
        with_task(units=True),
        ["tasks[0].units: is True, expected an integer from 0 to 9007199254740991"],
    ),
    "NaN in an input is refused at its place": (
        with_task(input={"a": [float("nan")]}),
        ["tasks[0].input.a[0]: is nan, expected a finite number"],
    ),
    "an infinity is refused": (
        with_task(input={"a": float("-inf")}),
        ["tasks[0].input.a: is -inf, expected a finite number"],
    ),
    "2**53 is one above the largest safe integer": (
        with_task(input={"a": 2**53}),
        ["tasks[0].input.a: is 9007199254740992, expected an integer within +-(2**53 - 1)"],
    ),
    "an integer of 5,000 digits is refused without printing it": (
        with_task(input={"a": 10**5000}),
        ["tasks[0].input.a: is an integer of 16610 bits, expected an integer within +-(2**53 - 1)"],
    ),
    "a lone surrogate in a value is refused": (
        with_task(input={"a": "x\ud800"}),
        ["tasks[0].input.a: has the lone surrogate U+D800 at index 1"],
    ),
    "a lone surrogate in a key is refused": (
        with_task(input={"\udfff": 1}),
        ["tasks[0].input: has the lone surrogate U+DFFF at index 0"],
    ),
    "an input nested 10,000 deep is refused": (
        with_task(input=nested(10_000)),
        [f"tasks[0].input{'.a' * 19}.…: is nested deeper than 64"],
    ),
    "an input that is no object is refused": (
        with_task(input=[1]),
        ["tasks[0].input: is [1], expected a JSON object"],
    ),
    "a goal without a required check proves nothing": (
        replace(make_goal(), checks=(Check(name="c", task="verify", required=False),)),
        ["checks: has no required check on a VERIFY adapter; add one, or nothing can prove completion"],
    ),
    "a check must be on a VERIFY adapter": (
        replace(make_goal(), checks=(Check(name="c", task="work-1"),)),
        [
            "checks[0].task: is 'work-1', whose adapter is of kind BUILD, expected VERIFY",
            "checks: has no required check on a VERIFY adapter; add one, or nothing can prove completion",
        ],
    ),
    "an empty tenant is refused": (
        replace(make_goal(), tenant=""),
        ["tenant: is '', expected 1 to 128 letters, digits or . _ : @ / + -, the first a letter or digit"],
    ),
    "a blank objective is refused": (replace(make_goal(), objective=" "), ["objective: is ' ', expected a sentence"]),
    "a lease of no time is refused": (
        make_goal(lease_seconds=0),
        ["limits.lease_seconds: is 0, expected an integer from 1 to 9007199254"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("goal", "expected"), CASES.values(), ids=CASES)
def test_goal_is_refused_with_its_field(goal, expected):
    assert problems(goal) == expected


def test_every_problem_is_told_at_once():
    goal = replace(with_task(units=-1, adapter="none"), tenant="", objective="")

    assert [text.partition(":")[0] for text in problems(goal)] == [
        "tenant",
        "objective",
        "tasks[0].adapter",
        "tasks[0].units",
    ]


def test_128_tasks_and_the_largest_safe_integer_are_admitted():
    admit(many_tasks(128), ADAPTERS)
    admit(with_task(input={"zero": 0.0, "largest": 2**53 - 1}), ADAPTERS)


def test_minus_zero_and_nul_are_refused_by_place():
    """Row 17: -0.0 would come back as 0 (RFC 8785), NUL ends a text in some stores."""
    assert problems(with_task(input={"zero": [-0.0]})) == ["tasks[0].input.zero[0]: is -0.0, expected 0"]
    assert problems(with_task(input={"nul": "a\u0000b"})) == ["tasks[0].input.nul: has the character NUL at index 1"]
    assert problems(with_task(input={"a\u0000b": 1})) == ["tasks[0].input: has the character NUL at index 1"]


MISSHAPEN = {
    "tasks are a text": (replace(make_goal(), tasks="abc"), "tasks: is a str, expected a tuple"),
    "a task is a mapping": (replace(make_goal(), tasks=({"id": "a"},)), "tasks[0]: is a dict, expected a Task"),
    "checks are nothing": (replace(make_goal(), checks=None), "checks: is a NoneType, expected a tuple"),
    "limits are nothing": (replace(make_goal(), limits=None), "limits: is a NoneType, expected a Limits"),
    "effects are nothing": (
        replace(make_goal(), allowed_effects=None),
        "allowed_effects: is a NoneType, expected a tuple",
    ),
    "an id is a list": (with_task(id=["a"]), "tasks[0].id: is a list, expected a str"),
    "an adapter is a list": (with_task(adapter=["v"]), "tasks[0].adapter: is a list, expected a str"),
    "needs are a text": (with_task(depends_on="b"), "tasks[0].depends_on: is a str, expected a tuple"),
    "a check names no text": (
        replace(make_goal(), checks=(Check(name=[], task=make_goal().checks[0].task),)),
        "checks[0].name: is a list, expected a str",
    ),
    "the goal is a text": ("goal", "goal: is a str, expected a Goal"),
}


@pytest.mark.parametrize(("goal", "problem"), MISSHAPEN.values(), ids=MISSHAPEN)
def test_a_goal_of_the_wrong_shape_is_refused_by_place(goal, problem):
    assert problem in problems(goal)


def test_input_at_its_limit_is_admitted_and_one_byte_more_is_not():
    """The canonical form of {"a":"…"} is 8 bytes longer than the text."""
    at_limit = with_task(input={"a": "x" * 92})
    above = with_task(input={"a": "x" * 93})

    admit(replace(at_limit, limits=Limits(max_input_bytes=100)), ADAPTERS)

    assert problems(replace(above, limits=Limits(max_input_bytes=100))) == [
        "tasks[0].input: is 101 bytes in canonical form, expected at most 100"
    ]
