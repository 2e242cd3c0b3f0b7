"""Derivation rules: which fact follows from the facts of a claim's parents. An open registry.

To add a rule, write the function that derives the fact and register it; nothing else changes. A claim is checked by
deriving again: it follows from its parents iff it states what the rule gives.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mast.errors import DerivationRejection, nearest
from mast.protocol.packets import Claim

Fact = tuple[str, Mapping[str, Any]]
"""A predicate and its value."""

Rule = Callable[[Sequence[Claim]], Fact]
"""Returns the fact that follows from the parents, of which there is at least one; raises `DerivationRejection`."""


def relay(parents: Sequence[Claim]) -> Fact:
    """Pass one fact on unchanged; every parent states it."""
    first = parents[0]
    for parent in parents[1:]:
        if parent.predicate != first.predicate or not identical(parent.value, first.value):
            raise DerivationRejection(
                f"{parent.name!r} states {parent.predicate} {dict(parent.value)}, but {first.name!r} states "
                f"{first.predicate} {dict(first.value)}; relay passes one fact on unchanged"
            )
    return first.predicate, first.value


def sum_charges(parents: Sequence[Claim]) -> Fact:
    """Total the components that one manifest lists, each charged exactly once.

    Source: behaviour of the earlier system, section 1.2.
    """
    manifests = [parent for parent in parents if parent.predicate == "charge_manifest"]
    if len(manifests) != 1:
        raise DerivationRejection(f"there are {len(manifests)} charge manifests, expected exactly 1")
    order, currency, components = _manifest_content(manifests[0])
    charges = [parent for parent in parents if parent.predicate != "charge_manifest"]
    if len(charges) != len(components):
        raise DerivationRejection(
            f"there are {len(charges)} charges, but the manifest lists {len(components)} components"
        )
    total = 0
    missing = set(components)
    for charge in charges:
        component = charge.predicate.removeprefix("charge/")
        expected = {"order": order, "currency": currency, "component": component}
        given = {key: item for key, item in charge.value.items() if key != "cents"}
        if charge.predicate == component or component not in missing or not identical(given, expected):
            raise DerivationRejection(
                f"charge {charge.name!r} is {charge.predicate} {dict(charge.value)}, expected one of the components "
                f"{sorted(missing)} of order {order} in {currency}"
            )
        missing.discard(component)
        total += _cents(charge)
    return "total_charge", {"cents": total, "currency": currency, "order": order}


_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_SEQUENCES: Final = (list, tuple)
# NOTE: a dict is known at a glance; that it is a Mapping too has to be looked up.
_MAPPINGS: Final = (dict, Mapping)


def identical(one: Any, other: Any) -> bool:  # noqa: ANN401 - any two JSON values
    """Whether two values state the same: 1 is neither 1.0 nor true, whatever Python says."""
    if isinstance(one, _MAPPINGS) and isinstance(other, _MAPPINGS):
        if one.keys() != other.keys():
            return False
        for key, item in one.items():
            beside = other[key]
            # NOTE: most of what is compared; one call less for each field halves the cost of a relay.
            if type(item) in _SCALARS:
                if type(item) is not type(beside) or item != beside:
                    return False
            elif not identical(item, beside):
                return False
        return True
    if isinstance(one, _SEQUENCES) and isinstance(other, _SEQUENCES):
        return len(one) == len(other) and all(map(identical, one, other))
    return type(one) is type(other) and bool(one == other)


RULES: Final[dict[str, Rule]] = {"relay": relay, "sum_charges": sum_charges}


def derive(rule: str, parents: Sequence[Claim]) -> Fact:
    """Return the fact that follows from *parents* by the rule of that name.

    Raises:
        DerivationRejection: if none does, or no such rule is registered.
    """
    function = RULES.get(rule)
    if function is None:
        raise DerivationRejection(f"no rule is called {rule!r}{nearest(rule, RULES)}")
    return function(parents)


def check_derivation(claim: Claim, parents: Sequence[Claim]) -> None:
    """Return when *claim* states what follows from *parents* by the rule it names; a root follows from nothing.

    Raises:
        DerivationRejection: if it states something else, or nothing follows.
    """
    if not parents:
        if claim.rule not in RULES:
            raise DerivationRejection(f"claim {claim.name!r} names the rule {claim.rule!r}{nearest(claim.rule, RULES)}")
        return
    try:
        predicate, value = derive(claim.rule, parents)
    except DerivationRejection as error:
        raise DerivationRejection(f"claim {claim.name!r} does not follow: {error}") from error
    if claim.predicate != predicate or not identical(claim.value, value):
        raise DerivationRejection(
            f"claim {claim.name!r} states {claim.predicate} {dict(claim.value)}, "
            f"expected {predicate} {dict(value)} by {claim.rule}"
        )


def _manifest_content(manifest: Claim) -> tuple[Any, Any, Sequence[str]]:
    value = manifest.value
    components = value.get("components")
    if (
        set(value) != {"order", "currency", "components"}
        or not isinstance(components, (list, tuple))
        or not components
        or not all(isinstance(item, str) and item for item in components)
        or len(set(components)) != len(components)
    ):
        raise DerivationRejection(
            f"manifest {manifest.name!r} is {dict(value)}, expected order, currency and distinct component names"
        )
    return value["order"], value["currency"], components


def _cents(charge: Claim) -> int:
    cents = charge.value.get("cents")
    if type(cents) is not int or cents < 0:
        raise DerivationRejection(f"charge {charge.name!r} is {cents!r} cents, expected an integer of at least 0")
    return cents
