"""Fitting: folds, linear heads, rivals and out-of-fold scores."""

from .crossfit import FoldFit, OutOfFold, cross_fit
from .explanations import length, policy_prior, skeleton, task_identity, tool_names
from .folds import INNER, OUTER, Split, grouped_splits
from .logistic import Coefficients, fit_path
from .readers import (
    PENALTIES,
    FittedReader,
    FloatReader,
    LevelReader,
    Reader,
    error_rate,
    first_run,
    same_turn,
    with_velocity,
)

__all__ = [
    "INNER",
    "OUTER",
    "PENALTIES",
    "Coefficients",
    "FittedReader",
    "FloatReader",
    "FoldFit",
    "LevelReader",
    "OutOfFold",
    "Reader",
    "Split",
    "cross_fit",
    "error_rate",
    "first_run",
    "fit_path",
    "grouped_splits",
    "length",
    "policy_prior",
    "same_turn",
    "skeleton",
    "task_identity",
    "tool_names",
    "with_velocity",
]
