"""Exported JSON Schemas, and object files checked together."""

from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import yaml

from trustrail.errors import UnknownObjectError
from trustrail.objects import KINDS, lint_files, object_schema

SHIPPED = sorted(Path(str(files("trustrail.objects") / "shipped")).rglob("*.yaml"))

TESTCASE = """schema_version: trustrail.testcase.v0.1
testcase_id: MINE-001
title: mine
fixture: {fixture}
domain_pack: {pack}
policy_profile: irreversible_customer_entity_action_v1
targets: [adk]
variants:
  - {{ name: corrected, repetitions: 2, expected_gate: PASS }}
customer_says: [hello]
"""


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_file_follows_its_exported_schema(path):
    document = yaml.safe_load(path.read_text())
    kind = document["schema_version"].split(".")[1]

    jsonschema.validate(document, object_schema(kind), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("kind", KINDS)
def test_each_schema_is_a_valid_schema_that_refuses_unknown_fields(kind):
    schema = object_schema(kind)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert not jsonschema.Draft202012Validator(schema).is_valid({"colour": "red"})


def test_an_unknown_kind_is_answered_with_the_nearest():
    with pytest.raises(UnknownObjectError, match="no object is a 'domain-pack'; did you mean 'domain_pack'"):
        object_schema("domain-pack")


def test_the_shipped_files_have_no_problems():
    assert lint_files(SHIPPED) == ()


def test_a_name_nobody_defines_is_a_problem_with_its_line(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(TESTCASE.format(fixture="FIXTURE-BLOCK_CARD-STAGE0-002", pack="card-servicing"))

    [problem] = lint_files([path])

    assert str(problem) == (
        f"{path}:4: fixture is 'FIXTURE-BLOCK_CARD-STAGE0-002'; did you mean 'FIXTURE-BLOCK_CARD-STAGE0-001'?"
    )


def test_a_name_defined_by_another_file_is_known(tmp_path):
    pack = tmp_path / "pack.yaml"
    pack.write_text(
        "schema_version: trustrail.domain_pack.v0.1\npack_id: mine\n"
        "entity_types: {card: {display_policy: masked_reference}}\ntools: {}\n"
    )
    testcase = tmp_path / "case.yaml"
    testcase.write_text(TESTCASE.format(fixture="FIXTURE-BLOCK_CARD-STAGE0-001", pack="mine"))

    assert lint_files([testcase, pack]) == ()
    assert "domain_pack is 'mine'" in str(lint_files([testcase])[0])


def test_a_fixture_of_another_domain_is_a_problem(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(TESTCASE.format(fixture="FIXTURE-BLOCK_CARD-STAGE0-001", pack="travel-booking"))

    [problem] = lint_files([path])

    assert "requires a 'card', which travel-booking does not define" in problem.text


def test_a_broken_file_does_not_hide_the_problems_of_the_others(tmp_path):
    broken, wrong = tmp_path / "broken.yaml", tmp_path / "wrong.yaml"
    broken.write_text("a: [1")
    wrong.write_text(TESTCASE.format(fixture="NONE", pack="card-servicing"))

    assert [problem.file for problem in lint_files([broken, wrong])] == [str(broken), str(wrong)]
