"""Bundles of all releases are read, and say what they said then."""

import json

import numpy as np
import pytest

import golden_bundles
import kernelbandits as kb

RELEASES = sorted(golden_bundles.FOLDER.glob("*.json"))
SAID = {
    golden_bundles.FOLDER / f"{file.stem}-{name}.kb": said
    for file in RELEASES
    for name, said in json.loads(file.read_text(encoding="utf-8")).items()
}


def flat(said):
    return [leaf for part in said for leaf in flat(part)] if isinstance(said, list) else [said]


def test_there_are_bundles_of_this_release():
    assert kb.__version__ in [file.stem for file in RELEASES]
    assert {*golden_bundles.FOLDER.glob("*.kb")} == {*SAID}


@pytest.mark.parametrize("path", SAID, ids=lambda path: path.stem)
def test_a_bundle_says_what_it_said(path):
    now, then = flat(golden_bundles.answers(kb.load(path))), flat(SAID[path])
    if isinstance(then[0], str):
        assert now == then
    else:
        assert np.allclose(now, then, rtol=1e-9, atol=1e-12)  # last bits belong to a kind of processor
