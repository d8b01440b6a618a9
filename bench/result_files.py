# SPDX-License-Identifier: Apache-2.0
"""How files in results/ are written."""

import json


def has_rows(value):
    if isinstance(value, dict):
        return any(map(has_rows, value.values()))
    return isinstance(value, list) and any(isinstance(one, dict) or has_rows(one) for one in value)


def text(value, line="\n"):
    """JSON with a line for each member, and for each row, an object in a list, unless that has rows itself."""
    if line != "\n" and not has_rows(value):
        return json.dumps(value)
    deeper = line + " "
    if isinstance(value, list):
        return "[" + deeper + ("," + deeper).join(text(one, deeper) for one in value) + line + "]"
    members = (f"{json.dumps(key)}: {text(one, deeper)}" for key, one in value.items())
    return "{" + deeper + ("," + deeper).join(members) + line + "}"


def write_results(file, value):
    file.write_text(text(value) + "\n")
