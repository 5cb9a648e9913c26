"""Exceptions of the native module, by meaning.

Each one is an :class:`Error` and the exception of Python for the same meaning.
"""

import io


class Error(Exception):
    """An error that the library reports."""


class NotFoundError(Error, KeyError):
    """A member, field, fragment or other name does not exist."""

    __str__ = Exception.__str__


class ObjectNotFoundError(Error, FileNotFoundError):
    """An array or group does not exist."""


class AlreadyExistsError(Error, FileExistsError):
    """What is to be created exists."""


class InvalidArgumentError(Error, ValueError):
    """A value, a name or a text breaks a rule."""


class UnsupportedError(Error, NotImplementedError):
    """The library or the storage does not have the operation."""


class CorruptError(Error, OSError):
    """Stored bytes do not follow their format."""


class PermissionDeniedError(Error, PermissionError):
    """The storage or the server refuses the caller."""


class OutOfMemoryError(Error, MemoryError):
    """Memory cannot be allocated, or the memory budget is too small."""


class CancelledError(Error, InterruptedError):
    """The operation was cancelled."""


class BusyError(Error, BlockingIOError):
    """Another operation excludes this one at the moment."""


class StorageError(Error, OSError):
    """The storage or a server failed."""


class ReadOnlyError(Error, io.UnsupportedOperation):
    """The array was opened for reading."""
