"""What is declared of the features of the log-linear models (`features.toml`)."""

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

_FILE = Path(__file__).with_suffix(".toml")
_SEPARATOR = ":"  # between a family and the value of one of its features


class Feature(BaseModel):
    """A row `[[feature]]`; the file's head says what each field means."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    about: str
    family: bool = False
    confidence: bool = True
    fine: bool = False
    risk: float | None = None


class _FeatureFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    feature: tuple[Feature, ...]


@cache
def _features_by_key() -> dict[tuple[str, bool], Feature]:
    """The declared features by their names and whether they are families."""
    file = _FeatureFile.model_validate(tomllib.loads(_FILE.read_text(encoding="utf-8")))
    return {(feature.name, feature.family): feature for feature in file.feature}


def declared_feature(name: str) -> Feature | None:
    """The row of a feature: "left", or that of "form" for "form:who|date"; None without one."""
    family, separator, _ = name.partition(_SEPARATOR)
    return _features_by_key().get((family, bool(separator)))
