"""The README is two screens, its first program is the site's, and its links lead somewhere."""

from __future__ import annotations

import re

import docs_pages

ROOT = docs_pages.ROOT
TEXT = (ROOT / "README.md").read_text()


def code(path: str, language: str) -> str:
    return next(block.text for block in docs_pages.blocks_of(ROOT / path) if block.language == language)


def test_two_screens():
    lines = TEXT.splitlines()
    assert len(lines) <= 100
    assert [line for line in lines if len(line) > 100] == []


def test_the_first_program_is_the_sites():
    for language in ("python", "cpp"):
        assert code("README.md", language) == code("docs/index.md", language)


def test_links_lead_to_files():
    links = re.findall(r"\]\(([^)#:]+)\)", docs_pages.FENCE.sub("", TEXT))
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []
