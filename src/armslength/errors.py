"""Every public error, under one root.

Errors say what is wrong with an input or a call: a stable code, the place, what was found, what was expected
and a hint. The library raises them; only ``armslength.cli`` prints them and chooses the exit code.
The codes are listed in ``docs/reference/codes.md``.
"""

from __future__ import annotations

from typing import ClassVar


class ArmslengthError(Exception):
    """Root of all errors that a caller may want to catch.

    Args:
        code: stable identifier, listed in ``docs/reference/codes.md``.
        at: where: file, line or record, field.
        found: what stood there.
        expected: what should have stood there.
        hint: what to try.
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self, code: str, *, at: str = "", found: str = "", expected: str = "", hint: str = ""
    ) -> None:
        self.code = code
        self.at = at
        self.found = found
        self.expected = expected
        self.hint = hint
        super().__init__(self.diagnostics())

    def diagnostics(self) -> str:
        """The text that a person needs: place, finding, expectation and hint in one line."""
        parts = [self.code]
        if self.at:
            parts.append(f"at {self.at}")
        if self.found:
            parts.append(f"found {self.found}")
        if self.expected:
            parts.append(f"expected {self.expected}")
        line = ": ".join(parts[:1]) + (": " + ", ".join(parts[1:]) if len(parts) > 1 else "")
        return f"{line}. {self.hint}" if self.hint else line


# Errors of input: a file or a record is not what it should be.
class InputError(ArmslengthError):
    """The input or the call was wrong (exit code 2)."""


# Errors of measurement: the input is fine, but the question cannot be answered with it.
class UnmeasuredError(ArmslengthError):
    """Nothing could be measured (exit code 3)."""

    exit_code: ClassVar[int] = 3
