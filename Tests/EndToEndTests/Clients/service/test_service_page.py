"""The page of the service in a real browser: login, figures, outcomes as they come, dead letters, and who may not."""
import http.cookies
import json
import os
import pathlib
import shutil
import time
import uuid

import pytest
from axe_selenium_python import Axe

from browser import NARROW, WIDE

GONE = "990410" + "0" * 58


def log_in(browser, service, key):
    browser.open(service.url, fragment="#/overview")
    browser.until("document.querySelector('#key') !== null", "the page asks for a key")
    for _ in range(20):
        browser.script("document.querySelector('#key').value = arguments[0]", key)
        browser.click(".login .btn")
        browser.until("document.querySelector('#key') === null || document.querySelector('.wrong').textContent.length > 0", "the login is answered")
        # The service limits the logins in a second.
        if "too many" not in browser.text(".wrong"):
            break
        time.sleep(0.5)


@pytest.fixture
def page(browser, service):
    """The page with a session of the scope admin. At the end, the browser must not have complained of anything."""
    browser.watch()
    browser.driver.delete_all_cookies()
    log_in(browser, service, service.admin)
    browser.until("document.documentElement.dataset.ready === 'true'", "the page is open")
    yield browser
    complaints = browser.complaints()
    browser.driver.delete_all_cookies()
    browser.leave()
    assert complaints == []


def test_a_wrong_key_opens_nothing(browser, service):
    browser.driver.get(service.url)
    browser.driver.delete_all_cookies()
    log_in(browser, service, "psk_00000000_" + "0" * 43)
    browser.until("document.querySelector('.wrong').textContent.length > 10", "the page says that the key is wrong")
    assert browser.count(".app-card") == 0
    assert browser.driver.get_cookies() == []


def test_the_key_is_in_no_place_of_the_page(page, service):
    kept = page.script("return document.documentElement.outerHTML + location.href + document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)")
    assert service.admin not in kept
    cookie, = page.driver.get_cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    assert cookie["value"] not in kept


def test_the_overview_shows_what_became_of_pushes(page, service):
    service.push()
    service.push(token=GONE)
    page.until_text(".app-card h2", "shop")
    page.until_text(".app-card .pill", "Running")
    page.until("Number(document.querySelector('.legend .accepted').textContent.match(/[0-9]+/)[0]) >= 1", "an acceptance is counted")
    page.until("Number(document.querySelector('.legend .rejected').textContent.match(/[0-9]+/)[0]) >= 1", "a rejection is counted")


def test_outcomes_appear_as_they_are_stored(page, service):
    page.go("#/outcomes")
    page.until("document.documentElement.dataset.stream === 'open'", "the stream of outcomes is open")
    first = service.push()
    page.until("document.querySelector(`tr[data-id=\"${arguments[0]}\"]`)?.textContent.includes('Accepted')", "the accepted push appears", first)
    gone = service.push(token=GONE[:-2] + "11")
    page.until("document.querySelector(`tr[data-id=\"${arguments[0]}\"]`)?.textContent.includes('Unregistered')", "the rejected push appears", gone)


def test_a_job_is_found_by_its_id_with_its_history(page, service):
    job = service.push()
    page.script("document.querySelector('#find').value = arguments[0]; document.querySelector('.search').requestSubmit()", job)
    page.until("document.documentElement.dataset.job === arguments[0]", "the job is shown", job)
    page.until_text(".facts-list", "shop")
    page.until_text("tbody", "Finished")


def test_an_app_is_paused_and_resumed(page, service):
    page.until_text(".app-card .pill", "Running")
    page.click(".app-card .btn", "Pause")
    page.until_text(".app-card .pill", "Paused")
    waiting = service.push(wait=False)
    page.click(".app-card .btn", "Resume")
    page.until_text(".app-card .pill", "Running")
    service.until(lambda: service.ask("GET", f"/v1/notifications/{waiting}", key=service.admin)[1]["state"] == "finished", "the push goes out")


def test_a_dead_letter_is_sent_again(page, service):
    job = service.push(wait=False, deliver_at="2100-01-01T00:00:00Z")
    service.command("queue", "bury", job)
    page.go("#/dead-letters")
    page.until("document.querySelector(`tr[data-id=\"${arguments[0]}\"]`) !== null", "the dead letter is listed", job)
    page.click(f"tr[data-id='{job}'] .btn")
    page.until_text("#toast", "put into the queue again")
    page.until("document.querySelector(`tr[data-id=\"${arguments[0]}\"]`) === null", "it is a dead letter no more", job)


def campaign(service, name, count=20, start=True, **more):
    """A campaign of which line 2 is refused and line 3 goes to a token that is gone."""
    lines = [{"token": f"{number:064x}", "payload": {"aps": {"alert": "Hello"}}} for number in range(1, count + 1)]
    lines[1] = {"tokn": "x"}
    # The service skips a token that was reported gone before, so each campaign has its own.
    lines[2]["token"] = GONE[:-32] + f"{uuid.uuid4().int % 10**32:032}"
    status, made, _ = service.ask("POST", "/v1/campaigns", {"name": name, **more}, service.admin)
    assert status == 201, made
    body = "".join(json.dumps(line) + "\n" for line in lines)
    status, filled = service.upload(f"/v1/campaigns/{made['id']}/lines", body)
    assert status == 200 and filled["upload"]["refused"] == 1, filled
    if start:
        assert service.ask("POST", f"/v1/campaigns/{made['id']}/start", {}, service.admin)[0] == 200
    return made["id"]


def test_a_campaign_is_paused_resumed_and_cancelled(page, service):
    found = campaign(service, "Slow sale", count=2000, rate=1)
    page.go("#/campaigns")
    card = f"[data-id='{found}']"
    page.until_text(f"{card} .pill", "Running")
    page.click(f"{card} .btn", "Pause")
    page.until_text(f"{card} .pill", "Paused")
    page.click(f"{card} .btn", "Resume")
    page.until_text(f"{card} .pill", "Running")
    page.click(f"{card} .btn", "Cancel")
    page.until_text(f"{card} .btn[data-step=cancel]", "Cancel permanently?")
    page.click(f"{card} .btn", "Cancel permanently?")
    page.until_text(f"{card} .pill", "Cancelled")
    page.until("document.querySelector(arguments[0] + ' .btn') === null", "nothing more can be done", card)


def test_an_older_answer_does_not_bring_back_the_state_of_a_campaign(page, service):
    found = campaign(service, "Paused sale", count=2000, rate=1)
    page.go(f"#/campaigns/{found}")
    page.until_text(".campaign-card .pill", "Running")
    page.hold(f"/campaigns/{found}")
    page.until_held()
    page.click(".campaign-card .btn", "Pause")
    page.until_text(".campaign-card .pill", "Paused")
    page.release()
    assert "Paused" in page.text(".campaign-card .pill")
    assert service.ask("POST", f"/v1/campaigns/{found}/cancel", {}, service.admin)[0] == 200


def test_a_draft_is_started_and_its_progress_is_shown(page, service):
    found = campaign(service, "<b>Draft</b> sale", start=False)
    page.go("#/campaigns")
    card = f"[data-id='{found}']"
    page.until_text(f"{card} h2", "<b>Draft</b> sale")
    page.click(f"{card} .btn", "Start")
    page.until_text(f"{card} .pill", "Finished")
    page.until_text(f"{card} .done", "100 % 19 of 19 lines")


def test_the_failed_lines_of_a_campaign_are_shown(page, service):
    found = campaign(service, "Sale")
    page.go(f"#/campaigns/{found}")
    page.until_text(".campaign-card .pill", "Finished")
    page.until("document.documentElement.dataset.failures === '2'", "both failures are listed")
    page.until_text("tr[data-line='2']", "tokn")
    page.until_text("tr[data-line='3']", "Unregistered")
    page.click("tr[data-line='3'] a")
    page.until("document.documentElement.dataset.job !== undefined", "the job of the line is shown")


def test_a_reader_sees_campaigns_and_has_no_buttons(browser, service):
    found = campaign(service, "Only seen", start=False)
    browser.watch()
    browser.driver.delete_all_cookies()
    log_in(browser, service, service.reader)
    browser.go("#/campaigns")
    browser.until_text(f"[data-id='{found}'] .pill", "Draft")
    assert browser.count(f"[data-id='{found}'] .btn") == 0
    browser.driver.delete_all_cookies()
    browser.leave()


def test_logging_out_ends_the_session(page, service):
    cookie = page.driver.get_cookies()[0]
    page.click(".bar .btn", "Log out")
    page.until("document.querySelector('#key') !== null", "the page asks for a key")
    status, _, _ = service.ask("GET", "/v1/status", headers={"cookie": f"{cookie['name']}={cookie['value']}"})
    assert status == 401


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


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_labels_contrast_and_pictures(page, service, pictures, theme, size):
    page.theme(theme)
    page.size(size)
    axe = Axe(page.driver)
    axe.inject()
    problems = []
    one = campaign(service, f"Pictures {theme} {size}", rate=5)
    try:
        for view, fragment in [("overview", ""), ("outcomes", ""), ("campaigns", ""), ("campaigns", f"/{one}"), ("dead-letters", "")]:
            page.go(f"#/{view}{fragment}")
            page.until("document.documentElement.dataset.view === arguments[0]", view, view)
            # One campaign has the view of all of them.
            title = "Campaign" if fragment else view.capitalize().replace("-", " ")
            page.until("document.querySelector('h1')?.textContent === arguments[0]", title, title)
            if view == "campaigns":
                page.until("document.querySelector('.campaign-card .legend') !== null", "a campaign is shown")
            found = axe.run(options={"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "best-practice"]}})["violations"]
            # This version of axe does not know that a div may group the items of a dl.
            problems += [f"{view}: {each['id']}: {node['target']}" for each in found if each["id"] != "dlitem" for node in each["nodes"]]
            page.picture(pictures, f"{view}{'-one' if fragment else ''}-{theme}-{'wide' if size == WIDE else 'narrow'}")
    finally:
        page.theme("light")
        page.size(WIDE)
    assert problems == []


def test_the_pictures_of_the_documentation(page, service, pictures):
    """SERVICE_IMAGES names the folder that gets the pictures of the documentation: scripts/pictures sets it."""
    for number in range(12):
        service.push(wait=number == 11, payload={"aps": {"alert": {"title": "Order on its way", "body": f"Parcel {number + 1} of 12"}}})
    service.push(token=GONE[:-2] + "22")
    page.go("#/overview")
    page.until_text(".app-card .pill", "Running")
    page.until("Number(document.querySelector('.legend .accepted').textContent.match(/[0-9]+/)[0]) >= 12", "the acceptances are counted")
    try:
        for theme, name in [("light", "service"), ("dark", "service-dark")]:
            page.theme(theme)
            page.picture(pictures, name)
            if folder := os.environ.get("SERVICE_IMAGES"):
                shutil.copy(pictures / f"{name}.png", pathlib.Path(folder))
    finally:
        page.theme("light")
