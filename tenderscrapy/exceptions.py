"""Every error that tenderscrapy raises on purpose; each docstring says when."""


class TenderscrapyError(Exception):
    """Root of all errors below; raise a subclass."""


class ConfigurationError(TenderscrapyError):
    """A setting, an argument or a configuration file cannot be used; the text names it and what to do."""


class DatabaseUnavailableError(TenderscrapyError):
    """PostgreSQL cannot be started or reached."""


class UnreadableDocumentError(TenderscrapyError):
    """A source's document is not of the format that its mapper reads (wrong root, not XML, not an object)."""


class UnsupportedFormatError(UnreadableDocumentError):
    """A document is of a known format that is refused by name (the mapper says which)."""


class AddressRefusedError(TenderscrapyError):
    """The URL guard refuses an address: scheme, host, port, user name, denylist or a non-public target."""


class SourceError(TenderscrapyError):
    """A source answered, but not as its interface says: repeated cursor, refused field, no list in the answer."""


class SourceRequestError(SourceError):
    """A request to a source failed for good: its attempts are used up, or it must not be tried again.

    ``status`` is the last HTTP status, None without an answer; ``kind`` the source's own word for the error;
    ``retry_after`` the seconds that it asked to be left alone, when that is longer than a run may wait; ``permanent``
    says that asking again the same way cannot help.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        kind: str = "",
        retry_after: float | None = None,
        permanent: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.retry_after = retry_after
        self.permanent = permanent


class AttachmentError(TenderscrapyError):
    """A file of a tender could not be fetched or is not what it says it is; stored on its row."""


class ExtractionError(TenderscrapyError):
    """The text of a file cannot be extracted; the reason is stored on the file's row."""


class EmbeddingError(TenderscrapyError):
    """The embedding model answered with something that is no vector of its dimension."""


class TextTooLongError(EmbeddingError):
    """A text is longer than the embedding model takes; split it, trying it again unchanged is of no use."""


class EmbeddingUnavailableError(TenderscrapyError):
    """The embedding service cannot be reached or is overloaded; trying later may help."""


class MessageError(TenderscrapyError):
    """A message does not follow the contract of its type."""


class BrokerUnavailableError(TenderscrapyError):
    """RabbitMQ cannot be reached, or took no responsibility for a message."""
