"""A disk whose power may be cut: it keeps what was synced, and of the rest whatever it likes.

``Disk`` watches what a process does to the files of one folder. ``after_a_cut`` makes a folder as a
cut at that moment may leave it: of each file the bytes that were synced; of each sector that was
written since, what it was at any time since, or zeros; as long as it was at any time since; and of
the names that were given or taken since, those up to any of them.
"""

import contextlib
import os
from pathlib import Path

SECTOR = 512


class File:
    """What a file has been since it was last synced, the synced content first."""

    def __init__(self):
        self.versions = [b""]

    @property
    def content(self):
        return self.versions[-1]

    def change(self, content):
        self.versions.append(bytes(content))

    def sync(self):
        del self.versions[:-1]

    def cut(self, random):
        """Its bytes after a cut, each sector and the length by themselves."""
        if random.random() < 0.1:
            return random.choice(self.versions)  # a journal of data, as some file systems have
        size = len(random.choice(self.versions))
        synced = len(self.versions[0])
        made = bytearray()
        for at in range(0, size, SECTOR):
            seen = [each[at : at + SECTOR] for each in self.versions]
            sector = random.choice(seen)
            if at >= synced and random.random() < 0.3:
                sector = b""
            made += sector.ljust(SECTOR, b"\0")
        return bytes(made[:size])


class Disk:
    """The files of a folder, watched: ``with disk.watching(monkeypatch): …``."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.files = {}
        """By inode: those that have a name."""
        self.names = [{}]
        """By name, the file; the synced ones first, and each change since."""
        self.moments = 0
        self.at_moment = None
        """Called after each write, sync and renaming."""

    def watch(self, patched):
        """Until the patches are undone."""
        for name in ("open", "write", "pwrite", "ftruncate", "fsync", "fdatasync", "replace"):
            patched.setattr(os, name, self._watched(name, getattr(os, name)))
        for name in ("unlink", "link"):
            patched.setattr(os, name, self._watched(name, getattr(os, name)))
        patched.setattr("antiphon.sessions.durable.journal._on_disk", os.fdatasync)
        return self

    def _watched(self, name, real):
        def act(*given, **more):
            done = real(*given, **more) if name not in ("fsync", "fdatasync") else None
            with contextlib.suppress(OSError):
                self._note(name, given)
            return done

        return act

    def _note(self, name, given):
        where = given[0]
        if type(where) is int:
            self._note_content(name, where)
        elif Path(os.fsdecode(where)).parent != self.folder:
            return
        if name in ("open", "replace", "unlink", "link"):
            self._note_names()
        if name != "open":
            self.moments += 1
            if self.at_moment is not None:
                self.at_moment()

    def _note_content(self, name, descriptor):
        about = os.fstat(descriptor)
        file = self.files.get(about.st_ino)
        if file is None:
            if name == "fsync" and os.path.samestat(about, self.folder.stat()):
                del self.names[:-1]
        elif name in ("fsync", "fdatasync"):
            file.sync()
        else:
            file.change(Path(f"/proc/self/fd/{descriptor}").read_bytes())

    def _note_names(self):
        inodes = {each.name: each.stat().st_ino for each in self.folder.iterdir()}
        self.files = {each: self.files.get(each) or File() for each in inodes.values()}
        names = {name: self.files[inode] for name, inode in inodes.items()}
        if names != self.names[-1]:
            self.names.append(names)

    def after_a_cut(self, folder, random):
        """Make a folder as a cut at this moment may leave it."""
        for name, file in random.choice(self.names).items():
            (folder / name).write_bytes(file.cut(random))
