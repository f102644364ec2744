"""The HTML of a service's pages, from released numbers and the budget only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as escape

from antiphon.composition.accounting.risk import Risk
from antiphon.composition.guarantees.statement import Statement
from antiphon.service.tokens import Holder

Choices = Sequence[tuple[str, str]]
"""The options of a select field in a form, as pairs (value, text)."""


def budget_card(percent: int, words: str, note: str) -> str:
    """The HTML of the budget: a bar for the spent percentage, with a text and a note."""
    return (
        f'<section class="card" aria-labelledby="budget"><h2 id="budget">Budget</h2>'
        f'<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="rest" width="100" height="4"/>'
        f'<rect class="used" width="{percent}" height="4"/>'
        f'</svg><p id="spent">{escape(words)}.</p><p class="soft">{escape(note)}</p></section>'
    )


def series_card(number: int, name: str, said: str, picture: str, soft: str) -> str:
    """The HTML of a series of released numbers; its name, text and picture are escaped already."""
    return (
        f'<section class="card" id="c{number}" aria-labelledby="h{number}">'
        f'<h2 id="h{number}">{name}</h2><p>{said or "Nothing has been released yet."}</p>{picture}'
        f'<p class="soft">{escape(soft)}</p></section>'
    )


def create_form(key: str, choices: Iterable[tuple[str, str, Choices]]) -> str:
    """The form that creates a counter, with a (name, label, options) for each choice."""
    inner = "".join(_choice(*each) for each in choices)
    return (
        '<form class="card" method="post" action="/create" aria-labelledby="making">'
        f'<h2 id="making">Create a counter</h2><input type="hidden" name="key" value="{key}">'
        f"{inner}<button>Create</button></form>"
    )


def ask_form(key: str, counters: Choices) -> str:
    """The form that asks a counter for its count now."""
    return (
        '<form class="card" method="post" action="/ask" aria-labelledby="asking">'
        f'<h2 id="asking">Ask now</h2><input type="hidden" name="key" value="{key}">'
        f"{_choice('counter', 'Counter', counters)}<button>Ask</button>"
        '<p class="soft">Asking costs nothing: a counter is paid for when it is made.</p></form>'
    )


def _choice(name: str, label: str, options: Choices) -> str:
    inner = "".join(f'<option value="{escape(v)}">{escape(t)}</option>' for v, t in options)
    return f'<label>{escape(label)}<select name="{escape(name)}">{inner}</select></label>'


def spent_section(
    words: str, delta: str, figures: Iterable[tuple[str, str, str]], titles: Iterable[str],
    rows: Iterable[Iterable[str]],
) -> str:  # fmt: skip
    """The section on the spent budget: the figures in ε, and the part spent by each series."""
    told = "".join(
        f"<dt>{escape(name)}</dt><dd><strong>{escape(figure)}</strong> {escape(how)}</dd>"
        for name, figure, how in figures
    )
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in titles)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(each)}</td>' for each in row)}</tr>" for row in rows
    )
    return (
        f'<section class="card"><h2>The budget</h2><p>{escape(words)}.</p>'
        f"<h3>In ε, at δ = {escape(delta)}</h3><dl>{told}</dl><h3>Of each series</h3>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></section>"
    )


def _risk(risk: Risk) -> str:
    """The section on an adversary's chances to tell whether a protected unit of data is there."""
    figures = "".join(
        f"<dt>{escape(name)}</dt><dd><strong>{escape(figure)}</strong></dd>"
        for name, figure in risk.figures
    )
    return (
        '<section class="card"><h2>The risk that is left</h2><p>Suppose somebody knows everything '
        "but whether one protected unit of data is there, believes it with probability "
        f"{risk.prior:g}, and accuses only so that of those who are not there a share of "
        f"{risk.false_positive:g} at most is accused wrongly. Advantage is how much larger the "
        "share of accused people can be among those who are there than among those who are not. "
        f"After all answers they reach at most{'' if risk.proved else ', if what is assumed holds'}"
        f":</p><dl>{figures}</dl></section>"
    )


class Frame:
    """The HTML pages of one service, with its title on each."""

    def __init__(self, title: str, signs_in: bool) -> None:
        self._title, self._signs_in = escape(title), signs_in

    def board(self, board: str, holder: Holder | None, *, said: str = "", forms: str = "") -> str:
        """The page of released numbers (the board), with forms for an analyst who has signed in."""
        status = f'<p role="status" class="said">{escape(said)}</p>' if said else ""
        live = '<p id="live" class="soft" role="status" hidden>'
        live += "The service does not answer; trying again.</p>"
        body = f'{status}{live}<div class="columns"><div id="board">{board}</div>{forms}</div>'
        return self._page("The board", body, holder, live=True)

    def statement(self, statement: Statement, risk: Risk, holder: Holder | None) -> str:
        """The page with the statement of privacy, and the risk that remains."""
        body = f'<section class="card">{statement.html()}</section>{_risk(risk)}'
        return self._page("Statement", body, holder)

    def derivation(self, text: str, spent: str, holder: Holder | None) -> str:
        """The page with the derivation of the guarantee, and the budget."""
        body = (
            '<section class="card"><h2>What is promised</h2><p>The <a href="/statement">statement'
            "</a> says who is protected, and against whom. Whoever reads all answers, and chooses "
            "each question by what was answered before, sees nothing that is not nearly as likely "
            "with other data of whom it protects: by a factor of at most e<sup>ε</sup>, but for "
            'events of probability δ.</p></section><section class="card"><h2>Why</h2>'
            f'<pre tabindex="0" role="region" aria-label="Derivation">{escape(text)}</pre>'
            f"</section>{spent}"
        )
        return self._page("Derivation", body, holder)

    def enter(self, said: str = "") -> str:
        """The page on which an analyst enters a token to sign in."""
        status = f'<p role="alert" class="said">{escape(said)}</p>' if said else ""
        body = (
            f'{status}<form class="card narrow" method="post" action="/enter"><h2>Sign in</h2>'
            '<input hidden name="username" autocomplete="username" value="analyst">'
            '<label>Token of an analyst<input type="password" name="token" required '
            'autocomplete="current-password" maxlength="100"></label><button>Sign in</button>'
            "</form>"
        )
        return self._page("Sign in", body, None)

    def refused(self, said: str) -> str:
        """The page that gives the reason of a refusal."""
        return self._page("Refused", f'<p role="alert" class="said">{escape(said)}</p>', None)

    def _page(self, title: str, body: str, holder: Holder | None, *, live: bool = False) -> str:
        script = '<script src="/static/live.js" defer></script>' if live else ""
        who = '<a href="/enter">Sign in</a>' if self._signs_in else ""
        if holder:
            who = (
                '<a href="/#making">Create</a><form method="post" action="/leave" class="inline">'
                f"<span>{escape(holder.name)}</span><button>Sign out</button></form>"
            )
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)} · {self._title}</title>"
            '<link rel="icon" href="/static/icon.svg">'
            f'<link rel="stylesheet" href="/static/style.css">{script}</head><body>'
            '<a class="skip" href="#main">To the content</a>'
            f'<header><h1><a href="/">{self._title}</a></h1><nav aria-label="Pages">'
            '<a href="/">Board</a><a href="/statement">Statement</a>'
            '<a href="/derivation">Derivation</a><a href="/board.csv" download>CSV</a>'
            f'{who}</nav></header><main id="main">{body}</main></body></html>'
        )
