"""The page on consent does what it says: its code runs and its own assertions hold."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "trustrail" / "consent.md"


def test_code_on_the_consent_page_holds():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)

    assert blocks
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), {})
