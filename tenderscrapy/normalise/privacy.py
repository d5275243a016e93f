"""People are not data: contact persons, e-mail addresses and telephone numbers leave a notice before it is kept.

Structures lose the keys that hold contacts; running text gets a neutral mark in place of the address, number or name.
When in doubt a number that has the shape of a telephone number goes, and one that has the shape of a date, a code or
a reference stays. Files that the authority published are not touched.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar, cast

#: What stands where a contact stood. Not to be read as a name, a number or an address by any pattern below.
MARK = "[…]"

Document = TypeVar("Document", dict[str, Any], list[Any], str)

_KEY_PARTS = (
    "contact", "email", "electronicmail", "mailbox", "telephone", "telefon", "telefax", "phonenumber", "faxnumber",
    "mobilephone", "ansprechpartner", "beneficialowner", "firstname", "lastname", "familyname", "givenname",
)  # fmt: skip
_KEY_WORDS = frozenset({"tel", "fax", "phone", "mobile", "mail", "persons", "persones", "ubo"})
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
#: A notice nests a dozen levels; what lies deeper is dropped unread.
_DEEPEST = 100
_MOST_PASSES = 10
#: Names of members whose text is a number, a code or an instant by definition.
_NEVER_TEXT = frozenset(
    [
        "notice_id",
        "notice_uuid",
        "procedure_id",
        "ocid",
        "source_code",
        "content_hash",
        "published_at",
        "revised_at",
        "deadline_at",
    ]
)

_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"']+", re.IGNORECASE)
_FILE_ENDING = r"(?:png|jpe?g|gif|svg|pdf|docx?|xlsx?|zip|html?)\b"
_EMAIL = re.compile(
    r"(?:mailto:)?(?<![\w.+%-])[\w.+%'-]++\s?(?:@|[(\[{]\s?(?:at|ät)\s?[)\]}])\s?"
    rf"(?:(?:[\w-]+\.)+(?!{_FILE_ENDING})[^\W\d_]{{2,}}|(?<=\w{{3}}@)[^\W\d_][\w-]*(?=\s?(?:…|\.{{3}}|\Z)))",
    re.IGNORECASE,
)

_DATE = r"(?:\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2})\b|\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}/\d{2,4}\b|\d{1,2}:\d{2})"
_GAP = r"[ \t\xa0]?[-–/.()]?[ \t\xa0]?[()]?"
_NUMBER = rf"(?:\+\s?|\()?(?!{_DATE})\d+(?:{_GAP}(?!{_DATE})\d+)*"
_LABELLED = re.compile(
    r"(?<!\w)(?P<label>(?:t[eé]l[eéè]?(?:f[oa]n[oe]?s?|foon|phone|fax|copie)?|tlf|phone|(?:tele)?fon|(?:tele)?fax|fax"
    r"|mobil(?:e|funk|telefon)?|handy|durchwahl|hotline|rufnummer|[tf](?=:))"
    r"(?:\.?[ \t-]?(?:nummer|number|nr|no))?(?P<sign>\s?[.:]+(?:/fax[.:]*)?|\s*/\s*(?:tele)?fax[.:]*|(?!\w))\s*)"
    rf"(?P<number>{_NUMBER}(?:\s?(?:ext|x|app|dw|durchwahl)[.:]?\s?\d+)?)",
    re.IGNORECASE,
)
# With 00 in front only the neighbours' country codes count: tax numbers and odd dates begin alike.
_INTERNATIONAL = re.compile(
    rf"(?:(?<![\w+])\+\s?(?!(?:19|20)\d\d\b)[1-9]\d{{0,2}}|(?<![\w+./-])00[34]\d(?:(?=[ \xa0/(-])|\d(?=\d{{8}})))"
    rf"(?!\d*-\d{{4}}\b)(?:{_GAP}(?!{_DATE})\d+)+(?![\w:])"
)
_NATIONAL = re.compile(
    r"(?<![\w/.,+-])(?<!\d[ \xa0])(?:"
    r"\(0[ ]?\d{1,5}\)[ ]?\d{2,}(?:[ /-]{1,3}\d+)*"
    r"|0[1-9]\d{1,3}[ ]?/[ ]?(?:\d{6,9}|\d{2,4}[ ]\d{2,4}(?:[ ]\d{2,4})*)(?:[ ]?-[ ]?\d{1,4})?"
    r"|0[1-9]\d{1,3}[ ]?/[ ]?(?!(?:19|20)\d\d-)\d{2,5}[ ]?-[ ]?\d{1,5}"
    r"|0[1-9]\d{1,3}-\d{6,8}"
    r"|0[1-9]\d{1,3}[ ](?!20\d{6}\b)\d{5,8}(?:-\d{1,4})?"
    r"|0(?:[1-9]\d{1,3}|000)(?:[ ]\d{3,4}){2}"
    r"|0(?:8\d\d|3\d\d|1[38]\d|180\d|[79]00)(?:[ /-](?!(?:19|20)\d\d\b)\d{2,4}){2,4}"
    r"|0[1-9](?:[ ]\d\d){4}"
    r"|07\d{9}"
    r")(?![\w/]|[-.,]\d)"
)
_AMOUNT_AFTER = re.compile(
    r"\s*(?:[€£$%]|m²|(?:EUR|Euros?|GBP|USD|CHF|PLN|CZK|SEK|kg|kW|Mio|Stk|units?|pieces?)\b|Stück|Gerät|Lizenz|licen)",
    re.IGNORECASE,
)
_REFERENCE_BEFORE = re.compile(
    r"(?:(?<!\w)(?:ref(?:erence|erenz)?|az|aktenzeichen|kenn(?:ung|ziffer)|id|code|cpv|ocid|artikel|article"
    r"|item|order|contract|vertrag|vergabe)[-\w]{0,12}|(?:nr|nummer|number|no)|\bS)[.:#\s]*$",
    re.IGNORECASE,
)

_TITLE = (
    r"(?:(?:Dr|Prof|Dipl|Ing|Mag|Sir|Dame|Mr|Mrs|Ms|Miss|M|Mme|Sig\.ra|Sig|Dott\.ssa|Dott"
    r"|Sra?|Frau|Herrn?|Fr|Hr)\b\.?(?:-Ing\.?|\s?jur\.?)?[ \xa0]?)"
)
_PARTICLE = r"(?:von|van|vom|zu|zur|de|der|den|di|da|del|la|le|el|al|y)[ \xa0]"
# The next item of a contact line ends the name before it.
_NEXT_ITEM = r"(?i:tel|telefon|telephone|phone|fon|fax|telefax|e-?mail|mail|mobil\w*|raum|zimmer|room)\b"
_WORD = rf"(?!{_NEXT_ITEM})[^\W\d_a-zà-ÿ](?:[^\W\d_]|['’.-](?=[^\W\d_]))*\.?"
_NAME = rf"(?:{_TITLE})*(?:{_PARTICLE})*{_WORD}(?:[ \xa0](?:{_PARTICLE})*(?:{_TITLE})*{_WORD}){{0,4}}"
_NAME_OF_TWO = _NAME.replace("{0,4}", "{1,4}")
_GERMAN_ENDING = r"(?:(?:/?-?|\(|\*|:|_)innen\)?|(?:/-?|\(|\*|:|_)?in\)?)?"
_PERSON_LABEL = (
    rf"(?i:ansprech(?:partner|person){_GERMAN_ENDING}|kontakt(?:person|stelle)?|(?:sach)?bearbeiter{_GERMAN_ENDING}"
    r"|contact(?:[ ](?:person|name|point|officer|details))?|contactpersoon|zuständig(?:er?)?"
    r"|for[ ]the[ ]attention[ ]of|attention|zu[ ]händen|persona?[ ]de[ ]contact[eo]?"
    r"|personne[ ](?:de|à)[ ]contact(?:er)?|osoba[ ](?:do[ ]kontaktu|kontaktowa)|contatto|referente)"
)
_AFTER_LABEL = re.compile(
    rf"(?P<label>(?<!\w)(?:{_PERSON_LABEL}[ ]?:|(?i:z\.?[ ]?hd|attn|fao)[:.]{{1,2}})[ \t\xa0]*(?:v\.[ ]|von[ ])?\s?)"
    rf"(?P<name>{_NAME}(?:,[ ](?!{_TITLE}){_WORD}(?![\w:.]))?)"
)
_ASKED_FOR = re.compile(
    rf"(?P<label>(?i:please|bitte)[ ](?i:contact|e-?mail|call|kontaktieren[ ]Sie)[ ])(?P<name>{_NAME_OF_TWO})"
)
_HONORIFIC = re.compile(
    r"(?P<label>(?<!\w)(?<!Ntra\. )(?:Frau|Herrn?|Mr\.?|Mrs\.?|Ms\.?|Miss|Mme|Sig\.(?:ra)?|Sra\.)[ \xa0])"
    rf"(?!Holle\b|der\b)(?P<name>{_NAME})"
)
#: An office that takes questions is no person.
_OFFICE = re.compile(
    r"(?i)\b(?:vergabe\w*|\w*stelle|stadt|gemeinde|landkreis|\w*amt|\w*abteilung|referat|dezernat|zentrale\w*|gmbh|procurement"
    r"|team|department|office|council|centre|center|service\w*|unit|desk|authority|commissioning|helpdesk|support|purchasing"
    r"|siehe|see|portal|website|link|anonym|tel\w*|phone|fax|e-?mail|mobil\w*)\b"
)
#: Without any of these no pattern can match: most texts are let through at once.
_SUSPECT = re.compile(
    r"[@\d]|(?i:\b[aä]t\s?[)\]}]|[ck]onta[ckt]t|referente|ansprech|bearbeiter|hd\b|händen|att|fao|zuständig|osoba|person|please|bitte)"
    r"|Frau|Herr|M(?:rs?|s|iss|me)\b|Sig\.|Sra\."
)


def _holds_contacts(key: str) -> bool:
    compact = re.sub(r"[^a-z]", "", key.lower())
    if any(part in compact for part in _KEY_PARTS):
        return True
    return not _KEY_WORDS.isdisjoint(word.lower() for word in _WORDS.findall(key))


def _phone(match: re.Match[str]) -> str:
    digits = sum(character.isdigit() for character in match[0])
    before = match.string[max(0, match.start() - 30) : match.start()]
    kept = (
        digits < 8
        or digits > 17
        or _AMOUNT_AFTER.match(match.string, match.end())
        or (_REFERENCE_BEFORE.search(before) and not re.search(r"(?i)contact|phone|call|tel", before))
    )
    return match[0] if kept else MARK


def _labelled_phone(match: re.Match[str]) -> str:
    digits = sum(character.isdigit() for character in match["number"])
    # Without a colon, or on the next line, only what starts like a telephone number is one.
    vague = not match["sign"].strip() or match["label"][0:2].lower() in ("t:", "f:") or "\n" in match["label"]
    if digits < 3 or (vague and (digits < 6 or match["number"][0] not in "+(0")):
        return match[0]
    if _AMOUNT_AFTER.match(match.string, match.end()):
        return match[0]
    return match["label"] + MARK


def _name(match: re.Match[str]) -> str:
    return match[0] if _OFFICE.search(match["name"]) else match["label"] + MARK


def _masked(text: str) -> str:
    if not _SUSPECT.search(text):
        return text
    # A mark can make its neighbour readable as a contact: go on until nothing changes.
    for _ in range(_MOST_PASSES):
        before, text = text, _masked_once(text)
        if text == before:
            break
    return text


def _masked_once(text: str) -> str:
    text = _EMAIL.sub(MARK, text)
    pieces: list[str] = []
    end = 0
    for url in _URL.finditer(text):
        pieces += [_masked_words(text[end : url.start()]), url[0]]
        end = url.end()
    return "".join([*pieces, _masked_words(text[end:])])


def _masked_words(text: str) -> str:
    text = _LABELLED.sub(_labelled_phone, text)
    text = _NATIONAL.sub(_phone, _INTERNATIONAL.sub(_phone, text))
    # The end of a sentence reads like an initial: the next one's "Please contact" must be found before that.
    for pattern in (_ASKED_FOR, _AFTER_LABEL, _HONORIFIC):
        text = pattern.sub(_name, text)
    return text


def _identity(text: str) -> str:
    """Digits of a number may look like a telephone's; an e-mail address is one wherever it stands."""
    return _EMAIL.sub(MARK, text) if "@" in text else text


def _without(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _masked(value)
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        return {
            key: _identity(part) if key in _NEVER_TEXT and isinstance(part, str) else _without(part, depth + 1)
            for key, part in value.items()
            if not _holds_contacts(str(key))
        }
    if isinstance(value, list | tuple):
        return [_without(part, depth + 1) for part in value]
    return value


def without_contacts(document: Document) -> Document:
    """A copy of ``document`` without contact persons, e-mail addresses, telephone and fax numbers.

    In dicts and lists the keys that hold contacts go at any depth, and every text in them is masked; a text is masked
    with MARK. What is left of a second call is what it was given.
    """
    return cast(Document, _without(document, 0))
