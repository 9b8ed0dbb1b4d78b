"""What the phones show, and what is done on them."""
from browser import Keys
from mock import TOKEN
import phones
import pytest


@pytest.fixture(autouse=True)
def fresh(mock):
    mock.reset()
    mock.api("PATCH", "/v1/phones/desk", {"online": True, "muted": True, "focus": None, "locked": True, "foreground": None})


def stages(page):
    return page.texts("#timeline b")


def test_an_action_changes_the_timeline(page, mock):
    number = mock.send(TOKEN, "--template", "rich")
    page.open_push(number)
    # The page is there before the phone on a slow machine.
    page.until_text(".long .acts", "Block Nora")
    assert page.texts(".long .acts button > bdi") == ["Reply", "Save to Photos", "Like", "Block Nora"]
    page.click(".long .acts button", "Like")
    page.until_text("#timeline", "“Like” pressed")
    assert "Acted on" in stages(page)
    assert mock.push(number)["outcome"]["kind"] == "acted"
    page.until_text("#facts .out", mock.push(number)["outcome"]["text"])


def test_a_reply_is_written_on_the_phone(page, mock):
    number = mock.send(TOKEN, "--template", "rich")
    page.open_push(number)
    page.click(".long .acts button", "Reply")
    page.until("document.activeElement.matches('.reply input')", "the field has the focus")
    page.press("On my way", Keys.ENTER)
    page.until_text("#timeline", "On my way")


def test_a_push_that_arrives_does_not_disturb_a_reply(page, mock):
    number = mock.send(TOKEN, "--template", "rich")
    page.open_push(number)
    page.click(".long .acts button", "Reply")
    page.until("document.activeElement.matches('.reply input')", "the field has the focus")
    page.press("On my ")
    mock.send(TOKEN, "-t", "Nora", "-m", "Meanwhile")
    page.until_text("#news", "Meanwhile")
    # The screen is read after the news, and the request for the counts after the screen.
    page.until_text(".tabs [data-tab=inbox]", str(mock.count()))
    page.press("way", Keys.ENTER)
    page.until_text("#timeline", "“On my way” sent by “Reply”")
    page.until("document.querySelectorAll('.reply').length === 0", "the field is closed")


def test_a_content_extension_keeps_and_replaces_its_actions(page, mock):
    number = mock.send(TOKEN, "--template", "custom-interface")
    page.open_push(number)
    page.until_text(".content-extension", "The old pier at dusk.")
    assert page.count(".long .txt") == 0
    page.click(".long .acts button", "Like")
    page.until_text(".long .acts", "Unlike")
    # It stays on the phone, so the new button can be pressed, too.
    page.until("document.querySelector('.long .acts button')?.disabled === false", "the new button can be pressed")
    assert "Tap" in page.texts("#stage .acts-beside button")
    page.click(".long .acts button", "Unlike")
    page.until_text("#timeline", "“Unlike” pressed")


def test_the_page_of_a_live_activity_shows_it_and_no_notification(page, mock):
    topic = "com.example.bakery.push-type.liveactivity"
    start = mock.send(TOKEN, "--template", "live-activity-start", topic=topic)
    assert mock.push(start)["card"]["title"] == "Order 42"
    page.open_push(start)
    page.until_text("#stage .activity", "on-the-way")
    assert page.count("#stage .long") == 0 and page.count("#stage .acts-beside") == 0
    assert page.text("#stage .stage-top .pill") == "Live Activity"
    update = mock.send(TOKEN, "--template", "live-activity-update", topic=topic)
    page.until_text("#stage .ghost-say", "A later push has changed it")
    assert page.text("#stage .stage-top .pill") == "No longer on the phone"
    page.open_push(update)
    page.until("document.querySelectorAll('#stage .activity').length === 1", "the activity is shown")


def test_a_push_that_was_replaced_offers_nothing_to_do(page, mock):
    first = mock.send(TOKEN, "-t", "1 : 0", "-m", "Goal", "--collapse-id", "match", topic="com.example.scores")
    page.open_push(first)
    page.until_text("#stage .acts-beside", "Dismiss")
    mock.send(TOKEN, "-t", "2 : 0", "-m", "Goal", "--collapse-id", "match", topic="com.example.scores")
    page.until("document.querySelectorAll('#stage .acts-beside').length === 0", "there is nothing to do with it any more")
    page.until_text("#stage .stage-top .pill", "No longer on the phone")


