"""The functions of the library that libtiledb does not have."""

import ctypes
import os
from typing import NamedTuple, Optional

from ._errors import Error
from ._redirect import has_library, library

_OK = 0
_SEVERITIES = ("note", "remains", "warning", "error")
_NO_POSITION = 2**64 - 1
_Check = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_uint32,
    ctypes.c_char_p,
    ctypes.c_uint64,
    ctypes.c_char_p,
    ctypes.c_void_p,
)
_Clean = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p)


class Finding(NamedTuple):
    """What is wrong with a file: ``note``, ``remains``, ``warning`` or ``error``."""

    severity: str
    uri: str
    #: The position of the damaged record in bytes.
    position: Optional[int]
    problem: str


def _c_text(text):
    """Returns a text or path as bytes for the library, which ends them at the first null byte."""
    text = os.fsencode(text)
    if b"\0" in text:
        raise ValueError("embedded null byte")
    return text


class _Context:
    """A context of the library with parameters."""

    def __init__(self, config):
        self.library = ctypes.CDLL(library())
        self.config = ctypes.c_void_p()
        self.handle = ctypes.c_void_p()
        try:
            self._create(config or {})
        except BaseException:
            self._free()
            raise

    def _create(self, config):
        error = ctypes.c_void_p()
        self.library.tiledb_config_alloc(ctypes.byref(self.config), ctypes.byref(error))
        for name, value in config.items():
            names = _c_text(str(name)), _c_text(str(value))
            if self.library.tiledb_config_set(self.config, *names, ctypes.byref(error)) != _OK:
                raise Error(self._message(error))
        handle = ctypes.byref(self.handle)
        if self.library.tiledb_ctx_alloc_with_error(self.config, handle, ctypes.byref(error)) != _OK:
            raise Error(self._message(error))

    def _free(self):
        self.library.tiledb_ctx_free(ctypes.byref(self.handle))
        self.library.tiledb_config_free(ctypes.byref(self.config))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._free()

    def _message(self, error):
        message = ctypes.c_char_p()
        self.library.tiledb_error_message(error, ctypes.byref(message))
        text = (message.value or b"").decode(errors="replace")
        self.library.tiledb_error_free(ctypes.byref(error))
        return text

    def call(self, function, *arguments):
        if getattr(self.library, function)(self.handle, *arguments) != _OK:
            error = ctypes.c_void_p()
            self.library.tiledb_ctx_get_last_error(self.handle, ctypes.byref(error))
            raise Error(self._message(error))


def _text(text):
    return text.decode(errors="replace")


def check(uri, config=None):
    """Reads every file of the array or group at ``uri`` and returns a list of findings.

    ``config`` is a mapping of parameters. Nothing is changed.
    """
    if not has_library():
        from . import _native

        return [Finding(*finding) for finding in _native.check(uri, config)]
    findings = []

    @_Check
    def found(severity, uri, position, problem, _):
        position = None if position == _NO_POSITION else position
        findings.append(Finding(_SEVERITIES[severity], _text(uri), position, _text(problem)))
        return 1

    with _Context(config) as context:
        context.call("tiledb_rs_check", _c_text(uri), None, found, None)
    return findings


def clean(uri, config=None, dry_run=False):
    """Removes what killed processes left in the array or group at ``uri``; returns its URIs.

    A dry run removes nothing. ``config`` is a mapping of parameters.
    """
    if not has_library():
        from . import _native

        return _native.clean(uri, config, dry_run)
    removed = []

    @_Clean
    def found(uri, _):
        removed.append(_text(uri))
        return 1

    dry_run = ctypes.c_int32(bool(dry_run))
    with _Context(config) as context:
        context.call("tiledb_rs_clean", _c_text(uri), None, dry_run, found, None)
    return removed
