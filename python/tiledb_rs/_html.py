"""Descriptions of objects for notebooks, in light and dark."""

from html import escape

_STYLE = """<style>
.tiledb-rs {font-family: system-ui, sans-serif; font-size: 13px; color: inherit}
.tiledb-rs table {border-collapse: collapse; margin: 4px 0}
.tiledb-rs th, .tiledb-rs td {padding: 2px 10px; text-align: left; color: inherit;
  border-bottom: 1px solid rgba(128, 128, 128, 0.35)}
.tiledb-rs th {font-weight: 600} .tiledb-rs summary {cursor: pointer; font-weight: 600}
.tiledb-rs .bar {display: inline-block; height: 9px; background: #4a7ebb; border-radius: 2px}
.tiledb-rs svg rect {fill: #4a7ebb; fill-opacity: 0.25; stroke: #4a7ebb}
.tiledb-rs svg text {fill: currentColor; font-size: 11px}
.tiledb-rs pre {color: inherit; background: none; margin: 0}
</style>"""


def _page(*parts):
    return f"<div class='tiledb-rs'>{_STYLE}{''.join(parts)}</div>"


def _table(names, rows):
    head = "".join(f"<th>{escape(str(name))}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell if isinstance(cell, _Raw) else escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class _Raw(str):
    """A text that is HTML."""


def _bytes(number):
    for unit in "B", "KB", "MB", "GB":
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"


def _fields(schema):
    rows = []
    for dim in schema.dims:
        domain = "any text" if dim.domain is None else f"{dim.domain[0]} to {dim.domain[1]}"
        rows.append(("dim", dim.name, dim.dtype, domain, dim.tile if dim.tile is not None else "", _filters(dim)))
    for attr in schema.attrs:
        notes = [note for note, holds in (("nullable", attr.nullable), ("var", attr.var)) if holds]
        notes += [f"enumeration {attr.enumeration}"] if attr.enumeration else []
        rows.append(("attr", attr.name or "(unnamed)", attr.dtype, ", ".join(notes), "", _filters(attr)))
    return _table(("", "name", "dtype", "domain", "tile", "filters"), rows)


def _filters(field):
    return ", ".join(item if isinstance(item, str) else f"{item[0]} {item[1]}" for item in field.filters or ())


def _picture(schema):
    """Returns the tiles of the first two dimensions of a dense array as SVG."""
    dims = [dim for dim in schema.dims if dim.domain is not None and dim.tile is not None][:2]
    if schema.sparse or not dims:
        return ""
    sizes = []
    for dim in dims:
        low, high = (value.astype("int64") if hasattr(value, "astype") else value for value in dim.domain)
        sizes.append((int(high) - int(low) + 1, int(dim.tile)))
    if len(sizes) == 1:
        sizes.insert(0, (1, 1))
    (height, tile_height), (width, tile_width) = sizes
    scale = 160 / max(height, width)
    rows, columns = -(-height // tile_height), -(-width // tile_width)
    if rows * columns > 900:
        rows, columns = min(rows, 30), min(columns, 30)
    y, x = max(height * scale, 12) / rows, max(width * scale, 12) / columns
    tiles = "".join(
        f"<rect x='{column * x + 1:.1f}' y='{row * y + 1:.1f}' width='{x:.1f}' height='{y:.1f}'/>"
        for row in range(rows)
        for column in range(columns)
    )
    return f"<svg width='{columns * x + 2:.0f}' height='{rows * y + 2:.0f}' role='img'>{tiles}</svg>"


def schema(schema):
    kind = "sparse" if schema.sparse else "dense"
    facts = f"{kind} schema, {escape(schema.cell_order)} cells"
    if schema.sparse:
        facts += f", capacity {schema.capacity}" + (", duplicates" if schema.allow_duplicates else "")
    return _page(f"<b>{facts}</b>", _fields(schema), _picture(schema))


def array(array):
    if not array.isopen:
        return _page(f"<b>closed array</b> {escape(array.uri)}")
    described = array.schema
    kind = "sparse" if described.sparse else "dense"
    parts = [f"<b>{kind} array</b> {escape(array.uri)}", _fields(described), _picture(described)]
    found = array.fragments
    parts.append(f"<details><summary>{len(found)} fragments</summary>{_fragments(found)}</details>")
    metadata = dict(array.metadata)
    if metadata:
        rows = _table(("key", "value"), metadata.items())
        parts.append(f"<details><summary>{len(metadata)} values of metadata</summary>{rows}</details>")
    return _page(*parts)


def _fragments(found):
    largest = max((fragment.bytes for fragment in found), default=1) or 1
    rows = [
        (
            fragment.name,
            " to ".join(str(time) for time in sorted(set(fragment.timestamps))),
            f"{fragment.cells:,}",
            fragment.tiles,
            _Raw(f"<span class='bar' style='width:{80 * fragment.bytes / largest:.0f}px'></span> {_bytes(fragment.bytes)}"),
            ", ".join(f"{low} to {high}" for low, high in fragment.domain),
        )
        for fragment in found
    ]
    return _table(("fragment", "timestamps", "cells", "tiles", "size", "domain"), rows)


def fragments(found):
    return _page(_fragments(found))


def group(group):
    rows = [(name, kind, uri) for name, uri, kind in group.members]
    parts = [f"<b>group</b> {escape(group.uri)}", _table(("name", "type", "URI"), rows)]
    metadata = dict(group.metadata)
    if metadata:
        parts.append(_table(("key", "value"), metadata.items()))
    return _page(*parts)


def plan(plan):
    numbers = plan.get("plan", {})
    total, read = numbers.get("tiles", 0), numbers.get("tiles_read", 0)
    bar = f"<span class='bar' style='width:{160 * read / total if total else 0:.0f}px'></span>"
    return _page(f"<b>{read} of {total} tiles are read</b> {bar}", f"<pre>{escape(str(plan))}</pre>")
