"""The fixture: a synthetic user and the system state a journey needs."""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from trustrail.objects.shape import Identifier, Many, Shape, Version


class Login(Shape):
    """How the synthetic user is signed in."""

    surface: Literal["customer_owned_app_or_web", "test_harness"]
    execution: Literal["trustrail_controlled_browser_or_api_harness", "offline_harness"]
    credential_ref: str
    """Where the credential is kept; never the credential."""


class Customer(Shape):
    """The synthetic user."""

    ref: Identifier
    authentication_level: Literal["NONE", "WEAK", "STRONG"]
    locale: str
    channel: str


class Selector(Shape):
    """How one entity of the required state is recognised."""

    type: str
    value: str


class RequiredState(Shape):
    """One thing that must be true in the system of record; a field in ``_selector`` is a `Selector`."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    type: str
    entity_type: str
    __pydantic_extra__: dict[str, Selector] = Field(init=False)

    @model_validator(mode="after")
    def _extra_fields_select(self) -> Self:
        wrong = [name for name in self.__pydantic_extra__ if not name.endswith("_selector")]
        if wrong:
            raise ValueError(f"has the unknown field {wrong[0]!r}; expected type, entity_type or a name in _selector")
        return self

    @property
    def selectors(self) -> dict[str, Selector]:
        """What picks the entity out, by the entity type each selector is for."""
        return {name.removesuffix("_selector"): value for name, value in self.__pydantic_extra__.items()}


class Fixture(Shape):
    """Synthetic user and required system state."""

    schema_version: Literal["trustrail.fixture.v0.1"]
    fixture_id: Identifier
    version: Version = 1
    login: Login
    customer: Customer
    required_state: Many[RequiredState] = Field(min_length=1)
    records: dict[str, Any] = Field(default_factory=dict)
    """Synthetic records for an offline system of record, by collection; empty when the team provides them."""