def test_a_push_of_another_phone_brings_its_screen_along(page, mock):
    number = mock.send(phones.QA_TOKEN, "-t", "Nora", "-m", "For QA")
    # Read anew, the page knows the screen of its first phone only.
    page.open(mock.url)
    page.open_push(number)
    page.go("#/inbox")
    page.until_text("#stage .who", "QA iPhone")
    page.until_text("#stage .note", "For QA")


def test_a_group_is_opened_and_closed(page, mock):
    for body in ["One", "Two", "Three"]:
        mock.send(TOKEN, "-t", "Nora", "-m", body, "--thread-id", "chat-7")
    page.until_text("#stage .note.stack .sum", "2")
    assert page.count("#stage .note") == 1
    page.click("#stage .note.stack")
    page.until("document.querySelectorAll('#stage .group-open .note').length === 3", "three cards are shown")
    assert page.texts("#stage .group-open .bdy") == ["Three", "Two", "One"]
    page.press(Keys.ENTER)
    page.until("document.querySelectorAll('#stage .note').length === 1", "the group is closed")


def test_threads_of_two_apps_with_one_name_are_opened_one_by_one(page, mock):
    for topic in ["com.example.chat", "com.example.bakery"]:
        for body in ["One", "Two"]:
            mock.send(TOKEN, "-t", topic, "-m", body, "--thread-id", "news", topic=topic)
    page.until("document.querySelectorAll('#stage .note.stack').length === 2", "two groups are shown")
    page.click("#stage .note.stack", "com.example.chat")
    page.until("document.querySelectorAll('#stage .group-open').length === 1", "one is open")
    assert page.count("#stage .note.stack") == 1
    # A screen reader names it.
    assert page.find("#stage .group-open").get_attribute("aria-label") == "Pier, group news"
    page.press(Keys.ENTER)
    page.until("document.querySelectorAll('#stage .note.stack').length === 2", "it is closed")


def test_a_group_that_was_delivered_quietly_asks_whether_to_keep_it(page, mock):
    for body in ["One", "Two"]:
        mock.send(TOKEN, "-t", "Reading list", "-m", body, topic="com.example.reader")
    page.until("document.querySelectorAll('#stage .note.stack.quiet').length === 1", "the group is shown")
    page.click("#stage .note.stack.quiet")
    page.click("#stage .group-open .choices button", "Keep")
    page.until("!document.querySelector('#stage .choices')", "the question is gone")
    assert mock.api("GET", "/v1/phones/desk")["apps"][6]["permission"] == "allowed"


@pytest.mark.parametrize("selector", [".scroll", ".note.quiet .cover", ".note.quiet [data-action=turn_off]"])
def test_the_focus_on_the_phone_stays_while_pushes_arrive(page, mock, selector):
    mock.send(TOKEN, "-t", "Reading list", "-m", "One", topic="com.example.reader")
    page.until_text("#stage .note.quiet", "Reading list")
    page.script("document.querySelector(`#stage ${arguments[0]}`).focus()", selector)
    mock.send(TOKEN, "-t", "Nora", "-m", "Meanwhile")
    page.until_text("#stage .screen", "Meanwhile")
    assert page.script("return document.activeElement.matches(`#stage ${arguments[0]}`)", selector)


def test_the_focus_on_a_group_stays_when_it_grows(page, mock):
    for body in ["One", "Two"]:
        mock.send(TOKEN, "-t", "Nora", "-m", body)
    page.until("document.querySelector('#stage .note.stack') !== null", "the group is shown")
    page.script("document.querySelector('#stage .note.stack').focus()")
    mock.send(TOKEN, "-t", "Nora", "-m", "Three")
    page.until_text("#stage .note.stack", "Three")
    assert page.script("return document.activeElement.matches('#stage .note.stack')")


