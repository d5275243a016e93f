"""Results as tables, for the terminal and for docs/performance.md."""

from __future__ import annotations

from typing import Any

COLUMNS = {
    "name": "contender",
    "state": "notices are",
    "median": "median",
    "min": "min",
    "max": "max",
    "unit": "",
    "cpu_seconds": "processor, s",
    "peak_megabytes": "peak memory, MB",
    "guarantees": "what it guarantees",
}


def text(results: dict[str, Any]) -> str:
    """All results in Markdown."""
    machine = results["machine"]
    facts = [machine["date"], machine["processor"], f"{machine['cores']} cores", machine["system"]]
    facts += [f"Python {machine['python']}", *(f"{name} {version}" for name, version in machine["packages"].items())]
    parts = [f"{', '.join(facts)}; load average {machine['load']} before, {results['load_after']} after."]
    for result in results["results"]:
        parts += ["", *_section(result)]
    return "\n".join(parts) + "\n"


def _section(result: dict[str, Any]) -> list[str]:
    size = ", ".join(f"{result[name]:,} {name}" for name in ("notices", "pages", "repeats") if name in result)
    lines = [f"### {result['bench']}: {size}", "", *_table(result["contenders"], COLUMNS), ""]
    ratios = [ratio | {"reached": _verdict(ratio), "goal": ratio["goal"] or ""} for ratio in result["ratios"]]
    lines += _table(ratios, {"to": "ours by", "ratio": "ratio", "goal": "goal", "reached": ""})
    if fast := result.get("fast_file"):
        lines += [
            "",
            "One fast file: " + ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in fast.items()),
        ]
    return lines


def _verdict(ratio: dict[str, Any]) -> str:
    if ratio["reached"] is None:
        return "for completeness"
    return "reached" if ratio["reached"] else "missed"


def _table(rows: list[dict[str, Any]], columns: dict[str, str]) -> list[str]:
    used = {name: title for name, title in columns.items() if any(row.get(name) is not None for row in rows)}
    numeric = {name for name in used if isinstance(rows[0].get(name), int | float)}
    return [
        "| " + " | ".join(used.values()) + " |",
        "| " + " | ".join("---:" if name in numeric else "---" for name in used) + " |",
        *("| " + " | ".join(_cell(row.get(name)) for name in used) + " |" for row in rows),
    ]


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value or "")
