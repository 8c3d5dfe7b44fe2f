"""``conv1d`` to ``conv3d`` and their transposes: PyTorch's signatures over the operations of
``minigrad.ops.convolution``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad.ops.convolution import Steps, convolved, spread_back
from minigrad.ops.dims import Shape
from minigrad.ops.padding import padded
from minigrad.ops.scope import composite
from minigrad.ops.viewing import squeeze_dim, unsqueeze

Lengths = int | Sequence[int]


def each_dim(value: Lengths, count: int, name: str) -> Shape:
    """One number for each of ``count`` dimensions, from one for all or a sequence."""
    if isinstance(value, int):
        return (value,) * count
    numbers = tuple(int(each) for each in value)
    if len(numbers) == 1:
        return numbers * count
    if len(numbers) != count:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {count} values, but got {list(numbers)}"
        )
    return numbers


def batched(input: Any, count: int, name: str) -> tuple[Any, bool]:
    """``input`` with a dimension for the batch, and whether it had to be put in."""
    ndim = input.array.ndim
    if ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.array.shape)}"
        )
    return (input, False) if ndim == count + 2 else (unsqueeze.apply(input, 0), True)


def _same(x: Any, weight: Any, stride: Shape, dilation: Shape) -> tuple[Any, Shape]:
    """The padding that keeps the lengths; where it is odd, one more zero is put behind."""
    if any(step != 1 for step in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(dilation, weight.array.shape[2:], strict=True)]
    odd = tuple(n % 2 for n in total)
    if any(odd):
        x = padded.apply(x, ((0, 0), (0, 0), *((0, n) for n in odd)), 0)
    return x, tuple(n // 2 for n in total)


def _conv(count: int, input: Any, weight: Any, bias: Any, options: tuple[Any, ...]) -> Any:
    stride, padding, dilation, groups = options
    name = f"conv{count}d"
    if weight.array.ndim != count + 2:
        raise RuntimeError(
            f"{name}: weight should have {count + 2} dimensions, but has shape {list(weight.array.shape)}"
        )
    x, added = batched(input, count, name)
    steps, gaps = each_dim(stride, count, "stride"), each_dim(dilation, count, "dilation")
    if padding == "same":
        x, width = _same(x, weight, steps, gaps)
    elif padding == "valid":
        width = (0,) * count
    elif isinstance(padding, str):
        raise RuntimeError(f"Invalid padding string: {padding!r}; it is 'valid' or 'same'")
    else:
        width = each_dim(padding, count, "padding")
    if min(width) < 0:
        raise RuntimeError("negative padding is not supported")
    out = convolved.apply(x, weight, bias, Steps(steps, width, gaps, groups))
    return squeeze_dim.apply(out, 0) if added else out


@composite
def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Lengths = 1,
    padding: Lengths | str = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Any:
    """The kernels ``weight`` (out, in / groups, K) laid over ``input`` (N, in, L) or (in, L) at every place.

    ``padding`` is a width of zeros, ``"valid"`` for none or ``"same"`` to keep the length. Raises RuntimeError when
    channels or
    sizes do not fit.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.conv1d(mg.tensor([[[1.0, 2.0, 4.0]]]), mg.tensor([[[-1.0, 1.0]]]), padding="same")
    tensor([[[ 1.,  2., -4.]]])
    """
    return _conv(1, input, weight, bias, (stride, padding, dilation, groups))


@composite
def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Lengths = 1,
    padding: Lengths | str = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Any:
    """``conv1d`` in two dimensions: ``input`` (N, in, H, W), ``weight`` (out, in / groups, kH, kW).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.conv2d(mg.ones(1, 1, 3, 3), mg.ones(1, 1, 2, 2))
    tensor([[[[4., 4.],
              [4., 4.]]]])
    """
    return _conv(2, input, weight, bias, (stride, padding, dilation, groups))


@composite
def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Lengths = 1,
    padding: Lengths | str = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Any:
    """``conv1d`` in three dimensions: ``input`` (N, in, D, H, W), ``weight`` (out, in / groups, kD, kH, kW).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.conv3d(mg.ones(1, 1, 2, 2, 2), mg.ones(1, 1, 2, 2, 2)).item()
    8.0
    """
    return _conv(3, input, weight, bias, (stride, padding, dilation, groups))


def _conv_transpose(count: int, input: Any, weight: Any, bias: Any, options: tuple[Any, ...]) -> Any:
    stride, padding, extra, groups, dilation = options
    x, added = batched(input, count, f"conv_transpose{count}d")
    shape = weight.array.shape
    if x.array.shape[1] != shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(shape)}, expected input{list(x.array.shape)} to have "
            f"{shape[0]} channels, but "
            f"got {x.array.shape[1]} channels instead"
        )
    numbers = ((stride, "stride"), (padding, "padding"), (dilation, "dilation"), (extra, "output_padding"))
    steps, width, gaps, more = (each_dim(value, count, name) for value, name in numbers)
    if any(m >= max(s, d) for m, s, d in zip(more, steps, gaps, strict=True)):
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got output_padding: {list(more)} "
            f"stride: "
            f"{list(steps)} dilation: {list(gaps)}"
        )
    if any(m >= s for m, s in zip(more, steps, strict=True)):
        out = _cut_later(x, weight, bias, (steps, width, more, groups, gaps))
        return squeeze_dim.apply(out, 0) if added else out
    spatial = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + m + 1
        for n, s, p, d, k, m in zip(x.array.shape[2:], steps, width, gaps, shape[2:], more, strict=True)
    )
    out = spread_back.apply(x, weight, bias, spatial, Steps(steps, width, gaps, groups))
    return squeeze_dim.apply(out, 0) if added else out


def _cut_later(x: Any, weight: Any, bias: Any, options: tuple[Any, ...]) -> Any:
    """Where so much is added that a further place would fit: everything is spread, and then cut to size."""
    steps, width, more, groups, gaps = options
    whole = tuple(
        (n - 1) * s + d * (k - 1) + 1
        for n, s, d, k in zip(x.array.shape[2:], steps, gaps, weight.array.shape[2:], strict=True)
    )
    out = spread_back.apply(x, weight, None, whole, Steps(steps, (0,) * len(steps), gaps, groups))
    edges = ((-p, m - p) for p, m in zip(width, more, strict=True))
    out = padded.apply(out, ((0, 0), (0, 0), *edges), 0)
    return out if bias is None else out + bias.reshape(-1, *(1,) * len(steps))


@composite
def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    groups: int = 1,
    dilation: Lengths = 1,
) -> Any:
    """The transpose of ``conv1d``: each element of ``input`` (N, in, L) spread over a window; ``weight`` is (in, out /
    groups, K).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.conv_transpose1d(mg.tensor([[[1.0, 2.0]]]), mg.ones(1, 1, 2), stride=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    return _conv_transpose(1, input, weight, bias, (stride, padding, output_padding, groups, dilation))


@composite
def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    groups: int = 1,
    dilation: Lengths = 1,
) -> Any:
    """``conv_transpose1d`` in two dimensions: ``input`` (N, in, H, W), ``weight`` (in, out / groups, kH, kW)."""
    return _conv_transpose(2, input, weight, bias, (stride, padding, output_padding, groups, dilation))


@composite
def conv_transpose3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    groups: int = 1,
    dilation: Lengths = 1,
) -> Any:
    """``conv_transpose1d`` in three dimensions."""
    return _conv_transpose(3, input, weight, bias, (stride, padding, output_padding, groups, dilation))
