"""Which findings are believed to be about the captured source, and what a draft says."""

from typing import Any

import pytest

from trailforge.errors import ReviewRefusedError
from trailforge.review import (
    Capture,
    Coverage,
    Draft,
    Gap,
    GapKind,
    Role,
    SourceFile,
    review_scope,
)
from trailforge.review.finding import validate_answer

FILE = SourceFile(
    path="src/app.py",
    revision="r7",
    size=18,
    sha256="a" * 64,
    lines=("def f():", "    return 1", "", "f()\r"),
)
CAPTURE = Capture(files=(FILE,), gaps=())
SCOPE = review_scope(tenant="acme", resource="app", revision="r7", paths=["src/app.py"])


def finding(**changes: Any) -> dict[str, Any]:
    usual = {
        "path": "src/app.py",
        "receipt": FILE.receipt,
        "start_line": 2,
        "end_line": 2,
        "quote": "    return 1",
        "severity": "low",
        "claim": "always one",
    }
    return {**usual, **changes}


def answer(**roles: Any) -> dict[str, Any]:
    return {role.value: roles.get(role.value, []) for role in Role}


ACCEPTED = {
    "one line": {},
    "two lines": {"start_line": 1, "end_line": 2, "quote": "def f():\n    return 1"},
    "an empty line": {"start_line": 3, "end_line": 3, "quote": ""},
    "a line that keeps its CR": {"start_line": 4, "end_line": 4, "quote": "f()\r"},
    "the whole file": {"start_line": 1, "end_line": 4, "quote": "def f():\n    return 1\n\nf()\r"},
}


@pytest.mark.parametrize("changes", ACCEPTED.values(), ids=ACCEPTED)
def test_finding_with_exact_path_lines_quote_and_receipt_is_kept(changes: dict[str, Any]) -> None:
    findings, gaps = validate_answer(answer(security=[finding(**changes)]), CAPTURE)

    assert len(findings) == 1
    assert gaps == ()
    assert findings[0].role is Role.SECURITY


MALFORMED = {
    "another path": ({"path": "src/App.py"}, "was not captured"),
    "a path above": ({"path": "../src/app.py"}, "was not captured"),
    "another receipt": ({"receipt": "0" * 64}, "names the receipt"),
    "line zero": ({"start_line": 0}, "is about lines 0 to 2"),
    "a negative line": ({"start_line": -1, "end_line": -1}, "is about lines -1 to -1"),
    "a line beyond the end": ({"start_line": 4, "end_line": 5}, "has lines 1 to 4"),
    "a range backwards": ({"start_line": 2, "end_line": 1}, "is about lines 2 to 1"),
    "a quote without its spaces": ({"quote": "return 1"}, "does not quote lines 2 to 2"),
    "a quote with a line break more": ({"quote": "    return 1\n"}, "does not quote"),
    "a quote whose CR is gone": ({"start_line": 4, "end_line": 4, "quote": "f()"}, "does not quote"),
    "a line as text": ({"start_line": "2"}, "wrong type"),
    "a line as a fraction": ({"start_line": 2.0}, "wrong type"),
    "a line as truth": ({"start_line": True, "end_line": True, "quote": "def f():"}, "wrong type"),
    "a line of 5000 digits": ({"end_line": 10**4999}, "wrong type"),
    "a quote that is no text": ({"quote": None}, "wrong type"),
    "an unknown severity": ({"severity": "urgent"}, "severity 'urgent'"),
    "an empty claim": ({"claim": " "}, "expected 1 to 4000"),
    "a claim over its bound": ({"claim": "x" * 4001}, "has a claim of 4001 characters"),
    "a claim with a surrogate": ({"claim": "\ud800"}, "lone surrogate"),
    "a quote over its bound": ({"quote": "x" * 8001}, "has a quote of 8001 characters"),
    "a field too many": ({"confidence": 1}, "has the fields"),
}


@pytest.mark.parametrize(("changes", "problem"), MALFORMED.values(), ids=MALFORMED)
def test_finding_that_does_not_agree_with_the_source_is_a_gap(changes: dict[str, Any], problem: str) -> None:
    findings, gaps = validate_answer(answer(tests=[finding(**changes), finding()]), CAPTURE)

    assert len(findings) == 1
    assert [(gap.kind, gap.subject) for gap in gaps] == [(GapKind.MALFORMED_FINDING, "tests[0]")]
    assert problem in gaps[0].reason


