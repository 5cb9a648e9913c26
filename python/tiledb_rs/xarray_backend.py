"""xarray: ``xarray.open_dataset(uri, engine="tiledb_rs")`` and ``dataset.tiledb_rs.write(uri)``.

How arrays and groups are datasets is described in ``_xarray_store``.
"""

import os

import xarray as xr
from xarray.backends import BackendEntrypoint
from xarray.backends.store import StoreBackendEntrypoint

from ._group import Group
from ._xarray_store import Store
from ._xarray_writer import write_dataset, write_datatree


class TileDBBackend(BackendEntrypoint):
    """The backend ``tiledb_rs`` of xarray."""

    description = "Open arrays and groups of TileDB"
    url = "https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html"

    def open_dataset(
        self,
        filename_or_obj,
        *,
        mask_and_scale=True,
        decode_times=True,
        concat_characters=True,
        decode_coords=True,
        drop_variables=None,
        use_cftime=None,
        decode_timedelta=None,
        timestamp=None,
        key=None,
        config=None,
    ):
        store = Store(os.fspath(filename_or_obj), timestamp, key, config)
        return StoreBackendEntrypoint().open_dataset(
            store,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            drop_variables=drop_variables,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )

    def open_groups_as_dict(self, filename_or_obj, **options):
        found = {}

        def add(uri, path, parents):
            if uri in parents:
                raise ValueError(f"the group {uri!r} contains itself")
            found[path] = self.open_dataset(uri, **options)
            for name, member, kind in Group(uri, config=options.get("config")).members:
                if kind == "group":
                    add(member, f"{path.rstrip('/')}/{name}", parents | {uri})

        add(os.fspath(filename_or_obj), "/", frozenset())
        return found

    def open_datatree(self, filename_or_obj, **options):
        return xr.DataTree.from_dict(self.open_groups_as_dict(filename_or_obj, **options))

    def guess_can_open(self, filename_or_obj):
        try:
            uri = os.fspath(filename_or_obj)
        except TypeError:
            return False
        folders = "__schema", "__group"
        return isinstance(uri, str) and any(os.path.isdir(os.path.join(uri, name)) for name in folders)


@xr.register_dataset_accessor("tiledb_rs")
class _DatasetAccessor:
    """``dataset.tiledb_rs``, after an import of this module."""

    def __init__(self, dataset):
        self._dataset = dataset

    def write(self, uri, **options):
        """Writes the dataset; the options are those of :func:`write_dataset`."""
        return write_dataset(self._dataset, uri, **options)


@xr.register_datatree_accessor("tiledb_rs")
class _DataTreeAccessor:
    """``tree.tiledb_rs``, after an import of this module."""

    def __init__(self, tree):
        self._tree = tree

    def write(self, uri, **options):
        """Writes the tree; the options are those of :func:`write_datatree`."""
        return write_datatree(self._tree, uri, **options)
