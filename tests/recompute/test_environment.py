"""An environment is read once, as data, and what is missing is a reason."""

import pytest

from armslength.recompute import Environment, Unavailable
from armslength.recompute.environment import Environments, nearest


def test_the_nearest_folder_is_beside_a_file_or_above(tmp_path):
    (tmp_path / "environment").mkdir()
    (tmp_path / "a/b/environment").mkdir(parents=True)
    assert nearest(tmp_path / "a/x.json") == tmp_path / "environment"
    assert nearest(tmp_path / "a/b/x.json") == tmp_path / "a/b/environment"
    (tmp_path / "a/environment").write_text("no folder")
    assert nearest(tmp_path / "a/x.json") == tmp_path / "environment"


def test_what_was_made_is_made_once_reasons_included():
    made = []

    def make(value):
        made.append(value)
        if value is None:
            raise Unavailable("because")
        return value

    environment = Environment(None)
    assert [environment.once("a", lambda: make(1)) for _ in range(2)] == [1, 1]
    for _ in range(2):
        with pytest.raises(Unavailable, match="because"):
            environment.once("b", lambda: make(None))
    assert made == [1, None]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "no environment/x.json"), (b"{", "not readable as JSON"), (b"\xff", "not readable as JSON")],
)
def test_a_file_that_cannot_be_read_is_a_reason(tmp_path, content, reason):
    if content is not None:
        (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(Unavailable, match=reason):
        Environment(tmp_path).json("x.json")
    assert Environment(tmp_path).listed("x.json") == ()


def test_a_folder_in_place_of_a_file_is_a_reason(tmp_path):
    (tmp_path / "x.json").mkdir()
    with pytest.raises(Unavailable, match="not readable"):
        Environment(tmp_path).json("x.json")


def test_folders_have_the_name_or_begin_with_it_and_an_underscore(tmp_path):
    for name in ("retail", "retail_2", "retailer", "airline"):
        (tmp_path / name).mkdir()
    assert Environment(tmp_path).folders("retail") == ["retail", "retail_2"]
    assert Environment(None).folders("retail") == ()


def test_what_a_corpus_keeps_beside_its_runs_is_found_from_each_file(tmp_path):
    """Without a folder named environment each folder of runs has its own; one that is there counts alone."""
    for name, value in (("a/db/x.json", 1), ("b/db/x.json", 2)):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(str(value))
    environments = Environments(None, {})
    read = [
        environments.of(tmp_path / file).nearby("y.json", "db/x.json") for file in ("a/r.json", "b/c/r.json")
    ]
    assert read == [1, 2]
    given = Environments(tmp_path / "a", {}).of(tmp_path / "b/r.json")
    assert given.nearby("y.json", "db/x.json") == 1
    for environment in (given, environments.of(tmp_path / "a/r.json"), Environment(None)):
        with pytest.raises(Unavailable, match=r"no z\.json"):
            environment.nearby("z.json")
