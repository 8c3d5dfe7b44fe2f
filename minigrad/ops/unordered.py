"""What complex numbers have no answer to: operations that need an order among numbers, or that only real ones have.

NumPy would compare complex numbers by their real parts first. PyTorch refuses, and so do these, in its words.
"""

from __future__ import annotations

from minigrad.op import REGISTRY

_WITHOUT_KERNEL = {
    "max_all": "max_all",
    "min_all": "min_all",
    "cummax_along": "cummax_cpu",
    "cummin_along": "cummin_cpu",
    "median_all": "median_cpu",
    "nanmedian_all": "median_cpu",
    "median_along": "median_out",
    "nanmedian_along": "median_out",
    "mode_along": "mode_cpu",
    "amax_over": "max_values_cpu",
    "amin_over": "min_values_cpu",
    "aminmax_over": "aminmax_cpu",
    "kthvalue_along": "kthvalue_cpu",
    "round_whole": "round_vml_cpu",
    "round_decimals": "round_cpu",
    "frac": "frac_cpu",
    "erf": "erf_vml_cpu",
    "erfc": "erfc_vml_cpu",
    "erfinv": "erfinv_vml_cpu",
    "lgamma": "lgamma_vml_cpu",
    "digamma": "digamma",
    "i0": "i0_vml_cpu",
    "log_odds": "logit_cpu",
    "xlogy": "xlogy_cpu",
    "softmax_along": "softmax_lastdim_kernel_impl",
    "log_softmax_along": "log_softmax_lastdim_kernel_impl",
    "gaussian_unit": "GeluKernelImpl",
    "gaussian_unit_by_tanh": "GeluKernelImpl",
    "lt": "lt_cpu",
    "le": "le_cpu",
    "gt": "gt_cpu",
    "ge": "ge_cpu",
    "fmod_pair": "fmod_cpu",
    "fmod_number": "fmod_cpu",
    "remainder_pair": "remainder_cpu",
    "remainder_number": "remainder_cpu",
    "floor_divide": "div_floor_cpu",
    "atan2": "atan2_cpu",
    "hypot": "hypot_cpu",
    "nextafter": "nextafter_cpu",
    "copysign_pair": "copysign_cpu",
    "copysign_number": "copysign_cpu",
}
"""Operations by the kernel that PyTorch lacks."""

_SORT = "Sort does not support complex dtypes on CPU"
_WITH_WORDS: dict[str, tuple[type[Exception], str]] = {
    "max_along": (RuntimeError, "max(): does not support complex input"),
    "min_along": (RuntimeError, "min(): does not support complex input"),
    "sort_along": (RuntimeError, _SORT),
    "sort_stably": (RuntimeError, _SORT),
    "argsort_along": (RuntimeError, _SORT),
    "topk_along": (RuntimeError, "topk does not support complex dtypes on CPU"),
    "nansum_over": (RuntimeError, "nansum on CPU does not support complex inputs"),
    **{
        name: (RuntimeError, f"{name} not implemented for complex tensors.")
        for name in ("maximum", "minimum", "fmax", "fmin")
    },
    "heaviside": (RuntimeError, "heaviside is not yet implemented for complex tensors."),
    **{
        name: (NotImplementedError, f"{name} is not supported for complex inputs")
        for name in ("floor", "ceil", "trunc")
    },
    "signbit": (NotImplementedError, "signbit is not implemented for complex tensors."),
    "sign": (
        NotImplementedError,
        "Unlike NumPy, sign is not intended to support complex numbers. Please use sgn instead.",
    ),
    "relu": (NotImplementedError, "clamp is not supported for complex types"),
}


def teach() -> None:
    """Let every operation of the tables refuse complex numbers."""
    for name, kernel in _WITHOUT_KERNEL.items():
        REGISTRY[name].real_only = NotImplementedError, f"\"{kernel}\" not implemented for '{{}}'"
    for name, refusal in _WITH_WORDS.items():
        REGISTRY[name].real_only = refusal
