"""What the tests of this room share: one audit of a small world, since fitting is what takes time."""

import pytest

from armslength import audit
from armslength.worlds import make_purchases


@pytest.fixture(scope="session")
def audited():
    """Forty tasks of the mock purchase, four runs each."""
    return audit(make_purchases(40, 4, 2), resamples=200)
