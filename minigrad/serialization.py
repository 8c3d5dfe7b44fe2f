"""``save`` and ``load``: state in a file, with nothing in it that could be executed.

The file is NumPy's ``.npz``: an uncompressed zip of one ``.npy`` for each array, which anything that knows NumPy opens
and whose checksums find damage, beside ``structure.json``, which says how the arrays hang together. It takes the place
of the old one only when it is whole and on the disk.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import secrets
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.ops.creation import check_device
from minigrad.structure import Packer, StructureError, Unpacker

__all__ = ["SavedFileError", "load", "save"]

Target = str | os.PathLike[str] | IO[bytes]
_STRUCTURE = "structure.json"
_FORMAT, _VERSION = "minigrad", 1
_ZIP, _PICKLES = b"PK", (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The date of every part, so that equal states give equal files."""
_DEEPEST = "it is nested too deeply"


class SavedFileError(RuntimeError):
    """A file that holds no state, or not all of it. The message says what it is instead."""


def save(obj: Any, f: Target) -> None:
    """Write ``obj`` to the file ``f``: tensors, arrays, numbers, strings, and lists, tuples and dictionaries of them,
    such as a ``state_dict()``.

    A file of that name is replaced at the end, in one step: whoever is interrupted keeps the old one whole. ``f`` may
    also be a binary file open for writing. Raises TypeError for an object that is no plain state, and OSError when it
    cannot be written.

    >>> import io, minigrad as mg
    >>> file = io.BytesIO()
    >>> mg.save({"weight": mg.tensor([1.0, 2.0]), "epoch": 3}, file)
    >>> mg.load(file)
    {'weight': tensor([1., 2.]), 'epoch': 3}
    """
    packer = Packer()
    try:
        value = packer.pack(obj)
        text = json.dumps({"format": _FORMAT, "version": _VERSION, "value": value}, ensure_ascii=False)
    except RecursionError:
        raise TypeError(f"cannot save the value: {_DEEPEST}.") from None
    with (
        _replacing(Path(os.path.realpath(f))) if isinstance(f, str | os.PathLike) else contextlib.nullcontext(f) as file
    ):
        _write(file, text, packer.arrays)


def _write(file: Any, text: str, arrays: dict[str, Array]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr(zipfile.ZipInfo(_STRUCTURE, _FIRST_DAY), text.encode("utf-8", "surrogatepass"))
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy", _FIRST_DAY), "w", force_zip64=True) as part:
                np.lib.format.write_array(part, np.asarray(array, order="C"), allow_pickle=False)


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file beside ``path`` that takes its place once it is written and on the disk, and goes if that fails."""
    if path.exists() and not path.is_file():  # a device or a pipe has no old content to keep
        whole = io.BytesIO()
        yield whole
        path.write_bytes(whole.getbuffer())
        return
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            beside.chmod(stat.S_IMODE(path.stat().st_mode))
        os.replace(beside, path)
        _sync_folder(path.parent)
    finally:
        beside.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """A new name is on the disk when its folder is; where folders cannot be opened, the system sees to it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def load(f: Target, map_location: Any = None, *, weights_only: bool = True, mmap: bool | None = None) -> Any:
    """What ``save`` wrote to ``f``; of an ``.npz`` that NumPy wrote, a dictionary of its arrays as tensors.

    ``map_location`` may be the CPU. The last two change nothing: no code is ever loaded, and the arrays are read.
    Raises SavedFileError, which says what is wrong, for any other file, and FileNotFoundError when there is none.
    """
    if not callable(map_location) and not isinstance(map_location, dict):
        check_device(map_location)
    if isinstance(f, str | os.PathLike):
        with Path(f).open("rb") as file:
            return _read(file, str(f))
    return _read(f, "the file")


def _read(file: Any, name: str) -> Any:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    _check_beginning(file.read(2), size, name)
    try:
        with zipfile.ZipFile(file) as archive:
            return _Archive(archive, size, name).value()
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, ValueError) as error:
        raise _damaged(name, str(error)) from None
    except RecursionError:
        raise _damaged(name, _DEEPEST) from None


def _check_beginning(first: bytes, size: int, name: str) -> None:
    if not size:
        raise SavedFileError(f"{name} is empty.")
    if first in _PICKLES:
        raise _pickled(name)
    if first != _ZIP:
        raise SavedFileError(f"{name} is no file that minigrad.save or numpy.savez wrote.")


def _pickled(name: str) -> SavedFileError:
    return SavedFileError(
        f"{name} is a pickle, as torch.save writes: opening it could run code, so it is not opened. In PyTorch write "
        "its tensors with numpy.savez(file, **{name: tensor.numpy() for name, tensor in state.items()}), and load that."
    )


def _damaged(name: str, why: str) -> SavedFileError:
    return SavedFileError(f"{name} is damaged or not whole: {why}.")


class _Archive:
    """The parts of an open file, of which none is trusted."""

    def __init__(self, archive: zipfile.ZipFile, size: int, name: str) -> None:
        self._archive, self._name = archive, name
        self._parts = {part.filename: part for part in archive.infolist()}
        if any(part.rpartition("/")[2] == "data.pkl" for part in self._parts):
            raise _pickled(name)
        if any(part.compress_type != zipfile.ZIP_STORED for part in self._parts.values()):
            raise SavedFileError(f"{name} is compressed; write it with numpy.savez or minigrad.save, which do not.")
        if sum(part.file_size for part in archive.infolist()) > size:
            raise _damaged(name, "its parts would be longer than the whole")

    def value(self) -> Any:
        """All that the file holds."""
        unpacker = Unpacker(self._array)
        if _STRUCTURE not in self._parts:
            names = [part.removesuffix(".npy") for part in self._parts if part.endswith(".npy")]
            if not names or len(names) < len(self._parts):
                raise SavedFileError(f"{self._name} is a zip file, but none that minigrad.save or numpy.savez wrote.")
            return {name: unpacker.unpack({"tensor": name}) for name in names}
        return unpacker.unpack(self._structure())

    def _structure(self) -> Any:
        described = json.loads(self._archive.read(_STRUCTURE).decode("utf-8", "surrogatepass"))
        if not isinstance(described, dict) or described.get("format") != _FORMAT or "value" not in described:
            raise _damaged(self._name, f"{_STRUCTURE} does not describe what minigrad.save writes")
        if described.get("version") != _VERSION:
            raise SavedFileError(
                f"{self._name} has version {described.get('version')!r} of the format, and this minigrad reads version "
                f"{_VERSION}; a newer minigrad may open it."
            )
        return described["value"]

    def _array(self, name: str) -> Array:
        part = self._parts.get(f"{name}.npy")
        if part is None:
            raise StructureError(f"the array {name!r} is not in it")
        with self._archive.open(part) as stream:
            shape, columns_first, kind = _header(stream)
            data = stream.read()
        if kind.hasobject:
            raise SavedFileError(f"{self._name} holds Python objects under {name!r}, which are not loaded.")
        if len(data) != kind.itemsize * int(np.prod(shape, dtype=object)):
            raise StructureError(f"the array {name!r} is not as long as it says")
        array = np.frombuffer(data, kind).reshape(shape, order="F" if columns_first else "C")
        return np.array(array, kind.newbyteorder("="), order="C")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    version = np.lib.format.read_magic(stream)
    if version not in read:
        raise StructureError(f"an array is in version {version} of its format")
    return read[version](stream)
