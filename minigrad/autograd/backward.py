"""``backward()`` and ``grad()``: what a user asks of the engine, checked and put into its terms.

Raises PyTorch's errors for roots, seeds and inputs that make no sense.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.engine import GraphTask, announce_start, execute
from minigrad.autograd.geometry import geometry, strided
from minigrad.autograd.modes import no_grad
from minigrad.autograd.node import GradientEdge, Node, accumulator_of, edge_of
from minigrad.autograd.views import attach
from minigrad.autograd.wrap import TensorBase, late, wrap
from minigrad.events import BackwardFailed, TensorCreated, emit, refused

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

Root = Any
"""A Tensor or a GradientEdge."""

_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)


def backward(
    tensors: Root | Sequence[Root],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Send gradients back from ``tensors`` and add what arrives to the ``.grad`` of the leaves, or of ``inputs`` alone.

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> mg.autograd.backward([x.sum(), (x * x).sum()])
    >>> x.grad
    tensor([3., 5.])
    """
    if create_graph:
        warnings.warn(_CYCLE, UserWarning, stacklevel=3)
    chosen = None if inputs is None else _several(inputs)
    task = GraphTask(create_graph if retain_graph is None else retain_graph, create_graph)
    is_usual = isinstance(tensors, TensorBase) and grad_tensors is None
    roots: list[Any] = [tensors] if is_usual else _several(tensors)
    try:
        if chosen is not None and not chosen:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        if is_usual:
            seeds, edges = [_implicit_seed(tensors, create_graph)], [_root_edge(tensors, 0)]
        else:
            seeds = _seeds(task, roots, _several(grad_tensors))
            edges = [_root_edge(root, i) for i, root in enumerate(roots)]
        for x in chosen or ():
            if isinstance(x, TensorBase) and (x.grad_fn is not None or not x.requires_grad):
                x.retain_grad()  # it raises for what does not require grad
        run_only = None if chosen is None else [_input_edge(x, i).node for i, x in enumerate(chosen)]
    except Exception as error:
        _tell_refused(task, roots, chosen, "backward", error)
        raise
    announce_start(task, roots, seeds, chosen, "backward")
    execute(task, edges, seeds, run_only)


def _tell_refused(task: GraphTask, roots: list[Any], inputs: list[Any] | None, called: str, error: Exception) -> None:
    """A pass that is refused before it begins is still announced, so that a recording can show why."""
    announce_start(task, roots, (), inputs, called)
    if BackwardFailed.listeners:
        emit(BackwardFailed(task, None, error))


def grad(
    outputs: Root | Sequence[Root],
    inputs: Root | Sequence[Root],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of ``outputs`` with respect to ``inputs``, as a tuple; no ``.grad`` is touched.

    ``allow_unused`` gives None for an input that the outputs do not depend on, ``materialize_grads`` zeros.
    ``is_grads_batched`` takes ``grad_outputs`` with a further first dimension and runs once for each of its rows.

    >>> import minigrad as mg
    >>> x = mg.tensor(2.0, requires_grad=True)
    >>> (slope,) = mg.autograd.grad(x**3, x, create_graph=True)
    >>> mg.autograd.grad(slope, x)
    (tensor(12.),)
    """
    if not only_inputs:
        raise ValueError("only_inputs argument is deprecated and must be True, which is its default")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if is_grads_batched:
        return _grad_batched(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    chosen = _several(inputs)
    if not chosen:
        raise ValueError("grad requires non-empty inputs.")
    roots = _several(outputs)
    task = GraphTask(create_graph if retain_graph is None else retain_graph, create_graph)
    try:
        seeds = _seeds(task, roots, _several(grad_outputs))
        edges = [_root_edge(root, i) for i, root in enumerate(roots)]
        for place, x in enumerate(chosen):
            edge = _input_edge(x, place)
            task.captures.setdefault(edge.node, []).append((edge.output_nr, place))
    except Exception as error:
        _tell_refused(task, roots, chosen, "grad", error)
        raise
    announce_start(task, roots, seeds, chosen, "grad")
    execute(task, edges, seeds, run_only=())
    answers: dict[int, Tensor] = {}
    return tuple(
        _answer(task, place, x, answers, allow_unused, materialize_grads, create_graph)
        for place, x in enumerate(chosen)
    )


def _answer(
    task: GraphTask,
    place: int,
    source: Root,
    answers: dict[int, Tensor],
    allow_unused: bool | None,
    materialize: bool,
    create_graph: bool,
) -> Tensor | None:
    """What ``grad`` returns for one input.

    As in PyTorch, one gradient that arrived at several inputs is one and the same tensor, and the caller's own if that
    went through unchanged.
    """
    value = task.captured.get(place)
    if value is not None:
        if id(value) not in answers:
            answers[id(value)] = _as_tensor(task, value, source, answers)
        return answers[id(value)]
    if materialize and isinstance(source, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    if materialize:
        zeros = wrap(np.zeros_like(source.array))
        zeros._requires_grad = create_graph
        return _announced(zeros, source)
    if not allow_unused:
        raise _unused(place, source)
    return None


def _as_tensor(task: GraphTask, value: Any, source: Root, answers: dict[int, Tensor]) -> Tensor:
    """One gradient: a view where it looks at the memory of another one, or of the caller's."""
    if isinstance(value, TensorBase):
        return value
    if id(value) in task.given:
        return task.given[id(value)]
    owner = getattr(value, "base", None)
    if owner is None or not (id(owner) in task.given or any(owner is other for other in task.captured.values())):
        return _announced(wrap(np.array(value)), source)
    if not owner.flags.forc:
        return _announced(wrap(np.array(value)), source)
    if id(owner) not in answers:
        answers[id(owner)] = _as_tensor(task, owner, source, answers)
    base = answers[id(owner)]
    view = _announced(wrap(strided(base.array.ravel("K"), geometry(value, owner))), source)
    with no_grad():
        attach(view, base)
    return view


def _unused(place: int, source: Root) -> Exception:
    """Made here and not where it is raised: an error that its own frame holds would keep the graph alive."""
    error = RuntimeError(
        f"The differentiated Tensor at index {place} appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior."
    )
    return refused(error, "grad", **({"input": source} if isinstance(source, TensorBase) else {}))


def _announced(gradient: Tensor, source: Root) -> Tensor:
    """A gradient that no operation made: a tensor without history."""
    if TensorCreated.listeners:
        emit(TensorCreated(gradient, "grad", (source,) if isinstance(source, TensorBase) else ()))
    return gradient


def _grad_batched(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any,
    retain_graph: Any,
    create_graph: bool,
    allow_unused: Any,
    materialize: bool,
) -> tuple[Tensor | None, ...]:
    """One ordinary pass for each row, stacked."""
    from minigrad.ops.joining import stack

    rows = _several(grad_outputs)
    _check_batches(_several(outputs), rows)
    count = len(rows[0])
    passes = [
        grad(
            outputs,
            inputs,
            [row[i] for row in rows],
            retain_graph=True if i < count - 1 else retain_graph,
            create_graph=create_graph,
            allow_unused=allow_unused,
            materialize_grads=materialize,
        )
        for i in range(count)
    ]
    return tuple(None if column[0] is None else stack(column) for column in zip(*passes, strict=True))


def _check_batches(roots: list[Root], rows: list[Any]) -> None:
    for position, (root, row) in enumerate(zip(roots, rows, strict=False)):
        if isinstance(root, GradientEdge):
            root = _stand_in(root, row[0])
        if row is not None and row.array.shape[1:] != root.array.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{position}] has a shape of {row.shape} and "
                f"output[{position}] has a shape of {root.shape}. If you only want some tensors in `grad_output` to be "
                "considered batched, consider using vmap."
            )


