"""Automatic differentiation: what PyTorch offers as ``torch.autograd``."""

from minigrad.autograd import forward_ad, functional, graph
from minigrad.autograd.backward import backward, grad
from minigrad.autograd.current import current_graph_task, current_node
from minigrad.autograd.engine import GraphTask
from minigrad.autograd.function import Function, FunctionCtx
from minigrad.autograd.gradcheck import gradcheck, gradgradcheck
from minigrad.autograd.meta import AutogradMeta, VersionCounter
from minigrad.autograd.modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)
from minigrad.autograd.node import ensure_grad_fn
from minigrad.autograd.preserving import unsafe_preserve_version_counter as _unsafe_preserve_version_counter
from minigrad.autograd.preserving import unsafe_set_version_counter as _unsafe_set_version_counter

__all__ = [
    "AutogradMeta",
    "Function",
    "FunctionCtx",
    "GraphTask",
    "VersionCounter",
    "_unsafe_preserve_version_counter",
    "_unsafe_set_version_counter",
    "backward",
    "current_graph_task",
    "current_node",
    "detect_anomaly",
    "enable_grad",
    "ensure_grad_fn",
    "forward_ad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_anomaly_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
