#!/usr/bin/env python3
"""Replaces the figures of a proof in a page by the Markdown tables in the output of the proof.

    deploy/figures.py cluster docs/guarantees.md "Measured at commit abc1234 on 2 cores." <output

The figures stand between `<!-- figures: cluster -->` and `<!-- /figures -->`.
"""

import re
import sys
from pathlib import Path


def tables(output):
    """Returns the tables of an output, one text for each."""
    return [table.strip() for table in re.findall(r"(?:^\|.*\n?)+", output, re.M)]


def main(name, page, headline):
    found = tables(sys.stdin.read())
    if not found:
        sys.exit(f"error: the proof {name} printed no table")
    start, end = f"<!-- figures: {name} -->", "<!-- /figures -->"
    # A block ends before the next mark, so that no other block is replaced.
    block = re.compile(f"{re.escape(start)}(?:(?!<!--).)*{re.escape(end)}", re.S)
    figures = "\n\n".join([headline, *found])
    text, count = block.subn(lambda _: f"{start}\n{figures}\n{end}", Path(page).read_text())
    if count != 1:
        sys.exit(f"error: {page} must contain {start} … {end} once; found it {count} times")
    Path(page).write_text(text)


main(*sys.argv[1:])
