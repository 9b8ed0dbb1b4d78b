"""Pushes appear as they arrive, and the table stays calm."""
import json
import pathlib
import time

import pytest

from browser import Keys, MIDDLE, NARROW, WIDE
from mock import Mock, TOKEN


def send(mock, title, *flags, **more):
    return mock.send(TOKEN, "-t", title, "-m", "From pushsend.", *flags, **more)


def test_the_first_push_takes_the_place_of_the_welcome(page, mock):
    page.until_text("#work h1", "Send your first push")
    # Names and values stand apart from each other and from the edge.
    gaps = page.script("""return [...document.querySelectorAll('.grid-kv dt')].map((name) => {
        const words = document.createRange(); words.selectNodeContents(name); const box = words.getBoundingClientRect();
        return [box.left - name.closest('.card').getBoundingClientRect().left, name.nextElementSibling.firstElementChild.getBoundingClientRect().left - box.right];
    })""")
    assert len(gaps) == 5 and all(edge >= 12 and gap >= 12 for edge, gap in gaps), gaps
    number = send(mock, "First")
    page.until_text(f"#rows tr[data-n='{number}']", "First")
    page.until_text("#news", "First")
    page.until_text("#stage .note", "First")


def test_the_welcome_promises_of_the_next_start_only_what_is_so(browser, tmp_path):
    starts = []
    for _ in range(2):
        mock = Mock(tmp_path, has_phones=False)
        try:
            browser.open(mock.url)
            browser.until_text("#work h1", "Send your first push")
            values = dict(zip(browser.texts(".grid-kv dt"), browser.texts(".grid-kv code")))
            files = [pathlib.Path(values[name]).read_bytes() for name in ["CA file", "Key"]]
            starts.append((values["Key id"], values["Team id"], files, browser.texts(".card header p")))
        finally:
            browser.leave()
            mock.stop()
    assert starts[0] == starts[1]
    # The port can be another one each time.
    assert starts[0][3] == ["The key, its ids and the CA stay the same in this state folder"]


def test_a_push_appears_without_a_reload_and_its_neighbours_stay_the_same_elements(page, mock):
    old = send(mock, "Old")
    page.until_text("#rows", "Old")
    page.script("document.querySelector(arguments[0]).mine = true", f"#rows tr[data-n='{old}']")
    new = send(mock, "New")
    page.until_text("#rows tr:first-child", "New")
    assert page.script("return document.querySelector(arguments[0]).mine", f"#rows tr[data-n='{old}']") is True
    page.until_text(f"#rows tr[data-n='{new}'] .c-out", "Shown")
    page.until_text(".tabs [data-tab=inbox]", str(mock.count()))


TOP = "return document.querySelector(arguments[0]).getBoundingClientRect().top"


def hold_a_row(page, mock):
    """Puts the pointer on the row of a push, so that the row of the next one, "Waits", waits. Returns the number of the first."""
    number = send(mock, "Under the pointer")
    row = f"#rows tr[data-n='{number}']"
    # The names of phones and apps come later, and what is above the rows can grow then.
    page.until_text(f"{row} .c-out", "Shown")
    page.point(f"{row} .c-time")
    page.until("document.querySelector(arguments[0]).matches(':hover')", "the pointer is on the row", row)
    top = page.script(TOP, row)
    send(mock, "Waits")
    page.until_text("#waiting", "1 new push above")
    assert page.script(TOP, row) == top
    return number


def test_no_row_moves_under_a_pointer(page, mock):
    hold_a_row(page, mock)
    assert "Under the pointer" in page.text("#rows tr:first-child")
    page.point("#pause")
    page.until_text("#rows tr:first-child", "Waits")
    assert page.script("return document.getElementById('waiting').hidden") is True


def test_no_row_moves_when_the_button_appears_under_the_pointer(page, mock):
    number = send(mock, "Below the button")
    page.until_text("#rows tr:first-child", "Below the button")
    x, y = page.script("""const rows = document.querySelector('.rows').getBoundingClientRect();
        const row = document.querySelector(`#rows tr[data-n='${arguments[0]}']`).getBoundingClientRect();
        return [Math.round(rows.left + rows.width / 2), Math.round(row.top + row.height / 2)]""", number)
    page.point_at(x, y)
    send(mock, "Waits above")
    page.until("document.elementFromPoint(arguments[0], arguments[1]).id === 'waiting'", "the button is under the pointer", x, y)
    page.point_at(x + 1, y)
    assert "Below the button" in page.text("#rows tr:first-child")
    page.click("#waiting")
    page.until_text("#rows tr:first-child", "Waits above")
    page.point("#pause")


def test_rows_that_wait_are_there_after_a_look_at_a_push(page, mock):
    number = hold_a_row(page, mock)
    # The address is changed, not clicked, so that the pointer stays on the row.
    page.script("location.hash = arguments[0]", f"#/push/{number}")
    page.until(f"document.documentElement.dataset.detail === '{number}'", "the push is shown")
    later = send(mock, "Came second")
    page.until_text(".tabs [data-tab=inbox]", str(later))
    last = send(mock, "Came third")
    page.until_text(".tabs [data-tab=inbox]", str(last))
    page.go("#/inbox")
    page.until_text("#rows", "Came third")
    assert "Came second" in page.text("#rows") and "Waits" in page.text("#rows")
    page.point("#pause")


@pytest.mark.parametrize("is_paused", [False, True])
def test_an_answer_that_is_older_than_a_push_does_not_remove_its_row(browser, tmp_path, is_paused):
    mock = Mock(tmp_path, has_phones=False)
    try:
        # No phone shows these pushes, so no change of a phone makes the page read the table in the middle.
        before = mock.post(b"before the answer")
        browser.open(mock.url)
        browser.until_text("#rows", "before the answer")
        browser.hold("/pushes?order=newest&limit=50")
        browser.click("#pause")
        browser.until_text("#pause", "Resume")
        browser.click("#pause")
        browser.until_held()
        after = mock.post(b"after the answer")
        browser.until_text("#rows tr:first-child", "after the answer")
        if is_paused:
            browser.click("#pause")
            browser.until_text("#pause", "Resume")
        browser.release()
        assert browser.script("return [...document.querySelectorAll('#rows tr')].map((row) => Number(row.dataset.n))") == [after, before]
    finally:
        browser.leave()
        mock.stop()


def test_a_paused_table_waits(page, mock):
    page.click("#pause")
    page.until_text("#pause", "Resume")
    send(mock, "While paused")
    page.until("document.querySelector('.tabs [data-tab=inbox]').textContent.includes(arguments[0])", "the count goes on", str(mock.count()))
    assert "While paused" not in page.text("#rows")
    page.click("#pause")
    page.until_text("#rows", "While paused")


def test_a_search_is_made_by_the_mock_and_stays_live(page, mock):
    send(mock, "Apple")
    send(mock, "Pear")
    page.until_text("#rows", "Pear")
    page.click("#q")
    page.press("title:apple")
    page.until("[...document.querySelectorAll('#rows tr')].every((row) => row.textContent.includes('Apple'))", "only apples are shown")
    page.until_text("#hits", "found")
    send(mock, "Apple juice")
    page.until_text("#rows", "Apple juice")
    page.find("#q").send_keys(" status:")
    page.until_text("#hits", "status")
    assert page.find("#q").get_attribute("aria-invalid") == "true"
    page.press(Keys.ESCAPE)
    page.press(Keys.ESCAPE)
    page.until_text("#rows", "Pear")


@pytest.mark.parametrize("size", [WIDE, MIDDLE, NARROW], ids=["wide", "middle", "narrow"])
@pytest.mark.parametrize("search", ["foo:bar", f"{'x' * 300}:bar"], ids=["short", "long"])
def test_a_mistake_in_the_search_is_told_whole_and_the_table_keeps_its_width(page, mock, size, search):
    send(mock, "Beside the message")
    page.size(size)
    try:
        page.until_text("#rows", "Beside the message")
        width = page.script("return document.querySelector('.log').getBoundingClientRect().width")
        page.click("#q")
        page.press(search)
        page.until("document.getElementById('q').getAttribute('aria-invalid') === 'true'", "the search is refused")
        message, box = page.script("""return ['#hits', '.search'].map((each) => { const { left, right, top, bottom, height } = document.querySelector(each).getBoundingClientRect(); return { left, right, top, bottom, height }; })""")
        assert message["height"] > 10
        assert box["left"] <= message["left"] and message["right"] <= box["right"] <= size[0]
        assert box["top"] <= message["top"] and message["bottom"] <= box["bottom"]
        assert page.script("const one = document.getElementById('hits'); return one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1")
        assert page.script("return document.querySelector('.log').getBoundingClientRect().width") == width
        assert page.script("return document.documentElement.scrollWidth <= innerWidth")
    finally:
        page.size(WIDE)


