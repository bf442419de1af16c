"""Numbers as the decimals that the KG means by them.

Prices are stored in 32 bits, so that the KG writes 3.38 as 3.380000114440918; and a sum of such
numbers in binary is a little off, which a rounding at half a cent would show.
"""

import struct
from collections.abc import Sequence
from decimal import Decimal

_DIGITS_OF_32_BITS = range(6, 10)  # of the decimals that 32 bits can tell apart


def meant_number(number: float) -> float:
    """The decimal with the fewest digits that a 32-bit float stands for; other numbers as they are.

    >>> meant_number(3.380000114440918), meant_number(3.424999952316284), meant_number(477.75)
    (3.38, 3.425, 477.75)
    >>> meant_number(2784634449820.876), meant_number(123456792.0)
    (2784634449820.876, 123456792.0)
    """
    is_short = len(repr(number)) <= max(_DIGITS_OF_32_BITS)
    if is_short or number.is_integer() or not _has_32_bits(number, number):
        return number
    for digits in _DIGITS_OF_32_BITS:
        short = float(f"{number:.{digits}g}")
        if _has_32_bits(short, number):
            return short
    return number


def _has_32_bits(number: float, stored: float) -> bool:
    """Whether `stored` is what 32 bits hold of `number`."""
    try:
        (kept,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        return False
    return bool(kept == stored)


def _exact(number: float) -> Decimal:
    """The shortest decimal of a number."""
    return Decimal(repr(number))


def exact_sum(numbers: Sequence[float]) -> float:
    """The sum of the shortest decimals.

    >>> exact_sum([0.1, 0.2]), exact_sum([])
    (0.3, 0.0)
    """
    return float(sum(map(_exact, numbers), Decimal()))


def exact_mean(numbers: Sequence[float]) -> float:
    """The mean of the shortest decimals.

    >>> exact_mean([99.12, 99.13])
    99.125
    """
    return float(sum(map(_exact, numbers), Decimal()) / len(numbers))


def exact_difference(number: float, other: float) -> float:
    """The difference of the shortest decimals.

    >>> exact_difference(0.3, 0.1)
    0.2
    """
    return float(_exact(number) - _exact(other))
