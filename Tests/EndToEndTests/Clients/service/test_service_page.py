"""The console of the service in a real browser.

Tests/CONSOLE.md lists the questions of operators, and the states of the page, with their tests and pictures.
"""
import contextlib
import http.cookies
import inspect
import json
import pathlib
import re
import shutil
import signal
import time
import uuid

import pytest
from axe_selenium_python import Axe

from browser import MIDDLE, NARROW, WIDE, Keys
from service import Service

class CLUSTER:
    """The PostgreSQL of the demonstrations."""

    @staticmethod
    def is_installed():
        return any(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb")) or shutil.which("initdb") is not None

    @staticmethod
    @contextlib.contextmanager
    def running():
        from cluster.cluster import Cluster
        with Cluster.new(1) as cluster:
            yield (cluster.folder / "uri").read_text().strip()


GONE = "990410" + "0" * 58
FAR = "2100-01-01T00:00:00Z"
MARKUP = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script><b>bold</b>"
OVERRIDES = "safe\u202egnp.tset \u2066\u2067\u200b\u0007\u2028end"


def token():
    """A device token that no other test uses."""
    return uuid.uuid4().hex * 2


def gone_token():
    """One that the mock reports gone. The service skips a token that was reported gone before."""
    return GONE[:-32] + f"{uuid.uuid4().int % 10**32:032}"


def log_in(browser, service, key, fragment="#/overview"):
    browser.open(service.url, fragment=fragment)
    enter(browser, key)


def enter(browser, key):
    browser.until("document.querySelector('#key') !== null", "the page asks for a key")
    for _ in range(20):
        browser.script("document.querySelector('#key').value = arguments[0]", key)
        browser.click(".login .btn.primary")
        browser.until("document.querySelector('#key') === null || document.querySelector('.wrong').textContent.length > 0", "the login is answered")
        # The service limits the logins in a second.
        if "too many" not in browser.text(".wrong"):
            break
        time.sleep(0.5)


def go(browser, fragment):
    """Opens a view, and waits until it has its first answer."""
    browser.point_away()
    browser.script("document.querySelector('.page')?.setAttribute('data-old', ''); if (location.hash === arguments[0]) dispatchEvent(new Event('hashchange')); else location.hash = arguments[0]", fragment)
    loaded(browser, fragment)


def tab(browser, name):
    """Opens a view with its link in the bar, as a person does."""
    browser.point_away()
    browser.script("document.querySelector('.page')?.setAttribute('data-old', '')")
    browser.click(f"#bar .tabs [data-view='{name}']")
    loaded(browser, name)


def loaded(browser, why):
    browser.until("document.querySelector('.page[data-loaded]:not([data-old])') !== null", f"{why} is shown")


@pytest.fixture
def anyone(browser, service):
    """The page before a login. At the end, the browser must not have complained of anything."""
    browser.watch()
    browser.driver.get(service.url)
    browser.driver.delete_all_cookies()
    yield browser
    complaints = browser.complaints()
    browser.driver.delete_all_cookies()
    browser.leave()
    assert complaints == []


@pytest.fixture
def page(anyone, service):
    """The page with a session of the scope admin."""
    log_in(anyone, service, service.admin)
    anyone.until("document.documentElement.dataset.ready === 'true'", "the page is open")
    return anyone


def test_each_question_and_each_state_has_a_picture_and_a_test():
    tests = pathlib.Path(__file__).parents[3]
    rows = re.findall(r"^\| .+? \| (?:\[.*?\]\((.+?)\)|`(.+?)`.*?) \| `(test_\w+)` \|$", (tests / "CONSOLE.md").read_text(), re.M)
    assert len(rows) == 10 + 11
    demo = (pathlib.Path(__file__).parent / "test_demo.py").read_text()
    for image, picture, name in rows:
        if image:
            assert (tests / image).is_file(), image
            assert name in globals(), name
        elif name in globals():
            assert f'(pictures, "{picture}")' in inspect.getsource(globals()[name]), name
        else:
            # Only the demonstration has many of everything.
            assert f"def {name}(" in demo and picture.startswith("many-"), name


# Login

def test_a_wrong_key_opens_nothing(anyone, service):
    log_in(anyone, service, "psk_00000000_" + "0" * 43)
    anyone.until("document.querySelector('.wrong').textContent.length > 10", "the page says that the key is wrong")
    assert anyone.count("#bar *") == 0
    assert anyone.driver.get_cookies() == []


def test_the_key_is_in_no_place_of_the_page(page, service):
    kept = page.script("return document.documentElement.outerHTML + location.href + document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)")
    assert service.admin not in kept
    cookie, = page.driver.get_cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    assert cookie["value"] not in kept


# This one comes before all that send something.
def test_an_empty_service_says_what_would_be_there(page, service, pictures):
    loaded(page, "the overview")
    page.until_text("h1", "Nothing needs you")
    page.until_text(".nothing", "curl -sS")
    page.picture(pictures, "empty-overview")
    for view, words in [("outcomes", "No outcome matches"), ("waiting", "Nothing waits here"), ("campaigns", "No campaign yet"), ("outcomes?dead=1", "No dead letters")]:
        go(page, f"#/{view}")
        page.until_text(".nothing", words)


def test_what_needs_you_has_a_way_out(page, service, pictures):
    assert service.ask("POST", "/v1/apps/shop/pause", {}, service.admin)[0] == 204
    page.until_text(".needs h2", "shop is paused")
    page.picture(pictures, "needs")
    page.click(".needs .btn", "Resume")
    page.until("![...document.querySelectorAll('.needs h2')].some((each) => each.textContent.includes('shop is paused'))", "it needs nobody any more")
    service.until(lambda: [app for app in service.ask("GET", "/v1/status", key=service.admin)[1]["apps"] if app["name"] == "shop"][0]["state"] == "running", "the app runs")


def test_an_app_that_fails_is_not_hidden_by_one_that_sends_more(page):
    found = page.driver.execute_async_script("""
        const done = arguments[arguments.length - 1], apps = ["shop", "chat"].map((name) => ({ name, state: "running", counts: { waiting: 0 } }));
        import("/js/needs.js").then(({ examine, isSuspicious }) => done({
            suspicious: [{ accepted: 15, rejected: 4 }, { accepted: 19, rejected: 1 }, { accepted: 18, not_sent: 2 }, { accepted: 98, unknown: 2 }, {}].map(isSuspicious),
            needs: examine({ apps }, [], [
                { app: "shop", reasons: [{ kind: "accepted", reason: "alert", count: 90 }, { kind: "rejected", reason: "Unregistered", count: 10 }] },
                { app: "chat", reasons: [{ kind: "accepted", reason: "alert", count: 66 }, { kind: "rejected", reason: "BadDeviceToken", count: 30 }, { kind: "unknown", reason: "stream_reset", count: 4 }] }]).needs.map(({ severity, title, actions }) => [severity, title, actions[0].href]),
            checks: examine({ apps }, [], []).checks,
        }));""")
    # Too few to tell, few enough, too many, too many unknown, none.
    assert found["suspicious"] == [False, False, True, True, False]
    # Deleted apps are normal.
    assert found["needs"] == [
        ["bad", "30 % of chat failed in the last hour", "#/outcomes?app=chat&outcome=rejected&reason=BadDeviceToken"],
        ["warn", "4 % of chat ended unknown in the last hour", "#/outcomes?app=chat&outcome=unknown"]]
    # Nothing is said of imports that nobody has set up.
    assert "No app fails more than usual" in found["checks"] and not any("imports" in each for each in found["checks"])


def test_an_app_is_paused_on_a_narrow_screen(page, service):
    service.push()
    page.size(NARROW)
    try:
        page.until_text(".apps .c-act", "Pause")
        assert page.script("return document.querySelector('.apps [title=shop]').checkVisibility()")
        page.click(".apps tr:has([title=shop]) .c-act .btn")
        page.click("dialog input")
        page.press("Prices are <b>wrong</b>")
        page.click("dialog .primary")
        page.until_text(".apps tr:has([title=shop])", "Paused")
        page.until_text(".needs p", "“Prices are <b>wrong</b>”")
    finally:
        page.size(WIDE)
        assert service.ask("POST", "/v1/apps/shop/resume", {}, service.admin)[0] == 204


def test_a_push_is_found_by_its_device_token_and_shows_everything(page, service, pictures):
    device = token()
    job = service.push(device, payload={"aps": {"alert": {"title": "Ann's parcel", "body": "It comes today"}}, "order": 12345678901234567890}, collapse_id="parcel-1")
    other = service.push(device)
    page.script("document.querySelector('#find').value = arguments[0]; document.querySelector('.find').requestSubmit()", device)
    page.until("document.querySelector('.page')?.dataset.hits === '2'", "both pushes are found")
    assert page.script("return [...document.querySelectorAll('tr[data-id]')].map((each) => each.dataset.id)") == [other, job]
    page.until_text(f"tr[data-id='{job}'] .say", "Ann's parcel")
    page.until_text(f"tr[data-id='{job}'] .say", "It comes today")
    page.picture(pictures, "search-hits")
    page.click(f"tr[data-id='{job}'] a")
    page.until_text(".push-head h1", "Ann's parcel")
    page.until_text(".facts", device)
    # As it was sent: the digits of a large number are those of the request.
    page.until_text(".code", "12345678901234567890")
    page.until_text(".kv", "parcel-1")
    page.until_text(".line", "Accepted")
    page.until_text("section[aria-label=Payload] header", "No findings")
    page.click(".detail-bar .primary", "Send again")
    page.until("document.querySelector('#payload')?.value.includes('12345678901234567890')", "the composer has the payload")
    page.driver.back()
    page.until_text(".push-head h1", "Ann's parcel")


def test_reasons_filter_the_outcomes_and_the_address_keeps_it(page, service):
    service.push()
    gone = service.push(gone_token())
    tab(page, "outcomes")
    page.click(".reasons li a", "Unregistered")
    page.until("location.hash.includes('reason=Unregistered')", "the address has the reason")
    loaded(page, "the filter")
    page.driver.refresh()
    page.until("document.querySelector(`tr[data-id='${arguments[0]}']`) !== null", "the filter survives a reload", gone)
    assert all("Unregistered" in each for each in page.texts("tr[data-id]"))
    page.point_away()
    page.click(f"tr[data-id='{gone}'] a")
    page.until_text(".verdict", "Delete the device token")
    page.driver.back()
    page.until("location.hash.includes('reason=Unregistered') && document.querySelector('tr[data-id]') !== null", "Back keeps the filter")


def test_new_outcomes_come_on_top_and_wait_while_a_person_aims(page, service):
    go(page, "#/outcomes")
    first = service.push()
    page.until("document.querySelector('tr[data-id]')?.dataset.id === arguments[0]", "the newest is on top", first)
    page.point(f"tr[data-id='{first}'] .c-out")
    service.push()
    page.until_text(".fresh-bar", "1 new")
    assert page.script("return document.querySelector('tr[data-id]').dataset.id") == first
    page.click(".fresh-bar")
    page.until("document.querySelectorAll('tr[data-id]')[1]?.dataset.id === arguments[0]", "the new one came", first)


def test_a_time_is_chosen_with_the_keyboard(page, service):
    job = service.push()
    go(page, "#/outcomes")
    page.until("document.querySelector('.columns[role=slider]') !== null", "the chart is shown")
    page.script("document.querySelector('.columns').focus()")
    page.press(Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.ENTER)
    page.until("location.hash.includes('at=')", "the address has the time")
    loaded(page, "the time")
    assert page.script("return document.querySelector('.fresh-bar').hidden")
    assert service.ask("GET", f"/v1/notifications/{job}", key=service.admin)[0] == 200


def test_a_time_of_more_than_a_day_ago_has_its_outcomes_and_no_chart(page):
    begin, end = [time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - hours * 3600)) for hours in [26, 25]]
    go(page, f"#/outcomes?at={begin}_{end}")
    page.until_text(".histogram", "the last 24 hours only")
    page.until_text(".nothing", "No outcome matches")


