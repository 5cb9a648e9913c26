"""Lazy frames of polars, whose projections, conditions and limits are applied by the reads."""

import json

from ._array import Array, polars_frame, weakly_filtered, without_nat

_OPERATORS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_REVERSED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


def scan(uri, *, timestamp=None, key=None, config=None, ranges=None):
    """Returns a ``polars.LazyFrame`` with the cells of an array.

    Columns that are not used are not read. Of a condition, the parts that compare a column with
    values are pushed down to the read, which skips tiles by their statistics; a limit ends the read
    early. ``ranges`` are those of :meth:`Array.query`.
    """
    import polars
    from polars.io.plugins import register_io_source

    array = Array(uri, timestamp=timestamp, key=key, config=config)
    names = list(array.schema.names)
    empty = polars_frame(array.query(columns=names).batches().schema.empty_table())
    floats = {name for name, kind in empty.schema.items() if kind.is_float()}

    def source(columns, predicate, limit, batch_rows):
        wanted = names if columns is None else columns
        used = list(wanted)
        where, tested = None, []
        if predicate is not None:
            where = condition(predicate, floats)
            tested = list(dict.fromkeys(predicate.meta.root_names()))
            used += [name for name in tested if name not in used]
        if not used:
            yield polars.DataFrame(height=array.query(ranges=ranges).count())
            return
        batches = weakly_filtered(
            array,
            where,
            tested,
            lambda row: polars_frame(without_nat(row)).filter(predicate).height > 0,
            columns=used,
            ranges=ranges,
        )
        for batch in batches:
            frame = polars_frame(without_nat(batch))
            # The condition that was pushed down may be weaker, and dense arrays return all cells.
            if predicate is not None:
                frame = frame.filter(predicate)
            frame = frame.select(wanted)
            if limit is not None:
                frame = frame.head(limit)
                limit -= frame.height
            yield frame
            if limit == 0:
                return

    return register_io_source(source, schema=empty.schema, is_pure=True)


def condition(predicate, floats=()):
    """Returns the part of an expression of polars that can be pushed down as a text, or ``None``.

    The part is true wherever the expression is. ``floats`` are names of columns that can be NaN,
    which is greater than all numbers for polars, and is not compared by a read.
    """
    try:
        tree = json.loads(predicate.meta.serialize(format="json"))
        return _convert(tree, floats)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _convert(tree, floats):
    if "BinaryExpr" in tree:
        node = tree["BinaryExpr"]
        operator = node["op"]
        if operator in ("And", "Or", "LogicalAnd", "LogicalOr"):
            left, right = (_convert(node[side], floats) for side in ("left", "right"))
            if operator.endswith("And"):
                return f"({left} AND {right})" if left and right else left or right
            return f"({left} OR {right})" if left and right else None
        sign = _OPERATORS.get(operator)
        if sign is None:
            return None
        left, right = node["left"], node["right"]
        if "Column" not in left:
            left, right, sign = right, left, _REVERSED[sign]
        if "Column" not in left or (left["Column"] in floats and sign not in ("<", "<=", "=")):
            return None
        value = _literal(right)
        return None if value is None else f"{_name(left['Column'])} {sign} {value}"
    if "Function" in tree:
        node = tree["Function"]
        kind = node["function"].get("Boolean")
        column = node["input"][0].get("Column")
        if column is None:
            return None
        if kind == "IsNotNull":
            return None
        if isinstance(kind, dict) and "IsIn" in kind and not kind["IsIn"]["nulls_equal"]:
            import polars

            values = node["input"][1]["Literal"]["Scalar"]["List"]
            values = polars.read_ipc_stream(bytes(values)).to_series(0).to_list()
            values = [_text(value) for value in values]
            if values and None not in values:
                return f"{_name(column)} IN ({', '.join(values)})"
    return None


def _name(column):
    if '"' in column:
        raise ValueError(column)
    return f'"{column}"'


def _literal(tree):
    """Returns a literal as a text of a condition, or ``None``."""
    node = tree["Literal"]
    (kind, value), = (node.get("Dyn") or node.get("Scalar")).items()
    if kind == "Date":
        import datetime

        value = datetime.date(1970, 1, 1) + datetime.timedelta(days=value)
        return f"'{value.isoformat()}'"
    return _text(value) if isinstance(value, (bool, int, float, str)) else None


def _text(value):
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value == value and value not in (float("inf"), -float("inf")):
        return repr(value)
    return None