def test_the_search_is_in_the_address_and_back_leaves_it(page, mock):
    send(mock, "Apple")
    mock.send("990410" + "0" * 58, "-t", "Apple, gone", "-m", "x", fails=True)
    send(mock, "Pear & co")
    page.until_text("#rows", "Pear & co")
    page.click("#q")
    page.press("title:apple")
    page.until("new URLSearchParams(location.search).get('q') === 'title:apple'", "the search is in the address")
    page.until("!document.getElementById('rows').textContent.includes('Pear')", "only apples are shown")
    page.click("#counts [data-id=rejected]")
    page.until("new URLSearchParams(location.search).get('outcome') === 'rejected'", "the outcome is in the address")
    page.until("document.querySelectorAll('#rows tr').length === 1", "one push is shown")
    # The address is the whole selection.
    page.driver.refresh()
    page.until("document.querySelectorAll('#rows tr').length === 1 && document.getElementById('q').value === 'title:apple'", "a reload keeps the selection")
    assert page.find("#counts [data-id=rejected]").get_attribute("aria-pressed") == "true"
    page.driver.back()
    page.until("document.querySelector('#counts [data-id=all]').getAttribute('aria-pressed') === 'true'", "Back leaves the outcome")
    page.until("document.querySelectorAll('#rows tr').length > 1", "more than the rejected one is shown")
    assert page.script("return document.getElementById('q').value") == "title:apple"
    page.driver.back()
    page.until("location.search === '' && document.getElementById('q').value === ''", "Back leaves the search, in one step")
    page.until_text("#rows", "Pear & co")
    page.driver.forward()
    page.until("document.getElementById('q').value === 'title:apple'", "Forward returns to it")


def test_the_app_is_in_the_address(page, mock):
    send(mock, "Of the chat")
    mock.send(TOKEN, "-t", "Of the cab", "-m", "x", topic="com.example.cab")
    page.until_text("#rows", "Of the cab")
    page.open_push(mock.total())
    page.go("#/compose/alert")
    page.until("document.documentElement.dataset.compose === 'alert'", "the composer is there")
    page.click("#stage [data-topic='com.example.cab']")
    page.until("location.search === '?app=com.example.cab' && location.hash === '#/inbox'", "the app is in the address")
    page.until("document.getElementById('rows') && !document.getElementById('rows').textContent.includes('Of the chat')", "only its pushes are shown")
    page.driver.back()
    page.until("location.search === '' && location.hash === '#/compose/alert'", "Back leads to where the app was chosen")


def test_times_and_the_chart_are_never_cut(page, mock):
    number = send(mock, "Acted on")
    mock.send(TOKEN, "--template", "background", topic="com.example.bakery")
    page.until_text(f"#rows tr[data-n='{number}'] .c-out", "Shown")
    mock.api("POST", f"/v1/phones/{mock.push(number)['phone']}/actions", {"push": number, "action": "tap"})
    page.until("document.querySelectorAll('#counts button').length >= 8", "there are more outcomes than usual")
    try:
        for size in [WIDE, MIDDLE, (1241, 800), NARROW]:
            page.size(size)
            assert page.script("return [...document.querySelectorAll('#rows .c-time')].filter((each) => each.scrollWidth > each.clientWidth).length") == 0, size
            chart, edge = page.script("""return ['.pulse svg', '.counts'].map((each) => { const { left, right, width } = document.querySelector(each).getBoundingClientRect(); return { left, right, width }; })""")
            assert chart["width"] == 0 or (chart["width"] >= 50 and chart["right"] <= edge["right"] and chart["left"] >= edge["left"]), size
    finally:
        page.size(WIDE)


def test_fields_are_offered_and_chosen_by_keyboard(page, mock):
    page.press("/")
    page.press("out")
    page.until("document.querySelectorAll('#fields button').length === 1", "one field is offered")
    page.press(Keys.ARROW_DOWN, Keys.ENTER)
    page.press("shown")
    page.until_text("#hits", "found")
    assert page.find("#q").get_attribute("value") == "outcome:shown"


def test_outcomes_filter_the_table(page, mock):
    mock.send("990410" + "0" * 58, "-t", "Gone", "-m", "x", fails=True)
    page.until_text("#rows", "Gone")
    page.click("#counts [data-id=rejected]")
    page.until("[...document.querySelectorAll('#rows .c-status')].every((cell) => cell.textContent === '410')", "only rejected ones are shown")
    page.click("#counts [data-id=all]")
    page.until("[...document.querySelectorAll('#rows .c-status')].some((cell) => cell.textContent === '200')", "all are shown")


def test_pages_follow_one_another(browser, tmp_path):
    mock = Mock(tmp_path, has_phones=False)
    try:
        mock.burst(120)
        browser.open(mock.url)
        browser.until_text("#range", "1 to 50 of 120")
        browser.click("#pages [aria-label='Next page']")
        browser.until_text("#range", "51 to 100 of 120")
        mock.send(TOKEN, "-t", "Later", "-m", "x")
        browser.until_text(".tabs [data-tab=inbox]", "121")
        assert "Later" not in browser.text("#rows")
        browser.click("#pages [aria-label='Page 3']")
        browser.until_text("#range", "101 to 121 of 121")
        browser.click("#pages [aria-label='Page 1']")
        browser.until_text("#rows tr:first-child", "Later")
    finally:
        browser.leave()
        mock.stop()


