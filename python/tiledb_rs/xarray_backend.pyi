import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal

_Region = Mapping[Any, slice | Literal["auto"]] | Literal["auto"]

def write_dataset(
    dataset: Any,
    uri: str | os.PathLike[str],
    *,
    mode: Literal["w-", "w", "a", "r+"] | None = None,
    append_dim: Hashable | None = None,
    region: _Region | None = None,
    tiles: Mapping[Any, int] | None = None,
    filters: Sequence[str | tuple[str, int]] | None = ("zstd",),
    unlimited_dims: Iterable[Hashable] | None = None,
    encoding: Mapping[Any, Mapping[str, Any]] | None = None,
    overwrite: bool = False,
    compute: bool = True,
    config: Mapping[str, Any] | None = None,
) -> Any: ...
def write_datatree(
    tree: Any,
    uri: str | os.PathLike[str],
    *,
    mode: Literal["w-", "w"] = "w-",
    tiles: Mapping[Any, int] | None = None,
    filters: Sequence[str | tuple[str, int]] | None = ("zstd",),
    unlimited_dims: Iterable[Hashable] | None = None,
    encoding: Mapping[str, Mapping[Any, Mapping[str, Any]]] | None = None,
    write_inherited_coords: bool = False,
    compute: bool = True,
    config: Mapping[str, Any] | None = None,
) -> Any: ...

TileDBBackend: Any
"""The backend of xarray."""
