"""Keys on disk."""

import pytest

from trustrail.errors import KeyFileError
from trustrail.evidence import read_public_key, read_signing_key, write_public_key, write_signing_key
from trustrail.foundation import SigningKey

KEY = SigningKey.derive("tests", "keys")


def test_keys_survive_being_stored(tmp_path):
    write_signing_key(tmp_path / "key", KEY)
    write_public_key(tmp_path / "key.pub", KEY.public)

    assert read_signing_key(tmp_path / "key").public == KEY.public
    assert read_public_key(tmp_path / "key.pub") == KEY.public


def test_a_private_key_is_readable_by_its_owner_only_and_never_overwritten(tmp_path):
    write_signing_key(tmp_path / "key", KEY)

    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(KeyFileError, match="cannot be written: File exists"):
        write_signing_key(tmp_path / "key", KEY)


WRONG = {"too short": "ab" * 31, "no hex": "zz" * 32, "empty": "", "very long": "ab" * 500}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_key_file_is_refused_that_is(tmp_path, text):
    (tmp_path / "key").write_text(text)

    with pytest.raises(KeyFileError, match=r"public key .* (is not 64 hex digits|has .* bytes)"):
        read_public_key(tmp_path / "key")


def test_a_missing_key_file_is_refused(tmp_path):
    with pytest.raises(KeyFileError, match="cannot be read: No such file"):
        read_signing_key(tmp_path / "none")
