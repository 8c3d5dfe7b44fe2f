"""Private names of PyTorch that scripts and tests about autograd rely on, each a thin alias of what is public here."""  # noqa: N999

from types import SimpleNamespace as _Namespace

from minigrad.autograd.barriers import DelayedError as _DelayedError
from minigrad.autograd.barriers import UndefinedGrad as _UndefinedGrad
from minigrad.autograd.current import current_node as _current_autograd_node
from minigrad.autograd.forward_ad import set_forward_enabled as _set_forward_enabled
from minigrad.autograd.introspection import execution_order as _current_graph_task_execution_order
from minigrad.autograd.introspection import graph_task_id as _current_graph_task_id
from minigrad.autograd.introspection import keeps_graph as _keeps_graph
from minigrad.autograd.introspection import will_execute as _will_engine_execute_node
from minigrad.autograd.modes import is_grad_enabled, is_multithreading_enabled, set_grad_enabled
from minigrad.autograd.node import AccumulateGrad as _AccumulateGrad
from minigrad.autograd.preserving import unsafe_set_version_counter as _unsafe_set_version_counter
from minigrad.autograd.saved import RawSaved as _SavedTensor
from minigrad.autograd.saved import make_saved as _make_saved_tensor
from minigrad.autograd.saved import saving_hooks as _saving_hooks
from minigrad.autograd.weak import WeakTensorRef as _WeakTensorRef

__all__ = [
    "_WeakTensorRef",
    "_autograd",
    "_current_autograd_node",
    "_current_graph_task_execution_order",
    "_current_graph_task_id",
    "_functions",
    "_is_multithreading_enabled",
    "_set_grad_enabled",
    "_will_engine_execute_node",
    "is_grad_enabled",
]

_is_multithreading_enabled = is_multithreading_enabled
_set_grad_enabled = set_grad_enabled
has_lapack = True
_set_fwd_grad_enabled = _set_forward_enabled

_functions = _Namespace(AccumulateGrad=_AccumulateGrad, DelayedError=_DelayedError, UndefinedGrad=_UndefinedGrad)
_autograd = _Namespace(
    _get_current_graph_task_keep_graph=_keeps_graph,
    _make_saved_tensor=_make_saved_tensor,
    SavedTensor=_SavedTensor,
    _saved_tensors_hooks_is_enabled=lambda: _saving_hooks.refused is None,
    _unsafe_set_version_counter=_unsafe_set_version_counter,
)
