"""Titles and running text of notices, made plain: no markup, no entities, no characters that a database refuses.

Entities are resolved exactly once, and before tags are removed, because older notices publish their markup escaped.
What was escaped twice therefore stays visible text. The result is text, not HTML: whoever renders it escapes it.
"""

from __future__ import annotations

import html
import re

# An entity without its semicolon counts only where no name goes on: "?a=1&notice=2" is an address, not "¬ice".
_ENTITY = re.compile(r"&(?:#\d{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31}(?:;|(?![=A-Za-z0-9])))")

_BREAKING = "p|div|br|hr|ul|ol|dl|dt|dd|li|tr|table|thead|tbody|tfoot|caption|h[1-6]|blockquote|pre|section|article"
_SPACING = "td|th|option"
_INLINE = (
    "a|abbr|acronym|address|aside|b|base|bdi|bdo|big|body|button|center|cite|code|col|colgroup|data|del|details|dfn|"
    "em|embed|fieldset|figcaption|figure|font|footer|form|frame|head|header|html|i|iframe|img|input|ins|kbd|label|"
    "legend|link|main|mark|math|meta|nav|noscript|object|param|picture|q|s|samp|script|select|small|source|span|"
    "strike|strong|style|sub|summary|sup|svg|textarea|time|title|tt|u|var|video|wbr|[a-z][a-z0-9]*:[a-z]+"
)
# Attributes need a value, so that "a <b and c> d" is no tag. No element is called "Name": "<Name des Bieters>" stays.
_ATTRIBUTES = r"(?:\s[^<>]*=[^<>]*|\s+nowrap\s*)?\s*/?"


def _tag(names: str) -> re.Pattern[str]:
    return re.compile(rf"</?(?:{names}){_ATTRIBUTES}>", re.IGNORECASE)


_BREAK_TAG, _SPACE_TAG, _INLINE_TAG = _tag(_BREAKING), _tag(_SPACING), _tag(_INLINE)
_INVISIBLE_MARKUP = re.compile(
    r"<!--(?:(?!<!--).)*?-->|<(script|style)\b[^<>]*>(?:(?!<\1\b).)*?</\1\s*>|<!doctype[^<>]*>|<\?[^<>]*\?>",
    re.IGNORECASE | re.DOTALL,
)
#: Control characters but tab and line ends, surrogates, zero-width and direction marks, soft hyphen, tag characters.
_UNWANTED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x85\u2028]")
_BLANKS = re.compile(r"[^\S\n]+")
_AROUND_LINE_END = re.compile(r" ?\n ?")
_MANY_LINE_ENDS = re.compile(r"\n{3,}")
#: Removing a tag can close the gap inside another one ("<<b>script>"); nobody nests honest markup deeper than this.
_TAG_PASSES = 4


def unescaped(value: str) -> str:
    """``value`` with its HTML entities resolved, once."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), value) if "&" in value else value


def printable(value: str) -> str:
    """``value`` without the characters that no reader sees and that databases or terminals refuse."""
    return value if value.isascii() and value.isprintable() else _UNWANTED.sub("", value)


def _untagged(value: str) -> str:
    for _ in range(_TAG_PASSES):
        if "<" not in value or ">" not in value:
            break
        before = value
        value = _INVISIBLE_MARKUP.sub(" ", value)
        value = _SPACE_TAG.sub(" ", _BREAK_TAG.sub("\n", value))
        value = _INLINE_TAG.sub("", value)
        if value == before:
            break
    return value


def clean_text(value: str | None) -> str | None:
    """The running text of ``value``: tags become line breaks, paragraphs stay, blanks are collapsed. Empty is None."""
    if not value:
        return None
    # Unwanted characters go first and last: one may hide inside a tag, or be written as an entity.
    text = printable(_untagged(printable(unescaped(printable(value)))))
    text = _LINE_END.sub("\n", text.replace("\u2029", "\n\n"))
    text = _AROUND_LINE_END.sub("\n", _BLANKS.sub(" ", text))
    return _MANY_LINE_ENDS.sub("\n\n", text).strip() or None


def clean_title(value: str | None) -> str | None:
    """``value`` on one line: as clean_text, then all white space collapsed. Empty is None."""
    text = clean_text(value)
    return " ".join(text.split()) if text else None
