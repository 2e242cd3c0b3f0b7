"""The report page in a real browser, headless."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from trustrail.events import AgentMessage, CustomerMessage, Event
from trustrail.evidence import PackRun, write_pack
from trustrail.foundation import SigningKey

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (Debian package chromium)")

KEY = SigningKey.derive("tests", "packs")
CREATED_AT = 1_785_492_840.0
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,1600",
)


class Page(HTMLParser):
    """The links, anchors and elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.add(tag)
        self.ids.add(given.get("id"))
        self.links += [given[name] for name in ("href", "src") if name in given]


@pytest.fixture(scope="module")
def page(tmp_path_factory, recorded, requirements, subject) -> Path:
    runs = [PackRun(events=recorded("run-1", asks_first=False), spans={"spans": []})]
    written = write_pack(tmp_path_factory.mktemp("runs"), subject, runs, requirements, key=KEY, created_at=CREATED_AT)
    return written.directory / "report.html"


def browse(page: Path, profile: Path, *options: str) -> bytes:
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout


def test_the_page_is_self_contained(page):
    found = Page(page.read_text())

    assert not found.tags & {"script", "img", "iframe", "object", "embed", "form"}
    assert not [link for link in found.links if ":" in link or link.startswith("//")]


def test_every_link_leads_to_an_event_on_the_page_or_to_a_file_of_the_pack(page):
    found = Page(page.read_text())

    for link in found.links:
        if link.startswith("#"):
            assert link[1:] in found.ids
        else:
            assert (page.parent / link).is_file()


@needs_browser
def test_the_browser_shows_gate_controls_and_the_deciding_event(page, tmp_path):
    seen = browse(page, tmp_path, "--dump-dom").decode()
    text = re.sub(r"<[^>]+>", " ", seen)

    assert "gate: BLOCK" in re.sub(r"\s+", " ", text)
    for control_id in ("TR-AUTH-001", "TR-ACTION-001", "TR-RETRY-001"):
        assert control_id in text
    [deciding] = re.findall(r'<li id="run-1-event-5" class="([^"]*)"', seen)
    assert deciding == "tool_call decides-fail"


@needs_browser
def test_the_browser_paints_the_page(page, tmp_path):
    picture = tmp_path / "page.png"

    browse(page, tmp_path / "profile", f"--screenshot={picture}")

    # A blank page of this size compresses to a few kilobytes; PNG signature from RFC 2083 section 3.1.
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size > 30_000


def test_what_people_said_cannot_become_markup(tmp_path, requirements, subject):
    said = "<script>alert(1)</script><img src=x onerror=alert(2)>\"' \u202etxt.exe \x07"
    events = [
        Event(seq=0, test_run_id="</title><b>", source="s", body=CustomerMessage(text=said)),
        Event(seq=1, test_run_id="</title><b>", source="s", agent_id='"><i>', body=AgentMessage(text=said)),
    ]

    written = write_pack(tmp_path, subject, [PackRun(events=events)], requirements, key=KEY, created_at=CREATED_AT)

    text = (written.directory / "report.html").read_text()
    assert not Page(text).tags & {"script", "img", "i"}
    assert "&lt;script&gt;alert(1)" in text
    assert "\u202e" not in text
    assert "\x07" not in text


def test_a_long_run_is_cut_on_the_page_and_complete_in_the_evidence(tmp_path, requirements, subject):
    events = [
        Event(seq=seq, test_run_id="long", source="s", body=AgentMessage(text=f"message {seq} end"))
        for seq in range(1500)
    ]

    written = write_pack(tmp_path, subject, [PackRun(events=events)], requirements, key=KEY, created_at=CREATED_AT)

    text = (written.directory / "report.html").read_text()
    assert "500 more events stand in events/run-001.jsonl." in text
    assert "message 1000 end" not in text
    assert b"message 1499 end" in (written.directory / "events/run-001.jsonl").read_bytes()
