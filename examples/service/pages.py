"""The pages, as HTML without a build step. All that is shown is public: answers, and the budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from antiphon.demo.data import CARRIERS, ORIGINS

from .board import DELAYS, EPSILONS, Watch
from .memory import Counter, Memory, Point
from .pictures import drawing
from .spending import Spending
from .tokens import Holder


def words(watch: Watch) -> str:
    """What a counter counts."""
    airline, origin, minutes, _ = watch
    late = f", {minutes} minutes late or more" if minutes else ""
    return f"{airline or 'All'} flights{f' from {origin}' if origin else ''}{late}"


def fragment(memory: Memory, spending: Spending) -> str:
    """The budget and the counters: what changes."""
    shown = [
        _figure(memory, number, each, spending.share(number))
        for number, each in reversed(list(enumerate(memory.counters)))
        if each is not None
    ]
    counters = "".join(shown) or '<p class="card">There is no counter yet.</p>'
    return (
        f'<section class="card" aria-labelledby="budget"><h2 id="budget">Budget</h2>'
        f'<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="rest" width="100" height="4"/>'
        f'<rect class="used" width="{spending.percent}" height="4"/>'
        f'</svg><p id="spent">{escape(spending.words)}.</p>'
        f'<p class="soft">{memory.flights:,} flights have come. What is spent stays spent, and how '
        f"many flights came is no secret.</p></section>{counters}"
    )


def beside(memory: Memory, counter: Counter, point: Point) -> str:
    """What is to be read behind a count: how near the truth is, and where noise alone took it."""
    most = memory.seen(counter, point.flights)
    text = f" of {most:,} flights, give or take {point.within:,} (95%)"
    if 0 <= point.count <= most:
        return text
    return f"{text}; the noise took it there, as no true count is below 0 or above {most:,}"


def _figure(memory: Memory, number: int, counter: Counter, share: str) -> str:
    name = escape(words(counter.watch))
    said, picture, last = "Nothing has been released yet.", "", counter.last
    if last is not None:
        rest = beside(memory, counter, last)
        said = f"<strong>{last.count:,}</strong>{rest}"
        picture = drawing(counter.series, f"{name}: {last.count:,}{rest}")
    return (
        f'<section class="card" id="c{number}" aria-labelledby="h{number}">'
        f'<h2 id="h{number}">{name}</h2><p>{said}</p>{picture}'
        f'<p class="soft">Counter {number}, from flight {counter.born:,} on, with ε = '
        f"{escape(str(counter.watch[3]))}; of the budget it takes {escape(share)}.</p></section>"
    )


def board_page(board: str, holder: Holder | None, *, said: str = "", forms: str = "") -> str:
    """The board, with the forms of an analyst."""
    status = f'<p role="status" class="said">{escape(said)}</p>' if said else ""
    live = '<p id="live" class="soft" role="status" hidden>'
    live += "The service does not answer; trying again.</p>"
    body = f'{status}{live}<div class="columns"><div id="board">{board}</div>{forms}</div>'
    return page("The board", body, holder, live=True)


def forms(memory: Memory, keys: Sequence[str]) -> str:
    """What an analyst may do, each with a key of its own."""

    def choice(name: str, label: str, options: Iterable[tuple[str, str]]) -> str:
        inner = "".join(f'<option value="{escape(v)}">{escape(t)}</option>' for v, t in options)
        return f'<label>{label}<select name="{name}">{inner}</select></label>'

    airlines = [("", "any"), *((each, each) for each in CARRIERS)]
    origins = [("", "any"), *((each, each) for each in ORIGINS)]
    delays = [(str(each), f"{each} minutes or more" if each else "any") for each in DELAYS]
    numbers = [
        (str(number), f"{number}: {words(each.watch)}")
        for number, each in enumerate(memory.counters)
        if each is not None
    ]
    ask = (
        '<form class="card" method="post" action="/ask" aria-labelledby="asking">'
        f'<h2 id="asking">Ask now</h2><input type="hidden" name="key" value="{keys[0]}">'
        f"{choice('counter', 'Counter', numbers)}<button>Ask</button>"
        '<p class="soft">Asking costs nothing: a counter is paid for when it is made.</p></form>'
    )
    return (
        '<div><form class="card" method="post" action="/create" aria-labelledby="making">'
        f'<h2 id="making">Create a counter</h2>'
        f'<input type="hidden" name="key" value="{keys[1]}">'
        f"{choice('airline', 'Airline', airlines)}{choice('origin', 'Origin', origins)}"
        f"{choice('delay', 'Late on arrival', delays)}"
        f"{choice('epsilon', 'ε, of the budget', [(each, each) for each in EPSILONS])}"
        f"<button>Create</button></form>{ask if numbers else ''}</div>"
    )


def spent_section(memory: Memory, spending: Spending) -> str:
    """What was promised and spent, in ε, and what each counter was charged."""
    figures = "".join(
        f"<dt>{escape(what)}</dt><dd><strong>{escape(figure)}</strong> {escape(how)}</dd>"
        for what, figure, how in spending.figures
    )
    rows = "".join(
        f"<tr><td>{number}</td><td>{escape(words(each.watch))}, with ε = "
        f"{escape(str(each.watch[3]))}</td><td>{escape(spending.share(number))}</td></tr>"
        for number, each in enumerate(memory.counters)
        if each is not None
    )
    titles = ("Counter", "Counts", "Takes")
    head = "".join(f'<th scope="col">{each}</th>' for each in titles)
    each_one = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return (
        '<section class="card"><h2>What is spent</h2>'
        f"<p>{escape(spending.words)}.</p><h3>In ε, at δ = {spending.delta}</h3><dl>{figures}</dl>"
        f"<h3>Of each counter</h3>{each_one}</section>"
    )


def derivation_page(text: str, spent: str, holder: Holder | None) -> str:
    """Why it is private."""
    body = (
        '<section class="card"><h2>What is promised</h2><p>Take two streams of flights that are '
        "alike, but for one flight that is another one. Whoever reads all answers, of all counters "
        "and at all times, and chooses what to create and to ask by what was answered before, "
        "hardly learns which of the two it was: whatever is seen is nearly as likely under the "
        "other. How near is what ε says: by a factor of at most e<sup>ε</sup>, but for events of "
        "probability δ. How many flights there are, what was created and when it was asked is no "
        "secret.</p></section>"
        f'<section class="card"><h2>Why</h2>'
        f'<pre tabindex="0" role="region" aria-label="Derivation">{escape(text)}</pre></section>'
        + spent
    )
    return page("Derivation", body, holder)


def enter_page(said: str = "") -> str:
    """Where an analyst shows a token."""
    status = f'<p role="alert" class="said">{escape(said)}</p>' if said else ""
    body = (
        f'{status}<form class="card narrow" method="post" action="/enter"><h2>Sign in</h2>'
        '<input hidden name="username" autocomplete="username" value="analyst">'
        '<label>Token of an analyst<input type="password" name="token" required '
        'autocomplete="current-password" maxlength="100"></label><button>Sign in</button></form>'
    )
    return page("Sign in", body, None)


def refused_page(said: str) -> str:
    """What was refused, and why."""
    return page("Refused", f'<p role="alert" class="said">{escape(said)}</p>', None)


def page(title: str, body: str, holder: Holder | None, *, live: bool = False) -> str:
    """A page around its body."""
    script = '<script src="/static/live.js" defer></script>' if live else ""
    if holder:
        who = (
            '<a href="/#making">Create</a>'
            f'<form method="post" action="/leave" class="inline"><span>{escape(holder.name)}</span>'
            "<button>Sign out</button></form>"
        )
    else:
        who = '<a href="/enter">Sign in</a>'
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · flights, counted privately</title>"
        '<link rel="icon" href="/static/icon.svg">'
        f'<link rel="stylesheet" href="/static/style.css">{script}</head><body>'
        '<a class="skip" href="#main">To the content</a>'
        '<header><h1><a href="/">Flights, counted privately</a></h1><nav aria-label="Pages">'
        f'<a href="/">Board</a><a href="/derivation">Derivation</a>{who}</nav></header>'
        f'<main id="main">{body}</main></body></html>'
    )
