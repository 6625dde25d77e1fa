"""Judged runs as an Arrow table, which pandas and Parquet take: arrow_table, write_parquet.
Needs `logdoctor[parquet]`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, BinaryIO

from logdoctor.errors import LogdoctorError
from logdoctor.reports.archive.rows import COLUMNS, run_row
from logdoctor.reports.archive.structured import ReadRun

ROW_GROUP = 10_000
"""Runs written at once."""

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as missing:
    raise LogdoctorError("tables need pyarrow: pip install 'logdoctor[parquet]'") from missing

_TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
SCHEMA = pa.schema([(name, _TYPES[kind]) for name, kind in COLUMNS.items()])
"""One column for each of `COLUMNS`; all may be null."""


def arrow_table(runs: Iterable[ReadRun]) -> Any:
    """One row for each run, as `pyarrow.Table`."""
    return pa.Table.from_pylist(
        [run_row(each.record, each.document, each.written) for each in runs], schema=SCHEMA
    )


def write_parquet(runs: Iterable[ReadRun], file: BinaryIO) -> None:
    """Writes a Parquet file of these rows; no runs make an empty table."""
    rest = iter(runs)
    with pq.ParquetWriter(file, SCHEMA) as writer:
        while table := arrow_table(islice(rest, ROW_GROUP)):
            writer.write_table(table)
