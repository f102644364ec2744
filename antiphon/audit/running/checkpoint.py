"""Checkpoints: the results so far of a run, in a file, so that it can be resumed.

A JSON file: format, experiment (digests), chunks done, their merged result, and a digest
of it all. It is replaced in one step, so it is never half written, and reading it runs no
code. Only whole chunks are saved, so that the total may grow. The sample counts at which results
were returned are saved, too, as a user may have raised the total because of a result.

An experiment is identified by a few digests, so that a checkpoint of another one is refused.

The digests include parameters, messages and the code of plain functions, but not the code of
classes.
"""

import functools
import hashlib
import json
import pickle
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, Final, cast

import attrs
import numpy as np

from antiphon.audit.running.chunks import Chunks
from antiphon.numbers import errors
from antiphon.numbers.user_files import path_of
from antiphon.protocol.records import codec
from antiphon.protocol.records.codec import Json, encode
from antiphon.protocol.records.files import Held, write_text

FORMAT: Final = "antiphon-checkpoint/1"
_SECONDS: Final = 2.0
"""The least seconds between two writes of a checkpoint; writing takes at most 1/20 of the time."""


def encode_result(result: object) -> Json:
    """A result as JSON: a value that a transcript may contain, or a mapping of such values.

    Raises: InvalidArgument for anything else; give the Checkpoint an ``encode`` and ``decode``.
    """
    if isinstance(result, Mapping):
        items: list[tuple[object, object]] = list(result.items())  # pyright: ignore
        return {"map": [[encode_result(key), encode_result(value)] for key, value in items]}
    try:
        data = codec.encode(result)
    except errors.InvalidArgument:
        data = codec.unwritable(result)
    if codec.mentions_unregistered(data):
        raise errors.InvalidArgument(
            f"a result with {errors.of_kind(result)} cannot stand in a checkpoint; count plain "
            "values (numbers, text, tuples, arrays), or pass Checkpoint(path, encode=…, decode=…)"
        )
    return data


def decode_result(data: object) -> object:
    """The result that ``encode_result`` wrote."""
    if codec.is_object(data) and "map" in data:
        items: list[list[object]] = data["map"]
        return {decode_result(key): decode_result(value) for key, value in items}
    return codec.decode(data)


@attrs.frozen
class Saved:
    """The content of a checkpoint."""

    chunks: int = 0
    """The number of chunks whose results are merged."""
    result: object = None
    """The merged result of the chunks that are done."""
    data: Json = None
    """The merged result as JSON data."""
    told: tuple[int, ...] = ()
    """The numbers of samples at which a result was returned, and so seen by a user."""


def _path(given: str | Path) -> Path:
    return path_of(given, "checkpoint")


