import os
from collections.abc import Mapping, Sequence
from typing import Any

def write_dataset(
    dataset: Any,
    uri: str | os.PathLike[str],
    *,
    tiles: Mapping[str, int] | None = None,
    filters: Sequence[str | tuple[str, int]] | None = ("zstd",),
    overwrite: bool = False,
    config: Mapping[str, Any] | None = None,
) -> None: ...

TileDBBackend: Any
