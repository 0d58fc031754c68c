"""Errors at the door: each check names the argument, the value and what was expected."""

import math
import operator

import numpy as np


def integer(name, value, low, high=math.inf):
    """Return ``value`` as an int with ``low <= value <= high``; anything else is a ValueError."""
    expected = f"an integer of at least {low}" + (f" and at most {high}" if high < math.inf else "")
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be {expected}, got {value!r}") from None
    if isinstance(value, (bool, np.bool_)) or not low <= number <= high:
        raise ValueError(f"{name} must be {expected}, got {value!r}")
    return number


def real(name, value, low, below=math.inf):
    """Return ``value`` as a float with ``low <= value < below``; NaN is refused too."""
    expected = f"a finite number of at least {low}" + (
        f" and below {below}" if below < math.inf else ""
    )
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {expected}, got {value!r}") from None
    if not low <= number < below:
        raise ValueError(f"{name} must be {expected}, got {value!r}")
    return number


def signs(name, bits, d):
    """Return ``bits`` as an array (..., d) of ±1; {0, 1} bits are refused, not converted."""
    bits = np.asarray(bits)
    if bits.ndim == 0 or bits.shape[-1] != d:
        raise ValueError(f"{name} must have shape (..., {d}), got shape {bits.shape}")
    if not np.all(np.abs(bits) == 1):
        bad = bits[np.abs(bits) != 1].flat[0]
        raise ValueError(f"{name} must hold only -1 and +1 (map a bit b to 2b - 1), got {bad!r}")
    return bits


def finite_matrix(name, array, rows=None, columns=None):
    """Return ``array`` as a finite floating NumPy matrix of the given shape (None: any)."""
    array = np.asarray(array)
    expected = f"({rows or 'any'}, {columns or 'any'})"
    if array.ndim != 2 or (rows or array.shape[0], columns or array.shape[1]) != array.shape:
        raise ValueError(f"{name} must have shape {expected}, got shape {array.shape}")
    if not np.issubdtype(array.dtype, np.floating):
        raise ValueError(f"{name} must hold floating-point numbers, got dtype {array.dtype}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers, got NaN or infinity")
    return array
