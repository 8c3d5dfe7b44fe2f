"""The special functions under PyTorch's second name for them, ``special``."""

from minigrad.ops.bessel import i0, i0e, i1, i1e
from minigrad.ops.bessel import modified_i0 as modified_bessel_i0
from minigrad.ops.bessel import modified_i1 as modified_bessel_i1
from minigrad.ops.bessel_oscillating import (
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
    spherical_bessel_j0,
)
from minigrad.ops.exponential import exp2, expm1, log1p, logit
from minigrad.ops.exponential import sigmoid as expit
from minigrad.ops.gamma import igamma as gammainc
from minigrad.ops.gamma import igammac as gammaincc
from minigrad.ops.gamma import mvlgamma as multigammaln
from minigrad.ops.gamma import zeta
from minigrad.ops.normal_distribution import erfcx, log_ndtr, ndtr, ndtri
from minigrad.ops.polynomials import (
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    hermite_polynomial_h,
    hermite_polynomial_he,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w,
)
from minigrad.ops.reduction import logsumexp
from minigrad.ops.rounding import round
from minigrad.ops.softmax import log_softmax, softmax
from minigrad.ops.special import digamma, entr, erf, erfc, erfinv, polygamma, xlog1py, xlogy
from minigrad.ops.special import digamma as psi
from minigrad.ops.special import lgamma as gammaln
from minigrad.ops.trigonometric import sinc

# fmt: off
__all__ = [
    "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "chebyshev_polynomial_t", "chebyshev_polynomial_u",
    "chebyshev_polynomial_v", "chebyshev_polynomial_w", "digamma", "entr", "erf", "erfc", "erfcx", "erfinv",
    "exp2", "expit", "expm1", "gammainc", "gammaincc", "gammaln", "hermite_polynomial_h", "hermite_polynomial_he",
    "i0", "i0e", "i1", "i1e", "laguerre_polynomial_l", "legendre_polynomial_p", "log1p", "log_ndtr",
    "log_softmax", "logit", "logsumexp", "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0",
    "modified_bessel_k1", "multigammaln", "ndtr", "ndtri", "polygamma", "psi", "round",
    "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w", "sinc",
    "softmax", "spherical_bessel_j0", "xlog1py", "xlogy", "zeta",
]
# fmt: on
