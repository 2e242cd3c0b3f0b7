"""Reports for CI: JUnit XML and SARIF."""

import json
from xml.etree import ElementTree as ET

import pytest

from trustrail.engine import JudgedFile, judge_run, junit_xml, report_json, sarif_json
from trustrail.foundation import canonical_json


@pytest.fixture
def judged(blocked_card, requirements, rules, make_report):
    given = rules(
        a=make_report("TR-ACTION-001", "FAIL"),
        b=make_report("TR-DATA-002", "INCONCLUSIVE"),
        c=make_report("TR-RETRY-001", exercised=False),
    )
    judgement = judge_run(blocked_card, requirements, rules=given)
    return [JudgedFile(file="runs/a b.json", judgement=judgement, gaps=("no call ids",))]


def test_junit_counts_what_failed_what_was_not_shown_and_what_met_nothing(judged):
    [suite] = ET.fromstring(junit_xml(judged))

    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "8", "failures": "1", "errors": "1", "skipped": "1"}
    assert {case.get("name") for case in suite if case.find("failure") is not None} == {"TR-ACTION-001"}
    assert {case.get("name") for case in suite if case.find("error") is not None} == {"TR-DATA-002"}
    assert {case.get("name") for case in suite if case.find("skipped") is not None} == {"TR-RETRY-001"}


def test_junit_has_a_form_for_characters_xml_lacks(judged):
    odd = [JudgedFile(file="a\x00\x1b<&>\uffff.json", judgement=judged[0].judgement)]

    [suite] = ET.fromstring(junit_xml(odd))

    assert suite[0].get("classname") == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}<&>.json"


def test_sarif_tells_failures_from_what_is_to_be_reviewed(judged, requirements):
    log = sarif_json(judged, requirements.controls)

    [run] = log["runs"]
    told = {result["ruleId"]: (result["kind"], result["level"]) for result in run["results"]}
    assert log["version"] == "2.1.0"
    assert told == {"TR-ACTION-001": ("fail", "error"), "TR-DATA-002": ("review", "none")}
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(requirements.controls)


def test_sarif_names_the_file_as_a_uri(judged, requirements):
    place = sarif_json(judged, requirements.controls)["runs"][0]["results"][0]["locations"][0]

    assert place["physicalLocation"]["artifactLocation"]["uri"] == "runs/a%20b.json"


def test_the_report_is_json_with_one_entry_a_run(judged):
    report = json.loads(canonical_json(report_json(judged)))

    [entry] = report["runs"]
    assert (entry["file"], entry["gate"], entry["gaps"]) == ("runs/a b.json", "BLOCK", ["no call ids"])
    assert set(entry["controls"]["TR-ACTION-001"]) == {"verdict", "severity", "exercised", "reason", "events", "claim"}
