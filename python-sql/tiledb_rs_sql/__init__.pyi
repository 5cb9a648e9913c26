from typing import Any

_Parameters = list[tuple[str, str]]
_Timestamps = tuple[int, int] | None

__all__: list[str]

class Rows:
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...

def sql(
    query: str,
    tables: list[tuple[str, str, str, _Timestamps, _Parameters]],
    parameters: _Parameters,
    timestamps: _Timestamps,
) -> Rows: ...
def table_provider(
    uri: str, parameters: _Parameters, timestamps: _Timestamps, session: Any
) -> Any: ...
