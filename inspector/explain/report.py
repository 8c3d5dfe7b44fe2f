"""The explanation of a run as plain data, ready for JSON: what ``inspector explain --json`` prints.

``report`` returns an object with these keys, always all of them:

``schema``    1; raised when a reader of an earlier one could misread a later one. New keys may come without that.
``script``    the path of the script, ``""`` where it is not known.
``outcome``   how it ended: ``kind`` (``ok``, ``error``, ``exit``, ``syntax``, ``signal``, ``timeout``, ``stopped``),
              ``status``, ``error`` (the class of the exception, or ``""``), ``message``; null where nobody saw its end.
``findings``  a list of the faults, in the order in which they happened; empty for a healthy run.
``notes``     a list of what is no fault and yet worth knowing, in the same form.

A finding has

``kind``       a short name of what went wrong, such as ``inplace-version``;
``sentence``   the explanation for people;
``evidence``   a list of {``step``, ``text``, ``tensor``, ``node``}: the step of the trace that shows it (from 1), in
               words; ``tensor`` is null or {``serial``, ``name``}, ``node`` is null or {``serial``, ``label``};
``locations``  a list of {``file``, ``line``, ``columns``, ``role``}: lines count from 1; ``columns`` is null or [first,
               after the last] in UTF-8 bytes from 0; ``role`` says what happened there (saved, mutated, freed, cut,
               created, used, …);
``mend``       code that cures it, or advice in a comment; ``""`` where there is none.
"""

from __future__ import annotations

from typing import Any

from inspector.explain import explain, notes_on
from inspector.explain.finding import Evidence, Finding
from inspector.trace.trace import Trace

SCHEMA = 1


def report(trace: Trace) -> dict[str, Any]:
    """All that is to be said of a run.

    >>> from inspector.trace.trace import Trace
    >>> report(Trace(script="train.py"))
    {'schema': 1, 'script': 'train.py', 'outcome': None, 'findings': [], 'notes': []}
    """
    return {
        "schema": SCHEMA,
        "script": trace.script,
        "outcome": _outcome(trace),
        "findings": [_finding(trace, finding) for finding in explain(trace)],
        "notes": [_finding(trace, note) for note in notes_on(trace)],
    }


def _outcome(trace: Trace) -> dict[str, Any] | None:
    ended = trace.outcome
    return None if ended is None else {name: getattr(ended, name) for name in ("kind", "status", "error", "message")}


def _finding(trace: Trace, finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "sentence": finding.sentence,
        "evidence": [_evidence(trace, one) for one in finding.evidence],
        "locations": [
            {
                "file": place.file,
                "line": place.line,
                "columns": None if place.columns is None else list(place.columns),
                "role": place.role,
            }
            for place in finding.locations
        ],
        "mend": finding.mend,
    }


def _evidence(trace: Trace, one: Evidence) -> dict[str, Any]:
    tensor = None if one.tensor is None else {"serial": one.tensor, "name": trace.name_of(one.tensor)}
    node = None if one.node is None else {"serial": one.node, "label": trace.label_of(one.node)}
    return {"step": one.step, "text": one.text, "tensor": tensor, "node": node}
