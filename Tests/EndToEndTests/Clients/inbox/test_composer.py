"""A payload is written beside its preview, checked and sent."""
import time

import phones
from browser import Keys
from mock import TOKEN


def write(page, text):
    page.script("const area = document.getElementById('payload'); area.value = arguments[0]; area.dispatchEvent(new Event('input', {bubbles: true}))", text)


def fill(page, **fields):
    for name, text in fields.items():
        page.script("const field = document.querySelector(`[name=${arguments[0]}]`); field.value = arguments[1]; field.dispatchEvent(new Event('input', {bubbles: true}))", name, text)


def open_composer(page, name="rich"):
    page.go(f"#/compose/{name}")
    page.until(f"document.documentElement.dataset.compose === '{name}'", "the composer is there")


def test_a_template_is_shown_previewed_and_checked(page):
    open_composer(page)
    page.until_text("#preview .note", "Has sent you a photo.")
    page.until_text("#ready", "No problems found")
    assert "4,096 bytes" in page.text("#size")
    page.click("[data-view=long]")
    page.until_text("#preview-long .long", "Summer 2026")


def test_the_preview_is_what_the_chosen_phone_makes_of_it(page, mock):
    before = mock.total()
    open_composer(page)
    write(page, '{"aps": {"alert": {"title": "Sight", "body": "Of a phone."}}}')
    page.until_text("#tried", "Shown")
    topic = page.script("return document.querySelector('[name=topic]').value")
    phone = mock.api("GET", "/v1/phones")["items"][0]["id"]
    mock.send(TOKEN, "-m", "so that the app is there", topic=topic)
    mock.api("PATCH", f"/v1/phones/{phone}/apps/{topic}", {"permission": "denied"})
    try:
        write(page, '{"aps": {"alert": {"title": "Sight", "body": "Of a phone that is closed."}}}')
        page.until_text("#tried", "Not shown")
        page.until("document.querySelectorAll('#preview .note').length === 0", "no card is previewed")
    finally:
        mock.api("PATCH", f"/v1/phones/{phone}/apps/{topic}", {"permission": "allowed"})
    assert mock.total() == before + 1


def test_a_token_of_another_phone_is_named(page, mock):
    page.script("location.hash = '#/compose/alert'")
    page.until("document.documentElement.dataset.compose === 'alert'", "the composer is there")
    fill(page, topic="com.example.chat", token=phones.QA_TOKEN)
    page.until_text("#notes", "The device token belongs to QA iPhone: the push goes there, not to Desk iPhone.")
    page.click("#stage .who")
    page.click("#stage .menu button", "QA iPhone")
    page.until("!document.querySelector('#notes').textContent.includes('belongs to')", "the token belongs to this phone")
    page.until_text("#tried", "QA iPhone: Shown")


def test_mistakes_are_marked_and_corrected(page):
    open_composer(page)
    write(page, '{\n  "aps": {\n    "alert": "Hello",\n    "badge": "3",\n    "mutable-content": true\n  }\n}')
    page.until_text("#lint", "badge")
    assert page.count(".paper .ln.hit") >= 1
    page.click("#lint .go", "badge")
    assert page.script("const area = document.getElementById('payload'); return area.value.slice(area.selectionStart, area.selectionEnd)") == '"3"'
    page.click("#fix")
    page.until_text("#ready", "No problems found")
    assert '"badge": 3' in page.script("return document.getElementById('payload').value")


def test_what_is_no_json_yet_breaks_nothing(page):
    open_composer(page)
    write(page, '{"aps": {"alert": "Hel')
    page.until_text("#notes", "isn’t JSON yet")
    page.until_text("#ready", "error")
    write(page, '{"aps": {"alert": {"title": {"deep": []}, "body": 7}, "sound": {"critical": 1}, "thread-id": null}}')
    page.until_text("#notes", "Nothing is shown")


def test_a_push_is_sent_and_arrives(page, mock):
    open_composer(page, "alert")
    before = mock.total()
    write(page, '{"aps":{"alert":{"title":"Composed","body":"In the browser."}}}')
    page.find("#payload").send_keys(Keys.CONTROL, Keys.ENTER)
    page.until_text("#toast", "Sent to the mock: 200 accepted")
    assert mock.push(before + 1)["payload"] == '{"aps":{"alert":{"title":"Composed","body":"In the browser."}}}'
    page.go("#/inbox")
    page.until_text("#rows tr:first-child", "Composed")


def test_a_rejected_push_and_a_wrong_token_are_told(page, mock):
    open_composer(page, "alert")
    page.script("const field = document.querySelector('[name=priority]'); field.value = '7'; field.dispatchEvent(new Event('input', {bubbles: true}))")
    page.click("#send")
    page.until_text("#toast", "400 BadPriority")
    page.script("document.querySelector('[name=token]').value = 'xyz'")
    page.click("#send")
    page.until_text("#toast", "oken")


def test_the_menu_of_templates_works_by_keyboard(page):
    open_composer(page, "alert")
    page.script("document.getElementById('templates').focus()")
    page.press(Keys.ENTER)
    page.press(Keys.ARROW_DOWN, Keys.ENTER)
    page.until("document.documentElement.dataset.compose === 'rich'", "the next template is there")


def test_every_template_is_previewed(page, mock):
    names = [each["name"] for each in mock.api("GET", "/v1/templates")["items"]]
    assert len(names) >= 17
    for name in names:
        open_composer(page, name)
        page.until("document.querySelectorAll('#tried li').length > 0", name)


