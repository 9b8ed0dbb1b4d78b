"""The page of one push."""
import json

import pytest

from browser import NARROW, WIDE
from mock import Mock, TOKEN

PHOTO = ["--template", "rich"]


def test_a_push_has_its_payload_headers_token_timeline_and_frames(page, mock):
    number = mock.send(TOKEN, *PHOTO)
    page.open_push(number)
    assert "Nora: Has sent you a photo." in page.text(".head h1")
    assert '"mutable-content": 1' in page.text(".code")
    assert page.count(".code .k") >= 8
    assert "com.example.chat" in page.text("table[aria-label=Headers]")
    claims = page.text("table[aria-label='Provider token']")
    assert "ES256" in claims and "MOCKKEY123" in claims and "MOCKTEAM12" in claims
    # No part of a provider token is kept, and so none is shown.
    assert "eyJ" not in page.script("return document.documentElement.outerHTML")
    # The page is there before the phone on a slow machine.
    page.until_text("#timeline b", "Shown")
    assert page.texts("#timeline b")[:2] == ["Received", "Judged"]
    assert "Extension ran" in page.texts("#timeline b")
    assert page.texts(".frames .name")[:3] == ["HEADERS", "DATA", "HEADERS"]
    assert page.texts(".frames .dir")[:3] == ["Client", "Client", "Mock"]
    page.until("document.querySelector('.long img')?.naturalWidth === 800", "the picture is shown")


def test_findings_stand_at_their_line_and_lead_to_the_composer(page, mock):
    number = mock.post(b'{"aps":{"alert":{"title":"Nora","body":"Hello"},"badge":"3","mutable-content":true}}')
    page.open_push(number)
    lines = page.texts(".code > *")
    at = next(index for index, line in enumerate(lines) if '"badge"' in line)
    assert "badge" in lines[at + 1] and page.script("return document.querySelectorAll('.code > *')[arguments[0]].className", at + 1).startswith("finding")
    assert page.text(".code .hit mark") == '"3"'
    page.click(".code .finding a")
    page.until_text(".compose #lint", "badge")
    assert '"badge": "3"' in page.script("return document.getElementById('payload').value")


def keep_copies(page):
    page.script("window.copied = []; Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { copied.push(text); }}})")


def test_a_push_is_copied_as_a_command(page, mock):
    keep_copies(page)
    number = mock.send(TOKEN, "-t", "It's 5 o'clock", "-m", "$HOME `id`", "--collapse-id", "clock")
    page.open_push(number)
    page.click("[aria-label='Copy as pushsend']")
    page.click("[aria-label='Copy as curl']")
    page.until("copied.length === 2", "both are copied")
    as_pushsend, as_curl = page.script("return copied")
    assert f"pushsend send {TOKEN} --mock --state" in as_pushsend and "--collapse-id 'clock'" in as_pushsend
    assert "It'\\''s 5 o'\\''clock" in as_pushsend and "It'\\''s 5 o'\\''clock" in as_curl
    assert "-H 'apns-collapse-id: clock'" in as_curl and f"/3/device/{TOKEN}'" in as_curl and mock.ca in as_curl


def commands(page, mock, path, query):
    """All commands that the page gives, before the first push and for a push."""
    page.open(mock.url, "#/start", query)
    page.until_text("#work h1", "Send your first push")
    keep_copies(page)
    for number, name in enumerate(["pushsend", "curl"]):
        page.click(".how .seg button", name)
        page.click(".how .cmd button")
        page.until(f"copied.length === {number + 1}", "the command is copied")
    mock.api("POST", f"{path}/send", {"token": TOKEN, "topic": "com.example.app", "payload": '{"aps":{"alert":"Copied"}}'})
    page.open_push(1)
    page.click("[aria-label='Copy as pushsend']")
    page.click("[aria-label='Copy as curl']")
    page.until("copied.length === 4", "all are copied")
    return page.script("return copied")


@pytest.mark.parametrize("namespace", [False, True], ids=["mock", "namespace"])
def test_every_command_of_the_page_reaches_this_mock(browser, tmp_path, namespace):
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    mock = Mock(folder, has_phones=False)
    try:
        path = "/v1/namespaces/team-a" if namespace else "/v1"
        if namespace:
            mock.api("POST", "/v1/namespaces", {"name": "team-a"})
        for number, command in enumerate(commands(browser, mock, path, "?namespace=team-a" if namespace else ""), start=2):
            mock.shell(command)
            newest = mock.api("GET", f"{path}/pushes?order=newest&limit=1")["items"][0]
            assert (newest["number"], newest["status"]) == (number, 200), command
    finally:
        browser.leave()
        mock.stop()


