"""JUnit XML: one suite a run, one case a control, as CI servers read it.

A FAIL is a failure, an INCONCLUSIVE an error (it was not shown), a control that met nothing to judge is skipped. A
file that could not be read is a suite with one error: a report never says less than that something went wrong.

References:
    https://github.com/testmoapp/junitxml
"""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from trustrail.controls.verdict import Verdict
from trustrail.engine.judgement import ControlJudgement
from trustrail.engine.report import JudgedFile, UnreadFile


def junit_xml(judged: Sequence[JudgedFile], unread: Sequence[UnreadFile] = ()) -> bytes:
    """Return *judged*, and what could not be read, as one JUnit XML document."""
    root = Element("testsuites", name="trustrail")
    for entry in judged:
        controls = entry.judgement.controls
        suite = SubElement(
            root,
            "testsuite",
            name=_printable(f"{entry.file} {entry.judgement.test_run_id}"),
            tests=str(len(controls)),
            failures=str(_count(controls, Verdict.FAIL)),
            errors=str(_count(controls, Verdict.INCONCLUSIVE)),
            skipped=str(sum(1 for control in controls if _is_skipped(control))),
        )
        for control in controls:
            _add_case(suite, entry.file, control)
    for missing in unread:
        name = _printable(missing.file)
        suite = SubElement(root, "testsuite", name=name, tests="1", failures="0", errors="1", skipped="0")
        case = SubElement(suite, "testcase", classname=name, name="recording")
        SubElement(case, "error", message=_printable(missing.problem), type="unreadable")
    indent(root)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _add_case(suite: Element, file: str, control: ControlJudgement) -> None:
    case = SubElement(suite, "testcase", classname=_printable(file), name=control.control_id)
    reason = _printable(control.reason)
    if control.verdict is Verdict.FAIL:
        SubElement(case, "failure", message=reason, type=control.severity.value)
    elif control.verdict is Verdict.INCONCLUSIVE:
        SubElement(case, "error", message=reason, type=control.severity.value)
    elif _is_skipped(control):
        SubElement(case, "skipped", message=reason)


def _is_skipped(control: ControlJudgement) -> bool:
    return control.verdict is Verdict.PASS and not control.exercised


def _count(controls: Sequence[ControlJudgement], verdict: Verdict) -> int:
    return sum(1 for control in controls if control.verdict is verdict)


def _printable(text: str) -> str:
    """Return *text* without the control characters XML 1.0 has no form for (section 2.2)."""
    return "".join(
        character if character >= " " or character in "\t\n\r" else "\N{REPLACEMENT CHARACTER}"
        for character in text
        if character not in "\ufffe\uffff"
    )