def test_a_composer_that_was_left_does_not_take_the_place_of_the_next(page):
    page.hold("/templates")
    page.go("#/compose/alert")
    page.until_held()
    page.go("#/inbox")
    page.until("!document.getElementById('work').dataset.page.startsWith('compose')", "the composer was left")
    open_composer(page, "alert")
    write(page, "my own text")
    page.release()
    assert page.script("return document.getElementById('payload').value") == "my own text"


def test_a_preview_of_other_fields_is_not_shown(page):
    open_composer(page, "alert")
    page.until_text("#tried", "Shown")
    page.hold("/preview")
    write(page, '{"aps": {"alert": "Without a topic"}}')
    page.until_held()
    fill(page, topic="")
    page.release()
    assert page.text("#tried") == ""


def test_the_payload_of_a_push_is_taken_over(page, mock):
    number = mock.send(TOKEN, "-t", "Taken", "-m", "over")
    page.go(f"#/compose/push-{number}")
    page.until(f"document.documentElement.dataset.compose === 'push {number}'", "the payload is there")
    assert '"title": "Taken"' in page.script("return document.getElementById('payload').value")
    assert page.script("return document.querySelector('[name=token]').value") == TOKEN


def written(page):
    return page.script("return document.getElementById('payload').value")


MARKUP = '{"aps": {"alert": "<img src=x onerror=window.hacked=1>\u202e</script>"}}'


def test_a_draft_survives_a_look_at_the_inbox_and_a_reload(page):
    open_composer(page, "alert")
    write(page, MARKUP)
    fill(page, collapse_id="my-draft", expiration="", topic="com.example.chat")
    page.click(".tabs [data-tab=inbox]")
    page.until("document.getElementById('payload') === null", "the inbox is shown")
    page.click(".tabs [data-tab=compose]")
    page.until("document.documentElement.dataset.compose === 'alert' && document.getElementById('payload') !== null", "the composer is there")
    assert written(page) == MARKUP
    assert page.script("return [...document.querySelectorAll('[name=collapse_id], [name=topic]')].map((each) => each.value)") == ["com.example.chat", "my-draft"]
    page.driver.refresh()
    page.until("document.getElementById('payload')?.value === arguments[0]", "the draft is there after a reload", MARKUP)
    # Back, to where it was written, and then the template anew.
    page.driver.back()
    page.until("document.getElementById('payload') === null", "Back leads to the inbox")
    page.driver.back()
    page.until("location.hash === '#/compose/alert' && document.getElementById('payload')?.value === arguments[0]", "Back leads to the draft", MARKUP)
    page.click("#templates")
    page.click(".menu [aria-selected=true]")
    page.until("document.getElementById('payload').value !== arguments[0]", "the template is as it was", MARKUP)
    assert page.script("return window.hacked") is None


def test_a_template_is_never_the_draft_of_another_visit(page):
    open_composer(page, "alert")
    write(page, "my own text")
    page.go("#/inbox")
    page.until("document.getElementById('payload') === null", "the inbox is shown")
    page.go("#/compose/alert")
    page.until("document.getElementById('payload')?.value.includes('aps')", "the template is shown")


def test_drafts_that_are_broken_or_too_large_change_nothing(page):
    for stored in ["no JSON", "[1, null, {\"id\": 1, \"text\": {}, \"name\": []}]", "{\"length\": 9}"]:
        page.script("sessionStorage.setItem('drafts ', arguments[0])", stored)
        page.go("#/compose")
        page.until("document.getElementById('payload')?.value.includes('aps')", "the template is shown")
        page.go("#/inbox")
        page.until("document.getElementById('payload') === null", "the inbox is shown")
    for number in range(8):
        open_composer(page, "alert" if number % 2 else "rich")
        write(page, f"draft {number}")
    assert page.script("return JSON.parse(sessionStorage.getItem('drafts ')).map((each) => each.text)") == [f"draft {number}" for number in range(3, 8)]
    write(page, "x" * 100000)
    assert page.script("return sessionStorage.getItem('drafts ').length") < 66000
    page.script("sessionStorage.clear()")


def test_a_push_is_sent_with_its_expiration(page, mock):
    open_composer(page, "alert")
    for text in ["0", "2h", "253402300799"]:
        before = mock.total()
        fill(page, expiration=text)
        page.click("#send")
        page.until("arguments[0] < Number(document.querySelector('.tabs [data-tab=inbox] .n').textContent.replace(/\\D/g, ''))", "the push has arrived", before)
        sent = int(mock.push(before + 1)["expiration"])
        assert abs(sent - time.time() - 7200) < 600 if text == "2h" else sent == int(text)
    fill(page, expiration="tomorrow")
    page.click("#send")
    page.until_text("#toast", "expiration")


def test_what_the_phones_have_is_offered(page):
    open_composer(page, "alert")
    offers = lambda name: page.script("return [...document.querySelector(`[name=${arguments[0]}]`).list.options].map((each) => [each.value, each.label])", name)
    assert [phones.QA_TOKEN, "QA iPhone, Pier"] in offers("token")
    assert ["com.example.chat", "Pier"] in offers("topic")
    assert ["liveactivity", ""] in offers("push_type")
    assert len({value for value, _ in offers("topic")}) == len(offers("topic"))


def test_keys_have_the_names_of_this_system(page):
    open_composer(page, "alert")
    is_apple = page.script("return navigator.platform.startsWith('Mac')")
    assert page.text("#send kbd") == ("⌘↩" if is_apple else "Ctrl+Enter")
