"""Tables of answers: what each does to an open proposal. The sentences were written for these tests."""

from pathlib import Path

import pytest
import yaml

from trustrail.consent import AnswerKind, read_answer

TABLES = [
    yaml.safe_load(file.read_text(encoding="utf-8")) for file in sorted(Path(__file__).parent.glob("sentences*.yaml"))
]
ENGLISH = {kind: [answer for table in TABLES for answer in table[kind]] for kind in TABLES[0]}
OTHERS = yaml.safe_load(Path(__file__).with_name("other_languages.yaml").read_text(encoding="utf-8"))
QUESTIONS = yaml.safe_load(Path(__file__).with_name("questions.yaml").read_text(encoding="utf-8"))
PROPOSAL = "I can cancel order #W1234567 and refund $50.00 to your PayPal account. Shall I go ahead?"


def _cancel_after(talk, answer, question=PROPOSAL):
    return (
        talk()
        .customer("Hi, please cancel my order #W1234567, I ordered it by mistake.")
        .agent(question)
        .customer(answer)
        .call("cancel_pending_order", order_id="#W1234567", reason="ordered by mistake")
        .consents()[0]
    )


@pytest.mark.parametrize("question", QUESTIONS["asks_leave"])
def test_question_that_asks_leave_makes_a_yes_count_and_a_no_not(talk, question):
    assert _cancel_after(talk, "Yes, please", question).status.value == "covered"
    assert _cancel_after(talk, "Sure, go ahead", question).status.value == "covered"
    assert _cancel_after(talk, "Not yet", question).status.value == "not covered"


@pytest.mark.parametrize("question", QUESTIONS["asks_something_else"])
@pytest.mark.parametrize("answer", ["Yes", "Yes, please", "Sure"])
def test_yes_to_a_question_that_asks_something_else_is_no_assent(talk, question, answer):
    assert _cancel_after(talk, answer, question).status.value == "not covered"


@pytest.mark.parametrize("answer", ENGLISH["assent"])
def test_assent_covers_the_proposed_call(talk, answer):
    assert _cancel_after(talk, answer).status.value == "covered"


@pytest.mark.parametrize("answer", [a for kind in ("refusal", "hedge", "condition", "counter") for a in ENGLISH[kind]])
def test_refusal_hesitation_condition_and_change_are_no_assent(talk, answer):
    assert _cancel_after(talk, answer).status.value == "not covered"


@pytest.mark.parametrize("answer", ENGLISH["question"] + ENGLISH["neither"])
def test_questions_choices_and_other_words_are_no_assent(talk, answer):
    assert _cancel_after(talk, answer).status.value in ("not covered", "undecided")


@pytest.mark.parametrize(
    ("code", "answer"), [(code, answer) for code, table in OTHERS.items() for answer in table["assent"]]
)
def test_assent_in_another_language_of_the_profile_counts(talk, code, answer):
    run = talk("card-servicing", (code,)).agent(OTHERS[code]["proposal"]).customer(answer)

    assert run.call("block_card", card_id="C1", reason="LOST").statuses() == ["covered"]


@pytest.mark.parametrize(
    ("code", "answer"), [(code, answer) for code, table in OTHERS.items() for answer in table["not"]]
)
def test_anything_else_in_another_language_is_no_assent(talk, code, answer):
    run = talk("card-servicing", (code,)).agent(OTHERS[code]["proposal"]).customer(answer)

    assert run.call("block_card", card_id="C1", reason="LOST").statuses() != ["covered"]


@pytest.mark.parametrize(
    "answer", ["はい！", "Да, конечно", "Tak, proszę", "Ja tack, gärna", "sì, va bene", "Sí, adelante"]
)
def test_answer_in_a_language_outside_the_profile_is_undecided(talk, answer):
    run = talk("card-servicing", ("en",)).agent("Shall I block the card ending in 4489?").customer(answer)

    consent = run.call("block_card", card_id="C1", reason="LOST").consents()[0]

    assert consent.status.value == "undecided"
    assert "in no language of the profile (en)" in consent.reason


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Yes, no longer needed", AnswerKind.ASSENT),
        ("I do not confirm", AnswerKind.REFUSAL),
        ("Sure, let me think about it", AnswerKind.HEDGE),
        ("Yes, if there is no fee", AnswerKind.CONDITION),
        ("Yes, but use my Visa instead", AnswerKind.COUNTER),
        ("Yes, but what does it cost?", AnswerKind.DOUBT),
        ("What does it cost?", AnswerKind.QUESTION),
        ("The second one", AnswerKind.CHOICE),
        ("My zip code is 12345", AnswerKind.NEITHER),
    ],
)
def test_an_answer_has_one_kind_and_names_its_cue(text, kind):
    answer = read_answer(text, "en")

    assert answer.kind is kind
    assert answer.cue in answer.text


def test_profile_of_a_language_without_rules_leaves_every_answer_undecided(talk):
    run = talk("card-servicing", ("ja",)).agent("カードを停止しますか？").customer("はい")

    consent = run.call("block_card", card_id="C1", reason="LOST").consents()[0]

    assert consent.status.value == "undecided"
    assert "(ja)" in consent.reason


def test_regional_locale_is_read_by_the_rules_of_its_language(talk):
    run = talk("card-servicing", ("en-GB",)).agent("Shall I block the card ending in 4489?").customer("Yes, please")

    assert run.call("block_card", card_id="C1", reason="LOST").statuses() == ["covered"]


@pytest.mark.parametrize("word", ["No. ", "Yes, please. "])
def test_message_that_is_too_long_to_be_read_decides_nothing(talk, word):
    """A no may stand where nobody reads."""
    run = talk("card-servicing").agent("Shall I block the card ending in 4489?").customer(word + "x" * 2_000_000)

    assert run.call("block_card", card_id="C1", reason="LOST").statuses() == ["undecided"]
