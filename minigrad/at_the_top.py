"""What PyTorch has at its top in another form than elsewhere: methods in place as functions (``relu_(x)``), and
functions of ``nn.functional`` with their arguments in another order.
"""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional
from minigrad.tensor import Tensor

_IN_PLACE = (
    *("abs_", "acos_", "acosh_", "arccos_", "arccosh_", "arcsin_", "arcsinh_", "arctan_", "arctanh_"),
    *("as_strided_", "asin_", "asinh_", "atan_", "atanh_", "ceil_", "clamp_", "clamp_max_", "clamp_min_", "clip_"),
    *("cos_", "cosh_", "deg2rad_", "erf_", "erfc_", "exp_", "exp2_", "expm1_", "fix_", "floor_", "frac_", "gcd_"),
    *("i0_", "index_put_", "lcm_", "ldexp_", "log_", "log10_", "log1p_", "log2_", "logit_", "nan_to_num_", "neg_"),
    *("negative_", "rad2deg_", "reciprocal_", "relu_", "round_", "rsqrt_", "sigmoid_", "sin_", "sinc_", "sinh_"),
    *("sqrt_", "square_", "tan_", "tanh_", "trunc_", "xlogy_"),
)
globals().update({name: getattr(Tensor, name) for name in _IN_PLACE})

__all__ = [
    *(name for name in _IN_PLACE if hasattr(Tensor, name)),
    *(
        "adaptive_max_pool1d",
        "adjoint",
        "alpha_dropout",
        "batch_norm",
        "dropout",
        "embedding",
        "instance_norm",
        "vander",
    ),
]


def dropout(input: Any, p: float, train: bool) -> Any:
    """``nn.functional.dropout`` with nothing left out.

    >>> import minigrad as mg
    >>> mg.dropout(mg.ones(2), 0.5, False)
    tensor([1., 1.])
    """
    return functional.dropout(input, p, train)


def alpha_dropout(input: Any, p: float, train: bool) -> Any:
    """``nn.functional.alpha_dropout`` with nothing left out.

    >>> import minigrad as mg
    >>> mg.alpha_dropout(mg.ones(2), 0.5, False)
    tensor([1., 1.])
    """
    return functional.alpha_dropout(input, p, train)


def embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    """``nn.functional.embedding`` with the table first; -1 stands for no ``padding_idx``.

    >>> import minigrad as mg
    >>> mg.embedding(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), mg.tensor([1]))
    tensor([[3., 4.]])
    """
    padding = None if padding_idx == -1 else padding_idx
    return functional.embedding(
        indices, weight, padding_idx=padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse
    )


def batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """``nn.functional.batch_norm`` with the weights first; ``cudnn_enabled`` says nothing on a CPU.

    >>> import minigrad as mg
    >>> mg.batch_norm(mg.tensor([[1.0], [3.0]]), None, None, None, None, True, 0.1, 0.0, False)
    tensor([[-1.],
            [ 1.]])
    """
    return functional.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """``nn.functional.instance_norm`` with the weights first; ``cudnn_enabled`` says nothing on a CPU.

    >>> import minigrad as mg
    >>> mg.instance_norm(mg.tensor([[[1.0, 3.0]]]), None, None, None, None, True, 0.1, 0.0, False)
    tensor([[[-1.,  1.]]])
    """
    return functional.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def adaptive_max_pool1d(input: Any, output_size: Any) -> Any:
    """``nn.functional.adaptive_max_pool1d`` with the indices of the largest elements.

    >>> import minigrad as mg
    >>> values, indices = mg.adaptive_max_pool1d(mg.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
    >>> indices
    tensor([[1, 3]])
    """
    return functional.adaptive_max_pool1d(input, output_size, return_indices=True)


def adjoint(input: Any) -> Any:
    """``input.mH``: conjugated, the last two dimensions changed places.

    >>> import minigrad as mg
    >>> mg.adjoint(mg.tensor([[1.0, 2.0]]))
    tensor([[1.],
            [2.]])
    """
    return input.mH


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:  # noqa: N803
    """The powers of each element of a vector, from ``N - 1`` down to 0, or up if ``increasing``.

    >>> import minigrad as mg
    >>> mg.vander(mg.tensor([2.0, 3.0]), 3)
    tensor([[4., 2., 1.],
            [9., 3., 1.]])
    """
    count = x.array.shape[0] if N is None else N
    powers = x.unsqueeze(-1) ** Tensor(range(count)).to(x.dtype)
    return powers if increasing else powers.flip(-1)
