"""The login a harness records: who the customer of a run is, said by the one who started it.

An agent under test may be called anything, so the name alone proves nothing: only events of the harness's own source
count.
"""

from typing import Final

from trustrail.events.model import AgentInvocation, Event

LOGIN_NAME: Final = "trustrail_login"
"""Name of the ``agent_invocation`` by which a harness records the login it made."""

LOGIN_SOURCE: Final = "trustrail-harness"
"""``source`` of what a harness records itself."""


def is_login(event: Event) -> bool:
    """Whether *event* is a harness's record of its login."""
    body = event.body
    return event.source == LOGIN_SOURCE and isinstance(body, AgentInvocation) and body.name == LOGIN_NAME
