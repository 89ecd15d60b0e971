"""What can go wrong, by kind. All of it is an :class:`Error`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._result import Result


class Error(Exception):
    """Everything that Myrmex raises by itself; the message says what is wrong and what to do."""


class InvalidInputError(Error, ValueError):
    """An instance, a solution, a parameter or a combination of them that makes no sense."""


class ParseError(InvalidInputError):
    """A file that breaks its format."""

    def __init__(self, message: str, file: str, line: int) -> None:
        super().__init__(message, file, line)
        #: The file's name.
        self.file = file
        #: The line, counted from 1.
        self.line = line

    def __str__(self) -> str:
        return str(self.args[0])


class CheckpointError(InvalidInputError):
    """A checkpoint that is none, is damaged, or is of another instance or version."""


class FileError(Error, OSError):
    """A file that cannot be read or written; it has the ``errno`` and the ``filename`` of an :class:`OSError`."""


class NoDeviceError(Error):
    """The device that was asked for is not there."""


class TooLargeError(Error):
    """The instance needs more than the device has."""


class DeviceError(Error):
    """The run failed: the device did, or it had no room left for what the run needs."""

    #: The best solution known before, where there is one.
    result: Result | None = None
