"""The result as one self-contained HTML page (DESIGN 9).

- Nothing is loaded and no script runs: a Content-Security-Policy inside the page says so.
- Everything that came from the data is escaped by the template engine; drawings are numbers that a template prints.
- An unmeasured figure is a dash with its reason, and every figure stands beside its n.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from armslength.audit import Audit

from . import words
from .advice import advice
from .examples import examples, listed
from .limits import limits
from .manipulation import manipulation
from .numbers import clip, figure
from .operating import card, operating
from .prediction import leak, prediction
from .reward import own_reward

_MOST_LISTED = 20
_MOST_REASONS = 60


def page(result: Audit, findings: Mapping[str, int]) -> str:
    """The page.

    Args:
        result: the audit.
        findings: how often each finding of the input occurred.

    Returns:
        An HTML document that can be encoded as UTF-8 and opened offline.
    """
    data = result.data
    html = _environment().get_template("page.html").render(
        result=result,
        advice=advice(result),
        reward=own_reward(result),
        prediction=prediction(result),
        manipulation=manipulation(result),
        operating=operating(result),
        examples=examples(result),
        listed=listed(result),
        card=card(result),
        leak=leak(result),
        controls=[
            (c, words.control(c.name), figure(c.estimate, "runs") if c.estimate else None) for c in result.controls
        ],
        excluded=_most(data.excluded),
        excluded_total=data.trajectories - data.measured,
        duplicates=data.duplicates[:_MOST_LISTED],
        more_duplicates=max(0, len(data.duplicates) - _MOST_LISTED),
        findings=_most(findings),
        limits=limits(result),
    )  # fmt: skip
    # A name that is no valid Unicode (a file's, say) must not keep the page from being written.
    return html.encode("utf-8", "replace").decode("utf-8")


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The most frequent first, cut where there are too many to read."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rest = ordered[_MOST_REASONS:]
    more = [(f"{len(rest):,} other reasons", sum(count for _, count in rest))] if rest else []
    return [*ordered[:_MOST_REASONS], *more]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("armslength.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["clip"] = clip
    return environment
