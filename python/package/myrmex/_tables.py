"""Tables of pandas and Polars: what their rows and columns are called, and the problems that they hold."""

from __future__ import annotations

import bisect
import csv
import io
import math
import re
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Iterable

import numpy as np
import numpy.typing as npt

from . import _myrmex
from ._errors import InvalidInputError, ParseError

#: What columns are called, in lower case, as `src/instance/tsp/places.rs` has it.
_X, _Y, _Z = ("x", "easting", "xcoord"), ("y", "northing", "ycoord"), ("z", "height", "altitude")
_LON = ("lon", "lng", "long", "longitude", "longitud", "longitudine", "längengrad", "länge")
_LAT = ("lat", "latitude", "latitud", "latitudine", "breitengrad", "breite")
_NAME, _ID = ("name", "city", "label", "title", "stop", "address"), ("id", "node")
#: What a message of the reader says of a column, of a choice that files have or of another line, in places where no word of the table can stand.
_COLUMN = re.compile(r"\A(expected a number for [^'\"]* in column )(\d+)(?=, )")
_CHOICE = re.compile(r", or choose it \([^()]*\)\Z")
_LINE = re.compile(r"\bline (\d+)(?=: leave one of them in\Z|\); give a way that is not there the weight inf)")


def is_table(values: Any) -> bool:
    """Whether something is a table, of pandas or Polars, whose columns have names. Numbers alone are none."""
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


def is_missing(name: object) -> bool:
    """Whether something stands for a name that is not there."""
    try:
        # What is no number is not equal to itself.
        return name is None or bool(name != name)
    except (TypeError, ArithmeticError):
        # Nor does pandas say whether its own is.
        return True


def _is_called(table: Any) -> bool:
    """Whether the rows of a table are called by words, of which some may be missing."""
    index = getattr(table, "index", None)
    if index is None or index.nlevels > 1 or index.dtype.kind in "iufM":
        return False
    words = [label for label in index if not is_missing(label)]
    return len(words) > 0 and _are_words(words)


def _texts(labels: list[Any]) -> list[str]:
    """Labels as a file has them: 101, 101.0 and "101" are the same, and a missing one is blank."""
    return ["" if is_missing(label) else str(int(label)) if isinstance(label, float) and label.is_integer() else str(label) for label in labels]


def _are_same(first: list[Any], second: list[Any]) -> bool:
    """Whether there are labels, and they are the same, in any order."""
    if not first or len(first) != len(second) or sorted(_texts(first)) != sorted(_texts(second)):
        return False
    # Rows without labels of their own are counted from 0, and words that look like such numbers are something else.
    return not ((_are_counted(first) and _are_words(second)) or (_are_counted(second) and _are_words(first)))


def _are_counted(labels: list[Any]) -> bool:
    return not _are_words(labels) and _texts(labels) == [str(place) for place in range(len(labels))]


def _are_in_another_order(first: list[Any], second: list[Any]) -> bool:
    return _are_same(first, second) and _texts(first) != _texts(second)


def _plain(labels: list[Any]) -> list[str]:
    """Labels without the blanks around them and the zeros before them, which files and pandas leave in or out."""
    texts = [text.strip() for text in _texts(labels)]
    return [(text.lstrip("0") or "0") if text.isdecimal() else text for text in texts]


def _unknown(labels: list[Any], others: list[Any]) -> str | None:
    """One of the labels that is none of the others, where they have some in common. What counts from 0 or 1 is no label."""
    first, second = _plain(labels), _plain(others)
    counted = [[str(place) for place in range(base, base + len(side))] for side in (first, second) for base in (0, 1)]
    if first in counted or second in counted or set(second).isdisjoint(first):
        return None
    known = set(second)
    return next((label for label in first if label not in known), None)


def refuse_order(what: str, table: Any) -> None:
    """Refuses a matrix whose rows and columns have the same labels in another order, or some in common."""
    if not _is_frame(table):
        return
    rows, columns = _row_labels(table), list(table.columns)
    alone = _unknown(rows, columns) if len(rows) == len(columns) else None
    if alone is not None:
        raise InvalidInputError(f"{what}: its rows and its columns have some labels in common, but no column is called {alone!r}")
    if not _are_in_another_order(rows, columns):
        return
    remedy = "table.loc[table.columns] has both in the same"
    if _are_words(table.index) != _are_words(table.columns):
        # Labels of one kind can be looked up by those of the other one only as words.
        side = "columns" if _are_words(table.index) else "index"
        are_whole = all(isinstance(label, float) and label.is_integer() for label in getattr(table, side))
        remedy = f"write table.{side} = table.{side}{'.astype(int)' if are_whole else ''}.astype(str), then table.loc[table.columns]"
    raise InvalidInputError(f"{what}: its rows and its columns have the same labels in another order; {remedy}")


