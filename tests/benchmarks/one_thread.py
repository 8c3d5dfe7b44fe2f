"""One thread for everybody. It must be called before NumPy is first imported, and itself imports nothing that would."""

from __future__ import annotations

import os
import sys

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def use_one_thread() -> None:
    """Tell every linear algebra library that NumPy or PyTorch may come with, and what is started from here, to use one
    thread."""
    if "numpy" in sys.modules:
        raise RuntimeError("use_one_thread() was called after NumPy was imported, when it no longer has any effect.")
    os.environ.update(dict.fromkeys(VARIABLES, "1"))
