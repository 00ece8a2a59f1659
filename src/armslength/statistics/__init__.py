"""Pure functions on arrays: AUC over comparable pairs, group bootstrap, operating points."""

from .auc import Pairs, auc, pooled_pairs, within_pairs
from .operating import threshold
from .resampling import MIN_GROUPS, Interval, group_weights, interval, ratio

__all__ = [
    "MIN_GROUPS",
    "Interval",
    "Pairs",
    "auc",
    "group_weights",
    "interval",
    "pooled_pairs",
    "ratio",
    "threshold",
    "within_pairs",
]
