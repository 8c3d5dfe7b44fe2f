"""Samples of the special functions that have no derivative: orthogonal polynomials and Bessel functions."""

from __future__ import annotations

from tests.ops.sample import Sample, Table, real, sample, whole

CHEBYSHEV = [f"{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"]
OTHERS = ["hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]
THIRD = [f"{scaled}modified_bessel_k{order}" for scaled in ("", "scaled_") for order in (0, 1)]


def _polynomial(name: str) -> list[Sample]:
    call = f"m.special.{name}"
    return [
        sample(f"{call}(x, n)", x=real(2, 3, low=-1, high=1), n=whole(3, low=-1, high=9), kinds="", special=False),
        sample(f"{call}(x, 5)", x=real(4), kinds="", special=False),
    ]


def _bessel(name: str, *ranges: tuple[float, float]) -> list[Sample]:
    call = f"m.special.{name}(x)"
    return [sample(call, x=real(9, low=low, high=high), kinds="", special=False) for low, high in ranges]


SAMPLES: Table = {
    **{name: _polynomial(name) for name in CHEBYSHEV + OTHERS},
    # Between 2 and 30 PyTorch's own J and Y are right to seven digits only; ours are measured by the integral.
    **{f"bessel_j{order}": _bessel(f"bessel_j{order}", (-1, 1), (-2, 2), (40, 60)) for order in (0, 1)},
    **{f"bessel_y{order}": _bessel(f"bessel_y{order}", (0.01, 1), (1, 2), (40, 60)) for order in (0, 1)},
    **{name: _bessel(name, (0.01, 1), (1, 20), (30, 60)) for name in THIRD},
    "spherical_bessel_j0": _bessel("spherical_bessel_j0", (-1, 1), (-20, 20)),
    **{f"modified_i{order}": _bessel(f"modified_bessel_i{order}", (-1, 1), (-20, 20)) for order in (0, 1)},
}
