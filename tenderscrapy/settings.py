"""Scrapy settings: only what differs from Scrapy's defaults, each with its reason.

What an operator may set comes from the environment (tenderscrapy.config); ``-s NAME=value`` still wins.
"""

import sys

from tenderscrapy.config import config
from tenderscrapy.exceptions import ConfigurationError

try:
    import tenderscrapy.failpoints  # noqa: F401 - reads FAILPOINTS

    _config = config()
except ConfigurationError as error:
    print(f"scrapy: {error}", file=sys.stderr)  # noqa: T201 - Scrapy would show a traceback instead
    sys.exit(2)

BOT_NAME = "tenderscrapy"
SPIDER_MODULES = ["spiders"]
COMMANDS_MODULE = "tenderscrapy.commands"

# --- what an operator may set ---------------------------------------------------------------------------------------
TED_API_URL = _config.ted_api_url
CONTRACTS_FINDER_URL = _config.contracts_finder_url
DOE_URL = _config.doe_url
NRW_OPENDATA_URL = _config.nrw_opendata_url
PORTALS_FILE = str(_config.portals_file or "")
AMQP_URL = _config.amqp_url
FILES_STORE = str(_config.files)
ALLOW_PRIVATE_HOSTS = _config.allow_private_hosts
RETRY_AFTER_MAX = _config.retry_after_max
COOLDOWN_403 = _config.cooldown_403
CHROMIUM = _config.chromium  # path of a browser; without it the system's, for the pages that need one
CONTACT = _config.contact

# --- who we are, and manners ----------------------------------------------------------------------------------------
USER_AGENT = f"tenderscrapy/0.1 (+{_config.contact})"
ROBOTSTXT_OBEY = True
DOWNLOAD_VERIFY_CERTIFICATES = True  # Scrapy's default accepts any certificate
DOWNLOAD_DELAY = 1.0  # fair use at the sources is about one request a second; with 0 a slot's limit does not hold
CONCURRENT_REQUESTS_PER_DOMAIN = 1
CONCURRENT_REQUESTS = 0  # no limit over all hosts: requests that wait in one host's slot must not use up the others'
RETRY_TIMES = 4  # five attempts, with growing waits, before a page is given up
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 15.0  # SIGTERM ends a crawl within 30 seconds, a request that waits for its slot included

# --- the one way out ------------------------------------------------------------------------------------------------
DOWNLOAD_HANDLERS = {  # every request passes the guard, whoever made it; other schemes have no way out
    "http": "tenderscrapy.http.scrapy_browser.BrowserHandler",
    "https": "tenderscrapy.http.scrapy_browser.BrowserHandler",
    "sample": "spiders.sample_download.SampleHandler",  # package data, no connection
    "file": None,
    "ftp": None,
    "s3": None,
}
TWISTED_DNS_RESOLVER = "tenderscrapy.http.scrapy_resolver.GuardedResolver"  # what is checked is what is connected to
DOWNLOADER_MIDDLEWARES = {
    "tenderscrapy.http.scrapy_guard.UrlGuardMiddleware": 10,  # before robots.txt is asked for a refused host
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,  # it ignores Retry-After
    "tenderscrapy.http.scrapy_retry.RetryMiddleware": 550,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,  # it turns a POST into a GET without its query
    "tenderscrapy.http.scrapy_redirect.RedirectMiddleware": 600,
}
REDIRECT_MAX_TIMES = 5
METAREFRESH_ENABLED = False  # a page's text must not send us on
DOWNLOAD_MAXSIZE = 256 * 1024 * 1024  # of a page, unpacked too: it is held in memory (a day of DÖE has some 20 MB)
DOWNLOAD_WARNSIZE = 64 * 1024 * 1024
HTTPPROXY_ENABLED = False  # a proxy would resolve names that the guard has not checked
BROWSER_PAGES = 4  # open at once, over all hosts: each takes about 100 MB
BROWSER_PAGE_TIMEOUT = 60  # seconds for a page and what is done on it; a page may never say that it is loaded
ATTACHMENTS_BUDGET = 300  # seconds for files after the pages are done; the rest stays pending for the next run
ATTACHMENTS_CONCURRENCY = 8
ATTACHMENTS_PER_HOST = 2
ATTACHMENT_MAX_BYTES = 1024 * 1024 * 1024  # packages of 636 MB are published
ATTACHMENT_IDLE_TIMEOUT = 60  # seconds with hardly a byte; a slow file may take as long as it likes

# --- the way of a notice --------------------------------------------------------------------------------------------
CONCURRENT_ITEMS = 300  # above the largest page (TED: 250), so that the end of a page is never waited for in vain
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 64 * 1024 * 1024  # a TED page has 3 MB; the walk itself bounds pages in flight
ITEM_PIPELINES = {
    "pipelines.validation.ValidationPipeline": 100,
    "pipelines.deduplication.DeduplicationPipeline": 200,
    "pipelines.storage.StoragePipeline": 300,
    "pipelines.attachments.AttachmentsPipeline": 400,
    "pipelines.publication.PublicationPipeline": 500,
}
EXTENSIONS = {
    "tenderscrapy.extensions.run_record.RunRecord": 100,
    "tenderscrapy.extensions.attachment_drain.AttachmentDrain": 200,
    "tenderscrapy.extensions.progress.Progress": 300,
    "scrapy.extensions.logstats.LogStats": None,  # Progress says the same in the product's words
    "scrapy.extensions.corestats.CoreStats": 0,
}

# --- what is shown and what is not ----------------------------------------------------------------------------------
LOG_LEVEL = "INFO"
LOG_VERSIONS: list[str] = []  # noise at every start
STATS_DUMP = False  # the run record says it in one line
LOG_FORMATTER = "tenderscrapy.extensions.log_formatter.QuietLogFormatter"  # Scrapy's own prints whole items
LOG_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
LOG_DATEFORMAT = "%H:%M:%S"

# --- doors that stay shut -------------------------------------------------------------------------------------------
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
