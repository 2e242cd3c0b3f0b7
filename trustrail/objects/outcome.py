"""Tests on a tool's result: when did the action succeed, fail, or not run yet?"""

from typing import Any, Self

from pydantic import Field, model_validator

from trustrail.objects.paths import JsonPath, find_values
from trustrail.objects.shape import Many, Shape


class Condition(Shape):
    """One test on a tool's result; every given part must hold."""

    path: JsonPath
    equals: str | int | float | bool | None = Field(default=None)
    starts_with: str | None = None
    contains: str | None = None
    exists: bool | None = None

    @model_validator(mode="after")
    def _tests_something(self) -> Self:
        if not self.model_fields_set - {"path"}:
            raise ValueError("tests nothing; give one of equals, starts_with, contains, exists")
        return self

    def holds(self, result: Any) -> bool:  # noqa: ANN401 - any JSON value
        """Whether *result* meets the condition."""
        values = find_values(self.path, result)
        if self.exists is not None and bool(values) is not self.exists:
            return False
        if "equals" in self.model_fields_set and not any(_same(value, self.equals) for value in values):
            return False
        texts = [value for value in values if isinstance(value, str)]
        if self.starts_with is not None and not any(text.startswith(self.starts_with) for text in texts):
            return False
        return self.contains is None or any(self.contains in text for text in texts)


class Outcome(Shape):
    """A test on a tool's result: any of these, all of those."""

    any_of: Many[Condition] = ()
    all_of: Many[Condition] = ()

    @model_validator(mode="after")
    def _has_conditions(self) -> Self:
        if not self.any_of and not self.all_of:
            raise ValueError("has no conditions; give any_of or all_of")
        return self

    def holds(self, result: Any) -> bool:  # noqa: ANN401 - any JSON value
        """Whether *result* meets the test."""
        if not all(condition.holds(result) for condition in self.all_of):
            return False
        return not self.any_of or any(condition.holds(result) for condition in self.any_of)


def _same(value: Any, expected: Any) -> bool:  # noqa: ANN401 - any JSON scalar
    """Whether two JSON scalars are equal; true is not 1."""
    return type(value) is type(expected) and bool(value == expected)
