from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest
import yaml

import fourcorners.playbooks
from fourcorners.playbooks.file.schema import MODELS, json_schema

PUBLISHED = Path(fourcorners.playbooks.__file__).with_name("playbook.schema.json")
SMALL = Path(__file__).parents[1] / "small.yaml"


class PlainText(yaml.SafeLoader):
    """Reads every scalar as text, as editors with YAML 1.2 read the keys."""


PlainText.yaml_implicit_resolvers = {}


def test_the_published_schema_is_current() -> None:
    if os.environ.get("REWRITE_GOLDEN"):
        PUBLISHED.write_text(json_schema(), "utf-8")
    assert PUBLISHED.read_text("utf-8") == json_schema()


def test_the_schema_is_a_valid_schema_and_describes_every_key() -> None:
    schema = json.loads(json_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    objects = [schema, *(each for each in schema["$defs"].values() if "properties" in each)]
    assert {frozenset(each["properties"]) for each in objects} == {
        frozenset(model.model_fields) for model in MODELS.values()
    }
    assert all(each["additionalProperties"] is False for each in objects)


def test_the_schema_accepts_a_good_file_and_refuses_an_unknown_key() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text("utf-8")))
    data = yaml.load(SMALL.read_text("utf-8"), PlainText)  # noqa: S506 - a safe loader
    for provision in data["provisions"]:
        if "threshold" in provision:
            provision["threshold"] = float(provision["threshold"])
    validator.validate(data)
    data["provisions"][0]["querry"] = "x"
    with pytest.raises(jsonschema.ValidationError, match="querry"):
        validator.validate(data)
