"""Writes the input of a campaign, and its payload."""

import json

import plan

# Seconds since 1970, long before the timestamp in any answer of the mock, so that tokens that the mock calls dead are in `gone`.
REGISTERED_AT = 1500000000


def write(campaign, folder):
    """Returns the path of the input and the options that go with it."""
    path = folder / {"csv": "in.csv", "tokens": "in.txt"}.get(campaign.form, "in.jsonl")
    with path.open("w", encoding="utf-8") as file:
        if campaign.form == "csv":
            file.write("token,ref,registered_at,name\n")
        for line in campaign.line_numbers:
            file.write(written(campaign, line) + "\n")
    return path


def payload(campaign):
    if campaign.form in ("templates", "csv"):
        return plan.PAYLOAD
    return None if campaign.form == "payloads" else plan.PLAIN_PAYLOAD


def name(line):
    """A text in the payload of a line. It shows when a payload reaches the device of another line."""
    return f"person {line}."


def written(campaign, line):
    # An odd number of hex digits is not a device token.
    token = "abc" if line in campaign.invalid_lines else campaign.token(line)
    if campaign.form == "tokens":
        return token
    if campaign.form == "csv":
        return f"{token},{line},{REGISTERED_AT},{name(line)}"
    said = {"token": token, "ref": line, "registered_at": REGISTERED_AT}
    if campaign.form == "templates":
        said["vars"] = {"name": name(line)}
    else:
        said["payload"] = {"aps": {"alert": f"Hello {name(line)}", "badge": line}}
    return json.dumps(said)
