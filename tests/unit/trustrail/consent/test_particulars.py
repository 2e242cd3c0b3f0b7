"""What a proposal has to name, and how much of a thing its words take."""

import pytest

ORDER = {
    "order_id": "#W1234567",
    "items": [{"item_id": "1111111111", "name": "Lampe"}, {"item_id": "2222222222", "name": "Vase"}],
}


def _certificate(talk, proposal, amount=1000):
    run = talk("airline-reservations").customer("My flight was late.").agent(proposal).customer("Yes, please do.")
    return run.call("send_certificate", user_id="ann_1", amount=amount).statuses()


@pytest.mark.parametrize("said", ["$1,000", "1000 dollars", "$1000.00"])
def test_certificate_whose_amount_was_told_is_covered(talk, said):
    assert _certificate(talk, f"I can offer a certificate of {said}. Shall I send it?") == ["covered"]


def test_certificate_whose_amount_nobody_told_is_not_covered(talk):
    assert _certificate(talk, "I can offer a certificate as compensation. Shall I send it?") == ["not covered"]


def test_certificate_of_another_amount_is_not_covered(talk):
    assert _certificate(talk, "I can offer a certificate of $100. Shall I send it?") == ["not covered"]


PARTS = [
    ("en", "Shall I cancel the Vase from order #W1234567?", "Yes, please", "not covered"),
    ("en", "Shall I cancel the whole order #W1234567?", "Yes, please", "covered"),
    ("es", "¿Desea que cancele el pedido #W1234567?", "Sí, cancele la vase y conserve la lampe.", "not covered"),
    ("es", "¿Desea que cancele el pedido completo #W1234567?", "Sí, adelante", "covered"),
    ("fr", "Voulez-vous que j'annule la vase ? Les autres articles restent.", "Oui, allez-y", "not covered"),
    ("fr", "Souhaitez-vous annuler la commande entière #W1234567 ?", "Oui, allez-y", "covered"),
    ("de", "Soll ich die Vase stornieren? Die anderen Artikel bleiben.", "Ja, bitte", "not covered"),
    ("de", "Soll ich die Vase aus der Liste stornieren?", "Ja, bitte", "not covered"),
    ("de", "Soll ich die ganze Bestellung #W1234567 stornieren?", "Ja, bitte", "covered"),
]


@pytest.mark.parametrize(("language", "proposal", "answer", "status"), PARTS)
def test_yes_to_some_items_does_not_cover_the_whole_order(talk, language, proposal, answer, status):
    run = talk("retail-orders", languages=(language,)).call("get_order_details", order_id="#W1234567").result(ORDER)
    run.agent(proposal).customer(answer)

    call = run.call("cancel_pending_order", order_id="#W1234567", reason="no longer needed")

    assert call.statuses() == [status]
