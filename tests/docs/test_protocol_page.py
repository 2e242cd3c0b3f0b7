"""docs/protocol.md names every packet, every reason and every cause that the code can give, and no other."""

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

from mast.errors import Rejection
from mast.organizations.records import CAUSES
from mast.protocol.contracts import CONTRACTS
from mast.protocol.packets import AnyPacket

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))


def first_cells(section: str) -> set[str]:
    return set(re.findall(r"^\| `(\w+)` \|", SECTIONS[section], re.MULTILINE))


def reasons_given_in(path: str, call: str, argument: int) -> set[str]:
    """The words that a module gives as that argument of *call*."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == call:
            parts = [part.value for part in ast.walk(node.args[argument]) if isinstance(part, ast.Constant)]
            found |= {part for part in parts if isinstance(part, str) and "_" in part}
    return found


def test_every_packet_is_on_the_page_and_no_other() -> None:
    assert first_cells("Packets") == {packet.__name__ for packet in get_args(AnyPacket)}


def test_every_reason_of_a_rejection_is_on_the_page_and_no_other() -> None:
    assert first_cells("Why a packet is refused") == {kind.reason for kind in Rejection.__subclasses__()}


@pytest.mark.parametrize(
    ("path", "call", "argument"),
    [
        ("mast/protocol/gate.py", "Refusal", 1),
        ("mast/protocol/contracts.py", "ContractRefusal", 0),
        ("mast/organizations/plain/acting.py", "Refusal", 1),
    ],
)
def test_every_reason_of_the_gate_is_on_the_page(path: str, call: str, argument: int) -> None:
    named = set(re.findall(r"`(\w+)`", SECTIONS["The gate"]))
    given = reasons_given_in(path, call, argument)

    assert given
    assert given - named == set()


def test_every_contract_is_on_the_page_and_no_other() -> None:
    assert first_cells("The gate") == set(CONTRACTS)


def test_every_cause_is_on_the_page_and_no_other() -> None:
    causes = re.findall(r"^\|[^|]+\| `(\w+)` \|", SECTIONS["How an action ends"], re.MULTILINE)

    assert set(causes) == set(CAUSES)
