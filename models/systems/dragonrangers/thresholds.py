"""The thresholds of dragonrangers' three steps, and the file that `training.calibrate` writes."""

import json
import logging
from dataclasses import dataclass, fields
from pathlib import Path

from utils.errors import SettingsError
from utils.typed import Chance, read_record

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The confidence that a step's answer must exceed to be given; 1 lets no answer through.

    The paper gives no values, only how they were found (section 4.1.4). These are ours: of three
    samples all must agree, and the tokens' mean probability must exceed one half.

    Attributes:
        parametric: T_P (section 3.1).
        external: T_E (section 3.2).
        final: T_F (section 3.3).
    """

    parametric: Chance = 0.7
    external: Chance = 0.5
    final: Chance = 0.5


STAGES = tuple(entry.name for entry in fields(Thresholds))


def read_thresholds(file: Path) -> Thresholds:
    """The thresholds of a calibration file.

    Raises:
        SettingsError: it cannot be read, or lacks the thresholds of the three steps.
    """
    try:
        calibration = json.loads(file.read_text(encoding="utf-8"))
        values = {stage: calibration["thresholds"][stage] for stage in STAGES}
        if not calibration["held_out"]["gains"]:
            logger.warning("%s: its thresholds gained nothing on held-out data", file)
        return read_record(Thresholds, values, f"{file}: no calibration file")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{file}: no calibration file: {error!r:.200}") from error
