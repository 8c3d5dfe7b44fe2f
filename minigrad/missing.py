"""What PyTorch has and minigrad has not: the sentence that says so, with what to use instead.

Knows names and words only, none of the things themselves.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NoReturn

_EAGER = "every call is computed at once, so leave it out"
_ONE_DEVICE = "there is the CPU only, so leave it out"
_NO_MIXED = "it computes in the type that you give; leave it out, or use .half() or .float()"
_DENSE = "tensors are dense; use an ordinary one with zeros"
_ONE_PROCESS = "it computes in one process; leave it out"
_NOT_LOW = "its types are float16, 32, 64, complex64, 128, int8 to int64, uint8 and bool"
_CALLS = "differentiate with minigrad.autograd.grad, functional.jacobian, functional.hessian or functional.jvp"

INSTEAD = {
    "BFloat16Tensor": "NumPy has no bfloat16; use HalfTensor or FloatTensor",
    "accelerator": _ONE_DEVICE,
    "amp": _NO_MIXED,
    "autocast": _NO_MIXED,
    "bfloat16": "NumPy has none; use float32, or float16 for half the memory",
    "chalf": _NOT_LOW,
    "compile": _EAGER,
    "compiler": _EAGER,
    "complex32": _NOT_LOW,
    "cuda.amp": _NO_MIXED,
    "distributed": _ONE_PROCESS,
    "export": _EAGER,
    "functorch": _CALLS,
    "fx": _EAGER,
    "hub": "models cannot be downloaded; build them from minigrad.nn",
    "jit": _EAGER,
    "mps": _ONE_DEVICE,
    "multiprocessing": "use Python's own multiprocessing",
    "nested": "pad to one length, and mask",
    "nn.SyncBatchNorm": f"{_ONE_PROCESS}, or use BatchNorm",
    "nn.parallel.DistributedDataParallel": _ONE_PROCESS,
    "nn.quantized": _NOT_LOW,
    "onnx": "save the state_dict with minigrad.save, or record the run with `inspector record`",
    "optim.SparseAdam": "gradients are dense; use Adam",
    "optim.swa_utils": "average the parameters in a loop under no_grad",
    "overrides": "subclass Function or write an @op",
    "package": "save the state_dict with minigrad.save",
    "profiler": "use Python's cProfile, or `inspector run` to see every operation",
    "quantization": _NOT_LOW,
    "quantize_per_tensor": _NOT_LOW,
    "set_default_device": _ONE_DEVICE,
    "sparse": _DENSE,
    "sparse_coo": _DENSE,
    "sparse_coo_tensor": _DENSE,
    "sparse_csr": _DENSE,
    "sparse_csr_tensor": _DENSE,
    "uint16": _NOT_LOW,
    "uint32": _NOT_LOW,
    "uint64": _NOT_LOW,
    "utils.bottleneck": "use Python's cProfile",
    "utils.cpp_extension": "write the operation in Python, with @op",
    "utils.mobile_optimizer": _EAGER,
    "utils.tensorboard": "record the run with `inspector record`, or write numbers to a file",
    "xpu": _ONE_DEVICE,
}
"""By the name under ``torch``; what is under such a name is missing with it."""

OTHER_HOUSES = {
    "functorch": _CALLS,
    "lightning": "write the training loop out",
    "pytorch_lightning": "write the training loop out",
    "torchaudio": "load the data with NumPy",
    "torchtext": "load the data with NumPy",
    "torchvision": "load the data with NumPy; tutorials/data/digits.npz holds 1,797 images of digits",
}
"""Packages that stand on PyTorch's insides, and what to do without them."""


METHODS = {
    "bfloat16": INSTEAD["bfloat16"],
    "compile": _EAGER,
    "cuda": _ONE_DEVICE,
    "share_memory": _ONE_PROCESS,
    "share_memory_": _ONE_PROCESS,
    "xpu": _ONE_DEVICE,
}
"""What tensors and modules lack, by name."""


def absent(owner: str, name: str, advice: str | None = None) -> AttributeError:
    """The error of asking an object of class ``owner`` for what it does not have."""
    advice = advice or METHODS.get(name)
    told = "" if advice is None else f": minigrad has none; {advice}."
    return AttributeError(f"{owner!r} object has no attribute {name!r}{told}")


class Absent:
    """In the place of a method that PyTorch has and minigrad has not: asking for it raises, and ``hasattr`` says no.

    A ``__getattr__`` of the class would say the same, and make every look at a tensor's attributes slower.
    """

    def __init__(self, advice: str) -> None:
        self._advice = advice

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise absent(owner.__name__, self._name, self._advice)


class AbsentMethods:
    """What tensors do not have."""

    __slots__ = ()

    bfloat16, share_memory_ = Absent(METHODS["bfloat16"]), Absent(METHODS["share_memory_"])
    cuda, xpu, pin_memory = Absent(_ONE_DEVICE), Absent(_ONE_DEVICE), Absent(_ONE_DEVICE)
    to_sparse, to_sparse_coo, to_sparse_csr = Absent(_DENSE), Absent(_DENSE), Absent(_DENSE)
    to_mkldnn, coalesce, sparse_mask = Absent(_DENSE), Absent(_DENSE), Absent(_DENSE)


def sentence(module: str, name: str, present: Iterable[str]) -> str:
    """Why ``module`` ("minigrad.nn") has no ``name``, and what to use instead, or what was perhaps meant."""
    path = f"{module}.{name}".partition(".")[2]
    told = f"module {module!r} has no attribute {name!r}"
    advice = instead(path)
    if advice is not None:
        return f"{told}: minigrad has no torch.{path}; {advice}."
    near = difflib.get_close_matches(name, present, 1, cutoff=0.75)
    return f"{told}; did you mean {near[0]!r}?" if near else f"{told}; dir({module}) lists what there is."


def instead(path: str) -> str | None:
    """What to use in place of ``torch.<path>``, said of it or of what it is a part of; None where nothing is known."""
    while path:
        if path in INSTEAD:
            return INSTEAD[path]
        path = path.rpartition(".")[0]
    return None


def lacking(module: str, name: str, present: Iterable[str]) -> AttributeError:
    """The error of asking ``module`` for a name that it does not have; for its ``__getattr__``."""
    if name.startswith("__"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    return AttributeError(sentence(module, name, [one for one in present if not one.startswith("_")]))
