"""Business contracts: what an operation requires of the facts it acts on, the same on every layer.

To add one, write a function over stated facts that raises `ContractRefusal` and register it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mast.errors import MastError


class ContractRefusal(MastError):  # noqa: N818 - a refusal is an ordinary result
    """The facts do not allow the operation; nothing was done.

    Attributes:
        reason: stable word for the cause.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A predicate and its value, whoever stated it and however."""

    predicate: str
    value: Mapping[str, Any]


Contract = Callable[[Sequence[StatedFact], str | None], None]
"""Returns when the facts allow the operation for the order; raises `ContractRefusal` otherwise."""

_TOTAL_FIELDS: Final = {"order", "currency", "cents"}
_AUTHORIZATION_FIELDS: Final = {"order", "operation", "currency", "maximum_cents", "approved"}


def approve_invoice(facts: Sequence[StatedFact], order: str | None) -> None:
    """An invoice may be approved iff an authorization for the same order covers its total.

    Source of the conditions and their order: behaviour of the earlier system, section 1.11.
    """
    if not order:
        raise ContractRefusal("invalid_order", f"order is {order!r}, expected a name")
    if len(facts) != 2:
        raise ContractRefusal("not_two_claims", f"{len(facts)} claims are given, expected exactly 2")
    by_predicate = {fact.predicate: fact.value for fact in facts}
    if len(by_predicate) != 2:
        raise ContractRefusal("duplicate_evidence", f"both claims state {facts[0].predicate}")
    required = {"invoice_authorization", "total_charge"}
    if set(by_predicate) != required:
        missing = sorted(required - set(by_predicate))
        raise ContractRefusal("missing_evidence", f"no claim states {', '.join(missing)}")
    authorization, total = by_predicate["invoice_authorization"], by_predicate["total_charge"]
    _check_authorization(authorization)
    _check_total(total)
    for value in (authorization, total):
        if value["order"] != order:
            raise ContractRefusal("cross_order", f"claim is about order {value['order']!r}, expected {order!r}")
    if authorization["operation"] != "approve_invoice" or authorization["approved"] is not True:
        raise ContractRefusal(
            "not_authorized",
            f"authorization is {authorization['approved']!r} for {authorization['operation']!r}, "
            "expected True for 'approve_invoice'",
        )
    if not total["currency"] or authorization["currency"] != total["currency"]:
        raise ContractRefusal(
            "currency_mismatch",
            f"total is in {total['currency']!r}, authorization in {authorization['currency']!r}",
        )
    if total["cents"] > authorization["maximum_cents"]:
        raise ContractRefusal(
            "amount_not_authorized",
            f"total is {total['cents']} cents, authorized are at most {authorization['maximum_cents']}",
        )


def release(facts: Sequence[StatedFact], _order: str | None) -> None:
    """Something may be released on exactly one claim."""
    if len(facts) != 1:
        raise ContractRefusal("not_one_claim", f"{len(facts)} claims are given, expected exactly 1")


CONTRACTS: Final[dict[str, Contract]] = {"approve_invoice": approve_invoice, "release": release}
"""Operations with a business effect. ``forward`` is no contract: it hands a claim on."""


def _check_authorization(value: Mapping[str, Any]) -> None:
    if set(value) != _AUTHORIZATION_FIELDS or not _is_amount(value["maximum_cents"]):
        raise ContractRefusal(
            "bad_authorization", f"authorization is {dict(value)}, expected {_shown(_AUTHORIZATION_FIELDS)}"
        )


def _check_total(value: Mapping[str, Any]) -> None:
    if set(value) != _TOTAL_FIELDS or not _is_amount(value["cents"]):
        raise ContractRefusal("bad_total", f"total is {dict(value)}, expected {_shown(_TOTAL_FIELDS)}")


def _is_amount(value: object) -> bool:
    return type(value) is int and value >= 0


def _shown(names: set[str]) -> str:
    return ", ".join(sorted(names))
