"""The special functions under PyTorch's second name for them, ``special``."""

from minigrad.ops.exponential import exp2, expm1, log1p, logit
from minigrad.ops.exponential import sigmoid as expit
from minigrad.ops.reduction import logsumexp
from minigrad.ops.rounding import round
from minigrad.ops.softmax import log_softmax, softmax
from minigrad.ops.special import digamma, entr, erf, erfc, erfinv, polygamma, xlogy
from minigrad.ops.special import digamma as psi
from minigrad.ops.special import lgamma as gammaln
from minigrad.ops.trigonometric import sinc

__all__ = [
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammaln",
    "log1p",
    "log_softmax",
    "logit",
    "logsumexp",
    "polygamma",
    "psi",
    "round",
    "sinc",
    "softmax",
    "xlogy",
]