def test_a_push_with_the_same_collapse_id_takes_the_place_of_the_last(page, mock):
    first = mock.send(TOKEN, "-t", "1 : 0", "-m", "Goal", "--collapse-id", "match", topic="com.example.scores")
    page.until_text("#stage .note", "1 : 0")
    second = mock.send(TOKEN, "-t", "2 : 0", "-m", "Goal", "--collapse-id", "match", topic="com.example.scores")
    page.until_text("#stage .note", "2 : 0")
    assert page.count("#stage .note") == 1
    page.until_text(f"#rows tr[data-n='{first}'] .c-out", str(second))


def test_levels_permission_and_badges_look_as_on_an_iphone(page, mock):
    mock.send(TOKEN, "--template", "critical", topic="com.example.home")
    mock.send(TOKEN, "--template", "time-sensitive", topic="com.example.cab")
    mock.send(TOKEN, "-t", "Reading list", "-m", "Three new articles.", topic="com.example.reader")
    mock.send(TOKEN, "-t", "Nora", "-m", "Hello", "-b", "4")
    page.until_text("#stage .kind.critical", "Critical")
    page.until_text("#stage .kind.timely", "Time Sensitive")
    page.until_text("#stage .note.quiet", "Reading list")
    page.until_text("#stage .icons .badge", "4")
    page.click("#stage .note.quiet .choices button", "Keep")
    page.until("!document.querySelector('#stage .note.quiet .choices')", "the question is gone")
    assert mock.api("GET", "/v1/phones/desk")["apps"][6]["permission"] == "allowed"


def test_a_live_activity_is_shown_with_and_without_a_profile(page, mock):
    mock.send(TOKEN, "--template", "live-activity-start", topic="com.example.bakery.push-type.liveactivity")
    mock.send(TOKEN, "--template", "live-activity-start", topic="com.example.unknown.push-type.liveactivity")
    page.until("document.querySelectorAll('#stage .activity').length === 2", "two activities are shown")
    assert page.count("#stage .activity .route") == 1
    page.until_text("#stage .activity .pairs", "stopsLeft")


def test_a_broadcast_updates_the_live_activity_of_its_channel(page, mock):
    channel = mock.channel("create", topic="com.example.bakery").split()[-1]
    mock.send(TOKEN, "--template", "live-activity-start-channel", "--channel", channel, topic="com.example.bakery.push-type.liveactivity")
    page.until("document.querySelectorAll('#stage .activity').length === 1", "the activity is shown")
    before = page.text("#stage .activity")
    mock.channel("send", channel, "--template", "live-activity-update", topic="com.example.bakery")
    page.until("document.querySelector('#stage .activity')?.textContent !== arguments[0]", "the activity is updated", before)
    update = mock.push(mock.total())
    assert update["outcome"]["kind"] == "shown"
    page.until_text("#rows tr:first-child", "com.example.bakery")


def test_a_channel_that_stores_nothing_keeps_no_broadcast_without_an_expiration(page, mock):
    channel = mock.channel("create", topic="com.example.bakery").split()[-1]
    mock.send(TOKEN, "--template", "live-activity-start-channel", "--channel", channel, topic="com.example.bakery.push-type.liveactivity")
    mock.api("PATCH", "/v1/phones/desk", {"online": False})
    fields = {"apns-channel-id": channel, "apns-push-type": "liveactivity", "apns-priority": "10"}
    body = b'{"aps":{"timestamp":4000000000,"event":"update","content-state":{}}}'
    number = mock.post(body, fields, path="/4/broadcasts/apps/com.example.bakery")
    outcome = mock.push(number)["outcome"]
    assert outcome["text"] == "Not shown: expired" and "The channel stores no message" in outcome["why"]


def test_a_quiet_push_waits_for_a_phone_that_is_offline(page, mock):
    page.click("[data-tip=Online]")
    page.until("document.querySelector('[data-tip=Online]').getAttribute('aria-pressed') === 'false'", "the phone is offline")
    number = mock.send(TOKEN, "-t", "Later", "-m", "x")
    page.until_text(f"#rows tr[data-n='{number}'] .c-out", "Stored")
    assert "Later" not in page.text("#stage .screen")
    page.click("[data-tip=Online]")
    page.until_text("#stage .note", "Later")
    page.until_text(f"#rows tr[data-n='{number}'] .c-out", "Shown")


