"""The command ``inspector``: run a script and watch, draw or explain what its gradients do.

Every command runs the script in a process of its own. Whatever goes wrong is told in one sentence on stderr; the exit
status is the script's own, 2 for a command that makes no sense, 124 for a script that ran out of time.
"""

from __future__ import annotations

import difflib
import functools
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from inspector import demos
from inspector.app import Look
from inspector.outcome import cut_short, nothing_recorded, verdict
from inspector.record.runner import LIMIT, Run, run_script
from inspector.trace.facts import Fact, Printed
from inspector.trace.trace import Trace

Command = TypeVar("Command", bound=Callable[..., Any])

SCRIPT = {"ignore_unknown_options": True}
"""Options that are not ours are the script's, ``inspector run train.py --epochs 3``; after ``--`` all of them are."""
WIDEST = 110
"""Characters in a line of prose on a wide terminal."""


class Refusal(click.ClickException):
    """A command that cannot be carried out. Its message is the one sentence that the user gets."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"inspector: {self.message}", err=True)


@dataclass(frozen=True, slots=True)
class Job:
    """A script, and how it is to be run."""

    script: str
    args: tuple[str, ...]
    timeout: float | None
    limit: int
    stands_for: str | None = None

    def run(self, on_facts: Callable[[Trace, Sequence[Fact]], None] | None) -> Trace:
        """Run it to its end."""
        return run_script(
            self.script,
            self.args,
            timeout=self.timeout,
            stdin=_stdin(),
            limit=self.limit,
            stands_for=self.stands_for,
            on_facts=on_facts,
        )

    @property
    def words(self) -> list[str]:
        """What says the same to another `inspector run`."""
        given = ["--limit", str(self.limit)]
        if self.timeout is not None:
            given += ["--timeout", str(self.timeout)]
        if self.stands_for is not None:
            given += ["--as", self.stands_for]
        return [*given, "--", os.path.abspath(self.script), *self.args]

    def launch(self, live: bool) -> Run:
        """A run for the app, not started yet; a ``live`` one waits at its first event."""
        return Run(
            self.script,
            self.args,
            timeout=self.timeout,
            stdin=subprocess.PIPE,
            limit=self.limit,
            paused=live,
            stops=True,
            stands_for=self.stands_for,
        )


def _script_command(function: Command) -> Command:
    """What every command that runs a script takes; the command itself is given it as a ``Job``."""

    @functools.wraps(function)
    def command(
        script: str, args: tuple[str, ...], timeout: float | None, limit: int, stands_for: str | None = None, **own: Any
    ) -> None:
        function(Job(script, args, timeout, limit, stands_for), **own)

    given: Any = command
    for add in (
        click.option("--limit", type=click.IntRange(min=1), default=LIMIT, help="Record at most so many facts."),
        click.option(
            "--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds that the script may take."
        ),
        click.argument("args", nargs=-1, type=click.UNPROCESSED),
    ):
        given = add(given)
    return given  # type: ignore[no-any-return]


def _look_options(function: Command) -> Command:
    """How the app opens; the command itself is given it as a ``Look``."""

    @functools.wraps(function)
    def command(*args: Any, present: bool, quiz: bool, fresh: bool, **own: Any) -> None:
        function(*args, look=Look(present, quiz, fresh), **own)

    given: Any = command
    for add in (
        click.option(
            "--fresh", is_flag=True, help="Forget what was set here before: breakpoints, bookmarks, the step."
        ),
        click.option("--quiz", is_flag=True, help="Hide the gradients until they are guessed."),
        click.option("--present", is_flag=True, help="For a projector: the graph and a caption, and nothing else."),
    ):
        given = add(given)
    return given  # type: ignore[no-any-return]


_as_option = click.option(
    "--as",
    "stands_for",
    type=click.Choice(["torch"]),
    help="Put minigrad in PyTorch's place, for a script that imports torch.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="minigrad-inspector", prog_name="inspector")
def main() -> None:
    """See backpropagation happen.

    Run a script that uses minigrad and step through its gradients, forwards and backwards; draw its graph; have its
    errors explained.
    """
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


@main.command(context_settings=SCRIPT)
@click.argument("script")
@_as_option
@_script_command
@_look_options
@click.option("--live", is_flag=True, help="Stop at the first event, and steer the script from the app.")
@click.option("--plain", is_flag=True, help="Print the walk as text; so it is where there is no terminal.")
@click.option("--all", "everything", is_flag=True, help="With --plain: fold nothing, leave nothing out.")
def run(job: Job, look: Look, live: bool, plain: bool, everything: bool) -> None:
    """Run SCRIPT and watch its forward and backward passes.

    ARGS go to the script, and so do options that are not listed here; after `--` all of them do.
    """
    _watch(_checked(job), look, live, plain, everything)


@main.command(context_settings=SCRIPT)
@click.argument("script", metavar="[NAME]", default=demos.DEFAULT)
@_script_command
@_look_options
@click.option("--list", "listing", is_flag=True, help="List the demos and what each shows.")
@click.option("--live", is_flag=True, help="Stop at the first event, and steer the script from the app.")
@click.option("--plain", is_flag=True, help="Print the walk as text; so it is where there is no terminal.")
@click.option("--all", "everything", is_flag=True, help="With --plain: fold nothing, leave nothing out.")
def demo(job: Job, look: Look, listing: bool, live: bool, plain: bool, everything: bool) -> None:
    """Run the demo NAME and watch it."""
    if listing:
        width = max(map(len, demos.demos()))
        for known, path in demos.demos().items():
            click.echo(f"{known:<{width}}  {demos.about(path)}")
        return
    try:
        path = demos.find(job.script)
    except demos.NoSuchDemoError as error:
        raise Refusal(str(error)) from None
    _watch(replace(job, script=str(path)), look, live, plain, everything)


def _choices_of_a_picture(function: Command) -> Command:
    """What one may choose of a picture: how much of it, and how it looks."""
    for add in (
        click.option("--title", help="The words above it."),
        click.option("--label", "labels", multiple=True, metavar="NAME=TEXT", help="Other words for a name."),
        click.option("--legend", is_flag=True, help="Tell what the signs mean."),
        click.option("--theme", default="light", help="light, dark, high-contrast or colour-blind."),
        click.option("--direction", default="right", help="Values flow right, or down."),
        click.option("--reach", type=click.IntRange(min=0), default=2, help="How many links from there it ends."),
        click.option("--around", metavar="NAME", help="Only what is around the tensor NAME."),
        click.option("--fold", multiple=True, metavar="HOW", help="loops, modules, composites, or a depth of modules."),
        click.option("--detail", default="all", help="all, shapes or versions."),
        click.option("--show", default="both", help="forward, backward or both."),
        click.option("--values", type=click.IntRange(min=0), default=1, help="Show up to so many numbers of a tensor."),
        click.option("--style", default="cards", help="cards, or graph: the bare grad_fns."),
    ):
        function = add(function)
    return function


@main.command(context_settings=SCRIPT)
@click.argument("script", metavar="SCRIPT|FILE.trace")
@_as_option
@_script_command
@click.option("-o", "--output", multiple=True, help="The picture; its ending names the format. May be given again.")
@click.option("--animate", metavar="OUT.gif", help="All steps as a GIF; OUT.html is a page to step through.")
@click.option("--frames", metavar="FOLDER", help="All steps, a picture each, every thing in its place.")
@click.option("--frames-as", type=click.Choice(["svg", "png"]), default="svg", help="What the frames are.")
@click.option("--step", type=click.IntRange(min=0), help="Draw the state after so many facts instead of at the end.")
@click.option("--task", type=click.IntRange(min=1), help="Draw backward pass number TASK instead of the last.")
@click.option("--scale", type=float, default=2.0, help="A PNG's pixels for each of an SVG's.")
@click.option("--dpi", type=float, help="A PNG's pixels to the inch, instead of --scale; an SVG has 96.")
@_choices_of_a_picture
def draw(
    job: Job,
    output: tuple[str, ...],
    animate: str | None,
    frames: str | None,
    frames_as: str,
    fold: tuple[str, ...],
    labels: tuple[str, ...],
    **choices: Any,
) -> None:
    """Run SCRIPT and draw its graph, or draw what is in a trace FILE.

    The picture is .svg, .png, .pdf, .dot, .mmd, .graphml, .json or .txt; .html is a page to step through, .gif a film.
    """
    from inspector.draw import DrawError

    choices["fold"] = tuple(int(how) if how.isdecimal() else how for how in fold)
    choices["labels"] = _labels(labels)
    files = (*output, *(() if animate is None else (animate,)))
    try:
        _check_pictures(files, frames, choices)
        trace, from_file = _trace_of(job)
        _draw_all(trace, files, frames, f".{frames_as}", choices)
    except DrawError as error:
        raise Refusal(str(error)) from None
    if not from_file:
        _leave(job, trace)


def _labels(given: Sequence[str]) -> dict[str, str]:
    """``NAME=TEXT`` each, by name."""
    for one in given:
        if "=" not in one:
            raise Refusal(f"--label {one} names no text for it: write --label NAME=TEXT.")
    return dict(one.split("=", 1) for one in given)


def _check_pictures(files: Sequence[str], frames: str | None, choices: dict[str, Any]) -> None:
    """Raise Refusal or DrawError now, rather than after a long run, for what could not be drawn then."""
    from inspector.draw.options import Options
    from inspector.draw.picture import writer_for

    if not files and frames is None:
        raise Refusal("nothing to draw into: name a picture with -o graph.svg, or a folder with --frames.")
    Options(**{name: value for name, value in choices.items() if name in Options.__slots__})
    for file in files:
        writer_for(Path(file))
        _check_output(file)
    if frames is not None and Path(frames).exists() and not Path(frames).is_dir():
        raise Refusal(f"{frames} is a file; name a folder for the frames.")


def _trace_of(job: Job, *, to_stderr: bool = False) -> tuple[Trace, bool]:
    """The trace of a script, or the one in a file; and whether it was a file."""
    from inspector.trace.file import open_trace
    from inspector.trace.schema import TraceFileError
    from inspector.trace.writer import is_trace

    if not is_trace(Path(job.script)):
        return _recorded(_checked(job), to_stderr=to_stderr), False
    try:
        return open_trace(job.script), True
    except TraceFileError as error:
        raise Refusal(str(error)) from None


def _draw_all(trace: Trace, files: Sequence[str], frames: str | None, ending: str, choices: dict[str, Any]) -> None:
    from inspector.draw import draw as draw_trace

    picture = draw_trace(trace, **choices)
    for file in files:
        picture.save(file)
    if frames is not None:
        written = picture.moving.save_stills(Path(frames), ending, picture.scale)
        click.echo(f"inspector: {len(written):,} pictures are in {frames}", err=True)
    if picture.moving.told:
        click.echo(f"inspector: {picture.moving.told}", err=True)


@main.command(context_settings=SCRIPT)
@click.argument("script", metavar="SCRIPT|FILE.trace")
@_as_option
@_script_command
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON on stdout; the script's output goes to stderr.")
@click.option("--strict", is_flag=True, help="Exit with status 1 if anything is found.")
def explain(job: Job, as_json: bool, strict: bool) -> None:
    """Explain what is wrong with the gradients of SCRIPT, or of the run in a trace FILE: who saved, who changed what.

    A script is run, and the exit status is its own.
    """
    from inspector.explain import explain as findings_of
    from inspector.explain import notes_on
    from inspector.explain.report import report

    trace, from_file = _trace_of(job, to_stderr=as_json)
    findings = findings_of(trace)
    if as_json:
        click.echo(json.dumps(report(trace), indent=2, ensure_ascii=False))
    else:
        click.echo(_told(findings, notes_on(trace)))
    found = 1 if strict and findings else 0
    if from_file:
        sys.exit(found)
    _leave(job, trace, otherwise=found, explained=bool(findings))


@main.command(context_settings=SCRIPT)
@click.argument("script")
@_as_option
@_script_command
@click.option("-o", "--output", required=True, help="The trace file to write.")
def record(job: Job, output: str) -> None:
    """Run SCRIPT and keep its trace in a file, to be opened later."""
    from inspector.record.keeping import Keeper
    from inspector.trace.schema import TraceFileError
    from inspector.trace.writer import is_trace

    _check_output(output)
    if Path(output).exists() and not is_trace(Path(output)):
        raise Refusal(f"{output} exists and is no trace, so it is left alone; name another file.")
    try:
        with Keeper(output) as keeper:
            trace = _recorded(_checked(job), keep=keeper.keep)
    except TraceFileError as error:
        raise Refusal(str(error)) from None
    click.echo(f"inspector: kept {len(trace):,} facts; look at them with `inspector open {output}`", err=True)
    _leave(job, trace)


@main.command("open")
@click.argument("file", required=False)
@_look_options
@click.option("--plain", is_flag=True, help="Print the walk as text; so it is where there is no terminal.")
@click.option("--all", "everything", is_flag=True, help="With --plain: fold nothing, leave nothing out.")
def open_(file: str | None, look: Look, plain: bool, everything: bool) -> None:
    """Open the trace FILE; without one, that which was opened last."""
    from inspector.trace.file import open_trace
    from inspector.trace.schema import TraceFileError

    try:
        file = file or _last_file()
        trace = open_trace(file)
        _show(trace, plain or nothing_recorded(trace) is not None, everything, look, file)
    except TraceFileError as error:
        raise Refusal(str(error)) from None


@main.command(context_settings=SCRIPT)
@click.argument("script")
@_as_option
@_script_command
@click.option("--live", is_flag=True, help="Stop at the first event, and let the visitor steer the script.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, help="The port of this machine, 8000 by default.")
@click.option("--visitors", type=click.IntRange(min=1), default=4, help="At most so many at once, 4 by default.")
def serve(job: Job, live: bool, port: int, visitors: int) -> None:
    """Show SCRIPT in a browser on this machine; every visitor gets a run of their own."""
    if importlib.util.find_spec("textual_serve") is None:
        raise Refusal("a browser needs textual-serve: install it with `pip install 'minigrad-inspector[web]'`.")
    from inspector.app.serving import ScriptServer

    words = ["run", *(["--live"] if live else []), *_checked(job).words]
    _check_port(port)
    ScriptServer(words, name=Path(job.script).name, port=port, visitors=visitors).serve()


def _check_port(port: int) -> None:
    """Raise Refusal for a port that another program has."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        raise Refusal(
            f"port {port} of this machine cannot be used: {error.strerror}; name another with --port."
        ) from None


