"""Automatic differentiation: what PyTorch offers as ``torch.autograd``."""

from minigrad.autograd import _functions, anomaly_mode, forward_ad, functional, grad_mode, graph
from minigrad.autograd.backward import backward, grad
from minigrad.autograd.current import current_graph_task, current_node
from minigrad.autograd.engine import GraphTask
from minigrad.autograd.function import Function, FunctionCtx
from minigrad.autograd.gradcheck import gradcheck, gradgradcheck
from minigrad.autograd.introspection import execution_order, graph_task_id, queue_callback, will_execute
from minigrad.autograd.meta import AutogradMeta, VersionCounter
from minigrad.autograd.modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_multithreading_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
    set_multithreading_enabled,
)
from minigrad.autograd.node import ensure_grad_fn
from minigrad.autograd.preserving import unsafe_preserve_version_counter as _unsafe_preserve_version_counter
from minigrad.autograd.preserving import unsafe_set_version_counter as _unsafe_set_version_counter
from minigrad.autograd.replay import force_original_view_tracking as _force_original_view_tracking
from minigrad.autograd.replay import is_view_replay_enabled
from minigrad.autograd.saved import RawSaved as SavedTensor
from minigrad.autograd.variable import Variable

__all__ = [
    "AutogradMeta",
    "Function",
    "FunctionCtx",
    "GraphTask",
    "SavedTensor",
    "Variable",
    "VersionCounter",
    "_force_original_view_tracking",
    "_functions",
    "_unsafe_preserve_version_counter",
    "_unsafe_set_version_counter",
    "anomaly_mode",
    "backward",
    "current_graph_task",
    "current_node",
    "detect_anomaly",
    "enable_grad",
    "ensure_grad_fn",
    "execution_order",
    "forward_ad",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "graph_task_id",
    "inference_mode",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_multithreading_enabled",
    "is_view_replay_enabled",
    "no_grad",
    "queue_callback",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "will_execute",
]