def test_title_and_text_of_other_scripts_do_not_mix(page, mock):
    number = mock.send(TOKEN, "-t", "مرحبا بالعالم", "-m", "Order 42 وصل")
    page.open_push(number)
    assert page.texts(".head h1 > bdi") == ["مرحبا بالعالم", "Order 42 وصل"]
    assert page.script("const [title, text] = [...document.querySelectorAll('.head h1 > bdi')].map((each) => each.getBoundingClientRect()); return title.right <= text.left + 1")


def test_the_buttons_of_a_push_can_be_told_apart_when_it_is_narrow(page, mock):
    number = mock.send(TOKEN, "-m", "Narrow")
    page.size(NARROW)
    try:
        page.open_push(number)
        shown = page.script("""return [...document.querySelectorAll('.detail-bar .end button')].map((button) => button.innerText.trim() || button.innerHTML)""")
        assert len(set(shown)) == len(shown) == 3, shown
        assert page.script("return document.documentElement.scrollWidth <= innerWidth")
    finally:
        page.size(WIDE)


def test_replay_sends_it_again_signed_with_the_mocks_own_key(page, mock):
    number = mock.send(TOKEN, "-t", "Again", "-m", "x", "--collapse-id", "again")
    page.open_push(number)
    page.press("r")
    page.until_text("#toast", "Resent, signed with the mock’s own key: 200 accepted")
    old, new = mock.push(number), mock.push(number + 1)
    assert [new[name] for name in ["token", "topic", "payload", "collapse_id", "push_type"]] == [old[name] for name in ["token", "topic", "payload", "collapse_id", "push_type"]]
    assert new["key_id"] == "MOCKKEY123" and new["apns_id"] != old["apns_id"]


def test_a_rejection_has_its_reason_the_remedy_and_how_sure_the_mock_is(page, mock):
    number = mock.post(b'{"aps":{"alert":"Hello"}}', {"apns-priority": "7"})
    page.open_push(number)
    assert page.text(".verdict .big") == "400"
    assert page.text(".verdict h2") == "BadPriority"
    assert page.count(".verdict ol li") >= 1
    assert page.find(".verdict .scale").get_attribute("aria-label").startswith("Certainty")
    assert "pushsend explain BadPriority" in page.text(".verdict .cmd pre")
    page.until_text("#stage .ghost-say", "Nothing reached the phone: BadPriority")
    assert page.text("#stage .stage-top .pill") == "Not on the phone"


def test_one_steps_from_push_to_push(page, mock):
    first = mock.send(TOKEN, "-t", "First", "-m", "x")
    second = mock.send(TOKEN, "-t", "Second", "-m", "x")
    page.go("#/inbox")
    page.until_text("#rows tr:first-child", "Second")
    page.open_push(second)
    page.press("j")
    page.until(f"document.documentElement.dataset.detail === '{first}'", "the older one is shown")
    page.press("k")
    page.until(f"document.documentElement.dataset.detail === '{second}'", "the newer one is shown")
    page.press("\ue00c")
    page.until("location.hash === '#/inbox'", "Escape leads back")


def test_a_push_that_is_not_kept_is_named(page, mock):
    page.go("#/push/999999")
    page.until_text("#work", "Push 999999 hasn’t arrived")


def test_the_management_of_a_channel_is_a_row_too(page, mock):
    mock.post(json.dumps({"message-storage-policy": 1, "push-type": "LiveActivity"}).encode(), {"apns-request-id": "6a1d4b52-0c1c-4b6e-8f0a-3a1f0a2b7c11"}, path="/1/apps/com.example.app/channels")
    page.until_text("#rows", "/channels")
    number = mock.total()
    page.open_push(number)
    assert "/1/apps/com.example.app/channels" in page.text("#facts")
    assert page.count("#replay") == 0


def test_a_rejection_has_its_remedy_with_the_flags_of_pushsend(page, mock):
    number = mock.send("990410" + "0" * 58, "-m", "Hello", fails=True)
    assert "--no-magic" in mock.push(number)["remedy"]
    page.open_push(number)
    page.until_text("#work", "--no-magic")