def test_one_waiting_push_is_cancelled_then_all_with_their_number(page, service):
    jobs = [service.push(token(), wait=False, app="chat", deliver_at=FAR) for _ in range(3)]
    tab(page, "waiting")
    page.click(".app-card", "chat")
    page.until("location.hash.includes('app=chat')", "the address has the app")
    loaded(page, "what waits for chat")
    page.until_text(".due .axis span:last-child", "3")
    page.until_text(".due .axis span:last-child", "later")
    page.click(f"tr[data-id='{jobs[0]}'] .btn")
    page.until_text(f"tr[data-id='{jobs[0]}']", "cancelled")
    page.point_away()
    page.click(".page-head .btn", "Cancel all of chat")
    page.until_text("dialog h2", "Cancel 2 pushes of chat?")
    page.click("dialog .danger")
    page.until_text("#toast", "2 pushes cancelled")
    service.until(lambda: all(service.ask("GET", f"/v1/notifications/{job}", key=service.admin)[1]["state"] == "finished" for job in jobs), "all are cancelled")


def test_a_dead_letter_is_sent_again(page, service):
    job = service.push(wait=False, deliver_at=FAR)
    service.command("queue", "bury", job)
    go(page, "#/outcomes?dead=1")
    page.until("document.querySelector(`tr[data-id='${arguments[0]}']`) !== null", "the dead letter is listed", job)
    page.click(".page-head .btn", "again")
    page.click("dialog .primary")
    page.until_text("#toast", "put back into the queue")
    page.until("document.querySelector(`tr[data-id='${arguments[0]}']`) === null", "it is a dead letter no more", job)


