"""Every authority keeps the published contract."""

import pytest

from trailforge.testing import CASES


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_authority_keeps_the_contract(case, open_store):
    case(open_store)
