"""OfflineController: the fixed review demonstration, from captured bytes to a draft that needs a person.

It has one callback, a mock, whose four roles are configured outputs. It is not the neutral harness and does not
run goals.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from trailforge.review.capture import Capture, Gap, GapKind, SourceFile, capture_sources
from trailforge.review.draft import Draft
from trailforge.review.finding import Finding, validate_answer
from trailforge.review.outbox import new_message
from trailforge.review.scope import ReviewScope, Role
from trailforge.review.store import ReviewStore, StoredDraft
from trailforge.workspace import HeldRoot
from trustrail.foundation import Clock, SystemClock

DEFAULT_TIMEOUT_MS: Final = 60_000
"""Milliseconds the callback may take; ours. A later answer is not used."""

TOPIC: Final = "review.drafted"
"""Topic under which a new draft is announced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What the callback is given. The text is data from the source, not to be obeyed."""

    scope: ReviewScope
    files: tuple[SourceFile, ...]
    roles: tuple[Role, ...] = tuple(Role)


Reviewer = Callable[[ReviewRequest], Any]
"""Returns an object from role name to a list of findings."""


def fixture_reviewer(outputs: Mapping[str, Any]) -> Reviewer:
    """Return a callback that answers every request with the configured *outputs*."""
    return lambda _request: dict(outputs)


class OfflineController:
    """Runs reviews of one source tree.

    Args:
        root: where the sources are.
        reviewer: the one callback.
        store: where drafts are kept and announced.
        timeout_ms: milliseconds the callback may take.
        clock: where the time comes from.
    """

    def __init__(
        self,
        root: Path,
        reviewer: Reviewer,
        store: ReviewStore,
        *,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
        clock: Clock | None = None,
    ) -> None:
        self._root = root
        self._reviewer = reviewer
        self._store = store
        self._timeout_ms = timeout_ms
        self._clock = clock or SystemClock()

    def review(self, scope: ReviewScope) -> StoredDraft:
        """Review *scope* and store the draft with its announcement; a stored review is returned as it is.

        Raises:
            PathRefusedError: if the source tree cannot be opened.
        """
        with HeldRoot(self._root) as root:
            capture = capture_sources(scope, root)
            findings, gaps = self._ask(scope, capture)
            if capture_sources(scope, root).digest != capture.digest:
                reason = "the files are no longer those that were reviewed"
                gaps = (*gaps, Gap(kind=GapKind.SOURCE_CHANGED, subject=scope.resource, reason=reason))
        draft = Draft(scope=scope, capture=capture, findings=findings, gaps=(*capture.gaps, *gaps))
        stored = StoredDraft(review_id=scope.review_id, text=draft.to_text(), digest=draft.digest)
        announcement = {"draft": draft.digest, "needs_human": True, "review": scope.review_id}
        return self._store.keep(stored, new_message(TOPIC, announcement))

    def _ask(self, scope: ReviewScope, capture: Capture) -> tuple[tuple[Finding, ...], tuple[Gap, ...]]:
        """Call the callback; an answer that fails, comes late or does not fit leaves gaps."""
        asked_at = self._clock.now()
        try:
            answer = self._reviewer(ReviewRequest(scope=scope, files=capture.files))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - what the callback raises is a gap, not our failure
            reason = f"raised {type(error).__name__}"
            return (), (Gap(kind=GapKind.CALLBACK_FAILED, subject="callback", reason=reason),)
        took = int((self._clock.now() - asked_at) * 1000)
        if took > self._timeout_ms:
            reason = f"took {took} ms, expected at most {self._timeout_ms}"
            return (), tuple(Gap(kind=GapKind.TIMED_OUT, subject=role.value, reason=reason) for role in Role)
        return validate_answer(answer, capture)
