"""The drawn exception tree is the real one."""

import inspect
import re

import pytest

import pfes
from pfes import errors


def test_every_error_is_in_the_drawing_and_offered_by_the_package() -> None:
    drawn = set(re.findall(r"^[ │├└─]*([A-Z]\w+)", (inspect.getdoc(errors) or "").split("\n\n")[1], re.MULTILINE))
    assert drawn == set(errors.__all__)
    assert set(errors.__all__) <= set(pfes.__all__)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_can_be_caught_as_one_of_ours(name: str) -> None:
    assert issubclass(getattr(errors, name), errors.PfesError)


def test_wrong_input_can_be_caught_as_a_value_error() -> None:
    with pytest.raises(ValueError, match="got this, want that"):
        raise errors.InvalidFrontier("got this, want that")
