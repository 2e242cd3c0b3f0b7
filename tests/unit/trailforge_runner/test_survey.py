"""Which isolation is taken: bubblewrap where it works, Docker only with an image, and otherwise none."""

import pytest

from trailforge.errors import CommandError, IsolationUnavailableError
from trailforge.runner import Bubblewrap, Docker, available_isolation, survey_isolations

IMAGE = "checks@sha256:" + "a" * 64


def works() -> str:
    return "1.0"


def refuses() -> str:
    raise IsolationUnavailableError("it", "there is none", "install it")


@pytest.mark.parametrize(
    ("bubblewrap", "docker", "image", "taken"),
    [
        (works, works, IMAGE, Bubblewrap),
        (works, refuses, "", Bubblewrap),
        (refuses, works, IMAGE, Docker),
    ],
)
def test_the_first_isolation_that_works_is_taken(bubblewrap, docker, image, taken) -> None:
    isolation = available_isolation(image, probes={"bubblewrap": bubblewrap, "docker": docker})

    assert type(isolation) is taken


@pytest.mark.parametrize(("docker", "image"), [(works, ""), (refuses, IMAGE)])
def test_without_any_the_command_is_not_to_be_run(docker, image) -> None:
    with pytest.raises(IsolationUnavailableError, match="there is none; install it; nothing was started"):
        available_isolation(image, probes={"bubblewrap": refuses, "docker": docker})


def test_an_image_without_a_digest_is_refused_even_where_bubblewrap_works() -> None:
    with pytest.raises(CommandError, match="has no digest"):
        available_isolation("checks:latest", probes={"bubblewrap": works, "docker": works})


def test_a_survey_tells_versions_and_problems_apart() -> None:
    survey = survey_isolations({"bubblewrap": refuses, "docker": works})

    assert survey.versions == {"docker": "1.0"}
    assert survey.problems == {"bubblewrap": "isolation it is unavailable: there is none; install it"}
