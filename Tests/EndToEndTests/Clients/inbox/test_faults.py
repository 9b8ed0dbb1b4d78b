"""Scenarios and faults are switched on and off; connections and broken rules are watched."""
from browser import NARROW, WIDE
from mock import TOKEN


def toggle(page, title):
    page.script("[...document.querySelectorAll('.fault')].find((each) => each.querySelector('b').firstChild.textContent === arguments[0]).querySelector('.switch').click()", title)


def is_on(title):
    return "[...document.querySelectorAll('.fault')].find((each) => each.querySelector('b').firstChild.textContent === arguments[0])?.classList.contains('on') === " + title


def open_faults(page):
    page.go("#/faults")
    page.until("document.querySelectorAll('#scenarios .fault').length > 5 && document.querySelectorAll('#faults .fault').length > 5", "the faults are there")


def test_a_scenario_changes_the_next_answer(page, mock):
    open_faults(page)
    toggle(page, "apns-outage")
    page.until(is_on("true"), "the scenario is on", "apns-outage")
    page.until_text(".tabs [data-tab=faults] .n", "on")
    mock.post(b'{"aps":{"alert":"Hello"}}')
    assert mock.push(mock.total())["status"] == 503
    toggle(page, "apns-outage")
    page.until(is_on("false"), "the scenario is off", "apns-outage")
    mock.send(TOKEN, "-m", "Hello")
    assert mock.push(mock.total())["status"] == 200


def test_a_single_fault_is_switched_on_and_off(page, mock):
    open_faults(page)
    toggle(page, "Too many requests")
    page.until(is_on("true"), "the fault is on", "Too many requests")
    for _ in range(2):
        mock.post(b'{"aps":{"alert":"Hello"}}')
    assert mock.push(mock.total())["status"] == 429
    page.until_text("#faults", "acted 1 time")
    toggle(page, "Too many requests")
    page.until(is_on("false"), "the fault is off", "Too many requests")
    assert [each for each in mock.api("GET", "/v1/faults")["items"] if each["is_active"]] == []


def test_an_older_answer_does_not_switch_a_fault_off(page, mock):
    open_faults(page)
    page.hold("/faults")
    page.until_held()
    toggle(page, "Bad day")
    page.until(is_on("true"), "the fault is on", "Bad day")
    page.release()
    assert page.script(f"return {is_on('true')}", "Bad day")
    mock.api("DELETE", "/v1/faults")


def test_a_fault_is_written_here(page, mock):
    open_faults(page)
    page.click(".new-fault summary")
    page.script("document.querySelector('.fault-json').value = arguments[0]", '{"name": "mine", "steps": [{"answer": {"status": 99}}]}')
    page.click(".new-fault .primary")
    page.until_text("#toast", "status")
    page.script("document.querySelector('.fault-json').value = arguments[0]", '{"name": "<i>mine</i>", "steps": [{"answer": {"status": 500, "reason": "InternalServerError"}}]}')
    page.click(".new-fault .primary")
    page.until_text("#faults .fault.on", "<i>mine</i>")
    mock.post(b'{"aps":{"alert":"Hello"}}')
    assert mock.push(mock.total())["status"] == 500
    mock.api("DELETE", "/v1/faults")
    page.until("!document.getElementById('faults').textContent.includes('<i>mine</i>')", "a fault that was removed elsewhere is gone")


def test_a_fault_that_was_switched_off_here_stays_until_it_is_removed(page, mock):
    open_faults(page)
    mock.api("POST", "/v1/faults", {"name": "passing", "steps": [{"answer": {"status": 500}}], "times": 1})
    mock.api("POST", "/v1/faults", {"name": "kept", "when": {"topic": "com.example.none"}, "steps": [{"answer": {"status": 500}}]})
    page.until(is_on("true"), "the fault is on", "passing")
    mock.post(b'{"aps":{"alert":"Hello"}}')
    page.until("!document.getElementById('faults').textContent.includes('passing')", "a fault that has acted as often as it should is gone")
    page.until(is_on("true"), "the other fault is on", "kept")
    toggle(page, "kept")
    page.until(is_on("false"), "it is off, and still there", "kept")
    page.click("[aria-label='Remove kept from the list']")
    page.until("!document.getElementById('faults').textContent.includes('kept')", "it is gone")


def test_a_rejection_is_no_broken_rule(page, mock):
    number = mock.post(b'{"aps":{"alert":"Hello"}}', {"apns-priority": "7"})
    assert mock.push(number)["status"] == 400
    for _ in range(6):
        mock.send(TOKEN, "-m", "Hello")
    open_faults(page)
    page.until_text("#violations", "connection-per-push")
    assert "priority-known" not in page.text("#violations")
    page.open_push(number)
    assert page.count(".verdict") == 1 and "priority-known" not in page.text("[aria-label='Broken rules']")


def test_connections_and_broken_rules_are_watched(page, mock):
    for number in range(6):
        mock.send(TOKEN, "-m", f"Hello {number}")
    open_faults(page)
    page.until_text("#connections", "Connection")
    page.until_text("#violations", "connection-per-push")
    assert page.count("#violations .pill") >= 1


def test_an_open_connection_has_its_streams_and_windows(page, mock):
    open_faults(page)
    with mock.connection() as post:
        for _ in range(3):
            assert post(b'{"aps":{"alert":"Hello"}}').status_code == 200
        page.until_text("#connections .conn", "3 requests")
        page.until_text("#connections .conn", "Bytes the client may send")
        page.until_text("#connections .conn", "Bytes the mock may send")
        page.until_text("#connections .conn", "frames up to 16,384 bytes")
        page.until_text("#connections .conn", "Streams open")
        assert page.count("#connections .pill.ok") >= 1
        # Each request had a provider token of its own, which breaks a rule with a long name in it.
        page.until_text("#violations", "TooManyProviderTokenUpdates")
        page.size(NARROW)
        sticking_out = page.script("""return [...document.querySelectorAll('#violations b, #violations p, #connections p, #connections dt')].filter((each) => {
            const words = document.createRange(); words.selectNodeContents(each);
            return words.getBoundingClientRect().right > each.closest('div').getBoundingClientRect().right + 1;
        }).map((each) => each.textContent)""")
        page.size(WIDE)
        assert sticking_out == []
    page.until_text("#connections .conn", "Ended by the client")
