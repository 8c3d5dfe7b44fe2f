"""One operation computed anew, and its recorded gradients held against finite differences, in a process of its own.

The watcher sends what a trace knows as JSON; the child calls minigrad and answers. A custom Function is found in the
script, of which only imports, constants, functions and classes are run. Must not know the trace.
"""

from __future__ import annotations

import ast
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 30.0
"""Seconds that the child may take."""
RELATIVE = {"f16": 2e-2, "f32": 2e-3, "f64": 1e-5}
"""How far a recorded gradient may be from the differences, beside the largest of both."""

Array = dict[str, Any]
"""``shape``, ``dtype`` and ``values``, all of them, in row-major order."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One input of the operation: the worst of its numbers, as the rule has it and as the differences do."""

    name: str
    error: float
    index: tuple[int, ...]
    rule: float
    differences: float
    agrees: bool
    kink: bool = False
    """Whether the differences to the left and to the right are not the same there."""


@dataclass(frozen=True, slots=True)
class Report:
    """What came out; ``refused`` says in a sentence why nothing did."""

    compared: tuple[Compared, ...] = ()
    refused: str = ""

    @property
    def agrees(self) -> bool:
        return not self.refused and all(one.agrees for one in self.compared)


@dataclass(frozen=True, slots=True)
class Request:
    """An operation as it was applied, and what its node sent."""

    op: str
    node: str
    inputs: tuple[tuple[str, Array | str], ...]
    """Parameter names, with arrays, or with the text of what is none."""
    attributes: tuple[tuple[str, str], ...]
    outputs: tuple[Array | None, ...]
    """What it gave, to see whether it gives the same again; None where that is not known."""
    arriving: tuple[Array | None, ...]
    """The gradient of each output."""
    sent: tuple[tuple[int, Array], ...]
    """The gradient for each input, by its place among the inputs."""
    script: str = ""
    """Where a custom Function is defined."""


