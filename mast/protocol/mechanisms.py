"""Mechanisms: the frozen set of switches that protocol layers and ablations are values of.

Code asks for a switch, never for a layer. The values below reproduce the layers L0-L4, their ablations and
the four arms of the freeze-scope benchmark (``docs/mechanisms.md`` has the table).
"""

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Final

from mast.errors import MechanismsError, nearest


class Checks(StrEnum):
    """Which claims an organization asks the issuers about before it acts."""

    NONE = "none"  #: none: the local view decides
    ROOTS = "roots"  #: the roots that the action's claims derive from
    CLOSURE = "closure"  #: every claim the action depends on


class Notices(StrEnum):
    """How the news of a revocation or dispute leaves the organization that learns it."""

    NONE = "none"  #: it does not
    ROUTED = "routed"  #: hop by hop, to whom a handoff containing the claim was sent
    BROADCAST = "broadcast"  #: from the revoker straight to every other organization


class Freeze(StrEnum):
    """What a known revocation or dispute stops."""

    DEPENDENCY = "dependency"  #: actions on claims that depend on it
    WORKLOAD = "workload"  #: every action of the organization that knows of it


def _member(kind: type[StrEnum], name: str, value: object) -> StrEnum:
    try:
        return kind(str(value))
    except ValueError:
        raise MechanismsError(f"{name} is {value!r}{nearest(str(value), kind)}") from None


_EXPECTED: Final = {bool: "True or False", int: "a whole number"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanisms:
    """One combination of switches.

    Raises:
        MechanismsError: if the combination contradicts itself; the message says why.
    """

    signed: bool = True
    """Claims and handoffs are signed, name their parents, and are answered by receipts."""
    checks: Checks = Checks.NONE
    risk_threshold: int = 1
    """Least loss (the scenario's ``losses``, default forward 1) at which `checks` are made; 0 makes them always."""
    notices: Notices = Notices.NONE
    facts: bool = False
    """The fact authority is asked about every amount an action depends on."""
    recovery: bool = False
    """A confirmed revision rebuilds the affected descendants under a recovery envelope."""
    freeze: Freeze = Freeze.DEPENDENCY

    def __post_init__(self) -> None:
        for name, kind in (("checks", Checks), ("notices", Notices), ("freeze", Freeze)):
            # A word stands for its member: what asks ``is Notices.ROUTED`` must not be fooled by an equal string.
            object.__setattr__(self, name, _member(kind, name, getattr(self, name)))
        for name, expected in (("signed", bool), ("facts", bool), ("recovery", bool), ("risk_threshold", int)):
            value = getattr(self, name)
            if type(value) is not expected:
                raise MechanismsError(f"{name} is {value!r}, expected {_EXPECTED[expected]}")
        if not self.signed:
            needing = [
                switch.name
                for switch in fields(self)
                if switch.name not in ("signed", "risk_threshold") and getattr(self, switch.name) != switch.default
            ]
            if needing:
                raise MechanismsError(
                    f"{', '.join(needing)} cannot work with signed=False: there is no packet to check, "
                    "route a notice along, or rebuild; use signed=True"
                )
        if self.risk_threshold < 0:
            raise MechanismsError(f"risk_threshold is {self.risk_threshold}, expected 0 or more")

    @property
    def confirms_revisions(self) -> bool:
        """Whether a correction is confirmed by the authority and rebuilt.

        Recovery without facts is legal: no revision is ever confirmed, so a correction is published again.
        """
        return self.facts and self.recovery


_L4: Final = Mechanisms(checks=Checks.CLOSURE, notices=Notices.ROUTED, facts=True, recovery=True)

LAYERS: Final[dict[str, Mechanisms]] = {
    "L0": Mechanisms(signed=False),
    "L1": Mechanisms(),
    "L2": Mechanisms(checks=Checks.ROOTS, risk_threshold=0),
    "L3": Mechanisms(checks=Checks.CLOSURE),
    "L4": _L4,
}
"""The five protocol layers, by name."""

ABLATIONS: Final[dict[str, Mechanisms]] = {
    "L4_no_push": replace(_L4, notices=Notices.NONE),
    "L4_no_fact": replace(_L4, facts=False),
    "L4_no_recovery": replace(_L4, recovery=False),
    "L3_coarse": Mechanisms(checks=Checks.CLOSURE, freeze=Freeze.WORKLOAD),
    "verify_all": Mechanisms(checks=Checks.CLOSURE, risk_threshold=0),
}
"""Layers with one mechanism taken away or replaced."""

FREEZE_ARMS: Final[dict[str, Mechanisms]] = {
    f"{notices}_{freeze}": Mechanisms(notices=notices, freeze=freeze)
    for notices in (Notices.ROUTED, Notices.BROADCAST)
    for freeze in (Freeze.DEPENDENCY, Freeze.WORKLOAD)
}
"""Notice scope x freeze scope, without queries: the freeze-scope benchmark."""

NAMED: Final[dict[str, Mechanisms]] = {**LAYERS, **ABLATIONS, **FREEZE_ARMS}


def mechanisms_named(name: str) -> Mechanisms:
    """Return the mechanisms called *name*.

    Raises:
        MechanismsError: if there are none of that name; suggests the nearest.
    """
    try:
        return NAMED[name]
    except KeyError:
        raise MechanismsError(f"no mechanisms are called {name!r}{nearest(name, NAMED)}") from None
