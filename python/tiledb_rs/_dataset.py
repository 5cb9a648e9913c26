"""Arrays as datasets of pyarrow, whose projections and filters are applied by the reads."""

import re

import pyarrow
import pyarrow.dataset

from ._array import Array, weakly_filtered

_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"[^"\\]*")|(?P<date>\d{4}-\d\d-\d\d(?:[ T][\d:.]+)?)
    |(?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.-])|(?P<word>[A-Za-z_]\w*)
    |(?P<sign><=|>=|==|!=|<|>|\(|\)|,))""",
    re.VERBOSE,
)
_SIGNS = {"==": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "!=": "!="}


class Dataset(pyarrow.dataset.Dataset):
    """The cells of an array as a dataset of pyarrow."""

    def __init__(self, array, ranges=None):
        self._array, self._ranges = array, ranges
        self._names = list(array.schema.names)
        self._schema = array.query(columns=self._names).batches().schema

    @property
    def schema(self):
        """The names and types of the dimensions and attributes."""
        return self._schema

    @property
    def partition_expression(self):
        return pyarrow.compute.scalar(True)

    def __reduce__(self):
        return Dataset, (self._array, self._ranges)

    def scanner(self, columns=None, filter=None, batch_size=None, **options):
        """Returns a scanner of the cells. Only columns that are used are read, and tiles without
        cells that satisfy the filter are skipped.
        """
        if isinstance(columns, dict):
            used = None
        else:
            used = list(self._names if columns is None else columns)
        where, names = (None, ()) if filter is None else condition(filter, self._schema)
        if used is None or names is None:
            used = self._names
        else:
            used += [name for name in names if name not in used]
        # A read has at least one column.
        used = used or self._names[:1]
        batches = weakly_filtered(
            self._array,
            where,
            names,
            lambda row: pyarrow.dataset.dataset(row).count_rows(filter=filter) > 0,
            columns=used,
            ranges=self._ranges,
        )
        known = {name: options[name] for name in ("use_threads", "memory_pool") if name in options}
        # The filter that was pushed down may be weaker, and dense arrays return all cells.
        return pyarrow.dataset.Scanner.from_batches(
            batches, columns=columns, filter=filter, **known
        )

    def to_table(self, columns=None, filter=None, **options):
        return self.scanner(columns, filter, **options).to_table()

    def to_batches(self, columns=None, filter=None, **options):
        return self.scanner(columns, filter, **options).to_batches()

    def head(self, num_rows, columns=None, filter=None, **options):
        return self.scanner(columns, filter, **options).head(num_rows)

    def take(self, indices, columns=None, filter=None, **options):
        return self.scanner(columns, filter, **options).to_table().take(indices)

    def count_rows(self, filter=None, **options):
        if filter is None:
            return self._array.query(ranges=self._ranges).count()
        return self.scanner([], filter, **options).count_rows()

    def get_fragments(self, filter=None):
        raise NotImplementedError("the fragments of an array cannot be read alone")


def dataset(uri, *, timestamp=None, key=None, config=None, ranges=None):
    """Returns the cells of an array as a ``pyarrow.dataset.Dataset``.

    DuckDB, polars (``scan_pyarrow_dataset``) and others read it; the columns that they need and
    their filters are applied by the read. ``ranges`` are those of :meth:`Array.query`.
    """
    return Dataset(Array(uri, timestamp=timestamp, key=key, config=config), ranges)


def condition(expression, schema):
    """Returns the part of an expression of pyarrow that can be pushed down, and the columns it uses.

    The part is a text, which is true wherever the expression is, or ``None``. The columns are
    ``None`` if they are not known.
    """
    text = str(expression)
    names = set(schema.names)
    if any(not re.fullmatch(r"[A-Za-z_]\w*", name) for name in names) or '\\' in text:
        return None, None
    tokens, position = [], 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            # What is between is of a form that is not pushed down; its columns are found below.
            if not text[position].isspace():
                tokens.append(("other", text[position]))
            position += 1
            continue
        tokens.append((found.lastgroup, found.group(found.lastgroup)))
        position = found.end()
    used = [value for kind, value in tokens if kind == "word" and value in names]
    parser = _Parser(tokens, schema)
    try:
        where = parser.expression()
        if parser.position < len(tokens):
            where = None
    except _Unknown:
        where = None
    return where, list(dict.fromkeys(used))


class _Unknown(Exception):
    """An expression that is not pushed down."""


class _Parser:
    """A parser of the texts of expressions of pyarrow, which have a bracket around every operator."""

    def __init__(self, tokens, schema):
        self.tokens, self.position, self.schema = tokens, 0, schema

    def next(self):
        if self.position == len(self.tokens):
            raise _Unknown
        self.position += 1
        return self.tokens[self.position - 1]

    def peek(self):
        return self.tokens[self.position] if self.position < len(self.tokens) else (None, None)

    def skip(self):
        """Passes over the rest of a call or of brackets; returns ``None``."""
        depth = 1
        while depth:
            _, value = self.next()
            depth += (value in ("(", "[", "{")) - (value in (")", "]", "}"))

    def expression(self):
        kind, value = self.next()
        if kind == "word" and self.peek()[1] == "(":
            return self.call(value)
        if (kind, value) != ("sign", "("):
            raise _Unknown
        start = self.position
        kind, value = self.peek()
        if value == "(" or (kind == "word" and self.tokens[self.position + 1 : self.position + 2] == [("sign", "(")]):
            left = self.expression()
            _, operator = self.next()
            if operator in ("and", "or"):
                right = self.expression()
                if self.next()[1] != ")":
                    raise _Unknown
                if operator == "and":
                    return f"({left} AND {right})" if left and right else left or right
                return f"({left} OR {right})" if left and right else None
            self.position = start
            self.skip()
            return None
        compared = self.comparison()
        if compared is None:
            self.position = start
            self.skip()
        return compared

    def call(self, function):
        self.next()
        if function == "if_else":
            # Where the test does not hold, the result is null, which does not select cells.
            self.expression()
            separator, value = self.next()[1], self.expression()
            rest = [token for _, token in self.tokens[self.position : self.position + 2]]
            self.skip()
            return value if separator == "," and rest == [",", "null"] else None
        if function == "is_in":
            return self.membership()
        start = self.position
        kind, name = self.next()
        is_test = function in ("is_valid", "is_null") and kind == "word" and name in self.schema.names
        _, following = self.peek()
        self.position = start
        self.skip()
        if not is_test or (function == "is_valid" and following != ")"):
            return None
        if pyarrow.types.is_floating(self.schema.field(name).type):
            # NaN may count as null.
            return None
        return f'"{name}" IS {"NOT " if function == "is_valid" else ""}NULL'

    def membership(self):
        start = self.position
        kind, name = self.next()
        self.skip()
        values = self.tokens[start : self.position]
        signs = [token for _, token in values]
        if kind != "word" or name not in self.schema.names or signs.count("[") != 1 or signs.count("]") != 1:
            return None
        values = values[signs.index("[") + 1 : signs.index("]")]
        column = _compared(self.schema, name)
        literals = [_literal(*token, column) for token in values[::2]]
        # Long lists are printed in part.
        if None in literals or any(token != ("sign", ",") for token in values[1::2]) or not literals:
            return None
        return f'"{name}" IN ({", ".join(literals)})'

    def comparison(self):
        left, sign, right = self.next(), self.next(), self.next()
        if self.next()[1] != ")" or sign[1] not in _SIGNS or left[0] != "word":
            return None
        if left[1] not in self.schema.names or left[1] in ("true", "false"):
            return None
        literal = _literal(*right, _compared(self.schema, left[1]))
        return None if literal is None else f'"{left[1]}" {_SIGNS[sign[1]]} {literal}'


def _compared(schema, name):
    """Returns the type of the values of a column."""
    column = schema.field(name).type
    return column.value_type if pyarrow.types.is_dictionary(column) else column


def _literal(kind, value, column):
    """Returns a literal as a text of a condition if it compares with a column as in pyarrow."""
    types = pyarrow.types
    if kind == "string" and (types.is_string(column) or types.is_large_string(column)):
        quoted = value[1:-1].replace("'", "''")
        return f"'{quoted}'"
    if kind == "number" and types.is_integer(column) and re.fullmatch(r"-?\d+", value):
        return value
    if kind == "number" and types.is_float64(column):
        return value
    if kind == "date" and types.is_date(column) and len(value) == 10:
        return f"'{value}'"
    if kind == "word" and value in ("true", "false") and types.is_boolean(column):
        return value.upper()
    return None