def recheck(request: Request) -> Report:
    """Have a child process check ``request``; waits for it."""
    words = json.dumps({name: getattr(request, name) for name in Request.__slots__})
    command = [sys.executable, "-m", __name__]
    try:
        done = subprocess.run(command, input=words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return Report(refused=f"computing it anew took more than {PATIENCE:.0f} seconds")
    return _read(done.stdout) or Report(
        refused=f"the process that computes it anew ended with status {done.returncode}"
    )


def _read(answer: str) -> Report | None:
    """The last line: a script may print when it is imported."""
    try:
        told = json.loads(answer.strip().splitlines()[-1])
        compared = tuple(Compared(**{**one, "index": tuple(one["index"])}) for one in told["compared"])
        return Report(compared, told["refused"])
    except (IndexError, ValueError, KeyError, TypeError):
        return None


# -- in the child


class RefusedError(Exception):
    """Why the operation cannot be checked."""


def main() -> None:
    """Read a request, answer with a report."""
    asked = json.loads(sys.stdin.read())
    try:
        answer = {"compared": _check(asked), "refused": ""}
    except RefusedError as why:
        answer = {"compared": [], "refused": str(why)}
    except Exception as error:
        answer = {"compared": [], "refused": f"computed anew, it raised {type(error).__name__}: {error}"}
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


def _check(asked: dict[str, Any]) -> list[dict[str, Any]]:
    import numpy as np

    arrays = [_array(given) if isinstance(given, dict) else None for _, given in asked["inputs"]]
    forward = _forward(asked)
    texts = [given if isinstance(given, str) else None for _, given in asked["inputs"]]
    plain = [None if text is None else _value(text) for text in texts]

    def run(given: list[Any]) -> list[Any]:
        args = [_tensor(array) if array is not None else value for array, value in zip(given, plain, strict=True)]
        return _results(forward(args))

    with np.errstate(all="ignore"):
        _see_whether_it_is_the_same(run(arrays), asked["outputs"])
        weights = [None if one is None else _array(one) for one in asked["arriving"]]
        return [_compare(asked, place, sent, arrays, run, weights) for place, sent in asked["sent"]]


def _compare(
    asked: dict[str, Any], place: int, sent: Array, arrays: list[Any], run: Any, weights: list[Any]
) -> dict[str, Any]:
    """Central differences of the weighted sum of the outputs, for each number of one input."""
    import numpy as np

    if place >= len(arrays) or arrays[place] is None:
        raise RefusedError(f"its gradient number {place} belongs to no input that was recorded")
    rule, around = _array(sent), arrays[place]
    if rule.shape != around.shape:
        raise RefusedError(f"the gradient has the shape {list(rule.shape)}, and its input {list(around.shape)}")
    found, left, right = (np.zeros(around.shape) for _ in range(3))
    middle = _weighted(run(arrays), weights)
    for index in np.ndindex(around.shape):
        width = 1e-6 * max(1.0, abs(float(around[index])))
        below, above = (_weighted(run(_moved(arrays, place, index, way)), weights) for way in (-width, width))
        found[index] = (above - below) / (2 * width)
        left[index], right[index] = (middle - below) / width, (above - middle) / width
    errors = np.abs(rule - found)
    errors = np.where(np.isnan(errors), np.where(np.isnan(rule) & np.isnan(found), 0.0, np.inf), errors)
    scale = max(1e-6, float(np.nanmax(np.abs(np.concatenate([rule.ravel(), found.ravel()])), initial=0.0)))
    worst = np.unravel_index(int(np.argmax(errors)), errors.shape) if errors.size else ()
    limit = RELATIVE.get(sent["dtype"], 1e-3) * scale
    return {
        "name": asked["inputs"][place][0],
        "error": float(errors[worst]) if errors.size else 0.0,
        "index": [int(one) for one in worst],
        "rule": float(rule[worst]) if errors.size else 0.0,
        "differences": float(found[worst]) if errors.size else 0.0,
        "agrees": bool(errors.size == 0 or errors.max() <= limit),
        "kink": bool(errors.size and abs(left[worst] - right[worst]) > limit + 1e-3 * scale),
    }


def _moved(arrays: list[Any], place: int, index: tuple[int, ...], by: float) -> list[Any]:
    moved = arrays[place].copy()
    moved[index] += by
    return [moved if number == place else array for number, array in enumerate(arrays)]


def _weighted(outputs: list[Any], weights: list[Any]) -> float:
    import numpy as np

    pairs = [(out, weight) for out, weight in zip(outputs, weights, strict=False) if weight is not None]
    return math.fsum(float(np.sum(np.asarray(out, dtype=float) * weight)) for out, weight in pairs)


def _see_whether_it_is_the_same(results: list[Any], recorded: Sequence[Array | None]) -> None:
    import numpy as np

    for result, known in zip(results, recorded, strict=False):
        if known is None:
            continue
        before = _array(known)
        near = RELATIVE.get(known["dtype"], 1e-3)
        if result.shape != before.shape or not np.allclose(result, before, rtol=near, atol=near, equal_nan=True):
            raise RefusedError(
                "computed anew it gives another result: it is random, or depends on what was not recorded"
            )


def _array(given: Array) -> Any:
    """In double precision, so that differences mean something; integers and truth values as they are."""
    import numpy as np

    if given["dtype"].startswith("c"):
        raise RefusedError("it is complex, and differences are taken of real numbers")
    kind = {"f": np.float64, "i": np.int64, "u": np.int64}.get(given["dtype"][:1], np.bool_)
    return np.array(given["values"], dtype=kind).reshape(given["shape"])


def _tensor(array: Any) -> Any:
    import minigrad as mg

    return mg.from_numpy(array.copy())


def _results(found: Any) -> list[Any]:
    several = found if isinstance(found, tuple | list) else (found,)
    return [one.detach().numpy() for one in several if hasattr(one, "detach")]


def _value(text: str) -> Any:
    """A plain argument, from how it is written."""
    try:
        return {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}[text]
    except KeyError:
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise RefusedError(f"its argument {text} was not recorded as a value") from None


def _forward(asked: dict[str, Any]) -> Any:
    """The function to call with the inputs: a registered operation, or a Function of the script."""
    import minigrad as mg
    from minigrad.op import REGISTRY

    names = tuple(name for name, _ in asked["inputs"])
    attributes = {name: _value(text) for name, text in asked["attributes"] if text != "None" or not asked["script"]}
    known = [
        op
        for op in REGISTRY.values()
        if op.name == asked["op"] and op.operands == names and {*attributes} <= {*op.attributes}
    ]
    known.sort(key=lambda op: (op.backward_name != asked["node"], len(op.attributes)))
    if known:
        return lambda args: known[0](*args, **attributes)
    if asked["script"] and names and names[0].startswith("args"):
        apply = _function(asked["script"], asked["op"]).apply
        with mg.no_grad():
            return lambda args: apply(*args)
    raise RefusedError(f"no operation {asked['op']} with these inputs is known to this process")


def _function(script: str, name: str) -> Any:
    """A custom Function: the script's definitions are run, and nothing else of it."""
    path = Path(script)
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    body: list[ast.stmt] = [
        one
        for one in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(one, kept) or (isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant))
    ]
    sys.path.insert(0, str(path.parent))
    namespace: dict[str, Any] = {"__name__": "rechecked", "__file__": script}
    exec(compile(ast.Module(body, []), script, "exec"), namespace)
    if name not in namespace:
        raise RefusedError(f"{name} is not defined at the top of {path.name}, so it cannot be called alone")
    return namespace[name]


if __name__ == "__main__":
    main()
