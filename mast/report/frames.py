"""Rows as pandas DataFrames. pandas is imported when the first one is asked for, and only here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mast.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd


def frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> "pd.DataFrame":
    """Return *rows* as a DataFrame with *columns*; what is unknown is ``<NA>``, and counts stay whole numbers.

    Raises:
        MissingExtraError: if pandas is not installed.
    """
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise MissingExtraError("pandas", "notebook") from error
    return pd.DataFrame({name: [row[name] for row in rows] for name in columns}, columns=list(columns)).convert_dtypes()
