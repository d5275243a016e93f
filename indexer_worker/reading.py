"""The texts inside one file, whatever its format. For the child process only: readers of formats are native code."""

from __future__ import annotations

from dataclasses import dataclass, field

import kreuzberg
import pypdfium2
from lxml import etree

from indexer_worker.archive import MAX_DEPTH, Allowance, members
from indexer_worker.formats import MEDIA_TYPES, claimed_kind, kind_of, ole_kind
from indexer_worker.xml_text import text_of
from tenderscrapy.exceptions import ExtractionError
from tenderscrapy.normalise.text import printable

MAX_CHARACTERS = 5_000_000
MAX_PAGES = 5_000
MAX_PROBLEMS = 20
_KREUZBERG = kreuzberg.ExtractionConfig(use_cache=False, enable_quality_processing=False)


@dataclass(slots=True)
class Text:
    """Running text of a file, a page or a member. ``path`` leads to it through archives, the file's own name first."""

    path: list[str]
    text: str
    page: int | None = None


@dataclass(slots=True)
class Reading:
    """What was read of a file, and what could not be."""

    texts: list[Text] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    characters: int = 0
    allowance: Allowance = field(default_factory=Allowance)

    def add(self, path: list[str], text: str, page: int | None = None) -> None:
        """Keep a text without what no reader sees; beyond the limit it is cut, and that is a problem."""
        text = printable(text.replace("\r\n", "\n").replace("\r", "\n")).strip()
        room = MAX_CHARACTERS - self.characters
        if len(text) > room:
            self.problem(path, f"text after {MAX_CHARACTERS} characters left out")
            text = text[:room]
        if text:
            self.characters += len(text)
            self.texts.append(Text(path, text, page))

    def problem(self, path: list[str], reason: str) -> None:
        """Note what could not be read; whoever asked knows the file's own name."""
        inner = " › ".join(path[1:])
        note = f"{inner}: {reason}" if inner else reason
        if note in self.problems:
            return
        if not inner:
            self.problems.insert(0, note)
        elif len(self.problems) < MAX_PROBLEMS:
            self.problems.append(note)

    def read(self, path: list[str], data: bytes, media_type: str | None = None) -> None:
        """Add the texts of ``data``; a file that cannot be read becomes a problem."""
        before = self.characters, len(self.problems)
        try:
            self._read(path, data, media_type)
            if before == (self.characters, len(self.problems)):
                self.problem(path, "no text in it")
        except ExtractionError as error:
            self.problem(path, str(error))
        except (kreuzberg.KreuzbergError, etree.LxmlError, MemoryError, RecursionError, ValueError) as error:
            self.problem(path, _reason(error))

    def _read(self, path: list[str], data: bytes, media_type: str | None) -> None:
        if not data.strip(b"\0 \t\r\n"):
            raise ExtractionError("the file is empty")
        kind, claim = kind_of(data), claimed_kind(path[-1], media_type)
        if claim and kind in ("html", "text", "xml"):
            raise ExtractionError(f"{_CONTENT[kind]} in place of the {claim.upper()} file")
        if kind == "pdf":
            self._pdf(path, data)
        elif kind in ("zip", "tar", "gzip"):
            self._archive(kind, path, data)
        elif kind == "xml":
            self.add(path, text_of(data))
        elif kind == "text":
            self.add(path, decoded(data))
        elif kind in ("image", "rar", "unknown"):
            raise ExtractionError(_CONTENT[kind])
        else:
            kind = ole_kind(path[-1], media_type) if kind == "ole" else kind
            self.add(path, kreuzberg.extract_bytes_sync(data, MEDIA_TYPES[kind], _KREUZBERG).content)

    def _archive(self, kind: str, path: list[str], data: bytes) -> None:
        if len(path) > MAX_DEPTH:
            raise ExtractionError(f"archives in archives beyond {MAX_DEPTH} levels are not opened")
        for member in members(kind, data, self.allowance):
            inner = [*path, member.name]
            try:
                unpacked = member.data()
            except (ExtractionError, MemoryError) as error:
                self.problem(inner, _reason(error))
                continue
            if unpacked:
                self.read(inner, unpacked)

    def _pdf(self, path: list[str], data: bytes) -> None:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise ExtractionError("the PDF is encrypted") from error
            self._pdf_again(path, data, error)
            return
        before = self.characters
        with document:
            for number in range(min(len(document), MAX_PAGES)):
                try:
                    text = document[number].get_textpage().get_text_range()
                except pypdfium2.PdfiumError as error:
                    self.problem(path, f"page {number + 1}: {_reason(error)}")
                    continue
                self.add(path, text, number + 1)
            if len(document) > MAX_PAGES:
                self.problem(path, f"pages after {MAX_PAGES} left out")
        if self.characters == before:
            raise ExtractionError("the PDF has no text, it may be scanned")

    def _pdf_again(self, path: list[str], data: bytes, error: Exception) -> None:
        """The second reader, without page numbers, for a file that the first one refuses."""
        try:
            self.add(path, kreuzberg.extract_bytes_sync(data, "application/pdf", _KREUZBERG).content)
        except kreuzberg.KreuzbergError:
            raise ExtractionError(f"the PDF cannot be read: {_reason(error)}") from error


_CONTENT = {
    "html": "an HTML page",
    "text": "plain text",
    "xml": "an XML document",
    "image": "an image, its text is not read",
    "rar": "a RAR archive, which is not opened",
    "unknown": "an unknown format",
}


def decoded(data: bytes) -> str:
    """Plain text in the encodings that are met: UTF-8, UTF-16 with its mark, else Windows' western one."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
