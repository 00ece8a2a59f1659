"""``worlds make``: writes the interchange file, the same bytes each time."""

from click.testing import CliRunner

from armslength.cli.worlds import worlds_group
from armslength.formats import to_line
from armslength.worlds import make_purchases


def test_make_writes_what_make_purchases_makes(tmp_path):
    """The file holds the trajectories of the same arguments, and a second call writes the same bytes."""
    arguments = ["make", "--out", str(tmp_path), "--tasks", "5", "--trials", "4", "--seed", "9"]
    assert CliRunner().invoke(worlds_group, arguments).exit_code == 0
    path = tmp_path / "purchases.jsonl"
    first = path.read_bytes()
    assert CliRunner().invoke(worlds_group, arguments).exit_code == 0
    assert first == path.read_bytes()
    assert first == b"".join(map(to_line, make_purchases(5, 4, 9)))