def test_a_failing_webhook_shows_what_was_posted(page, service):
    job = service.push(token(), app="chat")
    tab(page, "webhooks")
    page.until_text(".hook .pill", "Failing")
    page.until_text(".posted .code", job)
    assert "503" in page.text(".failures")
    page.point_away()
    page.click(".hook .btn", "Send a test event")
    page.until_text("#toast", "503")
    page.click(".hook .btn", "Try now")
    page.until_text("#toast", "posted now")
    page.click(".posted .btn", "The push")
    page.until("location.hash.startsWith('#/push/')", "the push opens")
    page.driver.back()
    page.until_text(".hook .pill", "Failing")
    page.until_text(".tabs .n", "1")


# Campaigns

def campaign(service, name, count=20, starts=True, **more):
    """A campaign of which line 2 is refused."""
    lines = [{"token": token(), "payload": {"aps": {"alert": "Hello"}}} for _ in range(count)]
    lines[1] = {"tokn": "x"}
    status, made, _ = service.ask("POST", "/v1/campaigns", {"app": "shop", "name": name, **more}, service.admin)
    assert status == 201, made
    status, filled = service.upload(f"/v1/campaigns/{made['id']}/lines", "".join(json.dumps(line) + "\n" for line in lines))
    assert status == 200 and filled["upload"]["refused"] == 1, filled
    assert not starts or service.ask("POST", f"/v1/campaigns/{made['id']}/start", {}, service.admin)[0] == 200
    return made["id"]