@attrs.frozen
class Checkpoint:
    """A file from which a run can be resumed, with functions that encode and decode its results.

    ``encode`` makes a JSON value and ``decode`` reads it; the defaults suffice for numbers, tuples,
    arrays, and mappings of them. One file belongs to one experiment.
    """

    path: Path = attrs.field(converter=_path)
    encode: Callable[[Any], Json] = encode_result
    decode: Callable[[Any], object] = decode_result
    of: str = attrs.field(default="samples", kw_only=True)
    """The plural noun for the items of a chunk, such as "samples"."""

    def held(self) -> Held:
        """A lock that keeps every other run off this file until it is closed.

        Two runs would replace each other's results, and miss each other's reports. Raises:
        CheckpointError, naming the process that holds the file.
        """
        self._look_for_directory()
        try:
            return Held(self.path)
        except errors.FileError as error:
            raise errors.CheckpointError(str(error)) from None

    def _look_for_directory(self) -> None:
        if not self.path.parent.is_dir():
            raise errors.CheckpointError(
                f"{self.path}: there is no directory {self.path.parent}; make it"
            )

    def load(self, experiment: Mapping[str, Json], chunks: Chunks) -> Saved:
        """The saved progress; an empty one if there is no file yet.

        Raises: CheckpointError for a file that is damaged, of another experiment, or past
        the total; the file stays as it is.
        """
        data = self._read()
        if data is None:
            return Saved()
        saved: Mapping[str, Json] = data["experiment"]
        names = [n for n in {**saved, **experiment} if saved.get(n) != experiment.get(n)]
        if names:
            raise errors.CheckpointError(
                f"{self.path} belongs to another experiment: it differs in {', '.join(names)}; "
                "run what was run before, or give this experiment another file"
            )
        done: int = data["chunks"]
        if done * chunks.size > chunks.total:
            raise errors.CheckpointError(
                f"{self.path} holds {done * chunks.size} {self.of} already, more than the "
                f"{chunks.total} asked for; ask for at least as many, or give another file"
            )
        try:
            result = self.decode(data["result"]) if done else None
            return Saved(done, result, data["result"], tuple(data.get("told", ())))
        except (errors.AntiphonError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise self._damaged(str(error)) from None

    def _read(self) -> dict[str, Any] | None:
        self._look_for_directory()
        try:
            text = self.path.read_text(encoding="utf-8")
            data = json.loads(text)
            form, sum_ = data["format"], data.pop("digest")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise errors.CheckpointError(f"{self.path} cannot be read: {error.strerror}") from None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise self._damaged("not a checkpoint") from None
        if form != FORMAT:
            raise self._damaged(f"its format is {str(form)[:40]}, not {FORMAT}")
        if sum_ != _digest(data):
            raise self._damaged("its contents do not fit its digest")
        told: object = data.get("told", [])
        counts: list[object] = [data.get("chunks"), *(told if type(told) is list else [None])]
        if not isinstance(data.get("experiment"), dict) or "result" not in data:
            raise self._damaged("it names no experiment or no result")
        if not all(type(count) is int and count >= 0 for count in counts):
            raise self._damaged("its counts are no numbers >= 0")
        return cast("dict[str, Any]", data)

    def _damaged(self, how: str) -> errors.CheckpointError:
        return errors.CheckpointError(
            f"{self.path} cannot be resumed: {how}; give the path of a checkpoint or of no file, "
            "or remove this one to begin again"
        )

    def save(self, experiment: Mapping[str, Json], saved: Saved) -> None:
        """Replace the file's content by ``saved``. Raises: CheckpointError."""
        data: dict[str, object] = {
            "format": FORMAT,
            "experiment": dict(experiment),
            "chunks": saved.chunks,
            "result": saved.data,
            "told": list(saved.told),
        }
        text = json.dumps(data | {"digest": _digest(data)})
        try:
            write_text(self.path, text, secret=True, overwrite=True)
        except errors.FileError as error:
            raise errors.CheckpointError(str(error)) from error


def _text(data: object) -> str:
    return json.dumps(data, sort_keys=True)


def _digest(data: object) -> str:
    return hashlib.sha256(_text(data).encode()).hexdigest()


@attrs.define
class Saver:
    """Saves a run's progress: the first time at once, later so rarely that it takes at most 1/20 of
    the time."""

    _checkpoint: Checkpoint
    _experiment: Mapping[str, Json]
    _saved: Saved
    _next: float = 0.0
    """The time (``time.monotonic``) from which on the next save is due."""

    def due(self) -> bool:
        """Whether it is time to save."""
        return time.monotonic() >= self._next

    def save(self, done: int, result: object) -> None:
        """Save the result of the first ``done`` chunks, if these are not saved yet."""
        if done == self._saved.chunks:
            return
        begun = time.monotonic()
        # These chunks count as saved even if the write fails, so that it is not tried again.
        self._saved = attrs.evolve(self._saved, chunks=done)
        self._write(attrs.evolve(self._saved, data=self._checkpoint.encode(result)))
        now = time.monotonic()
        self._next = now + max(_SECONDS, 20 * (now - begun))

    def tell(self, samples: int) -> int:
        """Record that a result of so many samples is returned to the user. Returns the number of
        such records."""
        told = self._saved.told
        if samples not in told:
            told = (*told, samples)
            self._write(attrs.evolve(self._saved, told=told))
        return len(told)

    def _write(self, saved: Saved) -> None:
        self._checkpoint.save(self._experiment, saved)
        self._saved = saved


def experiment(task: object, chunks: Chunks) -> dict[str, Json]:
    """The identity of an experiment: its chunk size, and digests of the task's parts and the seed.

    Digests are used, because a party may hold data, and a seed is secret. A task with a
    method ``fingerprint`` names its parts itself: {name: any value}.
    """
    own: Callable[[], Mapping[str, object]] | None = getattr(task, "fingerprint", None)
    parts = _fields(task) if own is None else own()
    root = chunks.root
    seed = [root.entropy, root.spawn_key, root.pool_size]
    return {
        "task": _name(type(task)),
        **{name: digest(value) for name, value in parts.items()},
        "chunk size": chunks.size,
        "seed": digest(seed),
    }


def digest(value: object) -> str:
    """A short digest of a value's content, the same in every process."""
    return _digest(describe(value))[:16]


def describe(value: object, around: tuple[int, ...] = ()) -> Json:
    """A value as JSON, from which its digest is computed. ``around``: the ids of the values that
    contain it."""
    if id(value) in around:  # A recursive function contains itself.
        return "itself"
    try:
        plain = encode(value, secrets=True)
        if not _mentions(plain, "unregistered") and not _mentions(plain, "object"):
            return plain  # An unregistered function is taken apart below, so that its code counts.
    except errors.InvalidArgument:
        pass
    inner = (*around, id(value))
    if isinstance(value, type):
        return ["type", _name(value)]
    if isinstance(value, FunctionType):
        return ["function", _name(value), *(describe(part, inner) for part in _function(value))]
    if isinstance(value, MethodType):
        return ["method", describe(value.__func__, inner), describe(value.__self__, inner)]
    if isinstance(value, CodeType):
        parts = (value.co_code, value.co_names, value.co_consts)
        return ["code", *(describe(part, inner) for part in parts)]
    return [_name(type(value)), *(describe(part, inner) for part in _parts(value, inner))]


def _function(function: FunctionType) -> tuple[object, ...]:
    cells = tuple(_content(cell) for cell in function.__closure__ or ())
    return function.__code__, function.__defaults__, function.__kwdefaults__, cells


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # The closure's variable is not bound yet.
        return None


def _parts(value: Any, around: tuple[int, ...]) -> Iterable[object]:
    """The parts of a value, from which its digest is computed; those of sets and mappings in an
    order that depends on no hash."""
    kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]
    if issubclass(kind, (list, tuple)):
        items: Iterable[object] = value
        return items
    if issubclass(kind, (set, frozenset, Mapping)):
        items = value.items() if issubclass(kind, Mapping) else value
        return sorted(_text(describe(item, around)) for item in items)
    if kind is functools.partial:
        return value.func, value.args, value.keywords
    if attrs.has(kind):
        return _fields(value).values()
    if issubclass(kind, np.generic):
        return (value.item(),)
    try:
        return (pickle.dumps(value, protocol=5),)
    except Exception:
        return ()


def _fields(value: object) -> dict[str, object]:
    """The fields of an attrs object by name; of another value, {"function": value}."""
    kind: type[Any] = type(value)
    if not attrs.has(kind):
        return {"function": value}
    return {field.alias: getattr(value, field.name) for field in attrs.fields(kind) if field.init}


def _mentions(data: Json, tag: str) -> bool:
    if isinstance(data, dict):
        return tag in data or any(_mentions(part, tag) for part in data.values())
    return isinstance(data, list) and any(_mentions(part, tag) for part in data)


def _name(thing: type | FunctionType) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