def test_the_switches_are_one_toolbar_for_the_keyboard(page, mock):
    page.script("document.querySelector('.tools button').focus()")
    assert page.script("return [...document.querySelectorAll('.tools button')].map((each) => each.tabIndex)") == [0, -1, -1, -1, -1, -1]
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert page.focused() == "Focus"
    page.press(Keys.SPACE)
    page.until("document.querySelector('[data-tip=Focus]').getAttribute('aria-pressed') === 'true'", "Focus is on")
    assert page.focused() == "Focus"
    page.press(Keys.END)
    assert page.focused() == "Clear all"
    page.press(Keys.ARROW_DOWN)
    assert page.focused() == "Online"


def test_an_open_app_decides_what_is_presented(page, mock):
    page.click("[data-tip='Apps and their settings']")
    page.until_text("dialog.apps", "Pier")
    page.click("dialog.apps [data-key=open]")
    page.until_text("dialog.apps [data-key=open]", "Go to Home")
    page.press(Keys.ESCAPE)
    page.until_text("#stage .open-app", "is open")
    mock.send(TOKEN, "-t", "Nora", "-m", "Are you there?")
    page.until_text("#stage .banner .note", "Are you there?")
    page.click("[data-tip='Apps and their settings']")
    page.click("dialog.apps [data-key=presents-banner]")
    page.until("document.querySelector('dialog.apps [data-key=presents-banner]').getAttribute('aria-pressed') === 'false'", "no banner any more")
    page.press(Keys.ESCAPE)
    assert "banner" not in mock.api("GET", "/v1/phones/desk")["apps"][0]["presents"]


def test_clear_all_clears(page, mock):
    mock.send(TOKEN, "-t", "Nora", "-m", "Hello")
    page.until_text("#stage .note", "Hello")
    page.click("[data-tip='Clear all']")
    page.until("document.querySelectorAll('#stage .note').length === 0", "nothing is there")


def test_all_phones_are_shown_at_once_or_one(page, mock):
    mock.send(phones.QA_TOKEN, "-t", "Nora", "-m", "For QA")
    page.click("#stage .who")
    page.click("#stage .menu button", "All phones")
    page.until("document.querySelectorAll('.phone.small').length === 2", "two phones are shown")
    page.until_text(".phone.small .note", "For QA")
    page.click("#stage figcaption .who", "QA iPhone")
    page.until_text("#stage .phone:not(.small) .note", "For QA")


def test_a_press_on_an_app_shows_only_its_pushes(page, mock):
    mock.send(TOKEN, "-t", "Nora", "-m", "Hello")
    mock.send(TOKEN, "-t", "Order", "-m", "Ready", topic="com.example.bakery")
    page.until_text("#rows", "Order")
    page.click("#stage .icons [data-topic='com.example.bakery']")
    page.until("document.querySelectorAll('#rows tr').length === 1", "one push is left")
    page.click("#stage .icons [data-topic='com.example.bakery']")
    page.until("document.querySelectorAll('#rows tr').length === 2", "both are shown")


def test_a_mistake_in_the_profile_is_told_until_it_is_mended(page, mock):
    file = mock.folder / "phones.json"
    good = file.read_text()
    file.write_text('[{"id": "desk", "nmae": "Desk"}]')
    try:
        page.until_text("#stage .profile-error", "nmae")
        assert "The last good one is used" in page.text("#stage .profile-error")
    finally:
        file.write_text(good)
    page.until("!document.querySelector('#stage .profile-error')", "the mistake is mended")

def test_an_app_that_presents_only_a_banner_shows_it(page, mock):
    mock.api("PATCH", "/v1/phones/desk", {"foreground": "com.example.chat"})
    mock.api("PATCH", "/v1/phones/desk/apps/com.example.chat", {"presents": ["banner"]})
    mock.send(TOKEN, "-t", "Nora", "-m", "Only a banner")
    page.until_text("#stage .banner .note", "Only a banner")
