"""Every view as a picture, to be looked at: in .build/inbox-pictures. The picture of the README is one of them."""
import json
import os
import pathlib
import shutil

import pytest

import phones
from browser import MIDDLE, NARROW, WIDE
from mock import TOKEN

ROOT = pathlib.Path(__file__).parents[4]
EXAMPLES = sorted((ROOT / "Examples" / "payloads").glob("*.json"))


@pytest.fixture(scope="module")
def scene(mock):
    """A day on three phones: one push of each kind."""
    numbers = {}
    send = lambda name, *flags, topic="com.example.chat", token=TOKEN, fails=False: numbers.__setitem__(name, mock.send(token, *flags, topic=topic, fails=fails))
    send("denied", "--template", "actions", topic="com.example.agenda", token="9b" * 32)
    send("actions", "--template", "actions", topic="com.example.agenda")
    send("candid", "--template", "candid", topic="com.example.agenda")
    send("quiet", "-t", "Reading list", "-m", "Three new articles.", topic="com.example.reader")
    send("unmapped", "--template", "live-activity-start", topic="com.example.parcel.push-type.liveactivity")
    send("background", "--template", "background", topic="com.example.bakery")
    send("critical", "--template", "critical", topic="com.example.home")
    send("timely", "--template", "time-sensitive", topic="com.example.cab")
    send("extension", "--template", "custom-interface", token=phones.QA_TOKEN)
    send("first", "-t", "Nora", "-m", "Bring the long lens.", "--thread-id", "chat-7")
    send("rich", "--template", "rich")
    send("rejected", "-t", "Your taxi is here", "-m", "Grey saloon, B 123.", topic="com.example.cab", token="990410" + "0" * 58, fails=True)
    send("replaced", "-t", "Rovers 1 : 1 United", "-m", "Goal in minute 58.", "--collapse-id", "match-4711", topic="com.example.scores")
    send("activity", "--template", "live-activity-start", topic="com.example.bakery.push-type.liveactivity")
    send("grouped", "--template", "grouped", "-b", "4")
    send("update", "--template", "update", "-b", "1", topic="com.example.scores")
    return numbers


def views(page, scene):
    yield "inbox", lambda: page.go("#/inbox") or page.until_text("#stage .note", "Rovers 2 : 1 United")
    yield "push-rich", lambda: page.open_push(scene["rich"]) or page.until("document.querySelector('.long img')?.naturalWidth > 0", "the picture is shown")
    yield "push-extension", lambda: page.open_push(scene["extension"])
    yield "push-replaced", lambda: page.open_push(scene["replaced"])
    yield "push-rejected", lambda: page.open_push(scene["rejected"])
    yield "push-denied", lambda: page.open_push(scene["denied"])
    yield "composer", lambda: page.go("#/compose/rich") or page.until_text("#ready", "No problems")
    yield "faults", lambda: page.go("#/faults") or page.until_text("#violations", "push")
    yield "start", lambda: page.go("#/start") or page.until_text("#work h1", "first push")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, MIDDLE, NARROW], ids=["wide", "middle", "narrow"])
def test_pictures(page, scene, pictures, theme, size):
    page.theme(theme)
    page.size(size)
    label = f"{size[0]}-{theme}"
    try:
        for name, show in views(page, scene):
            show()
            page.picture(pictures, f"{name}-{label}")
            # Nothing may stick out to the side.
            assert page.script("return document.documentElement.scrollWidth <= innerWidth"), name
            if size == NARROW and name in ["inbox", "push-rich"]:
                page.click("#switch button", "Phone")
                page.picture(pictures, f"{name}-phone-{label}")
                page.click("#switch button")
    finally:
        page.theme("light")
        page.size(WIDE)


def test_the_phone_in_its_other_views(page, scene, pictures):
    for view in ["centre", "home"]:
        page.click(f"[data-view={view}]")
        page.picture(pictures, f"phone-{view}")
    page.click("#stage .who")
    page.click("#stage .menu button", "All phones")
    page.until("document.querySelectorAll('.phone.small').length === 2", "both phones are shown")
    page.picture(pictures, "phones-all")


def test_the_picture_of_the_readme(page, scene, pictures):
    """INBOX_IMAGES names the folder that gets the pictures of the documentation: scripts/pictures sets it."""
    page.until_text("#stage .note", "Rovers 2 : 1 United")
    page.picture(pictures, "readme")
    page.open_push(scene["rich"])
    page.until("document.querySelector('.long img')?.naturalWidth > 0", "the picture is shown")
    page.picture(pictures, "rich")
    if folder := os.environ.get("INBOX_IMAGES"):
        shutil.copy(pictures / "readme.png", pathlib.Path(folder) / "inbox.png")
        shutil.copy(pictures / "rich.png", pathlib.Path(folder) / "inbox-rich.png")


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_example_is_rendered(page, mock, file):
    payload = file.read_bytes()
    aps = json.loads(payload).get("aps", {})
    kind = "liveactivity" if "event" in aps else "background" if aps.get("content-available") and "alert" not in aps else "alert"
    number = mock.post(payload, {"apns-push-type": kind, "apns-topic": "com.example.app" + (".push-type.liveactivity" if kind == "liveactivity" else ""), **({"apns-priority": "5"} if kind == "background" else {})})
    page.open_push(number)
    assert page.count(".code .ln") >= 1
    alert = aps.get("alert")
    title = alert.get("title") if isinstance(alert, dict) else alert
    if title and kind == "alert":
        page.until_text("#stage .screen", title)
