"""LocalRetrieval on real files."""

from pathlib import Path

import pytest

from trailforge.errors import LinkedFileError, QueryRefusedError, RevisionChangedError
from trailforge.workspace import LocalRetrieval, MatchedLine, MatchRule, Trust


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "b.py").write_bytes(b"one\nToken = 1\n")
    (tmp_path / "a.py").write_bytes(b"TOKEN\nx\ntoken here\n")
    (tmp_path / "c.py").write_bytes(b"nothing\n")
    (tmp_path / "hidden.py").write_bytes(b"token\n")
    return tmp_path


def test_files_with_the_literal_come_in_path_order_with_their_lines(source: Path) -> None:
    with LocalRetrieval(source, ["c.py", "b.py", "a.py"]) as retrieval:
        answer = retrieval.search("toKEN", revision=retrieval.revision())

    assert [file.path for file in answer.files] == ["a.py", "b.py"]
    assert answer.files[0].lines == (
        MatchedLine(number=1, text="TOKEN"),
        MatchedLine(number=3, text="token here"),
    )
    assert answer.files[1].lines == (MatchedLine(number=2, text="Token = 1"),)
    assert answer.rule is MatchRule.EXACT_LITERAL
    assert {file.trust for file in answer.files} == {Trust.UNTRUSTED_SOURCE}


def test_literal_is_not_a_pattern(source: Path) -> None:
    with LocalRetrieval(source, ["a.py"]) as retrieval:
        assert retrieval.search("t.ken", revision=retrieval.revision()).files == ()


def test_case_is_folded_beyond_ascii(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("STRASSE\n", encoding="utf-8")
    with LocalRetrieval(tmp_path, ["a.txt"]) as retrieval:
        answer = retrieval.search("straße", revision=retrieval.revision())

    assert [file.path for file in answer.files] == ["a.txt"]


def test_changed_file_ends_the_revision(source: Path) -> None:
    with LocalRetrieval(source, ["a.py", "b.py"]) as retrieval:
        revision = retrieval.revision()
        (source / "c.py").write_bytes(b"not on the list\n")
        retrieval.search("x", revision=revision)
        (source / "b.py").write_bytes(b"two\n")
        with pytest.raises(RevisionChangedError, match="expected " + revision):
            retrieval.search("x", revision=revision)


def test_file_that_is_not_text_is_named_as_a_gap(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"token\xff")
    (tmp_path / "b.bin").write_bytes(b"token\x00")
    with LocalRetrieval(tmp_path, ["a.bin", "b.bin"]) as retrieval:
        answer = retrieval.search("token", revision=retrieval.revision())

    assert answer.files == ()
    assert answer.unreadable == ("a.bin", "b.bin")


def test_lines_beyond_100_are_counted_not_dropped_in_silence(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x\n" * 103)
    with LocalRetrieval(tmp_path, ["a.txt"]) as retrieval:
        (file,) = retrieval.search("x", revision=retrieval.revision()).files

    assert len(file.lines) == 100
    assert file.omitted == 3


@pytest.mark.parametrize("literal", ["", "  ", "a\nb", "x" * 257])
def test_literal_that_cannot_match_one_line_is_refused(source: Path, literal: str) -> None:
    with LocalRetrieval(source, ["a.py"]) as retrieval, pytest.raises(QueryRefusedError, match="the literal"):
        retrieval.search(literal, revision=retrieval.revision())


def test_link_on_the_list_is_refused(source: Path) -> None:
    (source / "link.py").symlink_to("hidden.py")
    with LocalRetrieval(source, ["link.py"]) as retrieval, pytest.raises(LinkedFileError):
        retrieval.revision()


@pytest.mark.parametrize("literal", [None, 5, b"x", ["x"]])
def test_literal_that_is_no_text_is_refused(tmp_path: Path, literal: object) -> None:
    (tmp_path / "a.py").write_text("x\n")
    with LocalRetrieval(tmp_path, ["a.py"]) as retrieval, pytest.raises(QueryRefusedError, match="expected some text"):
        retrieval.search(literal, revision=retrieval.revision())  # type: ignore[arg-type]
