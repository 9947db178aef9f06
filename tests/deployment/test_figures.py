"""The figures of the proofs in the docs: deploy/prove.sh and deploy/figures.py."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = """# Guarantees
<!-- figures: cluster -->
not measured yet
<!-- /figures -->
Between.
<!-- figures: soak -->
| old | 1 |
<!-- /figures -->
"""
OUTPUT = """running 2 tests
| lost | 0 |
|---|---|
| doubled | 0 |
ok
| restarts | 30 |
|---|---|
"""


@pytest.fixture
def replace(tmp_path):
    """Runs deploy/figures.py on a page and returns its error, or the page."""
    page = tmp_path / "guarantees.md"

    def run(name, text=PAGE, output=OUTPUT):
        page.write_text(text)
        command = [ROOT / "deploy/figures.py", name, page, "Measured."]
        done = subprocess.run(command, input=output, capture_output=True, text=True)
        if done.returncode != 0:
            assert page.read_text() == text
        return done.stderr or page.read_text()

    return run


def test_proof_replaces_only_its_own_figures(replace):
    tables = "| lost | 0 |\n|---|---|\n| doubled | 0 |\n\n| restarts | 30 |\n|---|---|"
    assert replace("cluster") == PAGE.replace("not measured yet", f"Measured.\n\n{tables}")
    assert replace("soak") == PAGE.replace("| old | 1 |", f"Measured.\n\n{tables}")


def test_repeated_replacement_changes_nothing(replace):
    once = replace("cluster")
    assert replace("cluster", once) == once


@pytest.mark.parametrize(
    "text",
    [
        "# Guarantees\n",
        PAGE.replace("<!-- figures: cluster -->", "<!-- figures: other -->"),
        PAGE.replace("<!-- /figures -->", "", 1),
        PAGE + PAGE,
    ],
)
def test_page_without_exactly_one_block_is_refused(replace, text):
    error = replace("cluster", text)
    assert "guarantees.md" in error and "<!-- figures: cluster -->" in error


def test_output_without_table_is_refused(replace):
    assert "cluster printed no table" in replace("cluster", output="test result: ok\n")


def test_page_has_block_for_each_proof():
    script = (ROOT / "deploy/prove.sh").read_text()
    (proofs,) = re.findall(r"^proofs=\((.*)\)$", script, re.M)
    (function,) = re.findall(r"^page\(\) \{\n.*?^\}\n", script, re.M | re.S)
    for proof in proofs.split():
        page = subprocess.check_output(["bash", "-c", f"{function}\npage {proof}"], text=True).strip()
        assert f"<!-- figures: {proof} -->" in (ROOT / page).read_text(), f"{page} lacks {proof}"


def test_unknown_proof_is_refused_with_names():
    done = subprocess.run([ROOT / "deploy/prove.sh", "soap"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: unknown proof soap; choose one of: cluster soak")
