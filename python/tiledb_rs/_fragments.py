"""Fragments of arrays. Their class takes longer to create than an array to open."""

from typing import NamedTuple


class Fragment(NamedTuple):
    """The cells of one write or consolidation."""

    uri: str
    name: str
    #: The first and the last timestamp, in milliseconds since 1970.
    timestamps: tuple
    cells: int
    tiles: int
    bytes: int
    sparse: bool
    version: int
    domain: list


class Fragments(list):
    """The fragments of an array, from the oldest to the newest."""

    def __init__(self, fragments, names):
        super().__init__(fragments)
        #: The names of the dimensions.
        self.names = names

    def _repr_html_(self):
        from ._html import fragments

        return fragments(self)
