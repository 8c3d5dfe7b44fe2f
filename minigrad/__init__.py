"""minigrad: a NumPy autograd with PyTorch's semantics, every step of which announces itself.

>>> import minigrad as mg
>>> x = mg.tensor([1.0, 2.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4.])
"""

import warnings as _warnings
from typing import NoReturn as _NoReturn

from minigrad.tensor import Size, Tensor  # isort: skip (puts the class together, on which all else rests)
from minigrad import (
    _C,  # noqa: F401 (reached as minigrad._C, like PyTorch's)
    _VF,  # noqa: F401 (the same)
    _vmap_internals,  # noqa: F401 (the same)
    asking,
    at_the_top,
    autograd,
    backends,
    cuda,
    distributions,
    dtypes,
    fft,
    func,
    linalg,
    masked,
    nn,
    older_linalg,
    optim,
    printing,
    random,
    return_types,
    serialization,
    settings,
    special,
    tensor_types,
    testing,
    utils,
)
from minigrad import ops as _ops
from minigrad.asking import *
from minigrad.at_the_top import *
from minigrad.autograd.batching import vmap
from minigrad.autograd.modes import (
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from minigrad.dtypes import *
from minigrad.dtypes import bool_ as bool
from minigrad.dtypes import float_ as float
from minigrad.dtypes import int_ as int
from minigrad.linalg import det, matrix_exp, matrix_power, slogdet
from minigrad.linalg import inv as inverse
from minigrad.linalg import pinv as pinverse
from minigrad.missing import lacking as _lacking
from minigrad.nn.functional import lent as _lent
from minigrad.nn.functional.lent import *
from minigrad.older_linalg import *
from minigrad.ops.arithmetic import *
from minigrad.ops.bessel import *
from minigrad.ops.choice import *
from minigrad.ops.clamping import *
from minigrad.ops.comparison import *
from minigrad.ops.complex_views import *
from minigrad.ops.composite import *
from minigrad.ops.contraction import *
from minigrad.ops.conversion import *
from minigrad.ops.copying import *
from minigrad.ops.creation import *
from minigrad.ops.exponential import *
from minigrad.ops.extremes import *
from minigrad.ops.gamma import *
from minigrad.ops.indexed import index_put_into as index_put
from minigrad.ops.joining import *
from minigrad.ops.likeness import *
from minigrad.ops.matmul import *
from minigrad.ops.numbers import *
from minigrad.ops.order import *
from minigrad.ops.padding import *
from minigrad.ops.picking import *
from minigrad.ops.rearranging import *
from minigrad.ops.reduction import *
from minigrad.ops.rounding import *
from minigrad.ops.rounding import absolute as abs
from minigrad.ops.scan import *
from minigrad.ops.scattering import *
from minigrad.ops.searching import *
from minigrad.ops.searching import _unique, _unique2  # noqa: F401 (PyTorch's core has these names)
from minigrad.ops.shape import *
from minigrad.ops.softmax import *
from minigrad.ops.special import *
from minigrad.ops.statistics import *
from minigrad.ops.trigonometric import *
from minigrad.ops.unordered import teach as _teach_refusals
from minigrad.ops.variance import *
from minigrad.ops.view_copies import *
from minigrad.ops.viewing import *
from minigrad.ops.windows import *
from minigrad.outputs import TAKE_OUT as _TAKE_OUT
from minigrad.outputs import let_take_out as _let_take_out
from minigrad.printing import *
from minigrad.random import *
from minigrad.serialization import load, save
from minigrad.settings import *
from minigrad.tensor_types import *

__all__ = [
    "Size",
    "Tensor",
    "abs",
    "autograd",
    "backends",
    "bool",
    "cuda",
    "det",
    "distributions",
    "dtypes",
    "enable_grad",
    "fft",
    "float",
    "func",
    "index_put",
    "inference_mode",
    "int",
    "inverse",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "linalg",
    "load",
    "masked",
    "matrix_exp",
    "matrix_power",
    "nn",
    "no_grad",
    "optim",
    "pinverse",
    "random",
    "return_types",
    "save",
    "serialization",
    "set_grad_enabled",
    "slogdet",
    "special",
    "testing",
    "utils",
    "vmap",
]
__all__ += asking.__all__
__all__ += at_the_top.__all__
__all__ += dtypes.__all__
__all__ += _ops.arithmetic.__all__
__all__ += _ops.bessel.__all__
__all__ += _ops.choice.__all__
__all__ += _ops.clamping.__all__
__all__ += _ops.comparison.__all__
__all__ += _ops.complex_views.__all__
__all__ += _ops.composite.__all__
__all__ += _ops.contraction.__all__
__all__ += _ops.conversion.__all__
__all__ += _ops.copying.__all__
__all__ += _ops.creation.__all__
__all__ += _ops.exponential.__all__
__all__ += _ops.extremes.__all__
__all__ += _ops.gamma.__all__
__all__ += _ops.joining.__all__
__all__ += _ops.likeness.__all__
__all__ += _ops.matmul.__all__
__all__ += _ops.numbers.__all__
__all__ += _ops.order.__all__
__all__ += _ops.padding.__all__
__all__ += _ops.picking.__all__
__all__ += _ops.rearranging.__all__
__all__ += _ops.reduction.__all__
__all__ += _ops.rounding.__all__
__all__ += _ops.scan.__all__
__all__ += _ops.scattering.__all__
__all__ += _ops.searching.__all__
__all__ += _ops.shape.__all__
__all__ += _ops.softmax.__all__
__all__ += _ops.special.__all__
__all__ += _ops.statistics.__all__
__all__ += _ops.trigonometric.__all__
__all__ += _ops.variance.__all__
__all__ += _ops.view_copies.__all__
__all__ += _ops.viewing.__all__
__all__ += _ops.windows.__all__
__all__ += _lent.__all__
__all__ += older_linalg.__all__
__all__ += printing.__all__
__all__ += random.__all__
__all__ += settings.__all__
__all__ += tensor_types.__all__

_let_take_out(globals(), _TAKE_OUT)
_teach_refusals()

# PyTorch computes log(0) and 0/0 without a word, and so do we. A filter costs nothing while nothing happens;
# np.errstate around every forward would cost a microsecond each, and np.seterr would silence the user's own NumPy as
# well.
_warnings.filterwarnings("ignore", ".* encountered in ", RuntimeWarning, r"minigrad\.")


def __getattr__(name: str) -> _NoReturn:
    """Say what PyTorch has and minigrad has not, and what to use instead."""
    raise _lacking(__name__, name, globals())
