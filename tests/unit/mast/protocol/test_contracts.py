"""The business contract of an invoice: every reason for refusing it, told apart (behaviour, section 1.11)."""

from typing import Any, NamedTuple

import pytest

from mast.protocol.contracts import CONTRACTS, ContractRefusal, StatedFact, approve_invoice
from mast.protocol.gate import check_contract

TOTAL = {"order": "A", "currency": "CNY", "cents": 12_800}
AUTHORIZATION = {
    "order": "A",
    "operation": "approve_invoice",
    "currency": "CNY",
    "maximum_cents": 20_000,
    "approved": True,
}


def facts(total: Any = TOTAL, authorization: Any = AUTHORIZATION) -> list[StatedFact]:
    return [StatedFact("total_charge", total), StatedFact("invoice_authorization", authorization)]


def without(value: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != name}


class Case(NamedTuple):
    reason: str
    text: str
    stated: list[StatedFact]
    order: str | None = "A"


REFUSED = {
    "no order": Case("invalid_order", "order is None, expected a name", facts(), None),
    "an empty order": Case("invalid_order", "order is '', expected a name", facts(), ""),
    "one claim": Case("not_two_claims", "1 claims are given, expected exactly 2", facts()[:1]),
    "three claims": Case("not_two_claims", "3 claims are given", [*facts(), *facts()[:1]]),
    "two totals": Case("duplicate_evidence", "both claims state total_charge", facts()[:1] * 2),
    "no authorization": Case(
        "missing_evidence", "no claim states invoice_authorization", [facts()[0], StatedFact("charge/goods", {})]
    ),
    "no total": Case("missing_evidence", "no claim states total_charge", [facts()[1], StatedFact("charge/goods", {})]),
    "the authorization has a field too many": Case(
        "bad_authorization", "authorization is", facts(authorization={**AUTHORIZATION, "note": "x"})
    ),
    "the authorization has no maximum": Case(
        "bad_authorization", "authorization is", facts(authorization=without(AUTHORIZATION, "maximum_cents"))
    ),
    "the maximum is negative": Case(
        "bad_authorization", "'maximum_cents': -1", facts(authorization={**AUTHORIZATION, "maximum_cents": -1})
    ),
    "the maximum is no integer": Case(
        "bad_authorization", "200.0", facts(authorization={**AUTHORIZATION, "maximum_cents": 200.0})
    ),
    "the total has a field too many": Case("bad_total", "total is", facts({**TOTAL, "note": "x"})),
    "the total has no cents": Case("bad_total", "total is", facts(without(TOTAL, "cents"))),
    "the total is negative": Case("bad_total", "'cents': -1", facts({**TOTAL, "cents": -1})),
    "the total is true": Case("bad_total", "'cents': True", facts({**TOTAL, "cents": True})),
    "the total is of another order": Case(
        "cross_order", "claim is about order 'C', expected 'A'", facts({**TOTAL, "order": "C"})
    ),
    "the authorization is of another order": Case(
        "cross_order", "claim is about order 'C', expected 'A'", facts(authorization={**AUTHORIZATION, "order": "C"})
    ),
    "both are of another order than the task": Case("cross_order", "'A', expected 'C'", facts(), "C"),
    "the authorization is for another operation": Case(
        "not_authorized", "True for 'pay'", facts(authorization={**AUTHORIZATION, "operation": "pay"})
    ),
    "the authorization is refused": Case(
        "not_authorized", "False for 'approve_invoice'", facts(authorization={**AUTHORIZATION, "approved": False})
    ),
    "the authorization is only truthy": Case(
        "not_authorized", "1 for 'approve_invoice'", facts(authorization={**AUTHORIZATION, "approved": 1})
    ),
    "the currencies differ": Case(
        "currency_mismatch", "total is in 'USD', authorization in 'CNY'", facts({**TOTAL, "currency": "USD"})
    ),
    "both currencies are empty": Case(
        "currency_mismatch", "total is in ''", facts({**TOTAL, "currency": ""}, {**AUTHORIZATION, "currency": ""})
    ),
    "the total is a cent above the maximum": Case(
        "amount_not_authorized", "total is 20001 cents, authorized are at most 20000", facts({**TOTAL, "cents": 20_001})
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_an_invoice_is_not_approved_and_the_reason_is_told(case: Case):
    with pytest.raises(ContractRefusal, match=case.text) as caught:
        approve_invoice(case.stated, case.order)
    assert caught.value.reason == case.reason
    refusal = check_contract("approve_invoice", case.stated, case.order)
    assert refusal is not None
    assert (refusal.result, refusal.reason) == ("BLOCKED", case.reason)


@pytest.mark.parametrize("cents", [0, 12_800, 20_000])
def test_an_invoice_up_to_the_authorized_maximum_is_approved(cents: int):
    stated = facts({**TOTAL, "cents": cents})
    approve_invoice(stated, "A")
    approve_invoice(stated[::-1], "A")
    assert check_contract("approve_invoice", stated, "A") is None


@pytest.mark.parametrize("stated", [[], facts()], ids=["no claim", "two claims"])
def test_a_release_needs_exactly_one_claim(stated: list[StatedFact]):
    with pytest.raises(ContractRefusal, match=f"{len(stated)} claims are given, expected exactly 1") as caught:
        CONTRACTS["release"](stated, None)
    assert caught.value.reason == "not_one_claim"
    CONTRACTS["release"](facts()[:1], None)
