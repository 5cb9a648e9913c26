"""Groups, and objects in folders."""

import os
from collections.abc import Mapping, MutableMapping

from . import _native


def ls(uri, recursive=False, config=None):
    """Returns the URIs and types of the arrays and groups in a folder.

    With ``recursive``, also those of the groups below it.
    """
    return _native.ls(uri, recursive, config)


def object_type(uri, config=None):
    """Returns ``"array"``, ``"group"``, or ``None`` if neither exists."""
    return _native.object_type(uri, config)


def remove(uri, config=None):
    """Removes the array or group at ``uri`` and everything in its folder."""
    _native.remove(uri, config)


def rename(uri, to, config=None):
    """Moves the array or group at ``uri`` to ``to``, where nothing may exist."""
    _native.rename(uri, to, config)


def create_group(uri, config=None):
    """Creates an empty group."""
    _native.create_group(uri, config)


def folder_name(name, number):
    """Returns the folder of a member of a new group: its name, unless folders have no such names."""
    if not name:
        raise ValueError("a variable without a name cannot be stored")
    is_folder = name.strip(".") and not name.startswith("__") and not set(name) & set("/\\\0")
    return name if is_folder and len(os.fsencode(name)) < 200 else f"__variable_{number}"


def remove_created(uris, config):
    """Removes new arrays and groups, of which the last may not exist."""
    for uri in uris:
        kind = object_type(uri, config)
        if kind == "array":
            _native.remove_array(uri, None, config)
        elif kind == "group":
            remove(uri, config)


class _GroupMetadata(MutableMapping):
    def __init__(self, group):
        self._group = group

    def _values(self):
        return self._group._read()[1]

    def __getitem__(self, key):
        return self._values()[key]

    def __setitem__(self, key, value):
        self._group._change("set", key, value)

    def __delitem__(self, key):
        if key not in self._values():
            raise KeyError(key)
        self._group._change("unset", key)

    def __iter__(self):
        return iter(self._values())

    def __len__(self):
        return len(self._values())

    def __repr__(self):
        return repr(self._values())


class Group(Mapping):
    """A group: a mapping of names to arrays and groups, which are opened when they are used.

    Members without a name have their URI as the key. Members are opened with ``timestamp`` and ``key``;
    the list of members and the metadata are those of the present.
    """

    def __init__(self, uri, mode="r", *, timestamp=None, key=None, config=None):
        if mode not in ("r", "w"):
            raise ValueError("the mode of a group is 'r' or 'w'")
        self.uri, self.mode, self._config = uri, mode, config
        self._options = {"timestamp": timestamp, "key": key, "config": config}
        # The group is the same one in another working directory.
        text = os.fsdecode(uri)
        self._location = text if "://" in text else os.path.abspath(text)
        self._read()

    def _read(self):
        return _native.read_group(self._location, self._config)

    def _change(self, change, name, value=None):
        if self.mode != "w":
            from ._errors import ReadOnlyError

            raise ReadOnlyError("the group is open for reading; open it with mode 'w' to change it")
        _native.change_group(self._location, [(change, name, value)], self._config)

    @property
    def members(self):
        """The members as triples of key, URI and type."""
        return [(name or uri, uri, kind) for uri, kind, name in self._read()[0]]

    @property
    def metadata(self):
        """The metadata, a mutable mapping."""
        return _GroupMetadata(self)

    def __getitem__(self, key):
        from ._array import open

        for name, uri, _ in self.members:
            if name == key:
                return open(uri, **self._options)
        raise KeyError(key)

    def __iter__(self):
        return iter(name for name, _, _ in self.members)

    def __len__(self):
        return len(self.members)

    def add(self, uri, name=None, *, relative=False):
        """Adds an existing array or group. A relative one has a path in the folder of the group."""
        self._change("add_relative" if relative else "add", str(uri), name)

    def discard(self, name):
        """Removes a member by its name or URI. The object itself is kept."""
        self._change("remove", name)

    def close(self):
        """Does nothing: a group has no open files."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        lines = [f"<group {self.uri}>"]
        return "\n".join(lines + [f"  {name}: {kind}" for name, _, kind in self.members])

    def _repr_html_(self):
        from ._html import group

        return group(self)