def test_a_reset_empties_the_table(browser, tmp_path):
    mock = Mock(tmp_path, has_phones=False)
    try:
        send(mock, "Before")
        browser.open(mock.url)
        browser.until_text("#rows", "Before")
        mock.reset()
        browser.until_text("#rows", "The log is empty")
        send(mock, "After")
        browser.until_text("#rows tr:first-child", "After")
        assert browser.count("#rows tr") == 1
    finally:
        browser.leave()
        mock.stop()


def test_after_a_long_break_it_is_counted_what_nobody_would_read(browser, tmp_path):
    mock = Mock(tmp_path, has_phones=False)
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    try:
        send(mock, "Before")
        browser.open(mock.url)
        browser.until_text("#rows", "Before")
        browser.driver.execute_cdp_cmd("Network.enable", {})
        browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **network})
        browser.until_text("#server", "reconnecting")
        mock.burst(600, title="Away")
        browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **network})
        browser.until_text("#notice", "You missed 600 pushes while this page was away. They are in the log.")
        browser.until_text("#range", "1 to 50 of 601")
        send(mock, "Live again")
        browser.until_text("#rows tr:first-child", "Live again")
    finally:
        browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **network})
        browser.leave()
        mock.stop()


def test_a_link_works_while_the_first_page_is_read(browser, mock):
    number = send(mock, "Read slowly")
    forget = browser.hold_from_the_start(f"/pushes/{number}/frames")
    try:
        browser.open(mock.url, fragment=f"#/push/{number}", ready=False)
        browser.until("window.held?.length === 1", "the push is being read")
        browser.click(".tabs [data-tab=inbox]")
        browser.until_text("#rows", "Read slowly")
        browser.release()
        assert "Read slowly" in browser.text("#rows")
    finally:
        forget()
        browser.leave()


def test_an_open_push_is_read_again_after_a_break(browser, tmp_path):
    mock = Mock(tmp_path)
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    try:
        number = send(mock, "Before")
        browser.open(mock.url)
        browser.open_push(number)
        browser.until_text("#timeline b", "Shown")
        browser.driver.execute_cdp_cmd("Network.enable", {})
        browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **network})
        browser.until_text("#server", "reconnecting")
        mock.api("POST", f"/v1/phones/{mock.push(number)['phone']}/actions", {"push": number, "action": "tap"})
        browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **network})
        browser.until_text("#timeline b", "Acted on")
    finally:
        browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **network})
        browser.leave()
        mock.stop()


def again(folder, port):
    """Another mock on the port. A connection of another program can have it for a while."""
    for _ in range(100):
        try:
            return Mock(folder, "--console-port", port, has_phones=False)
        except json.JSONDecodeError:
            time.sleep(0.2)
    raise AssertionError(f"the port {port} is taken")


def test_the_page_stays_live_when_the_mock_is_started_again(browser, tmp_path):
    mock = Mock(tmp_path, has_phones=False)
    try:
        mock.burst(3, title="Before")
        browser.open(mock.url)
        browser.until_text("#rows", "Before")
        mock.stop()
        browser.until_text("#server", "reconnecting")
        mock = again(tmp_path, mock.url.rsplit(":", 1)[1])
        send(mock, "After")
        browser.until_text("#rows tr:first-child", "After")
        browser.until_text("#notice", "The mock was started again: its log is new.")
        browser.until("document.querySelectorAll('#rows tr').length === 1", "the old pushes are gone")
        browser.until_text("#range", "1 to 1 of 1")
    finally:
        browser.leave()
        mock.stop()


def test_after_a_break_the_page_goes_on_and_says_what_it_has_missed(browser, tmp_path):
    mock = Mock(tmp_path, "--log-count", "5")
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    try:
        send(mock, "Before")
        browser.open(mock.url)
        browser.until_text("#rows", "Before")
        browser.driver.execute_cdp_cmd("Network.enable", {})
        browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **network})
        browser.until_text("#server", "reconnecting")
        for number in range(9):
            send(mock, f"Away {number}")
        browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **network})
        browser.until_text("#rows", "Away 8")
        browser.until_text("#notice", "You missed 4 pushes: they are no longer in the log.")
        browser.click("#notice button")
        browser.until("!document.querySelector('#notice p')", "the note is closed")
    finally:
        browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **network})
        browser.leave()
        mock.stop()