def _several(value: Any) -> list[Any]:
    """One or several as a list; a GradientEdge is itself a tuple, and is one."""
    if value is None:
        return []
    if isinstance(value, (TensorBase, GradientEdge)):
        return [value]
    return list(value)


def _root_edge(root: Root, position: int) -> tuple[Node, int]:
    if isinstance(root, GradientEdge):
        return root.node, root.output_nr
    node, number = edge_of(root) if root.requires_grad else (None, 0)
    if node is None:
        raise RuntimeError(f"element {position} of tensors does not require grad and does not have a grad_fn")
    return node, number


def _input_edge(source: Root, position: int) -> GradientEdge:
    if isinstance(source, GradientEdge):
        return source
    if not source.requires_grad:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    node = source.grad_fn
    return GradientEdge(accumulator_of(source), 0) if node is None else GradientEdge(node, source._output_nr)


def _seeds(task: GraphTask, roots: list[Root], given: list[Any]) -> list[Any]:
    """The first gradients: the caller's, or 1 for a scalar."""
    if given and len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    return [_seed(task, root, given[i] if given else None, i) for i, root in enumerate(roots)]


def _seed(task: GraphTask, root: Root, given: Any, position: int) -> Any:
    if isinstance(root, GradientEdge):
        root = _stand_in(root, given)
    if given is None:
        return _implicit_seed(root, task.create_graph)
    if not isinstance(given, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    _check_seed(root, given, position)
    if task.create_graph or given.array.dtype != root.array.dtype:
        given = late.fit(given, root.array.shape, root.array.dtype)
    if task.create_graph:
        return given
    task.given[id(given.array)] = given
    return given.array


def _stand_in(edge: GradientEdge, given: Any) -> Any:
    """A tensor of the shape and type of what ``edge`` leads back from, as far as its node knows them."""
    meta = edge.node.output_meta(edge.output_nr)
    if meta is None:
        meta = ((0,), np.dtype(np.float32)) if given is None else (given.array.shape, given.array.dtype)
    tensor = wrap(np.empty(*meta))
    tensor._requires_grad = True
    return tensor


def _implicit_seed(root: Any, create_graph: bool) -> Any:
    if not root.requires_grad:
        return None  # refused later: what is wrong with the other seeds is told first
    array = root.array
    if array.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if array.dtype.kind != "f":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {root.dtype}")
    ones = np.empty(array.shape, array.dtype)
    ones.fill(1)
    return wrap(ones) if create_graph else ones


def _check_seed(root: Tensor, given: Any, position: int) -> None:
    if given.array.shape != root.array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {given.shape} and output[{position}] has a "
            f"shape of {root.shape}."
        )
    if (given.array.dtype.kind == "c") != (root.array.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{position}] has a dtype of {given.dtype} and output[{position}] has a dtype of {root.dtype}."
        )
