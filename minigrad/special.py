"""The special functions under PyTorch's second name for them, ``special``."""

from minigrad.ops.bessel import i0, i0e, i1, i1e
from minigrad.ops.exponential import exp2, expm1, log1p, logit
from minigrad.ops.exponential import sigmoid as expit
from minigrad.ops.gamma import igamma as gammainc
from minigrad.ops.gamma import igammac as gammaincc
from minigrad.ops.gamma import mvlgamma as multigammaln
from minigrad.ops.gamma import zeta
from minigrad.ops.normal_distribution import erfcx, log_ndtr, ndtr, ndtri
from minigrad.ops.reduction import logsumexp
from minigrad.ops.rounding import round
from minigrad.ops.softmax import log_softmax, softmax
from minigrad.ops.special import digamma, entr, erf, erfc, erfinv, polygamma, xlog1py, xlogy
from minigrad.ops.special import digamma as psi
from minigrad.ops.special import lgamma as gammaln
from minigrad.ops.trigonometric import sinc

# fmt: off
__all__ = [
    "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammainc", "gammaincc", "gammaln",
    "i0", "i0e", "i1", "i1e", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr",
    "ndtri", "polygamma", "psi", "round", "sinc", "softmax", "xlog1py", "xlogy", "zeta",
]
# fmt: on