# Before the script runs


def _checked(job: Job) -> Job:
    """A job whose script can be run. Raises Refusal."""
    script = job.script
    path = Path(script)
    if path.is_dir():
        raise Refusal(f"{script} is a folder; name a Python script in it.")
    if script.startswith("-") and not path.exists():
        raise Refusal(f"{script} is no option of this command, and there is no script of that name; see --help.")
    if not path.exists():
        raise Refusal(f"there is no script {script}{_nearby(path)}")
    if not os.access(path, os.R_OK):
        raise Refusal(f"{script} cannot be read; see its permissions.")
    return job


def _nearby(path: Path) -> str:
    """A file of a similar name in the same folder."""
    try:
        names = [one.name for one in path.parent.iterdir() if one.suffix == ".py"]
    except OSError:
        return f", nor a folder {path.parent}."
    near = difflib.get_close_matches(path.name, names, 1, cutoff=0.7)
    return f"; did you mean {path.with_name(near[0])}?" if near else "."


def _check_output(output: str) -> None:
    """Raise Refusal now, rather than after a long run, for a file that could not be written then."""
    path = Path(output)
    if path.is_dir():
        raise Refusal(f"{output} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise Refusal(f"there is no folder {path.parent} to write {path.name} in; make it first.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Refusal(f"{output} cannot be written; see the permissions, or name another file.")


# Running


def _last_file() -> str:
    """The trace file that was opened last. Raises Refusal if none was."""
    from inspector.app.memory import Memory

    file = Memory("").last_file()
    if file is None:
        raise Refusal("no trace was opened before; name one, or make one with `inspector record SCRIPT -o FILE`.")
    return file


def _watch(job: Job, look: Look, live: bool, plain: bool, everything: bool) -> NoReturn:
    """Open the app on the script as it runs, or print its walk; and leave with the script's status."""
    if not plain and _has_screen():
        _open_on(job, look, live, everything)
    if live:
        raise Refusal("--live needs a terminal for its keys and its screen; without it the walk is printed as text.")
    trace = job.run(None)
    _show(trace, plain=True, everything=everything)
    _leave(job, trace)


def _open_on(job: Job, look: Look, live: bool, everything: bool) -> NoReturn:
    from inspector.app import watch
    from inspector.app.live import Live

    script = Live(functools.partial(job.launch, live), steered=live)
    try:
        watch(script, look)
    except OSError as error:
        raise Refusal(f"a process for {job.script} could not be started: {error.strerror}.") from None
    if script.was_left:
        sys.exit(0)
    if nothing_recorded(script.trace) is not None:
        _show(script.trace, plain=True, everything=everything)
    _leave(job, script.trace)


def _recorded(
    job: Job, *, to_stderr: bool = False, keep: Callable[[Trace, Sequence[Fact]], None] | None = None
) -> Trace:
    """Record the script while its own output is passed on as it comes. Leaves when nothing came of it."""

    def pass_on(trace: Trace, facts: Sequence[Fact]) -> None:
        for fact in facts:
            if isinstance(fact, Printed):
                click.echo(fact.text, nl=False, err=to_stderr or fact.stream == "stderr")
        if keep is not None:
            keep(trace, facts)

    trace = job.run(pass_on)
    if trace.outcome is not None and trace.outcome.traceback:
        click.echo(trace.outcome.traceback, nl=False, err=True)
    if nothing_recorded(trace):
        _leave(job, trace)
    return trace


def _stdin() -> int | None:
    """The script may read what is piped in; the terminal is ours."""
    try:
        return subprocess.DEVNULL if sys.stdin is None or sys.stdin.isatty() else None
    except ValueError:  # it is closed
        return subprocess.DEVNULL


def _show(trace: Trace, plain: bool, everything: bool, look: Look | None = None, file: str = "") -> None:
    """The walk as text, or the app."""
    if plain or not _has_screen():
        from inspector.plain import walk

        text = walk(trace, colour=_has_colour(), everything=everything)
        if text:
            click.echo(text)
        return
    from inspector.app import show

    show(trace, look=look, file=file)


def _leave(job: Job, trace: Trace, *, otherwise: int = 0, explained: bool = False) -> NoReturn:
    """Say in a sentence what went wrong, and exit with the script's own status."""
    sentence = verdict(trace, job.stands_for, explained=explained)
    for told in (cut_short(trace), sentence):
        if told is not None:
            click.echo(f"inspector: {told}", err=True)
    status = 1 if trace.outcome is None else trace.outcome.status
    if status == 0 and sentence is not None:
        status = Refusal.exit_code
    sys.exit(status or otherwise)


def _has_screen() -> bool:
    from inspector.app import has_terminal, is_served

    return has_terminal() and (sys.stdout.isatty() or is_served())


def _has_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# Explanations


def _told(findings: Sequence[Any], notes: Sequence[Any]) -> str:
    """The findings for people, and after them what is no fault and yet worth knowing. A terminal gets whole words."""
    width = min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else None
    told = [one.text(width) for one in findings] or ["Nothing to explain: the gradients are as they should be."]
    if notes:
        told += ["Worth knowing, though no fault:", *(one.text(width) for one in notes)]
    return "\n\n".join(told)
