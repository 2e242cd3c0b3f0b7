"""What the display policy protects is cut to its last four characters in a report."""

import pytest

from trustrail.events import Event, ToolResult
from trustrail.evidence.masking import Mask
from trustrail.objects import find_domain_pack

CARD = "4000123412347447"


@pytest.fixture(scope="module")
def mask():
    result = {"cards": [{"card_id": "CARD-001", "last4": "7447", "number": "98765-43210"}]}
    body = ToolResult(call_id="1", tool="get_cards", status="ok", result=result)
    return Mask(find_domain_pack("card-servicing"), [Event(seq=0, test_run_id="r", source="s", body=body)])


HIDDEN = {
    "plain": CARD,
    "in groups": "4000 1234 1234 7447",
    "with dashes": "4000-1234-1234-7447",
    "in full-width digits": "".join(chr(0xFF10 + int(digit)) for digit in CARD),
    "with zero-width spaces": "\u200b".join(CARD),
    "digit by digit": " ".join(CARD),
    "a protected value of a tool result": "98765-43210",
    "the same value spaced otherwise": "98765 43210",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_a_number_is_hidden_when_written(mask, text):
    shown = mask.text(f"it is {text}, yes")

    assert text not in shown
    assert shown.startswith("it is ••••")
    assert shown.endswith(f"{text[-4:]}, yes")


SHOWN = {
    "the last four digits": "the card ending in 7447",
    "a date and time": "2026-05-03T14:40 and 2026-05-04 09:12:00",
    "an order number": "order #W6247578",
    "an amount": "129.99 GBP",
    "an id that is not sensitive": "CARD-001",
}


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_text_stays_when_it_is(mask, text):
    assert mask.text(text) == text


def test_a_sensitive_id_is_hidden_by_its_pattern():
    mask = Mask(find_domain_pack("retail-orders"), [])

    assert mask.text("paid by credit_card_9513926") == "paid by ••••3926"