def refuse_order_of_placing(flows: Any, distances: Any, placing: Any) -> None:
    """Refuses costs of placing whose labels are those of the facilities or the locations in another order, or some of them, or the wrong way round."""
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
    for side, labels, others, matrix in (("rows", rows, facilities, "A"), ("columns", columns, locations, "B")):
        alone = [_unknown(labels, other) for other in others]
        if alone and None not in alone:
            raise InvalidInputError(f"C: its {side} have some labels of {matrix}, but none of these is {alone[0]!r}")


def labelled(table: Any) -> tuple[npt.NDArray[Any], list[str]] | None:
    """The numbers of a table with a row and a column for each city, and their names; None for any other one."""
    if not (_is_frame(table) and hasattr(table, "to_numpy") and _are_words(table.columns)):
        return None
    names = list(table.columns)
    # Up to three columns may be coordinates, and numbers before their rows no names.
    if not (_is_called(table) or len(names) > 3) or not _are_same(_row_labels(table), names):
        return None
    refuse_order("points_or_matrix", table)
    missing = table.isna().to_numpy()
    # What is wrong with a blank entry is told of the text of a table; the diagonal counts for nothing.
    if (missing & ~np.eye(len(names), dtype=bool)).any():
        return None
    array = table.to_numpy()
    if array.dtype.kind != "O":
        return array, names
    array = np.where(missing, 0, array)
    kinds = {getattr(dtype, "kind", "O") for dtype in table.dtypes}
    if kinds <= set("if"):
        # Columns that may have missing entries.
        return array.astype(np.float64 if "f" in kinds else np.int64), names
    return None if any(isinstance(entry, str) for entry in array.flat) else (array, names)


def names_in(table: Any) -> list[str] | None:
    """What an index of words calls the rows of a table."""
    return _texts(_row_labels(table)) if _is_frame(table) and _is_called(table) else None


def side_names(table: Any) -> list[str] | None:
    """What an index of words, or else the header, calls the rows and the columns of a matrix of flows or of distances."""
    names = names_in(table)
    if names is None and is_table(table):
        names = list(table.columns)
    # Files leave blanks around names out.
    return None if names is None else [name.strip() for name in names]


def _column(table: Any, words: Iterable[str]) -> str | None:
    """The column of a table that is called so; None where none is."""
    found = [name for name in table.columns if name.lower() in words]
    if len(found) > 1:
        raise InvalidInputError(f"points_or_matrix: columns {found[0]!r} and {found[1]!r} mean the same: leave one of them out")
    return found[0] if found else None


def points_in(table: Any, metric: str) -> tuple[Any, list[str] | None, list[str] | None]:
    """The columns of a table that are coordinates, as a metric of TSPLIB takes them, the cities' names, and their ids beside these; the whole
    table where no columns have such names."""
    x, y, z, lon, lat = (_column(table, words) for words in (_X, _Y, _Z, _LON, _LAT))
    name, number = _column(table, _NAME), _column(table, _ID)
    # TSPLIB has latitudes first.
    degrees = [lat, lon] if metric == "GEO" else [lon, lat]
    chosen = degrees if None not in degrees else [x, y, z] if z is not None else [x, y]
    names = names_in(table)
    if None in chosen:
        known = [column for column in (name, number, _column(table, ("from",)), _column(table, ("to",))) if column is not None]
        if known:
            raise InvalidInputError(
                f"points_or_matrix: no columns are called x and y, or lon and lat, beside {known[0]!r}: {metric!r} measures coordinates"
            )
        return table, names, None
    if names is None and (name or number) is not None:
        names = _texts(list(table[name or number]))
    return table[chosen], names, _texts(list(table[number])) if number is not None and name is not None else None


def read_table(table: Any, metric: str) -> _myrmex.Problem:
    """The problem that a table holds, which is read as a file is."""
    text = _csv_of(table)
    try:
        problem = _myrmex.parse_text(text, metric)
    except ParseError as error:
        raise InvalidInputError(_told_of_table(text, error)) from None
    # Columns that are cities are called as the table calls them.
    return problem.with_city_names(list(table.columns)) if problem.city_names == _header(table) else problem