def test_a_file_is_uploaded_its_mistakes_are_shown_and_it_is_started(page, service, tmp_path, pictures):
    file = tmp_path / "points.csv"
    rows = [f"{token()},Ann {number},{number}" for number in range(1, 9)] + [f"xyz,Bob,{MARKUP.replace(',', '')}", f"{gone_token()},Cy,3"]
    file.write_text("token,name,points\n" + "\n".join(rows) + "\n")
    tab(page, "campaigns")
    page.click(".page-head .btn", "New campaign")
    page.until("document.querySelector('.drop') !== null || document.querySelector('#file') !== null", "the upload is shown")
    page.script("for (const each of document.querySelector('.fields select').options) each.selected = each.value === 'shop'")
    # A number that JavaScript can't hold.
    page.script("const area = document.querySelector('.settings textarea'); area.value = area.value.replace('{', '{\"order\": 12345678901234567890,')")
    page.find("#file").send_keys(str(file))
    page.until_text(".preview", "Hello Ann 1")
    page.click(".settings .primary")
    page.until_text(".mistakes h2", "1 line has a mistake")
    # The header is line 1.
    page.until_text(".mistakes", "Line 10")
    page.picture(pictures, "upload-mistakes")
    page.click("[data-step=start]", "Start with 9 lines")
    page.until_text(".push-head .pill", "Finished")
    page.until_text(".big-progress", "9 of ")
    page.until_text(".failed", "Unregistered")
    assert page.count(".failed tbody tr") == 2
    first = service.ask("GET", f"/v1{page.script('return location.hash').removeprefix('#')}/report?limit=1", key=service.admin)[1]["id"]
    assert service.ask("GET", f"/v1/notifications/{first}", key=service.admin)[1]["payload"]["order"] == 12345678901234567890
    page.click(".reasons a", "Unregistered")
    page.until("location.hash.includes('campaign=') && location.hash.includes('reason=Unregistered')", "the outcomes are those of the campaign")
    loaded(page, "the outcomes of the campaign")
    page.until("document.querySelector('.page').dataset.rows === '1'", "one line was rejected so")
    page.until_text(".histogram", "points")
    page.click(".filters .btn", "Clear")
    page.until("!location.hash.includes('campaign=')", "the filter is gone")


def test_a_campaign_is_paused_resumed_slowed_and_cancelled(page, service):
    found = campaign(service, "Slow <b>sale</b>", count=2000, rate=1)
    go(page, "#/campaigns")
    page.click(f"[data-id='{found}'] a")
    page.until_text(".push-head h1", "Slow <b>sale</b>")
    page.click("[data-step=pause]")
    page.until_text(".push-head .pill", "Paused")
    page.click("[data-step=resume]")
    page.until_text(".push-head .pill", "Running")
    page.script("const rate = document.querySelector('.rate input'); rate.value = '2'; rate.form.requestSubmit()")
    page.until_text("#toast", "2/s now")
    page.click(".detail-bar .quiet-danger", "Cancel")
    left = page.script("return document.querySelector('dialog input').getAttribute('aria-label').match(/[0-9]+/)[0]")
    page.click("dialog input")
    page.press(left)
    page.click("dialog .danger")
    page.until_text(".push-head .pill", "Cancelled")
    page.until("document.querySelector('[data-step]') === null", "nothing more can be done")


def test_a_draft_says_how_many_lines_it_sends(page, service):
    found = campaign(service, "Later sale", starts=False)
    go(page, f"#/campaigns/{found}")
    page.click("[data-step=start]", "Start with 19 lines")
    page.until_text(".push-head .pill", "Finished")
    page.until_text(".big-progress", "19 of 19 lines")


def test_an_older_answer_does_not_bring_back_the_state_of_a_campaign(page, service):
    found = campaign(service, "Paused sale", count=2000, rate=1)
    go(page, f"#/campaigns/{found}")
    page.until_text(".push-head .pill", "Running")
    page.hold(f"/campaigns/{found}")
    page.until_held()
    page.click("[data-step=pause]")
    page.release()
    page.until_text(".push-head .pill", "Paused")
    assert service.ask("POST", f"/v1/campaigns/{found}/cancel", {}, service.admin)[0] == 200


