"""PostgreSQL's settings for a laptop."""

from __future__ import annotations

import os

# written to postgresql.conf once, for the operator to change
INITIAL_SETTINGS = {
    "shared_buffers": "192MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "effective_cache_size": "1GB",
    "max_connections": "100",
    "max_wal_size": "2GB",
    "random_page_cost": "1.1",
    "jit": "off",
    "client_connection_check_interval": "5s",  # a killed client's long statement holds no lock for long
    "timezone": "UTC",
    "log_timezone": "UTC",
    # statements and details of errors hold rows, and rows hold people
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


def shared_memory() -> dict[str, str]:
    """Containers often have 64 MB of /dev/shm, too little for a parallel index build: then files in the data folder."""
    try:
        space = os.statvfs("/dev/shm")  # noqa: S108 - asked for its size, nothing is written
    except OSError:
        return {}
    return {"dynamic_shared_memory_type": "mmap"} if space.f_frsize * space.f_blocks < 512 * 1024 * 1024 else {}