def _told_of_table(text: str, error: ParseError) -> str:
    """What is wrong with the text of a table, told of the table: rows are counted from 0, and columns have names."""
    lines = csv.reader(io.StringIO(text, newline=""))
    columns = {str(place): repr(name) for place, name in enumerate((name.removeprefix("column ") for name in next(lines)), 1)}
    # A name may take several lines.
    ends = [lines.line_num, *(lines.line_num for _ in lines)]

    def row_at(line: int) -> int:
        return bisect.bisect_left(ends, line) - 1

    message = str(error).removeprefix(f"{error.file}:{error.line}: ")
    message = _COLUMN.sub(lambda found: found[1] + columns.get(found[2], found[2]), message)
    message = _CHOICE.sub("", message)
    message = _LINE.sub(lambda found: f"row {row_at(int(found[1]))}", message)
    row = row_at(error.line)
    return f"the table: {message}" if row < 0 or message.startswith(("no row ", "there is no way ")) else f"row {row} of the table: {message}"


def _header(table: Any) -> list[str]:
    """What the text of a table calls its columns. A number would be a city's there, unless rows are called so, too."""
    names = list(table.columns)
    if _are_same(_row_labels(table), names):
        return names
    if len(names) == len(table) + 1 and _texts(list(table[names[0]])) == names[1:]:
        return ["", *names[1:]]
    return [f"column {name}" if _is_number(name) else name for name in names]


def _decimals(number: float) -> str:
    """A number as text, in which three digits behind the point could be thousands."""
    text = str(number)
    return f"{text}0" if text[-4:-3] == "." else text


def _as_floats(column: Any) -> npt.NDArray[Any] | None:
    """The floats that a column holds in another form: as objects, among them whole numbers, sparse, or as categories; None where there are no decimals,
    or anything else."""
    values = column.to_numpy()
    if values.dtype.kind == "f":
        return values  # type: ignore[no-any-return]
    there = [] if values.dtype.kind != "O" else (entry for entry in values if not is_missing(entry))
    is_whole = True
    for entry in there:
        if isinstance(entry, (bool, np.bool_)) or not isinstance(entry, (Real, Decimal)):
            return None
        is_whole = is_whole and isinstance(entry, Integral)
    try:
        return None if is_whole else np.array([math.nan if is_missing(entry) else float(entry) for entry in values])
    except OverflowError:
        return None


def _csv_of(table: Any) -> str:
    """A table as text, with what its rows are called where that is more than their numbers. Words are in quotes, for none to begin a comment."""
    names = _header(table)
    if len(names) + _is_called(table) < 2:
        raise InvalidInputError(
            f"the table has no column but {names[0]!r}: points have two (x and y, lon and lat), ways from, to and a distance, a matrix one for each city"
        )
    if hasattr(table, "to_csv"):
        table = table.set_axis(range(len(names)), axis=1)
        for place, name in zip(table.columns, names):
            column = table[place]
            is_plain = isinstance(column.dtype, np.dtype) and column.dtype.kind != "O"
            floats = None if is_plain or name.lower() in (*_NAME, *_ID) else _as_floats(column)
            if floats is not None:
                table[place] = floats
        decimals = table.select_dtypes("floating")
        with np.errstate(over="ignore"):
            has_three = ((decimals.round(3) == decimals) & (decimals.round(2) != decimals)).any(axis=None)
        style: dict[str, Any] = {"quoting": csv.QUOTE_NONNUMERIC, "float_format": _decimals if has_three else None}
        text = str(table.set_axis(names, axis=1).to_csv(index=_is_called(table), index_label="name", **style))
    else:
        for column in table.get_columns():
            # Polars writes no objects.
            is_object = str(column.dtype) == "Object"
            is_name = column.name.lower() in (*_NAME, *_ID)
            floats = _as_floats(column) if (is_object or column.dtype.is_decimal()) and not is_name else None
            if floats is not None:
                table = table.with_columns(type(column)(column.name, floats, nan_to_null=True))
            elif is_object:
                table = table.with_columns(type(column)(column.name, _texts(column.to_list())))
        decimals = [column.cast(str).str.replace(r"(\.\d{3})$", "${1}0") for column in table.get_columns() if column.dtype.is_float()]
        text = str(table.with_columns(decimals).rename(dict(zip(table.columns, names))).write_csv(quote_style="non_numeric"))
    # A file may have such lines behind its last row; here places in the answer are those of rows.
    if re.search(r'^(?:,|"")*$', text.rstrip("\r\n"), re.MULTILINE):
        for row, cells in enumerate(csv.reader(io.StringIO(text, newline="")), -1):
            if row >= 0 and not any(cells):
                raise InvalidInputError(f"row {row} of the table is blank: leave it out (dropna()), or fill it")
    return text