# Keys, audit, compose

def test_a_key_is_revoked(page, service):
    key = service.key("read", name=MARKUP)
    (name, value), _ = session(service, key)
    tab(page, "keys")
    row = f"tr[data-key='{key.split('_')[1]}']"
    page.until_text(row, "<script>")
    page.click(f"{row} .btn")
    page.click("dialog .danger")
    page.until("document.querySelector(arguments[0]) === null", "the key is gone", row)
    service.until(lambda: service.ask("GET", "/v1/status", headers={"cookie": f"{name}={value}"})[0] == 401, "its session has ended")
    assert page.script("return window.hacked") is None


def test_everything_about_a_device_is_erased_after_its_number_is_typed(page, service):
    device = token()
    pushes = [{"app": "shop", "token": device, "payload": {"aps": {"alert": "Hi"}}, "deliver_at": FAR}] * 130
    assert service.ask("POST", "/v1/notifications", pushes, service.admin)[0] in [200, 202]
    go(page, f"#/search?q={device}")
    page.until("document.querySelector('.page').dataset.hits === '60'", "the newest are found")
    page.click(".page-head .quiet-danger")
    # Also those that the list does not show.
    page.until_text("dialog p", "130 pushes")
    assert not page.find("dialog .danger").is_enabled()
    page.click("dialog input")
    page.press("130")
    page.click("dialog .danger")
    page.until_text("#toast", "130 pushes erased")
    page.until("document.querySelector('.page').dataset.hits === '0'", "nothing is left")


def test_the_audit_tells_who_did_what(page, service):
    assert service.ask("POST", "/v1/apps/chat/pause", {}, service.admin)[0] == 204
    assert service.ask("POST", "/v1/apps/chat/resume", {}, service.admin)[0] == 204
    found = campaign(service, "Named sale")
    service.command("key", "revoke", service.key("read", name="lost laptop").split("_")[1])
    service.command("queue", "cancel", *[service.push(wait=False, deliver_at=FAR) for _ in range(2)])
    tab(page, "audit")
    page.until_text(".audit li", "cancelled 2 pushes")
    page.until_text(".audit li", "resumed chat")
    page.until_text(".audit li", "paused chat")
    # A command names its user and the machine.
    page.until_text(".audit li", " on ")
    page.until_text(".audit del", "lost laptop (read)")
    page.click(".audit a", "Named sale")
    page.until("location.hash === arguments[0]", "the campaign opens", f"#/campaigns/{found}")


def test_a_push_is_composed_mended_and_sent(page, service):
    page.click("#bar .compose-link")
    page.until("document.querySelector('.composer') !== null", "the composer is shown")
    page.script("for (const each of document.querySelector('.side select').options) each.selected = each.value === 'shop'")
    type_payload(page, '{\n  "aps": {\n    "alert": "Hi",\n    "badge": "3"\n  }\n}')
    page.until_text(".lint code", "4:")
    page.until_text(".paper .hit", "badge")
    page.click(".lint .go")
    assert page.focused() == "payload"
    type_payload(page, '{"aps": {"alert": "Hi"}}')
    page.until_text(".lint", "No problems found")
    page.find(".side input.mono").send_keys(token())
    page.click(".composer .primary")
    page.until_text(".answer-box", "Accepted")
    page.click(".answer-box .btn")
    page.until_text(".push-head h1", "Hi")


def type_payload(page, text):
    page.script("const area = document.querySelector('#payload'); area.value = arguments[0]; area.dispatchEvent(new Event('input'))", text)


# Delivery

def test_what_apple_counts_stands_beside_what_it_accepted(page, service, pictures):
    service.push(token())
    service.until(lambda: "imported_at" in service.ask("GET", "/v1/delivery?app=shop", key=service.admin)[1]["import"], "Apple's counts are imported")
    go(page, "#/delivery?app=shop")
    row = f"tr[data-day='{service.counted_day}']"
    page.until_text(f"{row} [data-name=Delivered]", "2")
    page.until_text(f"{row} [data-name=Accepted]", "0")
    page.until_text(f"{row} .say", "2 more: pushes of your team's other senders")
    today = "tr[data-day]:first-child"
    page.until_text(f"{today} [data-name=Delivered]", "–")
    page.until_text(f"{today} .say", "weren't imported")
    page.picture(pictures, "delivery")
    page.script("const box = document.querySelector('select[aria-label=App]'); box.value = 'chat'; box.dispatchEvent(new Event('change'))")
    page.until("location.hash.includes('app=chat')", "the address has the app")
    page.until_text(".page", "delivery: {token_file: export.token}")


# Strangers

def test_texts_of_strangers_are_text_and_stay_in_their_place(page, service):
    payload = {"aps": {"alert": {"title": MARKUP, "body": OVERRIDES}, "thread-id": MARKUP}, MARKUP[:60]: "x" * 3000}
    job = service.push(token(), payload=payload, collapse_id="<b>collapse</b>", dedupe_key=f"{MARKUP[:40]}{uuid.uuid4()}")
    page.requests()
    for fragment in ["#/outcomes", f"#/push/{job}", f"#/compose?from={job}", "#/search?q=%3Cb%3Ecollapse%3C%2Fb%3E"]:
        go(page, fragment)
        assert page.script("return window.hacked") is None
        assert page.count("script:not([src^='js/']), iframe, object, embed, style, [onerror], [onclick], [style], b b, form[action], base, img[src='x']") == 0
        assert page.script("return [...document.querySelectorAll('a[href]')].every((each) => each.getAttribute('href').startsWith('#'))")
        assert page.script("return document.documentElement.scrollWidth <= innerWidth && document.querySelector('#work').scrollWidth <= document.querySelector('#work').clientWidth"), fragment
    go(page, f"#/push/{job}")
    page.until_text(".push-head p .ctl", "U+202E")
    page.until_text(".code .ctl", "U+202E")
    assert [url for url in page.requests() if not url.startswith((service.url, "blob:", "about:", "data:", "chrome"))] == []


# Who may not, and a service that is away

def test_a_key_without_read_is_told_which_scope_is_missing(anyone, service, pictures):
    log_in(anyone, service, service.key("send"))
    anyone.until_text(".wrong", "read")
    anyone.until_text(".login .cmd", "--scope read")
    anyone.picture(pictures, "no-scope")


def test_a_reader_has_no_buttons_that_change_something(anyone, service, pictures):
    waits = service.push(wait=False, deliver_at=FAR)
    log_in(anyone, service, service.reader)
    go(anyone, "#/waiting")
    anyone.until("document.querySelector(`tr[data-id='${arguments[0]}']`) !== null", "the push is listed", waits)
    assert anyone.count("tbody .btn, .page-head .btn") == 0
    for view in ["keys", "audit"]:
        go(anyone, f"#/{view}")
        anyone.until_text("h1", "Your key may not see this")
    go(anyone, "#/overview")
    anyone.until_text(".apps", "shop")
    assert anyone.count(".apps .btn") == 0
    anyone.picture(pictures, "one-app")


def test_a_view_stays_while_the_service_is_away(page, service, pictures):
    job = service.push()
    go(page, "#/outcomes")
    page.until("document.querySelector(`tr[data-id='${arguments[0]}']`) !== null", "the push is listed", job)
    offline(page, True)
    try:
        page.until_text("#lost", "hasn’t answered since")
        page.picture(pictures, "away")
        assert page.count(f"tr[data-id='{job}']") == 1
    finally:
        offline(page, False)
    page.until("document.querySelector('#lost') === null", "the service is back")
    # What the browser says of requests that found no network.
    page.watch()


def offline(page, is_offline):
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


def test_a_view_survives_a_restart_of_the_service(page, service, pictures):
    before = service.push()
    go(page, "#/outcomes?app=shop")
    page.until("document.querySelector(`tr[data-id='${arguments[0]}']`) !== null", "the push is listed", before)
    service.end()
    try:
        page.until_text("#lost", "hasn’t answered since")
        page.picture(pictures, "restart")
        assert page.count(f"tr[data-id='{before}']") == 1
    finally:
        service.again()
    page.until("document.querySelector('#lost') === null", "the service is back")
    # Neither the view nor the session has ended.
    after = service.push()
    page.until("document.querySelector('tr[data-id]').dataset.id === arguments[0]", "the new push comes by itself", after)
    assert page.script("return location.hash") == "#/outcomes?app=shop"
    page.watch()


def test_a_push_tells_that_its_worker_was_lost(page, service):
    service.mock.send_signal(signal.SIGSTOP)
    try:
        job = service.push(token(), wait=False)
        service.until(lambda: service.ask("GET", f"/v1/notifications/{job}", key=service.admin)[1]["state"] == "started", "the push is being sent")
        go(page, f"#/push/{job}")
        page.until_text(".line", "runs")
        service.end(is_killed=True)
    finally:
        service.mock.send_signal(signal.SIGCONT)
        if service.serve.poll() is not None:
            service.again()
    page.until_text(".line", "its worker was lost")
    page.until_text(".verdict", "Apple may have received it")
    page.watch()


@contextlib.contextmanager
def other_service(browser, folder, **options):
    """A service of a test's own, and its page with a session of the scope admin."""
    service = Service(folder, **options)
    try:
        log_in(browser, service, service.admin)
        browser.until("document.documentElement.dataset.ready === 'true'", "the page is open")
        yield service
        browser.leave()
    finally:
        service.stop()


def test_withheld_payloads_are_nowhere(anyone, tmp_path, pictures):
    with other_service(anyone, tmp_path, more="page: {payloads: false}") as service:
        secret = f"secret {uuid.uuid4()}"
        device = token()
        job = service.push(device, app="chat", payload={"aps": {"alert": {"title": secret}}})
        service.push(device, wait=False, deliver_at=FAR, payload={"aps": {"alert": {"title": secret}}})
        go(anyone, f"#/push/{job}")
        anyone.until_text("section[aria-label=Payload]", "The payload is withheld")
        anyone.picture(pictures, "withheld")
        assert anyone.count(".detail-bar .actions .btn") == 0
        tab(anyone, "webhooks")
        anyone.until_text(".posted", job)
        for fragment in ["#/webhooks", "#/outcomes", "#/overview", f"#/compose?from={job}", "#/audit", "#/waiting", f"#/search?q={device}"]:
            go(anyone, fragment)
            assert secret not in anyone.script("return document.documentElement.outerHTML"), fragment


def test_a_key_without_send_sees_payloads_and_sends_nothing(anyone, service):
    job = service.push(token(), payload={"aps": {"alert": "Readable"}})
    log_in(anyone, service, service.reader)
    go(anyone, f"#/push/{job}")
    anyone.until_text("section[aria-label=Payload]", "Readable")
    assert [each for each in anyone.texts(".detail-bar .actions .btn") if "again" in each] == []
    go(anyone, "#/compose")
    anyone.until_text("h1", "Your key may not send")


@pytest.mark.skipif(not CLUSTER.is_installed(), reason="needs PostgreSQL")
def test_a_lost_worker_is_named_until_another_one_replaces_it(anyone, tmp_path, pictures):
    with CLUSTER.running() as database, other_service(anyone, tmp_path, database=database) as service:
        go(anyone, "#/overview")
        anyone.until_text(".foot", "seen just now")
        second, _ = service.run("second", PUSHSERVE_LISTEN="127.0.0.1:0")
        workers = "document.querySelectorAll('.foot span')[0].textContent.split(' · ').length"
        anyone.until(f"{workers} === 2", "both workers are shown")
        second.kill()
        second.wait()
        anyone.until_text(".needs h2", "is lost")
        anyone.picture(pictures, "lost-worker")
        third, _ = service.run("third", PUSHSERVE_LISTEN="127.0.0.1:0")
        try:
            anyone.until("![...document.querySelectorAll('.needs h2')].some((each) => each.textContent.includes('is lost'))", "it is replaced")
        finally:
            third.terminate()
            third.wait()
        anyone.until(f"{workers} === 1", "one that ends by itself is not lost")
        assert not [each for each in anyone.texts(".needs h2") if "is lost" in each]


def test_the_keyboard_goes_everywhere(page, service):
    service.push()
    go(page, "#/overview")
    page.press("g", "r")
    page.until("location.hash === '#/outcomes' && document.querySelector('tr[data-id]') !== null", "G R opens the outcomes")
    page.press("j")
    page.press(Keys.ENTER)
    page.until("location.hash.startsWith('#/push/')", "Enter opens the row")
    page.press("/")
    assert page.focused() == "find"
    page.press(Keys.ESCAPE, "?")
    page.until_text("dialog h2", "Keyboard")
    page.press(Keys.ESCAPE)
    page.until("document.querySelector('dialog') === null", "Escape closes it")
    page.press("n")
    page.until("location.hash === '#/compose'", "N opens the composer")


def test_logging_out_ends_the_session(page, service):
    cookie = page.driver.get_cookies()[0]
    go(page, "#/compose")
    type_payload(page, '{"aps": {"alert": "Private"}}')
    page.click(".log-out")
    page.until("document.querySelector('#key') !== null", "the page asks for a key")
    status, _, _ = service.ask("GET", "/v1/status", headers={"cookie": f"{cookie['name']}={cookie['value']}"})
    assert status == 401
    enter(page, service.admin)
    assert page.script("return location.hash") == "#/overview"
    go(page, "#/compose")
    assert "Private" not in page.script("return document.querySelector('#payload').value")


def test_who_could_not_be_logged_out_is_told(page, service):
    offline(page, True)
    try:
        page.click(".log-out")
        page.until_text("#toast", "still logged in")
    finally:
        offline(page, False)
    page.until("document.querySelector('#lost') === null", "the service is back")
    assert page.count("#bar .log-out") == 1
    # What the browser says of requests that found no network.
    page.watch()


# Sessions

def session(service, key, headers=None):
    answers = []

    def opened():
        # The service limits the logins in a second.
        answers.append(service.ask("POST", "/v1/session", {"key": key}, headers=headers))
        return answers[-1][0] != 429

    service.until(opened, "there is a session")
    status, answer, fields = answers[-1]
    assert status == 200, answer
    cookies = http.cookies.SimpleCookie(fields["set-cookie"])
    return [(name, morsel.value) for name, morsel in cookies.items()][0], answer["csrf"]


def test_a_session_writes_only_with_its_csrf_token_and_only_what_its_key_may(service):
    (name, value), csrf = session(service, service.admin)
    cookie = {"cookie": f"{name}={value}"}
    assert service.ask("POST", "/v1/apps/shop/pause", {}, headers=cookie)[0] == 403
    assert service.ask("POST", "/v1/apps/shop/pause", {}, headers={**cookie, "x-csrf-token": "wrong"})[0] == 403
    assert service.ask("POST", "/v1/apps/shop/pause", {}, headers={**cookie, "x-csrf-token": csrf})[0] == 204
    assert service.ask("POST", "/v1/apps/shop/resume", {}, headers={**cookie, "x-csrf-token": csrf})[0] == 204
    (name, value), csrf = session(service, service.reader)
    reader = {"cookie": f"{name}={value}", "x-csrf-token": csrf}
    assert service.ask("GET", "/v1/status", headers=reader)[0] == 200
    assert service.ask("POST", "/v1/apps/shop/pause", {}, headers=reader)[0] == 403


def test_a_session_that_was_given_beforehand_is_not_taken_over(service):
    (name, _), _ = session(service, service.admin)
    planted = "a" * 43
    (_, value), _ = session(service, service.admin, headers={"cookie": f"{name}={planted}"})
    assert value != planted
    assert service.ask("GET", "/v1/status", headers={"cookie": f"{name}={planted}"})[0] == 401


def test_a_revoked_key_ends_its_sessions(service):
    key = service.key("read")
    (name, value), _ = session(service, key)
    assert service.ask("GET", "/v1/status", headers={"cookie": f"{name}={value}"})[0] == 200
    service.command("key", "revoke", key.split("_")[1])
    service.until(lambda: service.ask("GET", "/v1/status", headers={"cookie": f"{name}={value}"})[0] == 401, "the session has ended")


# Pictures

# The first rows of each table whose rows are links: how high they are, on how many lines the app's name stands, and the cells where a click
# wouldn't open the link.
ROWS = """
return [...document.querySelectorAll('.log:not(.still) tbody tr:has(td:first-child a)')].slice(0, 5).map((row) => {
    row.scrollIntoView({ block: 'center' });
    const link = row.querySelector('td:first-child a'), name = row.querySelector('.c-app .app-name > span'), words = document.createRange();
    if (name) words.selectNodeContents(name);
    const missed = [...row.cells].filter((cell) => cell.offsetWidth > 0 && !cell.querySelector('button')).filter((cell) => {
        const { left, right, top, bottom } = cell.getBoundingClientRect();
        return document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest('a') !== link;
    });
    return { height: row.offsetHeight, lines: new Set([...words.getClientRects()].map(({ top }) => top)).size, missed: missed.map((cell) => cell.className) };
});
"""


@pytest.mark.parametrize("size", [WIDE, MIDDLE, NARROW], ids=["wide", "middle", "narrow"])
def test_labels_contrast_and_pictures(page, service, pictures, size):
    page.size(size)
    axe = Axe(page.driver)
    axe.inject()
    problems = []
    one = campaign(service, f"Pictures {size}", rate=5)
    gone = service.push(gone_token(), payload={"aps": {"alert": {"title": "Your taxi waits", "body": "At the door"}}})
    service.push(wait=False, deliver_at=FAR)
    views = ["overview", "outcomes", f"push/{gone}", "waiting", "campaigns", f"campaigns/{one}", "upload", "delivery?app=shop", "webhooks", "keys", "audit", "compose", f"search?q={GONE}"]
    try:
        for view in views:
            go(page, f"#/{view}")
            name = view.split("?")[0].replace(gone, "one").replace(one, "one").replace("/", "-")
            # The colours of both themes stand side by side in one file; the dark ones are looked at on the widest screen.
            for theme in ["light", "dark"]:
                page.theme(theme)
                page.picture(pictures, f"{name}-{theme}-{size[0]}")
                if theme == "light" or size == WIDE:
                    found = axe.run(options={"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "best-practice"]}})["violations"]
                    # This version of axe does not know that a div may group the items of a dl.
                    problems += [f"{view} {theme}: {each['id']}: {node['target']}" for each in found if each["id"] != "dlitem" for node in each["nodes"]]
            page.theme("light")
            assert page.script("return document.documentElement.scrollWidth <= innerWidth && document.querySelector('#work').scrollWidth <= document.querySelector('#work').clientWidth"), view
            assert page.script("return document.querySelector('#find').offsetWidth > 60"), view
            rows = page.script(ROWS)
            assert rows or view not in ["overview", "outcomes", "waiting", "campaigns"], view
            # Five rows fit on each screen.
            assert all(row["height"] < size[1] / 5 and row["lines"] <= 1 and row["missed"] == [] for row in rows), (view, rows)
    finally:
        page.theme("light")
        page.size(WIDE)
        service.ask("POST", f"/v1/campaigns/{one}/cancel", {}, service.admin)
    assert problems == []
