"""Descriptions of objects for notebooks, in light and dark."""

from html import escape

_STYLE = """<style>
.tiledb-rs {font-family: system-ui, sans-serif; font-size: 13px; line-height: 1.4; color: inherit}
.tiledb-rs table {border-collapse: collapse; margin: 4px 0; color: inherit; background: none}
.tiledb-rs th, .tiledb-rs td {padding: 2px 10px; text-align: left; color: inherit; background: none;
  vertical-align: top; border: 0; border-bottom: 1px solid rgba(128, 128, 128, 0.35)}
.tiledb-rs td.number {text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums}
.tiledb-rs td.line {white-space: nowrap}
.tiledb-rs td.text {max-width: 420px; overflow-wrap: anywhere}
.tiledb-rs th {font-weight: 600} .tiledb-rs summary {cursor: pointer; font-weight: 600; margin: 2px 0}
.tiledb-rs .kind {opacity: 0.65} .tiledb-rs .uri {opacity: 0.65; overflow-wrap: anywhere}
.tiledb-rs .whole {display: inline-block; background: rgba(128, 128, 128, 0.25); border-radius: 2px;
  vertical-align: middle; line-height: 0}
.tiledb-rs .bar {display: inline-block; height: 9px; background: #4a7ebb; border-radius: 2px}
.tiledb-rs .parts {display: flex; flex-wrap: wrap; align-items: flex-start; gap: 8px 28px}
.tiledb-rs svg {display: block; margin: 4px 0; overflow: visible}
.tiledb-rs svg rect {fill-opacity: 0.28; stroke-width: 1}
.tiledb-rs svg .frame {fill: none; stroke: rgba(128, 128, 128, 0.6)}
.tiledb-rs svg text {fill: currentColor; font-size: 11px}
.tiledb-rs pre {color: inherit; background: none; margin: 4px 0; font-size: 12px; overflow-x: auto}
</style>"""

#: The width of pictures in pixels, without the texts beside them.
_WIDTH = 240

#: The numbers of tiles in a row, and of fragments, that are drawn.
_MAX_TILES, _MAX_FRAGMENTS = 32, 400

#: The number of rows of a table, and of characters of a text, that are shown.
_MAX_ROWS, _MAX_TEXT = 200, 300


class _Raw(str):
    """A text that is HTML."""


def _page(*parts):
    return f"<div class='tiledb-rs'>{_STYLE}{''.join(parts)}</div>"


