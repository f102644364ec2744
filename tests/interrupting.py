"""Ctrl-C at every place where the interpreter looks for signals, one after another."""

import dis
import sys

_DELIVERS = {"CALL", "RESUME", "JUMP_BACKWARD", "CALL_FUNCTION_EX"}
"""After these the interpreter looks for signals."""


class Interrupter:
    """Raises KeyboardInterrupt at the n-th such place in files whose path has this in it."""

    def __init__(self, place, within="antiphon"):
        self.left, self.within, self.before = place, within, {}

    def __call__(self, frame, event, _):
        if self.within not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            before = self.before.get(frame, "RESUME")
            self.before[frame] = dis.opname[frame.f_code.co_code[frame.f_lasti]]
            if before in _DELIVERS:
                self.left -= 1
                if self.left == 0:
                    sys.settrace(None)
                    raise KeyboardInterrupt
        return self


def interrupted(place, act, within="antiphon"):
    """Whether an interrupt came at that place of what is done."""
    return next(_interrupted(place, act, within))


def _interrupted(place, act, within):
    """In a generator: an interrupt that comes between an ``except`` and its end leaves CPython with
    an exception that is handled for ever, but for no longer than the generator.
    """
    outer = sys.gettrace()
    sys.settrace(Interrupter(place, within))
    came = False
    try:
        act()
    except KeyboardInterrupt:
        came = True
    finally:
        sys.settrace(outer)
    yield came
