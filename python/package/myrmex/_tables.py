"""Tables of pandas and Polars: what their rows and columns are called, and the problems that they hold."""

from __future__ import annotations

import bisect
import csv
import io
import re
from typing import Any, Iterable

import numpy as np
import numpy.typing as npt

from . import _myrmex
from ._errors import InvalidInputError, ParseError


def is_table(values: Any) -> bool:
    """Whether something is a table, of pandas or Polars, whose columns have names. Numbers are none: a file would have a city there."""
    return _is_frame(values) and _are_words(values.columns) and not all(map(_is_number, values.columns))


def _is_frame(values: Any) -> bool:
    return hasattr(values, "columns") and (hasattr(values, "to_csv") or hasattr(values, "write_csv"))


def _are_words(labels: Iterable[Any]) -> bool:
    return all(isinstance(label, str) for label in labels)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _row_labels(table: Any) -> list[Any]:
    """What the rows of a table are called; nothing where they have no labels, as in Polars."""
    index = getattr(table, "index", None)
    return [] if index is None else list(index)


def _is_called(table: Any) -> bool:
    """Whether the rows of a table are called by words."""
    index = getattr(table, "index", None)
    return index is not None and len(index) > 0 and index.nlevels == 1 and _are_words(index)


def _texts(labels: list[Any]) -> list[str]:
    """Labels as a file has them: 101, 101.0 and "101" are the same."""
    return [str(int(label)) if isinstance(label, float) and label.is_integer() else str(label) for label in labels]


def _are_same(first: list[Any], second: list[Any]) -> bool:
    """Whether labels are the same, in any order."""
    if len(first) != len(second) or sorted(_texts(first)) != sorted(_texts(second)):
        return False
    # Rows without labels of their own are counted from 0, and words that look like such numbers are something else.
    return not ((_are_counted(first) and _are_words(second)) or (_are_counted(second) and _are_words(first)))


def _are_counted(labels: list[Any]) -> bool:
    return not _are_words(labels) and _texts(labels) == [str(place) for place in range(len(labels))]


def _are_in_another_order(first: list[Any], second: list[Any]) -> bool:
    return _are_same(first, second) and _texts(first) != _texts(second)


def refuse_order(what: str, table: Any) -> None:
    """Refuses a matrix whose rows and columns have the same labels in another order."""
    if _is_frame(table) and _are_in_another_order(_row_labels(table), list(table.columns)):
        first = "" if _are_words(table.index) == _are_words(table.columns) else "after table.index = table.index.astype(str) "
        raise InvalidInputError(
            f"{what}: its rows and its columns have the same labels in another order; {first}table.loc[table.columns] has both in the same"
        )


def refuse_order_of_placing(flows: Any, distances: Any, placing: Any) -> None:
    """Refuses costs of placing whose labels are those of the facilities or the locations in another order, or the wrong way round."""
    if not _is_frame(placing):
        return
    rows, columns = _row_labels(placing), list(placing.columns)
    facilities, locations = ([_row_labels(table), list(table.columns)] if _is_frame(table) else [] for table in (flows, distances))
    for side, labels, others, matrix in (("rows", rows, facilities, "A"), ("columns", columns, locations, "B")):
        if any(_are_in_another_order(labels, other) for other in others):
            raise InvalidInputError(
                f"C: its {side} have the labels of {matrix} in another order; C.loc[A.index, B.index] has both in the same"
            )
    is_known = any(_are_same(rows, other) for other in facilities)
    is_turned = any(_are_same(rows, other) for other in locations) and any(_are_same(columns, other) for other in facilities)
    if is_turned and not is_known:
        raise InvalidInputError("C: its rows have the labels of B, its columns those of A; C.T has a row for each facility")


def labelled(table: Any) -> tuple[npt.NDArray[Any], list[str]] | None:
    """The numbers of a table with a row and a column for each city, and their names; None for any other one."""
    if not (_is_frame(table) and hasattr(table, "to_numpy") and _are_words(table.columns)):
        return None
    names = list(table.columns)
    # Up to three columns may be coordinates, and numbers before their rows no names.
    if not (_is_called(table) or len(names) > 3) or not _are_same(_row_labels(table), names):
        return None
    refuse_order("points_or_matrix", table)
    kinds = {getattr(dtype, "kind", "O") for dtype in table.dtypes}
    # What is wrong with a blank entry is told of the text of a table.
    if len(names) != len(set(names)) or not kinds <= set("iuf") or table.isna().to_numpy().any():
        return None
    array = table.to_numpy()
    if array.dtype.kind == "O" and "u" not in kinds:
        # Columns that may have missing entries.
        array = table.to_numpy(dtype=np.float64 if "f" in kinds else np.int64)
    return (array, names) if array.dtype.kind in "iuf" else None


def read_table(table: Any, metric: str) -> _myrmex.Problem:
    """The problem that a table holds, which is read as a file is."""
    text = _csv_of(table)
    try:
        return _myrmex.parse_text(text, metric)
    except ParseError as error:
        raise InvalidInputError(_told_of_table(text, error)) from None


def _told_of_table(text: str, error: ParseError) -> str:
    """What is wrong with the text of a table, told of the table: rows are counted from 0, and columns have names."""
    lines = csv.reader(io.StringIO(text, newline=""))
    columns = {str(place): repr(name) for place, name in enumerate(next(lines), 1)}
    # A name may take several lines.
    ends = [lines.line_num, *(lines.line_num for _ in lines)]

    def row_at(line: int) -> int:
        return bisect.bisect_left(ends, line) - 1

    message = str(error).removeprefix(f"{error.file}:{error.line}: ")
    message = re.sub(r"in column (\d+)", lambda found: f"in column {columns.get(found[1], found[1])}", message, count=1)
    message = re.sub(r"(in |\()line (\d+)", lambda found: f"{found[1]}row {row_at(int(found[2]))}", message)
    row = row_at(error.line)
    return f"the table: {message}" if row < 0 or message.startswith(("no row ", "there is no way ")) else f"row {row} of the table: {message}"


def _csv_of(table: Any) -> str:
    """A table as text, with what its rows are called where that is more than their numbers."""
    if not hasattr(table, "to_csv"):
        text = str(table.write_csv())
    else:
        text = str(table.to_csv(index=_is_called(table), index_label="name"))
    # A file may have such lines behind its last row; here places in the answer are those of rows.
    if re.search(r'^(?:,|"")*$', text.rstrip("\r\n"), re.MULTILINE):
        for row, cells in enumerate(csv.reader(io.StringIO(text, newline="")), -1):
            if row >= 0 and not any(cells):
                raise InvalidInputError(f"row {row} of the table is blank: leave it out (dropna()), or fill it")
    if "," not in text:
        raise InvalidInputError(
            f"the table has no column but {text.split(chr(10), 1)[0].strip()!r}: points have two (x and y, lon and lat), ways from, to and a distance, a "
            "matrix one for each city"
        )
    return text
