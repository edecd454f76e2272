"""The board and the alerts of deploy/: they ask for nothing that the server does not show."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from fourcorners.server.telemetry.instruments import INSTRUMENTS, LABELS
from tests.conftest import ROOT

ALERTS = ROOT / "deploy" / "prometheus-alerts.yaml"
BOARD = ROOT / "deploy" / "grafana.json"
FROM_PROMETHEUS = {"up", "instance", "job"}
HTTP_LABELS = {"http_request_method", "http_route", "http_response_status_code", "le"}
NAME = re.compile(r"\b(?:fourcorners|http)_\w+\b")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=(?!=))")
BY = re.compile(r"\bby \(([\w, ]+)\)")


def metric_names() -> set[str]:
    """Return the names that `test_metrics.py` finds in what the server shows."""
    http = "http_server_request_duration_seconds"
    names = {f"{http}_{end}" for end in ("bucket", "count", "sum")}
    for each in INSTRUMENTS:
        unit = {"By": "_bytes", "s": "_seconds", "": ""}[each.unit]
        names.add(each.name.replace(".", "_") + unit + ("_total" if each.is_counter else ""))
    return names


def expressions() -> list[str]:
    rules = yaml.safe_load(ALERTS.read_text("utf-8"))
    found = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    panels: list[dict[str, Any]] = json.loads(BOARD.read_text("utf-8"))["panels"]
    return found + [target["expr"] for panel in panels for target in panel["targets"]]


def test_they_use_names_and_labels_that_there_are() -> None:
    asked = expressions()
    known_labels = FROM_PROMETHEUS | HTTP_LABELS | set(LABELS)
    for expression in asked:
        names = {name for name in NAME.findall(expression) if name not in HTTP_LABELS}
        assert names <= metric_names(), expression
        assert names or "up{" in expression, expression
        labels = set(LABEL.findall(re.sub(r'"[^"]*"', '""', expression)))
        labels |= {each.strip() for part in BY.findall(expression) for each in part.split(",")}
        assert labels <= known_labels, expression
        assert expression.count("(") == expression.count(")")


def test_each_instrument_is_on_the_board() -> None:
    """What nobody looks at need not be measured."""
    shown = " ".join(expressions())
    assert [name for name in metric_names() if name not in shown] == []


def test_an_alert_says_what_to_do() -> None:
    for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in ("warning", "critical")
            assert rule["annotations"]["summary"].endswith(".")
            assert rule["annotations"]["description"].endswith(".")


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in json.loads(BOARD.read_text("utf-8"))["panels"]:
        at = panel["gridPos"]
        cells = {
            (at["x"] + across, at["y"] + down)
            for across in range(at["w"])
            for down in range(at["h"])
        }
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("promtool"), reason="needs promtool of Debian's prometheus")
def test_prometheus_takes_the_rules_and_the_expressions(tmp_path: Path) -> None:
    board = {
        "groups": [
            {
                "name": "board",
                "rules": [
                    {"record": f"board:panel:{number}", "expr": each.replace("$instance", ".*")}
                    for number, each in enumerate(expressions())
                ],
            }
        ]
    }
    file = tmp_path / "board.yaml"
    file.write_text(yaml.safe_dump(board))
    for rules in (ALERTS, file):
        done = subprocess.run(
            ["promtool", "check", "rules", rules], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr
