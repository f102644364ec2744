"""Abstract or final: a base implements a method only if no descendant overrides it.

Counted are pairs (class, method) of this package in which a class overrides a concrete method of a
base of this package. An abstract method is no such method; nor are ``HOOKS``, the few defaults that
every mechanism and post-processor may replace, as their docstrings say.
"""

import importlib
import inspect
import re
from pkgutil import walk_packages

import antiphon as ap
from antiphon.protocol.registry import registered_name

MOST = 60
"""A ratchet: what takes more raises it in its own commit, with the reason."""
SUBCLASSED = 0
"""The same of classes that are registered, and so made by users, and have a subclass here."""
HOOKS = {
    "Mechanism": {"claims", "carries_data", "is_over", "inside", "why_halted"},
    "PostProcessor": {"signature", "wired", "is_over", "refused", "why_halted"},
    "Space": {"cure"},
}
"""Defaults that any descendant may replace: at most five each."""
BETWEEN = {"__attrs_post_init__", "__init__"}
"""What a constructor is made of, and no method."""


def classes():
    """All classes of the package, private ones too, but for those of entry points."""
    found = {}
    for file in walk_packages(ap.__path__, "antiphon."):
        if not file.name.endswith("__main__"):
            module = importlib.import_module(file.name)
            own = (each for each in vars(module).values() if inspect.isclass(each))
            found |= {each: None for each in own if each.__module__ == file.name}
    return list(found)


CLASSES = classes()


def method(kind, name):
    """The function of a method or property that a person wrote in the body of a class, if any."""
    thing = vars(kind).get(name)
    thing = getattr(thing, "fget", None) or getattr(thing, "func", None) or thing
    thing = getattr(thing, "__func__", thing)
    if not inspect.isfunction(thing) or thing.__code__.co_filename.startswith("<"):
        return None  # attrs and NamedTuple write some
    return thing if thing.__qualname__ == f"{kind.__qualname__}.{name}" else None


def above(kind):
    return [each for each in kind.__mro__[1:] if each.__module__.split(".")[0] == "antiphon"]


def overridden(kind):
    """(name, base) of the methods by which a class replaces what a base does."""
    for name in vars(kind).keys() - BETWEEN:
        base = next((each for each in above(kind) if name in vars(each)), None)
        replaced = base and method(kind, name) and method(base, name)
        if replaced and not getattr(vars(base)[name], "__isabstractmethod__", False):
            yield name, base


def pairs():
    found = {}
    for kind in CLASSES:
        for name, base in overridden(kind):
            if name not in HOOKS.get(base.__name__, ()):
                found.setdefault(f"{base.__name__}.{name}", []).append(kind.__name__)
    return found


def test_what_a_base_does_is_rarely_overridden():
    found = pairs()
    count = sum(map(len, found.values()))
    assert count <= MOST, dict(sorted(found.items()))


def test_what_users_make_is_rarely_subclassed():
    registered = [each for each in CLASSES if registered_name(each)]
    bases = {base.__name__ for each in CLASSES for base in above(each) if base in registered}
    assert len(bases) <= SUBCLASSED, sorted(bases)


def test_hooks_are_few_and_there():
    """At most five each, each a method that the class has, and its docstring lists them."""
    for name, hooks in HOOKS.items():
        kind = next(each for each in CLASSES if each.__name__ == name)
        assert len(hooks) <= 5
        assert hooks <= vars(kind).keys()
        listed = re.split(r"(?:One|Five) defaults? ", inspect.getdoc(kind))[-1]
        assert set(re.findall(r"``(\w+)``", listed)) == hooks