def _text(value):
    text = str(value)
    return escape(text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…")


def _cell(value):
    if isinstance(value, _Raw):
        return f"<td class='line'>{value}</td>"
    kind = "number" if isinstance(value, int) and not isinstance(value, bool) else "text"
    return f"<td class='{kind}'>{value:,}</td>" if kind == "number" else f"<td class='text'>{_text(value)}</td>"


def _table(names, rows):
    rows = list(rows)
    head = "".join(f"<th>{_text(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:_MAX_ROWS])
    if len(rows) > _MAX_ROWS:
        body += f"<tr><td colspan='{len(names)}'>and {len(rows) - _MAX_ROWS:,} more</td></tr>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _details(summary, *parts):
    return f"<details><summary>{_text(summary)}</summary>{''.join(parts)}</details>"


def _count(number, name):
    return f"{number:,} {name}" + ("" if number == 1 else "s")


def _bytes(number):
    for unit in "B", "KB", "MB", "GB":
        if number < 999.5:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:,.3g} TB"


def _filters(field):
    return ", ".join(item if isinstance(item, str) else f"{item[0]} {item[1]}" for item in field.filters or ())


def _fields(schema):
    rows = []
    for dim in schema.dims:
        domain = "any text" if dim.domain is None else f"{dim.domain[0]} to {dim.domain[1]}"
        kind = _Raw("<span class='kind'>dimension</span>")
        rows.append((kind, dim.name, dim.dtype, domain, "" if dim.tile is None else dim.tile, _filters(dim)))
    for label, dim in schema.labels.items():
        rows.append((_Raw("<span class='kind'>label</span>"), label, "", f"of {dim}", "", ""))
    for attr in schema.attrs:
        notes = [note for note, holds in (("nullable", attr.nullable), ("any number of values", attr.var)) if holds]
        notes += [f"{attr.values_per_cell} values"] if attr.values_per_cell else []
        notes += [f"enumeration {attr.enumeration}"] if attr.enumeration else []
        kind = _Raw("<span class='kind'>attribute</span>")
        rows.append((kind, attr.name or "(unnamed)", attr.dtype, ", ".join(notes), "", _filters(attr)))
    return _table(("", "name", "type", "domain, properties", "tile", "filters"), rows)


def _number(value):
    """Returns a coordinate as a number for a picture; ``None`` for a text."""
    if hasattr(value, "astype"):
        value = value.astype("int64")
    return None if isinstance(value, (str, bytes)) else float(value)


def _plot(height, across, down, rectangles):
    """Returns a picture as SVG.

    ``across`` and ``down`` have the name of an axis and the texts at its ends. Rectangles have left,
    top, width and height as shares of the picture, a color and a text.
    """
    left = 8 + 6.2 * max(len(text) for text in down)
    drawn = "".join(
        f"<rect x='{left + x * _WIDTH:.1f}' y='{18 + y * height:.1f}' width='{max(w * _WIDTH, 1):.1f}' "
        f"height='{max(h * height, 1):.1f}' fill='{color}' stroke='{color}'><title>{_text(text)}</title></rect>"
        for x, y, w, h, color, text in rectangles
    )

    def label(x, y, anchor, text):
        return f"<text x='{x:.0f}' y='{y:.0f}' text-anchor='{anchor}'>{_text(text)}</text>"

    right, bottom = left + _WIDTH, 18 + height
    labels = (
        label(left, 12, "start", across[1])
        + label((left + right) / 2, 12, "middle", across[0])
        + label(right, 12, "end", across[2])
        + label(left - 6, 28, "end", down[1])
        + label(left - 6, 18 + height / 2 + 4, "end", down[0])
        + label(left - 6, bottom, "end", down[2])
    )
    frame = f"<rect class='frame' x='{left:.1f}' y='18' width='{_WIDTH}' height='{height:.1f}'/>"
    size = f"width='{right + 8:.0f}' height='{bottom + 8:.0f}'"
    return f"<svg {size} role='img'>{drawn}{frame}{labels}</svg>"


def _ends(name, low, high):
    """Returns the texts of an axis, short enough to fit beside each other."""
    return _short(name), _short(low), _short(high)


def _short(value):
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 20 else text[:19] + "…"


def _tiles(schema):
    """Returns a picture of the tiles of a dense array along its first two dimensions."""
    dims = [dim for dim in schema.dims if dim.domain is not None and dim.tile is not None][:2]
    if schema.sparse or not dims:
        return ""
    lengths, tiles = [], []
    for dim in dims:
        low, high = (_number(value) for value in dim.domain)
        lengths.append(high - low + 1)
        tiles.append(min(float(dim.tile), lengths[-1]))
    if len(dims) == 1:
        lengths.insert(0, lengths[0] / 10)
        tiles.insert(0, lengths[0])
    numbers = [-int(-length // tile) for length, tile in zip(lengths, tiles)]
    # Of many tiles some are drawn, larger than they are.
    drawn = [min(number, _MAX_TILES) for number in numbers]
    shares = [
        tile / length if number <= _MAX_TILES else 1 / _MAX_TILES
        for tile, length, number in zip(tiles, lengths, numbers)
    ]
    rectangles = [
        (x * shares[1], y * shares[0], min(shares[1], 1 - x * shares[1]), min(shares[0], 1 - y * shares[0]), "#4a7ebb", "")
        for y in range(drawn[0])
        for x in range(drawn[1])
    ]
    height = min(max(_WIDTH * lengths[0] / lengths[1], 24), 160)
    down = _ends(dims[0].name, *dims[0].domain) if len(dims) == 2 else ("", "", "")
    picture = _plot(height, _ends(dims[-1].name, *dims[-1].domain), down, rectangles)
    extents = " × ".join(f"{dim.tile}" for dim in schema.dims)
    total = 1
    for dim in schema.dims:
        low, high = (_number(value) for value in dim.domain)
        total *= -int(-(high - low + 1) // float(dim.tile))
    note = "" if drawn == numbers else ", not all drawn"
    return f"<div>{picture}<div class='kind'>{_count(total, 'tile')} of {_text(extents)}{note}</div></div>"


def _color(share):
    """Returns a color from blue, for the oldest fragment, to orange."""
    old, new = (0x4A, 0x7E, 0xBB), (0xE0, 0x7B, 0x2C)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(old, new))


def _boxes(found):
    """Returns a picture of the boxes of fragments along the first two dimensions of numbers."""
    names, found = found.names, found[-_MAX_FRAGMENTS:]
    axes = [axis for axis, pair in enumerate(found[0].domain) if _number(pair[0]) is not None][:2] if found else []
    if not axes:
        return ""
    ends = []
    for axis in axes:
        low = min((fragment.domain[axis][0] for fragment in found), key=_number)
        high = max((fragment.domain[axis][1] for fragment in found), key=_number)
        ends.append((low, high))

    def place(fragment, axis, low, high):
        start, end = (_number(value) for value in fragment.domain[axis])
        is_real = isinstance(low, float)
        low, high = _number(low), _number(high)
        # A cell of integers has a width.
        whole = (high - low) or 1.0 if is_real else high - low + 1
        return (start - low) / whole, (end - start + (0 if is_real else 1)) / whole

    rectangles = []
    for number, fragment in enumerate(found):
        x, width = place(fragment, axes[-1], *ends[-1])
        y, height = place(fragment, axes[0], *ends[0]) if len(axes) == 2 else (number / len(found), 1 / len(found))
        rectangles.append((x, y, width, height, _color(number / max(len(found) - 1, 1)), fragment.name))
    dims = [names[axis] for axis in axes]
    down = _ends(dims[0], *ends[0]) if len(axes) == 2 else ("", "oldest", "newest")
    height = 150 if len(axes) == 2 else min(max(12 * len(found), 24), 150)
    return _plot(height, _ends(dims[-1], *ends[-1]), down, rectangles)


def _fragment_table(found):
    import datetime

    def time(value):
        try:
            moment = datetime.datetime.fromtimestamp(value / 1000, datetime.timezone.utc)
        except (OverflowError, OSError, ValueError):
            return str(value)
        # Timestamps may be any numbers.
        return moment.strftime("%Y-%m-%d %H:%M:%S") if moment.year > 1980 else str(value)

    largest = max((fragment.bytes for fragment in found), default=1) or 1
    rows = [
        (
            _Raw(_text(fragment.name if len(fragment.name) < 24 else f"{fragment.name[:15]}…{fragment.name[-6:]}")),
            _Raw(" to ".join(dict.fromkeys(time(value) for value in fragment.timestamps))),
            fragment.cells,
            fragment.tiles,
            _Raw(f"<span class='bar' style='width:{80 * fragment.bytes / largest:.0f}px'></span> {_bytes(fragment.bytes)}"),
            _Raw("<br>".join(f"{_text(_short(low))} to {_text(_short(high))}" for low, high in fragment.domain)),
        )
        for fragment in found
    ]
    return _table(("fragment", "time (UTC)", "cells", "tiles", "size", "cells from and to"), rows)


def _metadata(values):
    if not values:
        return ""
    return _details(_count(len(values), "value") + " of metadata", _table(("key", "value"), values.items()))


def _kind(schema):
    kind = "sparse" if schema.sparse else "dense"
    facts = f"{kind}, {schema.cell_order} cells"
    if schema.sparse:
        facts += f", capacity {schema.capacity:,}" + (", duplicates" if schema.allow_duplicates else "")
    return facts


def schema(schema):
    parts = f"<div class='parts'><div>{_fields(schema)}</div>{_tiles(schema)}</div>"
    return _page(f"<b>schema</b> <span class='kind'>{_text(_kind(schema))}</span>", parts)


def array(array):
    if not array.isopen:
        return _page(f"<b>closed array</b> <span class='uri'>{_text(array.uri)}</span>")
    described = array.schema
    found = array.fragments
    size = _bytes(sum(fragment.bytes for fragment in found))
    facts = f"{_kind(described)}, {_count(len(found), 'fragment')}, {size}"
    parts = [
        f"<b>array</b> <span class='uri'>{_text(array.uri)}</span><div class='kind'>{_text(facts)}</div>",
        f"<div class='parts'><div>{_fields(described)}</div>{_tiles(described)}</div>",
    ]
    if found:
        parts.append(_details(_count(len(found), "fragment"), _boxes(found), _fragment_table(found)))
    parts.append(_metadata(dict(array.metadata)))
    return _page(*parts)


def fragments(found):
    size = _bytes(sum(fragment.bytes for fragment in found))
    head = f"<b>{_count(len(found), 'fragment')}</b> <span class='kind'>{size}</span>"
    return _page(head, _boxes(found), _fragment_table(found) if found else "")


def group(group):
    rows = [(name, kind, uri) for name, uri, kind in group.members]
    head = f"<b>group</b> <span class='uri'>{_text(group.uri)}</span>"
    head += f"<div class='kind'>{_count(len(rows), 'member')}</div>"
    return _page(head, _table(("name", "type", "URI"), rows) if rows else "", _metadata(dict(group.metadata)))


def plan(plan):
    numbers = plan.get("plan", {})
    total, read = numbers.get("tiles", 0), numbers.get("tiles_read", 0)
    width = 160 * read / total if total else 0
    bar = f"<span class='whole' style='width:160px'><span class='bar' style='width:{width:.0f}px'></span></span>"
    return _page(f"<b>{read:,} of {_count(total, 'tile')}</b> <span class='kind'>are read</span> {bar}", f"<pre>{escape(str(plan))}</pre>")
