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


def texts(path) -> list[str]:
    return [f"{problem.line}: {problem.text}" for problem in lint_files([path])]


def test_an_unknown_key_a_wrong_type_and_a_dangling_name_are_told_together(tmp_path):
    path = tmp_path / "profile.yaml"
    path.write_text(
        """schema_version: trustrail.policy_profile.v0.1
profile_id: p
titel: mine
title: no
controls:
  - { control_id: TR-ACTION-01 }
  - { control_id: TR-ACTION-002, severty: LOW }
evidence_profile: recorded_conversaton
gate: { block_on_fail: [CRITCAL], block_on_inconclusive: 3 }
"""
    )

    assert texts(path) == [
        "3: has the unknown field 'titel'; did you mean 'title'?",
        "4: has the word no, which YAML reads as a bool; quote it",
        "6: control_id is 'TR-ACTION-01'; did you mean 'TR-ACTION-001'?",
        "7: controls[1] has the unknown field 'severty'; did you mean 'severity'?",
        "8: evidence_profile is 'recorded_conversaton'; did you mean 'recorded_conversation'?",
        "9: gate.block_on_fail[0] is 'CRITCAL'; did you mean 'CRITICAL'?",
        "9: gate.block_on_inconclusive is 3: input should be a list",
    ]


def test_what_two_fields_say_together_is_checked_although_others_are_wrong(tmp_path):
    path = tmp_path / "pack.yaml"
    path.write_text(
        """schema_version: trustrail.domain_pack.v0.1
pack_id: x
entity_types:
  card: { display_policy: masked_card_referenc }
  account: { display_policy: full_reference }
tools:
  candidate_lookup: { names: a, entity_type: crd }
  action:
    - { names: [a, b], entity_type: acount, entity_id_argument: "" }
    - { names: b, entity_arguments: [{ argument: x, entity_type: card }, { argument: "$.[", entity_type: card }] }
  without_effect: &again [b]
nonsense: *again
"""
    )

    path_error = "is '$.[', which is not a JSONPath: expected a shorthand selector"
    assert texts(path) == [
        "4: entity_types.card.display_policy is 'masked_card_referenc'; did you mean 'masked_card_reference'?",
        "7: entity_type is 'crd', which the pack does not define; did you mean 'card'?",
        "9: tools.action[0].entity_id_argument is '': string should have at least 1 character",
        "9: tool 'a' has the roles candidate_lookup and action; expected one",
        "9: entity_type is 'acount', which the pack does not define; did you mean 'account'?",
        f"10: tools.action[1].entity_arguments[1].argument {path_error}",
        "10: tools.action names 'b' twice; one tool has one meaning",
        "11: sets the anchor &again; remove it",
        "11: tool 'b' has the roles action and without_effect; expected one",
        "12: uses the alias *again; write the value out",
    ]


def test_problems_of_several_files_are_told_together_and_a_wrong_file_still_defines_its_name(tmp_path):
    pack, testcase = tmp_path / "pack.yaml", tmp_path / "testcase.yaml"
    pack.write_text("schema_version: trustrail.domain_pack.v0.1\npack_id: mine\nentity_types: {}\n")
    testcase.write_text(TESTCASE.format(fixture="NONE", pack="mine") + "x: 1\n")

    found = lint_files([pack, testcase])

    assert [problem.file for problem in found] == [str(pack)] * 2 + [str(testcase)] * 2
    assert [problem.text.split()[0] for problem in found][:2] == ["lacks", "entity_types"]
    assert not any("mine" in problem.text for problem in found)


EMPTY_NAMES = [
    "action: { names: [a], entity_id_argument: '' }",
    "action: { names: [''] }",
    "action: { names: [a], idempotency_argument: '' }",
    "action: { names: [a], reason_argument: '' }",
    "action: { names: [a], required_arguments: [''] }",
    "action: { names: [a], keeps_lists: [{ argument: '', entity_path: $.x }] }",
    "action: { names: [a], confirmation: { must_name: [''] } }",
    "action: { names: [a], entity_arguments: [{ argument: '', entity_type: card }] }",
    "candidate_lookup: { names: [a], entity_id_argument: '' }",
    "identity_check: { names: [a], customer_id_argument: '' }",
    "consequential_writes: ['']",
    "without_effect: ['']",
]


@pytest.mark.parametrize("tools", EMPTY_NAMES)
def test_a_name_without_a_letter_names_nothing(tmp_path, tools):
    """Such a pack was once accepted here and broke where it was used."""
    path = tmp_path / "pack.yaml"
    path.write_text(
        "schema_version: trustrail.domain_pack.v0.1\npack_id: x\n"
        f"entity_types: {{ card: {{ display_policy: full_reference }} }}\ntools: {{ {tools} }}\n"
    )

    assert any("is '': string should have at least 1 character" in text for text in texts(path))


def test_an_anchor_bomb_is_told_and_not_built(tmp_path):
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 12))
    path = tmp_path / "bomb.yaml"
    path.write_text(f"schema_version: trustrail.domain_pack.v0.1\nl0: &l0 [x]\n{levels}")

    assert sum("uses the alias" in text for text in texts(path)) == 11  # once a line


def test_a_value_that_holds_itself_is_told(tmp_path):
    path = tmp_path / "loop.yaml"
    path.write_text("schema_version: trustrail.domain_pack.v0.1\npack_id: &a [*a]\n")

    assert "2: uses the alias *a; write the value out" in texts(path)
