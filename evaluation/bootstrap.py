"""The 95% interval of a mean, by bootstrap."""

from collections.abc import Mapping

import numpy as np

SEED = 20240320
RESAMPLES = 5000

Interval = tuple[float, float]


def mean_interval(counts: Mapping[float, int]) -> Interval:
    """The interval of the mean of values, each given with its count; (0, 0) of no values.

    To draw n values with replacement and count them is to draw the counts from a multinomial
    distribution.
    """
    total = sum(counts.values())
    if not total:
        return 0.0, 0.0
    values, number = zip(*sorted(counts.items()), strict=True)
    drawn = np.random.default_rng(SEED).multinomial(total, np.array(number) / total, RESAMPLES)
    low, high = np.percentile(drawn @ np.array(values) / total, [2.5, 97.5])
    return float(low), float(high)