def test_finding_with_a_missing_field_is_a_gap() -> None:
    item = finding()
    del item["quote"]
    findings, gaps = validate_answer(answer(tests=[item, "text", None]), CAPTURE)

    assert findings == ()
    assert len(gaps) == 3


@pytest.mark.parametrize("returned", [None, [], "text", True])
def test_answer_that_is_no_object_is_one_gap(returned: object) -> None:
    findings, gaps = validate_answer(returned, CAPTURE)

    assert findings == ()
    assert [gap.kind for gap in gaps] == [GapKind.CALLBACK_FAILED]


def test_role_without_an_answer_is_a_gap_and_an_empty_answer_is_none() -> None:
    findings, gaps = validate_answer({"security": [], "tests": []}, CAPTURE)

    assert findings == ()
    assert [(gap.kind, gap.subject) for gap in gaps] == [
        (GapKind.MISSING_ROLE, "correctness"),
        (GapKind.MISSING_ROLE, "documentation"),
    ]


def test_unknown_role_and_too_many_findings_are_gaps() -> None:
    _, gaps = validate_answer({**answer(security=[finding()] * 201), "\ud800style": []}, CAPTURE)

    assert [gap.subject for gap in gaps] == ["security", "'\\ud800style'"]
    assert "has 201 findings, expected a list of at most 200" in gaps[0].reason


def test_receipt_binds_path_revision_size_and_content() -> None:
    others = [
        SourceFile(path="src/b.py", revision="r7", size=18, sha256="a" * 64, lines=()),
        SourceFile(path="src/app.py", revision="r8", size=18, sha256="a" * 64, lines=()),
        SourceFile(path="src/app.py", revision="r7", size=19, sha256="a" * 64, lines=()),
        SourceFile(path="src/app.py", revision="r7", size=18, sha256="b" * 64, lines=()),
    ]

    assert FILE.receipt not in {other.receipt for other in others}
    assert len({other.receipt for other in others}) == 4


def test_every_draft_needs_a_human_has_no_critic_and_no_reliability() -> None:
    for gaps in ((), (Gap(kind=GapKind.TRUNCATED, subject="x", reason="y"),)):
        record = Draft(scope=SCOPE, capture=CAPTURE, findings=(), gaps=gaps).to_record()

        assert record["needs_human"] is True
        assert record["critic"] == "NOT_IMPLEMENTED"
        assert record["reliability"] is None


def test_coverage_is_complete_only_without_any_gap() -> None:
    gap = Gap(kind=GapKind.TRUNCATED, subject="x", reason="y")

    assert Draft(scope=SCOPE, capture=CAPTURE, findings=(), gaps=()).coverage is Coverage.COMPLETE
    assert Draft(scope=SCOPE, capture=CAPTURE, findings=(), gaps=(gap,)).coverage is Coverage.INCOMPLETE


def test_scope_reports_every_problem_at_once() -> None:
    with pytest.raises(ReviewRefusedError) as caught:
        review_scope(tenant="", resource="x" * 257, revision="\ud800", paths=["../a"], max_file_bytes=0)

    assert [problem.field for problem in caught.value.problems] == [
        "tenant",
        "resource",
        "revision",
        "max_file_bytes",
        "paths",
    ]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"tenant": None}, "tenant: is a NoneType, expected text"),
        ({"revision": 5}, "revision: is a int, expected text"),
        ({"resource": "a\x00"}, "resource: has a lone surrogate or a NUL"),
        ({"paths": None}, "paths: the paths are a NoneType, expected a list or a tuple"),
        ({"max_file_bytes": 1.5}, "max_file_bytes: is 1.5, expected an integer from 1 to 9007199254740991"),
        ({"max_file_bytes": None}, "max_file_bytes: is None, expected an integer from 1 to 9007199254740991"),
        ({"number": True}, "number: is True, expected an integer from 1 to 9007199254740991"),
    ],
)
def test_part_of_a_scope_of_another_type_is_refused(changed: dict[str, Any], problem: str) -> None:
    given: dict[str, Any] = {"tenant": "acme", "resource": "app", "revision": "r7", "paths": ["src/app.py"]}
    with pytest.raises(ReviewRefusedError) as caught:
        review_scope(**{**given, **changed})

    assert [str(each) for each in caught.value.problems] == [problem]


def test_same_scope_is_the_same_review_and_another_number_is_another() -> None:
    same = review_scope(tenant="acme", resource="app", revision="r7", paths=["src/app.py"])
    second = review_scope(tenant="acme", resource="app", revision="r7", paths=["src/app.py"], number=2)

    assert same.review_id == SCOPE.review_id
    assert second.review_id != SCOPE.review_id
