"""What a document points to exists: links to files, and paths of the repository in `code spans`."""

import pathlib
import re

import tree

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"^[\w.+-]+(/[\w.+-]+)*/?$")
TOP_FOLDERS = {"src", "docs", "tests", "tools", "scripts", "examples", "benchmarks", "cmake", "device_lib", "include"}
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def exists(base, target):
    return (tree.ROOT / base / target).exists()


def link_findings(document, source):
    for match in LINK.finditer(source):
        target, _, anchor = match.group(1).partition("#")
        if re.match(r"^[a-z]+:", match.group(1)):
            continue
        path = document.parent / target if target else document
        line = source.count("\n", 0, match.start()) + 1
        if not (tree.ROOT / path).exists():
            yield tree.finding(document, line, f"links to {target}, which does not exist")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            yield tree.finding(document, line, f"links to {target}#{anchor}, but there is no such heading")


def anchors(path):
    """GitHub's anchors: lower case, punctuation dropped, blanks to hyphens."""
    text = (tree.ROOT / path).read_text()
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)}


def span_findings(document, source):
    for match in SPAN.finditer(source):
        span = match.group(1).split(":")[0]
        if not PATH.match(span) or "/" not in span or span.split("/")[0] not in TOP_FOLDERS:
            continue
        if exists(".", span) or exists(document.parent, span):
            continue
        line = source.count("\n", 0, match.start()) + 1
        yield tree.finding(document, line, f"names {span}, which does not exist")


def check():
    findings = []
    for document in tree.files_with({".md"}):
        source = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), tree.text(document))
        findings += link_findings(document, source)
        findings += span_findings(document, source)
    return findings
